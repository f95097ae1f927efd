"""A run as it is recorded: each result counted and kept, and at its end what they come to.

Whatever ends a run, the totals of what was done by then are written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from memoryfield_spec import Level

from ..values import Job, Refused, Row, Target
from .folder import Results
from .keys import fingerprint
from .lines import line_of
from .page import page_of
from .products import REPORT, TOTALS
from .replacing import replace_text
from .totals import Totals

_LOCKED = "field-sha256:"


class Recording:
    """What came of a run so far.

    Attributes:
        totals: the counts.
        complete: whether all that was meant was done, or has failed.
    """

    def __init__(
        self, job: Job, results: Results | None = None, *, fail_on: Level = "error"
    ) -> None:
        """Begin a run.

        Arguments:
            job: what is done to each field.
            results: where results are kept; None where they are only counted.
            fail_on: the mildest level of a finding that makes the exit code 1.
        """
        self.totals = Totals(job.kind, fail_on=fail_on)
        self.complete = False
        self._job = job
        self._mark = fingerprint(job)
        self._results = results
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()

    def meant(self, targets: Iterable[Target | Refused]) -> Iterator[Target | Refused]:
        """The targets that a run is given; see `Results.meant`."""
        return iter(targets) if self._results is None else self._results.meant(targets)

    def known(self, target: Target) -> str | None:
        """Of which version of a field there is a good result; see `Results.known`.

        An index may be gone, or on another machine, whatever an earlier run says; to bring one up
        to date that is there takes little. A pin of a lock file is what has to be found, so that
        it cannot tell that nobody need look.
        """
        if self._results is None or self._job.kind == "index":
            return None
        if self._job.kind == "pin" and (target.version or "").startswith(_LOCKED):
            return None
        return self._results.known(target)

    def add(self, row: Row) -> str | None:
        """Count what came of a field, and keep it.

        Arguments:
            row: "same" where the result that is kept holds.

        Returns:
            the result as a line of JSON without its line feed; None where it was known before.

        Raises:
            SourceUnavailable: it cannot be kept, since the disk is full or something else is wrong
                with it; what was kept before can be used.
        """
        if row.state == "same":
            older = None if self._results is None else self._results.take(row.location)
            if older is not None:
                self.totals.add(older, reused=True)
                return None
            row = _lost(row)
        row, line = line_of(row, self._mark)
        if self._results is not None:
            self._results.add(row, line)
        self.totals.add(row)
        return line.decode("ascii").rstrip("\n")

    def end(self) -> None:
        """Say that the run has done all that was meant, and leave one line for each field.

        Raises:
            SourceUnavailable: the disk is full; what was kept can be used.
        """
        if self._results is not None:
            self._results.tidy()
        self.complete = True

    def facts(self) -> dict[str, Any]:
        """What it comes to by now, as JSON carries it: schema "fleet-totals"."""
        ended = datetime.now(UTC)
        facts = self.totals.facts()
        run = {
            "complete": self.complete,
            "started": _text(self._started),
            "ended": _text(max(ended, self._started)),
            "seconds": round(time.monotonic() - self._clock, 3),
        }
        head = {name: facts.pop(name) for name in ("version", "job")}
        return {**head, **run, **facts}

    def write(self) -> None:
        """Write what it comes to by now beside the results, for programs and for people.

        Raises:
            SourceUnavailable: it cannot be written; the results can be used.
        """
        if self._results is None:
            return
        facts = self.facts()
        text = json.dumps(facts, indent=2, allow_nan=False) + "\n"
        replace_text(self._results.directory, TOTALS, text)
        replace_text(self._results.directory, REPORT, page_of(facts))


def _lost(row: Row) -> Row:
    """The failure of a field whose older result was to count, and is gone."""
    error = {
        "kind": "WriteConflict",
        "message": "the result that was known is gone: somebody else has changed the file",
        "hint": "run it again",
        "exit_code": 5,
    }
    return Row(row.job, row.location, row.version, "failed", row.attempts, error=error)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")

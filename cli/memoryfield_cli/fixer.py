"""`--fix` and `--diff`: each field is mended before it is reported, or it is shown how."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from .output import print_bytes, say, warn
from .progress import page_bar, progress_bar

if TYPE_CHECKING:
    from memoryfield_validator import Checked, Fixed, Request
    from memoryfield_validator.fixes import Proposal

_BAR_FROM_CHANGES = 200


class Fixer:
    """Mends fields, one after the other, and tells what it did.

    Attributes:
        writes: whether changes are written; otherwise they are printed as a diff.
        found_changes: whether there was anything to mend so far.
    """

    def __init__(self, *, writes: bool) -> None:
        """Nothing is mended yet."""
        self.writes = writes
        self.found_changes = False

    def outcomes(self, request: Request, locations: Sequence[str]) -> Iterator[Checked]:
        """What is left to tell of each field."""
        from memoryfield_validator import fix

        for location in locations:
            fixed = fix(
                location,
                request,
                write=self.writes,
                watch=page_bar,
                watch_writing=_writing_bar,
            )
            if fixed.proposal.changes:
                self.found_changes = True
                if not self.writes:
                    _print_diff(fixed, named=len(locations) > 1)
                warn(f"{location}: {_summary(fixed, written=self.writes)}")
            yield fixed.checked


def _writing_bar(proposal: Proposal) -> AbstractContextManager[Callable[[], None]]:
    return progress_bar("Mending", len(proposal.changes), least=_BAR_FROM_CHANGES)


def _summary(fixed: Fixed, *, written: bool) -> str:
    findings, pages = len(fixed.proposal.findings), len({c.name for c in fixed.proposal.changes})
    verb = "mended" if written else "can mend"
    return (
        f"{verb} {findings:,} finding{'s' * (findings != 1)} in {pages:,} page{'s' * (pages != 1)}"
    )


def _print_diff(fixed: Fixed, *, named: bool) -> None:
    """Print the changes: as bytes that `git apply` takes, but escaped on a terminal."""
    from memoryfield_readers import visible
    from memoryfield_validator.fixes import diff, patch

    if named:
        say(f"# {visible(fixed.checked.location)}")
    if sys.stdout.isatty():
        say(diff(fixed.proposal), end="")
    else:
        print_bytes(patch(fixed.proposal))

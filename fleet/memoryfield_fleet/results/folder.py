"""The folder of a run: its results, a line each, added as they come and found again by a later run.

`results.jsonl` has the results of the fields that are meant, `others.jsonl` those of fields that
were meant in an earlier run. While a run goes on, a field may have several lines: the last one
counts. When a run has ended as it should, each has one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from memoryfield_readers import (
    LocationError,
    LockTimeout,
    SourceUnavailable,
    Watch,
    WriteConflict,
    local_path,
    unwatched,
    visible,
)
from memoryfield_readers.atomic import ANCHORED, Directory
from memoryfield_readers.holding import held_field
from memoryfield_readers.system_errors import reason_of

from ..values import Job, Refused, Row, Target
from .keys import fingerprint, key_of
from .ledger import Ledger, Place
from .line_file import LineFile
from .lines import MOST_LINE_BYTES, Kept, NoRow, read_line
from .products import foreign_product
from .replacing import new_file, remove_left_over
from .survey import Survey, standing, survey

RESULTS = "results.jsonl"
OTHERS = "others.jsonl"
_FILES = (RESULTS, OTHERS)
_HERE, _ASIDE = range(len(_FILES))


class Results:
    """The results in a folder, while no other run writes there.

    Attributes:
        directory: the folder.
        job: what is done to each field.
        mark: the fingerprint of the job.
        notes: what a person should know of what was found there.
    """

    def __init__(
        self,
        where: str,
        directory: Directory,
        job: Job,
        files: tuple[LineFile, ...],
        ledger: Ledger,
    ) -> None:
        """Begin with what stands in no file; `where` is the folder as it was named."""
        self._where = where
        self.directory = directory
        self.job = job
        self.mark = fingerprint(job)
        self.notes: list[str] = []
        self._files = files
        self._ledger = ledger
        self._lines = [0] * len(_FILES)
        self._untidy = False
        self._outdated = False

    def take_in(self, *, anew: bool, watch: Watch) -> None:
        """See what is there; arguments and errors are those of `open_results`."""
        found = survey(self._files, self.job.kind, self._is_of_job, self._ledger, watch)
        self._refuse(found)
        for number, offset in found.cut.items():
            self._files[number].cut(offset)
        if anew:
            self._ledger.forget()
            self._outdated = bool(found.rows or found.others or found.none)
            return
        self._lines = found.lines
        self._untidy = bool(found.others or found.none)
        if found.others:
            self.notes.append(
                f"{_results(found.others)} of other options, or of another version of "
                "memoryfield-kit: what is meant is done again"
            )
        if found.none:
            are = "1 line is no result" if found.none == 1 else f"{found.none:,} lines are none"
            self.notes.append(f"{are}: passed over")

    def meant(self, targets: Iterable[Target | Refused]) -> Iterator[Target | Refused]:
        """The same, each location once; this folder is no field, whatever a pattern says.

        A field that it lies in is refused: with each result it would be another one. It may be
        called by another thread than the one that adds results.
        """
        own = os.path.realpath(self.directory.path)
        for target in targets:
            path = local_path(target.location) if isinstance(target, Target) else None
            real = None if path is None else os.path.realpath(path)
            if real == own or not self._ledger.mean(target.location):
                continue
            if real is not None and own.startswith(os.path.join(real, "")):
                yield Refused(target.location, _inside(self._where))
            else:
                yield target

    def known(self, target: Target) -> str | None:
        """Of which version of a field there is a good result; None if there is none.

        It may be called by another thread than the one that adds results.
        """
        found = self._ledger.find(target.location)
        return None if found is None else found[1]

    def take(self, location: str) -> Row | None:
        """The good result that is known of a field; None if there is none any more.

        It is among those of fields that are meant from then on, if it was put aside before.

        Raises:
            SourceUnavailable: the file cannot be read, or the disk is full.
        """
        found = self._ledger.find(location)
        if found is None:
            return None
        place, version = found
        line = self._files[place.file].line_at(place.offset) or b""
        try:
            kept = read_line(line)
        except NoRow:  # somebody else has written into the file
            return None
        row = kept.row
        if row.location != location or standing(row) != version or not self._is_of_job(kept):
            return None
        if place.file != _HERE:
            self.add(row, line)
        return row

    def add(self, row: Row, line: bytes) -> None:
        """Keep what came of a field.

        Arguments:
            row: what came of it.
            line: the same, as `line_of` gives it.

        Raises:
            SourceUnavailable: the disk is full; what stands there can be used.
        """
        self._drop_outdated()
        offset = self._files[_HERE].add(line)
        self._lines[_HERE] += 1
        self._ledger.put(row.location, Place(_HERE, offset), standing(row))

    def tidy(self) -> None:
        """After a run that has ended: leave one line for each field, and put those not meant aside.

        Nothing can be added or asked for after that.

        Raises:
            SourceUnavailable: the disk is full; what stands there can be used.
        """
        self._drop_outdated()
        here = [0, 0]
        aside = [0, 0]
        for place in self._ledger.places(meant=True):
            here[place.file] += 1
        for place in self._ledger.places(meant=False):
            aside[place.file] += 1
        is_tidy = here == [self._lines[_HERE], 0] and aside == [0, self._lines[_ASIDE]]
        if is_tidy and not self._untidy:
            return
        # The last to be opened is the first to take its place: what is meant stands in the other
        # one by now, so that no result is lost on the way.
        with new_file(self.directory, RESULTS) as meant, new_file(self.directory, OTHERS) as others:
            self._copy(self._ledger.places(meant=False), others)
            self._copy(self._ledger.places(meant=True), meant)
            for file in self._files:  # one that is open cannot be replaced everywhere
                file.close()

    def leave(self) -> None:
        """At the end, leave no file behind that has nothing in it and says nothing."""
        with contextlib.suppress(OSError):
            if self.directory.status(OTHERS).st_size == 0:
                os.unlink(self.directory.at(OTHERS), dir_fd=self.directory.descriptor)

    def _drop_outdated(self) -> None:
        """Take away what is not to count any more, now that there is something in its place."""
        if self._outdated:
            for file in self._files:
                file.cut(0)
            self._outdated = False

    def _copy(self, places: Iterator[Place], file: BinaryIO) -> None:
        for place in places:
            line = self._files[place.file].line_at(place.offset)
            if line is not None:
                file.write(line)

    def _is_of_job(self, kept: Kept) -> bool:
        """Whether a result is of this job with these options, and of the field that it names."""
        return kept.key == key_of(self.mark, kept.row.location, kept.row.version)

    def _refuse(self, found: Survey) -> None:
        """Leave alone what other runs need, and what is not ours."""
        if found.kind is not None:
            raise WriteConflict(
                f"holds results of `memoryfield fleet {found.kind}`; nothing was changed",
                location=self._where,
                hint="name another folder with --out",
            )
        if found.none and not found.rows and not found.others:
            raise WriteConflict(
                f"has a file {RESULTS} or {OTHERS} that holds no results of "
                "`memoryfield fleet`; nothing was changed",
                location=self._where,
                hint="name another folder with --out",
            )


@contextmanager
def open_results(
    folder: Path, job: Job, *, anew: bool = False, watch: Watch = unwatched
) -> Iterator[Results]:
    """The results in a folder, for one run alone, until the end of the block.

    Arguments:
        folder: where they are; it is made if it is not there.
        job: what is done to each field: other results than its own are not known.
        anew: know none; those that are there are gone once there is a new one, or none is meant.
        watch: told how much of what is there was read.

    Raises:
        WriteConflict: another run writes there, or there are results of another kind of job, or
            files of those names, or of those of a report, that are something else; nothing was
            changed.
        SourceUnavailable: the folder or a file in it cannot be made, read or written.
    """
    with ExitStack() as stack:
        directory = _held(folder, stack)
        _refuse_products(directory, str(folder))
        files = tuple(
            stack.enter_context(contextlib.closing(LineFile(directory, name, most=MOST_LINE_BYTES)))
            for name in _FILES
        )
        ledger = stack.enter_context(contextlib.closing(Ledger()))
        results = Results(str(folder), directory, job, files, ledger)
        stack.callback(results.leave)
        results.take_in(anew=anew, watch=watch)
        yield results


def _held(folder: Path, stack: ExitStack) -> Directory:
    """The folder, held until the end; what a run that was killed has left half-written is gone."""
    where = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hold = stack.enter_context(held_field(folder, wait=0, location=where))
        directory = Directory(hold.path, hold.descriptor if ANCHORED else None)
        remove_left_over(directory)
    except LockTimeout as error:
        raise WriteConflict(
            "another run writes its results there; nothing was changed",
            location=where,
            hint="wait for it, or name another folder with --out",
        ) from error
    except OSError as error:
        raise SourceUnavailable(
            f"cannot be made a folder of results: {reason_of(error)}", location=where
        ) from error
    return directory


def _refuse_products(directory: Directory, where: str) -> None:
    """Leave alone what would be replaced, and is of no run."""
    try:
        name = foreign_product(directory, RESULTS)
    except OSError as error:
        raise SourceUnavailable(f"cannot be read: {reason_of(error)}", location=where) from error
    if name is not None:
        raise WriteConflict(
            f"has a file {name} that is of no run of `memoryfield fleet`; nothing was changed",
            location=where,
            hint=f"name another folder with --out, or move {name} away",
        )


def _inside(where: str) -> LocationError:
    return LocationError(
        f"the results in {visible(where)} would change this field",
        hint="name another folder with --out",
    )


def _results(count: int) -> str:
    return "1 result is" if count == 1 else f"{count:,} results are"

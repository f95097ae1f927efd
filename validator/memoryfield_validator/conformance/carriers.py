"""The places of a run: each case is put into a source while it is asked about, and not longer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from memoryfield_readers import MemoryfieldError

from .case import Case
from .errors import CannotCarry
from .implementation import Elsewhere
from .places import GIT, HTTP, HTTP_ARCHIVE, S3, SOURCES, make_place, traces


class Carrier(Protocol):
    """Puts cases into one source elsewhere."""

    def put(self, case: Case) -> AbstractContextManager[Elsewhere]:
        """The place of a case, which stands within the block.

        Raises:
            CannotCarry: the source cannot hold what the case gives.
            MemoryfieldError: it cannot be written to.
        """
        ...

    def close(self) -> None:
        """End and remove what was begun."""
        ...


@dataclass(frozen=True, slots=True)
class Made:
    """A place that stands.

    Attributes:
        place: where.
        has_changed: says whether what was given to be read is not as it was.
    """

    place: Path | Elsewhere
    has_changed: Callable[[], bool]


class Places:
    """Makes the places of a run; what they share is begun when it is first wanted.

    Use it as a context manager.
    """

    def __init__(self, cases: Sequence[Case], scratch: Path | None, s3: Elsewhere | None) -> None:
        """Make nothing yet.

        Arguments:
            cases: all that may be asked for.
            scratch: a folder for what stands on this machine; the system's by default.
            s3: below which prefix the source s3 may write; None for nowhere.
        """
        self._cases = cases
        self._scratch = scratch
        self._s3 = s3
        self._carriers: dict[str, Carrier] = {}
        self._failures: dict[str, CannotCarry | MemoryfieldError] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Begin.

        Raises:
            LocationError: the prefix for the source s3 is none, or has options that make no sense.
            SourceUnavailable: what is needed to talk to S3 is not installed.
        """
        if self._s3 is not None:
            from .objects import Objects

            objects = Objects(self._s3)
            self._open.callback(objects.close)
            self._carriers[S3] = objects
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._carriers.clear()
        self._open.close()

    @contextmanager
    def made(self, case: Case, source: str) -> Iterator[Made]:
        """A case in a source, for as long as the block lasts.

        Raises:
            CannotCarry: this machine or this source cannot hold it.
            MemoryfieldError: the source cannot be written to.
        """
        if source not in SOURCES:
            with self._carrier(source).put(case) as place:
                yield Made(place, lambda: False)
            return
        with tempfile.TemporaryDirectory(
            dir=self._scratch, prefix="case-", ignore_cleanup_errors=True
        ) as folder:
            path = make_place(case, source, Path(folder))
            before = traces(Path(folder))
            yield Made(path, lambda: _has_changed(Path(folder), before))

    def _carrier(self, source: str) -> Carrier:
        if source in self._failures:
            raise self._failures[source]
        if source not in self._carriers:
            try:
                made = self._new(source)
            except (CannotCarry, MemoryfieldError) as error:
                self._failures[source] = error  # it would fail again, after as much work
                raise
            self._open.callback(made.close)
            self._carriers[source] = made
        return self._carriers[source]

    def _new(self, source: str) -> Carrier:
        """The carrier of a source; what it needs is imported now."""
        if source in (HTTP, HTTP_ARCHIVE):
            from .served import ServedArchives, ServedFolders

            return ServedFolders() if source == HTTP else ServedArchives()
        if source == GIT:
            from .branches import Branches

            return Branches([case for case in self._cases if case.edit is None], self._scratch)
        raise CannotCarry(f"nobody has said where {source} may be written to")


def _has_changed(folder: Path, before: object) -> bool:
    try:
        return traces(folder) != before
    except OSError:
        return True  # it cannot even be looked at any more

"""What there is to say of each SQLite index of a field, found once for all rules."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memoryfield_readers import (
    MOST_POINTER_BYTES,
    Field,
    MemoryfieldError,
    SourceChanged,
    SourceUnavailable,
    is_lfs_pointer,
)
from memoryfield_spec import model_of

from .library import HOW_TO_INSTALL, why_not_run
from .opening import Unsound, opened
from .rows import RowFaults, row_faults
from .soundness import HEADER, pages_kind


@dataclass(frozen=True, slots=True)
class IndexVerdict:
    """What is wrong with one SQLite index.

    Attributes:
        name: its file name.
        unsound: why it is not sound (MF504); nothing else is said of it then.
        not_a_table: what its `pages` is if that is no table (MF509); it is not read then.
        rows: what is wrong with its rows; None where they were not read.
    """

    name: str
    unsound: str | None = None
    not_a_table: str | None = None
    rows: RowFaults | None = None


@dataclass(frozen=True, slots=True)
class IndexReview:
    """What there is to say of all SQLite indexes of a field.

    Attributes:
        not_run: why none was looked into, though there are some; None where that is not so.
        verdicts: one for each index that could be read, in the order of their names.
        errors: why something could not be read.
    """

    not_run: str | None = None
    verdicts: tuple[IndexVerdict, ...] = ()
    errors: tuple[MemoryfieldError, ...] = ()


def review_indexes(field: Field, passed_over: Collection[str | None]) -> IndexReview:
    """Look into every SQLite index of a field.

    Arguments:
        field: the field, whose pages have been read.
        passed_over: names of files of which all has been said: pages that are LFS pointers, and
            what could not be read.
    """
    names = [name for name in field.indexes if name.endswith(".sqlite3")]
    if not names:
        return IndexReview()
    reason = why_not_run()
    if reason is not None:
        message = f"the SQLite indexes were not checked: {reason}"
        error = SourceUnavailable(message, location=field.location, hint=HOW_TO_INSTALL)
        return IndexReview(not_run=reason, errors=(error,))

    def hash_of(page: str) -> bytes | None:
        if page in passed_over:
            return None
        try:
            return bytes.fromhex(field.sha256(page))
        except MemoryfieldError:
            return None  # MF105 or a fault of the container has said so

    verdicts: list[IndexVerdict] = []
    errors: list[MemoryfieldError] = []
    for name in names:
        if name in passed_over:
            continue
        try:
            verdicts.append(_verdict(name, field, hash_of))
        except MemoryfieldError as error:
            errors.append(error)
    return IndexReview(verdicts=tuple(verdicts), errors=tuple(errors))


def _verdict(name: str, field: Field, hash_of: Callable[[str], bytes | None]) -> IndexVerdict:
    with _copied(name, field) as path:
        with path.open("rb") as file:
            beginning = file.read(MOST_POINTER_BYTES + 1)
        if is_lfs_pointer(beginning):
            return IndexVerdict(name)  # MF108 says so, and there is nothing to look into
        if not beginning.startswith(HEADER):
            return IndexVerdict(name, unsound="does not begin with the header of SQLite 3")
        try:
            with opened(path) as database:
                kind = pages_kind(database)
                if kind is None:
                    return IndexVerdict(name)
                if kind != "a table":
                    return IndexVerdict(name, not_a_table=kind)
                model = model_of(name)
                dimension = None if model is None else model.dimension
                faults = row_faults(database, field.pages, hash_of, dimension)
                return IndexVerdict(name, rows=faults)
        except Unsound as error:
            return IndexVerdict(name, unsound=str(error))


@contextmanager
def _copied(name: str, field: Field) -> Iterator[Path]:
    """A private copy of an index, alone in a folder, so that SQLite finds nothing beside it.

    SQLite opens files, and a field may come from anywhere. A copy in memory would have to be there
    as a whole, and twice for a moment; this takes room on disk instead, whatever the limit is.

    Raises:
        SourceChanged: it is not what was read of it before.
        SourceUnavailable: there is no room for a copy.
        MemoryfieldError: it cannot be read.
    """
    from tempfile import TemporaryDirectory

    try:
        with TemporaryDirectory(prefix="memoryfield-index-") as folder:
            path = Path(folder, "index.sqlite3")
            digest = hashlib.sha256()
            with path.open("wb") as file:
                for chunk in field.chunks(name):
                    digest.update(chunk)
                    file.write(chunk)
            if digest.hexdigest() != field.sha256(name):
                message = "changed while the field was being read"
                raise SourceChanged(message, location=field.location, entry=name)
            yield path
    except OSError as error:
        raise SourceUnavailable(
            f"cannot be looked into: {error.strerror or error}",
            location=field.location,
            entry=name,
            hint="give room for temporary files, for example by setting TMPDIR",
        ) from error

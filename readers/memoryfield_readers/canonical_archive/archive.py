"""The canonical archive of a field, piece by piece: its size is known before a byte is given."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from ..display import shown
from ..entry import names_in_order
from ..errors import EmptyField, Fault, SourceChanged, SourceUnavailable, UnsafeArchive
from ..field import Field
from ..names import is_side_file
from ..sources.zip_names import path_problem
from .form import CanonicalForm, header_of
from .records import MOST_NAME_BYTES

_PIECE_BYTES: Final = 256 * 1024


class CanonicalArchive:
    """The archive that would be packed from a field; no more than one file is in memory at a time.

    It reads from the field, so it is of use for as long as that one is open. Where the field lets
    several threads read it, as one in memory does, so does this.

    Attributes:
        size: its bytes.
        names: the names of its entries, in order.
    """

    def __init__(self, field: Field, names: Sequence[str]) -> None:
        """Lay it out, for which each file is read; see `canonical_archive`."""
        form = CanonicalForm()
        self._field = field
        self._starts: list[int] = []
        self._heads: list[bytes] = []
        self._sizes: list[int] = []
        field.prepare(names)
        for name in names:
            header = header_of(name, field.content(name))
            self._starts.append(form.at)
            self._heads.append(form.add(header))
            self._sizes.append(header.size)
        self._ending = form.ending()
        self._ending_at = form.at
        self.names: tuple[str, ...] = tuple(names)
        self.size: int = form.at + len(self._ending)

    def __repr__(self) -> str:
        return f"<CanonicalArchive of {self._field.name!r}: {self.size} bytes>"

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of all its bytes, in hexadecimal; it is computed when it is first asked for.

        Raises:
            MemoryfieldError: as `pieces` raises.
        """
        digest = hashlib.sha256()
        for piece in self.pieces():
            digest.update(piece)
        return digest.hexdigest()

    def pieces(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Its bytes, in pieces of up to 256 KiB; only files that they are of are read.

        Arguments:
            start: offset of the first byte.
            end: offset behind the last one; None for the end of the archive.

        Raises:
            ValueError: the archive has no such bytes.
            SourceChanged: a file is not what it was when this was laid out.
            MemoryfieldError: a file cannot be read.
        """
        stop = self.size if end is None else end
        if not 0 <= start <= stop <= self.size:
            raise ValueError(f"bytes {start} to {stop} of {self.size}")
        return self._pieces(start, stop)

    def _pieces(self, start: int, stop: int) -> Iterator[bytes]:
        number = max(0, bisect_right(self._starts, start) - 1)
        while number < len(self.names) and self._starts[number] < stop:
            at = self._starts[number]
            head = self._heads[number]
            yield from _part(head, at, start, stop)
            at += len(head)
            if start < at + self._sizes[number] and at < stop:
                yield from _part(self._content(number), at, start, stop)
            number += 1
        yield from _part(self._ending, self._ending_at, start, stop)

    def _content(self, number: int) -> bytes:
        name = self.names[number]
        content = self._field.content(name)
        if len(content) != self._sizes[number]:
            raise SourceChanged(
                "changed while the archive was being made",
                location=self._field.location,
                entry=name,
            )
        return content


def canonical_archive(field: Field, *, indexes: bool = False) -> CanonicalArchive:
    """The archive of a field in the form that is the same everywhere (SPEC.md, MF703).

    Arguments:
        field: the field, which stays open; each of its files is read once now, for its checksum.
        indexes: whether the vector indexes are in it, too.

    Raises:
        EmptyField: there is neither page nor attachment.
        PageError: an entry is no regular file (MF105).
        UnsafeArchive: a name must not stand in an archive (MF603).
        MemoryfieldError: a file cannot be read.
    """
    names = names_packed(field, indexes=indexes)
    faults = tuple(fault for name in names for fault in _faults_of(name))
    if faults:
        raise UnsafeArchive(faults, location=field.location)
    return CanonicalArchive(field, names)


def names_packed(field: Field, *, indexes: bool) -> list[str]:
    """The names of what is in the archive of a field, in order.

    Raises:
        PageError: an entry is no regular file (MF105).
        EmptyField: there is neither page nor attachment.
        SourceUnavailable: an index is being written.
    """
    for entry in field.irregular:
        raise field.error_for(entry)
    if not field.pages and not field.attachments:
        raise EmptyField("there is no page and no attachment", location=field.location)
    found = [*field.pages, *field.attachments]
    if indexes:
        for name in field.indexes:
            if not is_side_file(name):
                found.append(name)
            elif field.entries[name].size and not name.endswith("-shm"):
                raise SourceUnavailable(
                    "shows that a program has not finished with the vector index",
                    location=field.location,
                    entry=name,
                    hint="end that program first, or pack without --index",
                )
    return names_in_order(found)


def _part(data: bytes, at: int, start: int, stop: int) -> Iterator[bytes]:
    """What lies between two offsets of bytes that begin at an offset themselves."""
    first, last = max(0, start - at), min(len(data), stop - at)
    for each in range(first, last, _PIECE_BYTES):
        yield data[each : min(each + _PIECE_BYTES, last)]


def _faults_of(name: str) -> Iterator[Fault]:
    problem = path_problem(name)
    try:
        raw = name.encode("utf-8")
    except UnicodeEncodeError:
        problem = problem or "is not UTF-8"
    else:
        if len(raw) > MOST_NAME_BYTES:
            problem = problem or "is too long"
    if problem:
        yield Fault("MF603", f"the name {shown(name)} {problem}", name)

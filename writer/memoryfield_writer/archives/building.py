"""A new archive from an old one and a plan: what is unchanged goes over byte for byte.

An archive in the canonical form stays in it, so that an edited archive is the one that would be
packed from the edited field. Of any other one the order, the methods, the comment and what is no
part of the field stay as they are; what is new comes last.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from memoryfield_readers import DEFAULT_LIMITS, ArchiveImage, ImageEntry, name_key
from memoryfield_readers.canonical_archive import header_of, is_canonical
from memoryfield_readers.canonical_archive.records import (
    CENTRAL_BYTES,
    DEFLATED,
    MAX_32,
    OFFSET_AT,
    OFFSET_END,
    STORED,
    EntryHeader,
    central_record,
    end_records,
    local_record,
    moved_record,
)

from ..plan import Plan, Put
from .canonical import Writable
from .fresh import Entry, entry_of

_LONG: Final = struct.Struct("<L")
_SEE_ZIP64: Final = b"\xff\xff\xff\xff"
_PIECE_BYTES: Final = 1024 * 1024


class Run(NamedTuple):
    """Bytes of the old archive that go over as they are, from an offset up to another one."""

    start: int
    end: int


class Placed(NamedTuple):
    """An entry that was written anew, and where its data begin in the new archive."""

    entry: Entry
    at: int


class Layout(NamedTuple):
    """A new archive, before it is written.

    Attributes:
        pieces: what it consists of, from its first byte to its last.
        paths: the names of its entries, in the order of the central directory.
        placed: the entries that are new in it.
        size: its bytes.
    """

    pieces: tuple[Run | bytes, ...]
    paths: tuple[str, ...]
    placed: tuple[Placed, ...]
    size: int


def build_edited(
    image: ArchiveImage,
    plan: Plan,
    out: Writable,
    *,
    now: datetime | None = None,
    ratio: int = DEFAULT_LIMITS.ratio,
) -> Layout:
    """Write an edited archive.

    Arguments:
        image: the old one; it is read meanwhile.
        plan: what becomes of its files.
        out: where it goes.
        now: the time of what is new, aware of its zone; None for that of the clock. The canonical
            form has one time for all.
        ratio: as `Limits.ratio`: nothing is compressed to less.

    Raises:
        SourceUnavailable: the old one cannot be read.
        OSError: the new one cannot be written.
    """
    layout = laid_out(image, plan, now=now, ratio=ratio)
    for piece in layout.pieces:
        if isinstance(piece, bytes):
            out.write(piece)
            continue
        for at in range(piece.start, piece.end, _PIECE_BYTES):
            out.write(image.read_at(at, min(_PIECE_BYTES, piece.end - at)))
    return layout


def laid_out(
    image: ArchiveImage,
    plan: Plan,
    *,
    now: datetime | None = None,
    ratio: int = DEFAULT_LIMITS.ratio,
) -> Layout:
    """What an edited archive consists of; see `build_edited`. Nothing of the old one is read."""
    canonical = is_canonical(image)
    order = _in_file_order(image.entries)
    places = {entry.path: place for place, entry in enumerate(order) if not entry.folder}
    gone = {places[path] for path in (*plan.removes, *plan.puts) if path in places}
    if canonical:
        puts = [(path, _stored(path, put.content)) for path, put in plan.puts.items()]
        names = [entry.record[CENTRAL_BYTES:] for entry in order]
        new = sorted(
            (bisect_left(names, entry.header.name), entry.header.name, entry) for _, entry in puts
        )
        cuts = [(place, entry) for place, _, entry in new]
    else:
        cuts = _in_their_places(plan, places, order, now or datetime.now(UTC), ratio)
    return _Builder(image, order, canonical=canonical).built(gone, cuts)


class _Builder:
    """Goes through the old archive from front to back, and lays out the new one."""

    def __init__(
        self, image: ArchiveImage, order: Sequence[ImageEntry], *, canonical: bool
    ) -> None:
        self._image = image
        self._canonical = canonical
        self._order = order
        self._pieces: list[Run | bytes] = []
        self._records: list[bytes] = []
        self._paths: list[str] = []
        self._from: list[ImageEntry | None] = []
        self._placed: list[Placed] = []
        self._at = 0

    def built(self, gone: set[int], new: Iterable[tuple[int, Entry]]) -> Layout:
        """The new archive.

        Arguments:
            gone: the places of the entries that are not taken over.
            new: what is written before the entry of a place, or where it was.
        """
        done = 0
        stops: list[tuple[int, Entry | None]] = [(place, None) for place in gone]
        stops += new
        for place, entry in sorted(stops, key=lambda stop: stop[0]):
            if done < place:
                self._keep(done, place)
                done = place
            if entry is None:
                done = max(done, place + 1)
            else:
                self._add(entry, self._order[place] if place in gone else None)
        self._keep(done, len(self._order))
        records, paths = self._in_directory_order()
        directory = b"".join(records)
        end = end_records(len(paths), len(directory), self._at, self._image.comment)
        size = self._at + len(directory) + len(end)
        pieces = (*self._pieces, directory, end)
        return Layout(pieces, tuple(paths), tuple(self._placed), size)

    def _keep(self, first: int, behind: int) -> None:
        """Take over the entries from one place up to another: they lie side by side."""
        kept = self._order[first:behind]
        if not kept:
            return
        run = Run(kept[0].start, kept[-1].end)
        shift = self._at - run.start
        self._pieces.append(run)
        self._at += run.end - run.start
        if shift:
            self._records += _moved(kept, shift, canonical=self._canonical)
        else:
            self._records += [each.record for each in kept]
        self._paths += [each.path for each in kept]
        self._from += kept

    def _add(self, entry: Entry, instead_of: ImageEntry | None) -> None:
        local = local_record(entry.header)
        self._records.append(central_record(entry.header, self._at))
        self._paths.append(entry.path)
        self._from.append(instead_of)
        self._pieces += (local, entry.data)
        self._placed.append(Placed(entry, self._at + len(local)))
        self._at += len(local) + len(entry.data)

    def _in_directory_order(self) -> tuple[list[bytes], list[str]]:
        """Records and names; the central directory may have another order than the entries."""
        entries = self._image.entries
        if self._order is entries:
            return self._records, self._paths
        ranks = {entry.path: rank for rank, entry in enumerate(entries)}
        last = len(ranks)
        rows = sorted(
            zip(self._from, self._records, self._paths, strict=True),
            key=lambda row: last if row[0] is None else ranks[row[0].path],
        )
        return [record for _, record, _ in rows], [path for _, _, path in rows]


def _in_file_order(entries: Sequence[ImageEntry]) -> Sequence[ImageEntry]:
    starts = [entry.start for entry in entries]
    in_order = all(map(int.__lt__, starts, starts[1:]))
    return entries if in_order else sorted(entries, key=lambda entry: entry.start)


def _moved(kept: Sequence[ImageEntry], shift: int, *, canonical: bool) -> list[bytes]:
    """The records of entries that begin elsewhere now."""
    pack = _LONG.pack
    if kept[-1].start < MAX_32 and kept[-1].start + shift < MAX_32:
        offsets = {each.record[OFFSET_AT:OFFSET_END] for each in kept}
        if _SEE_ZIP64 not in offsets:
            return [
                record[:OFFSET_AT] + pack(start + shift) + record[OFFSET_END:]
                for _, _, _, _, _, _, start, _, record in kept
            ]
    if canonical:
        headers = (EntryHeader(name_key(e.path), e.crc, e.size, e.size) for e in kept)
        return [
            central_record(header, each.start + shift)
            for header, each in zip(headers, kept, strict=True)
        ]
    return [moved_record(each.record, each.start + shift) for each in kept]


def _in_their_places(
    plan: Plan,
    places: Mapping[str, int],
    order: Sequence[ImageEntry],
    now: datetime,
    ratio: int,
) -> list[tuple[int, Entry]]:
    """New entries with the places they take: that of what they replace, or were; else the end."""
    usual = _usual_method(order)
    removed = set(plan.removes)
    found: list[tuple[int, Entry]] = []
    for path, put in plan.puts.items():
        place = places.get(path)
        if place is None and put.moved and put.was in removed and put.was not in plan.puts:
            place = places.get(put.was)
        like = _like(put, path, places, order)
        entry = entry_of(
            path,
            put.content,
            usual if like is None else like.method,
            now,
            ratio,
            like=like,
            keep_time=put.moved,
        )
        found.append((len(order) if place is None else place, entry))
    return found


def _like(
    put: Put, path: str, places: Mapping[str, int], order: Sequence[ImageEntry]
) -> ImageEntry | None:
    place = places.get(path if put.was is None else put.was)
    return None if place is None else order[place]


def _usual_method(entries: Iterable[ImageEntry]) -> int:
    methods = [entry.method for entry in entries if not entry.folder]
    return DEFLATED if 2 * methods.count(DEFLATED) > len(methods) else STORED


def _stored(path: str, content: bytes) -> Entry:
    return Entry(path, header_of(path, content), content, content)

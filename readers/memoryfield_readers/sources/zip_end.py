"""Where a ZIP file ends: one end record, and nothing before or after it that hides (MF606)."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import Fault
from . import zip_records as zr
from .not_a_zip import HEAD_BYTES, describe
from .random_access import RandomAccess

_ZIP64_ELSEWHERE = Fault("MF606", "the zip64 end record is not where its locator points")


class Unreadable(Exception):
    """There is no directory to read; the fault says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Ending(NamedTuple):
    """The end of an archive.

    Attributes:
        entries: how many entries the central directory announces.
        start: offset of the central directory in the file.
        size: bytes of the central directory.
        shift: what must be added to the offsets the archive gives (bytes before its start).
        faults: what is wrong all the same.
    """

    entries: int
    start: int
    size: int
    shift: int
    faults: tuple[Fault, ...]


def find_ending(file: RandomAccess) -> Ending:
    """Find the end record and the extent of the central directory.

    Raises:
        Unreadable: the file is no ZIP file, or is cut off.
    """
    at, faults = _find_end_record(file)
    record = zr.end_record(file.read_at(at, zr.END_BYTES))
    directory_end, record, zip64_at = _merge_zip64(file, at, record)
    if record.disk or record.directory_disk or record.entries != record.entries_here:
        raise Unreadable(Fault("MF601", "the archive is one of several volumes"))
    start, shift, more = _find_directory(file, directory_end, record)
    if zip64_at not in (None, directory_end - shift):
        # Others follow the locator, and would find another record there.
        raise Unreadable(_ZIP64_ELSEWHERE)
    return Ending(record.entries, start, record.directory_bytes, shift, (*faults, *more))


def _find_end_record(file: RandomAccess) -> tuple[int, list[Fault]]:
    tail_at = max(0, file.size - zr.END_BYTES - zr.MOST_COMMENT_BYTES)
    tail = file.read_at(tail_at, file.size - tail_at)
    candidates = _occurrences(tail, zr.END_SIGNATURE)
    whole = [c for c in candidates if c + zr.END_BYTES <= len(tail)]
    ends = {c: c + zr.END_BYTES + zr.comment_bytes(tail[c : c + zr.END_BYTES]) for c in whole}
    exact = [c for c in whole if ends[c] == len(tail)]
    if exact:
        hidden = [c for c in candidates if c > exact[0]]
        if not hidden:
            return tail_at + exact[0], []
        what = "a second archive stands in the comment" if len(exact) > 1 else (
            "the comment holds the signature of a second end record"
        )  # fmt: skip
        return tail_at + exact[0], [Fault("MF606", f"{what} of the first")]
    early = [c for c in whole if ends[c] < len(tail)]
    if early:
        after = len(tail) - ends[early[-1]]
        message = f"{after} bytes stand after the end record"
        return tail_at + early[-1], [Fault("MF606", message)]
    if candidates:
        raise Unreadable(
            Fault(
                "MF601",
                "truncated: the end record is cut off",
                hint="download it again and compare the size",
            )
        )
    raise Unreadable(describe(file.read_at(0, HEAD_BYTES), file.size))


def _merge_zip64(
    file: RandomAccess, end_at: int, record: zr.EndRecord
) -> tuple[int, zr.EndRecord, int | None]:
    """Where the central directory must end, the record with zip64 values merged in, and where the
    zip64 end record is said to be, if there is one.
    """
    locator_at = end_at - zr.ZIP64_LOCATOR_BYTES
    locator = file.read_at(locator_at, zr.ZIP64_LOCATOR_BYTES) if locator_at >= 0 else b""
    if locator[:4] != zr.ZIP64_LOCATOR_SIGNATURE:
        return end_at, record, None
    try:
        announced = zr.zip64_end_offset(locator)
        at = locator_at - zr.ZIP64_END_BYTES
        if at < 0:
            raise Unreadable(_ZIP64_ELSEWHERE)
        merged = zr.zip64_end_record(file.read_at(at, zr.ZIP64_END_BYTES), record)
        return at, merged, announced
    except zr.Malformed as error:
        raise Unreadable(Fault("MF606", str(error))) from None


def _find_directory(
    file: RandomAccess, end: int, record: zr.EndRecord
) -> tuple[int, int, list[Fault]]:
    """The start of the central directory, the shift of all offsets, and what is wrong."""
    start = end - record.directory_bytes
    stated = record.directory_offset
    if start == stated:
        return start, 0, []
    if start < 0 or start < stated:
        raise Unreadable(
            Fault(
                "MF601",
                f"{stated - start} bytes are missing: the central directory is not where the "
                "end record says",
                hint="download it again and compare the size",
            )
        )
    empty = record.entries == 0 and record.directory_bytes == 0
    if empty or file.read_at(start, 4) == zr.CENTRAL_SIGNATURE:
        return start, start - stated, [before_archive(file, start - stated)]
    if file.read_at(stated, 4) == zr.CENTRAL_SIGNATURE:
        gap = start - stated
        message = f"{gap} bytes stand between the central directory and the end record"
        return stated, 0, [Fault("MF606", message)]
    raise Unreadable(Fault("MF601", "the central directory is not where the end record says it is"))


def before_archive(file: RandomAccess, count: int) -> Fault:
    """The fault of an archive with bytes before its first entry, which may be an archive."""
    look = min(count, zr.END_BYTES + zr.MOST_COMMENT_BYTES)
    head = file.read_at(count - look, look)
    for at in _occurrences(head, zr.END_SIGNATURE):
        end = at + zr.END_BYTES
        if end <= len(head) and end + zr.comment_bytes(head[at:end]) == len(head):
            return Fault(
                "MF606",
                f"two archives, one after the other: another one of {count} bytes stands before "
                "this one",
            )
    return Fault("MF606", f"{count} bytes stand before the first entry")


def _occurrences(data: bytes, signature: bytes) -> list[int]:
    found: list[int] = []
    at = data.find(signature)
    while at >= 0:
        found.append(at)
        at = data.find(signature, at + 1)
    return found

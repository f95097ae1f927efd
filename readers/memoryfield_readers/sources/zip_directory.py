"""The entries of a ZIP file, each proved to be one thing to every reader (MF603-MF607).

The central directory is parsed strictly, each local header is compared with it, and the entries
must tile the file: no gap, no overlap, nothing before or after. An entry at fault is left out of
`members`; `faults` says why, so that a validator can go on with the rest.
"""

from __future__ import annotations

import calendar
import stat
from collections.abc import Iterator
from typing import NamedTuple

from ..display import shown
from ..errors import Fault
from ..limits import MIB, Limits, raise_limit
from . import zip_records as zr
from .random_access import RandomAccess
from .zip_end import Unreadable, find_ending
from .zip_frames import Candidate, Frame, judge_frame, lay_frames
from .zip_names import decode_names, judge_duplicates, judge_names

STORED = 0
DEFLATED = 8
RATIO_FLOOR_BYTES = 1 * MIB
"""Entries up to this size may be compressed to any ratio: they cannot hurt."""

_METHODS = {
    1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz",
    97: "WavPack", 98: "PPMd", 99: "AES",
}  # fmt: skip
_DOS_VOLUME_LABEL = 0x08
_DOS_FOLDER = 0x10
_NEWEST_VERSION = 45
"""What zip64 needs; readers leave out entries that need more than they know."""
_FIRST_DAY_NS = calendar.timegm((1980, 1, 1, 0, 0, 0)) * 1_000_000_000
_TYPE_NAMES = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


class Member(NamedTuple):
    """One entry that is safe to read.

    Attributes:
        path: its name, without the slash at the end of a folder's.
        folder: whether it stands for a folder.
        method: STORED or DEFLATED.
        crc: the CRC-32 of its content.
        compressed: bytes in the archive.
        size: bytes of its content.
        modified_ns: its timestamp taken as UTC, in nanoseconds since 1970.
        data_at: offset of its compressed bytes in the file; None until its local header is read.
        frame: its span in the file, by which that header is judged.
    """

    path: str
    folder: bool
    method: int
    crc: int
    compressed: int
    size: int
    modified_ns: int
    data_at: int | None
    frame: Frame


class ZipDirectory(NamedTuple):
    """What an archive holds, and what is wrong with it.

    Attributes:
        members: the entries without fault, in the order of the central directory.
        faults: everything that breaks MF601 and MF603-MF609.
    """

    members: tuple[Member, ...]
    faults: tuple[Fault, ...]


def read_directory(file: RandomAccess, limits: Limits, *, strict: bool = True) -> ZipDirectory:
    """List an archive and check its structure; the content of entries is not inflated.

    Arguments:
        file: the archive.
        limits: how much to take.
        strict: whether to read every local header; if not, each must be judged by its frame before
            anything is read of its entry.
    """
    try:
        ending = find_ending(file)
        faults = list(ending.faults)
        if ending.entries > limits.entries:
            raise Unreadable(
                _limit_fault(
                    "entries", f"{ending.entries} entries, over the limit of {limits.entries}"
                )
            )
        if ending.size > limits.directory_bytes:
            raise Unreadable(
                _limit_fault(
                    "directory-bytes",
                    f"a central directory of {ending.size} bytes, over the limit of "
                    f"{limits.directory_bytes}",
                )
            )
        headers = _parse_headers(file.read_at(ending.start, ending.size), ending.entries)
    except Unreadable as error:
        return ZipDirectory((), (error.fault,))
    candidates, name_faults = decode_names(headers, ending.shift)
    faults += name_faults
    # What is too large by itself is told by name, and is not read: it does not count.
    sizes = (candidate.header.size for candidate in candidates)
    total = sum(size for size in sizes if size <= limits.file_bytes)
    if total > limits.total_bytes:
        message = f"{total} bytes in all, over the limit of {limits.total_bytes}"
        of_files = [f for _, f in _judge_sizes(candidates, limits) if f.rule == "MF607"]
        return ZipDirectory((), (*faults, _limit_fault("total-bytes", message), *of_files))
    bad: set[int] = set()
    misplaced: set[int] = set()  # entries of which MF606 has been said
    for index, fault in (
        *judge_names(candidates),
        *judge_duplicates(candidates),
        *_judge_kinds(candidates),
        *_judge_sizes(candidates, limits),
    ):
        bad.add(index)
        if fault is not None:
            faults.append(fault)
            if fault.rule == "MF606":
                misplaced.add(index)
    members: dict[int, Member] = {}
    for index, frame in lay_frames(file, candidates, ending.start, ending.shift):
        judged: Fault | int | None = None
        if isinstance(frame, Frame):
            judged = judge_frame(file, frame) if strict else None
            if not isinstance(judged, Fault) and index not in bad:
                members[index] = _member(candidates[index], judged, frame)
        found = judged if isinstance(frame, Frame) else frame
        if isinstance(found, Fault) and index not in misplaced:
            faults.append(found)
    return ZipDirectory(tuple(members[index] for index in sorted(members)), tuple(faults))


def _parse_headers(data: bytes, announced: int) -> list[zr.CentralHeader]:
    headers: list[zr.CentralHeader] = []
    view = memoryview(data)
    at = 0
    try:
        while at < len(data):
            if len(headers) == announced:
                raise _another_count(announced, "more")
            header = zr.central_header(view, at)
            headers.append(header)
            at += header.record_bytes
    except zr.Malformed as error:
        raise Unreadable(Fault("MF601", str(error))) from None
    if len(headers) != announced:
        raise _another_count(announced, str(len(headers)))
    return headers


def _another_count(announced: int, found: str) -> Unreadable:
    message = f"the end record announces {announced} entries, the central directory has {found}"
    return Unreadable(Fault("MF606", message))


def _judge_kinds(candidates: list[Candidate]) -> Iterator[tuple[int, Fault]]:
    for index, candidate in enumerate(candidates):
        header, path, folder = candidate.header, candidate.path, candidate.folder
        problem = _kind_problem(header, folder)
        if problem:
            yield index, Fault("MF605", f"{shown(path)} {problem}", candidate.name)


def _kind_problem(header: zr.CentralHeader, folder: bool) -> str:
    if header.flags & (zr.ENCRYPTED | zr.STRONG_ENCRYPTION | zr.MASKED):
        return "is encrypted"
    if header.method not in (STORED, DEFLATED):
        name = _METHODS.get(header.method, "unknown")
        return (
            f"is compressed by method {header.method} ({name}); only stored and deflate are allowed"
        )
    if header.flags & zr.PATCHED:
        return "is patch data"
    if header.version > _NEWEST_VERSION:
        major, minor = divmod(header.version, 10)
        return f"needs version {major}.{minor} of the ZIP format; what is allowed here needs 4.5"
    if header.attributes & _DOS_VOLUME_LABEL:
        return "is marked as a volume label, which some readers leave out"
    kind = stat.S_IFMT(header.attributes >> 16)
    if kind in _TYPE_NAMES:
        return f"is {_TYPE_NAMES[kind]}"
    if (kind == stat.S_IFDIR or header.attributes & _DOS_FOLDER) and not folder:
        return "is marked as a folder, but named as a file"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return f"is no regular file (type {kind:o})"
    return ""


def _judge_sizes(candidates: list[Candidate], limits: Limits) -> Iterator[tuple[int, Fault]]:
    for index, candidate in enumerate(candidates):
        header, path, folder = candidate.header, candidate.path, candidate.folder
        if folder and header.size:
            message = f"the folder {shown(path)} carries data"
            yield index, Fault("MF606", message, candidate.name)
        elif header.method == STORED and header.size != header.compressed:
            message = f"{shown(path)} is stored, but its two sizes differ"
            yield index, Fault("MF606", message, candidate.name)
        if header.size > limits.file_bytes:
            message = (
                f"{shown(path)} has {header.size} bytes, over the limit of {limits.file_bytes}"
            )
            yield index, _limit_fault("file-bytes", message, candidate.name)
        elif header.size > max(RATIO_FLOOR_BYTES, header.compressed * limits.ratio):
            message = (
                f"{shown(path)} inflates from {header.compressed} to {header.size} bytes, "
                f"more than {limits.ratio} to 1"
            )
            yield index, _limit_fault("ratio", message, candidate.name)


def _member(candidate: Candidate, data_at: int | None, frame: Frame) -> Member:
    header = candidate.header
    return Member(
        candidate.path,
        candidate.folder,
        header.method,
        header.crc,
        header.compressed,
        header.size,
        _modified_ns(header.date, header.time),
        data_at,
        frame,
    )


def _modified_ns(date: int, time: int) -> int:
    """An MS-DOS timestamp taken as UTC; one that no calendar has is 1980-01-01."""
    year, month, day = 1980 + (date >> 9), date >> 5 & 15, date & 31
    hour, minute, second = time >> 11, time >> 5 & 63, (time & 31) * 2
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]:
        return _FIRST_DAY_NS
    if hour > 23 or minute > 59 or second > 59:
        hour = minute = second = 0
    return calendar.timegm((year, month, day, hour, minute, second)) * 1_000_000_000


def _limit_fault(limit: str, message: str, path: str | None = None) -> Fault:
    return Fault("MF607", message, path, hint=raise_limit(limit))

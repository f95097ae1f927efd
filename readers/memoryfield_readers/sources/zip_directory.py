"""The entries of a ZIP file, each proved to be one thing to every reader (MF603-MF607).

The central directory is parsed strictly, each local header is compared with it, and the entries
must tile the file: no gap, no overlap, nothing before or after. An entry at fault is left out of
`members`; `faults` says why, so that a validator can go on with the rest.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from typing import NamedTuple

from ..display import shown
from ..errors import Fault
from ..limits import Limits, raise_limit
from . import zip_records as zr
from .random_access import RandomAccess
from .zip_end import Ending, Unreadable, find_ending
from .zip_frames import Candidate, Frame, judge_frame, lay_frames
from .zip_member import (
    DEFLATED,
    DOS_FOLDER,
    DOS_VOLUME_LABEL,
    NEWEST_VERSION,
    RATIO_FLOOR_BYTES,
    STORED,
    Member,
    modified_ns,
)
from .zip_names import decode_names, judge_duplicates, judge_names
from .zip_plain import plain_members

_METHODS = {
    1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz",
    97: "WavPack", 98: "PPMd", 99: "AES",
}  # fmt: skip
_TYPE_NAMES = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


class ZipDirectory(NamedTuple):
    """What an archive holds, and what is wrong with it.

    Attributes:
        members: the entries without fault, in the order of the central directory.
        faults: everything that breaks MF601 and MF603-MF609.
        directory_at: offset of the central directory; None if there is none to read.
        records: the bytes of the central directory.
    """

    members: tuple[Member, ...]
    faults: tuple[Fault, ...]
    directory_at: int | None = None
    records: bytes = b""


def read_directory(
    file: RandomAccess, limits: Limits, *, strict: bool = True, careful: bool = False
) -> ZipDirectory:
    """List an archive and check its structure; the content of entries is not inflated.

    Arguments:
        file: the archive.
        limits: how much to take.
        strict: whether to read every local header; if not, each must be judged by its frame before
            anything is read of its entry.
        careful: whether to take no short way with a plain archive; what is found is the same.
    """
    try:
        ending = find_ending(file)
        _check_extent(ending, limits)
        records = file.read_at(ending.start, ending.size)
        if strict and not careful:
            members = plain_members(file, ending, records, limits)
            if members is not None:
                return ZipDirectory(members, (), ending.start, records)
        headers = _parse_headers(records, ending.entries)
    except Unreadable as error:
        return ZipDirectory((), (error.fault,))
    members, faults = _judged(file, ending, headers, limits, strict=strict)
    return ZipDirectory(members, faults, ending.start, records)


def _check_extent(ending: Ending, limits: Limits) -> None:
    """Refuse to read a central directory that is larger than the limits allow."""
    if ending.entries > limits.entries:
        message = f"{ending.entries} entries, over the limit of {limits.entries}"
        raise Unreadable(_limit_fault("entries", message))
    if ending.size > limits.directory_bytes:
        message = (
            f"a central directory of {ending.size} bytes, over the limit of "
            f"{limits.directory_bytes}"
        )
        raise Unreadable(_limit_fault("directory-bytes", message))


def _judged(
    file: RandomAccess,
    ending: Ending,
    headers: list[zr.CentralHeader],
    limits: Limits,
    *,
    strict: bool,
) -> tuple[tuple[Member, ...], tuple[Fault, ...]]:
    """The entries without fault, and the faults; see `read_directory`."""
    candidates, name_faults = decode_names(headers, ending.shift)
    faults = [*ending.faults, *name_faults]
    # What is too large by itself is told by name, and is not read: it does not count.
    sizes = (candidate.header.size for candidate in candidates)
    total = sum(size for size in sizes if size <= limits.file_bytes)
    if total > limits.total_bytes:
        message = f"{total} bytes in all, over the limit of {limits.total_bytes}"
        of_files = [f for _, f in _judge_sizes(candidates, limits) if f.rule == "MF607"]
        return (), (*faults, _limit_fault("total-bytes", message), *of_files)
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
        if isinstance(frame, Fault):
            found: Fault | int | Frame = frame
        else:
            found = judge_frame(file, frame) if strict else frame
            if not isinstance(found, Fault) and index not in bad:
                members[index] = _member(found, frame)
        if isinstance(found, Fault) and index not in misplaced:
            faults.append(found)
    return tuple(members[index] for index in sorted(members)), tuple(faults)


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
    if header.version > NEWEST_VERSION:
        major, minor = divmod(header.version, 10)
        return f"needs version {major}.{minor} of the ZIP format; what is allowed here needs 4.5"
    if header.attributes & DOS_VOLUME_LABEL:
        return "is marked as a volume label, which some readers leave out"
    kind = stat.S_IFMT(header.attributes >> 16)
    if kind in _TYPE_NAMES:
        return f"is {_TYPE_NAMES[kind]}"
    if (kind == stat.S_IFDIR or header.attributes & DOS_FOLDER) and not folder:
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


def _member(data_at: int | Frame, frame: Frame) -> Member:
    candidate, (start, end) = frame.candidate, frame.span
    header = candidate.header
    return Member(
        candidate.path,
        candidate.folder,
        header.method,
        header.crc,
        header.compressed,
        header.size,
        modified_ns(header.date, header.time),
        start,
        end,
        data_at,
    )


def _limit_fault(limit: str, message: str, path: str | None = None) -> Fault:
    return Fault("MF607", message, path, hint=raise_limit(limit))

"""The place of each entry in a ZIP file: what its local header says, and what it spans (MF606)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..display import shown
from ..errors import Fault
from . import zip_records as zr
from .random_access import RandomAccess
from .zip_end import before_archive

_EMPTY_DEFLATED = b"\x03\x00"
_SCAN_BYTES = 256 * 1024


class Candidate(NamedTuple):
    """An entry of the central directory that is not judged yet.

    Attributes:
        header: what the directory says of it.
        path: its name, without the slash at the end of a folder's.
        cp437_path: the same to a reader that takes a name not marked as UTF-8 for CP437.
        folder: whether it stands for a folder.
        at: offset of its local header in the file.
        name_problem: why the bytes of its name cannot be its path; then `path` only shows them.
    """

    header: zr.CentralHeader
    path: str
    cp437_path: str
    folder: bool
    at: int
    name_problem: str

    @property
    def name(self) -> str:
        """Its name as it is decoded, with the slash of a folder's."""
        return f"{self.path}/" if self.folder else self.path


class Frame(NamedTuple):
    """The span of an entry: its local header, its data, and a data descriptor perhaps.

    Attributes:
        candidate: the entry.
        end: offset at which the next entry or the central directory begins.
        following: the next entry, or None before the central directory.
    """

    candidate: Candidate
    end: int
    following: Candidate | None

    @property
    def span(self) -> tuple[int, int]:
        """The offsets at which it begins and ends."""
        return self.candidate.at, self.end


def lay_frames(
    file: RandomAccess, candidates: list[Candidate], directory_at: int, shift: int
) -> Iterator[tuple[int, Fault | Frame]]:
    """The span of each entry that the central directory gives one name: no gaps between them.

    Yields for each entry its index and its frame, or what is wrong with it; for a fault of the
    whole archive the index is -1. No local header is read.
    """
    order: list[int] = []
    for index, candidate in enumerate(candidates):
        if candidate.at + zr.LOCAL_BYTES <= directory_at:
            order.append(index)
            continue
        message = f"{shown(candidate.path)}: its local header would lie beyond the entries"
        yield index, Fault("MF606", message, candidate.name)
    order.sort(key=lambda index: candidates[index].at)
    first = candidates[order[0]].at if order else directory_at
    if first > shift and (order or not candidates):
        yield -1, before_archive(file, first)
    for place, index in enumerate(order):
        candidate = candidates[index]
        following = candidates[order[place + 1]] if place + 1 < len(order) else None
        end = following.at if following else directory_at
        if zr.LOCAL_BYTES + candidate.header.compressed > end - candidate.at:
            yield index, _fault(candidate, f"overlaps {_behind(following)}")
        elif problem := _extra_problem(candidate.header.extra, candidate):
            yield index, _fault(candidate, problem)
        else:
            yield index, Frame(candidate, end, following)


def judge_frame(file: RandomAccess, frame: Frame) -> Fault | int:
    """The offset of an entry's data, if its local header agrees and all of it fills its span."""
    try:
        return _check_frame(file, *frame)
    except zr.Malformed as error:
        return _fault(frame.candidate, str(error))


def _fault(candidate: Candidate, problem: str) -> Fault:
    return Fault("MF606", f"{shown(candidate.path)}: {problem}", candidate.name)


def _behind(following: Candidate | None) -> str:
    return f"the next one, {shown(following.path)}" if following else "the central directory"


def _check_frame(
    file: RandomAccess, candidate: Candidate, end: int, following: Candidate | None
) -> int:
    """The offset of an entry's data, once its local header, data and descriptor fill its span."""
    header = candidate.header
    room = end - candidate.at  # no more is read, so that overlapping entries cost nothing
    behind = _behind(following)
    # One read does for nearly every header; a longer one is read again, whole.
    usual = zr.LOCAL_BYTES + len(header.raw_name) + 64
    data = file.read_at(candidate.at, min(usual, room))
    total = zr.local_header_bytes(data)
    if total > room:
        raise zr.Malformed(f"overlaps {behind}")
    if total > len(data):
        data = file.read_at(candidate.at, total)
    local = zr.local_header(data)
    _compare(local, candidate)
    if total + header.compressed > room:
        raise zr.Malformed(f"overlaps {behind}")
    data_at = candidate.at + total
    rest_at = data_at + header.compressed
    if candidate.folder and header.compressed:
        empty = file.read_at(data_at, len(_EMPTY_DEFLATED)) == _EMPTY_DEFLATED
        if not empty or header.compressed != len(_EMPTY_DEFLATED):
            raise zr.Malformed("it is a folder, but carries data")
    if local.flags & zr.HAS_DESCRIPTOR:
        _check_descriptor(file, local, header, rest_at, end)
    elif rest_at < end:
        raise zr.Malformed(f"{end - rest_at} bytes that belong to no entry follow it")
    return data_at


def _check_descriptor(
    file: RandomAccess, local: zr.LocalHeader, header: zr.CentralHeader, at: int, end: int
) -> None:
    if header.method == 0 and _holds_signature(file, at - header.compressed, at):
        raise zr.Malformed(
            "it is stored, its size stands behind its data, and the data hold the signature of a "
            "record: who reads the archive as a stream may take it to end there"
        )
    rest = file.read_at(at, end - at) if end - at <= zr.MOST_DESCRIPTOR_BYTES else b""
    if not zr.descriptor_matches(
        rest, header.crc, header.compressed, header.size, zip64=local.extra.zip64
    ):
        raise zr.Malformed("its data descriptor is missing or disagrees with the directory")
    if header.method == 0 and not rest.startswith(zr.DESCRIPTOR_SIGNATURE):
        raise zr.Malformed(
            "it is stored, and its data descriptor has no signature: who reads the archive as a "
            "stream cannot tell where the data end"
        )


def _holds_signature(file: RandomAccess, start: int, end: int) -> bool:
    """Whether bytes of the file hold the signature of any record of a ZIP file."""
    overlap = zr.SIGNATURE_BYTES - 1
    for at in range(start, end, _SCAN_BYTES):
        data = file.read_at(at, min(_SCAN_BYTES + overlap, end - at))
        if any(signature in data for signature in zr.SIGNATURES):
            return True
    return False


def _compare(local: zr.LocalHeader, candidate: Candidate) -> None:
    header = candidate.header
    if local.raw_name != header.raw_name:
        name = local.raw_name.decode("utf-8", "backslashreplace")
        raise zr.Malformed(f"its local header names another file, {shown(name)}")
    if problem := _extra_problem(local.extra, candidate):
        raise zr.Malformed(problem)
    if local.method != header.method:
        raise zr.Malformed("its local header says another compression method")
    if local.flags != header.flags:
        raise zr.Malformed("the flags of its local header differ from the directory's")
    values = (local.crc, local.compressed, local.size)
    known = (header.crc, header.compressed, header.size)
    later = bool(local.flags & zr.HAS_DESCRIPTOR)
    for name, value, expected in zip(
        ("CRC", "compressed size", "size"), values, known, strict=True
    ):
        if value != expected and not (later and value == 0):
            raise zr.Malformed(f"its local header says another {name}")


def _extra_problem(extra: zr.ExtraFields, candidate: Candidate) -> str:
    """Why some readers may see another file by the extra fields of a header; "" if none does."""
    if extra.unknown is not None:
        field = f"0x{extra.unknown:04x}"
        return f"it has an extra field {field}, by which some readers may see another file"
    path = extra.unicode_path
    if path == b"":
        return "a Unicode path field gives it no name"
    if path is not None and path != candidate.name.encode("utf-8", "surrogateescape"):
        name = path.decode("utf-8", "backslashreplace")
        return f"a Unicode path field gives it another name, {shown(name)}"
    return ""

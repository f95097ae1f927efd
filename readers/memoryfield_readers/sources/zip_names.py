"""The names of entries of a ZIP file: plain relative paths, each for one thing (MF603, MF604)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from ..display import shown
from ..errors import Fault
from . import zip_records as zr
from .zip_frames import Candidate

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile("[A-Za-z]:")


def decode_names(
    headers: list[zr.CentralHeader], shift: int
) -> tuple[list[Candidate], list[Fault]]:
    """The entries by name, and those whose names are not told to be UTF-8 (MF609).

    Without the mark a name is UTF-8 if it can be, else CP437.
    """
    candidates: list[Candidate] = []
    faults: list[Fault] = []
    for header in headers:
        raw = header.raw_name
        marked = bool(header.flags & zr.UTF8_NAME)
        problem = ""
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            problem = "is marked as UTF-8, but is not valid UTF-8" if marked else ""
            name = raw.decode("utf-8", "replace") if marked else raw.decode("cp437")
        if not raw.isascii() and not marked:
            faults.append(
                Fault(
                    "MF609",
                    f"the name {shown(name)} is neither plain ASCII nor marked as UTF-8",
                    name,
                )
            )
        other = name if marked or raw.isascii() else raw.decode("cp437")
        folder = name.endswith("/")
        path, other = (name[:-1], other[:-1]) if folder else (name, other)
        at = header.offset + shift
        candidates.append(Candidate(header, path, other, folder, at, problem))
    return candidates, faults


def judge_names(candidates: list[Candidate]) -> Iterator[tuple[int, Fault]]:
    """Names that are no plain relative path (MF603), by index."""
    for index, candidate in enumerate(candidates):
        name = candidate.name
        problem = candidate.name_problem or path_problem(candidate.path)
        if problem:
            yield index, Fault("MF603", f"the name {shown(name)} {problem}", name)


def path_problem(path: str) -> str:
    """What keeps a path from standing in an archive (MF603), as the end of "the name …"; or ""."""
    if not path:
        return "is empty"
    if _CONTROL.search(path):
        return "holds a NUL or control character"
    if "\\" in path:
        return "holds a backslash"
    if path[0] == "/":
        return "is an absolute path"
    if _DRIVE.match(path):
        return "begins with a drive"
    for component in path.split("/"):
        if component == "..":
            return "climbs out with `..`"
        if component in ("", "."):
            return "has an empty or `.` component"
    return ""


def judge_duplicates(candidates: list[Candidate]) -> Iterator[tuple[int, Fault | None]]:
    """Names that stand for two things; the fault is told once a name."""
    counts: Counter[str] = Counter()
    to_others: dict[str, str] = {}  # what some readers call an entry, to what it is called here
    for each in candidates:
        if not each.name_problem:
            counts.update({each.path, each.cp437_path})
            if each.path != each.cp437_path:
                to_others[each.cp437_path] = each.path
    in_order = sorted(counts) if any("/" in path for path in counts) else []
    told: set[str] = set()
    for index, (_, path, other, folder, _, name_problem) in enumerate(candidates):
        if name_problem:
            continue
        name = path if counts[path] > 1 else other
        if counts[name] > 1 and name in to_others:
            own = shown(to_others[name])
            message = f"{own} is {shown(name)} to some readers, like another entry"
        elif counts[name] > 1:
            message = f"{counts[name]} entries are named {shown(name)}"
        elif in_order and not folder and _is_folder_too(path, in_order):
            message = f"{shown(path)} is both a file and a folder"
        else:
            continue
        yield index, None if name in told else Fault("MF604", message, name)
        told.add(name)


def _is_folder_too(path: str, in_order: list[str]) -> bool:
    inside = path + "/"
    at = bisect_left(in_order, inside)
    return at < len(in_order) and in_order[at].startswith(inside)

"""A reader of snapshots that knows no more than what the notice in each of them says."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(
    r"memoryfield-snapshot 1\n(?:name: (?P<name>\S.*)\n)?"
    r"digest: (?P<digest>field-sha256:[0-9a-f]{64})\n"
    r"pages: (?P<included>\d+) of (?P<total>\d+)\nnotice: .+\n\n"
)
_BEGIN = re.compile(
    r"===== page (?P<name>.+) sha256:(?P<sha256>[0-9a-f]{64}) bytes:(?P<size>\d+)(?P<mark>.*)\n"
)
_LIST = re.compile(r"===== left out: (?P<number>\d+)\n(?P<lines>(?:.+\n)*)===== end of snapshot\n")


@dataclass
class Seen:
    """What stands in a snapshot.

    Attributes:
        digest: the field pin.
        name: what the field is called, as it stands there.
        pages: for each page its name, hash, size, mark and text, as they stand there.
        left_out: how many pages are not in it.
        lines: the lines of those that are listed.
    """

    digest: str
    name: str | None
    pages: list[tuple[str, str, int, str, str]]
    left_out: int
    lines: list[str]


def seen(text: str) -> Seen:
    """Read a snapshot; whatever is out of place fails."""
    header = _HEADER.match(text)
    assert header is not None, text[:200]
    at, pages = header.end(), []
    while begin := _BEGIN.match(text, at):
        end = f"\n===== end {begin['sha256']}\n"
        stop = text.index(end, begin.end() - 1)
        content = text[begin.end() : stop + 1]
        size, mark = int(begin["size"]), begin["mark"]
        pages.append((begin["name"], begin["sha256"], size, mark, content))
        at = stop + len(end)
    listed = _LIST.fullmatch(text, at)
    assert listed is not None, text[at : at + 200]
    number, total = int(listed["number"]), int(header["total"])
    assert len(pages) == int(header["included"]) == total - number
    lines = listed["lines"].split("\n")[:-1]
    return Seen(header["digest"], header["name"], pages, number, lines)

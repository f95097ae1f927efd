"""A snapshot read back: what it says that it is of, and whether its texts are what they should be.

A snapshot lies in a file between two runs, where anyone may have edited it: it is checked as
strictly as anything that comes from elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from memoryfield_readers import LocationError, MemoryfieldError, shown

from .text_form import END, FIRST_LINE, LAST_LINE, NOT_UTF8, NOTICE

_HEX = "[0-9a-f]{64}"
_COUNT = "(0|[1-9][0-9]{0,8})"
_DIGEST = re.compile(rf"digest: (field-sha256:{_HEX})")
_NAMED = re.compile(r'name: (?P<name>"(?:[^"\\]|\\.)*"|[A-Za-z0-9._-]+)')
_PAGES = re.compile(rf"pages: {_COUNT} of {_COUNT}")
_LEFT_OUT = re.compile(rf"===== left out: {_COUNT}")
_DESCRIBED = (
    r'(?P<name>"(?:[^"\\]|\\.)+"|[A-Za-z0-9._-]+) '
    rf"sha256:(?P<sha256>{_HEX}) bytes:(?P<size>0|[1-9][0-9]{{0,11}})"
)
_PAGE = re.compile(rf"===== page {_DESCRIBED}(?P<mark>{re.escape(NOT_UTF8)})?")
_LISTED = re.compile(rf"{_DESCRIBED} [^\n]*")


class NotASnapshot(LocationError):
    """The text is no snapshot, or was cut, or does not agree with itself."""


class AlteredSnapshot(MemoryfieldError):
    """The snapshot has a text that is not what its hash says, or is not of the field it names."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Listed:
    """A page that a snapshot names.

    Attributes:
        name: its file name.
        sha256: of its bytes, in hexadecimal.
        size: its bytes.
        in_full: whether its text is in the snapshot.
        unproved: the text shown, without its last line end, of a page that is not UTF-8: its hash
            cannot be made from that; None for all others.
    """

    name: str
    sha256: str
    size: int
    in_full: bool
    unproved: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a snapshot says that it is of.

    Attributes:
        digest: the field pin.
        pages: the pages that it names, each once.
        total: how many pages the field had.
        name: what it calls the field; None for nothing.
        text: all of it, as it was read.
    """

    digest: str
    pages: tuple[Listed, ...]
    total: int
    name: str | None
    text: str


def parse(text: str) -> Recorded:
    """What a snapshot says that it is of; each text in it is held against its hash.

    That the pages are those of the digest, `check` says.

    Arguments:
        text: all of it, with the line ends as they are.

    Raises:
        NotASnapshot: it is none, or was cut or changed.
        AlteredSnapshot: a text is not what its hash says, or the notice is another one.
    """
    lines = iter(text.split("\n"))
    if next(lines) != FIRST_LINE:
        raise NotASnapshot("is no snapshot: its first line is another one")
    digest, included, total, called = _read_header(lines)
    pages: list[Listed] = []
    for line in lines:
        if found := _PAGE.fullmatch(line):
            pages.append(_page(found, lines))
        elif found := _LEFT_OUT.fullmatch(line):
            in_list = list(_list(lines))
            names = {page.name for page in (*pages, *in_list)}
            if (
                len(names) == len(pages) + len(in_list)
                and (len(pages), len(pages) + int(found[1])) == (included, total)
                and len(in_list) <= int(found[1])
                and not any(lines)  # nothing follows
            ):
                return Recorded(digest, (*pages, *in_list), total, called, text)
            break
        else:
            break
    raise _not_whole()


def _not_whole() -> NotASnapshot:
    return NotASnapshot("is no whole snapshot: it was cut or changed")


def _read_header(lines: Iterator[str]) -> tuple[str, int, int, str | None]:
    """The digest, how many pages are in it and of how many, and its name; up to the empty line."""
    digest = counts = called = notice = None
    for line in lines:
        if not line:
            break
        if digest is None and (found := _DIGEST.fullmatch(line)):
            digest = found[1]
        elif counts is None and (found := _PAGES.fullmatch(line)):
            counts = int(found[1]), int(found[2])
        elif called is None and (found := _NAMED.fullmatch(line)):
            called = _name(found)
        elif notice is None and line.startswith("notice: "):
            notice = line.removeprefix("notice: ")
        else:
            raise _not_whole()
    if digest is None or counts is None:
        raise NotASnapshot("is no snapshot: its header has no digest, or no number of pages")
    if notice != NOTICE:
        raise AlteredSnapshot("was altered: its notice is another one")
    return digest, *counts, called


def _page(found: re.Match[str], lines: Iterator[str]) -> Listed:
    """A page, and its text up to the line that ends it, which is held against the hash."""
    name, digest, size = _name(found), found["sha256"], int(found["size"])
    content: list[str] = []
    for line in lines:
        if line == END + digest:
            break
        content.append(line)
    else:
        raise _not_whole()
    text = "\n".join(content)
    if found["mark"]:
        return Listed(name, digest, size, in_full=True, unproved=text)
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) != size:
        raw += b"\n"  # the line end before the last line is the page's own, if it had one
    if len(raw) != size or sha256(raw).hexdigest() != digest:
        raise AlteredSnapshot(f"was altered: the text of {shown(name)} is not what its hash says")
    return Listed(name, digest, size, in_full=True)


def _list(lines: Iterator[str]) -> Iterator[Listed]:
    for line in lines:
        if line == LAST_LINE:
            return
        if (found := _LISTED.fullmatch(line)) is None:
            break
        yield Listed(_name(found), found["sha256"], int(found["size"]), in_full=False)
    raise _not_whole()


def _name(found: re.Match[str]) -> str:
    name = found["name"]
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name))
    except ValueError:
        raise NotASnapshot("is no snapshot: a name in it is none") from None

"""Pages whose names break the rule, renamed, and the links that lead to them (MF201)."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote

from memoryfield_readers import Field, is_page_name, read_frontmatter
from memoryfield_readers.markdown.links import Link, links
from memoryfield_readers.markdown.targets import relative_target

from ..naming import conforming_name
from .linked import linked_names
from .splices import Splice, text_of

_NO_LETTERS = conforming_name("")
"""What a name becomes of which nothing is left."""

_CONFLICTED_COPY = re.compile("conflicted copy", re.ASCII | re.IGNORECASE)
_RESERVED = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9])\.md")
"""Page names that Windows keeps for devices (MF107)."""

_MOST_NAME = 100
_END_OF_PATH = re.compile("[?#]")
_KEPT_IN_SUFFIX = "?#/:@!$'*+,;=~-._%"


def renames(field: Field) -> dict[str, str]:
    """The new name of each page whose name breaks MF201 and has one right answer.

    It has none where letters would be lost, where the new name is taken or reserved, and where two
    pages would get the same one; names are compared as file systems do that ignore case. Links
    and what links lead to keep their names: a link can be read by others than us.
    """
    linked = linked_names(field)
    planned = {
        name: better
        for name in field.pages
        if not is_page_name(name) and name not in linked and (better := _better(name)) is not None
    }
    if not planned:
        return {}
    holders: dict[str, set[str]] = defaultdict(set)
    irregular = (entry.path for entry in field.irregular)
    for name in (*field.entries, *field.folders, *field.debris, *irregular):
        holders[_as_compared(name.rstrip("/"))].add(name)
    for name, better in planned.items():
        holders[_as_compared(better)].add(name)
    return {
        name: better for name, better in planned.items() if holders[_as_compared(better)] == {name}
    }


def link_splices(raw: bytes, new_names: Mapping[str, str]) -> dict[str, list[Splice]]:
    """What lets the links of a page's body lead to the new names of pages, by their old names."""
    if b"](" not in raw and b"]:" not in raw:
        return {}
    text = text_of(raw)
    start = read_frontmatter(text).body_offset
    found: dict[int, tuple[str, Splice]] = {}  # a definition can look like an inline link, too
    for link in links(text[start:]):
        name = relative_target(link.target) or ""
        if name in new_names:
            at, end = start + link.offset, start + link.end
            target = _new_target(text[at:end], link, new_names[name])
            found[at] = name, Splice(at, end, target)
    splices: dict[str, list[Splice]] = defaultdict(list)
    for name, splice in found.values():
        splices[name].append(splice)
    return splices


def _better(name: str) -> str | None:
    """The conforming name, if it says the same as the name and a file can have it everywhere."""
    better = conforming_name(name)
    if _CONFLICTED_COPY.search(name) or _RESERVED.fullmatch(better) or len(name) > _MOST_NAME:
        return None
    letters = {c for c in name.removesuffix(".md") if c.isalnum() or "\ud800" <= c <= "\udfff"}
    return better if letters and all(map(_is_kept, letters)) else None


@lru_cache(maxsize=1024)
def _is_kept(letter: str) -> bool:
    return letter.isascii() or conforming_name(letter) != _NO_LETTERS


def _as_compared(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _new_target(raw: str, link: Link, better: str) -> str:
    """The target as it is written, with another file name; folders, query and fragment are kept."""
    if "&" in raw:  # a character reference may hold a `#` that is none
        cut = _END_OF_PATH.search(link.target)
        return better + (quote(link.target[cut.start() :], _KEPT_IN_SUFFIX) if cut else "")
    cut = _END_OF_PATH.search(raw)
    path, suffix = (raw[: cut.start()], raw[cut.start() :]) if cut else (raw, "")
    folder, slash, last = path.rpartition("/")
    if last in ("", ".", ".."):
        return better + suffix
    return folder + slash + better + suffix

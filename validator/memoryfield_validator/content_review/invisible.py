"""Runs of characters that cannot be seen or that change the direction of text (MF801)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memoryfield_readers import shown

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_CANDIDATES = re.compile(
    "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb"
    f"{_TAGS}{_SELECTORS}]+"
)
_FLAG = "\U0001f3f4"
_FLAG_REGIONS = re.compile(
    "(?:{})\U000e007f".format(
        "|".join(
            "".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls")
        )
    )
)
_SELECTOR_RUN = re.compile(f"[{_SELECTORS}]{{2,}}")
_TAG_TEXT = re.compile("[\U000e0020-\U000e007e]{2,}")
_JOINERS = "\u200c\u200d"
_JOINER = "\u200d"
_EMOJI_SELECTOR = "\ufe0f"
_JOINED_LETTERS = frozenset({"Lo", "Mn", "Mc"})
_EMOJI = range(0x1F000, 0x1FC00)
_MOST_NAMED = 4
_SHORT = 64


class Run(NamedTuple):
    """Such characters in a row: their text and the offset at which they begin."""

    offset: int
    text: str


def invisible_runs(text: str) -> Iterator[Run]:
    """The runs of such characters that are not exempt, in the order of the text."""
    if text.isascii():
        return
    for chunk in _CANDIDATES.finditer(text):
        start = None
        exempt = _exempt(text, chunk)
        for offset in range(chunk.start(), chunk.end()):
            if offset in exempt:
                if start is not None:
                    yield Run(start, text[start:offset])
                start = None
            elif start is None:
                start = offset
        if start is not None:
            yield Run(start, text[start : chunk.end()])


def described(run: Run) -> str:
    """A run as code points and names, and the text that is hidden in it, if there is some."""
    is_short = len(run.text) <= _SHORT
    return _described(run.text) if is_short else _described.__wrapped__(run.text)


@lru_cache(maxsize=256)
def _described(text: str) -> str:
    """What is said of a run; of those that a hostile page repeats, it is worked out once."""
    characters = list(dict.fromkeys(text))
    names = ", ".join(map(_named, characters[:_MOST_NAMED]))
    more = len(characters) - _MOST_NAMED
    rest = f" and {more} others" if more > 0 else ""
    count = f"{len(text)} characters in a row: " if len(text) > 1 else ""
    return f"{count}{names}{rest}{_hidden_text(text)}"


def _exempt(text: str, chunk: re.Match[str]) -> set[int]:
    """The offsets in a row of candidates that are honest where they stand."""
    start, end = chunk.span()
    exempt: set[int] = set()
    if text[start - 1 : start] == _FLAG:
        region = _FLAG_REGIONS.match(text, start)
        if region:
            exempt.update(range(start, region.end()))
    runs = {at for run in _SELECTOR_RUN.finditer(text, start, end) for at in range(*run.span())}
    for offset in range(start, end):
        character = text[offset]
        if _is_selector(character):
            if offset not in runs:
                exempt.add(offset)
        elif character in _JOINERS and _joins(text, offset):
            exempt.add(offset)
    return exempt


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _joins(text: str, offset: int) -> bool:
    """Whether a joiner stands between two letters that may need it, or between emoji."""
    before, after = text[offset - 1 : offset], text[offset + 1 : offset + 2]
    if not before or not after:
        return False
    kinds = _category(before), _category(after)
    if _JOINED_LETTERS.issuperset(kinds):
        return not _is_selector(before) and not _is_selector(after)
    if text[offset] != _JOINER or kinds[1] != "So":
        return False
    return kinds[0] in ("So", "Sk") or before == _EMOJI_SELECTOR


def _category(character: str) -> str:
    """The general category; what is not yet an emoji in this version of Unicode is one, too."""
    category = unicodedata.category(character)
    return "So" if category == "Cn" and ord(character) in _EMOJI else category


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()


def _hidden_text(text: str) -> str:
    """What tags spell and what variation selectors carry, as the end of a sentence."""
    tags = "".join(_TAG_TEXT.findall(text))
    told = ""
    if tags:
        told = f"; the tags spell {shown(''.join(chr(ord(c) - 0xE0000) for c in tags))}"
    data = bytes(map(_selected_byte, "".join(_SELECTOR_RUN.findall(text))))
    smuggled = data.decode("utf-8", "replace")
    if smuggled and smuggled.replace("\n", " ").isprintable() and "\ufffd" not in smuggled:
        told += f"; the variation selectors carry {shown(smuggled)}"
    return told


def _selected_byte(selector: str) -> int:
    """The byte that a variation selector stands for where text is hidden in them."""
    code = ord(selector)
    return code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16

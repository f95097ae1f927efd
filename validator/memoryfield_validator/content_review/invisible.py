"""Runs of characters that cannot be seen or that change the direction of text (MF801)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memoryfield_readers import shown

from .bases import MONGOLIAN_FORMS, category, has_variants, is_joined, is_mongolian
from .secrets import with_secrets_hidden
from .unseen import SELECTORS, UNSEEN, WIDE_SELECTORS

_CANDIDATES = re.compile(f"[{UNSEEN}]+")
_ONE = re.compile(f"[{UNSEEN}]")
_SELECTOR = re.compile(f"[{SELECTORS}]")
_FLAG = "\U0001f3f4"
_FLAG_REGIONS = re.compile(
    "(?:{})\U000e007f".format(
        "|".join(
            "".join(chr(0xE0000 + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls")
        )
    )
)
_SELECTOR_RUN = re.compile(f"[{SELECTORS}]{{2,}}")
_DATA = re.compile(f"[{WIDE_SELECTORS}]{{2,}}")
_TAG_TEXT = re.compile("[\U000e0020-\U000e007e]{2,}")
_JOINERS = "\u200c\u200d"
_JOINER = "\u200d"
_EMOJI_SELECTOR = "\ufe0f"
_GRAPHEME_JOINER = "\u034f"
_VOWEL_SEPARATOR = "\u180e"
_EMOJI_ARROW = "\u2194"  # of heads that shake: the one sign in joined emoji that is no So
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
        character, before = text[offset], text[offset - 1 : offset]
        if _SELECTOR.match(character):
            if offset not in runs and has_variants(before, character):
                exempt.add(offset)
        elif _joins(character, before, text[offset + 1 : offset + 2], offset - 1 in exempt):
            exempt.add(offset)
    return exempt


def _joins(character: str, before: str, after: str, is_exempt: bool) -> bool:
    """Whether it is a joiner between two characters that may need it.

    Arguments:
        character: what is looked at.
        before: the character before it, or nothing.
        after: the character after it, or nothing.
        is_exempt: whether the character before is exempt, if it is a variation selector.
    """
    if not before or not after or _ONE.match(after):
        return False
    if character == _VOWEL_SEPARATOR:
        return is_mongolian(after) and (
            is_mongolian(before) or (before in MONGOLIAN_FORMS and is_exempt)
        )
    if character == _GRAPHEME_JOINER:
        return not _ONE.match(before) and category(before) == category(after) == "Mn"
    if character not in _JOINERS:
        return False
    if is_joined(before) and is_joined(after):
        return not _ONE.match(before)
    if character != _JOINER or not (category(after) == "So" or after == _EMOJI_ARROW):
        return False
    return category(before) in ("So", "Sk") or (before == _EMOJI_SELECTOR and is_exempt)


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name}".rstrip()


def _hidden_text(text: str) -> str:
    """What tags spell and what variation selectors carry, as the end of a sentence."""
    tags = "".join(_TAG_TEXT.findall(text))
    told = ""
    if tags:
        told = f"; the tags spell {_told(''.join(chr(ord(c) - 0xE0000) for c in tags))}"
    data = bytes(map(_selected_byte, "".join(_DATA.findall(text))))
    smuggled = data.decode("utf-8", "replace")
    if smuggled and smuggled.replace("\n", " ").isprintable() and "\ufffd" not in smuggled:
        told += f"; the variation selectors carry {_told(smuggled)}"
    return told


def _told(hidden: str) -> str:
    return shown(with_secrets_hidden(hidden))


def _selected_byte(selector: str) -> int:
    """The byte that a variation selector stands for where text is hidden in them."""
    code = ord(selector)
    return code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16

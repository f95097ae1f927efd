"""The characters that MF801 is about, and a text as it looks to a reader.

Patterns look for words as a reader sees them: a word or a token with a character in it that does
not show, or hardly, is found all the same.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

WIDE_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
SELECTORS = f"\u180b-\u180d\u180f{WIDE_SELECTORS}"
UNSEEN = (
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    f"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff{SELECTORS}"
)
"""What stands between the brackets of a regular expression for such characters."""

_RUN = re.compile("\0+")
_UNSEEN = re.compile(f"[{UNSEEN}]")
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_FORMATS = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001343f"
_LONE_SURROGATES = "\ud800-\udfff"
_NOT_SHOWN = re.compile(f"[{_CONTROLS}{_FORMATS}{_LONE_SURROGATES}]")
"""What shows as nothing either, beside marks on other characters: no fault of its own (MF801)."""

_MARKS = ("Mn", "Me")
_BLANK = re.compile("[\xa0\u2000-\u2004\u2007\u3000]")
_THIN_BLANK = re.compile("[\x0b\x0c\x85\u2005\u2006\u2008-\u200a\u2028\u2029\u202f\u205f\u2800]")
"""Blanks that are narrow, of no width, or a line end that most programs do not show."""

_LEFT_OUT = "\0"
_THIN = "\x01"
"""What stands for what is left out, and for a thin blank, while a text is worked on."""

_COLOUR = re.compile("\x1b\\[[0-9;]{0,32}[A-Za-z]")
"""What a terminal takes for an order, of which it shows nothing."""

_ODD_ASCII = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
_SHORT = 16_384
_FEW = 32


class Seen(NamedTuple):
    """A text without some of its characters, and where those that are left stood.

    Attributes:
        text: what is left.
        cuts: the offsets in it at which something was left out, in ascending order.
        left_out: for each of them, how many characters were left out up to there.
    """

    text: str
    cuts: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    def original(self, offset: int) -> int:
        """The offset in the original text of a character of this one."""
        at = bisect_right(self.cuts, offset)
        return offset + (self.left_out[at - 1] if at else 0)


def as_seen(text: str, *, closed: bool = False) -> Seen:
    """A text without the characters that cannot be seen, or hardly, and with plain blanks.

    Arguments:
        text: the text as it is.
        closed: whether blanks that hardly show are left out, too; they are blanks otherwise.
    """
    if text.isascii() and not _has_odd_ascii(text):
        return Seen(text)
    is_short = len(text) <= _SHORT
    return _as_seen(text, closed) if is_short else _as_seen.__wrapped__(text, closed)


@lru_cache(maxsize=64)
def _as_seen(text: str, closed: bool) -> Seen:
    """Kept for as many short texts as are checked in a row, since each list asks for it."""
    looks = {each: look for each in set(text) if (look := _look(each)) != each}
    if not looks and _LEFT_OUT not in text:
        return Seen(text)
    marked = _COLOUR.sub(_all_left_out, text)
    if len(looks) > _FEW:
        marked = marked.translate({ord(each): look for each, look in looks.items()})
    else:  # far quicker
        for each in sorted(looks, key=looks.__getitem__):  # what is left out first: `_THIN` is, too
            marked = marked.replace(each, looks[each])
    marked = marked.replace(_THIN, _LEFT_OUT if closed else " ")
    runs = [match.span() for match in _RUN.finditer(marked)]
    left_out = tuple(accumulate(end - start for start, end in runs))
    cuts = (start - before for (start, _), before in zip(runs, (0, *left_out), strict=False))
    return Seen(marked.replace(_LEFT_OUT, ""), tuple(cuts), left_out)


def _has_odd_ascii(text: str) -> bool:
    raw = text.encode("ascii")
    return len(raw.translate(None, _ODD_ASCII)) != len(raw)


@lru_cache(maxsize=2048)
def _look(character: str) -> str:
    """What a character looks like: itself, a blank, a thin one, or nothing."""
    if character in "\t\n\r" or " " <= character <= "~":
        return character
    if _THIN_BLANK.match(character):
        return _THIN
    if _BLANK.match(character):
        return " "
    is_mark = unicodedata.category(character) in _MARKS
    if is_mark or _UNSEEN.match(character) or _NOT_SHOWN.match(character):
        return _LEFT_OUT
    return character


def _all_left_out(order: re.Match[str]) -> str:
    return _LEFT_OUT * len(order[0])

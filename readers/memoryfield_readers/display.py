"""Text from a field made fit for a terminal: nothing in it can move the cursor or hide."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: escape sequences begin here
    # invisible characters and those that change the direction of text; the two variation selectors
    # that choose between text and emoji are let be
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff]"  # bytes of a name that are not UTF-8
)
_UNSAFE_IN_BODY = re.compile(rf"(?!\n|\t|\r\n){_UNSAFE.pattern}")
_SHORT_NAMES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def visible(text: str) -> str:
    """One line of text with control, invisible and direction-changing characters escaped."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escaped, text)


def visible_lines(text: str) -> str:
    """Text of several lines, escaped as by `visible`, with tabs and line ends kept."""
    return _UNSAFE_IN_BODY.sub(_escaped, text)


def as_unicode(name: str) -> str:
    """A name that any encoding of Unicode can carry: bytes that are not UTF-8 become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def shown(text: str, most: int = 120) -> str:
    """Text between back quotes for use in a message, escaped, and cut to so many characters."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return f"`{visible(cut)}`"


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in _SHORT_NAMES:
        return _SHORT_NAMES[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    if 0xDC80 <= code <= 0xDCFF:  # a byte kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{{{code:x}}}"

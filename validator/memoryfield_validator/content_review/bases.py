"""Where characters that cannot be seen are honest: selectors and joiners beside others (MF801).

The bases of variation selectors are those of the sequences that Unicode defines, by script and
category rather than one by one, so that every implementation can say the same.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

from .scripts import script_of

MONGOLIAN_FORMS = frozenset("\u180b\u180c\u180d\u180f")

_EMOJI_STYLES = frozenset("\ufe0e\ufe0f")
_EMOJI_BASES = frozenset("#*0123456789\u203c\u2049\u2139\u3030")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_EMOJI = range(0x1F000, 0x1FC00)
_FORMS = range(0xFE00, 0xFE03)
_ROTATIONS = range(0xFE00, 0xFE07)
_FORM_SCRIPTS = frozenset({"Han", "Manichaean", "Myanmar", "Phags_pa"})
_FORM_BASES = frozenset(
    "0\uff10\u2018\u2019\u201c\u201d\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f"
    "\u210b\u2110\u2112\u211b\u212c\u2130\u2131\u2133"  # script capitals, as those in the range
)
_SCRIPT_CAPITALS = range(0x1D49C, 0x1D4B6)

_LETTERS_AND_MARKS = frozenset({"Lo", "Mn", "Mc"})
_JOINED = (
    (0x0600, 0x109F), (0x1700, 0x18AF), (0x1900, 0x1AAF), (0x1B00, 0x1C4F), (0x1CD0, 0x1CFF),
    (0x2D30, 0x2D7F), (0xA800, 0xA95F), (0xA980, 0xAAFF), (0xABC0, 0xABFF), (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC), (0x10A00, 0x10AFF), (0x10B80, 0x10BAF), (0x10D00, 0x10D3F),
    (0x10F30, 0x10FDF), (0x11000, 0x11AAF), (0x11AC0, 0x11FAF),
)  # fmt: skip
_JOINED_STARTS = [first for first, _ in _JOINED]


def has_variants(base: str, selector: str) -> bool:
    """Whether a variation selector belongs after a character; the base can be empty."""
    if not base:
        return False
    if selector in MONGOLIAN_FORMS:
        return script_of(base) == "Mongolian"
    if selector in _EMOJI_STYLES:
        return category(base) in ("So", "Sm") or base in _EMOJI_BASES or ord(base) in _SKIN_TONES
    code = ord(selector)
    if code > 0xFFFF:
        return script_of(base) == "Han"
    if code in _FORMS and (
        script_of(base) in _FORM_SCRIPTS
        or category(base) == "Sm"
        or base in _FORM_BASES
        or ord(base) in _SCRIPT_CAPITALS
    ):
        return True
    return code in _ROTATIONS and script_of(base) == "Egyptian_hieroglyphs"


def is_joined(character: str) -> bool:
    """Whether a character is a letter or a mark of a script that is written with joiners."""
    if unicodedata.category(character) not in _LETTERS_AND_MARKS:
        return False
    code = ord(character)
    at = bisect_right(_JOINED_STARTS, code) - 1
    return at >= 0 and code <= _JOINED[at][1]


def is_mongolian(character: str) -> bool:
    """Whether a character is a letter of the Mongolian script."""
    return script_of(character) == "Mongolian"


def category(character: str) -> str:
    """The general category; what is not yet an emoji in this version of Unicode is one, too."""
    known = unicodedata.category(character)
    return "So" if known == "Cn" and ord(character) in _EMOJI else known

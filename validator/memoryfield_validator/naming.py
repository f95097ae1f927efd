"""What names are apart from (MF106, MF107), and which page name is near to one (MF201)."""

from __future__ import annotations

import re
import unicodedata

_ENDING = re.compile(r"\.(?:md|markdown|mdx)\Z", re.IGNORECASE)
_SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ð": "d", "þ": "th", "ł": "l"})
_NOT_ALLOWED = re.compile(r"[^a-z0-9-]+")
_MOST_STEM = 100
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\..*)?",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)


def conforming_name(name: str) -> str:
    """A page name for a file whose name is none; whether it is free is not looked at.

    `Carbon Fibre_Woks.md` becomes `carbon-fibre-woks.md`; accents are dropped.
    """
    stem = _ENDING.sub("", name).lower().translate(_SPECIAL)
    stem = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    stem = _NOT_ALLOWED.sub("-", stem)[:_MOST_STEM].strip("-")
    return f"{stem or 'page'}.md"


def folded(name: str) -> str:
    """What two names share that differ only by case or Unicode normalisation (MF106)."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def is_reserved(name: str) -> bool:
    """Whether Windows reserves a name for a device (MF107)."""
    return _RESERVED.fullmatch(name) is not None

"""The page name that is nearest to a name which is none (MF201)."""

from __future__ import annotations

import re
import unicodedata

_ENDING = re.compile(r"\.(?:md|markdown|mdx)\Z", re.IGNORECASE)
_SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ð": "d", "þ": "th", "ł": "l"})
_NOT_ALLOWED = re.compile(r"[^a-z0-9-]+")
_MOST_STEM = 100


def conforming_name(name: str) -> str:
    """A page name for a file whose name is none; whether it is free is not looked at.

    `Carbon Fibre_Woks.md` becomes `carbon-fibre-woks.md`; accents are dropped.
    """
    stem = _ENDING.sub("", name).lower().translate(_SPECIAL)
    stem = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    stem = _NOT_ALLOWED.sub("-", stem)[:_MOST_STEM].strip("-")
    return f"{stem or 'page'}.md"

"""Text from a field on its way into markup: nothing in it can be markup, or hide."""

from __future__ import annotations

import re
from html import escape

from memoryfield_readers import visible

# What XML has no place for at all, beside what `visible` shows already.
_NO_CHARACTERS = re.compile("[\ufffe\uffff]|[\ud800-\udfff]")


def safe(text: str) -> str:
    """Text as it can stand in an element or a quoted attribute of HTML and of XML."""
    return escape(_NO_CHARACTERS.sub("\ufffd", visible(text)), quote=True)


def pages_text(count: int) -> str:
    """How many pages, in words."""
    return f"{count:,} page" if count == 1 else f"{count:,} pages"


def pairs_text(count: int, near: float) -> str:
    """How many pairs say nearly the same, in words."""
    pairs = "1 pair says" if count == 1 else f"{count:,} pairs say"
    return f"{pairs} nearly the same (cosine distance up to {near:g})"


def distance_text(distance: float) -> str:
    """A cosine distance in as many digits as models are good for."""
    return f"{distance:.4f}"

"""How much an answer costs the one who reads it, and where a text is cut.

Clients throw an answer away whole if it has more than about 25,000 tokens. How many tokens a text
has, each model knows for itself; so it is weighed in points, of which two are one token at most
but for runs of random letters: a letter, digit or blank of ASCII is one, other ASCII two, and
beyond ASCII each byte of UTF-8 two. Prose in English has about six points a token.
"""

from __future__ import annotations

from typing import Final

from ..answers import json_text

MOST_POINTS: Final = 40_000
"""Points of an answer, as JSON; it has no more bytes than points."""

LEAST_POINTS: Final = 6_000
"""An answer can be asked to be smaller, but not smaller than this."""

_CHEAP: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "


def points(json: str) -> int:
    """The points of a piece of JSON; those of two pieces are the sum."""
    raw = json.encode("utf-8", "surrogatepass")
    return len(raw) + len(raw.translate(None, _CHEAP))


def answer_text(value: object) -> str:
    """A value as the JSON that is answered."""
    return json_text(value, ascii_only=False)


def weight(value: object) -> int:
    """The points of a value as JSON."""
    return points(answer_text(value))


def fitting(text: str, most: int) -> int:
    """How many characters of a text fit, as a part of a JSON string, in some points.

    Arguments:
        text: the text.
        most: points.
    """
    low, high = 0, min(len(text), max(most, 0))
    if high == len(text) and _inside(text) <= most:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if _inside(text[:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def cut(text: str, most: int) -> str:
    """The beginning of a text that fits in some points, to the end of a line if one is near.

    At least one character is given, so that who reads on comes to an end.
    """
    end = fitting(text, most)
    if end == len(text):
        return text
    line = text.rfind("\n", end - end // 4, end)
    return text[: line + 1 if line >= 0 else max(end, 1)]


def short(text: str, most: int) -> str:
    """A text, or what of it fits in some points with an ellipsis at its end."""
    end = fitting(text, most)
    return text if end == len(text) else text[: fitting(text, most - 6)] + "…"


def shares(wanted: list[int], whole: int) -> list[int]:
    """Parts of a whole: what is wanted, or as much as any other gets that wants more.

    Arguments:
        wanted: the points that each wants.
        whole: the points that there are.
    """
    parts = [0] * len(wanted)
    left = whole
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for place, number in enumerate(order):
        parts[number] = min(wanted[number], left // (len(order) - place))
        left -= parts[number]
    return parts


def _inside(text: str) -> int:
    """The points of a text without the quotes around it."""
    return weight(text) - 4

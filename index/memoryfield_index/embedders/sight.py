"""Whether a machine says so when a text is longer than it takes, or cuts it without a word.

Old versions of Ollama cut whatever `truncate` says, and some servers that speak OpenAI's interface
do. What cuts gives one and the same vector however a text goes on behind the cut.
"""

from __future__ import annotations

from collections.abc import Callable

from ..values import Vector
from .machine import Refused
from .texts import dense_text
from .vectors import UnusableVectorError, cosine

_SAME = 1 - 1e-6
"""From this cosine on two vectors are those of one text."""

_TAIL = (
    "\n\nThe ferry to Stornoway leaves at noon. Seventeen otters, a brass barometer and two lemons"
    " were found in the cellar; a quiet waltz for bassoon came from the attic.\n"
)
"""What is put behind a text, unlike what stands in it."""

Ask = Callable[[str], Vector]
"""Embeds one text; may raise Refused or UnusableVectorError."""


def cuts_silently(ask: Ask, most: int) -> bool:
    """Whether the end of a text of so many bytes, the longest that will be sent, makes no odds.

    Where that cannot be found out, it is taken for true: then each long page is looked at.
    """
    text = dense_text(most)
    try:
        vector = ask(text)
    except Refused as refusal:
        return not refusal.too_long
    except UnusableVectorError:
        return True
    return not sees_end(ask, text, vector)


def sees_end(ask: Ask, text: str, vector: Vector) -> bool:
    """Whether it is certain that a text was embedded to its end.

    Arguments:
        ask: embeds one text.
        text: the text.
        vector: its vector.
    """
    try:
        return cosine(vector, ask(text + _TAIL)) < _SAME
    except Refused as refusal:
        return refusal.too_long  # it refuses what is too long, so what it takes is whole
    except UnusableVectorError:
        return False

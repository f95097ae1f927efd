"""The words of a question, as FTS5 is asked for them: no text of any shape is ever its syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

MOST_WORDS = 64
"""So many different words of a question are looked for; who pastes a page has asked by then."""

_RUN = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul: endings stick to the words
)
"""Characters of scripts that put no spaces between words."""
_ONE_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PIECE = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Terms:
    """What is looked for, as FTS5 strings.

    Attributes:
        words: the words; of a script without spaces, each two characters that stand together.
        compounds: what stood in one piece and has several words, such as `snake_case`: whoever
            writes it so means these words in this order.
    """

    words: tuple[str, ...]
    compounds: tuple[str, ...]


def terms_of(question: str) -> Terms:
    """The words of a question, each once, as they come."""
    words: dict[str, None] = {}
    compounds: dict[str, None] = {}
    for run in _RUN.finditer(question):
        found = _WORD.findall(run[0])
        if len(found) > 1:
            compounds[_quoted(" ".join(found).casefold())] = None
        for word in found:
            words.update(dict.fromkeys(map(_quoted, _pieces(word.casefold()))))
        if len(words) >= MOST_WORDS:
            break
    return Terms(tuple(words)[:MOST_WORDS], tuple(compounds))


def spaced(text: str) -> str:
    """Text in which each character of a script without spaces is a word of its own."""
    return text if text.isascii() else _ONE_UNSPACED.sub(r" \g<0> ", text)


def encodable(text: str) -> str:
    """Text that UTF-8 can carry, and no program takes for ended: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    for piece in _PIECE.findall(word):
        if _ONE_UNSPACED.match(piece) and len(piece) > 1:
            pieces += (first + second for first, second in pairwise(piece))
        else:
            pieces.append(piece)
    return pieces


def _quoted(words: str) -> str:
    return f'"{spaced(words)}"'  # of letters, digits and spaces alone: no quote can be in it

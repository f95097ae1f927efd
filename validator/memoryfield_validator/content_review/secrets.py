"""Where the secrets of a page stand, so that nothing else shows them (MF804)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .patterns import Passage, passages, pattern_list
from .unseen import as_seen

MASK = "•••"
_DOT = "•"
_PRIVATE_KEY = "private-key"
_BLOCK_END = "-----END"
_LONGEST_BLOCK = 16_384
_SHORT = 16_384


class Span(NamedTuple):
    """What must not be shown: from one offset to another one."""

    start: int
    end: int


def secrets(text: str) -> tuple[Passage, ...]:
    """The secrets in a text, in order."""
    return _secrets(text) if len(text) <= _SHORT else _secrets.__wrapped__(text)


@lru_cache(maxsize=128)
def _secrets(text: str) -> tuple[Passage, ...]:
    """Kept for more short texts than are checked in a row: what hides secrets asks again."""
    return tuple(passages(text, pattern_list("secrets")))


def secret_spans(text: str) -> list[Span]:
    """What must not be shown of a text: its secrets, and private keys down to their last line."""
    return [Span(passage.start, _end(text, passage)) for passage in secrets(text)]


def known_prefix(text: str, secret: Passage) -> str:
    """What a message may hold of a secret in a text: how it begins, as it looks."""
    return as_seen(text[secret.start : secret.end], closed=True).text[: secret.pattern.shown]


def _end(text: str, passage: Passage) -> int:
    if passage.pattern.id != _PRIVATE_KEY:
        return passage.end
    most = passage.start + _LONGEST_BLOCK
    at = text.find(_BLOCK_END, passage.end, most)
    return max(passage.end, min(len(text), most) if at < 0 else at)


def with_secrets_hidden(text: str) -> str:
    """The text with a dot in place of each character that must not be shown; offsets stay."""
    pieces: list[str] = []
    done = 0
    for start, end in secret_spans(text):
        pieces += [text[done:start], _DOT * (end - max(start, done))]
        done = max(done, end)
    return "".join(pieces) + text[done:]

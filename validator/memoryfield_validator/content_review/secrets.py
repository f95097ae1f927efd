"""Where the secrets of a page stand, so that nothing else shows them (MF804)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .patterns import Passage, passages, pattern_list

MASK = "•••"
_DOT = "•"
_BLOCK = "-----BEGIN"
_BLOCK_END = "-----END"
_LONGEST_BLOCK = 16_384
_ENOUGH_TO_TELL = 6
"""Characters at the beginning of a secret by which it is known where it is quoted."""


class Span(NamedTuple):
    """What must not be shown: from one offset to another one."""

    start: int
    end: int


def secrets(text: str) -> list[Passage]:
    """The secrets in a text, in order."""
    return passages(text, pattern_list("secrets"))


def secret_spans(text: str) -> list[Span]:
    """What must not be shown of a text: its secrets, and private keys down to their last line."""
    return [Span(passage.start, _end(text, passage)) for passage in secrets(text)]


def _end(text: str, passage: Passage) -> int:
    if not text.startswith(_BLOCK, passage.start):
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


def without_secrets(message: str, secret_texts: Iterable[str]) -> str:
    """A message in which a mask stands for each secret that it quotes, whole or cut short."""
    for secret in secret_texts:
        beginning = secret[:_ENOUGH_TO_TELL]
        at = message.find(beginning)
        while at >= 0:
            end = at + _in_common(message[at:], secret)
            message = message[:at] + MASK + message[end:]
            at = message.find(beginning, at + len(MASK))
    return message


def _in_common(one: str, other: str) -> int:
    """With how many characters two texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))

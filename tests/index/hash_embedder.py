"""A cheap embedder for tests: one text has one vector, and shared words bring texts near."""

from __future__ import annotations

import hashlib
import math
import re
import struct
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from memoryfield_index.values import Embedding, Failed, Recipe, Vector

RECIPE = Recipe(
    model="hashed-words-v1",
    dimension=32,
    document_prefix="",
    query_prefix="",
    embedder="hash",
    model_digest="",
    most_bytes=8192,
    normalised=True,
)


def numbers_of(text: str, dimension: int = RECIPE.dimension) -> list[float]:
    """A direction that the words of a text choose; a text of no words has one too."""
    words = Counter(re.findall(r"\w+", text.casefold()) or ["\0"])
    rows = [(times, _direction(word, dimension)) for word, times in words.items()]
    return [sum(times * row[place] for times, row in rows) for place in range(dimension)]


@lru_cache(maxsize=10_000)
def _direction(word: str, dimension: int) -> tuple[float, ...]:
    """The direction of one word: numbers between -1 and 1 that only it has."""
    digest = hashlib.shake_256(word.encode()).digest(dimension)
    return tuple(byte / 127.5 - 1 for byte in digest)


def vector_of(text: str, dimension: int = RECIPE.dimension) -> Vector:
    """Those numbers as a vector of length 1."""
    numbers = numbers_of(text, dimension)
    length = math.hypot(*numbers)
    return struct.pack(f"<{dimension}f", *(number / length for number in numbers))


class HashEmbedder:
    """An `Embedder` that counts.

    Attributes:
        recipe: as any embedder has it.
        embedded: every page that was embedded, in order.
        calls: how many pages each call had.
        questions: every question that was embedded.
        closed: whether it was closed.
    """

    def __init__(
        self,
        *,
        dimension: int = RECIPE.dimension,
        model: str = RECIPE.model,
        failing: Collection[bytes] = (),
        stop_after: int | None = None,
    ) -> None:
        """Embed nothing yet.

        Arguments:
            dimension: how many numbers a vector has.
            model: the model code in the recipe.
            failing: a page that holds one of these fails.
            stop_after: after so many pages every further one raises KeyboardInterrupt.
        """
        self.recipe = replace(RECIPE, dimension=dimension, model=model)
        self.embedded: list[bytes] = []
        self.calls: list[int] = []
        self.questions: list[str] = []
        self.closed = False
        self._failing = tuple(failing)
        self._stop_after = stop_after

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """An outcome for each page."""
        self.calls.append(len(pages))
        return [self._outcome(page) for page in pages]

    def query(self, text: str) -> Vector:
        """The vector of a question: that of a page of the same words."""
        self.questions.append(text)
        return vector_of(text, self.recipe.dimension)

    def close(self) -> None:
        """Note it."""
        self.closed = True

    def _outcome(self, page: bytes) -> Embedding | Failed:
        if self._stop_after is not None and len(self.embedded) >= self._stop_after:
            raise KeyboardInterrupt
        self.embedded.append(page)
        if any(part in page for part in self._failing):
            return Failed("failed on command")
        part = page[: self.recipe.most_bytes]
        return Embedding(
            vector_of(part.decode("utf-8", "replace"), self.recipe.dimension), len(part)
        )

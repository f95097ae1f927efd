"""An embedder over any machine: markers, cuts, batches, and a check of all that comes back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryfield_readers.errors import EmbedderUnavailable

from ..values import Embedding, Failed, Recipe, Vector
from . import sight
from .machine import Machine, Refused
from .texts import beginning, sayable, utf8_fault
from .vectors import UnusableVectorError, WrongDimensionError, cosine, vector_of

_READY = "Is anybody there?"
"""What is embedded to see whether anything can be."""

_BYTES_TOGETHER = 64 * 1024
"""So many bytes are sent at once, at most."""

_ALIKE = 0.999
"""A text in a batch and the same text alone have at least this cosine, or batches are not used."""

_SPECIAL = 8
"""No model puts so many tokens of its own around a text."""

_SHORTEST = 64
"""A text that is refused as too long is not halved below so many bytes."""


class TextEmbedder:
    """What makes vectors with a machine (an `Embedder`)."""

    def __init__(self, recipe: Recipe, machine: Machine) -> None:
        """Ask nothing yet.

        Arguments:
            recipe: what the machine's vectors are made by.
            machine: what runs the model; it is closed with this embedder.
        """
        self.recipe = recipe
        self._machine = machine
        self._ready = False
        self._together = machine.most_together
        self._compared = machine.most_together < 2
        self._cuts: bool | None = False if machine.refuses_long else None

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """An outcome for each page, in order; one that fails keeps no other from its vector.

        Arguments:
            pages: complete UTF-8 files, frontmatter included.

        Raises:
            EmbedderUnavailable: nothing can be embedded just now.
        """
        outcomes: dict[int, Embedding | Failed] = {}
        readable: list[int] = []
        for position, page in enumerate(pages):
            fault = utf8_fault(page)
            if fault is None:
                readable.append(position)
            else:
                outcomes[position] = Failed(fault)
        if readable:
            self._make_ready()
        parts = {at: beginning(pages[at], self.recipe.most_bytes) for at in readable}
        alone = {at for at in readable if self._may_be_cut(parts[at])}
        for batch in self._batches([at for at in readable if at not in alone], parts):
            outcomes.update(zip(batch, self._several([parts[at] for at in batch]), strict=True))
        outcomes.update((at, self._one(parts[at])) for at in alone)
        return [outcomes[position] for position in range(len(pages))]

    def query(self, text: str) -> Vector:
        """The vector of a question.

        Raises:
            EmbedderUnavailable: it cannot be embedded just now.
        """
        part = beginning(sayable(text).encode("utf-8"), self.recipe.most_bytes)
        while True:
            try:
                return self._vectors([part], query=True)[0]
            except (Refused, UnusableVectorError) as error:
                shorter = _half(part, error)
                if shorter is None:
                    raise self._unavailable(f"the question was not embedded: {error}") from None
                part = shorter

    def close(self) -> None:
        """Let go of what is open."""
        self._machine.close()

    def _make_ready(self) -> None:
        """Load the model, and see that its vectors are what they are taken for."""
        if self._ready:
            return
        try:
            self._vectors([_READY.encode()])
        except WrongDimensionError as error:
            raise EmbedderUnavailable(
                f"{self.recipe.embedder} gives {error}: this is not {self.recipe.model}",
                hint="see which model the server runs under that name",
            ) from None
        except (Refused, UnusableVectorError) as error:
            raise self._unavailable(f"it embeds nothing: {error}") from None
        self._ready = True

    def _several(self, parts: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """The outcomes of a batch; whatever is wrong with it is found by asking for each alone."""
        if len(parts) == 1:
            return [self._one(parts[0])]
        try:
            vectors = self._vectors(parts)
        except (Refused, UnusableVectorError):
            singly = [self._one(part) for part in parts]
            if all(map(_is_whole, singly, parts)):
                self._together = 1  # nothing is wrong with any of them: it takes no batches
            return singly
        if not self._compared and not self._same_alone(parts[-1], vectors[-1]):
            self._together = 1
            return [self._one(part) for part in parts]
        return [Embedding(vector, len(part)) for vector, part in zip(vectors, parts, strict=True)]

    def _same_alone(self, part: bytes, vector: Vector) -> bool:
        """Whether a text has the vector that it was given in a batch; looked at once."""
        self._compared = True
        alone = self._one(part)
        return isinstance(alone, Embedding) and cosine(alone.vector, vector) >= _ALIKE

    def _one(self, part: bytes) -> Embedding | Failed:
        """The outcome of a page asked for alone, halved until it is not too long."""
        whole = part
        while True:
            try:
                vector = self._vectors([part])[0]
                if not self._may_be_cut(part) or sight.sees_end(
                    self._vector_of, part.decode("utf-8"), vector
                ):
                    return Embedding(vector, len(part))
                shorter = _half(part, None)
            except (Refused, UnusableVectorError) as error:
                shorter = _half(part, error)
                if shorter is None:
                    return self._failed(error)
            if shorter is None:
                return Failed(f"{len(whole)} bytes are cut to less than {_SHORTEST}, unsaid")
            part = shorter

    def _failed(self, error: Exception) -> Failed:
        """That a page failed, once it is known that it is the page and not the machine."""
        self._ready = False
        self._make_ready()
        return Failed(str(error))

    def _may_be_cut(self, part: bytes) -> bool:
        """Whether a page is so long that the machine could cut it without a word."""
        if self._machine.refuses_long:
            return False
        if len(part) + len(self.recipe.document_prefix) + _SPECIAL < self._machine.tokens:
            return False
        if self._cuts is None:
            self._cuts = sight.cuts_silently(self._vector_of, self.recipe.most_bytes)
        return self._cuts

    def _batches(
        self, positions: Sequence[int], parts: dict[int, bytes]
    ) -> Iterator[Sequence[int]]:
        """Positions in groups that are asked for at once."""
        batch: list[int] = []
        size = 0
        for at in positions:
            full = len(batch) >= self._together or size + len(parts[at]) > _BYTES_TOGETHER
            if batch and full:
                yield batch
                batch, size = [], 0
            batch.append(at)
            size += len(parts[at])
        if batch:
            yield batch

    def _vector_of(self, text: str) -> Vector:
        return self._vectors([text.encode("utf-8")])[0]

    def _vectors(self, parts: Sequence[bytes], *, query: bool = False) -> list[Vector]:
        """The vector of each text, the model's marker put before it once.

        Raises:
            Refused: they were not embedded, or not as many came as were asked for.
            UnusableVectorError: what came for one of them is no embedding.
        """
        marker = self.recipe.query_prefix if query else self.recipe.document_prefix
        before = "" if self._machine.adds_markers else marker
        texts = [before + part.decode("utf-8") for part in parts]
        rows = self._machine.numbers(texts, query=query)
        if len(rows) != len(texts):
            raise Refused(f"{len(rows)} embeddings came for {len(texts)} texts")
        return [vector_of(row, self.recipe.dimension) for row in rows]

    def _unavailable(self, message: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"{self.recipe.embedder} ({self.recipe.model}): {message}",
            hint="see what the program that runs the model writes to its log",
        )


def _is_whole(outcome: Embedding | Failed, part: bytes) -> bool:
    """Whether all of a text was embedded."""
    return isinstance(outcome, Embedding) and outcome.bytes_embedded == len(part)


def _half(part: bytes, error: Exception | None) -> bytes | None:
    """The first half of a text, where a shorter one may be taken; None else."""
    if isinstance(error, UnusableVectorError) or len(part) // 2 < _SHORTEST:
        return None
    if isinstance(error, Refused) and not error.too_long:
        return None
    return beginning(part, len(part) // 2)

"""What embedders, indexes and searches hand to each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol, TypeAlias

Vector: TypeAlias = bytes
"""An embedding as an index stores it: little-endian float32 numbers, one after the other."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides what vector comes of a text; vectors of two recipes are never compared.

    Attributes:
        model: the full model code, such as "nomic-embed-text-v1.5".
        dimension: how many numbers an embedding has.
        document_prefix: what is put before a page.
        query_prefix: what is put before a question.
        embedder: what runs the model: "ollama", "openai", "fastembed", "local", or a plugin's name.
        model_digest: what the embedder calls the very files of the model; "" where it does not say.
        most_bytes: how many bytes of a page are embedded at most.
        normalised: whether every vector has length 1.
    """

    model: str
    dimension: int
    document_prefix: str
    query_prefix: str
    embedder: str
    model_digest: str
    most_bytes: int
    normalised: bool

    @property
    def key(self) -> str:
        """A hash of all that changes vectors, in hexadecimal."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Embedding:
    """What came of a page.

    Attributes:
        vector: its embedding.
        bytes_embedded: how many bytes of the page it is made from, from the first.
    """

    vector: Vector
    bytes_embedded: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A page that has no embedding, and why."""

    reason: str


class Embedder(Protocol):
    """What makes vectors of pages and questions.

    Attributes:
        recipe: how; known without embedding anything.
    """

    recipe: Recipe

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """An outcome for each page, in order; one that fails keeps no other from its vector.

        Arguments:
            pages: complete UTF-8 files, frontmatter included.

        Raises:
            EmbedderUnavailable: nothing can be embedded just now.
        """
        ...

    def query(self, text: str) -> Vector:
        """The vector of a question.

        Raises:
            EmbedderUnavailable: it cannot be embedded just now.
        """
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...

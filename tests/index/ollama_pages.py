"""Pages that the embedder `ollama` embeds, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.index.servers.json_server import Asked
from tests.index.servers.ollama import OllamaServer
from tests.index.surroundings import nothing_said

from memoryfield_index.embedders import answers, choose
from memoryfield_index.values import Embedding, Failed


@contextmanager
def asked_by_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    """A server that runs, is the one of the environment, and is not waited for when it is busy."""
    nothing_said(monkeypatch)
    monkeypatch.setattr(answers, "_WAITS", (0.0, 0.0, 0.0))
    with OllamaServer() as running:
        monkeypatch.setenv("OLLAMA_HOST", running.url)
        yield running


def embed(*pages: bytes, name: str = "ollama") -> list[Embedding | Failed]:
    """The outcomes of pages."""
    embedder = choose(name)
    try:
        return list(embedder.documents(pages))
    finally:
        embedder.close()


def failed(outcome: Embedding | Failed) -> str:
    """Why a page failed."""
    assert isinstance(outcome, Failed)
    return outcome.reason


def embedded(outcome: Embedding | Failed) -> int:
    """How many bytes of a page were embedded."""
    assert isinstance(outcome, Embedding), outcome
    return outcome.bytes_embedded


def to_embed(asked: Asked) -> bool:
    """Whether a request is for embeddings."""
    return asked.path == "/api/embed"


def texts(asked: Asked) -> list[str]:
    """The texts that a request wants embeddings of; none for another request."""
    return list(asked.body["input"]) if to_embed(asked) else []

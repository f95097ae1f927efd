"""The embedder `ollama`, through the real package, against a server that speaks like Ollama."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.index.hash_embedder import numbers_of
from tests.index.ollama_pages import asked_by_default, embed, embedded, to_embed
from tests.index.servers.json_server import Asked, Reply
from tests.index.servers.ollama import DIGEST, Limit, OllamaServer, hashed

from memoryfield_index.embedders import Options, choose
from memoryfield_index.embedders.ollama_server import address
from memoryfield_index.values import Embedding
from memoryfield_readers.errors import EmbedderUnavailable


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    with asked_by_default(monkeypatch) as running:
        yield running


def test_recipe_says_all_that_decides(server: OllamaServer) -> None:
    """Model, markers and the digest of the model's files are known before anything is embedded."""
    embedder = choose("ollama")
    recipe = embedder.recipe
    assert (recipe.model, recipe.dimension) == ("nomic-embed-text-v1.5", 768)
    assert (recipe.document_prefix, recipe.query_prefix) == ("search_document: ", "search_query: ")
    assert (recipe.embedder, recipe.model_digest) == ("ollama", f"sha256:{DIGEST}")
    assert server.embedded == []
    server.models["nomic-embed-text:v1.5"] = "f" * 64
    other = choose("ollama")
    assert other.recipe.key != recipe.key
    embedder.close()
    other.close()


def test_markers_are_put_once(server: OllamaServer) -> None:
    """Each page has its marker before it, a question its own, and `truncate` is false."""
    embedder = choose("ollama")
    embedder.documents([b"one", b"two"])
    embedder.query("three?")
    embedder.close()
    sent = [text for texts in server.embedded for text in texts]
    assert {"search_document: one", "search_document: two", "search_query: three?"} <= set(sent)
    assert all(text.count("search_") == 1 for text in sent)
    assert all(each.body["truncate"] is False for each in server.asked if to_embed(each))


def test_a_batch_is_checked_against_one_of_its_texts_alone(server: OllamaServer) -> None:
    """Pages go together; the first time, the last of them is also asked for alone."""
    pages = [f"page {number}".encode() for number in range(20)]
    outcomes = embed(*pages)
    assert all(isinstance(outcome, Embedding) for outcome in outcomes)
    assert [len(texts) for texts in server.embedded] == [1, 16, 1, 4]


def test_batches_that_give_other_vectors_are_not_used(server: OllamaServer) -> None:
    """A server whose batches are not what its single texts are is asked for one at a time."""

    def shifted(asked: Asked) -> Reply | None:
        if to_embed(asked) and len(asked.body["input"]) > 1:
            rows = [hashed(f"not {text}") for text in asked.body["input"]]
            return Reply(200, {"embeddings": rows})
        return None

    pages = [f"page {number}".encode() for number in range(20)]
    expected = embed(*pages)
    server.fault, server.asked = shifted, []
    assert embed(*pages) == expected
    assert [len(texts) for texts in server.embedded].count(1) == len(server.embedded) - 1


def test_a_server_that_takes_no_batches_is_asked_singly(server: OllamaServer) -> None:
    """What is refused together and taken alone is not sent together again."""

    def alone_only(asked: Asked) -> Reply | None:
        if to_embed(asked) and len(asked.body["input"]) > 1:
            return Reply(500, {"error": "one at a time"})
        return None

    server.fault = alone_only
    embedder = choose("ollama")
    for _ in range(2):
        assert all(isinstance(each, Embedding) for each in embedder.documents([b"one", b"two"]))
    embedder.close()
    assert [len(texts) for texts in server.embedded] == [1, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("limit", list(Limit), ids=lambda limit: limit.name.lower())
@pytest.mark.parametrize("counts", [True, False], ids=["counted", "uncounted"])
def test_a_page_that_is_too_long_is_halved(
    server: OllamaServer, limit: Limit, counts: bool
) -> None:
    """Whether the server refuses or cuts without a word, what was embedded is known and true."""
    server.limit, server.counts = limit, counts
    page = "ä word of ".encode() * 900  # 9900 bytes, a context has 4096
    short = b"short"
    long, other = embed(page, short)
    assert embedded(other) == len(short)
    assert embedded(long) == 2048  # of 8192, since 4096 and the marker are more than 4096
    part = page[: embedded(long)].decode("utf-8")
    assert isinstance(long, Embedding)
    server.limit = Limit.ALWAYS_REFUSED
    (again,) = embed(part.encode("utf-8"))
    assert again == long


def test_a_long_page_that_fits_is_embedded_whole(server: OllamaServer) -> None:
    """The largest page that the standard wants whole is so where the model takes it."""
    server.context = 8192
    for limit in Limit:
        server.limit = limit
        outcomes = embed(b"word " * 1600, b"word " * 3000)
        assert [embedded(outcome) for outcome in outcomes] == [8000, 8192]


def test_what_can_be_cut_is_found_out_once(server: OllamaServer) -> None:
    """A server that refuses what is too long is not asked twice for each page."""
    server.context = 4000
    embedder = choose("ollama")
    for number in range(3):
        embedder.documents([f"{number} ".encode() + b"word " * 1200])
    embedder.close()
    assert len(server.embedded) == 5  # one to load the model, one to find out


def test_a_model_that_is_not_there_is_to_be_pulled(server: OllamaServer) -> None:
    """The hint is the line to run, and nothing was embedded."""
    server.models = {"llama3:latest": DIGEST}
    with pytest.raises(EmbedderUnavailable, match="does not have the model") as raised:
        choose("ollama")
    assert raised.value.hint == "ollama pull nomic-embed-text:v1.5"
    with pytest.raises(EmbedderUnavailable) as raised:
        choose("ollama:mxbai-embed-large")
    assert raised.value.hint == "ollama pull mxbai-embed-large"
    assert server.embedded == []


def test_a_model_that_goes_away_is_to_be_pulled(server: OllamaServer) -> None:
    """The same where it was removed after it had been listed."""
    embedder = choose("ollama")
    server.models = {}
    with pytest.raises(EmbedderUnavailable) as raised:
        embedder.documents([b"page"])
    assert raised.value.hint == "ollama pull nomic-embed-text:v1.5"
    embedder.close()


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        ("nomic-embed-text:latest", "ollama"),
        ("nomic-embed-text:v1.5", "ollama:nomic-embed-text"),
        ("nomic-embed-text:latest", "ollama:nomic-embed-text-v1.5"),
        ("nomic-embed-text:v1.5", "ollama:nomic-embed-text:v1.5"),
    ],
)
def test_a_model_has_several_names(server: OllamaServer, listed: str, asked: str) -> None:
    """It is taken under whichever of them is there, and is the same model."""
    server.models = {listed: DIGEST}
    embedder = choose(asked)
    assert embedder.recipe.model == "nomic-embed-text-v1.5"
    assert isinstance(embedder.documents([b"page"])[0], Embedding)
    embedder.close()


def test_an_unknown_model_is_asked_for_its_dimension(server: OllamaServer) -> None:
    """Its code is made of its name and its files, since a bare name pins no version."""
    server.models = {"me/mine:latest": "1a2b3c4d5e6f" + "0" * 52}
    server.numbers = lambda text: numbers_of(text, 48)
    embedder = choose("ollama:me/mine")
    assert (embedder.recipe.model, embedder.recipe.dimension) == ("mine-1a2b3c4d5e6f", 48)
    assert len(embedder.query("what?")) == 4 * 48
    embedder.close()
    said = choose("ollama:me/mine", Options(code="mine-v7", document="d: ", query="q: "))
    assert (said.recipe.model, said.recipe.document_prefix) == ("mine-v7", "d: ")
    said.close()


def test_a_question_is_one_vector_or_an_error(server: OllamaServer) -> None:
    """One that is too long is halved; one that gives none is told."""
    embedder = choose("ollama")
    assert len(embedder.query("word " * 3000)) == 768 * 4
    assert len(embedder.query("lone \udcff surrogate")) == 768 * 4
    server.fault = lambda asked: Reply(500, {"error": "NaN"}) if to_embed(asked) else None
    with pytest.raises(EmbedderUnavailable, match="question was not embedded"):
        embedder.query("what?")
    embedder.close()


@pytest.mark.parametrize(
    ("said", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://0.0.0.0:11434"),
        (":56789", "http://127.0.0.1:56789"),
        ("box.lan", "http://box.lan:11434"),
        ("http://box.lan", "http://box.lan:80"),
        ("https://box.lan/o/", "https://box.lan:443/o"),
        ("[::1]:80", "http://[::1]:80"),
    ],
)
def test_addresses_mean_what_they_mean_to_ollama(said: str, url: str) -> None:
    """OLLAMA_HOST is read as its own package reads it."""
    assert address(said)[0] == url

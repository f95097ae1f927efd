"""What goes wrong at Ollama: one text, the model, the server, or what is taken for one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.index.hash_embedder import numbers_of
from tests.index.ollama_pages import asked_by_default, embed, embedded, failed, texts, to_embed
from tests.index.servers.json_server import Asked, Reply, Unanswered
from tests.index.servers.ollama import Limit, OllamaServer, hashed

from memoryfield_index.embedders import Options, choose
from memoryfield_index.embedders.texts import dense_text
from memoryfield_readers.errors import EmbedderUnavailable


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    with asked_by_default(monkeypatch) as running:
        yield running


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Reply(500, {"error": "failed to encode response: json: unsupported value: NaN"}), "NaN"),
        (Reply(500, {"error": "llama runner\nprocess\x1b[31m has terminated"}), "terminated"),
        (Reply(400, {"error": "I do not like it"}), "do not like"),
        (Reply(200, {"embeddings": []}), "0 embeddings came for 1"),
        (Reply(200, {"embeddings": [[]]}), "0 numbers instead of 768"),
        (Reply(200, {"embedding": [1.0]}), "not one to /api/embed"),
        (Reply(200, {"embeddings": [[0.0] * 768]}), "nothing but zeros"),
        (Reply(200, {"embeddings": [[float("nan")] * 768]}), "not finite"),
        (Reply(200, "<html>"), "not one to /api/embed"),
    ],
    ids=["nan", "crash", "refused", "none", "empty", "old", "zeros", "not-finite", "html"],
)
def test_one_bad_text_fails_alone(server: OllamaServer, bad: Reply, reason: str) -> None:
    """The batch that it was in is not lost, and what is said of it is one line."""

    def fault(asked: Asked) -> Reply | None:
        return bad if to_embed(asked) and "poison" in str(asked.body["input"]) else None

    server.fault = fault
    first, second, third = embed(b"one", b"poison", b"three")
    assert reason in failed(second)
    assert failed(second).isprintable()
    assert embedded(first) == 3
    assert embedded(third) == 5


def test_too_few_vectors_for_a_batch_are_not_guessed_at(server: OllamaServer) -> None:
    """Where a batch comes back short, every page is asked for alone."""

    def short(asked: Asked) -> Reply | None:
        if to_embed(asked) and len(asked.body["input"]) > 1:
            return Reply(200, {"embeddings": [hashed(t) for t in asked.body["input"][1:]]})
        return None

    expected = embed(b"one", b"two", b"three")
    server.fault = short
    assert embed(b"one", b"two", b"three") == expected


def test_a_page_that_is_no_text_fails_alone(server: OllamaServer) -> None:
    """Bytes that are no UTF-8 are not sent."""
    first, second = embed(b"\xff\xfe", b"two")
    assert failed(first) == "not UTF-8 (at byte 0)"
    assert embedded(second) == 3


def test_no_pages_ask_nothing(server: OllamaServer) -> None:
    """An empty list loads no model."""
    assert embed() == []
    assert server.embedded == []


@pytest.mark.parametrize("limit", list(Limit), ids=lambda limit: limit.name.lower())
def test_a_limit_that_cannot_be_found_out_is_no_failure(server: OllamaServer, limit: Limit) -> None:
    """Where the text that finds it out gives NaN, each long page is looked at instead."""
    bad = Reply(500, {"error": "failed to encode response: json: unsupported value: NaN"})
    finding = dense_text(8192)

    def fault(asked: Asked) -> Reply | None:
        return bad if any(finding in text for text in texts(asked)) else None

    server.fault, server.limit = fault, limit
    long, fitting = embed(b"word " * 2000, b"word " * 700)
    assert (embedded(long), embedded(fitting)) == (2048, 3500)
    assert any(finding in text for asked in server.asked for text in texts(asked))


def test_a_long_page_whose_end_is_not_certain_is_halved(server: OllamaServer) -> None:
    """What is said of how much was embedded is never more than is known."""
    server.limit = Limit.ALWAYS_CUT
    zeros = Reply(200, {"embeddings": [[0.0] * 768]})

    def fault(asked: Asked) -> Reply | None:
        followed = any("word" in text and "Stornoway" in text for text in texts(asked))
        return zeros if followed else None

    server.fault = fault
    (page,) = embed(b"word " * 700)
    assert embedded(page) == 1750


def test_another_model_under_a_known_name_is_told(server: OllamaServer) -> None:
    """Vectors of a wrong size are not stored page by page as failures, they stop it all."""
    server.numbers = lambda text: numbers_of(text, 48)
    with pytest.raises(EmbedderUnavailable, match="48 numbers instead of 768") as raised:
        embed(b"one", b"two")
    assert raised.value.exit_code == 4


def test_a_server_that_embeds_nothing_is_told_at_once(server: OllamaServer) -> None:
    """Not every page of a field is tried where none can succeed."""
    server.fault = lambda asked: Reply(500, {"error": "no memory"}) if to_embed(asked) else None
    with pytest.raises(EmbedderUnavailable, match=r"embeds nothing: .*no memory"):
        embed(*[f"page {number}".encode() for number in range(50)])
    assert len(server.embedded) == 1


def test_a_server_that_falls_over_on_the_way_is_told(server: OllamaServer) -> None:
    """A page is only called bad while another text can be embedded."""
    embedder = choose("ollama")
    embedder.documents([b"fine"])
    server.fault = lambda asked: Reply(500, {"error": "no memory"}) if to_embed(asked) else None
    with pytest.raises(EmbedderUnavailable, match="embeds nothing"):
        embedder.documents([b"one", b"two"])
    embedder.close()


def test_a_busy_server_is_waited_for(server: OllamaServer) -> None:
    """It is asked again a few times, and then no more."""
    replies: list[Any] = [Reply(503, {"error": "server busy"})] * 3
    server.fault = lambda asked: replies.pop() if to_embed(asked) and replies else None
    assert embedded(embed(b"page")[0]) == 4
    server.fault = lambda asked: Reply(503, {"error": "server busy"}) if to_embed(asked) else None
    server.asked = []
    with pytest.raises(EmbedderUnavailable, match="is busy: 503 server busy"):
        embed(b"page")
    assert len(server.embedded) == 4


def test_a_connection_that_breaks_is_tried_again(server: OllamaServer) -> None:
    """Once is nothing; always is an error."""
    breaks = [True]

    def fault(asked: Asked) -> Reply | None:
        if to_embed(asked) and breaks:
            breaks.pop()
            raise Unanswered
        return None

    server.fault = fault
    assert embedded(embed(b"page")[0]) == 4
    breaks.extend([True] * 10)
    with pytest.raises(EmbedderUnavailable, match="connection broke"):
        embed(b"page")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Reply(404, "404 page not found"), "is no Ollama"),
        (Reply(200, "<html>hello</html>"), "is no Ollama"),
        (Reply(200, [1, 2]), "is no Ollama"),
        (Reply(401, {"error": "unauthorized"}), "or refuses"),
    ],
    ids=["404", "html", "list", "401"],
)
def test_another_server_is_no_ollama(server: OllamaServer, fault: Reply, message: str) -> None:
    """What answers there is told in one line."""
    server.fault = lambda asked: fault
    with pytest.raises(EmbedderUnavailable, match=message) as raised:
        choose("ollama")
    assert raised.value.message.isprintable()
    assert raised.value.hint


def test_an_ollama_without_embed_is_to_be_updated(server: OllamaServer) -> None:
    """Versions before 0.3 have only `/api/embeddings`, whose vectors are others."""
    server.fault = lambda asked: Reply(404, "404 page not found") if to_embed(asked) else None
    with pytest.raises(EmbedderUnavailable, match="no /api/embed") as raised:
        embed(b"page")
    assert raised.value.hint == "update Ollama"
    assert not [each for each in server.asked if each.path == "/api/embeddings"]


def test_nothing_that_listens_is_told(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is in the message, what to run in the hint."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(EmbedderUnavailable, match=r"does not answer at http://127\.0\.0\.1:9"):
        choose("ollama")
    monkeypatch.setenv("OLLAMA_HOST", "http://me:secret@127.0.0.1:port")
    with pytest.raises(EmbedderUnavailable, match=r"127\.0\.0\.1:port' is no address") as raised:
        choose("ollama")
    assert "secret" not in raised.value.message


def test_no_proxy_stands_before_this_machine(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the environment, which would not reach it, is not asked."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert embedded(embed(b"page")[0]) == 4


def test_the_first_answer_may_take_longer(server: OllamaServer) -> None:
    """The model is loaded with it; later ones have the usual time."""
    loaded = threading.Event()

    def slow(asked: Asked) -> Reply | None:
        if to_embed(asked):
            loaded.wait(60)
        return None

    server.fault = slow
    embedder = choose("ollama", Options(first_wait=60, wait=0.5))
    loading = threading.Timer(1.0, loaded.set)
    loading.start()
    assert len(embedder.query("what?")) == 768 * 4
    loading.join()
    loaded.clear()
    with pytest.raises(EmbedderUnavailable, match="takes too long"):
        embedder.query("what?")
    loaded.set()
    embedder.close()

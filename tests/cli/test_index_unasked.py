"""What an index says of its maker starts nothing but what runs here, and sends nothing away."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tests.cli.command import call
from tests.index.fields import INDEX, MODEL, ModelEmbedder, build, change, folder, foreign, pages
from tests.index.servers.ollama import OllamaServer
from tests.index.servers.openai import OpenAIServer
from tests.index.surroundings import nothing_said

from memoryfield_index.values import Recipe

KEY = "sk-of-the-person"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_said(monkeypatch)
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = folder(tmp_path / "field", pages(2))
    build(place)
    return place


def says(place: Path, recipe: Recipe) -> None:
    """Let the index say that it was made so."""
    text = json.dumps(asdict(recipe)).replace("'", "''")
    change(place / INDEX, f"UPDATE meta SET value = '{text}' WHERE key = 'recipe'")


@pytest.mark.parametrize("command", [("index", "verify", "--sample", "1"), ("search",)])
@pytest.mark.parametrize(
    ("embedder", "model"),
    [
        ("openai", "{url}#mine-v1"),
        ("openai:{url}#mine-v1", "mine-v1"),
        ("openai", MODEL),
        ("plugin", MODEL),
        ("ollama", "{url}"),
    ],
    ids=["address", "address-in-the-embedder", "model", "plugin", "address-at-ollama"],
)
def test_no_key_page_or_question_goes_where_an_index_says(
    embedder: str,
    model: str,
    command: tuple[str, ...],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither to a host that it names nor, unasked, to the one that the person has a key for."""
    with OpenAIServer() as server:
        server.models = ["mine-v1", MODEL]
        monkeypatch.setenv("MEMORYFIELD_OPENAI_API_KEY", KEY)
        if model == MODEL:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        recipe = replace(
            ModelEmbedder().recipe,
            embedder=embedder.format(url=server.base_url),
            model=model.format(url=server.base_url),
        )
        says(place, recipe)
        done = call(*command, place, *(["woks"] if command == ("search",) else []))
        assert server.asked == []
    if command != ("search",):
        assert done.code == 4
    if model == MODEL:
        assert f"--embedder {embedder}:{MODEL}" in done.err
    assert "http://127.0.0.1" not in done.err.replace("http://127.0.0.1:11434", "")


def test_a_sample_of_an_index_of_another_tool(place: Path) -> None:
    """Its name says the model, and no embedder of another one is taken."""
    (place / INDEX).unlink()
    foreign(place / "all-mpnet-base-v2.sqlite3", [])
    done = call("index", "verify", "--sample", "1", place)
    assert done.code == 4
    assert "the embedder `local` has one model" in done.err


def test_a_model_that_only_ollama_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was built with it is searched and verified with it, and nothing has to be named."""
    place = folder(tmp_path / "own", pages(2))
    with OllamaServer() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        server.models = {"mine:latest": "1" * 64}
        for code in ((), ("--model-code", "mine-v2")):
            built = call("index", "build", place, "--embedder", "ollama:mine", *code)
            assert built.code == 0
            done = call("search", "--format", "json", place, "Woks 1")
            assert (done.code, done.err) == (0, "")
            assert done.json["ranking"] == "semantic"
            verified = call("index", "verify", "--sample", "2", place)
            assert (verified.code, "sound" in verified.out) == (0, True)
            for index in place.glob("*.sqlite3"):
                index.unlink()


@pytest.mark.parametrize("way", ["--lexical", "--hybrid"])
def test_a_search_without_the_library(
    way: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "apsw", None)
    done = call("search", way, place, "woks")
    assert (done.code, done.stdout) == (4, b"")
    assert 'pip install "memoryfield-kit[index]"' in done.err

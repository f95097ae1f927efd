"""Which embedder is taken: by name, by what is at hand, or from another package."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.index.hash_embedder import HashEmbedder
from tests.index.servers.json_server import Asked, Reply
from tests.index.servers.ollama import OllamaServer
from tests.index.surroundings import nothing_said

from memoryfield_index.embedders import Options, choose
from memoryfield_readers.errors import EmbedderUnavailable


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Ollama answers, and fastembed is as good as not installed."""
    nothing_said(monkeypatch)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "fastembed", None)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    with OllamaServer() as running:
        monkeypatch.setenv("OLLAMA_HOST", running.url)
        yield running


def without_local(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave only what stands in the rooms on the path: no package is installed."""
    kept = [each for each in sys.path if "site-packages" not in each]
    monkeypatch.setattr(sys, "path", kept)


def test_ollama_is_taken_where_it_answers(server: OllamaServer) -> None:
    """And that is said."""
    said: list[str] = []
    embedder = choose("auto", say=said.append)
    assert said == ["embedder: ollama, model nomic-embed-text-v1.5"]
    embedder.close()


def test_else_what_is_installed_is(server: OllamaServer) -> None:
    """It says which, and what was wrong with the others."""
    server.models = {}
    said: list[str] = []
    embedder = choose(say=said.append)
    assert embedder.recipe.embedder == "local"
    (line,) = said
    assert line.startswith("embedder: local, model multilingual-e5-small (Ollama at ")
    assert "does not have the model nomic-embed-text:v1.5" in line
    assert "fastembed, which is not installed" in line


def test_nothing_is_imported_for_a_server_that_does_not_listen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether it listens is seen before its package, which takes long to import, is needed."""
    monkeypatch.setitem(sys.modules, "ollama", None)
    with pytest.raises(EmbedderUnavailable, match="does not answer"):
        choose("ollama")


def test_a_certain_model_is_looked_for(server: OllamaServer) -> None:
    """With a model code, the first embedder that has that very model is taken."""
    assert choose("auto:multilingual-e5-small").recipe.embedder == "local"
    embedder = choose("auto:nomic-embed-text-v1.5")
    assert embedder.recipe.embedder == "ollama"
    embedder.close()
    with pytest.raises(EmbedderUnavailable, match="no embedder") as raised:
        choose("auto:bge-m3")
    assert "`ollama pull bge-m3`" in str(raised.value.hint)


def test_vectors_of_two_embedders_are_never_mixed() -> None:
    """One model with two embedders, or with other limits, is two recipes."""
    local = choose("local").recipe
    shorter = choose("local", Options(most_bytes=100)).recipe
    assert len({local.key, shorter.key, replace(local, embedder="ollama").key}) == 3


def test_an_ollama_that_hangs_is_passed_over(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not waited for long: something else embeds."""
    from memoryfield_index.embedders import ollama_server

    over = threading.Event()

    def hang(asked: Asked) -> Reply | None:
        over.wait(60)
        return None

    monkeypatch.setattr(ollama_server, "_LISTING_WAIT", 0.2)
    server.fault = hang
    assert choose().recipe.embedder == "local"
    over.set()


def test_without_any_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once: nothing is tried for long, and the hint says all that would help."""
    without_local(monkeypatch)
    with pytest.raises(EmbedderUnavailable, match="there is no embedder: Ollama") as raised:
        choose()
    assert raised.value.exit_code == 4
    assert raised.value.hint == (
        '`pip install "memoryfield-kit[local]"` or `pip install "memoryfield-kit[fastembed]"`'
        " or `ollama serve`"
    )


def test_packages_that_are_missing_are_named(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each embedder says which extra it needs."""
    monkeypatch.setitem(sys.modules, "ollama", None)
    for name in ("ollama", "fastembed"):
        with pytest.raises(EmbedderUnavailable, match=f"needs the package {name}") as raised:
            choose(name)
        assert raised.value.hint == f'pip install "memoryfield-kit[{name}]"'


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that brings two embedders, one of which cannot be loaded."""
    made = tmp_path / "my_embedders.py"
    made.write_text(
        "from tests.index.hash_embedder import HashEmbedder\n"
        "def mine(model, options):\n"
        "    return HashEmbedder(model=model or 'mine-v1')\n"
    )
    information = tmp_path / "my_embedders-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: my-embedders\nVersion: 1\n")
    (information / "entry_points.txt").write_text(
        "[memoryfield.embedders]\n"
        "mine = my_embedders:mine\n"
        "broken = my_embedders:absent\n"
        "local = my_embedders:mine\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("my_embedders", None)


def test_another_package_can_bring_one(plugins: None) -> None:
    """It is asked for by name, with a model or without, and takes the place of none of ours."""
    said: list[str] = []
    embedder = choose("mine", say=said.append)
    assert said == ["embedder: hash, model mine-v1"]
    assert type(embedder).__name__ == HashEmbedder.__name__
    assert choose("mine:other-v2").recipe.model == "other-v2"
    assert choose("local").recipe.embedder == "local"


def test_a_plugin_that_cannot_be_loaded_is_named(plugins: None) -> None:
    """With where it was looked for."""
    with pytest.raises(EmbedderUnavailable, match=r"'broken' \(my_embedders:absent\)"):
        choose("broken")


def test_an_unknown_name_is_told_the_known_ones(plugins: None) -> None:
    """Those of this room, and of other packages."""
    with pytest.raises(EmbedderUnavailable, match="no embedder 'olama'") as raised:
        choose("olama:nomic")
    hint = "the embedders here are auto, ollama, openai, fastembed, local, broken, mine"
    assert raised.value.hint == hint

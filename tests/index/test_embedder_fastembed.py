"""The embedder `fastembed`, up to the point where it would download a model.

The package itself is looked at where it is installed; what it does with texts is played by a module
of the same name.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from types import ModuleType

import pytest
from tests.index.servers.ollama import hashed

from memoryfield_index.embedders import choose
from memoryfield_index.values import Embedding, Failed
from memoryfield_readers.errors import EmbedderUnavailable

NAME = "nomic-ai/nomic-embed-text-v1.5"
MOST = 4096
"""So many bytes of a text the stand-in sees."""


class Played:
    """`fastembed.TextEmbedding`: not normalised, and it cuts without a word."""

    embedded: list[str]
    asked: list[tuple[str, bool]]

    def __init__(self, name: str, *, local_files_only: bool) -> None:
        self.asked.append((name, local_files_only))
        self.dimension = 768 if name == NAME else 384

    def embed(self, texts: Iterable[str]) -> Iterator[array[float]]:
        """Rows that are long, and know only `tolist`, as those of numpy do."""
        for text in texts:
            self.embedded.append(text)
            if "poison" in text:
                raise RuntimeError("the session\nfell over")
            seen = text.encode("utf-8")[:MOST].decode("utf-8", "ignore")
            yield array("d", [7 * number for number in hashed(seen)[: self.dimension]])


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> type[Played]:
    Played.embedded, Played.asked = [], []
    module = ModuleType("fastembed")
    module.TextEmbedding = Played  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fastembed", module)
    return Played


def test_the_common_model_is_taken_and_never_downloaded(played: type[Played]) -> None:
    """It is only looked for on this machine."""
    embedder = choose("fastembed")
    assert played.asked == [(NAME, True)]
    recipe = embedder.recipe
    assert (recipe.model, recipe.model_digest) == ("nomic-embed-text-v1.5", NAME)
    assert (recipe.embedder, recipe.normalised) == ("fastembed", True)


def test_markers_are_put_once_and_vectors_have_length_one(played: type[Played]) -> None:
    """The package normalises no vectors of this model, and puts no marker."""
    embedder = choose("fastembed:nomic-embed-text-v1.5")
    (page,) = embedder.documents([b"tea"])
    assert isinstance(page, Embedding)
    assert len(embedder.query("tea?")) == 4 * 768
    assert played.embedded[-2:] == ["search_document: tea", "search_query: tea?"]


def test_a_silent_cut_is_found(played: type[Played]) -> None:
    """A page that the model would not see to its end is halved, and that is known."""
    embedder = choose("fastembed:bge-small-en-v1.5")
    long, bad, short = embedder.documents([b"word of " * 900, b"poison", b"short"])
    assert isinstance(long, Embedding)
    assert long.bytes_embedded == 3600
    assert bad == Failed("the session fell over")
    assert isinstance(short, Embedding)


def test_what_the_common_model_takes_is_not_found_out(played: type[Played]) -> None:
    """It takes as many tokens as a page has bytes; to find that out would take it long."""
    (page,) = choose("fastembed").documents([b"tea " * 2048])
    assert isinstance(page, Embedding)
    assert page.bytes_embedded == 8192
    assert len(played.embedded) == 2  # one to see that anything can be embedded


def test_an_unknown_model_is_told_the_known_ones(played: type[Played]) -> None:
    """Those of the table that the package has."""
    with pytest.raises(EmbedderUnavailable, match="'mine' is not known") as raised:
        choose("fastembed:mine")
    assert "bge-small-en-v1.5" in str(raised.value.hint)


def test_a_model_that_is_not_there_is_to_be_downloaded(
    played: type[Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint is the line that does it."""

    def absent(self: Played, name: str, *, local_files_only: bool) -> None:
        raise ValueError(f"Could not load model {name} from any source")

    monkeypatch.setattr(Played, "__init__", absent)
    with pytest.raises(EmbedderUnavailable, match="does not have the model") as raised:
        choose("fastembed")
    line = f"python -c \"from fastembed import TextEmbedding; TextEmbedding('{NAME}')\""
    assert raised.value.hint == line


def test_the_real_package_downloads_nothing(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """With an empty cache it is known at once that there is no model; nothing is printed."""
    pytest.importorskip("fastembed")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path_factory.mktemp("models")))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EmbedderUnavailable, match="does not have the model"):
        choose("fastembed")
    assert capfd.readouterr() == ("", "")

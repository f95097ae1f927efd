"""`--index`: an edit brings the vector indexes up to date in the same step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import call
from tests.index.fields import INDEX, ModelEmbedder, build, folder, pages, query

from memoryfield_index import embedders
from memoryfield_index.values import Embedder
from memoryfield_readers.errors import EmbedderUnavailable

NAMES = "SELECT filename FROM pages ORDER BY filename"


class Local(ModelEmbedder):
    """The cheap embedder, as one that an index may start."""

    def __init__(self, failing: tuple[bytes, ...] = ()) -> None:
        super().__init__(failing=failing)
        self.recipe = replace(self.recipe, embedder="local")


class Chosen:
    """Stands in for the choice of an embedder, and notes what was asked for."""

    def __init__(self) -> None:
        self.embedder: ModelEmbedder = Local()
        self.names: list[str] = []
        self.missing = False

    def __call__(self, name: str, options: Any, *, say: Any) -> Embedder:
        self.names.append(name)
        if self.missing:
            raise EmbedderUnavailable("there is no embedder", hint="install one")
        return self.embedder


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Chosen:
    found = Chosen()
    monkeypatch.setattr(embedders, "choose", found)
    return found


@pytest.fixture(params=["folder", "archive"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A field with an index that is true."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    field = folder(tmp_path / "field", pages(3))
    build(field, Local())
    if request.param == "folder":
        return field
    path = tmp_path / "field.memoryfield.zip"
    assert call("pack", "--index", field, "-o", path, "--no-checksum").code == 0
    return path


def rows(place: Path, tmp_path: Path) -> list[object]:
    """The pages of which the index has a row."""
    if not place.is_dir():
        assert call("unpack", place, tmp_path / "seen").code == 0
        place = tmp_path / "seen"
    return [name for (name,) in query(place / INDEX, NAMES)]


def test_rows_of_changed_pages_go(place: Path, chosen: Chosen, tmp_path: Path) -> None:
    """Without the option, no embedder is asked for."""
    assert call("write", place, "page-001.md", stdin=b"# Pans\n").code == 0
    assert call("new", place, "Pots").code == 0
    assert rows(place, tmp_path) == ["page-000.md", "page-002.md"]
    assert chosen.names == []


def test_indexes_are_built_anew(place: Path, chosen: Chosen, tmp_path: Path) -> None:
    """By the embedder that made them, for the pages that changed and no other."""
    done = call("write", "--index", place, "page-001.md", stdin=b"# Pans\n")
    assert done.code == 0, done.err
    assert chosen.names == ["local:nomic-embed-text-v1.5"]
    assert [each for each in chosen.embedder.embedded if b"# Pans" in each] == [
        call("read", "--raw", place, "page-001.md").stdout
    ]
    assert len(chosen.embedder.embedded) == 1
    assert call("new", "--index", place, "Pots").code == 0
    assert call("index", "verify", place).code == 0
    assert rows(place, tmp_path) == ["page-000.md", "page-001.md", "page-002.md", "pots.md"]


def test_an_embedder_that_cannot_be_had(place: Path, chosen: Chosen) -> None:
    """Then nothing changes."""
    before = call("digest", place).out
    chosen.missing = True
    done = call("rm", "--index", place, "page-001.md")
    assert (done.code, done.out) == (4, "")
    assert "there is no embedder" in done.err
    assert call("digest", place).out == before


def test_an_embedder_that_an_index_may_not_start(tmp_path: Path, chosen: Chosen) -> None:
    """What sends pages elsewhere is named by a person."""
    field = folder(tmp_path / "field", pages(2))
    build(field, ModelEmbedder())
    before = call("digest", field).out
    done = call("new", "--index", field, "Pots")
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith(f"memoryfield: {INDEX}: made with hash:")
    assert "memoryfield index build" in done.err
    assert chosen.names == []
    assert call("digest", field).out == before


def test_pages_that_have_no_vector_are_named(place: Path, chosen: Chosen) -> None:
    """The edit is done all the same."""
    chosen.embedder = Local(failing=(b"Pots",))
    done = call("new", "--index", place, "Pots")
    assert (done.code, done.out) == (0, "pots.md\n")
    assert "memoryfield: pots.md: has no vector: failed on command\n" in done.err


def test_a_field_without_an_index(tmp_path: Path, chosen: Chosen) -> None:
    """That is said."""
    field = folder(tmp_path / "field", pages(1))
    done = call("new", "--index", field, "Pots")
    assert done.code == 0
    assert "there is no vector index" in done.err
    assert chosen.names == []

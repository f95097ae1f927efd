"""`memoryfield cache` shows, proves and clears the indexes and vectors that stand in the cache."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import call
from tests.index.fields import INDEX, ModelEmbedder, change, pages, vector

from memoryfield_index.building import rebuild
from memoryfield_index.places import place_for
from memoryfield_index.searching import large
from memoryfield_index.searching.cosine import NAME, give_cosine
from memoryfield_index.storage import open_index
from memoryfield_index.vectors import VectorCache
from memoryfield_readers import open_field
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """An index and a file of vectors in a cache."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    archive = tmp_path / "notes.memoryfield.zip"
    archive.write_bytes(zip_bytes(*(ZipEntry(name, raw) for name, raw in pages(3).items())))
    embedder = ModelEmbedder()
    with open_field(archive) as field, closing(VectorCache.default(embedder.recipe)) as vectors:
        index = place_for(field, embedder.recipe.model)
        rebuild(field, embedder, index, vectors=vectors)
        assert vectors.path is not None
        return index, vectors.path


def sizes(paths: tuple[Path, Path]) -> list[int]:
    return [path.stat().st_size for path in paths]


def answer(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = call("cache", *arguments, "--format", "json")
    assert done.code == code, done.err
    told: dict[str, Any] = done.json
    return told


def test_they_are_shown(made: tuple[Path, Path]) -> None:
    lines = call("cache", "info").out.splitlines()
    assert [line.split(" (")[0] for line in lines[3:5]] == ["indexes     1", "vectors     1"]
    told = answer("info")
    assert [told["indexes"], told["vectors"]] == [1, 1]
    assert [told["index_bytes"], told["vector_bytes"]] == sizes(made)


def test_they_are_cleared(made: tuple[Path, Path]) -> None:
    """With what a killed build has left; what the cache did not make stays."""
    index, vectors = made
    unfinished = index.with_name(f".{INDEX}.0123456789abcdef.new")
    unfinished.write_bytes(b"begun")
    alone = index.parent.with_name("ab" * 32) / unfinished.name
    alone.parent.mkdir()
    alone.write_bytes(b"begun")
    mine = vectors.with_name("mine.sqlite3")
    mine.write_bytes(b"mine")
    done = call("cache", "clear", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "removed 2 files of indexes and vectors (" in done.out
    assert done.out.endswith("), 0 bytes left\n")
    assert list(index.parents[1].iterdir()) == []
    assert list(vectors.parent.iterdir()) == [mine]
    told = answer("clear", "--yes")
    assert told["indexes_and_vectors"] == {"files": 0, "bytes": 0, "left": 0}


def test_they_are_pruned(made: tuple[Path, Path]) -> None:
    """They have a size of their own; one that is said is for all that there is."""
    assert answer("prune")["indexes_and_vectors"] == {
        "files": 0,
        "bytes": 0,
        "left": sum(sizes(made)),
    }
    most = sum(sizes(made)) - 1
    told = answer("prune", "--max-size", str(most))["indexes_and_vectors"]
    assert told["files"] == 1
    assert told["left"] <= most
    assert sum(path.exists() for path in made) == 1


def test_all_is_well(made: tuple[Path, Path]) -> None:
    done = call("cache", "verify")
    assert (done.code, done.err) == (0, "")
    assert done.out == "0 objects and 2 files of indexes and vectors, none damaged\n"
    assert answer("verify")["indexes_and_vectors"] == 2


@pytest.mark.parametrize(
    ("which", "statement", "reason"),
    [
        (0, "UPDATE pages SET embedding = zeroblob(3072)", "zeros"),
        (0, "UPDATE pages SET sha256_hash = 'none'", "not whole"),
        (0, None, "header of SQLite"),
        (1, "UPDATE vectors SET vector = zeroblob(3072)", "not as it was put there"),
        (1, "UPDATE vectors SET bytes_embedded = 'many'", "not as it was put there"),
        (1, None, "cannot be read as a database"),
    ],
    ids=["vector", "row", "index", "kept-vector", "kept-row", "kept-file"],
)
def test_damage_is_named_and_removed(
    which: int, statement: str | None, reason: str, made: tuple[Path, Path]
) -> None:
    """It is exit 3, and stays unless it is to be removed."""
    damaged, sound = made[which], made[1 - which]
    if statement is None:
        damaged.write_bytes(b"no database")
    else:
        change(damaged, statement)
    [told] = answer("verify", code=3)["damaged"]
    assert (told["path"], told["removed"]) == (str(damaged), False)
    assert reason in told["message"]
    done = call("cache", "verify", "--remove")
    assert done.code == 3
    assert f"{damaged}: {told['message']}, and was removed\n" in done.out
    assert (damaged.exists(), sound.exists()) == (False, True)
    assert call("cache", "verify").code == 0


def test_what_cannot_be_removed(made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, is exit 4, and keeps nothing else from going."""
    index, vectors = made
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path == index:
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    done = call("cache", "clear", "--yes")
    assert done.code == 4
    assert f"not all could be removed: {index}: permission denied" in done.err
    assert (index.exists(), vectors.exists()) == (True, False)


def test_tables_of_large_indexes(
    made: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made by searching, and are looked after as indexes are."""
    monkeypatch.setattr(large, "MANY", 2)
    with open_index(made[0], prepare=give_cosine, functions=(NAME,)) as index:
        assert len(list(large.nearest_of_any(index, "some", vector()))) == 3
    [table] = (tmp_path / "cache").joinpath(*large.FOLDER).iterdir()
    assert answer("info")["indexes"] == 2
    assert call("cache", "verify").out.endswith("3 files of indexes and vectors, none damaged\n")
    content = table.read_bytes()
    table.write_bytes(content[: len(content) // 2])
    [told] = answer("verify", "--remove", code=3)["damaged"]
    assert (told["path"], told["removed"]) == (str(table), True)
    table.write_bytes(content)
    table.with_name(f".{table.name}.0123456789abcdef.new").write_bytes(b"begun")
    assert answer("clear", "--yes")["indexes_and_vectors"]["files"] == 3
    assert list(table.parent.iterdir()) == []

"""The cache does not grow for ever, and loses nothing that it did not make."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.index.fields import INDEX, ModelEmbedder, folder, page, pages

from memoryfield_index import pruning
from memoryfield_index.building import rebuild
from memoryfield_index.places import place_for
from memoryfield_index.pruning import prune
from memoryfield_readers import open_field
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes


def made(root: Path, *names: str) -> list[Path]:
    """Files of 100 bytes, made one after the other."""
    paths = [root / name for name in names]
    for age, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(100))
        os.utime(path, (1000 + age, 1000 + age))
    return paths


def hashed(digit: str) -> str:
    return digit * 64


def test_what_was_made_longest_ago_goes_first(tmp_path: Path) -> None:
    old, kept, vectors, new = made(
        tmp_path,
        f"indexes/v1/{hashed('a')}/{INDEX}",
        f"indexes/v1/{hashed('b')}/{INDEX}",
        f"vectors/v1/{hashed('c')}.sqlite3",
        f"indexes/v1/{hashed('d')}/{INDEX}",
    )
    prune(tmp_path, [kept], most=200)
    assert [path.exists() for path in (old, kept, vectors, new)] == [False, True, False, True]
    assert not old.parent.exists()
    prune(tmp_path, [kept], most=200)
    assert new.exists()


def test_side_files_go_with_it(tmp_path: Path) -> None:
    name = f"vectors/v1/{hashed('a')}.sqlite3"
    made(tmp_path, name, f"{name}-journal")
    prune(tmp_path, [], most=0)
    assert os.listdir(tmp_path / "vectors" / "v1") == []


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    """Other names, other folders, and whatever a link leads to."""
    others = made(
        tmp_path,
        "other.sqlite3",
        "indexes/v1/notes/x.sqlite3",
        f"indexes/v1/{hashed('a')}/notes.md",
        "vectors/v1/notes.sqlite3",
        "mine/x.sqlite3",
    )
    (tmp_path / "indexes" / "v1" / hashed("b")).symlink_to(tmp_path / "mine")
    (tmp_path / "vectors" / "v1" / f"{hashed('c')}.sqlite3").symlink_to(others[0])
    prune(tmp_path, [], most=0)
    assert all(path.exists() for path in others)


def test_there_is_no_cache(tmp_path: Path) -> None:
    prune(tmp_path / "none", [], most=0)
    assert os.listdir(tmp_path) == []


def test_a_build_in_the_cache_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has made itself stays."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(pruning, "MOST_BYTES", 0)
    paths = []
    for number in range(2):
        files = {**pages(2), "new.md": page(number)}
        content = zip_bytes(*(ZipEntry(name, raw) for name, raw in files.items()))
        with open_field(content) as field:
            paths.append(
                rebuild(field, ModelEmbedder(), place_for(field, ModelEmbedder().recipe.model)).path
            )
    assert [path.exists() for path in paths] == [False, True]
    assert len(os.listdir(tmp_path / "cache" / "vectors" / "v1")) == 1


def test_a_build_in_a_field_removes_nothing(tmp_path: Path) -> None:
    place = folder(tmp_path / "field", pages(1))
    [mine] = made(place, f"indexes/v1/{hashed('a')}/{INDEX}")
    with open_field(place) as field:
        rebuild(field, ModelEmbedder(), place / INDEX)
    assert mine.exists()

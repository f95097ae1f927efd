"""Vectors are kept for the next build; whatever is wrong with them there, nothing goes wrong."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread

import apsw
import pytest
from tests.index.fields import query, vector
from tests.index.hash_embedder import RECIPE

from memoryfield_index.values import Embedding, Recipe
from memoryfield_index.vectors import VectorCache

PAGE = hashlib.sha256(b"page").hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()
KEPT = Embedding(vector(2.0, dimension=RECIPE.dimension), 7)


def put(folder: Path | None, page: str = PAGE, embedding: Embedding = KEPT) -> tuple[str, ...]:
    with closing(VectorCache(RECIPE, folder)) as vectors:
        vectors.put({page: embedding})
    return vectors.notes


def get(folder: Path | None, page: str = PAGE) -> Embedding | None:
    with closing(VectorCache(RECIPE, folder)) as vectors:
        return vectors.get([page]).get(page)


def file_in(folder: Path) -> Path:
    return folder / f"{RECIPE.key}.sqlite3"


def test_what_was_put_is_there(tmp_path: Path) -> None:
    assert put(tmp_path / "v") == ()
    assert get(tmp_path / "v") == KEPT
    assert get(tmp_path / "v", OTHER) is None
    assert os.listdir(tmp_path / "v") == [file_in(tmp_path).name]


OTHER_RECIPES = {
    "model": replace(RECIPE, model="other"),
    "marker": replace(RECIPE, document_prefix="passage: "),
    "embedder": replace(RECIPE, embedder="other"),
    "files": replace(RECIPE, model_digest="sha256:0"),
    "cut": replace(RECIPE, most_bytes=1),
}


@pytest.mark.parametrize("other", OTHER_RECIPES.values(), ids=OTHER_RECIPES)
def test_recipes_are_never_mixed(other: Recipe, tmp_path: Path) -> None:
    put(tmp_path)
    with closing(VectorCache(other, tmp_path)) as vectors:
        assert vectors.get([PAGE]) == {}


def test_without_a_folder_nothing_is_kept() -> None:
    assert put(None) == ()
    assert get(None) is None


@pytest.mark.parametrize(
    "damage",
    [
        f"vector = x'{vector(3.0, dimension=RECIPE.dimension).hex()}'",
        "vector = x'00'",
        "vector = 'text'",
        "bytes_embedded = 8",
        "bytes_embedded = 'x'",
        "proof = x'00'",
        f"page = x'{OTHER}'",
    ],
)
def test_what_is_not_as_it_was_put_is_not_used(damage: str, tmp_path: Path) -> None:
    """A flipped byte, or another page's vector: it is made again, and replaced."""
    put(tmp_path)
    with closing(apsw.Connection(str(file_in(tmp_path)))) as database:
        database.execute(f"UPDATE vectors SET {damage}")
    assert (get(tmp_path), get(tmp_path, OTHER)) == (None, None)
    put(tmp_path)
    assert get(tmp_path) == KEPT


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_file_that_is_damaged_is_made_again(content: bytes, tmp_path: Path) -> None:
    file_in(tmp_path).write_bytes(content)
    put(tmp_path)
    assert get(tmp_path) == KEPT


def test_a_file_with_other_tables_is_made_again(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(file_in(tmp_path)))) as database:
        database.execute("CREATE TABLE vectors(x)")
    put(tmp_path)
    assert get(tmp_path) == KEPT


def test_a_torn_file_is_noticed_sooner_or_later(tmp_path: Path) -> None:
    """Nothing wrong is handed out, and nothing is raised."""
    pages = {hashlib.sha256(bytes([n])).hexdigest(): KEPT for n in range(200)}
    with closing(VectorCache(RECIPE, tmp_path)) as vectors:
        vectors.put(pages)
    whole = file_in(tmp_path).read_bytes()
    file_in(tmp_path).write_bytes(whole[: len(whole) // 2])
    with closing(VectorCache(RECIPE, tmp_path)) as vectors:
        assert set(vectors.get(pages).values()) <= {KEPT}
        vectors.put(pages)
    with closing(VectorCache(RECIPE, tmp_path)) as vectors:
        vectors.put(pages)
    with closing(VectorCache(RECIPE, tmp_path)) as vectors:
        assert vectors.get(pages) == pages


def test_where_nothing_can_be_made_it_is_noted(tmp_path: Path) -> None:
    """A build goes on without."""
    (tmp_path / "file").write_bytes(b"")
    [note] = put(tmp_path / "file")
    assert "going on without" in note
    assert get(tmp_path / "file") is None


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    file_in(tmp_path).mkdir()
    assert len(put(tmp_path)) == 1
    assert get(tmp_path) is None


def test_many_put_at_once(tmp_path: Path) -> None:
    """Processes share the file; so do threads, each with a connection of its own."""
    pages = [hashlib.sha256(bytes([n])).hexdigest() for n in range(60)]

    def work(part: int) -> None:
        with closing(VectorCache(RECIPE, tmp_path)) as vectors:
            for page in pages[part::4]:
                vectors.put({page: KEPT})

    threads = [Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(VectorCache(RECIPE, tmp_path)) as vectors:
        assert len(vectors.get(pages)) == len(pages)


def test_the_oldest_half_makes_room(tmp_path: Path) -> None:
    """What was put last stays."""
    pages = {hashlib.sha256(bytes([n])).hexdigest(): KEPT for n in range(200)}
    with closing(VectorCache(RECIPE, tmp_path, most=20_000)) as vectors:
        vectors.put(pages)
    with closing(VectorCache(RECIPE, tmp_path)) as vectors:
        assert list(vectors.get(pages)) == list(pages)[100:]
    size = file_in(tmp_path).stat().st_size
    again = {hashlib.sha256(b"again%d" % n).hexdigest(): KEPT for n in range(90)}
    with closing(VectorCache(RECIPE, tmp_path, most=20_000)) as vectors:
        vectors.put(again)
    assert file_in(tmp_path).stat().st_size <= size
    assert query(file_in(tmp_path), "SELECT count(*) FROM vectors") == [(95,)]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_nobody_else_looks_into_the_folder(tmp_path: Path) -> None:
    put(tmp_path / "deep" / "v")
    assert (tmp_path / "deep" / "v").stat().st_mode & 0o777 == 0o700

"""An index holds nothing that is unsound, and takes the place of the old one at once."""

from __future__ import annotations

import hashlib
import math
import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.index.fields import (
    DIMENSION,
    INDEX,
    GivingEmbedder,
    ModelEmbedder,
    build,
    change,
    folder,
    foreign,
    page,
    pages,
    query,
    vector,
)

from memoryfield_index.building import rebuild
from memoryfield_index.values import Embedding, Failed
from memoryfield_readers import SourceUnavailable, open_field
from memoryfield_readers.errors import IndexMismatch
from memoryfield_validator import validate


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "field", pages(5))


def names(place: Path) -> list[str]:
    return sorted(str(name) for (name,) in query(place / INDEX, "SELECT filename FROM pages"))


UNSOUND = {
    "zeros": vector(*[0.0] * DIMENSION),
    "negative-zeros": vector(*[-0.0] * DIMENSION),
    "nan-first": vector(math.nan),
    "nan-last": vector(*[1.0] * (DIMENSION - 1), math.nan),
    "infinite": vector(1.0, -math.inf),
    "both-infinite": vector(math.inf, -math.inf),
    "short": vector()[:-4],
    "long": vector() + b"\0\0\0\0",
    "torn": vector()[:-1],
    "empty": b"",
}


@pytest.mark.parametrize("bad", UNSOUND.values(), ids=UNSOUND)
def test_no_unsound_vector_is_stored(bad: bytes, place: Path, tmp_path: Path) -> None:
    """The page fails, and neither the index nor what is kept has the vector."""

    def give(pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        return [Embedding(bad if b"Woks 1" in page else vector(), len(page)) for page in pages]

    stats = build(place, GivingEmbedder(give), kept=tmp_path / "kept")
    assert [name for name, _ in stats.failed] == ["page-001.md"]
    assert len(names(place)) == 4
    embedder = ModelEmbedder()
    build(place, embedder, kept=tmp_path / "kept")
    assert embedder.embedded == [page(1)]


@pytest.mark.parametrize("bad", UNSOUND.values(), ids=UNSOUND)
def test_no_unsound_vector_is_taken_over(bad: bytes, place: Path) -> None:
    """Whatever stands in the old index, by whatever has written there."""
    build(place)
    change(
        place / INDEX,
        f"UPDATE pages SET embedding = x'{bad.hex()}' WHERE filename = 'page-001.md'",
    )
    embedder = ModelEmbedder()
    build(place, embedder)
    assert embedder.embedded == [page(1)]


@pytest.mark.parametrize("value", [3.0e38, 1.2e-38, 5e-45, -3.4028234663852886e38])
def test_numbers_at_the_ends_are_sound(value: float, place: Path) -> None:
    """The largest and the smallest float32 are finite, and no zeros."""
    one = vector(*[value, *[0.0] * (DIMENSION - 1)])
    stats = build(place, GivingEmbedder(lambda pages: [Embedding(one, 1) for _ in pages]))
    assert stats.failed == ()


def test_another_recipe_is_never_mixed_in(place: Path) -> None:
    """An index of other vectors of the same model is built anew, and that is said."""
    build(place)
    embedder = ModelEmbedder()
    embedder.recipe = replace(embedder.recipe, document_prefix="passage: ")
    stats = build(place, embedder)
    assert (stats.embedded, stats.reused) == (5, 0)
    assert stats.anew is not None
    assert "document_prefix" in stats.anew


def test_an_index_of_unknown_recipe_is_built_anew(place: Path) -> None:
    """Nobody knows how another tool has made its vectors."""
    row = ("page-000.md", "{}", "2026-01-01", hashlib.sha256(page(0)).digest(), vector())
    foreign(place / INDEX, [row])
    stats = build(place)
    assert (stats.embedded, stats.reused) == (5, 0)
    assert stats.anew is not None
    assert "does not say" in stats.anew


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_what_is_no_index_is_replaced(content: bytes, place: Path) -> None:
    """An index is a cache."""
    (place / INDEX).write_bytes(content)
    stats = build(place)
    assert (stats.pages, stats.embedded) == (5, 5)
    assert stats.anew is not None


def test_a_torn_index_gives_what_can_be_read(tmp_path: Path) -> None:
    """Each row that was read is proved by its hash; the others are made again."""
    place = folder(tmp_path / "field", pages(30))
    build(place)
    whole = (place / INDEX).read_bytes()
    (place / INDEX).write_bytes(whole[: len(whole) // 2])
    stats = build(place)
    assert stats.pages == 30
    assert stats.anew is not None
    with open_field(place) as field:
        assert [each.rule for each in validate(field).findings] == []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A folder that has an index, and the bytes of that."""
    place = folder(tmp_path_factory.mktemp("built") / "field", pages(3))
    build(place)
    return place, (place / INDEX).read_bytes()


@settings(max_examples=40, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(16, 40_000), st.integers(0, 255)), min_size=1, max_size=8
    )
)
def test_whatever_is_damaged_is_mended(
    changes: list[tuple[int, int]], built: tuple[Path, bytes]
) -> None:
    """Whichever bytes of the old index are wrong, the new one is sound, and of these pages."""
    place, whole = built
    content = bytearray(whole)
    for offset, value in changes:
        content[offset % len(content)] = value
    (place / INDEX).write_bytes(content)
    assert build(place).pages == 3
    with open_field(place) as field:
        assert validate(field, select=["MF5"]).findings == ()


def test_a_folder_in_the_place_is_left_alone(place: Path) -> None:
    """It may hold anything."""
    (place / INDEX).mkdir()
    (place / INDEX / "mine").write_bytes(b"mine")
    with pytest.raises(SourceUnavailable, match="folder"):
        build(place)
    assert (place / INDEX / "mine").read_bytes() == b"mine"


def test_a_folder_in_the_place_of_a_side_file(place: Path) -> None:
    """Nothing in it is removed, and the old index stays."""
    build(place)
    before = (place / INDEX).read_bytes()
    (place / f"{INDEX}-wal").mkdir()
    folder(place, {"new.md": page(9)})
    with pytest.raises(SourceUnavailable, match="cannot be written"):
        build(place)
    assert (place / INDEX).read_bytes() == before
    assert sorted(os.listdir(place)) == ["new.md", INDEX, f"{INDEX}-wal", *pages(5)]


def test_a_row_without_proper_frontmatter_is_made_again(place: Path) -> None:
    """What is no JSON would break whoever reads it."""
    build(place)
    change(
        place / INDEX,
        "UPDATE pages SET frontmatter = '{' WHERE filename = 'page-000.md'",
        "UPDATE pages SET frontmatter = '[]' WHERE filename = 'page-001.md'",
    )
    assert build(place).reused == 3
    kinds = query(place / INDEX, "SELECT DISTINCT json_type(frontmatter) FROM pages")
    assert kinds == [("object",)]


def test_nothing_but_rows_is_taken_over(place: Path) -> None:
    """A trigger or a table that somebody has put into an index is not there any more."""
    build(place)
    change(
        place / INDEX,
        "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
    )
    folder(place, {"new.md": page(9)})
    assert build(place).reused == 5
    kinds = query(place / INDEX, "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL")
    assert kinds == [("pages",), ("meta",)]
    assert len(names(place)) == 6


def test_side_files_are_gone(place: Path) -> None:
    """Another database's journal is not played into the new one (MF508)."""
    build(place)
    for suffix in ("-wal", "-shm", "-journal"):
        (place / (INDEX + suffix)).write_bytes(b"left")
    assert build(place).written
    assert sorted(os.listdir(place)) == [INDEX, *pages(5)]


def test_an_index_in_wal_mode_is_written_again(place: Path) -> None:
    """It would ask for files beside it (MF508)."""
    build(place)
    change(place / INDEX, "PRAGMA journal_mode=wal")
    assert build(place).written
    with open_field(place) as field:
        assert validate(field).findings == ()


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_mode_is_kept(place: Path) -> None:
    """Whoever could read the old index can read the new one, and nobody else."""
    build(place)
    (place / INDEX).chmod(0o640)
    folder(place, {"new.md": page(9)})
    build(place)
    assert stat.S_IMODE((place / INDEX).stat().st_mode) == 0o640


def test_a_link_is_replaced_and_not_followed(place: Path, tmp_path: Path) -> None:
    """A field from elsewhere could name any file of mine."""
    mine = tmp_path / "mine"
    mine.write_bytes(b"mine")
    (place / INDEX).symlink_to(mine)
    build(place)
    assert mine.read_bytes() == b"mine"
    assert not (place / INDEX).is_symlink()
    assert len(names(place)) == 5


@pytest.mark.parametrize(
    "name",
    [
        "index.sqlite3",
        "nomic-embed-text.sqlite3",
        "nomic-embed-text-v1.5.md",
        "nomic-embed-text-v1.5",
        "nomic-embed-text-v1.5.1.sqlite3",
        "nomic-embed-text-v1.55.sqlite3",
    ],
)
def test_name_begins_with_the_model_code(name: str, place: Path) -> None:
    """Another name says nothing of what is in it, or is that of something else (MF502)."""
    with open_field(place) as field, pytest.raises(IndexMismatch):
        rebuild(field, ModelEmbedder(), place / name)
    assert sorted(os.listdir(place)) == list(pages(5))

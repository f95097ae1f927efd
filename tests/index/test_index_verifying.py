"""What is wrong with an index is found, and vectors that are made again are the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.index.fields import (
    INDEX,
    MODEL,
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
from tests.index.hash_embedder import HashEmbedder

from memoryfield_index.info import info
from memoryfield_index.storage import open_index
from memoryfield_index.values import Embedder, Embedding, Failed
from memoryfield_index.verifying import LEAST_COSINE, Verification, verify
from memoryfield_readers import NotFound, open_field
from memoryfield_readers.errors import EmbedderUnavailable, IndexMismatch


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = folder(tmp_path / "field", pages(5))
    build(path)
    return path


def verified(place: Path, embedder: Embedder | None = None, sample: int = 0) -> Verification:
    with open_field(place) as field, open_index(place / INDEX) as index:
        return verify(index, field, embedder=embedder, sample=sample)


def damage(place: Path, setting: str, number: int = 1) -> None:
    change(place / INDEX, f"UPDATE pages SET {setting} WHERE filename = 'page-{number:03d}.md'")


def test_an_index_as_it_was_built_is_sound(place: Path) -> None:
    found = verified(place)
    assert found.is_sound
    assert (found.model, found.pages, found.rows) == (MODEL, 5, 5)
    assert (found.sampled, found.mismatch) == ((), None)


def test_rows_are_held_against_pages(place: Path) -> None:
    """One page changed, one new, one gone."""
    folder(place, {"page-001.md": page(1, "Pans"), "new.md": page(9)})
    (place / "page-002.md").unlink()
    found = verified(place)
    assert not found.is_sound
    assert (found.stale, found.missing) == (("page-001.md",), ("new.md",))
    assert found.superfluous == ("page-002.md",)
    assert found.faulty == ()


def test_names_that_are_no_pages_are_superfluous(place: Path) -> None:
    statement = "UPDATE pages SET filename = '../../etc/passwd' WHERE filename = 'page-001.md'"
    change(place / INDEX, statement)
    found = verified(place)
    assert (found.superfluous, found.missing) == (("../../etc/passwd",), ("page-001.md",))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (vector(math.nan), "not finite"),
        (vector(math.inf), "not finite"),
        (bytes(4 * 768), "zeros"),
        (vector()[:-4], "bytes in place of"),
        (b"", "bytes in place of"),
    ],
    ids=["nan", "infinite", "zero", "short", "empty"],
)
def test_vectors_that_cannot_be_used(bad: bytes, reason: str, place: Path) -> None:
    damage(place, f"embedding = x'{bad.hex()}'")
    [(name, told)] = verified(place).faulty
    assert name == "page-001.md"
    assert reason in told


def test_frontmatter_that_is_not_that_of_the_page(place: Path) -> None:
    """A reader could be shown another title than the page has."""
    damage(place, """frontmatter = '{"title": "Free money"}'""")
    [(name, told)] = verified(place).faulty
    assert (name, "frontmatter" in told) == ("page-001.md", True)


def test_a_page_that_cannot_be_read(place: Path) -> None:
    """Nothing can be said of its row, and that is no good answer."""
    with open_field(place) as field, open_index(place / INDEX) as index:
        (place / "page-001.md").unlink()
        found = verify(index, field)
    assert [name for name, _ in found.unread] == ["page-001.md"]
    assert not found.is_sound


def test_vectors_made_again_agree(place: Path) -> None:
    embedder = ModelEmbedder()
    found = verified(place, embedder, sample=3)
    assert len(embedder.embedded) == len(found.sampled) == 3
    assert all(each.cosine == pytest.approx(1.0) for each in found.sampled)
    assert found.mismatch is None


def test_a_large_sample_is_all_pages(place: Path) -> None:
    told: list[tuple[str, int, int]] = []
    with open_field(place) as field, open_index(place / INDEX) as index:
        found = verify(
            index,
            field,
            embedder=ModelEmbedder(),
            sample=100,
            watch=lambda *said: told.append(said),
        )
    assert [each.name for each in found.sampled] == list(pages(5))
    assert told == [("pages", 0, 5), ("pages", 5, 5)]


def test_one_other_vector_is_a_mismatch(place: Path) -> None:
    """Its hash is that of the page, and the vector is sound: only making it again tells."""
    damage(place, f"embedding = x'{vector(-5.0).hex()}'")
    assert verified(place).is_sound
    found = verified(place, ModelEmbedder(), sample=5)
    assert [each.name for each in found.sampled if not each.agrees] == ["page-001.md"]
    assert found.mismatch is not None
    assert found.mismatch.exit_code == 3
    assert "page-001.md" in found.mismatch.message


@pytest.mark.parametrize(("angle", "agrees"), [(0.0, True), (0.14, True), (0.15, False)])
def test_how_far_vectors_may_differ(angle: float, agrees: bool, tmp_path: Path) -> None:
    """The bound is a cosine of 0.99; length does not matter."""

    def give(turn: float, length: float) -> GivingEmbedder:
        numbers = (length * math.cos(turn), length * math.sin(turn), *[0.0] * 766)
        return GivingEmbedder(lambda pages: [Embedding(vector(*numbers), 1) for _ in pages])

    place = folder(tmp_path / "field", pages(1))
    build(place, give(0.0, 1.0))
    found = verified(place, give(angle, 7.0), sample=1)
    assert (math.cos(angle) >= LEAST_COSINE) == agrees
    assert (found.mismatch is None) == agrees


Give: TypeAlias = Callable[[Sequence[bytes]], Sequence[Embedding | Failed]]


def _fails(pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
    return [Failed("no longer") for _ in pages]


def _gives_zeros(pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
    return [Embedding(bytes(4 * 768), 1) for _ in pages]


@pytest.mark.parametrize("give", [_fails, _gives_zeros], ids=["failed", "zeros"])
def test_what_cannot_be_made_again_is_a_mismatch(give: Give, place: Path) -> None:
    found = verified(place, GivingEmbedder(give), sample=2)
    assert [each.cosine for each in found.sampled] == [None, None]
    assert found.mismatch is not None


def test_stale_rows_are_not_made_again(place: Path) -> None:
    """Their pages are others by now."""
    folder(place, {f"page-{n:03d}.md": page(n, "Pans") for n in range(4)})
    found = verified(place, ModelEmbedder(), sample=5)
    assert [each.name for each in found.sampled] == ["page-004.md"]
    assert found.mismatch is None


def test_another_model_is_a_mismatch_at_once(place: Path) -> None:
    embedder = HashEmbedder()
    with pytest.raises(IndexMismatch, match=MODEL):
        verified(place, embedder, sample=1)
    assert embedder.calls == []


def test_another_runtime_of_the_model_is_compared(place: Path) -> None:
    """Whether its vectors are the same is what is asked."""
    embedder = ModelEmbedder()
    embedder.recipe = replace(embedder.recipe, embedder="other")
    assert verified(place, embedder, sample=2).mismatch is None


def test_a_sample_needs_an_embedder(place: Path) -> None:
    with pytest.raises(EmbedderUnavailable):
        verified(place, None, sample=1)


def test_a_foreign_index_is_verified_too(tmp_path: Path) -> None:
    """Its frontmatter is written as its maker does; its rows are judged alike."""
    place = folder(tmp_path / "field", pages(2))
    build(place)
    rows = query(place / INDEX, "SELECT filename, '{}', 1, sha256_hash, embedding FROM pages")
    (place / INDEX).unlink()
    foreign(place / INDEX, rows)
    found = verified(place, ModelEmbedder(), sample=2)
    assert found.is_sound
    assert found.mismatch is None


def test_info_says_what_the_index_says(place: Path) -> None:
    folder(place, {"long.md": b"word " * 2000})
    build(place)
    with open_field(place) as field, open_index(place / INDEX) as index:
        found = info(index)
        assert found.field_digest == field.digest()
    assert (found.model, found.dimension, found.rows, found.shortened) == (MODEL, 768, 6, 1)
    assert found.recipe is not None
    assert found.recipe["embedder"] == "hash"
    assert found.bytes == (place / INDEX).stat().st_size


def test_there_is_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        verified(folder(tmp_path / "field", pages(1)))

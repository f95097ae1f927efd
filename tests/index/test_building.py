"""An index is built of what changed, and says what each page is and how it was made."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from tests.index.fields import (
    DIMENSION,
    INDEX,
    MODEL,
    GivingEmbedder,
    ModelEmbedder,
    build,
    folder,
    page,
    pages,
    query,
    vector,
)
from tests.index.hash_embedder import HashEmbedder

from memoryfield_index.building import BATCH, rebuild
from memoryfield_index.storage import index as index_module
from memoryfield_index.storage import open_index
from memoryfield_index.values import Embedding, Failed
from memoryfield_index.vectors import VectorCache
from memoryfield_readers import Field, Limits, NotFound, PinMismatch, SourceChanged, open_field
from memoryfield_readers.errors import EmbedderUnavailable
from memoryfield_validator import validate

LFS = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "field", pages(5))


def names(place: Path) -> list[str]:
    return sorted(str(name) for (name,) in query(place / INDEX, "SELECT filename FROM pages"))


def test_nothing_is_to_be_found_in_it(place: Path) -> None:
    """The validator has no finding for a field with an index of ours: all of 5xx hold."""
    build(place)
    with open_field(place) as field:
        assert validate(field).findings == ()


def test_schema_is_the_suggested_one(place: Path) -> None:
    """The table `pages` has the columns of the standard, of their types, and no others."""
    build(place)
    columns = query(
        place / INDEX, "SELECT name, type, pk, \"notnull\" FROM pragma_table_info('pages')"
    )
    assert columns == [
        ("filename", "TEXT", 1, 0),
        ("frontmatter", "JSON", 0, 1),
        ("last_modified", "DATETIME", 0, 1),
        ("sha256_hash", "BLOB", 0, 1),
        ("embedding", "BLOB", 0, 1),
    ]
    kinds = query(place / INDEX, "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL")
    assert kinds == [("table", "pages"), ("table", "meta")]


def test_row_says_what_the_page_is(place: Path) -> None:
    """Frontmatter as JSON, the file's time, the hash of its bytes, the embedder's vector."""
    folder(place, {"plain.md": b"No frontmatter.\n", "broken.md": b"---\ntitle: a: b\n---\nx\n"})
    build(place)
    statement = "SELECT * FROM pages ORDER BY filename"
    rows = {row[0]: row[1:] for row in query(place / INDEX, statement)}
    frontmatter, modified, sha256, embedding = rows["page-003.md"]
    assert json.loads(str(frontmatter))["title"] == "Woks 3"
    assert modified == "2025-06-15T15:06:40Z"
    assert sha256 == hashlib.sha256(page(3)).digest()
    [expected] = ModelEmbedder().documents([page(3)])
    assert isinstance(expected, Embedding)
    assert embedding == expected.vector
    assert (rows["plain.md"][0], rows["broken.md"][0]) == ("null", "null")


def test_meta_says_how_it_was_made(place: Path) -> None:
    """The recipe and the pin of the field stand in it, and are read again as they were."""
    embedder = ModelEmbedder()
    build(place, embedder)
    with open_index(place / INDEX) as index, open_field(place) as field:
        assert index.recipe == embedder.recipe
        assert index.meta.field_digest == field.digest()
        assert index.meta.format_version == 1
        assert (index.model_code, index.dimension) == (MODEL, DIMENSION)
    statement = "SELECT value FROM meta WHERE key IN ('model', 'dimension') ORDER BY key"
    assert query(place / INDEX, statement) == [(str(DIMENSION),), (MODEL,)]


def test_only_what_changed_is_embedded(place: Path) -> None:
    """A page that changed, one that is new, one that is gone: two embeddings, no other."""
    build(place)
    folder(place, {"page-001.md": page(1, "Pans"), "new.md": page(9)})
    (place / "page-002.md").unlink()
    embedder = ModelEmbedder()
    stats = build(place, embedder)
    assert sorted(embedder.embedded) == sorted([page(1, "Pans"), page(9)])
    assert (stats.pages, stats.embedded, stats.reused) == (5, 2, 3)
    assert stats.removed == ("page-002.md",)
    assert names(place) == ["new.md", "page-000.md", "page-001.md", "page-003.md", "page-004.md"]


def test_nothing_changed_and_nothing_is_written(place: Path) -> None:
    """The file stays the very one that it is."""
    assert build(place).written
    before = (place / INDEX).stat()
    embedder = ModelEmbedder()
    stats = build(place, embedder)
    assert (stats.written, stats.reused, embedder.calls) == (False, 5, [])
    after = (place / INDEX).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    folder(place, {"page-001.md": page(1, "Pans"), "new.md": page(9)})
    assert [build(place).written for _ in range(3)] == [True, False, False]


def test_time_alone_changed(place: Path) -> None:
    """Then the row has the new time, and the page is not embedded."""
    build(place)
    os.utime(place / "page-000.md", (1, 1))
    embedder = ModelEmbedder()
    assert build(place, embedder).written
    assert embedder.calls == []
    statement = "SELECT last_modified FROM pages WHERE filename = 'page-000.md'"
    assert query(place / INDEX, statement) == [("1970-01-01T00:00:01Z",)]


def test_a_page_that_was_renamed_keeps_its_vector(place: Path, tmp_path: Path) -> None:
    """Vectors are kept by what was embedded, and not by what it is called."""
    build(place, kept=tmp_path / "kept")
    (place / "page-000.md").rename(place / "other.md")
    embedder = ModelEmbedder()
    stats = build(place, embedder, kept=tmp_path / "kept")
    assert (embedder.calls, stats.cached, stats.removed) == ([], 1, ("page-000.md",))


def test_pages_of_one_content_are_embedded_once(tmp_path: Path) -> None:
    """What is the same has the same vector."""
    place = folder(tmp_path / "field", {"a.md": page(1), "b.md": page(1)})
    embedder = ModelEmbedder()
    stats = build(place, embedder)
    assert (len(embedder.embedded), stats.pages) == (1, 2)


def test_pages_that_fail_are_named_and_the_rest_is_indexed(place: Path) -> None:
    """The next build tries these alone."""
    stats = build(place, ModelEmbedder(failing=[b"Woks 2"]))
    assert stats.failed == (("page-002.md", "failed on command"),)
    assert (stats.pages, len(names(place))) == (4, 4)
    embedder = ModelEmbedder()
    assert build(place, embedder).failed == ()
    assert embedder.embedded == [page(2)]


def test_pages_that_cannot_be_read_are_named(place: Path) -> None:
    """A link to nowhere, a page over the limit, an LFS pointer: none keeps the others out."""
    folder(place, {"large.md": b"x" * 2000, "lfs.md": LFS})
    (place / "nowhere.md").symlink_to("nothing")
    embedder = ModelEmbedder()
    with (
        open_field(place, limits=Limits(page_bytes=1000)) as field,
    ):
        stats = rebuild(field, embedder, place / INDEX, vectors=VectorCache(embedder.recipe, None))
    assert [name for name, _ in stats.failed] == ["large.md", "lfs.md", "nowhere.md"]
    assert "Git LFS pointer" in dict(stats.failed)["lfs.md"]
    assert stats.pages == len(embedder.embedded) == 5
    with open_index(place / INDEX) as index:
        assert index.meta.field_digest == ""  # the link stands in the way of a pin


def test_a_page_that_is_no_utf_8_is_embedded_as_it_is_read(tmp_path: Path) -> None:
    """A broken page is still a page; an embedder is given UTF-8 alone."""
    place = folder(tmp_path / "field", {"latin.md": "Wöks\n".encode("latin-1")})
    embedder = ModelEmbedder()
    build(place, embedder)
    assert embedder.embedded == ["W\ufffdks\n".encode()]


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_utf_8(tmp_path: Path) -> None:
    """It is written and read again as the field has it."""
    place = folder(tmp_path / "field", pages(1))
    try:
        Path(os.fsdecode(os.fsencode(place) + b"/w\xf6k.md")).write_bytes(page(1))
    except OSError:
        pytest.skip("this file system has no such names")
    build(place)
    embedder = ModelEmbedder()
    assert build(place, embedder).reused == 2
    with open_index(place / INDEX) as index, open_field(place) as field:
        assert {row.filename for row in index.rows()} == set(field.pages)


@pytest.mark.parametrize("extra", [-1, 1])
def test_vectors_that_do_not_match_the_pages(extra: int, place: Path) -> None:
    """Too few or too many: nobody knows which is whose."""
    embedder = GivingEmbedder(lambda pages: [Embedding(vector(), 1)] * (len(pages) + extra))
    with pytest.raises(EmbedderUnavailable):
        build(place, embedder)
    assert sorted(os.listdir(place)) == list(pages(5))


def _unavailable(pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
    raise EmbedderUnavailable("nobody is there")


def test_without_an_embedder_nothing_is_written(place: Path) -> None:
    """No empty index, no temporary file; what was there stays."""
    with pytest.raises(EmbedderUnavailable):
        build(place, GivingEmbedder(_unavailable))
    assert sorted(os.listdir(place)) == list(pages(5))
    build(place)
    before = (place / INDEX).read_bytes()
    folder(place, {"new.md": page(9)})
    with pytest.raises(EmbedderUnavailable):
        build(place, GivingEmbedder(_unavailable))
    assert (place / INDEX).read_bytes() == before
    assert sorted(os.listdir(place)) == ["new.md", INDEX, *pages(5)]


def test_an_index_without_rows_is_never_written(place: Path) -> None:
    """If all pages fail, there is none."""
    stats = build(place, ModelEmbedder(failing=[b"Woks"]))
    assert (stats.written, stats.pages, len(stats.failed)) == (False, 0, 5)
    assert sorted(os.listdir(place)) == list(pages(5))


def test_what_was_embedded_is_kept_when_a_build_ends(tmp_path: Path) -> None:
    """An interruption in the third batch costs nothing of the first two."""
    place = folder(tmp_path / "field", pages(3 * BATCH))
    first = ModelEmbedder(stop_after=2 * BATCH)
    with pytest.raises(KeyboardInterrupt):
        build(place, first, kept=tmp_path / "kept")
    assert sorted(os.listdir(place)) == list(pages(3 * BATCH))
    second = ModelEmbedder()
    stats = build(place, second, kept=tmp_path / "kept")
    assert (stats.embedded, stats.cached) == (BATCH, 2 * BATCH)
    assert not set(first.embedded) & set(second.embedded)


def test_a_field_that_is_not_what_was_pinned_has_no_index(place: Path) -> None:
    """Whoever changes it while it is open is noticed; the old index stays."""
    build(place)
    with open_field(place) as field:
        pin = field.digest()
    before = (place / INDEX).read_bytes()
    embedder = ModelEmbedder()
    with open_field(place, pin=pin) as field:
        folder(place, {"page-000.md": page(0, "Pans")})
        with pytest.raises((PinMismatch, SourceChanged)):  # by what is looked at first
            rebuild(field, embedder, place / INDEX, vectors=VectorCache(embedder.recipe, None))
    assert (place / INDEX).read_bytes() == before
    assert sorted(os.listdir(place)) == [INDEX, *pages(5)]


def test_few_bytes_are_given_at_a_time(tmp_path: Path) -> None:
    """Large pages are no reason to lose many vectors."""
    place = folder(tmp_path / "field", {f"{n}.md": bytes(60 + n) * 500 for n in range(5)})
    embedder = ModelEmbedder()
    build(place, embedder)
    assert max(embedder.calls) * 30_000 <= 90_000


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_folder_whose_name_is_no_utf_8(tmp_path: Path) -> None:
    """Paths are bytes."""
    try:
        place = folder(Path(os.fsdecode(os.fsencode(tmp_path) + b"/f\xf6ld")), pages(2))
    except OSError:
        pytest.skip("this file system has no such names")
    assert build(place, kept=place / "kept").written
    assert build(place).reused == 2


def test_a_field_without_pages_has_no_index(tmp_path: Path) -> None:
    place = folder(tmp_path / "field", {"picture.png": b"x"})
    with pytest.raises(NotFound):
        build(place)


def test_a_folder_that_is_not_there_is_not_made(place: Path, tmp_path: Path) -> None:
    """Only folders of the cache are."""
    with open_field(place) as field, pytest.raises(NotFound):
        rebuild(field, ModelEmbedder(), tmp_path / "none" / INDEX)
    assert not (tmp_path / "none").exists()


def test_what_was_not_embedded_whole_is_said_again(tmp_path: Path) -> None:
    """The index keeps how many bytes of a page were embedded, and so does the next one."""
    place = folder(tmp_path / "field", {"long.md": b"word " * 2000, "short.md": b"word\n"})
    assert build(place).shortened == (("long.md", 8192),)
    folder(place, {"new.md": page(9)})
    stats = build(place)
    assert (stats.reused, stats.shortened) == (2, (("long.md", 8192),))
    with open_index(place / INDEX) as index:
        assert index.meta.bytes_embedded == {"long.md": 8192}


def test_who_waits_is_told_how_far_it_is(tmp_path: Path) -> None:
    """Of the pages that need a vector, and no others."""
    place = folder(tmp_path / "field", pages(2))
    build(place)
    folder(place, pages(2 + BATCH + 1))
    told: list[tuple[str, int, int]] = []
    embedder = ModelEmbedder()
    with open_field(place) as field:
        rebuild(
            field,
            embedder,
            place / INDEX,
            watch=lambda *said: told.append(said),
            vectors=VectorCache(embedder.recipe, None),
        )
    total = BATCH + 1
    assert told == [("pages", 0, total), ("pages", BATCH, total), ("pages", total, total)]


def test_the_list_of_models_is_not_read_for_an_index_that_says_how_it_was_made(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would be a tenth of what bringing a thousand pages up to date takes."""
    build(place)

    def read(name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(index_module, "model_of", read)
    assert build(place).reused == 5
    with open_index(place / INDEX) as index:
        assert (index.model_code, index.dimension) == (MODEL, DIMENSION)


def test_pages_elsewhere_are_fetched_together(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that have a row which may still be true, of which nobody knows before."""
    build(place)
    asked: list[object] = []
    prepare, sha256 = Field.prepare, Field.sha256

    def prepared(self: Field, names: Iterable[str]) -> None:
        wanted = list(names)
        asked.append(wanted)
        prepare(self, wanted)

    def hashed(self: Field, name: str) -> str:
        asked.append(name)
        return sha256(self, name)

    monkeypatch.setattr(Field, "prepare", prepared)
    monkeypatch.setattr(Field, "sha256", hashed)
    build(place)
    assert asked[0] == list(pages(5))


def test_thousand_pages_and_one_changed(tmp_path: Path) -> None:
    """Exactly one is embedded."""
    place = folder(tmp_path / "field", pages(1000))
    build(place, HashEmbedder(dimension=2))
    folder(place, {"page-500.md": page(500, "Pans")})
    embedder = HashEmbedder(dimension=2)
    stats = build(place, embedder)
    assert (embedder.calls, embedder.embedded) == ([1], [page(500, "Pans")])
    assert (stats.pages, stats.reused, stats.embedded) == (1000, 999, 1)

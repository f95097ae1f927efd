"""An index stands in the field where that can be written, else in the cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.index.fields import INDEX, MODEL, ModelEmbedder, build, folder, page, pages, query
from tests.readers.http_fields import open_served
from tests.readers.http_fields import pages as as_served
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_index.building import rebuild
from memoryfield_index.places import indexes_of, place_for
from memoryfield_readers import DEFAULT_LIMITS, Field, NotFound, PinMismatch, Pins, open_field
from memoryfield_readers.errors import IndexMismatch
from memoryfield_readers.lock.adding import add_field
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "cache"


@pytest.fixture
def place(cache: Path, tmp_path: Path) -> Path:
    return folder(tmp_path / "field", pages(3))


def in_cache(field: Field, cache: Path) -> Path:
    return cache / "indexes" / "v1" / field.digest().removeprefix("field-sha256:") / INDEX


def test_a_folder_that_can_be_written_has_its_own(place: Path) -> None:
    with open_field(place) as field:
        assert place_for(field, MODEL) == place / INDEX
        pin = field.digest()
    with open_field(place, pin=pin) as field:
        assert place_for(field, MODEL) == place / INDEX


def test_a_relative_folder_is_named_whole(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the program stands later does not matter."""
    monkeypatch.chdir(place.parent)
    with open_field("field") as field:
        path = place_for(field, MODEL)
    assert path == place / INDEX


def test_a_folder_that_cannot_be_written(
    place: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with open_field(place) as field:
        assert place_for(field, MODEL) == in_cache(field, cache)
    assert not cache.exists()


def test_an_archive(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "notes.memoryfield.zip"
    path.write_bytes(zip_bytes(*(ZipEntry(name, raw) for name, raw in pages(3).items())))
    with open_field(path) as field:
        assert place_for(field, MODEL) == in_cache(field, cache)
        built = rebuild(field, ModelEmbedder(), place_for(field, MODEL))
        [found] = indexes_of(field)
        assert (found.path, found.in_field) == (built.path, False)
        with found.open() as index:
            assert index.count() == 3
    statement = "SELECT DISTINCT last_modified FROM pages"
    assert query(built.path, statement) == [("2026-01-01T00:00:00Z",)]


def test_an_archive_as_bytes_is_no_folder(
    place: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is named as it is called."""
    monkeypatch.chdir(place.parent)
    content = zip_bytes(*(ZipEntry(name, raw) for name, raw in pages(3).items()))
    with open_field(content, name="field") as field:
        assert place_for(field, MODEL) == in_cache(field, cache)


def test_the_same_pages_have_the_same_index(place: Path, cache: Path, tmp_path: Path) -> None:
    """However they travel: in the cache, an index stands by what was indexed."""
    path = tmp_path / "notes.memoryfield.zip"
    path.write_bytes(zip_bytes(*(ZipEntry(name, raw) for name, raw in pages(3).items())))
    with open_field(path) as archive, open_field(place) as local:
        rebuild(archive, ModelEmbedder(), place_for(archive, MODEL))
        [found] = indexes_of(local)
        assert found.path == in_cache(local, cache)
    folder(place, {"new.md": page(9)})
    with open_field(place) as changed:
        assert indexes_of(changed) == []


def test_a_locked_field_is_never_written(
    place: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is a folder of this machine, and called as that is; times are asked for."""
    monkeypatch.chdir(tmp_path)
    add_field(
        tmp_path / "memoryfields.lock",
        "notes",
        "./field",
        pins=Pins(),
        limits=DEFAULT_LIMITS,
        storage_options=None,
    )
    with open_field("@notes") as field:
        path = place_for(field, MODEL)
        assert path == in_cache(field, cache)
        assert rebuild(field, ModelEmbedder(), path).pages == 3
    assert sorted(os.listdir(place)) == list(pages(3))
    times = query(path, "SELECT DISTINCT last_modified FROM pages")
    assert times == [("2025-06-15T15:06:40Z",)]


def test_what_the_field_ships_is_found_first(place: Path, cache: Path) -> None:
    """Side files are no indexes."""
    build(place)
    (place / f"{INDEX}-wal").write_bytes(b"")
    with open_field(place) as field:
        rebuild(field, ModelEmbedder(), in_cache(field, cache))
        first, second = indexes_of(field)
        assert (first.path, first.in_field) == (place / INDEX, True)
        assert (second.path, second.in_field) == (in_cache(field, cache), False)
        assert second.shown == str(second.path)


def test_an_index_in_an_archive_is_found(cache: Path, place: Path, tmp_path: Path) -> None:
    build(place)
    files = {**pages(3), INDEX: (place / INDEX).read_bytes()}
    path = tmp_path / "notes.memoryfield.zip"
    path.write_bytes(zip_bytes(*(ZipEntry(name, raw) for name, raw in files.items())))
    with open_field(path) as field:
        [found] = indexes_of(field)
        assert (found.path, found.in_field) == (None, True)
        assert found.shown == f"{path}: {INDEX}"
        with found.open() as index:
            assert index.recipe is not None


def test_a_link_is_read_through_the_field(place: Path, cache: Path) -> None:
    """Which knows where a link may lead."""
    build(place)
    (place / "deep").mkdir()
    (place / INDEX).rename(place / "deep" / INDEX)
    (place / INDEX).symlink_to(f"deep/{INDEX}")
    with open_field(place) as field:
        [found] = indexes_of(field)
        assert found.path is None
        with found.open() as index:
            assert index.count() == 3


def test_looking_for_an_index_makes_nothing(place: Path, cache: Path) -> None:
    with open_field(place) as field:
        assert indexes_of(field) == []
    assert not cache.exists()
    assert sorted(os.listdir(place)) == list(pages(3))


def test_a_field_that_is_not_what_was_pinned(place: Path, cache: Path) -> None:
    """Whoever is being fooled is shown no index."""
    with open_field(place) as field:
        pin = field.digest()
        rebuild(field, ModelEmbedder(), in_cache(field, cache))
    with open_field(place, pin=pin) as field:
        folder(place, {"page-000.md": page(0, "Pans")})
        with pytest.raises(PinMismatch):
            indexes_of(field)


def test_nothing_is_read_where_nothing_was_built(place: Path, cache: Path) -> None:
    """A field elsewhere is not fetched whole to see whether the cache has its index."""
    with open_field(place) as field:
        (place / "page-000.md").unlink()
        assert indexes_of(field) == []


def test_a_locked_field_is_not_read_to_find_its_index(
    place: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pin is known: here, there is nothing left that could be read."""
    monkeypatch.chdir(tmp_path)
    lock = tmp_path / "memoryfields.lock"
    add_field(lock, "notes", "./field", pins=Pins(), limits=DEFAULT_LIMITS, storage_options=None)
    with open_field("@notes") as field:
        built = rebuild(field, ModelEmbedder(), place_for(field, MODEL))
        pin = field.digest()
    for name in pages(3):
        (place / name).unlink()
    told: list[str] = []
    with open_field("@notes", cache=None) as field:
        assert field.known_digest == pin
        assert [found.path for found in indexes_of(field, told.append)] == [built.path]
        assert told == []
        with pytest.raises(PinMismatch):
            field.page("page-000.md")


def test_that_a_field_elsewhere_is_read_whole_is_said(place: Path, cache: Path) -> None:
    """To find its index in the cache, if that has any; what was read once is not read again."""
    listing = {"listing.md": b"".join(b"- [x](%s)\n" % name.encode() for name in pages(3))}
    told: list[str] = []
    with FaultyHttp(as_served({**pages(3), **listing})) as server:
        url = server.url("/f/")
        with open_served(url) as field:
            assert indexes_of(field, told.append) == []
            assert (told, field.known_digest) == ([], None)
            assert server.asked("/f/page-000.md") == []
            built = rebuild(field, ModelEmbedder(), place_for(field, MODEL))
            assert field.known_digest == field.digest()
        with open_served(url) as field:
            assert [found.path for found in indexes_of(field, told.append)] == [built.path]
            assert len(told) == 1
            assert url in told[0]
            indexes_of(field, told.append)
            assert len(told) == 1
    with open_field(place) as field:
        indexes_of(field, told.append)
        assert len(told) == 1


@pytest.mark.parametrize("model", ["../up", "a/b", "", ".hidden", "a b", "a\n", "x" * 200])
def test_a_model_code_that_is_no_name(model: str, place: Path) -> None:
    """It could lead anywhere as a path."""
    with open_field(place) as field, pytest.raises(IndexMismatch):
        place_for(field, model)


def test_a_field_that_has_no_pin(cache: Path, tmp_path: Path) -> None:
    """Where an index would have no name in the cache, none is looked for there."""
    path = folder(tmp_path / "none", {})
    with open_field(path) as field:
        assert indexes_of(field) == []
        with pytest.raises(NotFound):
            rebuild(field, ModelEmbedder(), place_for(field, MODEL))
    assert os.listdir(path) == []

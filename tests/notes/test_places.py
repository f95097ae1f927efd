"""Where notes are kept: by where a field is, whatever version of it, and never in the field."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.command import KNOWN, archive, call, folder

from memoryfield_notes.errors import StoreError
from memoryfield_notes.notebook import find_store, notebook
from memoryfield_notes.places import key_of, make_folder, notes_folder, place_of
from memoryfield_readers import LocationError, MemoryfieldError, NotFound

SAME = {
    "commits": ["github://o/r@main", "github://o/r@" + "0" * 40, "github://o/r"],
    "browser": ["github://o/r/docs@v1", "https://github.com/O/R/tree/main/docs"],
    "host": ["github://github.com/o/r", "https://www.github.com/o/r"],
    "release": [
        "https://github.com/o/r/releases/download/v1/x.zip",
        "https://github.com/o/r/releases/download/v2/x.zip",
    ],
    "git": [
        "git+https://host/o/r.git@main#docs",
        "git+https://HOST/o/r@feature/x#docs",
        "git+https://host/o/r/#docs",
    ],
    "s3": ["s3://bucket/x.zip", "s3://bucket/x.zip?versionId=abc"],
    "s3 prefix": ["s3://bucket/field", "s3://bucket/field/"],
    "http": ["https://host/x.zip", "https://HOST/x.zip?v=2"],
    "served": ["https://host/field", "https://host/field/"],
    "other": ["memory://a/b", "memory://a/b/"],
    "user": ["sftp://me@host/f", "sftp://host/f"],
}
"""Locations of one field each."""

APART = [
    *(each[0] for each in SAME.values()),
    "github://o/r/docs/more",
    "github://ghe.example.com/o/r",
    "git+https://host/o/r.git",
    "git+http://host/o/r.git#docs",
    "s3://bucket/y.zip",
    "http://host/x.zip",
    "https://host:8443/x.zip",
    "field",
    "other/field",
    "git+file:///field",
]
"""Locations of as many fields."""


@pytest.fixture(autouse=True)
def public_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_API_URL", raising=False)


@pytest.mark.parametrize("name", SAME)
def test_a_version_is_no_part_of_the_key(name: str) -> None:
    """Commit, branch, tag, version, query, user, and how one writes a location, do not count."""
    assert len({key_of(each) for each in SAME[name]}) == 1


def test_fields_have_keys_of_their_own() -> None:
    """No two of these share their notes."""
    assert len({key_of(each) for each in APART}) == len({*APART}) - 1  # two locations of o/r


def test_an_enterprise_server_is_another_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host that the environment means is the one of a location that names none."""
    before = key_of("github://o/r")
    monkeypatch.setenv("GITHUB_API_URL", "https://ghe.example.com/api/v3")
    assert key_of("github://o/r") == key_of("github://ghe.example.com/o/r") != before


def test_a_path_counts_and_not_how_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative, absolute, through a link or as a URL, a folder is the same folder."""
    field = folder(tmp_path / "field", KNOWN)
    (tmp_path / "link").symlink_to(field)
    monkeypatch.chdir(tmp_path)
    keys = {key_of(each) for each in ("field", "./field/", str(field), "link", field.as_uri())}
    assert keys == {f"local:{os.path.realpath(field)}"}


def test_a_locked_field_is_where_it_came_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`@NAME` and NAME share the notes of the location, also after the pin has moved."""
    field = archive(tmp_path / "x.memoryfield.zip", KNOWN)
    monkeypatch.chdir(tmp_path)
    assert call("lock", "add", "known", field).code == 0
    before = key_of("@known")
    assert before == key_of("known") == key_of(str(field))
    archive(field, {**KNOWN, "c.md": b"c\n"})
    assert call("lock", "update", "known", "--yes").code == 0
    assert key_of("@known") == before
    with pytest.raises(LocationError):
        key_of("@unknown")


def test_what_is_on_stdin_is_nowhere(tmp_path: Path) -> None:
    """Notes on it need a store that is named."""
    with pytest.raises(LocationError, match="stdin"):
        place_of("-")
    assert find_store("-") is None
    assert place_of("-", tmp_path / "x") == tmp_path / "x"


def test_the_name_tells_the_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is named for its field, in plain letters, and stands in the folder of this user."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    names = {
        "s3://bucket/my-field/": "my-field",
        "https://host/woks.memoryfield.zip": "woks",
        "github://o/handbook@v1": "handbook",
        "https://host/": "host",
        "\x1b[2J\u202e..": "2J",
        "/": "field",
        "a" * 300: "a" * 40,
    }
    for location, name in names.items():
        place = place_of(location)
        assert place.parent == notes_folder() == tmp_path / "state" / "notes"
        stem, _, digits = place.name.removesuffix(".notes").rpartition("-")
        assert (stem, len(digits)) == (name, 16), location


@given(st.text(max_size=40) | st.from_regex(r"(https|s3|sftp|git\+https|github)://\S{0,30}"))
def test_any_text_has_a_place_or_is_refused(text: str) -> None:
    """Whatever is typed, a place is one file in one folder; else it is an error of ours."""
    try:
        place = place_of(text)
    except MemoryfieldError:
        return
    assert place.parent == notes_folder()
    assert place.name.isascii()
    assert set(place.name) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
    )


def test_a_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made when a store is, for this user alone."""
    place = tmp_path / "a" / "notes"
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(place))
    assert find_store("field") is None
    assert not place.exists()
    with notebook("field", pages=1) as notes:
        assert notes.path.parent == place
        assert find_store("field") == notes.path
    if sys.platform != "win32":
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_no_home_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the home is not there, it is said which variable helps."""
    monkeypatch.setenv("HOME", str(tmp_path / "gone"))
    for variable in ("MEMORYFIELD_STATE_DIR", "MEMORYFIELD_NOTES_DIR"):
        monkeypatch.setenv(variable, "~/x")
        with pytest.raises(StoreError, match="is not there") as found:
            make_folder(place_of("field"))
        assert variable in str(found.value)
    assert not (tmp_path / "gone").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, with what to do."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path / "file" / "notes"))
    with pytest.raises(StoreError, match="cannot be made") as found:
        make_folder(place_of("field"))
    assert found.value.hint is not None
    assert "--store" in found.value.hint
    with pytest.raises(NotFound):  # no folder that a person named is made
        make_folder(place_of("field", tmp_path / "no" / "x"))


def test_a_store_is_no_part_of_its_field(tmp_path: Path) -> None:
    """Neither in the folder nor below it, by whatever way, nor the archive itself."""
    field = folder(tmp_path / "field", KNOWN)
    folder(field / "sub", {})
    packed = archive(tmp_path / "x.zip", KNOWN)
    (tmp_path / "way").symlink_to(field)
    (tmp_path / "out").symlink_to(field / "new.notes")
    (field / "link").symlink_to(tmp_path / "elsewhere.notes")
    stores = [field / "x", field / "sub" / "x", tmp_path / "way" / "x", tmp_path / "out"]
    for store in [*stores, field / "link", field]:
        with pytest.raises(LocationError, match="part of it"):
            place_of(str(field), store)
        with pytest.raises(LocationError, match="part of it"):
            find_store(field.as_uri(), store)
    with pytest.raises(LocationError, match="part of it"):
        place_of(str(packed), packed)
    assert place_of(str(field), tmp_path / "field.notes") == tmp_path / "field.notes"
    assert place_of("https://host/f/", field / "x") == field / "x"


def test_a_home_that_is_a_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place that nobody chose may lie deep in a field, where it is none of it; not in front."""
    folder(tmp_path, KNOWN)
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    assert place_of(str(tmp_path)).parent == tmp_path / "state" / "notes"
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path))
    with pytest.raises(LocationError, match="part of it"):
        place_of(str(tmp_path))


def test_a_named_store_that_is_not_there(tmp_path: Path) -> None:
    """Who names a store is told."""
    with pytest.raises(NotFound, match="no such store"):
        find_store("field", tmp_path / "x")

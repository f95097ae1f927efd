"""A sub-directory as a field: what an archive of a folder holds, unwrapped (MF608)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.readers.places import packed
from tests.readers.unprivileged import without_rights

from memoryfield_readers import (
    EmptyField,
    Field,
    LocationError,
    NotFound,
    SourceUnavailable,
    UnsafeArchive,
    memory_field,
    open_field,
)
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

INNER = {"b.md": b"# B\n", "a.md": b"# A\n", "pan.png": b"\x89PNG", "notes~": b"debris",
         "m.sqlite3": b"SQLite", "log/x.txt": b"x", "é.md": b"accent\n"}  # fmt: skip
FILES = {
    "readme.md": b"# Outside\n",
    "woks/other.md": b"# Beside\n",
    "woks/my field/deep.md": b"# Deep\n",
    **{f"woks/my-field/{name}": data for name, data in INNER.items()},
}


@pytest.fixture(params=["archive", "folder"])
def outer(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The whole, of which the field is a part."""
    if request.param == "archive":
        path = tmp_path / "outer.zip"
        path.write_bytes(packed(FILES))
        return path
    for name, data in FILES.items():
        path = tmp_path / "outer" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "outer"


def test_a_subdirectory_is_the_field_it_would_be_alone(outer: Path) -> None:
    """The same names, bytes and pin as the same files at the root have."""
    with open_field(outer) as whole, open_field(packed(INNER)) as alone:
        field = whole.within("woks/my-field")
        for what in ("pages", "attachments", "indexes", "debris", "folders", "irregular"):
            assert getattr(field, what) == getattr(alone, what), what
        assert [entry.path for entry in field.nested()] == ["log/x.txt"]
        assert field.digest() == alone.digest()
        assert {name: field.content(name) for name in field.entries} == {
            name: INNER[name] for name in alone.entries
        }
        assert field.page("a.md").raw == b"".join(field.chunks("a.md")) == b"# A\n"
        assert [page.raw for page in field.read(["b.md", "a.md"])] == [b"# B\n", b"# A\n"]
        assert field.sha256("m.sqlite3") == alone.sha256("m.sqlite3")
        assert (field.name, field.location) == ("my-field", f"{outer}/woks/my-field")
        assert (field.archive_name, field.archive_digest(), field.archive_image()) == (None,) * 3


def test_a_subdirectory_of_a_subdirectory(outer: Path) -> None:
    """Step by step it is the same as at once."""
    with open_field(outer) as whole:
        woks = whole.within("woks")
        assert woks.pages == ("other.md",)
        assert woks.folders == ("my field", "my-field")
        assert whole.within("woks/my-field").pages == ("a.md", "b.md", "é.md")
        assert whole.within("woks/my field").pages == ("deep.md",)


@pytest.mark.parametrize(
    "folder",
    ["my-field", "woks/my", "woks/my-field/", "woks/my-field/a.md", "readme.md", "", "/woks", "..",
     ".", "woks/../woks", "woks//my-field", "woks\\my-field", "woks/my-field/notes~", "\0"],
)  # fmt: skip
def test_what_is_no_subdirectory_is_not_found(folder: str, outer: Path) -> None:
    """Only a folder that is listed is one, by its whole path."""
    with open_field(outer) as whole, pytest.raises(NotFound) as caught:
        whole.within(folder)
    assert "there is no folder" in str(caught.value)


def test_closing_a_part_closes_nothing(outer: Path) -> None:
    """The part lives as long as the whole does."""
    with open_field(outer) as whole:
        with whole.within("woks/my-field") as field:
            assert field.page("a.md").raw == b"# A\n"
        assert field.page("a.md").raw == b"# A\n"
    with pytest.raises(SourceUnavailable):
        field.content("b.md")


def test_an_empty_subdirectory(tmp_path: Path) -> None:
    """It is one, and a field without pages."""
    (tmp_path / "empty").mkdir()
    for location in (tmp_path, zip_bytes(ZipEntry("empty/"))):
        with open_field(location) as whole:
            field = whole.within("empty")
            assert field.pages == ()
            with pytest.raises(EmptyField):
                field.digest()


def test_debris_is_no_subdirectory() -> None:
    """What readers ignore is not unwrapped either."""
    with open_field(zip_bytes(ZipEntry("__MACOSX/a.md"), ZipEntry("x/.git/a.md"))) as whole:
        for folder in ("__MACOSX", "x/.git"):
            with pytest.raises(NotFound):
                whole.within(folder)
        assert whole.within("x").debris == (".git/",)


def test_damage_in_a_subdirectory_is_told() -> None:
    """Content that is not what the archive announced is refused, with its path in the archive."""
    data = zip_bytes(ZipEntry("x/a.md", b"# A\n")).replace(b"# A\n", b"# B\n")
    with open_field(data, name="f.zip") as whole:
        field = whole.within("x")
        for read in (Field.digest, lambda each: each.content("a.md")):
            with pytest.raises(UnsafeArchive) as caught:
                read(field)
            assert str(caught.value).startswith("f.zip: x/a.md: ")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links here")
def test_no_link_is_followed_below_the_root(tmp_path: Path) -> None:
    """A link in a sub-directory leads nowhere, and one to a folder is none."""
    (tmp_path / "secret.md").write_bytes(b"secret\n")
    folder = tmp_path / "outer" / "x"
    folder.mkdir(parents=True)
    (folder / "a.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "outer" / "y").symlink_to(tmp_path)
    with open_field(tmp_path / "outer") as whole:
        field = whole.within("x")
        assert (field.pages, [entry.path for entry in field.irregular]) == ((), ["a.md"])
        with pytest.raises(NotFound):
            whole.within("y")


def _within_what_may_not_be_listed(place: Path) -> None:
    (place / "x").mkdir(mode=0)
    with open_field(place) as whole, pytest.raises(SourceUnavailable) as caught:
        whole.within("x")
    assert not isinstance(caught.value, NotFound)


@pytest.mark.skipif(os.name != "posix", reason="rights are set the Unix way")
def test_a_subdirectory_that_may_not_be_listed() -> None:
    """That it cannot be read is not that it is absent."""
    without_rights(_within_what_may_not_be_listed)


def test_other_sources_have_no_part() -> None:
    """What nothing lists or proves below the root is not made a field."""
    with memory_field({"x/a.md": b""}) as memory, pytest.raises(LocationError):
        memory.within("x")
    data = zip_bytes(ZipEntry("b.md"), ZipEntry("x/a.md"))
    with open_field(data) as field:
        pin = field.digest()
    with open_field(data, pin=pin) as proved, pytest.raises(LocationError):
        proved.within("x")

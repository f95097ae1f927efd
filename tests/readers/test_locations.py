"""What a location may be, and what becomes of one that is none."""

from __future__ import annotations

import io
import os
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

import pytest
from tests.readers.audit import touched_paths

from memoryfield_readers import (
    Field,
    LocationError,
    NotFound,
    SourceUnavailable,
    UnsafeArchive,
    open_field,
)
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

ARCHIVE = zip_bytes(ZipEntry("a.md", b"a\n"), ZipEntry("b.md", b"b\n"))
DIGEST = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with the known field in it, as a folder and as archives."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "woks"
    folder.mkdir()
    (folder / "a.md").write_bytes(b"a\n")
    (folder / "b.md").write_bytes(b"b\n")
    for name in ("woks.memoryfield.zip", "woks.zip", "woks.ZIP", "woks"):
        (tmp_path / "archives").mkdir(exist_ok=True)
        (tmp_path / "archives" / name).write_bytes(ARCHIVE)
    return tmp_path


def _told(field: Field) -> tuple[str, str, str | None]:
    with field:
        assert field.digest() == DIGEST
        return field.name, field.location, field.archive_name


def test_a_folder_by_path(home: Path) -> None:
    """A folder is named after itself, however it is written, and shown as it was given."""
    assert _told(open_field("woks")) == ("woks", "woks", None)
    assert _told(open_field("woks/")) == ("woks", "woks/", None)
    assert _told(open_field("./archives/../woks/.")) == ("woks", "./archives/../woks/.", None)
    assert _told(open_field(Path("woks"))) == ("woks", "woks", None)
    os.chdir("woks")
    assert _told(open_field(".")) == ("woks", ".", None)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("woks.memoryfield.zip", "woks"),
        ("woks.zip", "woks"),
        ("woks.ZIP", "woks.ZIP"),
        ("woks", "woks"),
    ],
)
def test_an_archive_by_path(name: str, stem: str, home: Path) -> None:
    """A file is an archive, whatever it is called; its name is the file's without the ending."""
    path = f"archives/{name}"
    assert _told(open_field(path)) == (stem, path, name)
    assert _told(open_field(Path(path))) == (stem, path, name)
    assert _told(open_field(f"file://{home}/{path}")) == (stem, f"file://{home}/{path}", name)


def test_an_archive_as_bytes_or_file(home: Path) -> None:
    """Bytes and seekable file objects are archives; a file object stays open."""
    assert _told(open_field(ARCHIVE)) == ("", "<bytes>", "")
    assert _told(open_field(ARCHIVE, name="woks.zip")) == ("woks", "woks.zip", "woks.zip")
    file = io.BytesIO(ARCHIVE)
    assert _told(open_field(file)) == ("", "<file object>", "")
    assert not file.closed
    with open("archives/woks.zip", "rb") as opened:
        assert _told(open_field(opened)) == ("", "archives/woks.zip", "")
        assert not opened.closed


def test_bytes_that_are_no_archive_are_not_taken_for_a_path(home: Path) -> None:
    """Bytes are content, never a name."""
    with pytest.raises(UnsafeArchive), touched_paths() as paths:
        open_field(b"woks")
    assert paths == []


def test_other_buffers_and_temporary_files_are_archives(home: Path) -> None:
    """What holds bytes, or reads and seeks as a file does, is an archive."""
    assert _told(open_field(bytearray(ARCHIVE)))[1] == "<bytes>"
    assert _told(open_field(memoryview(ARCHIVE)))[1] == "<bytes>"
    with SpooledTemporaryFile() as file:
        file.write(ARCHIVE)
        like_a_file: Any = file  # by what it does, not by its type
        assert _told(open_field(like_a_file, name="w.zip"))[1] == "w.zip"


@pytest.mark.parametrize(
    "value",
    [None, 7, ["woks"], io.StringIO("woks"), object()],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_is_no_location(value: Any) -> None:
    """Numbers, lists and text files are wrong usage (exit code 2), not a crash."""
    with pytest.raises(LocationError) as caught:
        open_field(value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "url",
    [
        "file://{home}/woks",
        "file://{home}/woks/",
        "FILE://{home}/woks",
        "file://localhost{home}/woks",
        "file://LOCALHOST{home}/woks",
        "file://{home}/%77%6f%6b%73",
        "file://{home}/archives/%2E%2E/woks",
        "file:{home}/woks",
        "file:///{home}/woks",
    ],
)
def test_a_file_url(url: str, home: Path) -> None:
    """A `file:` URL of this machine is the path it stands for, percent-encoding decoded."""
    location = url.format(home=home)
    assert _told(open_field(location)) == ("woks", location, None)


@pytest.mark.parametrize("name", ["a b", "a#b", "a?b", "a%20b", "é", "日本", "a:b", "+", "a\nb"])
def test_a_file_url_of_any_name(name: str, home: Path) -> None:
    """What `Path.as_uri` writes is read back, whatever the name."""
    (home / "woks").rename(home / name)
    assert _told(open_field((home / name).as_uri()))[0] == name


def test_a_file_url_of_a_name_that_is_not_utf8(home: Path) -> None:
    """Percent-encoded bytes that are no UTF-8 are the name's bytes."""
    name = os.fsdecode(b"caf\xe9")
    (home / "woks").rename(home / name)
    assert _told(open_field(f"file://{home}/caf%E9"))[0] == name


@pytest.mark.parametrize("name", ["http:woks", "file:woks", "x:y", "woks:2026", "s3:"])
def test_a_path_that_looks_like_a_url_is_a_path_if_it_is_there(name: str, home: Path) -> None:
    """A folder that exists is opened, also where its name could be a URL."""
    (home / "woks").rename(home / name)
    assert _told(open_field(name))[0] == name


BAD_URLS = {
    "another host": "file://example.org/tmp",
    "a host and a user": "file://me:secret@example.org/tmp",
    "no path": "file://localhost",
    "nothing": "file://",
    "a relative path": "file:woks",
    "a query": "file:///tmp?x=1",
    "an empty query": "file:///tmp?",
    "a fragment": "file:///tmp#x",
    "an empty fragment": "file:///tmp#",
    "a line feed": "file:///t\nmp",
    "a tab": "file:///tm\tp",
    "a carriage return": "file:///tmp\r",
    "an encoded NUL": "file:///tmp%00",
    "a broken host": "file://[::1/tmp",
}


@pytest.mark.parametrize("url", BAD_URLS.values(), ids=BAD_URLS)
def test_a_file_url_that_names_no_file_here(url: str) -> None:
    """Other hosts, relative paths, queries, fragments and control characters are refused."""
    with touched_paths() as paths, pytest.raises(LocationError) as caught:
        open_field(url)
    assert caught.value.exit_code == 2
    assert "secret" not in str(caught.value)
    assert paths == []


@pytest.mark.parametrize(
    "url", ["http://[", "data:text/plain,x", "gopher://example.org/", "mailto:woks", "s3:bucket"]
)
def test_a_scheme_that_is_not_read(url: str) -> None:
    """A scheme that nothing here can read is wrong usage (exit code 2), and nothing is touched."""
    with touched_paths() as paths, pytest.raises(LocationError) as caught:
        open_field(url)
    assert caught.value.exit_code == 2
    assert paths == []


@pytest.mark.parametrize(
    "text", ["", "\x00", "a\x00b", "woks\x00", "\ud800", "a\udfff.md"], ids=ascii
)
def test_text_that_is_no_path(text: str, home: Path) -> None:
    """Nothing, NUL and what no file system can name are wrong usage (exit code 2)."""
    with pytest.raises(LocationError) as caught:
        open_field(text)
    assert caught.value.exit_code == 2
    assert caught.value.hint is not None


@pytest.mark.parametrize("location", ["gone", "gone/deeper", "woks/gone.zip", "file:///gone"])
def test_a_location_that_is_not_there(location: str, home: Path) -> None:
    """A missing path is NotFound, exit code 4: the only error that means "absent"."""
    with pytest.raises(NotFound) as caught:
        open_field(location)
    assert (caught.value.location, caught.value.exit_code) == (location, 4)


@pytest.mark.parametrize("location", ["woks/a.md/x", "loop", "n" * 300, "/".join(["n" * 200] * 30)])
def test_a_location_that_cannot_be_had(location: str, home: Path) -> None:
    """A path through a file, in a circle or too long is unavailable, which is not "absent"."""
    (home / "loop").symlink_to("loop")
    with pytest.raises(SourceUnavailable) as caught:
        open_field(location)
    assert not isinstance(caught.value, NotFound)
    assert caught.value.exit_code == 4


def test_a_location_that_is_neither_folder_nor_file(home: Path) -> None:
    """A FIFO or device is refused without being opened, so nothing can hang."""
    os.mkfifo(home / "pipe")
    for location in (str(home / "pipe"), "/dev/null", "/dev/zero"):
        with pytest.raises(LocationError) as caught:
            open_field(location)
        assert "neither a folder nor a file" in str(caught.value)


def test_a_refused_archive_is_closed(home: Path) -> None:
    """An archive that is refused leaves no open file behind."""
    (home / "bad.zip").write_bytes(ARCHIVE + b"x")
    before = os.listdir("/proc/self/fd")
    with pytest.raises(UnsafeArchive):
        open_field("bad.zip")
    with open_field("woks"):
        pass
    assert len(os.listdir("/proc/self/fd")) == len(before)

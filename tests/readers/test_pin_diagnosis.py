"""What a mismatch says: what was wanted, what came, from where, and what seems to have happened."""

from __future__ import annotations

import gzip
import hashlib
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.readers.locked_fields import AT, lock_location
from tests.readers.places import packed, pins_of
from tests.readers.servers.faults import login_page, redirect
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import python_index

from memoryfield_readers import PinMismatch, open_field
from memoryfield_readers.errors import MemoryfieldError

HEX = "0123456789abcdef" * 4
FILES = {"a.md": b"a\nb\n", "b.md": b"\xef\xbb\xbfb\r\n", "pan.png": b"\x00\x01\r\n"}
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize 12345\n" % (b"0" * 64)
OPTIONS = {"retries": 0, "timeout": 20}


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server that has the field as a folder and as an archive."""
    names = {f"/woks/{name}": data for name, data in FILES.items()}
    with FaultyHttp({**names, "/woks.zip": packed(FILES)}) as server:
        server.files["/woks/"] = Served(python_index("/woks/", [*FILES]), "text/html")
        yield server


def _mismatch(location: str | Path | bytes, pin: str, **named: Any) -> PinMismatch:
    with pytest.raises(PinMismatch) as caught:
        open_field(location, pin=pin, **named)
    return _sound(caught.value)


def _sound(error: PinMismatch) -> PinMismatch:
    """The error, after what every one has: all of it in its one line, and no way around it."""
    assert error.exit_code == 3
    assert error.expected in error.message
    assert error.actual in error.message
    assert error.diagnosis in error.message
    assert error.size is None or f"{error.size} bytes" in error.message
    assert "\n" not in str(error)
    assert error.hint
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), other.expected, other.diagnosis) == (
        str(error), error.expected, error.diagnosis,
    )  # fmt: skip
    return error


HTML = b"<!DOCTYPE html>\n<html><head><title>Log in</title></head></html>\n"
PAGE_KINDS: dict[str, tuple[str, bytes, str]] = {
    "empty": ("a.md", b"", "empty"),
    "an HTML page": ("a.md", HTML, "HTML page"),
    "an LFS pointer": ("pan.png", LFS, "Git LFS pointer"),
    "line ends became CRLF": ("a.md", b"a\r\nb\r\n", "line ends differ"),
    "line ends became LF": ("b.md", b"\xef\xbb\xbfb\n", "line ends differ"),
    "a mark was put before it": ("a.md", b"\xef\xbb\xbfa\nb\n", "byte-order mark was put"),
    "its mark is gone": ("b.md", b"b\r\n", "byte-order mark before it is gone"),
    "still compressed": ("a.md", gzip.compress(b"a\nb\n", mtime=0), "still compressed by gzip"),
    "changed": ("a.md", b"a\nB\n", "content is another"),
}


class TestDiagnosis:
    """What seems to have happened is said, for people switch off a check that does not."""

    @pytest.mark.parametrize("kind", PAGE_KINDS)
    def test_of_one_file(self, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """By a lock, and by the field pin alone as far as that can tell."""
        name, data, words = PAGE_KINDS[kind]
        folder = tmp_path / "woks"
        folder.mkdir()
        for each, content in FILES.items():
            (folder / each).write_bytes(content)
        locked = lock_location(str(folder), lambda: open_field(folder), tmp_path, monkeypatch)
        (folder / name).write_bytes(data)
        with pytest.raises(PinMismatch) as caught, open_field(AT, cache=None) as field:
            b"".join(field.chunks(name))
        error = _sound(caught.value)
        assert words in error.diagnosis
        assert (error.entry, error.size) == (name, len(data))
        assert error.expected == f"sha256:{hashlib.sha256(FILES[name]).hexdigest()}"
        assert error.actual == f"sha256:{hashlib.sha256(data).hexdigest()}"
        error = _mismatch(folder, str(locked.field_pin))
        assert words in error.diagnosis
        assert error.entry == (None if kind == "changed" else name)
        assert error.expected == str(locked.field_pin)
        assert error.actual.startswith("field-sha256:")

    def test_of_all_files(self, tmp_path: Path) -> None:
        """What a checkout does to a whole field is seen by the field pin alone."""
        texts = {"a.md": b"a\nb\n", "b.md": b"b\n", "pan.png": b"\x00\n"}
        pin, _ = pins_of(texts)
        for name, data in texts.items():
            changed = data if b"\0" in data else data.replace(b"\n", b"\r\n")
            (tmp_path / name).write_bytes(changed)
        error = _mismatch(tmp_path, pin)
        assert "line ends differ" in error.diagnosis
        assert ".gitattributes" in str(error.hint)
        for name, data in texts.items():
            (tmp_path / name).write_bytes(data if b"\0" in data else b"\xef\xbb\xbf" + data)
        assert "byte-order marks were put" in _mismatch(tmp_path, pin).diagnosis

    def test_what_is_no_cause(self, tmp_path: Path) -> None:
        """A page about HTML, an HTML or a gzip attachment: they are not what has changed."""
        texts = {
            "a.md": b"a\n",
            "p.html": HTML,
            "t.gz": gzip.compress(b"x"),
            "html.md": b"# <html>",
        }
        pin, _ = pins_of(texts)
        for name, data in texts.items():
            (tmp_path / name).write_bytes(data)
        (tmp_path / "a.md").write_bytes(b"A\n")
        error = _mismatch(tmp_path, pin)
        assert (error.diagnosis, error.entry) == ("its content is another", None)

    def test_an_attachment_that_is_compressed_anyway(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of one it is not said that it came compressed, for it always does."""
        folder = tmp_path / "woks"
        folder.mkdir()
        (folder / "t.gz").write_bytes(gzip.compress(b"x", mtime=0))
        lock_location(str(folder), lambda: open_field(folder), tmp_path, monkeypatch)
        (folder / "t.gz").write_bytes(gzip.compress(b"y", mtime=0))
        with pytest.raises(PinMismatch) as caught, open_field(AT, cache=None) as field:
            field.sha256("t.gz")
        assert _sound(caught.value).diagnosis == "its content is another"

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        """There is nothing that could match."""
        error = _mismatch(tmp_path, f"field-sha256:{HEX}")
        assert "no page and no attachment" in error.diagnosis

    ARCHIVES: Mapping[str, tuple[bytes, str]] = {
        "empty": (b"", "empty"),
        "an HTML page": (HTML, "HTML page"),
        "an LFS pointer": (LFS, "Git LFS pointer"),
        "cut in the end": (packed(FILES)[:-5], "cut off or damaged"),
        "cut in the middle": (packed(FILES)[:150], "cut off or damaged"),
        "still compressed": (gzip.compress(packed(FILES), mtime=0), "inside would match"),
        "something else compressed": (gzip.compress(b"x", mtime=0), "compressed by gzip"),
        "a page changed": (packed({**FILES, "a.md": b"A\n"}), "content is another"),
        "text": (b"This is no archive.\n", "cut off or damaged"),
    }

    @pytest.mark.parametrize("kind", ARCHIVES)
    @pytest.mark.parametrize("where", ["here", "bytes", "served"])
    def test_of_an_archive(self, kind: str, where: str, server: FaultyHttp, tmp_path: Path) -> None:
        """The same words, wherever it is."""
        data, words = self.ARCHIVES[kind]
        _, pin = pins_of(FILES)
        location: str | bytes = data
        if where == "here":
            (tmp_path / "woks.zip").write_bytes(data)
            location = str(tmp_path / "woks.zip")
        elif where == "served":
            server.files["/woks.zip"] = data
            location = server.url("/woks.zip")
        error = _mismatch(location, pin)
        if (kind, where) == ("an HTML page", "served"):  # it is seen before all of it has come
            assert "HTML page" in error.diagnosis
            return
        assert words in error.diagnosis
        assert error.expected == pin
        assert error.actual == f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert error.size == len(data)

    def test_of_an_archive_with_a_manifest(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A lock knows what is in it, and so which entry is at fault, or that none is."""
        path = tmp_path / "woks.zip"
        path.write_bytes(packed(FILES))
        lock_location(str(path), lambda: open_field(path), tmp_path, monkeypatch)
        missing = {name: FILES[name] for name in FILES if name != "a.md"}
        for files, words, entry in (
            ({**FILES, "a.md": b"A\n"}, "changed", "a.md"),
            ({**FILES, "c.md": b"c\n"}, "added", "c.md"),
            (missing, "missing", "a.md"),
            (dict(reversed(FILES.items())), "packed in another way", None),
        ):
            path.write_bytes(packed(files))
            with pytest.raises(PinMismatch) as caught, open_field(AT, cache=None) as field:
                field.page("b.md")
            error = _sound(caught.value)
            assert words in error.diagnosis
            assert error.entry == entry


class TestWhereItCameFrom:
    """The URL that gave it in the end is said, and nothing in it that lets one in."""

    def test_an_archive_after_a_redirect(self, server: FaultyHttp) -> None:
        """What a server far away gives is not taken for the location's own."""
        _, pin = pins_of(FILES)
        far = server.url("/mirror/x.zip?X-Amz-Signature=SECRET&part=1")
        server.fail("/woks.zip", redirect(far), times=None)
        server.files["/mirror/x.zip"] = packed({**FILES, "a.md": b"A\n"})
        error = _mismatch(server.url("/woks.zip"), pin, storage_options=OPTIONS)
        assert error.location == server.url("/woks.zip")
        assert error.url is not None
        assert error.url.startswith(server.url("/mirror/x.zip"))
        assert f"from {error.url}" in error.message
        assert "SECRET" not in _all_of(error)

    def test_a_page_after_a_redirect(
        self, server: FaultyHttp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also of one file of a field, and of a page to log in."""
        at = server.url("/woks/")
        lock_location(at, lambda: open_field(at), tmp_path, monkeypatch)
        far = server.url("/login?token=SECRET")
        server.files["/login"] = b"Z\n"
        server.fail("/woks/a.md", redirect(far), times=None)
        server.fail("/login", lambda _, reply, __: reply, times=1)
        server.fail("/login", login_page, times=None)
        for words in ("another", "HTML page"):
            with pytest.raises(PinMismatch) as caught, open_field(AT, cache=None) as field:
                field.page("a.md")
            error = _sound(caught.value)
            assert words in error.diagnosis
            assert error.entry == "a.md"
            assert str(error.url or error.message).find(server.url("/login")) >= 0
            assert "SECRET" not in _all_of(error)

    def test_no_url_where_none_says_anything(self, server: FaultyHttp) -> None:
        """It came from where it was asked for."""
        error = _mismatch(server.url("/woks.zip"), f"sha256:{HEX}")
        assert error.url is None
        assert error.message.count("http") == 0


def _all_of(error: MemoryfieldError) -> str:
    chain: list[BaseException | None] = [error, error.__cause__, error.__context__]
    return " ".join(f"{each!r} {each} {getattr(each, '__dict__', '')}" for each in chain)

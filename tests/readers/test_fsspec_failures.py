"""What goes wrong behind fsspec is told apart, without a word of its own."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.readers.servers.odd_fsspec import (
    SECRET,
    HttpLikeError,
    OddFileSystem,
    contents,
    failure,
    folder,
    odd_filesystem,
)

from memoryfield_readers import (
    AccessDenied,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
)
from memoryfield_readers.entry import EntryKind
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.locations.values import FsspecLocation
from memoryfield_readers.sources.any_fsspec import FsspecFolder, FsspecObject
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink


@pytest.fixture
def odd() -> Iterator[type[OddFileSystem]]:
    with odd_filesystem() as kind:
        yield kind


def test_a_folder_that_cannot_be_listed_is_no_empty_one(odd: type[OddFileSystem]) -> None:
    """fsspec leaves it out without a word; a busy server is never "not found"."""
    store = folder("odd://field")
    assert sorted(contents(store)) == ["a.md", "sub/b.md"]
    cases: tuple[tuple[Exception, type[MemoryfieldError]], ...] = (
        (PermissionError(13, SECRET), AccessDenied),
        (OSError(5, SECRET), SourceUnavailable),
        (FileNotFoundError(SECRET), SourceUnavailable),
        (HttpLikeError(403), AccessDenied),
        (HttpLikeError(401), AccessDenied),
        (HttpLikeError(429), SourceUnavailable),
        (HttpLikeError(404), SourceUnavailable),
        (KeyError(SECRET), SourceUnavailable),
        (RuntimeError(SECRET), SourceUnavailable),
        (NotADirectoryError(SECRET), SourceUnavailable),
    )
    for place in ("", "/sub"):
        odd.ls_fails_at = place
        for error, kind in cases:
            odd.ls_fails = error
            if place and kind is AccessDenied:
                unreadable = {entry.path: entry.kind for entry in store.listing()}
                assert unreadable == {"a.md": EntryKind.FILE, "sub": EntryKind.UNREADABLE}
            else:
                assert type(failure(store.listing)) is kind, (error, place)
    odd.ls_fails = None
    missing = failure(folder("odd://field/none").listing)
    assert type(missing) is NotFound  # since the folder above can be listed


def test_what_cannot_be_opened(odd: type[OddFileSystem]) -> None:
    """Wrong options are wrong use; what is missing or out of reach is unavailable."""
    cases: tuple[tuple[Exception, type[MemoryfieldError]], ...] = (
        (TypeError(SECRET), LocationError),
        (ValueError(SECRET), LocationError),
        (NotImplementedError(SECRET), LocationError),
        (ConnectionRefusedError(SECRET), SourceUnavailable),
        (TimeoutError(SECRET), SourceUnavailable),
        (FileNotFoundError(SECRET), SourceUnavailable),
        (zipfile.BadZipFile(SECRET), SourceUnavailable),
    )
    for error, kind in cases:
        odd.making_fails = error
        assert type(failure(lambda: folder("odd://field"))) is kind, error
    odd.making_fails = None
    assert type(failure(lambda: folder("nothing-like-it://x"))) is LocationError
    assert type(failure(lambda: folder("odd://field", anon=True))) is LocationError
    assert type(failure(lambda: folder("zip://::odd://field", odd="x"))) is LocationError
    shared = TransferOptions.of({}, public_only=True)
    location = FsspecLocation("SHOWN", "memory://f", False, "x")
    assert type(failure(lambda: FsspecFolder(location, shared, DEFAULT_LIMITS))) is LocationError


def test_a_package_that_is_missing(odd: type[OddFileSystem]) -> None:
    """It is named, with what to do."""
    odd.making_fails = ImportError("No module named 'paramiko'", name="paramiko")
    error = failure(lambda: folder("odd://field"))
    assert type(error) is SourceUnavailable
    assert error.message == "odd needs paramiko, which is not installed"
    assert error.hint == "pip install paramiko"


def test_what_may_pass_is_tried_again(odd: type[OddFileSystem]) -> None:
    """As often as the options say; what is refused is not."""
    store = folder("odd://field", retries=2)
    entry = store.listing()[0]
    odd.reading_fails = [ConnectionResetError(SECRET), HttpLikeError(503)]
    sink = MemorySink(10)
    store.save(entry, sink)
    assert sink.data == b"# A"
    odd.reading_fails = [ConnectionResetError(SECRET)] * 4
    assert type(failure(lambda: store.save(entry, sink))) is SourceUnavailable
    assert len(odd.reading_fails) == 1
    odd.reading_fails = [HttpLikeError(403)] * 2
    error = failure(lambda: store.save(entry, sink))
    assert (type(error), error.entry) == (AccessDenied, "a.md")
    assert len(odd.reading_fails) == 1


def test_a_call_without_an_answer_is_left(odd: type[OddFileSystem]) -> None:
    """Nothing can end it; nothing is asked after it, and closing does not wait either."""
    odd.hold.clear()
    odd.files = {"field/silent": b"x"}
    store = folder("odd://field", timeout=0.2)
    (entry,) = store.listing()
    for _ in range(2):
        error = failure(lambda: store.save(entry, MemorySink(9)))
        assert type(error) is SourceUnavailable
        assert error.message == "odd took longer than 0.2 seconds"
        assert error.hint == "--timeout SECONDS gives it longer"
    store.close()
    odd.hold.set()


def test_a_server_within_a_chain_never_says_not_found(tmp_path: Path) -> None:
    """fsspec's HTTP says "no such file" of what it may not read, and of a server that is busy."""
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response({"/500.zip": 500, "/404.zip": 404}.get(self.path, 200))
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            for name in ("500", "404"):
                url = f"zip://::http://127.0.0.1:{server.server_port}/{name}.zip"
                assert type(failure(partial(folder, url))) is SourceUnavailable
                alone = FsspecLocation("SHOWN", f"dir::{url.partition('::')[2]}", True, "x")
                remote = FsspecObject(alone, TransferOptions.of({"retries": 0}))
                error = failure(partial(remote.tail, 10, MemorySink(10)))
                assert type(error) is SourceUnavailable
        finally:
            server.shutdown()
            thread.join()


def test_what_reading_meets_is_no_wrong_option(odd: type[OddFileSystem]) -> None:
    """Once the file system is made, whatever it raises is the source's."""
    store = folder("odd://field")
    entry = store.listing()[0]
    remote = FsspecObject(FsspecLocation("SHOWN", "odd://field/a.md", True, "x"), TransferOptions())
    for error in (ValueError(SECRET), NotImplementedError(SECRET), TypeError(SECRET)):
        odd.reading_fails = [error] * 2
        for work in (
            partial(store.save, entry, MemorySink(9)),
            partial(remote.tail, 9, MemorySink(9)),
        ):
            failed = failure(work)
            assert type(failed) is SourceUnavailable
            assert type(error).__name__ in failed.message
            assert failed.hint is None  # there is no server in this chain
    odd.making_fails = ValueError(SECRET)
    assert type(failure(lambda: folder("zip://::odd://field/a.md"))) is LocationError


@pytest.mark.parametrize("told", ["none", "bytes"])
def test_a_server_without_ranges_within_a_chain(tmp_path: Path, told: str) -> None:
    """The archive cannot be read by parts: that is the server's, not a wrong option."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    archive = tmp_path / "x.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a.md", bytes(1000))
    data = archive.read_bytes()

    class Whole(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Accept-Ranges", told)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Whole) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            url = f"zip://*::http://127.0.0.1:{server.server_port}/x.zip"
            error = failure(lambda: contents(folder(url)))
            assert type(error) is SourceUnavailable
            assert "ValueError" in error.message
            assert error.hint is not None
            assert "no ranges" in error.hint
            assert "http:// location itself" in error.hint
        finally:
            server.shutdown()
            thread.join()

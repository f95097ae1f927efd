"""Fields and places that go wrong in known ways, for tests of work on many fields."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from memoryfield_fleet import Target

PAGE = """---
title: A page
summary: What it says.
created: "2026-01-01T00:00:00Z"
---

# A page

Some words.
"""

PATIENT = {"storage_options": {"timeout": 3600.0, "retries": 9}}
"""Options with which readers would wait as good as for ever."""


def folder(path: Path, **pages: str) -> Path:
    """A folder with pages, one good one if none are given."""
    path.mkdir()
    for name, text in (pages or {"index": PAGE}).items():
        (path / f"{name}.md").write_text(text, "utf-8")
    return path


def archive(**pages: str) -> bytes:
    """An archive with pages."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in (pages or {"index": PAGE}).items():
            made.writestr(zipfile.ZipInfo(f"{name}.md", (2026, 1, 1, 0, 0, 0)), text)
    return buffer.getvalue()


def bomb(path: Path) -> Path:
    """An archive of some kilobytes that holds 30 MB."""
    entry = zipfile.ZipInfo("index.md", (2026, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as made, made.open(entry, "w") as out:
        for _ in range(30):
            out.write(bytes(1_000_000))
    return path


@contextlib.contextmanager
def silent_server(heard: Callable[[], object] | None = None) -> Iterator[Target]:
    """A field behind a server that takes requests, and never answers.

    Arguments:
        heard: is called for each connection; None to let them wait.
    """
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(50)
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        with contextlib.ExitStack() as stack:
            if heard is not None:
                stack.enter_context(_answering(listening, heard))
            yield Target(f"http://{host}/x.memoryfield.zip", host=host)


@contextlib.contextmanager
def _answering(listening: socket.socket, heard: Callable[[], object]) -> Iterator[None]:
    taken: list[socket.socket] = []

    def take() -> None:
        with contextlib.suppress(OSError):
            while True:
                taken.append(listening.accept()[0])
                heard()

    thread = threading.Thread(target=take)
    thread.start()
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)  # which wakes who waits for a connection
        thread.join()
        for each in taken:
            each.close()


class Busy:
    """A server with one archive, which asks to be left alone so many times."""

    def __init__(self, refusals: int, **headers: str) -> None:
        """Begin to answer.

        Arguments:
            refusals: how many requests get a 503.
            headers: what else they get.
        """
        self.left = refusals
        self.most_at_once = 0
        data, lock, owner = archive(), threading.Lock(), self
        now = [0]

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with lock:
                    now[0] += 1
                    owner.most_at_once = max(owner.most_at_once, now[0])
                    refuse = owner.left > 0
                    owner.left -= refuse
                self.send_response(503 if refuse else 200)
                for name, value in headers.items() if refuse else ():
                    self.send_header(name.replace("_", "-"), value)
                body = b"" if refuse else data
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                with lock:
                    now[0] -= 1

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_address[1]}"

    def target(self, name: str = "x") -> Target:
        """The field, under any name."""
        return Target(f"http://{self.host}/{name}.memoryfield.zip", host=self.host)

    def __enter__(self) -> Busy:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

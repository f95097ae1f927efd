"""Servers as tests need them: in a thread, or as a process of their own."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cli.command import COMMAND, neutral_environment

from memoryfield_agents import Shelf
from memoryfield_agents.fields import requests_of
from memoryfield_agents.serving import Settings, running
from memoryfield_agents.serving.app import application
from memoryfield_index.searching import Embedders

SECONDS = 60
"""After so long something hangs."""


@dataclass(frozen=True, slots=True)
class Got:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Server:
    """A server that runs.

    Attributes:
        port: its port.
        shelf: the fields that it has; None for a process of its own.
        log: the lines of its log.
        process: the process; None for a thread.
    """

    port: int
    shelf: Shelf | None = None
    log: list[str] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/"

    def get(self, path: str, method: str = "GET", **headers: str) -> Got:
        """Ask for a path, sent as it stands; `_` in the names of headers is `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with closing(connection):
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Got(answer.status, told, answer.read())

    def raw(self, request: bytes) -> bytes:
        """Send bytes, and take all that comes until the server ends the connection."""
        with self.connected() as client:
            client.sendall(request)
            return b"".join(iter(lambda: client.recv(65536), b""))

    def told(self, part: str, before: int = 0) -> str:
        """The first line of the log, after so many, with this part; it comes soon."""
        last = time.monotonic() + SECONDS
        while time.monotonic() < last:
            for line in self.log[before:]:
                if part in line:
                    return line
            time.sleep(0.01)
        raise AssertionError(self.log[before:])

    def connected(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)


@contextmanager
def serving(
    *locations: str | Path,
    settings: Settings | None = None,
    embedders: Embedders | None = None,
    **how: Any,
) -> Iterator[Server]:
    """A server of some fields, in a thread of this process."""
    chosen = settings or Settings(follow_changes=False)
    lines: list[str] = []
    requests = requests_of(map(str, locations))
    before = running.looks_before(requests)
    listener = running.listening("127.0.0.1", 0)
    port = running.address_of(listener)[1]
    started = threading.Event()
    stops = []

    def ready(stop: Any) -> None:
        stops.append(stop)
        started.set()

    with Shelf(requests, embedders or Embedders(), **how) as shelf:
        library = running.library_of(shelf, requests, before, chosen, lines.append)
        app = application(library, chosen, lines.append)
        thread = threading.Thread(
            target=running.run, args=(app, listener, chosen, lines.append, ready)
        )
        thread.start()
        try:
            assert started.wait(SECONDS)
            yield Server(port, shelf, lines)
        finally:
            stops[0]()
            thread.join(SECONDS)
            assert not thread.is_alive()


@contextmanager
def spawned(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """`memoryfield serve --port 0` as a process of its own; it is killed if it still runs."""
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", "0", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=neutral_environment() | dict(env or {}),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        lines: list[str] = []
        thread: threading.Thread | None = None
        try:
            first = process.stderr.readline().decode()
            while first and "serving http" not in first:
                lines.append(first.rstrip("\n"))
                first = process.stderr.readline().decode()
            assert first, lines
            lines.append(first.rstrip("\n"))
            port = int(first.split("serving http://127.0.0.1:")[1].split("/")[0])

            def follow() -> None:
                assert process.stderr is not None
                lines.extend(line.decode().rstrip("\n") for line in process.stderr)

            thread = threading.Thread(target=follow)
            thread.start()
            yield Server(port, None, lines, process)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(SECONDS)
            if thread is not None:
                thread.join(SECONDS)


def stopped(server: Server) -> int:
    """Ask a process to stop, and take its exit code."""
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGTERM)
    return server.process.wait(SECONDS)


def folder(path: Path, files: Mapping[str, bytes | str]) -> Path:
    """A folder with some files."""
    path.mkdir(parents=True)
    for name, content in files.items():
        raw = content.encode() if isinstance(content, str) else content
        (path / name).write_bytes(raw)
    return path


def page(title: str, body: str = "", summary: str | None = None) -> str:
    """A page with a frontmatter."""
    told = "" if summary is None else f"summary: {summary}\n"
    return f"---\ntitle: {title}\n{told}---\n\n{body}"


def parts_of(answer: bytes) -> tuple[int, Sequence[bytes], bytes]:
    """Status, lines of the head, and body of raw bytes."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    return int(lines[0].split(b" ")[1]), lines[1:], body

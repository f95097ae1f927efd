"""A git server on loopback: git's own `http-backend` behind a small server of ours."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

from tests.readers.servers.git_repository import surroundings


@dataclass
class GitServer:
    """What a test tells the server, and what it was asked.

    Attributes:
        url: where it serves, without a slash at the end.
        requests: method and path of each request.
        authorizations: the header of each request that had one.
        failures: statuses to answer with before anything else, in order.
        password: what a request must be authorised with ("user:password" in Base64); "" for none.
        silent: whether it takes requests, and never answers.
        stalls: whether it stops in the middle of each answer, and waits.
        redirect_to: where every request is sent; "" for nowhere.
    """

    url: str = ""
    requests: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    password: str = ""
    silent: bool = False
    stalls: bool = False
    redirect_to: str = ""
    over: Event = field(default_factory=Event)


@contextmanager
def git_server(root: Path, tls: ssl.SSLContext | None = None) -> Iterator[GitServer]:
    """Serve the repositories in a folder by smart HTTP, or by HTTPS."""
    state = GitServer()

    class Handler(_Handler):
        folder = root
        told = state

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    server.block_on_close = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    state.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread.start()
    try:
        yield state
    finally:
        state.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    folder: Path
    told: GitServer

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self._answer(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self, body: bytes) -> None:
        told = self.told
        url = urlsplit(self.path)
        told.requests.append(f"{self.command} {url.path}")
        given = self.headers.get("Authorization", "")
        if given:
            told.authorizations.append(given)
        if told.silent:
            told.over.wait()
            return
        if told.failures:
            self._plain(told.failures.pop(0))
            return
        if told.password and given != f"Basic {told.password}":
            self._plain(401)
            return
        if told.redirect_to:
            self.send_response(302)
            self.send_header("Location", told.redirect_to + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._run(url.path, url.query, body)

    def _plain(self, status: int) -> None:
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="test"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _run(self, path: str, query: str, body: bytes) -> None:
        """Let `git http-backend` answer, as a web server does by CGI."""
        environment = surroundings(self.folder) | {
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode("latin-1").splitlines())
        self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            if self.told.stalls and "git-upload-pack-result" in headers["Content-Type"]:
                self.wfile.write(content[: len(content) // 2])
                self.told.over.wait()
                return
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has had enough

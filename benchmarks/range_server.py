"""A web server for benchmarks: a folder with ranges, as slow as it is told, which counts.

    python benchmarks/range_server.py FOLDER [--latency SECONDS] [--rate BYTES_A_SECOND]

It prints its port and serves until its standard input ends. `GET /-/count` answers with how many
requests there were since the last such question, and how many bytes of content they took.
"""

from __future__ import annotations

import argparse
import re
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_PIECE = 64 * 1024


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, latency: float, rate: float, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.latency = latency
        self.rate = rate
        self.lock = threading.Lock()
        self.requests = 0
        self.content = 0
        self.free_at = 0.0

    def wait_for_link(self, length: int) -> None:
        """Let as much time pass as so many bytes take on the link that all share."""
        if not self.rate:
            return
        with self.lock:
            self.free_at = max(self.free_at, time.monotonic()) + length / self.rate
            wait = self.free_at - time.monotonic()
        time.sleep(max(0.0, wait))


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        if self.path == "/-/count":
            with self.server.lock:
                answer = f"{self.server.requests} {self.server.content}".encode()
                self.server.requests = self.server.content = 0
            self._answer(200, [answer], len(answer), [])
            return
        time.sleep(self.server.latency)
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            super().do_GET()
            return
        if not path.is_file():
            self._answer(404, [], 0, [])
            return
        size = path.stat().st_size
        start, end, status = 0, size, 200
        wanted = _RANGE.fullmatch(self.headers.get("Range", ""))
        if wanted and wanted[1]:
            start, end, status = int(wanted[1]), int(wanted[2] or size - 1) + 1, 206
        elif wanted:
            start, status = max(0, size - int(wanted[2])), 206
        headers = [("ETag", f'"{size}"'), ("Accept-Ranges", "bytes")]
        if status == 206:
            headers.append(("Content-Range", f"bytes {start}-{end - 1}/{size}"))
        self._answer(status, self._pieces(path, start, end), end - start, headers)

    def _pieces(self, path: Path, start: int, end: int) -> Iterator[bytes]:
        with open(path, "rb") as file:
            file.seek(start)
            for at in range(start, end, _PIECE):
                piece = file.read(min(_PIECE, end - at))
                self.server.wait_for_link(len(piece))
                yield piece

    def _answer(
        self,
        status: int,
        pieces: Iterator[bytes] | list[bytes],
        length: int,
        headers: list[tuple[str, str]],
    ) -> None:
        if self.path != "/-/count":
            with self.server.lock:
                self.server.requests += 1
                self.server.content += length
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=0.0)
    options = parser.parse_args()
    server = _Server(options.latency, options.rate, options.folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()

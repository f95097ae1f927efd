"""HTTP servers that were written elsewhere, each as a process of its own over a folder."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
"""Where nginx is; None where it is not installed."""

_SECONDS_TO_START = 20.0


@contextlib.contextmanager
def python_server(folder: Path) -> Iterator[str]:
    """The URL, with its last slash, at which `python -m http.server` serves a folder."""
    port = _free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with _running([*command, "--directory", str(folder)], port) as url:
        yield url


@contextlib.contextmanager
def nginx_server(folder: Path, work: Path, *, autoindex: bool) -> Iterator[str]:
    """The URL, with its last slash, at which nginx serves a folder.

    Arguments:
        folder: what to serve.
        work: an empty folder for its settings and its temporary files.
        autoindex: whether it lists folders.
    """
    assert NGINX is not None
    port = _free_port()
    settings = work / "nginx.conf"
    settings.write_text(_nginx_settings(folder, work, port, autoindex), "utf-8")
    with _running([NGINX, "-e", str(work / "error.log"), "-c", str(settings)], port) as url:
        yield url


def _nginx_settings(folder: Path, work: Path, port: int, autoindex: bool) -> str:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    # those that are built in lie in folders of the system, where not everyone may write
    paths = "\n".join(f'  {kind}_temp_path "{work}/{kind}";' for kind in kinds)
    return f"""
daemon off;
master_process off;
pid "{work}/nginx.pid";
error_log "{work}/error.log";
events {{ worker_connections 64; }}
http {{
{paths}
  access_log off;
  types {{ text/html html; text/markdown md; application/zip zip; }}
  default_type application/octet-stream;
  server {{
    listen 127.0.0.1:{port};
    root "{folder}";
    autoindex {"on" if autoindex else "off"};
  }}
}}
"""


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@contextlib.contextmanager
def _running(command: Sequence[str], port: int) -> Iterator[str]:
    """Run a server until the block is left; it is ended by its own process id."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(process, port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _SECONDS_TO_START
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError(f"the server did not start: {process.args!r}")

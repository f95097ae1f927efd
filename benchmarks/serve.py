"""What serving costs: `memoryfield serve` beside nginx and `memoryfield-tool serve`, in one run.

All serve the same 200 pages, on this machine, over connections that stay open. Who is measured
changes in turn, so that a machine that is busy meanwhile is so for all of them, and the median of
the rounds counts. The client is one thread of Python, which is part of each figure; beside nginx,
which is faster than the client, a ratio says less than it seems to.

    python benchmarks/serve.py [--rounds N] [--seconds S] [--requests N] [--check] [--tool COMMAND]

What is judged is the memory of our server after 100,000 requests of all kinds, by that after 1,000.
"""

from __future__ import annotations

import argparse
import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from asking import Load, load, request
from make_field import make_field
from memoryfield_writer import pack

_PAGES = 200
_NAME = "field"
_EARLY = 1_000
_LATE = 100_000
_MOST_GROWTH = 1.1
_PARALLEL = 16
_SECONDS = 30
"""After so long a server that does not answer will not."""
_OURS = Path(sys.executable).with_name("memoryfield")
_MATRIX = Path(__file__).resolve().parent.parent / ".matrix"


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs.

    Attributes:
        port: its port.
        root: the path below which the pages are.
        archive: the path of the archive.
        pid: its process.
    """

    port: int
    root: str
    archive: str
    pid: int


def free_port() -> int:
    """A port that nobody has just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Whether someone takes connections there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(command: list[str], port: int, environment: Mapping[str, str]) -> Iterator[int]:
    """A server as a process of its own, once it takes connections; it is ended by its id."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        command,
        env=os.environ | dict(environment),
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
    ) as process:
        try:
            last = time.monotonic() + _SECONDS
            while not answers(port):
                if time.monotonic() > last or process.poll() is not None:
                    raise SystemExit(f"{command[0]} does not serve")
                time.sleep(0.05)
            yield process.pid
        finally:
            process.terminate()


@contextmanager
def ours(folder: Path, scratch: Path) -> Iterator[Served]:
    """`memoryfield serve`, with its log in a file."""
    port = free_port()
    command = [str(_OURS), "serve", "--port", str(port), "--log", str(scratch / "log"), str(folder)]
    with running(command, port, {}) as pid:
        yield Served(port, "/", "/memoryfield.zip", pid)


@contextmanager
def nginx(program: str, folder: Path, scratch: Path) -> Iterator[Served]:
    """Nginx with one worker, which serves the files and writes a log."""
    port = free_port()
    home = scratch / "nginx"
    home.mkdir()
    pack(folder, scratch / "packed" / f"{_NAME}.memoryfield.zip", checksum=False)
    shutil.copytree(folder, home / "www")
    shutil.copy(scratch / "packed" / f"{_NAME}.memoryfield.zip", home / "www" / "memoryfield.zip")
    for each in (home, home / "www", *(home / "www").iterdir()):
        each.chmod(0o755)
    kept = "".join(
        f"{kind}_temp_path {home};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = home / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {home}/pid; error_log {home}/errors;\n"
        f"events {{}}\nhttp {{ access_log {home}/log; sendfile on; keepalive_requests 100000000;\n"
        f"{kept}server {{ listen 127.0.0.1:{port}; root {home}/www; }} }}\n"
    )
    with running([program, "-c", str(config), "-p", str(home)], port, {}) as pid:
        yield Served(port, "/", "/memoryfield.zip", pid)


@contextmanager
def tool(command: Path, folder: Path, scratch: Path) -> Iterator[Served]:
    """`memoryfield-tool serve`."""
    port = free_port()
    environment = {"MEMORYFIELD_TOOL_CONFIG": str(scratch / "config.toml")}
    connect = [str(command), "connect", _NAME, str(folder)]
    subprocess.run(connect, env=os.environ | environment, check=True, capture_output=True)
    with running([str(command), "serve", "--port", str(port)], port, environment) as pid:
        yield Served(port, f"/{_NAME}/", f"/{_NAME}.memoryfield.zip", pid)


def tags(server: Served, pages: list[str]) -> list[str]:
    """The tag of each page; none if the server gives none."""
    found = []
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=_SECONDS)) as client:
        for page in pages:
            client.request("GET", server.root + page)
            answer = client.getresponse()
            answer.read()
            if tag := answer.headers.get("ETag"):
                found.append(tag)
    return found


def questions(server: Served, pages: list[str]) -> dict[str, list[bytes]]:
    """What is asked of a server, by what it is called."""
    port = server.port
    asked = {"pages": [request(port, server.root + page) for page in pages]}
    known = tags(server, pages)
    if len(known) == len(pages):
        asked["pages that are known (304)"] = [
            request(port, server.root + page, f"If-None-Match: {tag}")
            for page, tag in zip(pages, known, strict=True)
        ]
    asked["the archive"] = [request(port, server.archive)]
    return asked


def resident(pid: int) -> int:
    """KiB of memory that a process has."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ValueError(pid)


def growth(server: Served, pages: list[str], count: int) -> tuple[int, int]:
    """KiB after 1,000 requests, and after so many: pages raw, known and rendered, searches, all."""
    port = server.port
    asked = [request(port, path) for path in ("/search?q=cache+queue&k=5", "/listing.json")]
    asked.append(request(port, server.archive))
    for page, tag in zip(pages, tags(server, pages), strict=True):
        asked.append(request(port, server.root + page))
        asked.append(request(port, server.root + page, f"If-None-Match: {tag}"))
        asked.append(request(port, server.root + page, "Accept: text/html"))
    load(port, asked, _PARALLEL, count=_EARLY)
    early = resident(server.pid)
    load(port, asked, _PARALLEL, count=count - _EARLY)
    return early, resident(server.pid)


def main() -> None:
    """Measure, print, and with --check fail beyond the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--requests", type=int, default=_LATE)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tool", type=Path, help="the command memoryfield-tool")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        scratch = Path(name)
        scratch.chmod(0o755)  # for nginx, which may serve as another user
        (scratch / "packed").mkdir()
        folder = scratch / _NAME
        make_field(folder, _PAGES)
        pages = sorted(path.name for path in folder.iterdir())
        servers = {"memoryfield serve": stack.enter_context(ours(folder, scratch))}
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if program is None:
            print("nginx is not here")
        else:
            servers["nginx"] = stack.enter_context(nginx(program, folder, scratch))
        command = options.tool or next(_MATRIX.glob("**/bin/memoryfield-tool"), None)
        if command is None:
            print("memoryfield-tool is not here: `make matrix` installs it")
        else:
            servers["memoryfield-tool"] = stack.enter_context(tool(command, folder, scratch))
        asked = {who: questions(server, pages) for who, server in servers.items()}
        for what in asked["memoryfield serve"]:
            for connections in (1, _PARALLEL):
                _compare(servers, asked, what, connections, options.rounds, options.seconds)
        early, late = growth(servers["memoryfield serve"], pages, options.requests)
        print(
            f"memory after {options.requests:,} requests / after {_EARLY:,}: {late / early:.3f}  "
            f"({late / 1024:.1f} and {early / 1024:.1f} MiB)  at most {_MOST_GROWTH:.2f}"
        )
    if options.check and late > _MOST_GROWTH * early:
        raise SystemExit("beyond the limit: memory")


def _compare(
    servers: Mapping[str, Served],
    asked: Mapping[str, Mapping[str, list[bytes]]],
    what: str,
    connections: int,
    rounds: int,
    seconds: float,
) -> None:
    found: dict[str, list[Load]] = {who: [] for who in servers if what in asked[who]}
    for number in range(rounds):
        order = list(found)
        for who in order[number % len(order) :] + order[: number % len(order)]:
            again = load(servers[who].port, asked[who][what], connections, seconds=seconds)
            found[who].append(again)
    print(f"{what}, {connections} at a time")
    first = median(each.rate for each in found["memoryfield serve"])
    for who in servers:
        if who not in found:
            print(f"  {who:<18} gives no tags")
            continue
        rate = median(each.rate for each in found[who])
        half = median(each.half for each in found[who])
        most = median(each.most for each in found[who])
        statuses = sorted({status for each in found[who] for status in each.statuses})
        print(
            f"  {who:<18} {rate:>9,.0f} a second  p50 {half:>7.2f} ms  p99 {most:>7.2f} ms  "
            f"{rate / first:>6.2f} of ours  {statuses}",
            flush=True,
        )


if __name__ == "__main__":
    main()

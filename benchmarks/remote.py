"""What fields elsewhere cost: requests and bytes as they are, times as ratios within one run.

A server in its own process counts requests and bytes, lets every answer wait for a while, and sends
no faster than a link would.

    python benchmarks/remote.py [--rounds N] [--check]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from make_field import make_field
from memoryfield_readers import open_field

_PAGES = 10_000
_SERVED = 100
_LATENCY = 0.02
_RATE = 5e5
"""Bytes a second of the link: 4 Mbit/s. A faster one would measure how fast pages are inflated."""
_MOST_REQUESTS = 3
_SLACK_BYTES = 64 * 1024
_MOST_RATIO = 1.2
_MOST_PARALLEL = 0.5
_SERVER = Path(__file__).with_name("range_server.py")


@contextmanager
def served(folder: Path, *, latency: float = 0.0, rate: float = 0.0) -> Iterator[str]:
    """The URL at which a folder is served meanwhile."""
    command = [sys.executable, str(_SERVER), str(folder)]
    command += ["--latency", str(latency), "--rate", str(rate)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.communicate()


def count(url: str) -> tuple[int, int]:
    """Requests, and bytes of content, since this was asked last."""
    found, content = requests.get(f"{url}-/count", timeout=10).text.split()
    return int(found), int(content)


def pack(folder: Path, archive: Path) -> int:
    """Put a folder's pages into an archive; the bytes of its central directory and end record."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for page in sorted(folder.iterdir()):
            packed.write(page, page.name)
        start = packed.start_dir
    with zipfile.ZipFile(archive) as packed:
        start = packed.start_dir
    return archive.stat().st_size - start


def best(
    rounds: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The least time of each work, done in turn."""
    return [min(each) for each in in_turn(rounds, *works, clock=clock)]


def in_turn(
    rounds: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[list[float]]:
    """The times of each work, done in turn; who is first changes from round to round."""
    times: list[list[float]] = [[] for _ in works]
    for first in range(rounds):
        for nth in range(len(works)):
            number = (first + nth) % len(works)
            start = clock()
            works[number]()
            times[number].append(clock() - start)
    return times


def one_page(url: str, archive: str, page: str) -> int:
    """Read one page out of an archive elsewhere."""
    with open_field(url + archive) as field:
        return len(field.page(page).raw)


def all_pages(url: str, archive: str) -> int:
    """Read all pages of an archive elsewhere."""
    with open_field(url + archive) as field:
        return len(field.read(field.pages))


def page_by_page(url: str) -> int:
    """Read the pages of a served field one after the other."""
    with open_field(url) as field:
        return len([field.page(name) for name in field.pages])


def side_by_side(url: str) -> int:
    """Read the pages of a served field all together."""
    with open_field(url) as field:
        return len(field.read(field.pages))


def main() -> None:
    """Measure, print, and with --check fail beyond the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    missed: list[str] = []

    def say(what: str, value: float, most: float, unit: str = "") -> None:
        print(f"{what:<66} {value:>12,.2f}{unit}  at most {most:,.2f}")
        if value > most:
            missed.append(what)

    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        make_field(root / "large", _PAGES)
        make_field(root / "web" / "small", _SERVED)
        archive = "large.memoryfield.zip"
        directory = pack(root / "large", root / "web" / archive)
        name = sorted(path.name for path in (root / "large").iterdir())[_PAGES // 2]
        with served(root / "web") as url:
            count(url)
            page_bytes = one_page(url, archive, name)
            asked, content = count(url)
            say(f"requests for one page of {_PAGES:,}", asked, _MOST_REQUESTS)
            most = directory + page_bytes + _SLACK_BYTES
            say("bytes for it (directory, page and 64 KiB)", content, most)
            all_pages(url, archive)
            asked, content = count(url)
            size = (root / "web" / archive).stat().st_size
            say("bytes for all its pages / those of the archive", content / size, _MOST_RATIO)
            print(f"requests for that: {asked}")
        with served(root / "web", rate=_RATE, latency=_LATENCY) as url:
            whole, pages = best(
                1,
                lambda: requests.get(url + archive, timeout=60).content,
                lambda: all_pages(url, archive),
            )
            say("time for all its pages / a plain download", pages / whole, _MOST_RATIO)
        with served(root / "web", latency=_LATENCY) as url:
            serial, parallel = best(
                options.rounds,
                lambda: page_by_page(f"{url}small/"),
                lambda: side_by_side(f"{url}small/"),
            )
            ratio = parallel / serial
            say(f"{_SERVED} pages of a served field together / one by one", ratio, _MOST_PARALLEL)
    if missed and options.check:
        raise SystemExit("beyond the limit: " + "; ".join(missed))


if __name__ == "__main__":
    main()

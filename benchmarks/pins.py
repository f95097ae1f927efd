"""What pins cost: times as ratios within one run, requests and bytes as they are.

What is compared is done in turn, so that a machine that is busy meanwhile is so for all of it. What
is judged is how long this process has worked, and, of pages elsewhere, how long they took without a
proof. A server in its own process counts requests and bytes, and lets every answer wait for a round
trip.

    python benchmarks/pins.py [--rounds N] [--check]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import tempfile
import time
from pathlib import Path
from statistics import median

from make_field import make_field
from memoryfield_readers import DEFAULT_LIMITS, Field, open_field
from memoryfield_readers.cache import Cache
from memoryfield_readers.lock import (
    LockFile,
    changing,
    lock_field,
    parse_lock,
    read_lock,
    remember,
)
from memoryfield_readers.locked import locked_source
from memoryfield_readers.transfer.progress import unwatched
from remote import best, count, in_turn, one_page, pack, served

_FEW = 200
_PICTURES = 19
_PICTURE_BYTES = 1_000_000
"""With these an archive has 20 MB; of pages alone it would have more than the limits allow."""
_MANY = 1_000
_PIECE_BYTES = 1024 * 1024
_ROUND_TRIP = 0.02
_MOST_HASHING = 1.3
_MOST_LONGER = 1.05
_NAME = "large"


def make_archive(folder: Path, archive: Path) -> None:
    """Pack pages and pictures of 20 MB."""
    make_field(folder, _FEW)
    rng = random.Random(1)
    for number in range(_PICTURES):
        (folder / f"picture-{number:02}.png").write_bytes(rng.randbytes(_PICTURE_BYTES))
    pack(folder, archive)


def sha256_of(path: Path, buffer: memoryview) -> str:
    """The SHA-256 of a file, read in pieces as it is for a pin."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while got := file.readinto(buffer):
            digest.update(buffer[:got])
    return digest.hexdigest()


def opening(path: Path, rounds: int) -> float:
    """What an archive pin adds to opening an archive, by what hashing its bytes takes."""
    buffer = memoryview(bytearray(_PIECE_BYTES))
    pin = f"sha256:{sha256_of(path, buffer)}"
    plain, pinned, hashing = best(
        rounds,
        lambda: open_field(path).close(),
        lambda: open_field(path, pin=pin).close(),
        lambda: sha256_of(path, buffer),
        clock=time.process_time,
    )
    return (pinned - plain) / hashing


def locked_page(lock: LockFile, cache: Cache, page: str) -> int:
    """Read one page of the locked field, and prove it."""
    source = locked_source(
        lock,
        lock.field(_NAME),
        limits=DEFAULT_LIMITS,
        storage_options=None,
        cache=cache,
        offline=False,
        watch=unwatched,
        whole=False,
    )
    with Field(source, DEFAULT_LIMITS) as field:
        return len(field.page(page).raw)


def main() -> None:
    """Measure, print, and with --check fail beyond the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    missed: list[str] = []

    def say(what: str, value: float, most: float) -> None:
        print(f"{what:<66} {value:>12,.2f}  at most {most:,.2f}")
        if value > most:
            missed.append(what)

    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        make_archive(root / "pictures", root / "pictures.memoryfield.zip")
        added = opening(root / "pictures.memoryfield.zip", options.rounds)
        say("what a pin adds to opening an archive of 20 MB / hashing it", added, _MOST_HASHING)

        make_field(root / _NAME, _MANY)
        (root / "web").mkdir()
        file_name = f"{_NAME}.memoryfield.zip"
        pack(root / _NAME, root / "web" / file_name)
        page = sorted(path.name for path in (root / _NAME).iterdir())[_MANY // 2]
        path = root / "memoryfields.lock"
        os.environ |= {"MEMORYFIELD_STATE_DIR": str(root / "state"), "MEMORYFIELD_LOCK": str(path)}
        os.environ["MEMORYFIELD_CACHE_DIR"] = str(root / "cache")
        with served(root / "web", latency=_ROUND_TRIP) as url:
            remember(url + file_name)  # as `lock add` does: a stranger's lock names no loopback
            with open_field(url + file_name) as field, changing(path) as change:
                change.write(change.lock.with_field(lock_field(_NAME, url + file_name, field)))
            lock, cache = read_lock(path), Cache.default()
            count(url)
            one_page(url, file_name, page)
            plain = count(url)
            locked_page(lock, cache, page)
            proved = count(url)
            say(f"requests for one page of {_MANY:,}, proved", proved[0], plain[0])
            say("bytes for it", proved[1], plain[1])
            works = (
                lambda: one_page(url, file_name, page),
                lambda: locked_page(lock, cache, page),
                lambda: one_page("@", _NAME, page),
                lambda: parse_lock(path.read_bytes(), path),
            )
            passed = [median(times) for times in in_turn(options.rounds, *works)]
            worked = best(options.rounds, *works, clock=time.process_time)
            # Both wait for the same requests, as is judged above: what differs is the work.
            for number, what in ((1, "time for it / without a proof"), (2, "the same by its name")):
                longer = (worked[number] - worked[0]) / passed[0]
                say(what, 1 + longer, _MOST_LONGER)
            ratios = [f"{each / passed[0]:.2f}" for each in passed[1:3]]
            print(f"by the clock, which other programs disturb: {' and '.join(ratios)}")
            print(f"once, to read the lock file: {worked[3] / passed[0]:.2f} of that time more")
    if missed and options.check:
        raise SystemExit("beyond the limit: " + "; ".join(missed))


if __name__ == "__main__":
    main()

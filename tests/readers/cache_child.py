"""Does things to a cache in processes that end in the middle, or that are many.

Run as a process of its own, which has no threads and so may fork:

    python cache_child.py crash put|replace|adopt FOLDER    one cache for each point of a crash
    python cache_child.py crowd FOLDER                      many processes, and one cache
    python cache_child.py hold FOLDER                       holds an object until it is killed
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoryfield_readers.cache import Cache, writing

DATA = b"".join(bytes([each]) * 1000 for each in range(200))
SHA256 = hashlib.sha256(DATA).hexdigest()
PIECES = [DATA[at : at + 70_000] for at in range(0, len(DATA), 70_000)]
MOST = len(DATA)

CRASHED = 77
CALLS = ("open", "write", "read", "close", "fstat", "stat", "mkdir", "fchmod", "fsync", "utime",
         "replace", "unlink", "rmdir", "scandir")  # fmt: skip
PROCESSES = 8
ROUNDS = 12


def crash(action: str, folder: Path) -> None:
    """Do something in a process that ends at its nth call to the system; one cache for each n."""
    writing._SYNC_FROM = 1
    for nth in range(1, 1000):
        cache = Cache(folder / str(nth))
        _prepare(action, cache)
        child = os.fork()
        if child == 0:
            _die_at(nth)
            _do(action, cache)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != CRASHED:  # it came through
            print(nth, code)
            return


def _prepare(action: str, cache: Cache) -> None:
    if action == "replace":
        path = cache.path / "v1" / "objects" / SHA256[:2] / SHA256[2:]
        path.parent.mkdir(parents=True)
        path.write_bytes(b"damaged")
    elif action == "adopt":
        partial = cache.partial(SHA256)
        assert partial is not None
        partial.write_bytes(DATA)


def _do(action: str, cache: Cache) -> None:
    if action == "adopt":
        partial = cache.partial(SHA256)
        assert partial is not None
        done = cache.adopt(partial)
    else:
        done = cache.put(PIECES)
    if done != SHA256:
        os._exit(1)


def _die_at(nth: int) -> None:
    """Let this process end before its nth call from now on, or in the middle if that writes."""
    count = 0

    def dying(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **others: Any) -> Any:
            nonlocal count
            count += 1
            if count < nth:
                return call(*arguments, **others)
            if name == "write":
                call(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os._exit(CRASHED)

        return called

    for name in CALLS:
        setattr(os, name, dying(name, getattr(os, name)))


def crowd(folder: Path) -> None:
    """Let many processes put, read, prune, and count under a lock, all at once."""
    children = []
    for number in range(PROCESSES):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _jostle(folder, number)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    print(*codes)


def _jostle(folder: Path, number: int) -> None:
    cache = Cache(folder / "cache", most=12 * MOST)
    counter = folder / "counter"
    for turn in range(ROUNDS):
        data = PIECES[0] + bytes([turn])
        sha256 = hashlib.sha256(data).hexdigest()
        assert cache.put([data]) == sha256
        assert cache.read(sha256, MOST) in (data, None)  # others prune
        if turn % 4 == number % 4:
            Cache(folder / "cache").prune(2 * MOST)
        if number == 0:
            cache.clear()
        with cache.exclusive(SHA256, waiting=lambda text: None):
            counter.write_text(str(int(counter.read_text()) + 1))
            if not cache.has(SHA256):
                with open(folder / "downloads", "ab") as downloads:
                    downloads.write(b".")
                assert cache.put(PIECES) == SHA256
    for note in cache.notes:
        print(number, note)


def hold(folder: Path) -> None:
    """Hold an object, say so, and never let go."""
    with Cache(folder).exclusive(SHA256):
        print("held", flush=True)
        while True:
            time.sleep(60)


if __name__ == "__main__":
    if sys.argv[1] == "crash":
        crash(sys.argv[2], Path(sys.argv[3]))
    else:
        {"crowd": crowd, "hold": hold}[sys.argv[1]](Path(sys.argv[2]))

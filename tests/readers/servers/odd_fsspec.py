"""A file system of fsspec that fails on command, and what tests of fsspec's kind share."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]

from memoryfield_readers import MemoryfieldError
from memoryfield_readers.limits import DEFAULT_LIMITS, Limits
from memoryfield_readers.locations.values import FsspecLocation
from memoryfield_readers.sources.any_fsspec import FsspecFolder
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

SECRET = "hunter2"


class HttpLikeError(Exception):
    """What the packages behind fsspec raise: an error of their own, with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"https://user:{SECRET}@host/ says {status}\x1b[2J")
        self.status = status


class OddFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc] # fsspec has no types
    """A file system that does what a test tells it to."""

    protocol = "odd"
    cachable = False
    files: dict[str, bytes] = {}  # noqa: RUF012 - of the class, for the tests
    ls_fails: Exception | None = None
    ls_fails_at = ""
    reading_fails: list[Exception] = []  # noqa: RUF012
    making_fails: Exception | None = None
    hold = threading.Event()

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if self.making_fails is not None:
            raise self.making_fails

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        if self.ls_fails is not None and path.endswith(self.ls_fails_at):
            raise self.ls_fails
        inside = f"{path}/" if path else ""
        found: dict[str, dict[str, Any]] = {}
        for name, data in self.files.items():
            if name == path:
                found[name] = {"name": name, "size": len(data), "type": "file"}
            elif name.startswith(inside):
                first, slash, _rest = name[len(inside) :].partition("/")
                kind = "directory" if slash else "file"
                size = None if slash or b"?" in data else len(data)
                found[first] = {"name": inside + first, "size": size, "type": kind}
        if not found and path:
            raise FileNotFoundError(path)
        return list(found.values()) if detail else [info["name"] for info in found.values()]

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        if path.endswith("silent"):
            self.hold.wait(30)
        if self.reading_fails:
            raise self.reading_fails.pop()
        return self.files[path][start:end]


@contextlib.contextmanager
def odd_filesystem() -> Iterator[type[OddFileSystem]]:
    """The class, as fsspec knows it while the test runs."""
    fsspec.register_implementation("odd", OddFileSystem, clobber=True)
    OddFileSystem.files = {"field/a.md": b"# A", "field/sub/b.md": b"# B"}
    try:
        yield OddFileSystem
    finally:
        OddFileSystem.ls_fails = OddFileSystem.making_fails = None
        OddFileSystem.ls_fails_at = ""
        OddFileSystem.reading_fails = []
        OddFileSystem.hold.set()


@contextlib.contextmanager
def memory_filesystem() -> Iterator[MemoryFileSystem]:
    """The store of `memory://`, which is one for the process."""
    filesystem = MemoryFileSystem()
    try:
        yield filesystem
    finally:
        filesystem.store.clear()
        filesystem.pseudo_dirs[:] = [""]


def folder(url: str, *, limits: Limits = DEFAULT_LIMITS, **given: Any) -> FsspecFolder:
    location = FsspecLocation("SHOWN", url, False, "x")
    return FsspecFolder(location, TransferOptions.of({"retries": 0, **given}), limits)


def contents(store: FsspecFolder) -> dict[str, bytes]:
    found = {}
    for entry in store.listing():
        sink = MemorySink(1 << 20)
        assert store.save(entry, sink).size == len(sink.data)
        found[entry.path] = sink.data
    return found


def failure(work: Callable[[], object]) -> MemoryfieldError:
    """The error of some work, none of whose text comes from elsewhere."""
    with pytest.raises(MemoryfieldError) as caught:
        work()
    error = caught.value
    text = f"{error} {error.hint} {error.__cause__}"
    assert SECRET not in text
    assert "\x1b" not in text
    assert error.location == "SHOWN"
    assert error.__suppress_context__ or error.__context__ is None
    return error

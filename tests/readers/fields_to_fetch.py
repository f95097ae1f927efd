"""A lock file of one field of each kind, a server that has some of them, and an empty cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.readers.fetching_fields import lock_of, noise, packed, pages, serve
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers import DEFAULT_LIMITS
from memoryfield_readers.cache import Cache
from memoryfield_readers.fetching import Fetched, Fetching, fetch_fields
from memoryfield_readers.lock import LockFile

ALL = ("small", "large", "folder", "plain", "packed")
LARGE = noise(300)
SMALL, PACKED = packed(pages("small")), packed(pages("packed"))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is forgotten with the test."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    with FaultyHttp() as running:
        serve(running, {"small": SMALL, "large": LARGE}, "folder")
        yield running


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a field as a folder and as an archive."""
    (tmp_path / "work" / "plain").mkdir(parents=True)
    for name, data in pages("plain").items():
        (tmp_path / "work" / "plain" / name).write_bytes(data)
    (tmp_path / "work" / "packed.memoryfield.zip").write_bytes(PACKED)
    return tmp_path / "work"


@pytest.fixture
def lock(server: FaultyHttp, here: Path) -> LockFile:
    """A lock file of one field of each kind; what the server was asked for that is forgotten."""
    kinds = {
        "small": server.url("/small.memoryfield.zip"),
        "large": server.url("/large.memoryfield.zip"),
        "folder": server.url("/folder/"),
        "plain": str(here / "plain"),
        "packed": str(here / "packed.memoryfield.zip"),
    }
    made = lock_of(here / "memoryfields.lock", kinds)
    server.requests.clear()
    return made


@pytest.fixture
def how(tmp_path: Path) -> Fetching:
    return Fetching(Cache(tmp_path / "cache"), DEFAULT_LIMITS, {"timeout": 20, "retries": 0})


def fetch(lock: LockFile, how: Fetching, *names: str) -> dict[str, Fetched]:
    return {each.locked.name: each for each in fetch_fields(lock, names or tuple(lock.fields), how)}


def error_of(lock: LockFile, how: Fetching, name: str) -> BaseException:
    found = fetch(lock, how, name)[name]
    assert found.how == "failed"
    assert found.error is not None
    return found.error


def changed(lock: LockFile, name: str, **values: object) -> LockFile:
    return lock.with_field(replace(lock.field(name), **values))  # type: ignore[arg-type]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


EXPECTED = {
    "small.memoryfield.zip": SMALL,
    "large.memoryfield.zip": LARGE,
    "packed.memoryfield.zip": PACKED,
    **{f"folder/{name}": data for name, data in pages("folder").items()},
    **{f"plain/{name}": data for name, data in pages("plain").items()},
}

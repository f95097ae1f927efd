"""An archive on a server, and how it is fetched into an empty cache."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers import DEFAULT_LIMITS, Limits
from memoryfield_readers.cache import Cache
from memoryfield_readers.fetching import fetch_archive
from memoryfield_readers.http.http_object import HttpObject
from memoryfield_readers.pins.pin import Pin, PinKind
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.progress import Watch, unwatched
from memoryfield_readers.transfer.ranged_file import NOTED_BYTES
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

PATH = "/field.memoryfield.zip"
LOCATION = "https://field.example/field.memoryfield.zip"
LOST_BYTES = NOTED_BYTES + 64 * 1024
"""What is asked for again at most: what was not written down, and a piece on its way."""


def archive_of(seed: int, kibibytes: int = 3000) -> bytes:
    noise = random.Random(seed)
    return zip_bytes(
        *(ZipEntry(f"p{n}.md", noise.randbytes(kibibytes * 1024 // 4)) for n in range(4))
    )


BODY = archive_of(1)
OTHER = archive_of(2)
SMALL = archive_of(3, kibibytes=8)
HALF = len(BODY) // 2


def pin_of(body: bytes) -> Pin:
    return Pin(PinKind.ARCHIVE, hashlib.sha256(body).hexdigest())


PIN = pin_of(BODY)


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with the archive."""
    with FaultyHttp({PATH: BODY}) as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """A cache that is empty."""
    return Cache(tmp_path / "cache")


def fetch(
    server: FaultyHttp,
    cache: Cache,
    pin: Pin = PIN,
    limits: Limits = DEFAULT_LIMITS,
    watch: Watch = unwatched,
    size: int | None = None,
    retries: int = 0,
) -> bool:
    def remote() -> HttpObject:
        options = TransferOptions(timeout=20, retries=retries)
        return HttpObject(server.url(PATH), options, location=LOCATION)

    return fetch_archive(
        remote, pin, cache, location=LOCATION, limits=limits, watch=watch, size=size
    )


def sent(server: FaultyHttp, since: int = 0) -> int:
    return sum(request.sent for request in server.asked()[since:])


def objects(cache: Cache) -> list[Path]:
    return sorted(each for each in (cache.path / "v1/objects").glob("*/*"))


def unfinished(cache: Cache) -> list[str]:
    return sorted(each.name for each in (cache.path / "v1/partial").glob("*"))


def is_kept(cache: Cache, body: bytes) -> bool:
    """Whether the cache holds that and nothing else, and nothing unfinished."""
    sha256 = hashlib.sha256(body).hexdigest()
    return (
        cache.read(sha256, len(body)) == body
        and [path.parent.name + path.name for path in objects(cache)] == [sha256]
        and not unfinished(cache)
    )

"""A file on the server of the tests, and how its parts are asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served

from memoryfield_readers.http.http_object import HttpObject
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

BODY = b"".join(b"%07d\n" % number for number in range(12_800))
OTHER = BODY[::-1]
SIZE = len(BODY)
MOST = 1000
END = BODY[-MOST:]
PATH = "/f.zip"
LOCATION = "http://field.example/f.zip"

UNVERSIONED = Served(BODY, etag=None, modified=None)
DATED = Served(BODY, etag=None)
WEAK = Served(BODY, etag='W/"1"', modified=None)


def sink(most: int = 1_000_000) -> MemorySink:
    return MemorySink(most)


@contextlib.contextmanager
def opened(url: str, retries: int = 0) -> Iterator[HttpObject]:
    file = HttpObject(url, TransferOptions(timeout=10, retries=retries), location=LOCATION)
    with contextlib.closing(file):
        yield file


def saved(file: HttpObject, start: int, end: int) -> bytes:
    """The bytes of a range."""
    taken = sink()
    file.save(start, end, taken)
    return taken.data


def ranges(server: FaultyHttp, path: str = PATH) -> list[str | None]:
    """The ranges that were asked for, one for each request."""
    return [request.headers.get("range") for request in server.asked(path)]


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with one file."""
    with FaultyHttp({PATH: BODY}) as running:
        yield running


@pytest.fixture
def file(server: FaultyHttp) -> Iterator[HttpObject]:
    """That file."""
    with opened(server.url(PATH)) as file:
        yield file


@pytest.fixture
def known(file: HttpObject) -> HttpObject:
    """That file, whose end was read."""
    file.tail(MOST, sink())
    return file


# --- the end

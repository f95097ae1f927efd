"""Fields on the HTTP servers of the tests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.readers.servers.http_parts import Served

from memoryfield_readers import DEFAULT_LIMITS, Entry, Field, Limits, Manifest
from memoryfield_readers.locations import HttpLocation
from memoryfield_readers.sources.http_field import HttpField
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

MARKDOWN = "text/markdown; charset=utf-8"
HTML = "text/html; charset=utf-8"


def pages(files: Mapping[str, bytes], folder: str = "/f/") -> dict[str, bytes | Served]:
    """Files for a server, in a folder, pages among them with the type of pages."""
    return {
        folder + name: Served(data, MARKDOWN) if name.endswith(".md") else data
        for name, data in files.items()
    }


@contextlib.contextmanager
def http_field(
    url: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    manifest: Manifest | None = None,
    tried: Sequence[str] = (),
    **options: Any,
) -> Iterator[HttpField]:
    """The store for a URL that ends in a slash; no request is tried twice, unless asked for."""
    location = HttpLocation(url, url, is_archive=False, name="f")
    made = TransferOptions.of({"retries": 0, "timeout": 20, **options})
    store = HttpField(location, made, limits, manifest=manifest, tried=tried)
    with contextlib.closing(store):
        yield store


@contextlib.contextmanager
def open_served(url: str, *, limits: Limits = DEFAULT_LIMITS, **options: Any) -> Iterator[Field]:
    """The field at a URL that ends in a slash."""
    with http_field(url, limits=limits, **options) as store:
        source = RemoteSource(store, location=url, name="f", limits=limits)
        with Field(source, limits) as field:
            yield field


def names(entries: Sequence[Entry]) -> list[str]:
    """The names of entries, in order."""
    return sorted(entry.path for entry in entries)


def saved(store: HttpField, name: str) -> tuple[Entry, bytes]:
    """A file that a store has listed: what is known of it by then, and its bytes."""
    listed = {entry.path: entry for entry in store.listing()}
    return saved_again(store, listed[name])


def saved_again(store: HttpField, entry: Entry) -> tuple[Entry, bytes]:
    """A listed file: what is known of it by then, and its bytes."""
    sink = MemorySink(1 << 20)
    return store.save(entry, sink), sink.data


class Nowhere:
    """A sink that keeps nothing."""

    def write(self, piece: bytes) -> None:
        """Take it."""

    def restart(self) -> None:
        """Forget it."""

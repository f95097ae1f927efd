"""Whatever fsspec reaches, as an archive: its size first, then ranges, all of one version."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]
from tests.readers.servers.odd_fsspec import memory_filesystem

from memoryfield_readers import LimitExceeded, NotFound, SourceChanged, SourceUnavailable
from memoryfield_readers.locations.values import FsspecLocation
from memoryfield_readers.sources.any_fsspec import FsspecObject
from memoryfield_readers.sources.fsspec_infos import marks_of, modified_ns, size_of
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.ranged import Tail
from memoryfield_readers.transfer.sink import MemorySink

CONTENT = bytes(range(256)) * 4


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    with memory_filesystem() as filesystem:
        yield filesystem


def remote(url: str) -> FsspecObject:
    location = FsspecLocation("SHOWN", url, True, "x.zip")
    return FsspecObject(location, TransferOptions.of({"retries": 0}))


def taken(opened: FsspecObject, start: int, end: int) -> bytes:
    sink = MemorySink(end - start)
    opened.save(start, end, sink)
    return sink.data


@pytest.mark.parametrize("where", ["memory", "file"])
def test_the_end_and_ranges(memory: MemoryFileSystem, tmp_path: Path, where: str) -> None:
    """The tail, and any range, up to the whole."""
    memory.pipe({"/x.zip": CONTENT})
    (tmp_path / "x.zip").write_bytes(CONTENT)
    opened = remote("memory://x.zip" if where == "memory" else f"dir::file://{tmp_path}/x.zip")
    assert opened.tail(10, MemorySink(0)) == Tail(len(CONTENT), CONTENT[-10:])
    assert opened.tail(10_000, MemorySink(0)) == Tail(len(CONTENT), CONTENT)
    assert taken(opened, 5, 300) == CONTENT[5:300]
    assert taken(opened, 0, len(CONTENT)) == CONTENT
    opened.close()
    with pytest.raises(SourceUnavailable, match="closed"):
        taken(opened, 0, 1)


def test_what_is_no_archive(memory: MemoryFileSystem) -> None:
    """An empty file, a folder, nothing at all."""
    memory.pipe({"/empty.zip": b"", "/f.zip/a.md": b"x"})
    assert remote("memory://empty.zip").tail(10, MemorySink(0)) == Tail(0, b"", whole=True)
    with pytest.raises(SourceUnavailable, match="no file"):
        remote("memory://f.zip").tail(10, MemorySink(0))
    with pytest.raises(NotFound):
        remote("memory://none.zip").tail(10, MemorySink(0))


def test_a_file_replaced_between_two_ranges(memory: MemoryFileSystem) -> None:
    """The ranges are of one file, or there is an error: also where the size is the same."""
    memory.pipe({"/x.zip": CONTENT})
    opened = remote("memory://x.zip")
    opened.tail(10, MemorySink(0))
    memory.pipe({"/x.zip": CONTENT[::-1]})
    memory.store["/x.zip"].created += timedelta(seconds=1)
    with pytest.raises(SourceChanged):
        taken(opened, 5, 300)
    memory.rm_file("/x.zip")
    with pytest.raises(NotFound):
        taken(opened, 5, 300)


def test_where_no_size_is_told_all_comes(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes into the sink for that, whose bound holds."""
    memory.pipe({"/x.zip": CONTENT})
    plain = MemoryFileSystem.info
    monkeypatch.setattr(
        MemoryFileSystem, "info", lambda self, path: {**plain(self, path), "size": None}
    )
    sink = MemorySink(len(CONTENT))
    assert remote("memory://x.zip").tail(10, sink) == Tail(len(CONTENT), b"", whole=True)
    assert sink.data == CONTENT
    with pytest.raises(LimitExceeded):
        remote("memory://x.zip").tail(10, MemorySink(10))


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOON_NS = 1_767_268_800_000_000_000


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"mtime": 1767268800}, NOON_NS),
        ({"mtime": 1767268800.5}, NOON_NS + 500_000_000),
        ({"LastModified": NOON}, NOON_NS),
        ({"created": NOON.replace(tzinfo=None)}, NOON_NS),
        ({"updated": "2026-01-01T12:00:00Z"}, NOON_NS),
        ({"mtime": float("nan"), "created": NOON}, NOON_NS),
        ({"mtime": "yesterday", "modified": NOON}, NOON_NS),
        ({"mtime": datetime.min.replace(tzinfo=UTC)}, -62_135_596_800_000_000_000),
        ({"mtime": None}, None),
        ({"mtime": [1]}, None),
        ({}, None),
    ],
    ids=str,
)
def test_times_in_the_words_of_each_file_system(info: dict[str, Any], expected: int | None) -> None:
    """Numbers, dates and texts; what makes no sense is not known."""
    assert modified_ns(info) == expected


def test_sizes_and_marks() -> None:
    """Only a whole number is a size; each mark that is told tells versions apart."""
    told: list[Any] = [5, 0, -1, True, "5", None, 5.0]
    assert [size_of({"size": size}) for size in told] == [5, 0, None, None, None, None, None]
    assert marks_of({"size": 1, "ETag": "a"}) != marks_of({"size": 1, "ETag": "b"})
    assert marks_of({"size": 1, "name": "a"}) == marks_of({"size": 1, "name": "b"})

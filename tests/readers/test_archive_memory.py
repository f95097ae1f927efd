"""Archives that are built to exhaust memory do not."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from memoryfield_readers import DEFAULT_LIMITS
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    End,
    Header,
    ZipEntry,
    deflated,
    local_bytes,
    zip_bytes,
)

MOST = 50_000_000
MIB = 1024 * 1024
CHILD = Path(__file__).with_name("memory_child.py")
EVERYTHING = ("entries=1000000", "file-bytes=10000000000", "total-bytes=1000000000000",
              "ratio=1000000000", "directory-bytes=1000000000")  # fmt: skip

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="measured by Linux's /proc"
)


@cache
def _zeros() -> tuple[bytes, int]:
    """50 MB of zeros, deflated, and their check sum."""
    return deflated(bytes(50_000_000)), zlib.crc32(bytes(50_000_000))


def _zeros_of(name: str, size: int) -> bytes:
    """An archive of these alone, of which all headers say that they are so many bytes."""
    data, crc = _zeros()
    says = Header(size=size, crc=crc)
    return zip_bytes(ZipEntry(name, b"", DEFLATED, data=data, local=says, central=says))


def zeros() -> bytes:
    """One entry of nothing but zeros: a thousandth of its size."""
    return _zeros_of("zeros.md", 50_000_000)


def zeros_called_small() -> bytes:
    """The same, but all headers say it is 10 bytes long."""
    return _zeros_of("zeros.md", 10)


def zeros_called_empty() -> bytes:
    """The same, but all headers say it is empty."""
    return _zeros_of("zeros.md", 0)


def zeros_called_ordinary() -> bytes:
    """The same, but all headers say it is as long as the ratio allows."""
    return _zeros_of("zeros.bin", len(_zeros()[0]) * 100)


def many_small_bombs() -> bytes:
    """16,384 entries, each below the size from which the ratio counts, 16 GiB in all."""
    data = deflated(bytes(MIB))
    says = Header(size=MIB, crc=zlib.crc32(bytes(MIB)))
    return zip_bytes(
        *(
            ZipEntry(f"{number}.md", b"", DEFLATED, data=data, local=says, central=says)
            for number in range(16_384)
        )
    )


def as_much_as_the_limits_let_through() -> bytes:
    """16,384 entries of 16 KiB: all limits are met, and 256 MiB are read."""
    data, crc = deflated(bytes(16_384)), zlib.crc32(bytes(16_384))
    says = Header(size=16_384, crc=crc)
    return zip_bytes(
        *(
            ZipEntry(f"{number}.md", b"", DEFLATED, data=data, local=says, central=says)
            for number in range(16_384)
        )
    )


def overlapping() -> bytes:
    """250 entries that share one kernel of 1 MiB: each quotes the headers of all that follow."""
    content = bytes(MIB)
    data = body = deflated(content)
    entries: list[ZipEntry] = []
    for number in reversed(range(250)):
        entry = ZipEntry(f"{number:03}.md", content, DEFLATED, data=data)
        entries.insert(0, entry)
        header = local_bytes(entry)[: -len(data)]
        # A stored block of deflate quotes the header; the stream goes on with what it heads.
        quote = struct.pack("<BHH", 0, len(header), len(header) ^ 0xFFFF) + header
        content, data, body = header + content, quote + data, header + body
        body = quote[:5] + body
    body = body[5:]
    return zip_bytes(
        *(_placed(entry, 41 * number) for number, entry in enumerate(entries)), prefix=body
    )


def _placed(entry: ZipEntry, offset: int) -> ZipEntry:
    """The line of the directory alone, for an entry that stands in the prefix."""
    says = Header(
        offset=offset,
        crc=zlib.crc32(entry.content),
        size=len(entry.content),
        compressed=len(entry.data or b""),
    )
    return ZipEntry(entry.name, method=DEFLATED, data=b"", written=False, central=says)


def _full_of_names(form: str, length: int, fill: str = "0") -> bytes:
    """An archive whose central directory is as large as the limits allow, nearly all names."""
    count = min(DEFAULT_LIMITS.directory_bytes // (length + 60), DEFAULT_LIMITS.entries)
    return zip_bytes(
        *(ZipEntry(form.format(f"{number:{fill}>{length}}")) for number in range(count))
    )


def long_names() -> bytes:
    """Names of 65,000 letters."""
    return _full_of_names("{}.md", 65_000)


def long_wide_names() -> bytes:
    """The same, with one character each that makes Python store every letter in 4 bytes."""
    return _full_of_names("\U0001f600{}.md", 65_000)


def long_folders() -> bytes:
    """Names of folders of 65,000 letters, with a page in each."""
    return _full_of_names("{}/a.md", 65_000)


def many_wide_names() -> bytes:
    """The longest names of which there can be as many as entries."""
    return _full_of_names("\U0001f600{}.md", 900)


def names_of_slashes() -> bytes:
    """Names of 65,000 components, all but the last of them empty."""
    return _full_of_names("a{}.md", 65_000, "/")


def more_entries_than_announced() -> bytes:
    """A directory of 16 MiB of the smallest headers, said to hold one entry."""
    one = ZipEntry("", written=False)
    return zip_bytes(*[one] * 360_000, end=End(entries=1, entries_here=1))


def _peak(build: Callable[[], bytes], settings: tuple[str, ...], folder: Path) -> tuple[int, str]:
    """Bytes above those at rest, and what became of the archive, in a process of its own."""
    archive = folder / "bomb.zip"
    archive.write_bytes(build())
    done = subprocess.run(
        [sys.executable, str(CHILD), str(archive), *settings],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert done.stderr == ""
    peak, outcome = done.stdout.splitlines()
    return int(peak), outcome


@pytest.mark.parametrize(
    ("build", "settings", "outcome"),
    [
        (zeros, (), "MF607 UnsafeArchive"),
        (zeros, EVERYTHING, "LimitExceeded opened read"),
        (zeros_called_small, (), "UnsafeArchive opened read"),
        (zeros_called_empty, (), "UnsafeArchive opened read"),
        (zeros_called_ordinary, (), "UnsafeArchive opened read"),
        (many_small_bombs, (), "MF607 UnsafeArchive"),
        (as_much_as_the_limits_let_through, (), "opened read"),
        (overlapping, (), "MF606 MF607 UnsafeArchive read"),
        (overlapping, EVERYTHING, "MF606 UnsafeArchive read"),
        (more_entries_than_announced, ("directory-bytes=100000000",), "MF606 UnsafeArchive"),
    ],
    ids=lambda value: getattr(value, "__name__", "limits raised" if value == EVERYTHING else ""),
)
def test_a_bomb_takes_little_memory(
    build: Callable[[], bytes], settings: tuple[str, ...], outcome: str, tmp_path: Path
) -> None:
    """Reviewing and reading all of a bomb takes at most 50 MB more than the process at rest."""
    peak, seen = _peak(build, settings, tmp_path)
    assert seen == outcome
    assert peak <= MOST


@pytest.mark.parametrize(
    ("build", "outcome"),
    [
        (long_names, "opened read"),
        (long_wide_names, "opened read"),
        (long_folders, "opened"),
        (many_wide_names, "opened read"),
        (names_of_slashes, "MF603 UnsafeArchive"),
    ],
)
def test_names_take_memory_by_the_size_of_the_directory(
    build: Callable[[], bytes], outcome: str, tmp_path: Path
) -> None:
    """Names take at most eight times the bytes that a central directory may have."""
    peak, seen = _peak(build, (), tmp_path)
    assert seen == outcome
    assert peak <= max(MOST, 8 * DEFAULT_LIMITS.directory_bytes)

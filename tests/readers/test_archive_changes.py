"""An archive that changes, fails or is closed while it is read."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryfield_readers import (
    Field,
    NotFound,
    SourceUnavailable,
    UnsafeArchive,
    inspect_field,
    open_field,
)
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

ARCHIVE = zip_bytes(
    ZipEntry("a.md", bytes(range(256)) * 4), ZipEntry("b.md", b"# B\n" * 99, DEFLATED)
)


def _page(field: Field) -> object:
    return field.page("a.md").raw


def _hash(field: Field) -> object:
    return field.sha256("b.md")


def _digest(field: Field) -> object:
    return field.digest()


def _pin(field: Field) -> object:
    return field.archive_digest()


each_read = pytest.mark.parametrize("read", [_page, _hash, _digest, _pin])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good archive on disk."""
    archive = tmp_path / "f.zip"
    archive.write_bytes(ARCHIVE)
    return archive


@each_read
def test_an_archive_replaced_by_another_is_read_as_it_was(
    read: Callable[[Field], object], path: Path
) -> None:
    """Who writes beside and renames disturbs no reader: it has the file that it opened."""
    with open_field(ARCHIVE) as field:
        expected = read(field)
    with open_field(path) as field:
        path.with_name("new.zip").write_bytes(zip_bytes(ZipEntry("c.md")))
        os.replace(path.with_name("new.zip"), path)
        assert read(field) == expected


@each_read
@pytest.mark.parametrize("length", [0, 40, 700])
def test_an_archive_cut_while_it_is_read(
    read: Callable[[Field], object], length: int, path: Path
) -> None:
    """Bytes that are gone are SourceUnavailable, never a shorter page."""
    with open_field(path) as field:
        os.truncate(path, length)
        with pytest.raises(SourceUnavailable) as caught:
            read(field)
        assert not isinstance(caught.value, NotFound)
        assert (caught.value.location, caught.value.exit_code) == (str(path), 4)


@pytest.mark.parametrize("read", [_page, _hash, _digest])
def test_an_archive_overwritten_while_it_is_read(
    read: Callable[[Field], object], path: Path
) -> None:
    """Other bytes of the same length are noticed by their CRC."""
    with open_field(path) as field:
        path.write_bytes(bytes(len(ARCHIVE)))
        with pytest.raises(UnsafeArchive):
            read(field)


@each_read
def test_a_closed_archive_reads_nothing(read: Callable[[Field], object], path: Path) -> None:
    """After `close`, reading is SourceUnavailable."""
    for location in (path, ARCHIVE):
        with open_field(location) as field:
            pass
        with pytest.raises(SourceUnavailable) as caught:
            read(field)
        assert "closed" in str(caught.value)


def _read_all(file: io.BytesIO) -> SourceUnavailable | None:
    """What stands in the way of reading all of an archive."""
    try:
        with inspect_field(file, name="f.zip") as field:
            for read in (_page, _hash, _digest, _pin):
                read(field)
    except SourceUnavailable as error:
        return error
    return None


class _Shrinking(io.BytesIO):
    """A file of which, after some reads, nothing is left."""

    def __init__(self, data: bytes, reads: int) -> None:
        super().__init__(data)
        self._reads = reads

    def read(self, size: int | None = -1, /) -> bytes:
        self._reads -= 1
        return super().read(size) if self._reads >= 0 else b""


class _Failing(_Shrinking):
    """A file that, after some reads, cannot be read."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self._reads == 0:
            raise OSError(5, "Input/output error")
        return super().read(size)


@pytest.mark.parametrize("kind", [_Shrinking, _Failing])
def test_a_file_that_fails_at_any_moment(kind: type[_Shrinking]) -> None:
    """Whenever a file object stops giving bytes, it is SourceUnavailable."""
    enough = next(reads for reads in range(100) if _read_all(kind(ARCHIVE, reads)) is None)
    assert enough > 5
    for reads in range(enough):
        error = _read_all(kind(ARCHIVE, reads))
        assert isinstance(error, SourceUnavailable)
        assert "f.zip: cannot be read" in str(error)


def test_a_file_that_cannot_seek() -> None:
    """A pipe is no archive: it is refused with an error of ours."""
    reader, writer = os.pipe()
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe, pytest.raises(SourceUnavailable):
        inspect_field(pipe)

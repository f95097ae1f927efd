"""An archive that is an open file as a field, under the name and location a person knows it by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import IO

from memoryfield_readers import Field, Limits, Source
from memoryfield_readers.here import archive_source, local_source
from memoryfield_readers.opening import refusal_of
from memoryfield_readers.system_errors import error_of


def open_binary(descriptor: int | None, path: Path) -> FileIO:
    """The file behind a descriptor, which stays open when the file is closed; else that at a path.

    Raises:
        OSError: there is no descriptor, and the path cannot be opened.
    """
    if descriptor is None:
        return path.open("rb", buffering=0)
    return os.fdopen(descriptor, "rb", buffering=0, closefd=False)


@contextmanager
def opened(file: FileIO | IO[bytes], path: Path, location: str, limits: Limits) -> Iterator[Field]:
    """The field in an archive that is an open file.

    Arguments:
        file: the archive; it is to be closed by who opened it.
        path: gives the field its name.
        location: as messages show it.
        limits: how much to take (MF607).

    Raises:
        UnsafeArchive, LimitExceeded: it is refused, as `open_field` does.
        MemoryfieldError: it cannot be read.
    """
    try:
        source = archive_source(file, location, path.name, limits, owned=False)
    except OSError as error:
        raise error_of(error, location=location) from error
    with _handed_out(source, limits) as field:
        yield field


@contextmanager
def opened_path(path: Path, location: str, limits: Limits) -> Iterator[Field]:
    """The field in an archive at a path; raises as `opened` does, and `NotFound`."""
    with _handed_out(local_source(path, location, limits), limits) as field:
        yield field


@contextmanager
def _handed_out(source: Source, limits: Limits) -> Iterator[Field]:
    try:
        field = Field(source, limits)
        refusal = refusal_of(field)
        if refusal is not None:
            raise refusal
        yield field
    finally:
        source.close()

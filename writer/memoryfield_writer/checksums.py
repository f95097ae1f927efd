"""The file `ARCHIVE.sha256`, as `sha256sum` writes it and `sha256sum -c` takes it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from memoryfield_readers.manifest import Manifest

SUFFIX: Final = ".sha256"
_LINE: Final = re.compile(rb"\\?[0-9a-f]{64} [ *][^\n]+\n?")
_MOST_BYTES: Final = 16 * 1024


def checksum_path(archive: Path) -> Path:
    """Where the checksum of an archive stands."""
    return archive.with_name(archive.name + SUFFIX)


def checksum_line(name: str, sha256: str) -> bytes:
    """The line of a file, with a name as coreutils escape it.

    Arguments:
        name: the name of the file, without folders.
        sha256: its SHA-256, in hexadecimal.
    """
    return os.fsencode(Manifest({name: sha256}).text)


def is_checksum(path: Path) -> bool:
    """Whether a file is the checksum of one file, which may be written anew; any link is none.

    Raises:
        OSError: it cannot be read.
    """
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _LINE.fullmatch(file.read(_MOST_BYTES)) is not None

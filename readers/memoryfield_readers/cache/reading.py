"""How an object comes out of the cache: proved, or not at all."""

from __future__ import annotations

from pathlib import Path

from ..errors import LimitExceeded
from ..pins.private_copy import PrivateCopy
from .damaged import DamagedObject
from .objects import bytes_of, hash_of, opened, other_content, path_of, touch, unreadable


def read_object(root: Path, sha256: str, most: int) -> bytes | None:
    """The bytes of an object; None if it is not there.

    Raises:
        DamagedObject: what stands there is not what its name says.
        LimitExceeded: it has more bytes than `most`.
        SourceUnavailable: this process can open nothing more.
        OSError: its folder cannot be opened.
    """
    path = path_of(root, sha256)
    with opened(root, sha256) as found:
        if found is None:
            return None
        descriptor, size = found
        if size > most:
            raise _too_large(path, size, most)
        try:
            data, actual = bytes_of(descriptor, size)
        except OSError as error:
            raise unreadable(path, sha256, error) from error
        if actual != sha256:
            raise other_content(path, sha256, actual, len(data))
        touch(descriptor, path)
        return data


def copy_object(root: Path, sha256: str, most: int) -> PrivateCopy | None:
    """A private copy of an object; None if it is not there. Raises as `read_object` does.

    Raises:
        SourceUnavailable: there is no room for the copy, too.
    """
    path = path_of(root, sha256)
    with opened(root, sha256) as found:
        if found is None:
            return None
        descriptor, size = found
        if size > most:
            raise _too_large(path, size, most)
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            try:
                copy = PrivateCopy(file, size, most)
            except OSError as error:
                raise unreadable(path, sha256, error) from error
        if copy.sha256 != sha256:
            copy.close()
            raise other_content(path, sha256, copy.sha256, copy.size)
        touch(descriptor, path)
        return copy


def damage_of(root: Path, sha256: str) -> DamagedObject | None:
    """What is wrong with an object; None if it is what its name says, or is not there.

    Raises:
        SourceUnavailable: this process can open nothing more.
        OSError: its folder cannot be opened.
    """
    path = path_of(root, sha256)
    try:
        with opened(root, sha256) as found:
            if found is None:
                return None
            try:
                actual, size = hash_of(found[0])
            except OSError as error:
                return unreadable(path, sha256, error)
    except DamagedObject as damaged:
        return damaged
    return None if actual == sha256 else other_content(path, sha256, actual, size)


def _too_large(path: Path, size: int, most: int) -> LimitExceeded:
    return LimitExceeded(
        f"{size} bytes, over the limit of {most}",
        location=str(path),
        hint="raise the limit with --limit file-bytes=NUMBER or total-bytes=NUMBER, if you trust "
        "this field; if it should be smaller, the file in the cache is damaged: "
        "`memoryfield cache verify` tells",
    )

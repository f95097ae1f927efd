"""The form of an archive that is the same everywhere, written (SPEC.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from memoryfield_readers.canonical_archive import CanonicalForm, header_of


class Writable(Protocol):
    """What takes the bytes of an archive one after the other."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes, all of them."""
        ...


class Written(NamedTuple):
    """An archive that was written.

    Attributes:
        paths: the names of its entries, in order.
        size: its bytes.
    """

    paths: tuple[str, ...]
    size: int


def write_canonical(files: Iterable[tuple[str, bytes]], out: Writable) -> Written:
    """Write an archive in the canonical form: what is the same gives the same bytes.

    Nothing is compressed, so that no compressor has a say in the bytes. Whether the names may stand
    in an archive is for who reads it to judge.

    Arguments:
        files: names and contents, in the order of the bytes of the names (`names_in_order`).
        out: where it goes.

    Raises:
        OSError: it cannot be written.
        ValueError: the names are not in order.
    """
    form = CanonicalForm()
    paths: list[str] = []
    for path, content in files:
        out.write(form.add(header_of(path, content)))
        out.write(content)
        paths.append(path)
    ending = form.ending()
    out.write(ending)
    return Written(tuple(paths), form.at + len(ending))

"""The files of a commit out of the archive of it that GitHub makes.

Its bytes are nobody's word for anything: attributes of the repository leave files out and change
others, and a server may send what it likes. So nothing is taken but regular files and links of the
size that is wanted, whoever uses them proves each one, and what goes on for longer than a
repository of the known size can is let be.
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

_PIECE_BYTES = 64 * 1024
_GZIP = 31  # what zlib calls a window of 32 KiB in gzip's format

_READ_WHOLE = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)
"""What stands before a member and says more of it; `tarfile` reads such a one into memory."""

_MOST_SAID_BYTES = 10 * 1024
"""Of one such: a path of 4,096 bytes, a target of as many, and a little more."""

_MOST_SQUARES = 500_000_000
"""Of all such, as the sum of the squares of their bytes: Python up to 3.12.5 takes some 5 ns for
each to look for a word in digits."""


_DAMAGED = (tarfile.TarError, zlib.error, ValueError, IndexError, RecursionError)
"""What `tarfile` raises for bytes that are no archive."""


class NotTaken(Exception):
    """The rest of the archive is of no use; the text says why."""


def read_tarball(
    pieces: Iterator[bytes],
    wanted: Callable[[str, int], bool],
    *,
    most_bytes: int,
    most_members: int,
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The wanted files of an archive, in its order: the path, and the bytes in pieces.

    The path is without the folder that the archive puts everything into. The bytes of a symbolic
    link are those of its target, as in the repository. The pieces must be used before the next file
    is asked for.

    Arguments:
        pieces: the bytes of the archive.
        wanted: says of a path and the number of its bytes whether it is wanted.
        most_bytes: how many bytes to inflate at most.
        most_members: how many members to look at, at most.

    Raises:
        NotTaken: it is no such archive, is damaged, or goes on for too long.
    """
    inflating = cast("IO[bytes]", _Inflating(pieces, most_bytes))
    try:
        with tarfile.open(
            fileobj=inflating,
            mode="r|",
            bufsize=_PIECE_BYTES,
            tarinfo=_careful_headers(most_bytes, most_members),
            encoding="utf-8",
        ) as archive:
            for _ in range(most_members):
                member = archive.next()
                if member is None:
                    return
                cast("Any", archive).members.clear()  # it would keep them all
                if not 0 <= member.size <= most_bytes:  # it would go there in small steps
                    raise NotTaken("it has a member that is larger than the commit")
                path = member.name.partition("/")[2]
                if member.issym():
                    target = member.linkname.encode("utf-8", "surrogateescape")
                    if wanted(path, len(target)):
                        yield path, iter((target,))
                elif member.isreg() and not member.issparse() and wanted(path, member.size):
                    content = archive.extractfile(member)
                    if content is not None:
                        yield path, _pieces(content)
    except _DAMAGED as error:
        raise NotTaken("it is damaged") from error
    raise NotTaken("it has more members than the commit")


def _pieces(content: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a member; raises as `read_tarball` does, but to whoever uses them."""
    try:
        while piece := content.read(_PIECE_BYTES):
            yield piece
    except _DAMAGED as error:
        raise NotTaken("it is damaged") from error


def _careful_headers(most_bytes: int, most_members: int) -> type[tarfile.TarInfo]:
    """A reader of headers that refuses what would take `tarfile` much memory or time."""
    left = [most_members, _MOST_SQUARES]

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            header = super().frombuf(buf, encoding, errors)
            if not 0 <= header.size <= most_bytes or header.type == tarfile.GNUTYPE_SPARSE:
                raise NotTaken("it has a member that git does not make")
            if header.type in _READ_WHOLE:
                left[0] -= 1
                left[1] -= header.size * header.size
                if header.size > _MOST_SAID_BYTES or min(left) < 0:
                    raise NotTaken("it says too much of its members")
            return header

    return Header


class _Inflating:
    """A file in gzip's format as its content, up to a number of bytes."""

    def __init__(self, pieces: Iterator[bytes], most: int) -> None:
        self._pieces = pieces
        self._left = most
        self._inflate = zlib.decompressobj(_GZIP)
        self._waiting = b""

    def read(self, size: int) -> bytes:
        """Up to `size` of the bytes that follow; none at the end."""
        while not self._inflate.eof:
            piece = self._waiting or next(self._pieces, b"")
            data = self._inflate.decompress(piece, size)
            self._waiting = self._inflate.unconsumed_tail
            if data:
                self._left -= len(data)
                if self._left < 0:
                    raise NotTaken("it has more bytes than the commit")
                return data
            if not piece:
                break
        return b""

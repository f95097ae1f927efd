"""Bodies that were compressed for the way: inflated piece by piece, and whole or refused."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from ..display import shown
from .failures import Broken

_PIECE = 64 * 1024
_SLACK = 1024 * 1024


class Plain:
    """The body as it is."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What the bytes that follow stand for."""
        yield data

    def finish(self) -> None:
        """Nothing can be missing."""


class Gunzip:
    """The body without its gzip."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._taken = 0
        self._given = 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What the bytes that follow stand for, in pieces of bounded size.

        Raises:
            Broken: these are not gzip, or nothing ever comes out of them.
        """
        self._taken += len(data)
        full = False
        while data or full:
            if self._inflater.eof:
                self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                piece = self._inflater.decompress(data, _PIECE)
            except zlib.error:
                raise Broken("the body says it is gzip, and is not") from None
            data = self._inflater.unconsumed_tail or self._inflater.unused_data
            full = len(piece) == _PIECE and not self._inflater.eof
            self._given += len(piece)
            if piece:
                yield piece
        if self._taken > 2 * self._given + _SLACK:  # a sink would never be full
            raise Broken("a body of gzip in which there is nothing", passing=False)

    def finish(self) -> None:
        """See whether all was there.

        Raises:
            Broken: the end is missing.
        """
        if self._taken and not self._inflater.eof:
            raise Broken("the body was cut short: the end of its gzip is missing")


def decoder_for(encoding: str, *, is_part: bool) -> Plain | Gunzip:
    """What undoes a content encoding.

    Arguments:
        encoding: the header, in whatever case.
        is_part: whether the body is a part of something, so that it cannot be undone.

    Raises:
        Broken: it cannot be undone.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return Plain()
    if is_part:
        raise Broken(f"a part of a body that is encoded as {shown(name)}", passing=False)
    if name in ("gzip", "x-gzip"):
        return Gunzip()
    raise Broken(f"a body that is encoded as {shown(name)}, unasked", passing=False)

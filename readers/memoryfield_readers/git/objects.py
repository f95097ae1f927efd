"""Proof of a blob: git names it by the hash of its length and bytes."""

from __future__ import annotations

import hashlib
import re
from typing import Final

SHA1: Final = "sha1"
SHA256: Final = "sha256"

_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DIGITS_OF = {SHA1: 40, SHA256: 64}


def is_object_id(text: str) -> bool:
    """Whether a text is the whole name of an object, in either format of repositories."""
    return _OBJECT_ID.fullmatch(text) is not None


def algorithm_of(object_id: str) -> str:
    """The hash of the format of repositories that names objects like this, by its length."""
    return SHA256 if len(object_id) == _DIGITS_OF[SHA256] else SHA1


class BlobProof:
    """Takes the bytes of a blob piece by piece, and tells whether they are what its name says."""

    def __init__(self, object_id: str, size: int) -> None:
        """Begin.

        Arguments:
            object_id: the name of the blob, 40 or 64 hexadecimal digits.
            size: how many bytes it has: part of what is hashed.
        """
        self._expected = object_id
        # SHA-1 is git's choice; it finds the chance error and the careless forger, no more.
        self._hash = (
            hashlib.sha256()
            if algorithm_of(object_id) == SHA256
            else hashlib.sha1(usedforsecurity=False)
        )
        self._hash.update(b"blob %d\0" % size)
        self._missing = size

    def update(self, piece: bytes) -> None:
        """Take the bytes that follow."""
        self._missing -= len(piece)
        self._hash.update(piece)

    @property
    def holds(self) -> bool:
        """Whether all bytes have come, and are those that the name was made of."""
        return self._missing == 0 and self._hash.hexdigest() == self._expected


def blob_id(data: bytes, algorithm: str = SHA1) -> str:
    """The name that git gives to a blob of these bytes, in hexadecimal digits."""
    whole = b"blob %d\0%b" % (len(data), data)
    if algorithm == SHA256:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()

"""A private copy has the bytes that were hashed, wherever it stands and however they came."""

from __future__ import annotations

import hashlib
import io
import random
from contextlib import closing

import pytest

from memoryfield_readers import LimitExceeded
from memoryfield_readers.pins import private_copy
from memoryfield_readers.pins.private_copy import PrivateCopy

PIECE = private_copy._PIECE_BYTES
NOISE = random.Random(3).randbytes(2 * PIECE + 7)
SIZES = [0, 1, 100, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 7]


class Slow(io.BytesIO):
    """A file that gives fewer bytes than it could, as a pipe does."""

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        return super().readinto(buffer[: 1 + len(buffer) // 3])


@pytest.fixture(params=["memory", "file"])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where a copy stands: small ones in memory, others in a temporary file."""
    if request.param == "file":
        monkeypatch.setattr(private_copy, "MEMORY_BYTES", -1)
    return str(request.param)


@pytest.mark.parametrize("kind", [io.BytesIO, Slow])
@pytest.mark.parametrize("size", SIZES)
def test_it_is_what_was_copied(where: str, size: int, kind: type[io.BytesIO]) -> None:
    """Every byte of it, its size and its hash, and any part of it."""
    data = NOISE[:size]
    with closing(PrivateCopy(kind(data), size, PIECE * 4)) as copy:
        assert (copy.size, copy.sha256) == (size, hashlib.sha256(data).hexdigest())
        assert copy.read_at(0, size) == data
        for at, length in ((size // 2, 50), (size - 1, 10), (size, 10), (size + 5, 10), (0, 0)):
            assert copy.read_at(max(at, 0), length) == data[max(at, 0) : max(at, 0) + length]
        assert copy.has((0, size))


@pytest.mark.parametrize("said", [0, 1, PIECE - 1, PIECE, PIECE + 5, 3 * PIECE])
def test_a_file_of_another_size_than_it_is_said_to_have(where: str, said: int) -> None:
    """It may grow or shrink meanwhile: what came is what is hashed and read."""
    data = NOISE[: PIECE + 5]
    for kind in (io.BytesIO, Slow):
        with closing(PrivateCopy(kind(data), said, PIECE * 4)) as copy:
            assert copy.sha256 == hashlib.sha256(data).hexdigest()
            assert copy.read_at(0, copy.size + 10) == data


def test_no_more_than_is_taken(where: str) -> None:
    """Neither what is said to be larger, nor what turns out to be."""
    for said in (PIECE + 6, 10):
        with pytest.raises(LimitExceeded):
            PrivateCopy(io.BytesIO(NOISE), said, PIECE + 5)
    with closing(PrivateCopy(io.BytesIO(NOISE[: PIECE + 5]), 10, PIECE + 5)) as copy:
        assert copy.size == PIECE + 5


def test_it_has_nothing_more_to_do_with_the_file(where: str) -> None:
    """What is written over afterwards stays what it was in the copy."""
    file = io.BytesIO(b"as it was")
    with closing(PrivateCopy(file, 9, 100)) as copy:
        file.getbuffer()[:] = b"otherwise"
        assert copy.read_at(0, 9) == b"as it was"

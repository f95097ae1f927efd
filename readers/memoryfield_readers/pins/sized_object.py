"""An archive elsewhere whose size is known before: another one is not fetched to its end."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import PinMismatch
from ..http.html_document import HEAD_BYTES
from ..transfer.ranged import RangedObject, Tail
from ..transfer.sink import Sink, announce
from .diagnosis import mismatch, not_a_file
from .pin import Pin


def sized(
    remote: Callable[[], RangedObject], size: int | None, pin: Pin, *, location: str
) -> Callable[[], RangedObject]:
    """The same archive, refused if it has another size; any size where None is known.

    Arguments:
        remote: opens the archive.
        size: the bytes that it should have.
        pin: its archive pin.
        location: as messages show it.
    """
    if size is None:
        return remote
    return lambda: SizedObject(remote(), size, pin, location=location)


class SizedObject:
    """A `RangedObject` that is refused as soon as it shows that it has another size.

    What came whole with its end, because it is small, is let through: its bytes tell more.
    """

    def __init__(self, remote: RangedObject, size: int, pin: Pin, *, location: str) -> None:
        """Ask for nothing yet.

        Arguments:
            remote: the archive.
            size: the bytes that it should have.
            pin: its archive pin.
            location: as messages show it.
        """
        self.at_once = remote.at_once
        self._remote = remote
        self._size = size
        self._pin = pin
        self._location = location

    @property
    def came_from(self) -> str | None:
        """The URL that gave it in the end; see `RangedObject`."""
        return self._remote.came_from

    @property
    def resolved(self) -> str | None:
        """What its transport pinned it to; see `RangedObject`."""
        return self._remote.resolved

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it is read; see `RangedObject`."""
        return self._remote.notes

    def tail(self, most: int, whole: Sink) -> Tail:
        """The last bytes of it, or all; see `RangedObject`.

        Raises:
            PinMismatch: it has another size.
        """
        tail = self._remote.tail(most, _Exact(whole, self))
        if tail.size != self._size and not tail.whole and len(tail.data) < tail.size:
            raise self.other_size(tail.size)
        return tail

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put a range of it into a sink; see `RangedObject`."""
        self._remote.save(start, end, sink)

    def close(self) -> None:
        """Let go of what is open."""
        self._remote.close()

    @property
    def size(self) -> int:
        """The bytes that it should have."""
        return self._size

    def other_size(self, size: int, head: bytes = b"") -> PinMismatch:
        """The error of what has more or fewer bytes.

        Arguments:
            size: how many it has, or how many came of it, if those are too many already.
            head: the first of them, as far as they are here: they may tell what it is.
        """
        what = not_a_file(head, size) if head else None
        return mismatch(
            what or other_size_in_words(size, self._size),
            expected=str(self._pin),
            actual="another archive" if what is None else "no archive",
            location=self._location,
            size=size,
            url=self._remote.came_from,
        )


class _Exact:
    """A sink for the whole archive that takes no more than it should have."""

    def __init__(self, sink: Sink, wanted: SizedObject) -> None:
        self._sink = sink
        self._wanted = wanted
        self._taken = 0
        self._head = b""

    def announced(self, size: int) -> None:
        """Refuse at once what is to have another size."""
        if size != self._wanted.size:
            raise self._wanted.other_size(size)
        announce(self._sink, size)

    def write(self, piece: bytes) -> None:
        """Take the bytes that follow."""
        self._taken += len(piece)
        self._head += piece[: HEAD_BYTES - len(self._head)]
        if self._taken > self._wanted.size:
            raise self._wanted.other_size(self._taken, self._head)
        self._sink.write(piece)

    def restart(self) -> None:
        """Begin again, with the first byte."""
        self._taken = 0
        self._head = b""
        self._sink.restart()


def other_size_in_words(size: int, locked: int) -> str:
    """How an archive that came differs in size from the one that was locked."""
    if size > locked:
        return f"it is longer than the archive that was locked ({locked} bytes)"
    return f"it is cut off, or another one: {size} of {locked} bytes"

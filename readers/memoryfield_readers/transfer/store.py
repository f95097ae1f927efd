"""The seam between a transport and a source: one listing, and whole files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ..entry import Entry
from .sink import Sink


class Store(Protocol):
    """A folder of files elsewhere: what each transport has to offer for one.

    All that it raises is a `MemoryfieldError`, whose message holds no credential.

    Attributes:
        at_once: how many files may be asked for at the same time.
    """

    at_once: int

    @property
    def resolved(self) -> str | None:
        """The location with what the transport pinned it to (a commit, a version), or None."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it was found and is read, one line each."""
        ...

    def listing(self) -> Sequence[Entry]:
        """Every file below the root, by its path; in any order.

        Folders need not be named: the paths of files imply them. What is irregular at the root or
        below it is named as such.

        Raises:
            NotFound: there is nothing there.
            AccessDenied: it may not be listed.
            SourceUnavailable: it cannot be listed now.
            LimitExceeded: there are more entries than the limits allow.
        """
        ...

    def save(self, entry: Entry, sink: Sink) -> Entry:
        """Put all bytes of a file into a sink, and say what is known of the file by now.

        It may be called from several threads. The file is whole when this returns, never cut: a
        body that is shorter than announced is an error.

        Raises:
            NotFound: it is not there any more.
            AccessDenied: it may not be read.
            SourceChanged: it is another one than was listed.
            SourceUnavailable: it cannot be had now.
            LimitExceeded: it is larger than the sink takes.
            PageError: there is no such content: a login page in place of a page, say.
        """
        ...

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        """Put many files into their sinks in fewer requests than one each, where that can be done.

        Yields each entry whose sink holds all of its bytes; those that it leaves out are asked for
        one by one.
        """
        ...

    def dated(self, entry: Entry) -> Entry:
        """The entry with the time of its last change, asked for if it is not known yet."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...

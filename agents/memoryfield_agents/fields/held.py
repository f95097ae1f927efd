"""A field as it was when it was opened: held in memory, whatever becomes of its place."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Field,
    Limits,
    MemoryfieldError,
    PinMismatch,
    Pins,
    SourceChanged,
    Watch,
    is_side_file,
    memory_field,
    open_field,
    unwatched,
)
from memoryfield_readers.transfer.spool import in_memory

if TYPE_CHECKING:
    from memoryfield_index.searching import Answer, Asked, Embedders, Standing

MOST_QUESTION = 2000
"""Characters of a question; of a longer one the rest is cut off."""

MOST_HITS = 100
"""Pages that one answer has at most."""

_MOST_TRIES: Final = 3
"""So often a field is read that changes meanwhile."""


@dataclass(frozen=True, slots=True)
class HeldField:
    """A field that stays what it is.

    Its pages, attachments and vector indexes are in memory: nothing that happens to its place later
    is seen, and nothing of it is read from a disk any more. Only an index that was built for it
    elsewhere, in the cache, is read where it is.

    Attributes:
        name: the name that it is asked for by.
        location: where it came from, as messages show it.
        field: its files, with nothing behind them but memory.
        pin: its field pin; where something is unread, that of what is held.
        archive_pin: its archive pin; None for what is no archive.
        pinned: whether it was proved by a pin or a lock file, and so can be no other one.
        opened: when it was read, in UTC.
        modified: when each page and attachment was last changed, in UTC, where its source said so.
        unread: what could not be read, by name; such a page is not in `field`.
        notes: what a person should know of how it was found and read, one line each.
    """

    name: str
    location: str
    field: Field
    pin: str
    archive_pin: str | None
    pinned: bool
    opened: datetime
    modified: Mapping[str, datetime]
    unread: Mapping[str, MemoryfieldError]
    notes: tuple[str, ...]
    _standing: Standing = attribute(repr=False)

    def search(self, question: str, asked: Asked | None = None) -> Answer:
        """The pages that answer a question, the best first.

        Without an index, or without what its vectors were made with, words rank; no page can make
        a search fail. Of a long question the first 2,000 characters are asked, and 100 pages are
        given at most.

        Raises:
            EmbedderUnavailable: an embedder was named at start, and cannot be had.
        """
        from memoryfield_index.searching import Asked as Plain

        wish = asked or Plain()
        wish = replace(wish, most=max(1, min(wish.most, MOST_HITS)))
        return self._standing.search(question[:MOST_QUESTION], wish)

    def close(self) -> None:
        """Let go of what the search has in memory, once a search that is under way has ended.

        The files are still there for who holds this, and even a search: it takes longer then.
        """
        self._standing.close()

    def told(self, text: str) -> str:
        """What a message says of this field, behind its name in place of where it came from."""
        return f"{self.name}: {text.removeprefix(f'{self.location}: ')}"

    def look_again(self) -> None:
        """Let the next search look anew for an index and for what makes vectors."""
        self._standing.look_again()

    def is_as(self, other: HeldField) -> bool:
        """Whether all that is held is the same as in another one, indexes and gaps included."""
        return (
            (self.pin, self.archive_pin) == (other.pin, other.archive_pin)
            and self.unread.keys() == other.unread.keys()
            and self.field.indexes == other.field.indexes
            and all(
                self.field.sha256(name) == other.field.sha256(name) for name in self.field.indexes
            )
        )


def hold(
    location: str,
    name: str,
    embedders: Embedders,
    *,
    pins: Pins = Pins(),  # noqa: B008 - it is a frozen value
    limits: Limits = DEFAULT_LIMITS,
    storage_options: Mapping[str, Any] | None = None,
    offline: bool = False,
    watch: Watch = unwatched,
) -> HeldField:
    """Open a field, read all of it, and let go of its place.

    A page that cannot be read is left out and told, and keeps no other from being served; but a
    field that is not what was pinned is not held at all, and neither is one whose source gives
    nothing any more. What is fetched goes into memory, and into no file.

    Arguments:
        location: as `open_field` takes it.
        name: the name that it is asked for by.
        embedders: what makes vectors of questions.
        pins: what it must match.
        limits: how much to take; `total_bytes` bounds what is in memory.
        storage_options: how a source elsewhere is reached.
        offline: whether to ask nobody else for it.
        watch: is told how far a long transfer is.

    Raises:
        MemoryfieldError: as `open_field` raises; EmptyField if it has neither page nor attachment.
        SourceChanged: it changes all the time.
    """
    for _ in range(_MOST_TRIES - 1):
        try:
            return _held(location, name, embedders, pins, limits, storage_options, offline, watch)
        except SourceChanged:
            pass  # it is written to just now: then as it is afterwards
    return _held(location, name, embedders, pins, limits, storage_options, offline, watch)


def _held(
    location: str,
    name: str,
    embedders: Embedders,
    pins: Pins,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    offline: bool,
    watch: Watch,
) -> HeldField:
    from memoryfield_index.searching import Standing

    with (
        in_memory(),
        open_field(
            location,
            pin=pins,
            limits=limits,
            storage_options=storage_options,
            offline=offline,
            watch=watch,
        ) as source,
    ):
        pinned = bool(pins) or source.known_digest is not None
        names = [
            *source.pages,
            *source.attachments,
            *(each for each in source.indexes if not is_side_file(each)),
        ]
        source.prepare(names)
        files, unread = _read(source, names)
        for error in () if files else unread.values():
            raise error  # there is nothing that could be held
        # It is given no times: it is no folder any more, even where it is still listed as one.
        held = memory_field(files, source.name, source.location, limits=limits)
        modified = _times(source, files)
        return HeldField(
            name=name,
            location=source.location,
            field=held,
            pin=held.digest(),
            archive_pin=source.archive_digest() if source.archive_name is not None else None,
            pinned=pinned,
            opened=datetime.now(UTC),
            modified=MappingProxyType(modified),
            unread=MappingProxyType(unread),
            notes=source.notes,
            _standing=Standing([held], embedders),
        )


def _read(source: Field, names: list[str]) -> tuple[dict[str, bytes], dict[str, MemoryfieldError]]:
    """What the files hold, and why some could not be read."""
    files: dict[str, bytes] = {}
    unread: dict[str, MemoryfieldError] = {
        entry.path: source.error_for(entry) for entry in source.irregular
    }
    pages = frozenset(source.pages)
    for name in names:
        try:
            files[name] = source.page(name).raw if name in pages else source.content(name)
        except PinMismatch:
            raise  # who is being fooled about one page is shown none
        except SourceChanged:
            raise  # it would be neither as before nor as after
        except MemoryfieldError as error:
            unread[name] = error
    return files, unread


def _times(source: Field, files: Mapping[str, bytes]) -> dict[str, datetime]:
    times: dict[str, datetime] = {}
    for name in files:
        with suppress(MemoryfieldError):
            modified = source.entry(name).modified
            if modified is not None:
                times[name] = modified
    return times

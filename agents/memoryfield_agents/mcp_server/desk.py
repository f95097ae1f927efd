"""What an agent can ask for; each is answered with a value that JSON can carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Final

from memoryfield_readers import MemoryfieldError

from ..fields import HeldField, Shelf
from ..fields.shelf import why
from .arguments import cursor_of, listing_of, question_of, reading_of, setting_of
from .cursors import Cursors, Kind, short_pin
from .finding import find, show
from .listing import list_fields, list_pages
from .note_stores import NoteStores
from .reading import Piece, numbers_of, read, read_note
from .refusals import Refusal
from .setting import set_note, told_of
from .uris import is_uri, parts_of, uri_of

_MOST_RESOURCES: Final = 100
_OTHER = (
    "the field was opened anew since then, and is another one now: ask anew, without the cursor"
)

Arguments = Mapping[str, Any]


class Desk:
    """Answers questions about the fields of a shelf, and nothing else; safe in several threads.

    Notes on the fields are shown if it is given where they are, and set if they may be.
    """

    def __init__(self, shelf: Shelf, notes: NoteStores | None = None) -> None:
        """Take a shelf, and the notes on its fields; who made them closes them."""
        self._shelf = shelf
        self._notes = notes
        self._cursors = Cursors()
        self._reloading = Lock()
        tools: dict[str, Callable[[Arguments], dict[str, Any]]] = {
            "list_fields": self.list_fields,
            "search": self.search,
            "read_pages": self.read_pages,
            "read_more": self.read_more,
        }
        if self.notes_settable:
            tools["set_note"] = self.set_note
        self.tools: Final[Mapping[str, Callable[[Arguments], dict[str, Any]]]] = tools

    @property
    def notes_settable(self) -> bool:
        """Whether there is a tool that sets notes."""
        return self._notes is not None and self._notes.settable

    def list_fields(self, given: Arguments) -> dict[str, Any]:
        """The fields; or, if one is given, its pages. With `reload` they are opened anew before.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        wish = listing_of(given)
        if wish.field is not None:
            held = self._shelf.get(wish.field)
            if wish.reload:
                with self._reloading:
                    if not held.pinned:
                        self._shelf.reload(held.name)
                    held = self._shelf.get(wish.field)
                    self._rebuild(held)
            return list_pages(held, 0, self._cursors, self._notes)
        reloaded = self._reload() if wish.reload else None
        return list_fields(self._shelf.fields, 0, self._cursors, reloaded, self._notes)

    def _reload(self) -> dict[str, str]:
        """Open all fields anew that are not pinned; what came of each."""
        told = {}
        with self._reloading:
            for held in self._shelf.fields:
                if held.pinned:
                    told[held.name] = "pinned: it is what it was"
                else:
                    try:
                        changed = self._shelf.reload(held.name)
                    except MemoryfieldError as error:
                        told[held.name] = f"it is shown as it was, for now: {why(error)}"
                    else:
                        told[held.name] = "changed" if changed else "the same"
                try:
                    self._rebuild(self._shelf.get(held.name))
                except Refusal as error:
                    told[held.name] += f"; {error}"
        return told

    def _rebuild(self, held: HeldField) -> None:
        """Bring the store of notes up to a field, where notes may be set.

        Raises:
            Refusal: it cannot be brought up to it.
        """
        if self._notes is not None and self._notes.settable:
            with told_of(held):
                self._notes.rebuild(held)

    def search(self, given: Arguments) -> dict[str, Any]:
        """The pages that answer a question, in one field or in all.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        question = question_of(given)
        one = question.field is not None
        fields = (self._shelf.get(question.field),) if one else self._shelf.fields
        return find(fields, question, self._cursors, self._notes)

    def read_pages(self, given: Arguments) -> dict[str, Any]:
        """Pages of a field by name or URI.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        wish = reading_of(given)
        field = wish.field
        if field is None and is_uri(wish.names[0]):
            field, _ = parts_of(wish.names[0])
        held = self._shelf.get(field)
        pieces, missing = numbers_of(held, wish.names)
        return read(held, pieces, missing, self._cursors, wish.most, self._notes)

    def set_note(self, given: Arguments) -> dict[str, Any]:
        """Set the note on a page, if nothing has changed since its revision was read.

        Raises:
            Refusal, MemoryfieldError: it cannot be set; nothing was changed.
        """
        wish = setting_of(given)
        if self._notes is None or not self._notes.settable:
            raise Refusal("notes cannot be set here", "start the server with --notes")
        field = wish.field
        if field is None and is_uri(wish.page):
            field, _ = parts_of(wish.page)
        return set_note(self._shelf.get(field), wish, self._notes, self._cursors)

    def read_more(self, given: Arguments) -> dict[str, Any]:
        """What follows on an answer that was cut.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        kind, content = self._cursors.open(cursor_of(given))
        match kind, content:
            case Kind.PIECE, [name, pin, number, start]:
                return self._read(self._same(name, pin), [Piece(number, start)])
            case Kind.NOTE, [name, pin, number, revision, start]:
                held = self._same(name, pin)
                return read_note(held, number, revision, start, self._cursors, self._notes)
            case Kind.REST, [name, pin, numbers]:
                return self._read(self._same(name, pin), [Piece(number) for number in numbers])
            case Kind.HITS, [known, rows]:
                fields = [self._same(name, pin) for name, pin in known]
                return show(fields, rows, self._cursors, {}, self._notes)
            case Kind.PAGES, [name, pin, start]:
                return list_pages(self._same(name, pin), start, self._cursors, self._notes)
            case Kind.FIELDS, [start]:
                return list_fields(self._shelf.fields, start, self._cursors, None, self._notes)
        raise Refusal("this cursor is for the list of resources, and goes on there")

    def resource(self, uri: str) -> dict[str, Any]:
        """A page by its URI, as `read_pages` answers.

        Raises:
            Refusal, MemoryfieldError: there is none.
        """
        if len(uri) > 2000:
            raise Refusal("this is no URI of a page: it is too long")
        field, _ = parts_of(uri)
        held = self._shelf.get(field)
        pieces, missing = numbers_of(held, [uri])
        if missing:
            raise Refusal(f"field {held.name} has no such page", "search finds those there are")
        return self._read(held, pieces)

    def _read(self, held: HeldField, pieces: Sequence[Piece]) -> dict[str, Any]:
        return read(held, pieces, (), self._cursors, notes=self._notes)

    def resources(self, cursor: str | None) -> tuple[list[tuple[str, HeldField, str]], str | None]:
        """Some pages of all fields, each as URI, field and name; and the cursor for the next.

        Raises:
            Refusal: the cursor is none, or of a field that is another one now.
        """
        fields = self._shelf.fields
        place, start = self._place(fields, cursor)
        found: list[tuple[str, HeldField, str]] = []
        for number in range(place, len(fields)):
            held = fields[number]
            first = start if number == place else 0
            names = held.field.pages[first : first + _MOST_RESOURCES - len(found)]
            found += [(uri_of(held.name, name), held, name) for name in names]
            after = first + len(names)
            if after < len(held.field.pages):
                pin = short_pin(held.pin)
                return found, self._cursors.seal(Kind.RESOURCES, held.name, pin, after)
        return found, None

    def _place(self, fields: Sequence[HeldField], cursor: str | None) -> tuple[int, int]:
        if cursor is None:
            return 0, 0
        kind, content = self._cursors.open(cursor)
        if kind is not Kind.RESOURCES:
            raise Refusal("this cursor is not of a list of resources", "read_more takes it")
        name, pin, start = content
        held = self._same(name, pin)
        return [each.name for each in fields].index(held.name), start

    def _same(self, name: str, pin: str) -> HeldField:
        """The field that a cursor is of; Refusal if it is another one now."""
        held = self._shelf.get(name)
        if short_pin(held.pin) != pin:
            raise Refusal(f"{name}: {_OTHER}")
        return held

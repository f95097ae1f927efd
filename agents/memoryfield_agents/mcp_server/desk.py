"""The four things an agent can ask for; each is answered with a value that JSON can carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Final

from memoryfield_readers import MemoryfieldError

from ..fields import HeldField, Shelf
from ..fields.shelf import why
from .arguments import cursor_of, listing_of, question_of, reading_of
from .cursors import Cursors, Kind, short_pin
from .finding import find, show
from .listing import list_fields, list_pages
from .reading import Piece, numbers_of, read
from .refusals import Refusal
from .uris import is_uri, parts_of, uri_of

_MOST_RESOURCES: Final = 100
_OTHER = (
    "the field was opened anew since then, and is another one now: ask anew, without the cursor"
)

Arguments = Mapping[str, Any]


class Desk:
    """Answers questions about the fields of a shelf, and nothing else; safe in several threads."""

    def __init__(self, shelf: Shelf) -> None:
        """Take a shelf; who made it closes it."""
        self._shelf = shelf
        self._cursors = Cursors()
        self._reloading = Lock()
        self.tools: Final[Mapping[str, Callable[[Arguments], dict[str, Any]]]] = {
            "list_fields": self.list_fields,
            "search": self.search,
            "read_pages": self.read_pages,
            "read_more": self.read_more,
        }

    def list_fields(self, given: Arguments) -> dict[str, Any]:
        """The fields; or, if one is given, its pages. With `reload` they are opened anew before.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        wish = listing_of(given)
        if wish.field is not None:
            held = self._shelf.get(wish.field)
            if wish.reload and not held.pinned:
                with self._reloading:
                    self._shelf.reload(held.name)
                held = self._shelf.get(wish.field)
            return list_pages(held, 0, self._cursors)
        reloaded = self._reload() if wish.reload else None
        return list_fields(self._shelf.fields, 0, self._cursors, reloaded)

    def _reload(self) -> dict[str, str]:
        """Open all fields anew that are not pinned; what came of each."""
        told = {}
        with self._reloading:
            for held in self._shelf.fields:
                if held.pinned:
                    told[held.name] = "pinned: it is what it was"
                    continue
                try:
                    changed = self._shelf.reload(held.name)
                except MemoryfieldError as error:
                    told[held.name] = f"it is shown as it was, for now: {why(error)}"
                else:
                    told[held.name] = "changed" if changed else "the same"
        return told

    def search(self, given: Arguments) -> dict[str, Any]:
        """The pages that answer a question, in one field or in all.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        question = question_of(given)
        one = question.field is not None
        fields = (self._shelf.get(question.field),) if one else self._shelf.fields
        return find(fields, question, self._cursors)

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
        return read(held, pieces, missing, self._cursors, wish.most)

    def read_more(self, given: Arguments) -> dict[str, Any]:
        """What follows on an answer that was cut.

        Raises:
            Refusal, MemoryfieldError: it cannot be answered.
        """
        kind, content = self._cursors.open(cursor_of(given))
        match kind, content:
            case Kind.PIECE, [name, pin, number, start]:
                return read(self._same(name, pin), [Piece(number, start)], (), self._cursors)
            case Kind.REST, [name, pin, numbers]:
                pieces = [Piece(number) for number in numbers]
                return read(self._same(name, pin), pieces, (), self._cursors)
            case Kind.HITS, [known, rows]:
                fields = [self._same(name, pin) for name, pin in known]
                return show(fields, rows, self._cursors, {})
            case Kind.PAGES, [name, pin, start]:
                return list_pages(self._same(name, pin), start, self._cursors)
            case Kind.FIELDS, [start]:
                return list_fields(self._shelf.fields, start, self._cursors)
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
        return read(held, pieces, (), self._cursors)

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

"""What is known of a server while it is checked: asked for once, shared by all rules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from memoryfield_readers import (
    AccessDenied,
    Entry,
    EntryKind,
    Limits,
    MemoryfieldError,
    Page,
    SourceUnavailable,
    Watch,
    is_debris,
    is_page_name,
    shown,
)
from memoryfield_readers.http.enumeration import Enumeration
from memoryfield_readers.http.html_document import is_html_document
from memoryfield_readers.manifest import Manifest

from .archive import Archive, Archives
from .asking import OK, Answer, Asking, Stopped
from .described import Described, described
from .search_answer import SearchAnswer, read_search_answer

INDEX, LISTING = "index.md", "listing.md"
_PAGE = ".md"
_MOST_UNREAD = 20
_MOST_SEARCH_BYTES = 16 * 1024 * 1024
"""Bytes of the answer to a search that are taken."""

NOT_A_PAGE = "memoryfield-check-of-a-name-that-no-page-has.md"


@dataclass(frozen=True, slots=True)
class Served:
    """One page as the server gave it; its bytes are not kept.

    Attributes:
        name: its file name.
        status: the number of the answer.
        kind: the content type, in lower case, without parameters.
        is_html: whether an HTML document came.
        coded: whether it came in a content coding, so that its tag need not be that of the page.
        tag: the `ETag`, or "".
        size: bytes of the body.
        sha256: of the body, in hexadecimal.
        same_text: whether the body is the text of the page in the archive but for marks, blanks and
            ends of lines; None where there is nothing to compare.
    """

    name: str
    status: int
    kind: str
    is_html: bool
    coded: bool
    tag: str
    size: int
    sha256: str
    same_text: bool | None


class Visit:
    """One check of one server.

    Attributes:
        asking: what asks.
        limits: how much to take.
        watch: is told how far it is.
        notes: what a person should know of what was judged.
        unread: what could not be had.
        named_by: what names the pages, in words.
        offers_no_search: whether it is known that the server has no search.
        not_judged: the ids of rules that could not be judged, and why, or "" where that is among
            what could not be had.
        not_applying: the ids of rules that ask nothing of this server.
    """

    def __init__(self, asking: Asking, archives: Archives, limits: Limits, watch: Watch) -> None:
        """Ask nothing yet."""
        self.asking = asking
        self.archives = archives
        self.limits = limits
        self.watch = watch
        self.notes: list[str] = []
        self.unread: list[MemoryfieldError] = []
        self.named_by = "the archive"
        self.offers_no_search = False
        self.not_judged: dict[str, str] = {}
        self.not_applying: set[str] = set()
        self._is_found_by_search = False
        self._described: dict[str, Described] = {}

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer | None:
        """The answer to a GET; None where there is none, which is noted.

        Raises:
            Stopped: there will be none to any request.
        """
        try:
            return self.asking.ask(path, most=self.limits.page_bytes, headers=headers or {})
        except Stopped:
            raise
        except MemoryfieldError as error:
            self.note_unread(error)
            return None

    def note_unread(self, error: MemoryfieldError) -> None:
        """Keep why something could not be had, within bounds."""
        told = {(each.entry, each.message) for each in self.unread}
        if len(self.unread) < _MOST_UNREAD and (error.entry, error.message) not in told:
            self.unread.append(error)

    def leave(self, id: str, why: str = "", *, applies: bool = True) -> None:
        """Keep that a rule could not be judged, or asks nothing here; tell why if it is given."""
        if applies:
            self.not_judged[id] = why
        else:
            self.not_applying.add(id)
        if why:
            self.notes.append(f"{id} was not judged: {why}")

    @property
    def is_denied(self) -> bool:
        """Whether nothing can be had with the credentials that there are."""
        return any(isinstance(error, AccessDenied) for error in self.unread)

    @cached_property
    def root(self) -> Answer:
        """What stands at the root; raises as `Asking.ask`: without it there is no check."""
        return self.asking.ask("", most=self.limits.directory_bytes, limit="directory-bytes")

    @cached_property
    def archive(self) -> Archive | None:
        """The whole field; None where it could not be had, which is noted."""
        try:
            return self.archives.fetch()
        except Stopped:
            raise
        except MemoryfieldError as error:
            self.note_unread(error)
            return None

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The pages that `listing.md` or an index in HTML names; none where there is neither."""
        asking = self.asking
        try:
            found = Enumeration(
                asking.client, asking.root, self.limits, location=asking.location
            ).run()
        except Stopped:
            raise
        except MemoryfieldError as error:
            return () if self.is_complete else self._named_by_search(error)
        self.named_by = "listing.md or the index in HTML"
        files = (each.path for each in found.entries if each.kind is EntryKind.FILE)
        return tuple(name for name in files if name.endswith(_PAGE) and not is_debris(name))

    def _named_by_search(self, error: MemoryfieldError) -> tuple[str, ...]:
        """The pages that a search for what all their names have in them gives (MF705)."""
        answer = self.search(_PAGE)
        found = filter(is_page_name, answer.names) if answer is not None else ()
        names = tuple(found)[: self.limits.entries]
        if names:
            self.named_by = f"a search for {_PAGE}"
            self._is_found_by_search = True
            self.notes.append(f"the pages are those that {self.named_by} gives: {error.message}")
        else:
            self.note_unread(error)
        return names

    def search(self, query: str) -> SearchAnswer | None:
        """What comes of a search; None where nothing does, which is noted.

        Raises:
            Stopped: as `get`.
        """
        path = f"search?q={quote(query, safe='')}"
        try:
            answer = self.asking.ask(path, most=_MOST_SEARCH_BYTES)
        except Stopped:
            raise
        except SourceUnavailable as error:
            self.note_unread(error)
            return None
        except MemoryfieldError as error:  # too large for this check, which no field can help
            self.note_unread(
                SourceUnavailable(error.message, location=error.location, entry=error.entry)
            )
            return None
        return read_search_answer(answer, self.described if self.is_complete else None)

    @property
    def is_complete(self) -> bool:
        """Whether it is known which pages there are, and what stands in them."""
        return self.archive is not None and self.archive.field is not None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The pages that are known."""
        if self.archive is not None and self.archive.field is not None:
            return tuple(self.archive.field.pages)
        return tuple(sorted(self.named, key=lambda name: name.encode("utf-8", "surrogateescape")))

    @cached_property
    def served(self) -> Mapping[str, Served]:
        """Each known page as the server gives it under its name, as far as it could be had."""
        found: dict[str, Served] = {}
        for done, name in enumerate(self.names):
            self.watch("pages", done, len(self.names))
            answer = self.get(quoted(name))
            if answer is not None:
                found[name] = self._seen(name, answer)
        self.watch("pages", len(self.names), len(self.names))
        return found

    @cached_property
    def absent(self) -> Answer | None:
        """What the server answers for a name that no page has."""
        return self.get(NOT_A_PAGE)

    @property
    def described(self) -> Mapping[str, Described]:
        """What a search goes by, for each known page that can be read."""
        if self.is_complete:
            return self._described_by_archive
        assert self.served is not None  # noqa: S101 - asking for the pages fills in the rest
        return self._described

    @cached_property
    def digest(self) -> str | None:
        """The field pin, as a reader over HTTP has it; None where it cannot be known."""
        if self.archive is not None and self.archive.digest is not None:
            return self.archive.digest
        if self._is_found_by_search:  # which finds no attachments, and no reader goes by it
            return None
        good = {each.name: each.sha256 for each in self.served.values() if each.status == OK}
        return Manifest.of(good).digest if good and set(good) == set(self.names) else None

    def of_field(self) -> Iterator[str]:
        """The SHA-256 of all that is known to be of the field."""
        if self.archive is not None:
            if self.archive.field is not None:
                field = self.archive.field
                yield from field.manifest().hashes.values()
                yield from (field.sha256(name) for name in field.indexes)
            if self.archive.sha256 is not None:
                yield self.archive.sha256
        yield from (each.sha256 for each in self.served.values())
        yield self.root.sha256

    @cached_property
    def _described_by_archive(self) -> Mapping[str, Described]:
        return {name: described(page) for name in self.names if (page := self._true_page(name))}

    def _true_page(self, name: str) -> Page | None:
        if self.archive is None or self.archive.field is None:
            return None
        try:
            return self.archive.field.page(name)
        except MemoryfieldError as error:
            self.note_unread(error)
            return None

    def _seen(self, name: str, answer: Answer) -> Served:
        true = self._true_page(name)
        page = Page(name, answer.data, Entry(name, EntryKind.FILE))
        if true is None and answer.status == OK:
            self._described[name] = described(page)
        return Served(
            name,
            answer.status,
            answer.kind,
            is_html_document(answer.headers, answer.data),
            bool(answer.headers.get("content-encoding", "").strip()),
            answer.headers.get("etag", "").strip(),
            len(answer.data),
            answer.sha256,
            None if true is None else _plain(true.raw) == _plain(answer.data),
        )


def quoted(name: str) -> str:
    """A name as it stands in a path."""
    return quote(name, safe="", errors="surrogateescape")


def strong_tag(data: bytes) -> str:
    """The tag of a content (MF708)."""
    return f'"{hashlib.sha256(data).hexdigest()}"'


def names_of(names: list[str], most: int = 3) -> str:
    """Some names in words."""
    first = ", ".join(map(shown, names[:most]))
    return f"{first} and {len(names) - most} more" if len(names) > most else first


def _plain(data: bytes) -> list[bytes]:
    """The lines of a text without what is lost when it is stored or sent carelessly."""
    return [line.rstrip() for line in data.removeprefix(b"\xef\xbb\xbf").strip().splitlines()]

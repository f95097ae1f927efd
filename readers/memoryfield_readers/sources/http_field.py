"""A field that a server serves as files (MF701), as a store."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

from ..display import shown
from ..entry import Entry
from ..errors import PageError, SourceChanged
from ..http.client import HttpClient
from ..http.enumeration import Enumerated, Enumeration, Kept, by_manifest, url_in
from ..http.html_document import HEAD_BYTES, is_html_document
from ..limits import Limits
from ..locations import HttpLocation
from ..manifest import Manifest
from ..transfer.options import TransferOptions
from ..transfer.sink import MemorySink, Sink

_AT_ONCE = 8
_NAMED_IN_NOTE = 5
_ANY_TAG = re.compile(r'(?:W/)?"[!#-~]{0,254}"')
_OK, _NOT_MODIFIED = 200, 304
_NO_DATE = (403, 405, 501)
"""What a server answers that gives files, but will not speak of them alone."""

_OFTEN_HTML = re.compile(r"(?:[^.]*|.*\.(?:html?|xhtml|php))", re.IGNORECASE | re.DOTALL)
"""Names behind which an HTML document may be what is wanted."""


class HttpField:
    """The files of a folder on a server.

    Attributes:
        at_once: how many files may be asked for at the same time.
        redirected: the URLs that gave files in the end, by name, where others were asked.
        resolved: None: nothing pins what a server serves.
        notes: by what the files were found, and which may have been cut; before that, what is wrong
            with credentials.
    """

    at_once = _AT_ONCE
    resolved: str | None = None

    def __init__(
        self,
        location: HttpLocation,
        options: TransferOptions,
        limits: Limits,
        *,
        manifest: Manifest | None = None,
        client: HttpClient | None = None,
        tried: Sequence[str] = (),
    ) -> None:
        """Ask nothing yet.

        Arguments:
            location: the folder.
            options: how it is reached.
            limits: how much to take.
            manifest: what names the files; None to ask the server for what does.
            client: what to ask with, which is closed with this; None for a new one.
            tried: what was tried in vain before, in words, such as "no memoryfield.zip".
        """
        options.of_transport("HTTP")
        self.notes: tuple[str, ...] = ()
        self._location = location.shown
        self._folder = location.url
        self._limits = limits
        self._manifest = manifest
        self._tried = tuple(tried)
        self._kept: Mapping[str, Kept] = {}
        self._hashes: dict[str, bytes] = {}
        self._found_by: tuple[str, ...] = ()
        self.redirected: dict[str, str] = {}
        self._unmeasured: set[str] = set()
        self._first_unmeasured: list[str] = []
        self._lock = threading.Lock()
        self._client = client or HttpClient(options, location=location.shown)

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Names of files of which nobody can tell that they came whole, in order."""
        with self._lock:
            return tuple(sorted(self._unmeasured))

    def listing(self) -> Sequence[Entry]:
        """The files by the manifest, or what the server has in its place; see `Store.listing`.

        Sizes are not known before files are read.
        """
        found = self._enumerated()
        self._folder = found.folder
        self._kept = found.kept
        self._hashes = {name: _hash(kept.data) for name, kept in found.kept.items()}
        self.notes = self._found_by = (*self._client.notes, *found.notes)
        return found.entries

    def save(self, entry: Entry, sink: Sink) -> Entry:
        """Put all bytes of a file into a sink; see `Store.save`."""
        name = entry.path
        kept = self._kept.get(name)
        tag = kept.headers.get("etag", "").strip() if kept else ""
        condition = {"If-None-Match": tag} if _ANY_TAG.fullmatch(tag) else {}
        reader = _Reading(sink)
        answer = self._client.fetch(
            url_in(self._folder, name),
            reader,
            headers=condition,
            ok=(_OK, _NOT_MODIFIED) if condition else (_OK,),
            entry=name,
        )
        headers, measured = answer.headers, answer.measured
        if answer.status == _NOT_MODIFIED and kept is not None:
            reader.restart()
            reader.write(kept.data)
            headers, measured = {**kept.headers, **headers}, kept.measured
        if is_html_document(headers, reader.head) and not _OFTEN_HTML.fullmatch(name):
            raise PageError(
                f"an HTML page came in its place, from {shown(answer.url)}: perhaps to log in",
                location=self._location,
                entry=name,
                hint="open that address in a browser to see what it answers",
            )
        with self._lock:
            if answer.url != url_in(self._location, name):
                self.redirected[name] = answer.url
            known = self._hashes.setdefault(name, reader.digest)
            if not measured and name not in self._unmeasured:
                self._note_unmeasured(name)
        if known != reader.digest:
            raise SourceChanged(
                "changed while the field was being read", location=self._location, entry=name
            )
        return entry._replace(size=reader.taken, modified_ns=modified_ns(headers))

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        """None: over HTTP each file is a request of its own."""
        return iter(())

    def dated(self, entry: Entry) -> Entry:
        """The entry with its Last-Modified, if the server tells that; see `Store.dated`."""
        if entry.modified_ns is not None:
            return entry
        answer = self._client.fetch(
            url_in(self._folder, entry.path),
            MemorySink(0),
            ok=(_OK, *_NO_DATE),
            method="HEAD",
            entry=entry.path,
        )
        is_told = answer.status == _OK
        return entry._replace(modified_ns=modified_ns(answer.headers)) if is_told else entry

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _note_unmeasured(self, name: str) -> None:
        """Renew the one note on files that may have been cut, which names a few of them."""
        self._unmeasured.add(name)
        named = sorted((*self._first_unmeasured, name))[:_NAMED_IN_NOTE]
        self._first_unmeasured = named
        self.notes = (*self._found_by, _may_be_cut(named, len(self._unmeasured)))

    def _enumerated(self) -> Enumerated:
        if self._manifest is not None:
            return by_manifest(self._folder, self._manifest, self._limits, self._location)
        return Enumeration(
            self._client,
            self._folder,
            self._limits,
            location=self._location,
            tried=self._tried,
        ).run()


def modified_ns(headers: Mapping[str, str]) -> int | None:
    """The Last-Modified of an answer in nanoseconds since 1970; None where there is no such time.

    Arguments:
        headers: those of the answer, their names in lower case.
    """
    text = headers.get("last-modified", "")
    if not text or len(text) > 64:
        return None
    try:
        named = parsedate_to_datetime(text)
        when = named if named.tzinfo is not None else named.replace(tzinfo=UTC)
        return int(when.timestamp()) * 1_000_000_000
    except (ValueError, OverflowError):
        return None


class _Reading:
    """A sink before a sink, which keeps the beginning and the hash of what goes through."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._begin()

    @property
    def digest(self) -> bytes:
        """The SHA-256 of what went through."""
        return self._digest.digest()

    def write(self, piece: bytes) -> None:
        """Let a piece through."""
        self._sink.write(piece)
        self._digest.update(piece)
        self.taken += len(piece)
        if len(self.head) < HEAD_BYTES:
            self.head += piece[: HEAD_BYTES - len(self.head)]

    def restart(self) -> None:
        """Forget what went through."""
        self._sink.restart()
        self._begin()

    def _begin(self) -> None:
        self._digest = hashlib.sha256()
        self.head = b""
        self.taken = 0


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _may_be_cut(named: Sequence[str], count: int) -> str:
    first = ", ".join(map(shown, named))
    if count == 1:
        return f"the server did not say how long {first} is: it may be cut"
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"the server did not say how long {first}{more} are: they may be cut"

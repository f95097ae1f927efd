"""What a server's folder holds, though HTTP has no listing: by what names it, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from ..display import shown
from ..entry import Entry, EntryKind
from ..errors import AccessDenied, LimitExceeded, NotFound, SourceUnavailable
from ..limits import Limits, raise_limit
from ..manifest import Manifest
from ..markdown.mentions import mentioned_pages
from ..names import PAGE_SUFFIX
from ..page import Page
from ..transfer.sink import MemorySink
from .answer import Answer
from .client import HttpClient
from .html_document import is_html_document
from .index_page import IndexPage, folder_of, is_plain, read_index_page
from .urls import normal, origin_of

LISTING = "listing.md"
INDEX = "index.md"

_BY_LISTING = (
    f"the pages are those that {LISTING} names: attachments cannot be seen,"
    " and a field pin covers the files that are named alone"
)
_BY_INDEX = "the files are those that an HTML index links to"
_BY_LINKS = (
    "the files are those that an HTML page links to, which does not call itself an index: others"
    " cannot be seen, and a field pin covers the files that are linked alone"
)
_HINT = (
    "let the server list the folder, or put beside the pages a listing.md that names them,"
    " or memoryfield.zip"
)


class Kept(NamedTuple):
    """A page that was read to find the others.

    Attributes:
        data: its bytes.
        headers: those of the answer, their names in lower case.
        measured: whether the server said how long it is.
    """

    data: bytes
    headers: Mapping[str, str]
    measured: bool


@dataclass(frozen=True, slots=True)
class Enumerated:
    """What there is, and by what that was found.

    Attributes:
        folder: the URL of the folder in which the files are to be asked for.
        entries: the files, without sizes, and the sub-directories.
        notes: what a person should know of how they were found.
        kept: pages that were read for it, by name.
    """

    folder: str
    entries: tuple[Entry, ...]
    notes: tuple[str, ...]
    kept: Mapping[str, Kept] = field(default_factory=dict)


def by_manifest(folder: str, manifest: Manifest, limits: Limits, location: str) -> Enumerated:
    """The files that a manifest names; nothing is asked for.

    Raises:
        LimitExceeded: there are more than the limits allow.
    """
    names = [name for name in manifest.hashes if is_plain(name)]
    refused = [name for name in manifest.hashes if not is_plain(name)]
    notes = _refused_note(refused)
    return Enumerated(folder, _entries(names, (), limits, location), notes)


class Enumeration:
    """Asks a server what there is in a folder; only what is absent sends it to the next step."""

    def __init__(
        self,
        client: HttpClient,
        folder: str,
        limits: Limits,
        *,
        location: str,
        tried: Sequence[str] = (),
    ) -> None:
        """Ask nothing yet.

        Arguments:
            client: what to ask with.
            folder: the URL of the folder, with its last slash.
            limits: how much to take.
            location: what messages call it.
            tried: what was tried before, in words.
        """
        self._client = client
        self._folder = folder
        self._limits = limits
        self._location = location
        self._tried = list(tried)
        self._is_absent = True
        self._moved: tuple[str, ...] = ()
        self._cut: list[str] = []
        self._kept: dict[str, Kept] = {}

    def run(self) -> Enumerated:
        """The files that `listing.md` names, or else those that an index in HTML links to.

        Raises:
            NotFound: there is nothing that names the files.
            AccessDenied, SourceUnavailable: that cannot be known, now or at all.
            LimitExceeded: there is more than the limits allow.
        """
        listed = self._listed()
        if listed:
            return self._by_listing(listed)
        index = self._index()
        if index is not None:
            return self._by_index(index)
        if LISTING in self._kept:
            return self._by_listing(())
        kind = NotFound if self._is_absent else SourceUnavailable
        raise kind(
            "nothing says which pages there are: " + ", ".join(self._tried),
            location=self._location,
            hint=_HINT,
        )

    def _listed(self) -> tuple[str, ...]:
        """The pages that `listing.md` names; none if there is no such page."""
        kept = self._page(LISTING)
        if kept is None:
            return ()
        self._kept[LISTING] = kept
        page = Page(LISTING, kept.data, Entry(LISTING, EntryKind.FILE))
        named = tuple(name for name in mentioned_pages(page, _AnyPage()) if name != LISTING)
        if not named:
            self._tried.append(f"{LISTING} names no page")
        return named

    def _by_listing(self, named: Iterable[str]) -> Enumerated:
        names = dict.fromkeys((LISTING, *named))
        if INDEX not in names and self._has_index():
            names[INDEX] = None
        return self._enumerated(tuple(names), (), _BY_LISTING, ())

    def _has_index(self) -> bool:
        try:
            kept = self._page(INDEX)
        except LimitExceeded:  # it is there, which is all that is asked
            return True
        if kept is not None:
            self._kept[INDEX] = kept
        return kept is not None

    def _index(self) -> IndexPage | None:
        """The index of the folder in HTML, or None if there is none."""
        try:
            got = self._get("", self._limits.directory_bytes, "directory-bytes")
        except AccessDenied as error:  # as where a server lists no folders
            error.hint = f"{error.hint}; or {_HINT}" if error.hint else _HINT
            raise
        if got is None:
            return None
        answer, data = got
        if not is_html_document(answer.headers, data):
            self._missed("/ is no HTML index")
            return None
        page = read_index_page(data, answer.final_url, self._limits.entries)
        has_pages = any(name.endswith(PAGE_SUFFIX) for name in page.files)
        if not has_pages and not page.is_index:
            self._missed(f"/ is an HTML page ({shown(answer.url)}) that links to no page")
            return None
        if page.has_more:
            raise _too_many(self._limits, self._location)
        self._note_move(answer)
        self._folder = folder_of(answer.final_url)
        if not answer.measured:
            self._cut.append("its index")
        return page

    def _by_index(self, page: IndexPage) -> Enumerated:
        by = _BY_INDEX if page.is_index else _BY_LINKS
        return self._enumerated(page.files, page.folders, by, page.refused)

    def _enumerated(
        self,
        names: Sequence[str],
        folders: Sequence[str],
        by: str,
        refused: Sequence[str],
    ) -> Enumerated:
        good = [name for name in names if is_plain(name)]
        refused = [*refused, *(name for name in names if not is_plain(name))]
        cut = tuple(
            f"the server did not say how long {each} is: it may be cut, and name too few files"
            for each in self._cut
        )
        return Enumerated(
            self._folder,
            _entries(good, folders, self._limits, self._location),
            (by, *self._moved, *cut, *_refused_note(refused)),
            self._kept,
        )

    def _page(self, name: str) -> Kept | None:
        """A page that may be there; an HTML document in its place is none."""
        got = self._get(name, self._limits.page_bytes, "page-bytes")
        if got is None:
            return None
        answer, data = got
        if is_html_document(answer.headers, data):
            self._missed(f"{name} is an HTML page ({shown(answer.url)})")
            return None
        if name == LISTING:
            self._follow(answer)
            if not answer.measured:
                self._cut.append(name)
        return Kept(data, answer.headers, answer.measured)

    def _follow(self, answer: Answer) -> None:
        """Ask for all else where a redirect led, if it is the same file elsewhere on the host."""
        self._note_move(answer)
        name = unquote(urlsplit(answer.final_url).path.rpartition("/")[2])
        if name == LISTING and _is_same_host(self._folder, answer.final_url):
            self._folder = folder_of(answer.final_url)

    def _note_move(self, answer: Answer) -> None:
        to = folder_of(answer.final_url)
        if to != normal(self._folder):
            self._moved = (f"the server sent us on to {shown(to)}",)

    def _get(self, name: str, most: int, limit: str) -> tuple[Answer, bytes] | None:
        """What a name leads to, or None if that is absent; all else stops the enumeration."""
        sink = MemorySink(most, limit)
        try:
            answer = self._client.fetch(url_in(self._folder, name), sink, entry=name or None)
        except NotFound as error:
            self._tried.append(f"no {name or '/'} ({error.message})")
            return None
        except SourceUnavailable as error:
            if self._tried:
                error.message = f"{error.message}; before: {', '.join(self._tried)}"
            raise
        return answer, sink.data

    def _missed(self, why: str) -> None:
        self._is_absent = False
        self._tried.append(why)


def url_in(folder: str, name: str) -> str:
    """The URL of a file in a folder."""
    return folder + quote(name, safe="", errors="surrogateescape")


class _AnyPage:
    """The names of all pages that there may be in a folder (MF901)."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and "/" not in name


def _is_same_host(url: str, other: str) -> bool:
    """Whether two URLs are of one origin, or differ in that the second is of https."""
    first, second = urlsplit(url), urlsplit(other)
    is_upgrade = (first.scheme, second.scheme) == ("http", "https")
    return origin_of(url) == origin_of(other) or (is_upgrade and first.hostname == second.hostname)


def _entries(
    names: Sequence[str], folders: Sequence[str], limits: Limits, location: str
) -> tuple[Entry, ...]:
    if len(names) + len(folders) > limits.entries:
        raise _too_many(limits, location)
    return (
        *(Entry(name, EntryKind.FILE) for name in names),
        *(Entry(name, EntryKind.DIRECTORY) for name in folders),
    )


def _too_many(limits: Limits, location: str) -> LimitExceeded:
    return LimitExceeded(
        f"more than {limits.entries} entries", location=location, hint=raise_limit("entries")
    )


def _refused_note(refused: Sequence[str]) -> tuple[str, ...]:
    if not refused:
        return ()
    names = "names that cannot be" if len(refused) > 1 else "name that cannot be"
    return (f"{len(refused)} {names} of files are left out, such as {shown(refused[0])}",)

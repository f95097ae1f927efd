"""What a held field has to serve: its files by their names, and what is made of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast
from urllib.parse import quote

from memoryfield_readers import as_unicode
from memoryfield_readers.canonical_archive import canonical_archive

from ..answers import json_bytes
from .conditions import Content

if TYPE_CHECKING:
    from ..fields import HeldField

T = TypeVar("T")

Role = Literal["page", "attachment", "index"]

MARKDOWN: Final = "text/markdown; charset=utf-8"
_OCTETS: Final = "application/octet-stream"
IMAGES: Final = MappingProxyType({
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
})  # fmt: skip
"""Kinds of pictures that run nothing; an SVG may."""

_PLAIN: Final = frozenset({".txt", ".csv", ".log", ".tsv"})
_MOST_TEXT: Final = 1000
_MOST_MADE: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file of a field.

    Attributes:
        name: its name.
        role: what it is.
        raw: its bytes.
        content: the same with its hash, to be asked for in part.
    """

    name: str
    role: Role
    raw: bytes
    content: Content


@dataclass(frozen=True, slots=True)
class Described:
    """A page in a listing.

    Attributes:
        name: its name.
        title: its title, or its name without the ending.
        summary: its summary; None where it has none.
    """

    name: str
    title: str
    summary: str | None


class Files:
    """A held field made ready to be served.

    A name is looked up among those that the field has, and nowhere else (MF706). What is made of
    the field is made once, when it is first asked for; from several threads, too.
    """

    def __init__(self, held: HeldField) -> None:
        """Take what a field holds; its bytes are not copied."""
        self.held = held
        self._by_name: dict[str, ServedFile] = {}
        self._lock = Lock()
        self._made: dict[str, Any] = {}
        self._pages: dict[str, bytes] = {}
        self._pages_bytes = 0
        roles: tuple[tuple[Role, tuple[str, ...]], ...] = (
            ("page", held.field.pages),
            ("attachment", held.field.attachments),
            ("index", held.field.indexes),
        )
        for role, names in roles:
            for name in names:
                raw = held.field.page(name).raw if role == "page" else held.field.content(name)
                content = Content.of(raw, held.field.sha256(name), held.modified.get(name))
                self._by_name[name] = ServedFile(name, role, raw, content)

    def get(self, name: str) -> ServedFile | None:
        """The file of exactly this name."""
        return self._by_name.get(name)

    def pictures(self) -> frozenset[str]:
        """The names of attachments that a page may show as pictures."""
        return self._once(
            "pictures",
            lambda: frozenset(
                name for name in self.held.field.attachments if ending(name) in IMAGES
            ),
        )

    def described(self) -> tuple[Described, ...]:
        """All pages with their titles and summaries, each cut to 1,000 characters."""
        return self._once("described", self._describe)

    def archive(self) -> Content:
        """All pages and attachments as an archive in the canonical form, which is never on a disk.

        Raises:
            UnsafeArchive: a name cannot stand in an archive.
        """

        def make() -> Content:
            made = canonical_archive(self.held.field)
            return Content(made.size, made.sha256, made.pieces, slow=True)

        return self._once("archive", make)

    def listing(self) -> bytes:
        """What the field has, as JSON, with its manifest."""
        return self._once("listing", self._list)

    def kept_page(self, name: str, make: Callable[[], bytes]) -> bytes:
        """A page made for people, from what is kept of those that were asked for lately."""
        with self._lock:
            found = self._pages.pop(name, None)
            if found is not None:
                self._pages[name] = found  # the last one now
                return found
        made = make()
        with self._lock:
            if len(made) <= _MOST_MADE and name not in self._pages:
                self._pages[name] = made
                self._pages_bytes += len(made)
            while self._pages_bytes > _MOST_MADE:
                oldest = next(iter(self._pages))
                self._pages_bytes -= len(self._pages.pop(oldest))
        return made

    def _once(self, what: str, make: Callable[[], T]) -> T:
        with self._lock:
            if what in self._made:
                return cast("T", self._made[what])
        made = make()
        with self._lock:
            return cast("T", self._made.setdefault(what, made))

    def _describe(self) -> tuple[Described, ...]:
        found = []
        for name in self.held.field.pages:
            page = self.held.field.page(name)
            summary = page.frontmatter.text("summary")
            found.append(
                Described(
                    name,
                    page.title[:_MOST_TEXT],
                    None if summary is None else summary[:_MOST_TEXT],
                )
            )
        return tuple(found)

    def _list(self) -> bytes:
        def entry(name: str) -> dict[str, object]:
            content = self._by_name[name].content
            return {"name": as_unicode(name), "sha256": content.sha256, "bytes": content.size}

        pages = [
            {**entry(each.name), "title": each.title, "summary": each.summary}
            for each in self.described()
        ]
        return json_bytes({
            "version": 1,
            "name": self.held.name,
            "digest": self.held.pin,
            "pages": pages,
            "attachments": [entry(name) for name in self.held.field.attachments],
            "manifest": as_unicode(self.held.field.manifest().text),
        })  # fmt: skip


def ending(name: str) -> str:
    """The ending of a name, in lower case, with its dot; "" if it has none."""
    _, dot, last = name.rpartition(".")
    return dot + last.lower()


def type_headers(file: ServedFile) -> Mapping[str, str]:
    """What the type of a file is said to be, and that what could run is saved and not shown."""
    last = ending(file.name)
    if file.role == "page":
        return {"content-type": MARKDOWN if _is_utf8(file.raw) else "text/markdown"}
    if file.role == "attachment" and last in IMAGES:
        return {"content-type": IMAGES[last]}
    if file.role == "attachment" and last in _PLAIN:
        return {"content-type": "text/plain; charset=utf-8"}
    kind = {".pdf": "application/pdf", ".json": "application/json"}.get(last, _OCTETS)
    saved = f"attachment; filename*=UTF-8''{quote(as_unicode(file.name), safe='')}"
    return {"content-type": kind, "content-disposition": saved}


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def address(name: str) -> str:
    """The path of a file, seen from the root of its field."""
    return "./" + quote(name.encode("utf-8", "surrogateescape"), safe="-._~!$'()*,;=@")

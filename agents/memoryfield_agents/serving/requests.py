"""What is answered to each kind of request to a field."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.resources import files as resources
from typing import TYPE_CHECKING, Final, TypeVar

from ..answers import json_bytes
from . import browsing
from .conditions import Content, answer
from .files import Files, ServedFile, type_headers
from .negotiation import wants_html
from .replies import PAGE_POLICY, Headers, Reply
from .searching import answer_json, ask, wish

if TYPE_CHECKING:
    from starlette.datastructures import Headers as RequestHeaders

T = TypeVar("T")

_HTML: Final = "text/html; charset=utf-8"
_JSON: Final = "application/json"
_CHECKED: Final = ("cache-control", "private, no-cache")
"""Kept by the client alone, and asked after each time: a field may change at any moment."""

_BY_ACCEPT: Final = ("vary", "Accept")
_STATIC: Final = {"style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml"}


class Workers:
    """Threads for what takes long: one kind of work does not keep another from being done."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self.quick = ThreadPoolExecutor(2, "memoryfield-quick")
        self._searching = ThreadPoolExecutor(2, "memoryfield-search")
        self._making = ThreadPoolExecutor(2, "memoryfield-make")
        self._looking = ThreadPoolExecutor(1, "memoryfield-look")

    def look(self, work: Callable[[], None]) -> asyncio.Future[None]:
        """Look if something has changed."""
        return asyncio.get_running_loop().run_in_executor(self._looking, work)

    async def search(self, work: Callable[[], T]) -> T:
        """Search, which may embed."""
        return await asyncio.get_running_loop().run_in_executor(self._searching, work)

    async def make(self, work: Callable[[], T]) -> T:
        """Make a page, a listing or an archive."""
        return await asyncio.get_running_loop().run_in_executor(self._making, work)

    def close(self) -> None:
        """Begin nothing more; what is under way ends by itself."""
        for pool in (self.quick, self._searching, self._making, self._looking):
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Request:
    """A request, as far as its path does not say it.

    Attributes:
        method: GET or HEAD.
        query: the fields of its query.
        headers: its headers.
        now: when it came, in UTC.
        workers: who does what takes long.
    """

    method: str
    query: Mapping[str, str]
    headers: RequestHeaders
    now: datetime
    workers: Workers

    @property
    def wants_html(self) -> bool:
        """Whether it is of a browser that shows pages to a person."""
        return wants_html(self.headers.get("accept"))

    def reply(self, content: Content, *headers: tuple[str, str]) -> Reply:
        """The content, or as much of it as is asked for."""
        return answer(content, (_CHECKED, *headers), self.headers, self.method, self.now)

    def made(self, raw: bytes, *headers: tuple[str, str]) -> Reply:
        """Bytes that were made just now, or before."""
        return self.reply(Content.of(raw, hashlib.sha256(raw).hexdigest()), *headers)

    def html(self, raw: bytes) -> Reply:
        """A page for people."""
        policy = ("content-security-policy", PAGE_POLICY)
        return self.made(raw, ("content-type", _HTML), policy, _BY_ACCEPT)


async def front(files: Files, request: Request, *, several: bool) -> Reply | None:
    """The front page for people; for programs `index.md`, where there is one (MF702)."""
    if request.wants_html:
        place = browsing.place_of(files, several=several)
        make = request.workers.make
        page = await make(lambda: files.kept_page("", lambda: browsing.front_html(files, place)))
        return request.html(page)
    file = files.get("index.md")
    if file is None or file.role != "page":
        return None
    return request.reply(file.content, *type_headers(file).items(), _BY_ACCEPT)


async def one_file(files: Files, file: ServedFile, request: Request, *, several: bool) -> Reply:
    """The bytes of a file (MF701); for people, a page is rendered."""
    if file.role != "page":
        return request.reply(file.content, *type_headers(file).items())
    if request.wants_html and "raw" not in request.query:
        place = browsing.place_of(files, several=several)
        name = file.name

        def make() -> bytes:
            return files.kept_page(name, lambda: browsing.page_html(files, name, place))

        return request.html(await request.workers.make(make))
    return request.reply(file.content, *type_headers(file).items(), _BY_ACCEPT)


async def archive(files: Files, request: Request) -> Reply:
    """The whole field (MF703); its pins are in headers, so that a client can ask for no more."""
    content = await request.workers.make(files.archive)
    saved = f'attachment; filename="{files.held.name}.memoryfield.zip"'
    return request.reply(
        content,
        ("content-type", "application/zip"),
        ("content-disposition", saved),
        ("memoryfield-pin", files.held.pin),
        ("memoryfield-archive-pin", f"sha256:{content.sha256}"),
    )


async def search(files: Files, request: Request, *, several: bool) -> Reply:
    """What a question finds; nothing found is no error (MF704)."""
    question, most = wish(request.query)
    asked = "q" in request.query
    html = request.wants_html
    if html and not question.strip():
        place = browsing.place_of(files, several=several)
        return _fresh(browsing.found_html(files, "", None, place), _HTML)
    found = await request.workers.search(lambda: ask(files.held, question if asked else "", most))
    if html:
        place = browsing.place_of(files, several=several)
        return _fresh(browsing.found_html(files, question, found, place), _HTML)
    made = await request.workers.make(lambda: answer_json(files.held, question, found))
    return _fresh(made, _JSON)


def _fresh(raw: bytes, kind: str) -> Reply:
    headers: Headers = (("content-type", kind), ("cache-control", "no-store"), _BY_ACCEPT)
    if kind == _HTML:
        headers = (*headers, ("content-security-policy", PAGE_POLICY))
    return Reply(200, headers, raw)


async def listing(files: Files, request: Request) -> Reply:
    """What the field has, with its manifest."""
    raw = await request.workers.make(files.listing)
    return request.made(raw, ("content-type", _JSON))


def missing(files: Files, request: Request, *, several: bool) -> Reply | None:
    """For people, a page with a search box; for programs the usual text."""
    if not request.wants_html:
        return None
    place = browsing.place_of(files, several=several)
    return replace(_fresh(browsing.missing_html(place), _HTML), status=404)


def fields(held: Sequence[Files], request: Request) -> Reply:
    """The fields that there are."""
    if request.wants_html:
        return request.html(browsing.fields_html(held))
    told = [
        {
            "name": files.held.name,
            "digest": files.held.pin,
            "pages": len(files.held.field.pages),
            "path": f"/{files.held.name}/",
        }
        for files in held
    ]
    raw = json_bytes({"version": 1, "fields": told})
    return request.made(raw, ("content-type", _JSON), _BY_ACCEPT)


def static(name: str, request: Request) -> Reply | None:
    """A file of our own that pages need."""
    kind = _STATIC.get(name)
    if kind is None:
        return None
    return request.made(_resource(name), ("content-type", kind))


@cache
def _resource(name: str) -> bytes:
    return (resources(__package__) / name).read_bytes()

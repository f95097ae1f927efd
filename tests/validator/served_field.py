"""A server of a small field that keeps every requirement, until a test changes its answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import parse_qs, unquote

from tests.readers.servers.faulty_http import FaultyHttp, Wire
from tests.readers.servers.http_parts import Reply, Request, Served
from tests.validator.fields import archive, as_bytes, page

from memoryfield_readers import Page, memory_field
from memoryfield_validator import Report
from memoryfield_validator.server_check import check_server

MARKDOWN = "text/markdown; charset=utf-8"
INDEX = "# Cookware\n\nPages on pans.\n"
PAGES: Mapping[str, str] = {
    "index.md": INDEX,
    "carbon-woks.md": page(
        title="Carbon Woks", number=1, more="summary: How carbon steel is seasoned at home.\n"
    ),
    "heat.md": page(title="Öfen und Hitze", number=2),
    "plain.md": "No frontmatter here.\n",
}
Change = Callable[[Request, Reply], Reply]


class ServedField(FaultyHttp):
    """The server; its field stands at the root.

    Attributes:
        pages: the pages, as a search sees them.
    """

    def __init__(self, pages: Mapping[str, str] = PAGES, **others: Any) -> None:
        """Serve a field of these pages and of one attachment."""
        super().__init__(**others)
        self.pages = pages
        files = {name: as_bytes(text) for name, text in pages.items()} | {"plan.bin": b"\x00\x01"}
        for name, data in files.items():
            kind = MARKDOWN if name.endswith(".md") else "application/octet-stream"
            self.files[f"/{name}"] = good(data, kind)
        self.files["/"] = self.files["/index.md"]
        self.files["/memoryfield.zip"] = good(archive(files), "application/zip")
        self.answers["/search"] = self.search
        with memory_field(files) as field:
            self.digest = field.digest()

    def __enter__(self) -> Self:
        return self

    def search(self, request: Request) -> Reply:
        """What a search without an index finds."""
        query = parse_qs(request.query, keep_blank_values=True)["q"][0]
        return as_json({"results": list(self.results(query))})

    def results(self, query: str) -> Iterator[dict[str, Any]]:
        """The results for a query."""
        with memory_field({name: as_bytes(text) for name, text in self.pages.items()}) as field:
            for one in map(field.page, field.pages):
                if any(query.casefold() in text.casefold() for text in searched(one)):
                    fields = dict(one.frontmatter.fields) or None
                    yield {"filename": one.name, "frontmatter": fields, "score": 1}

    def change(self, path: str, change: Change) -> None:
        """From now on, change the answers for a decoded path; "*" for every one."""

        def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
            return change(request, reply)

        self.fail(path, fault, times=None)

    def changed_query(self, change: Callable[[str], Reply | None]) -> None:
        """From now on, answer searches otherwise where that says how."""

        def search(request: Request) -> Reply:
            query = parse_qs(request.query, keep_blank_values=True)["q"][0]
            return change(query) or self.search(request)

        self.answers["/search"] = search

    @staticmethod
    def files_of(pages: Mapping[str, str]) -> Served:
        """An archive of other pages."""
        files = {name: as_bytes(text) for name, text in pages.items()} | {"plan.bin": b"\x00\x01"}
        return good(archive(files), "application/zip")

    @property
    def root(self) -> str:
        """The address of the field."""
        return self.url("/")

    def check(self, *select: str, **others: Any) -> Report:
        """What is found."""
        options = {"timeout": 5, "retries": 0, "anon": True}
        options |= others.pop("storage_options", {})
        return check_server(self.root, select=select or None, storage_options=options, **others)


def good(data: bytes, kind: str) -> Served:
    """A file with the tag that it should have."""
    return Served(data, kind, f'"{hashlib.sha256(data).hexdigest()}"')


def searched(one: Page) -> Iterator[str]:
    """What of a page a search looks at."""
    yield one.name
    for name in ("title", "summary"):
        yield one.frontmatter.text(name) or ""


def as_json(value: object) -> Reply:
    """An answer in JSON, which may hold what is none."""
    return Reply(200, {"Content-Type": "application/json"}, json.dumps(value).encode())


def html(text: str, status: int = 200) -> Reply:
    """A page in HTML."""
    body = f"<!DOCTYPE html><html><head><title>x</title></head><body>{text}</body></html>"
    return Reply(status, {"Content-Type": "text/html"}, body.encode())


def decoded(request: Request) -> str:
    """The path that was asked for, decoded as often as it can be."""
    path = request.path
    while (once := unquote(path)) != path:
        path = once
    return path


@contextmanager
def served_field(**others: Any) -> Iterator[ServedField]:
    """A server, which has ended when this is left."""
    with ServedField(**others) as server:
        yield server

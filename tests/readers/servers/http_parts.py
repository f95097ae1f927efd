"""Requests and replies of the test servers, and what HTTP says of ranges and conditions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus

A_DATE = formatdate(1_735_689_600, usegmt=True)
"""The time of the last change of what says none: 1 January 2025."""

ETAG_OF_BYTES = "of-bytes"

_ONE_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True, slots=True)
class Served:
    """A file that a server has.

    Attributes:
        body: its bytes.
        content_type: what is said of its kind.
        etag: its entity tag with its quotes; the constant for one made of the bytes; None for none.
        modified: its Last-Modified; None for none.
        ranges: whether the server answers with parts of it.
    """

    body: bytes
    content_type: str = "application/octet-stream"
    etag: str | None = ETAG_OF_BYTES
    modified: str | None = A_DATE
    ranges: bool = True

    @property
    def tag(self) -> str | None:
        """The entity tag that is sent."""
        if self.etag == ETAG_OF_BYTES:
            return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'
        return self.etag


@dataclass(slots=True)
class Request:
    """A request as it came.

    Attributes:
        method: such as "GET".
        path: the path as it was sent, percent-encoded and without the query.
        query: what stands behind the question mark.
        headers: by names in lower case.
        connection: the number of the connection, from 1, in the order in which they were accepted.
        body: what came with it.
        sent: the bytes of the body that went out in answer, after any encoding.
        status: the status of the answer; 0 where there was none.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    connection: int
    body: bytes = b""
    sent: int = 0
    status: int = 0


@dataclass(slots=True)
class Reply:
    """A reply to be sent; a fault may change any of it.

    Attributes:
        status: such as 200.
        headers: by names as they are sent; the length is added when it is sent.
        body: its bytes.
        length: the length that is announced; None for that of the body.
        announced: whether a length is announced at all; if not, the connection is closed.
        close: whether the connection is closed behind it.
        chunked: whether the body is sent in chunks, without a length.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    length: int | None = None
    announced: bool = True
    close: bool = False
    chunked: bool = False

    @property
    def reason(self) -> str:
        """The words behind the status."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return "Unknown"


def answer(request: Request, served: Served | None) -> Reply:
    """What a good server says to a request for a file, or for one that is not there."""
    if served is None:
        return Reply(404, {"Content-Type": "text/plain"}, b"no such file\n")
    if request.method not in ("GET", "HEAD"):
        return Reply(405, {"Allow": "GET, HEAD"}, b"")
    known = {"ETag": served.tag, "Last-Modified": served.modified}
    headers = {name: value for name, value in known.items() if value is not None}
    early = _condition(request, served)
    if early is not None:
        return Reply(early, headers)
    headers["Content-Type"] = served.content_type
    if served.ranges:
        headers["Accept-Ranges"] = "bytes"
        part = _wanted(request, served)
        if part is not None:
            return _part(served, part, headers)
    return Reply(200, headers, served.body)


def content_range(start: int, end: int, size: int) -> str:
    """The text that names the bytes from `start` up to `end`."""
    return f"bytes {start}-{end - 1}/{size}"


def _condition(request: Request, served: Served) -> int | None:
    """The status that a condition of the request asks for in place of the file."""
    wanted = request.headers.get("if-match")
    if wanted is not None and wanted != "*":
        strong = served.tag is not None and not served.tag.startswith("W/")
        if not strong or served.tag not in _tags(wanted):
            return 412
    elif request.headers.get("if-unmodified-since", served.modified) != served.modified:
        return 412
    known = request.headers.get("if-none-match")
    if known is not None:
        weak = {tag.removeprefix("W/") for tag in _tags(known)}
        same = served.tag is not None and served.tag.removeprefix("W/") in weak
        return 304 if known == "*" or same else None
    since = request.headers.get("if-modified-since")
    return 304 if since is not None and since == served.modified else None


def _tags(text: str) -> set[str]:
    return {tag.strip() for tag in text.split(",")}


def _wanted(request: Request, served: Served) -> tuple[int, int] | None:
    """The range that is asked for: its start and end, both clipped; None for the whole file."""
    match = _ONE_RANGE.fullmatch(request.headers.get("range", ""))
    only_if = request.headers.get("if-range")
    if match is None or request.method != "GET" or match[0] == "bytes=-":
        return None
    if only_if is not None and (only_if.startswith("W/") or only_if not in (
        served.tag, served.modified
    )):  # fmt: skip
        return None
    size = len(served.body)
    if not match[1]:
        return max(0, size - int(match[2])), size
    return int(match[1]), min(size, int(match[2]) + 1) if match[2] else size


def _part(served: Served, part: tuple[int, int], headers: dict[str, str]) -> Reply:
    start, end = part
    size = len(served.body)
    if start >= end:
        return Reply(416, {"Content-Range": f"bytes */{size}"}, b"")
    headers["Content-Range"] = content_range(start, end, size)
    return Reply(206, headers, served.body[start:end])

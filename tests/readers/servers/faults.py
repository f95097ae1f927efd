"""What the HTTP server of the tests can do wrong, each as a fault that it takes."""

from __future__ import annotations

import base64
import gzip
import zlib
from dataclasses import replace

from tests.readers.servers.faulty_http import Fault, Wire, head_of
from tests.readers.servers.http_parts import Reply, Request, content_range

LOGIN_PAGE = (
    b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Sign in</body></html>\n"
)


def status(code: int, **headers: str) -> Fault:
    """An answer with another status; underscores in names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return Reply(code, {"Content-Type": "text/plain", **named}, b"failed on command\n")

    return fault


def said(code: int, page: bytes) -> Fault:
    """An answer with another status, and a page in HTML that says something of it."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return Reply(code, {"Content-Type": "text/html"}, page)

    return fault


def as_status(code: int) -> Fault:
    """The same answer under another status."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return replace(reply, status=code)

    return fault


def redirect(to: str, code: int = 302) -> Fault:
    """A redirect to a URL or path; one to the path itself, for ever, is a loop."""
    return status(code, Location=to)


def cut(most: int) -> Fault:
    """The whole length is announced, a part of the body is sent, and the connection closed."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return replace(reply, body=reply.body[:most], length=len(reply.body), close=True)

    return fault


def cut_without_length(most: int) -> Fault:
    """A part of the body is sent, without a length, and the connection closed."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return replace(reply, body=reply.body[:most], announced=False)

    return fault


def without_length(request: Request, reply: Reply, wire: Wire) -> Reply:
    """No length is announced; the body is whole, and the connection closed behind it."""
    return replace(reply, announced=False)


def chunked(request: Request, reply: Reply, wire: Wire) -> Reply:
    """The body is sent in chunks."""
    return replace(reply, chunked=True)


def cut_in_chunks(most: int) -> Fault:
    """The body is sent in chunks, and the connection closed before the last one."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return replace(reply, body=reply.body[:most], chunked=True, close=True)

    return fault


def with_headers(**headers: str | None) -> Fault:
    """Other headers, or with None fewer; underscores in names stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        merged: dict[str, str | None] = {**reply.headers, **named}
        return replace(reply, headers={n: v for n, v in merged.items() if v is not None})

    return fault


def other_range(start: int, end: int, size: int) -> Fault:
    """A 206 with these bytes, said to be of a file of that size, whatever was asked for."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        headers = {**reply.headers, "Content-Range": content_range(start, end, size)}
        return replace(reply, status=206, headers=headers, body=bytes(end - start))

    return fault


def shorter_range(fewer: int) -> Fault:
    """A 206 with fewer bytes at its end than were asked for, as its Content-Range says."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        start, size = reply.headers["Content-Range"].removeprefix("bytes ").split("-", 1)
        end = int(start) + len(reply.body) - fewer
        span = content_range(int(start), end, int(size.split("/")[1]))
        headers = {**reply.headers, "Content-Range": span}
        return replace(reply, headers=headers, body=reply.body[:-fewer])

    return fault


def less_than_it_says(fewer: int) -> Fault:
    """Fewer bytes at the end of the body, with their own length; all else is as before."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        return replace(reply, body=reply.body[:-fewer])

    return fault


def multipart(request: Request, reply: Reply, wire: Wire) -> Reply:
    """The range as the only part of a multipart/byteranges."""
    part = reply.headers["Content-Range"].encode()
    body = b"--limit\r\nContent-Type: text/plain\r\nContent-Range: %b\r\n\r\n%b\r\n--limit--\r\n"
    headers = {n: v for n, v in reply.headers.items() if n != "Content-Range"}
    headers["Content-Type"] = "multipart/byteranges; boundary=limit"
    return replace(reply, headers=headers, body=body % (part, reply.body))


def gzipped(request: Request, reply: Reply, wire: Wire) -> Reply:
    """The body compressed, as if the client had asked for it, with the length of what is sent."""
    headers = {**reply.headers, "Content-Encoding": "gzip"}
    return replace(reply, headers=headers, body=gzip.compress(reply.body, mtime=0))


def gzip_bomb(size: int) -> Fault:
    """A body that is small as it is sent, and has so many bytes when it is inflated."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        pieces = [packer.compress(bytes(min(1 << 20, size - at))) for at in range(0, size, 1 << 20)]
        body = b"".join([*pieces, packer.flush()])
        return replace(reply, headers={**reply.headers, "Content-Encoding": "gzip"}, body=body)

    return fault


def login_page(request: Request, reply: Reply, wire: Wire) -> Reply:
    """A page in HTML with status 200, as if it were the file."""
    return Reply(200, {"Content-Type": "text/html; charset=utf-8"}, LOGIN_PAGE)


def basic(user: str, password: str) -> Fault:
    """Demands Basic credentials; a request that has them is answered well."""
    wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        if request.headers.get("authorization") == wanted:
            return reply
        return Reply(401, {"WWW-Authenticate": 'Basic realm="test"'}, b"who are you?\n")

    return fault


def drip(seconds: float, piece: int = 1) -> Fault:
    """The headers at once, then the body in small pieces with a pause before each."""

    def fault(request: Request, reply: Reply, wire: Wire) -> None:
        wire.send(head_of(request, replace(reply, close=True)))
        _drip(reply.body, seconds, piece, wire)

    return fault


def drip_headers(seconds: float, piece: int = 1) -> Fault:
    """All, headers included, in small pieces with a pause before each."""

    def fault(request: Request, reply: Reply, wire: Wire) -> None:
        whole = head_of(request, replace(reply, close=True)) + reply.body
        _drip(whole, seconds, piece, wire)

    return fault


def _drip(data: bytes, seconds: float, piece: int, wire: Wire) -> None:
    for at in range(0, len(data), piece):
        wire.pause(seconds)
        wire.send(data[at : at + piece])


def silence(request: Request, reply: Reply, wire: Wire) -> None:
    """Nothing at all, and the connection stays open."""
    wire.hold()


def silence_after(most: int) -> Fault:
    """The headers and so many bytes of the body; then nothing, and the connection stays open."""

    def fault(request: Request, reply: Reply, wire: Wire) -> None:
        wire.send(head_of(request, reply) + reply.body[:most])
        wire.hold()

    return fault


def reset(request: Request, reply: Reply, wire: Wire) -> None:
    """The connection is broken before a byte of an answer."""
    wire.reset()


def reset_after(most: int) -> Fault:
    """The headers and so many bytes of the body; then the connection is broken."""

    def fault(request: Request, reply: Reply, wire: Wire) -> None:
        wire.send(head_of(request, reply) + reply.body[:most])
        wire.reset()

    return fault


def endless(most: int, sent: list[int]) -> Fault:
    """The body without a length, and then nothing but bytes; what went out of them is counted.

    Arguments:
        most: how many more bytes there are: the end of what would have none.
        sent: takes the length of each piece.
    """

    def fault(request: Request, reply: Reply, wire: Wire) -> None:
        wire.send(head_of(request, replace(reply, announced=False)) + reply.body)
        while sum(sent) < most:
            wire.send(bytes(64 * 1024))
            sent.append(64 * 1024)
        wire.end()

    return fault


def breaks_off_halfway(least: int) -> Fault:
    """Of each body of so many bytes, the second half never comes."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        size = len(reply.body)
        if size < least:
            return reply
        return replace(reply, body=reply.body[: size // 2], length=size, close=True)

    return fault


def hang_up(request: Request, reply: Reply, wire: Wire) -> None:
    """The connection is closed before a byte of an answer."""
    wire.end()


def garbage(request: Request, reply: Reply, wire: Wire) -> None:
    """What is no answer of HTTP."""
    wire.send(b"\x00\xff220 mail.example ESMTP\r\n\r\n" * 4)


def huge_header(size: int) -> Fault:
    """One header of so many bytes."""
    return with_headers(X_Filler="x" * size)


def many_headers(count: int) -> Fault:
    """So many headers."""
    return with_headers(**{f"X_Filler_{number}": "x" for number in range(count)})


def informational_flood(count: int | None, interim: str = "100 Continue") -> Fault:
    """So many interim answers before the real one; None: without an end."""

    def fault(request: Request, reply: Reply, wire: Wire) -> Reply:
        one = f"HTTP/1.1 {interim}\r\n\r\n".encode()
        sent = 0
        while count is None or sent < count:
            many = 100 if count is None else min(100, count - sent)
            wire.send(one * many)
            sent += many
        return reply

    return fault

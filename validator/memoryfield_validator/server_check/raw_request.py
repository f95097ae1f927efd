"""Requests that no ordinary client sends, since it would tidy the path first."""

from __future__ import annotations

import http.client
import io
import re
import socket
import time
from collections.abc import Mapping
from contextlib import closing
from typing import NamedTuple
from urllib.request import getproxies, proxy_bypass

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.http.trust import tls_context
from memoryfield_readers.http.urls import port_of, taken_apart

_PIECE = 64 * 1024
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,12})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"


class RawAnswer(NamedTuple):
    """What came on the connection.

    Attributes:
        status: the number; None where what came is no HTTP, or the connection was closed.
        headers: by their names in lower case.
        body: the body, or the beginning of it.
        late: whether the answer did not come to its end in time.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    late: bool


def behind_proxy(url: str) -> bool:
    """Whether the settings of this machine put a proxy before the host of a URL."""
    parts = taken_apart(url)
    is_set = {parts.scheme, "all"} & set(getproxies())
    return bool(is_set) and not proxy_bypass(parts.hostname or "")


def raw_get(
    url: str, target: str, headers: Mapping[str, str], *, seconds: float, most: int
) -> RawAnswer:
    """Send a GET on a connection of its own, with the path exactly as it is given.

    Arguments:
        url: whom to ask: scheme, host and port count.
        target: the path of the request, in ASCII without blanks.
        headers: beside `Host` and `Connection`.
        seconds: for the connection, and again for the whole answer.
        most: bytes that are read, headers included.

    Raises:
        SourceUnavailable: there is no connection.
    """
    parts = taken_apart(url)
    lines = [f"GET {target} HTTP/1.1", f"Host: {parts.netloc}", "Connection: close", "Accept: */*"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    request = "\r\n".join([*lines, "", ""]).encode("latin-1")
    try:
        connected = socket.create_connection((parts.hostname or "", port_of(parts)), seconds)
    except OSError as error:
        raise SourceUnavailable(f"no connection: {error.strerror or 'no answer'}") from None
    with closing(connected):
        try:
            if parts.scheme == "https":
                context = tls_context()
                connected = context.wrap_socket(connected, server_hostname=parts.hostname)
            with closing(connected):
                connected.sendall(request)
                data, late = _received(connected, seconds, most)
        except OSError:  # closed by the other side, which is an answer of a kind
            return RawAnswer(None, {}, b"", late=False)
    return _read(data, late=late)


def _received(connected: socket.socket, seconds: float, most: int) -> tuple[bytes, bool]:
    """What comes until the answer is whole, too long or too late, and whether it is too late."""
    until = time.monotonic() + seconds
    data = bytearray()
    while len(data) < most and not _is_whole(data):
        left = until - time.monotonic()
        if left <= 0:
            return bytes(data), True
        connected.settimeout(left)
        try:
            piece = connected.recv(min(_PIECE, most - len(data)))
        except TimeoutError:
            return bytes(data), True
        except OSError:  # reset, perhaps behind an answer
            break
        if not piece:
            break
        data += piece
    return bytes(data), False


def _is_whole(data: bytearray) -> bool:
    """Whether an answer has come to its end, by what its headers say."""
    end = data.find(_HEAD_END, 0, _PIECE)
    if end < 0:
        return False
    head = bytes(data[: end + 2])
    length = _LENGTH.search(head)
    if length is not None:
        return len(data) >= end + len(_HEAD_END) + int(length[1])
    return _CHUNKED.search(head) is not None and data.endswith(b"\r\n0\r\n\r\n")


class _Bytes:
    """What `http.client` takes for a socket."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)


def _read(data: bytes, *, late: bool) -> RawAnswer:
    response = http.client.HTTPResponse(_Bytes(data), method="GET")  # type: ignore[arg-type]
    try:
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
    except (http.client.HTTPException, ValueError, OSError):
        response.close()
        return RawAnswer(None, {}, b"", late)
    try:
        body = response.read()
    except http.client.IncompleteRead as error:
        body = error.partial
    except (http.client.HTTPException, ValueError):
        body = b""
    finally:
        response.close()
    return RawAnswer(response.status, headers, body, late)

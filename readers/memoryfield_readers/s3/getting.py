"""The bytes of an object, or of a range of it, and what is told of it beside them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..transfer.sink import Sink
from .failures import NoStore, OddAnswer
from .recognition import is_web_page

_PIECE_BYTES = 256 * 1024
_SLOWEST = 16 * 1024
"""Bytes a second: at this rate a transfer is worth waiting for."""

_RANGE = re.compile(r"bytes ([0-9]{1,19})-([0-9]{1,19})/([0-9]{1,19})")
_AWS = re.compile(r"[a-z0-9.-]+\.amazonaws\.com(?:\.cn)?")


class Answer(NamedTuple):
    """What an answer says of an object.

    Attributes:
        size: bytes of the whole object.
        start: the first byte that the answer gives.
        end: the byte after the last one that it gives.
        ranged: whether it gives a range, as was asked for.
        etag: the mark of this version of the object, "" for none. It is no hash of its content.
        version: the id of its version in a bucket that has them.
        modified_ns: when it was written, in nanoseconds since 1970-01-01T00:00:00Z.
    """

    size: int
    start: int
    end: int
    ranged: bool
    etag: str
    version: str | None
    modified_ns: int | None


async def asked(
    method: Callable[..., Awaitable[Any]], wanted: Mapping[str, Any], timeout: float
) -> Any:
    """The answer to one request, parsed by botocore.

    Raises:
        OddAnswer: it holds a number or a date that is none, or not what it must hold.
    """
    try:
        async with asyncio.timeout(timeout):
            return await method(**wanted)
    except (ValueError, OverflowError, KeyError):
        raise OddAnswer("the store gives an answer that cannot be understood") from None


async def get(
    client: Any, wanted: Mapping[str, Any], sink: Callable[[Answer], Sink], timeout: float
) -> Answer:
    """Put an object, or a range of it, into a sink.

    Arguments:
        client: of botocore.
        wanted: the parameters of `get_object`.
        sink: where the bytes go, once it is known what they are.
        timeout: see `TransferOptions`.

    Raises:
        OddAnswer: not so many bytes came as were announced, or it is not said how many come;
            or it is no store that answers.
        TimeoutError: the answer did not begin in time, or came too slowly.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + timeout
    if _is_aws(client):
        wanted = {**wanted, "ChecksumMode": "ENABLED"}
    got = await asked(client.get_object, wanted, timeout)
    body = got["Body"]
    taken = 0
    try:
        answer = _said(got)
        target = sink(answer)
        target.restart()
        while True:
            async with asyncio.timeout_at(deadline + taken / _SLOWEST):
                piece = await body.read(_PIECE_BYTES)
            if not piece:
                break
            taken += len(piece)
            target.write(piece)
    finally:
        body.close()  # one that was not read to its end takes its connection with it
    if taken != answer.end - answer.start:
        raise OddAnswer("the store gives another number of bytes than it announced")
    return answer


async def head(client: Any, wanted: Mapping[str, Any], timeout: float) -> Answer:
    """What is told of an object, without its bytes; see `get`."""
    return _said(await asked(client.head_object, wanted, timeout))


def nanoseconds(moment: object) -> int | None:
    """A time that botocore parsed, in nanoseconds since 1970-01-01T00:00:00Z."""
    if not isinstance(moment, datetime):
        return None
    try:
        seconds = int(moment.replace(microsecond=0).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return seconds * 1_000_000_000 + moment.microsecond * 1_000


def _said(got: Mapping[str, Any]) -> Answer:
    if not got.get("ETag") and is_web_page(got.get("ContentType")):
        raise NoStore  # a store marks each object
    length = got.get("ContentLength")
    if not isinstance(length, int) or length < 0:
        raise OddAnswer("the store does not say how long the object is")
    start, size, ranged = 0, length, False
    if got.get("ContentRange") is not None:
        match = _RANGE.fullmatch(str(got["ContentRange"]))
        if match is None or int(match[2]) + 1 - int(match[1]) != length:
            raise OddAnswer("the store gives a range that makes no sense")
        start, size, ranged = int(match[1]), int(match[3]), True
    version = got.get("VersionId")
    return Answer(
        size,
        start,
        start + length,
        ranged,
        str(got.get("ETag") or ""),
        None if version in (None, "", "null") else str(version),
        nanoseconds(got.get("LastModified")),
    )


def _is_aws(client: Any) -> bool:
    """Whether the store is that of AWS itself, which proves what it sends by checksums."""
    host = urlsplit(client.meta.endpoint_url).hostname or ""
    return _AWS.fullmatch(host) is not None

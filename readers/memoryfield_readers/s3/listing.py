"""The objects below a prefix as entries, listed page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from ..display import shown
from ..entry import Entry, EntryKind
from ..errors import LimitExceeded, NotFound, SourceUnavailable
from ..limits import Limits, raise_limit
from ..sources.plain_paths import is_plain
from .getting import asked, nanoseconds
from .session import S3Session

_CIRCLE = "the store's listing goes in a circle"
_MOST_EMPTY_PAGES = 100
_TIME_OF_A_PAGE = 64.0
"""Seconds more than the time-out for a page of the listing: 1 MiB at the slowest rate."""


class Listed(NamedTuple):
    """What a listing gave.

    Attributes:
        entries: the files, by their path below the prefix.
        etags: the marks of their versions; a path that has none is missing.
        notes: what was not listed, and why.
    """

    entries: Mapping[str, Entry]
    etags: Mapping[str, str]
    notes: tuple[str, ...]


def left_out(paths: list[str]) -> tuple[str, ...]:
    """The note on keys that are no paths, if there are any."""
    if not paths:
        return ()
    count = "1 object is" if len(paths) == 1 else f"{len(paths)} objects are"
    return (f"{count} left out whose key is no path, such as {shown(paths[0])}",)


def listed(session: S3Session, bucket: str, prefix: str, limits: Limits, timeout: float) -> Listed:
    """All objects below a prefix.

    Arguments:
        session: the connection.
        bucket: its name.
        prefix: empty, or ending in "/".
        limits: `entries` bounds how many there may be.
        timeout: seconds for one page of the listing to begin.

    Raises:
        NotFound: no key begins with the prefix, or there is no such bucket.
        AccessDenied: the bucket may not be listed.
        SourceUnavailable: a page of the listing comes again, or does not say how to go on.
        LimitExceeded: there are too many.
    """
    entries: dict[str, Entry] = {}
    etags: dict[str, str] = {}
    unsafe: list[str] = []
    keys: set[str] = set()
    tokens: set[str] = set()
    empty = 0
    wanted: dict[str, Any] = {"Bucket": bucket, "Prefix": prefix, **session.payer}
    while True:
        page = session.run(_page(dict(wanted), timeout))
        objects = page.get("Contents", [])
        if len(keys) + len(objects) > limits.entries:
            raise LimitExceeded(f"more than {limits.entries} entries", hint=raise_limit("entries"))
        for found in objects:
            key = str(found.get("Key", ""))
            # Not every kind of bucket is listed in an order, but each lists a key once.
            if key in keys:
                raise SourceUnavailable(_CIRCLE)
            keys.add(key)
            if not key.startswith(prefix):
                unsafe.append(key)  # what was not asked for
                continue
            path = key[len(prefix) :]
            if path.endswith("/") or not path:
                continue  # the mark of a folder, as browsers make it
            if not is_plain(path):
                unsafe.append(path)
                continue
            written = nanoseconds(found.get("LastModified"))
            entries[path] = Entry(path, EntryKind.FILE, max(0, int(found.get("Size", 0))), written)
            if found.get("ETag"):
                etags[path] = str(found["ETag"])
        empty = 0 if objects else empty + 1
        token = page.get("NextContinuationToken")
        if not page.get("IsTruncated"):
            break
        if not token:
            raise SourceUnavailable("the store says that there is more, but not how to list it")
        if token in tokens:
            raise SourceUnavailable(_CIRCLE)
        tokens.add(token)
        wanted["ContinuationToken"] = token
        if empty > _MOST_EMPTY_PAGES:
            raise SourceUnavailable("the store's listing does not come to an end")
    if not keys and prefix:
        raise NotFound("there is no object below this prefix")
    return Listed(entries, etags, left_out(unsafe))


def _page(wanted: Mapping[str, Any], timeout: float) -> Callable[[Any], Awaitable[Any]]:
    """The work of asking for one page of the listing."""

    async def ask(client: Any) -> Any:
        return await asked(client.list_objects_v2, wanted, timeout + _TIME_OF_A_PAGE)

    return ask

"""The objects below a prefix as entries, listed page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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


class Listing(NamedTuple):
    """What a listing says of one object.

    Attributes:
        key: its key, which may be any text.
        size: its bytes.
        etag: the mark of its version, "" for none. It is no hash of its content.
        modified_ns: when it was written, in nanoseconds since 1970-01-01T00:00:00Z, if that is
            known.
    """

    key: str
    size: int
    etag: str
    modified_ns: int | None


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
    for objects in pages(session, bucket, prefix, timeout):
        if len(keys) + len(objects) > limits.entries:
            raise LimitExceeded(f"more than {limits.entries} entries", hint=raise_limit("entries"))
        for found in objects:
            # Not every kind of bucket is listed in an order, but each lists a key once.
            if found.key in keys:
                raise SourceUnavailable(_CIRCLE)
            keys.add(found.key)
            if not found.key.startswith(prefix):
                unsafe.append(found.key)  # what was not asked for
                continue
            path = found.key[len(prefix) :]
            if path.endswith("/") or not path:
                continue  # the mark of a folder, as browsers make it
            if not is_plain(path):
                unsafe.append(path)
                continue
            entries[path] = Entry(path, EntryKind.FILE, found.size, found.modified_ns)
            if found.etag:
                etags[path] = found.etag
    if not keys and prefix:
        raise NotFound("there is no object below this prefix")
    return Listed(entries, etags, left_out(unsafe))


def pages(
    session: S3Session, bucket: str, prefix: str, timeout: float, *, delimiter: str = ""
) -> Iterator[Sequence[Listing]]:
    """The objects whose keys begin with a prefix, a page of at most a thousand at a time.

    A page is asked for when it is wanted, and nothing is kept of those before it: a bucket may be
    as large as it likes. Most buckets give their keys in the order of their bytes, not all do.

    Arguments:
        session: the connection.
        bucket: its name.
        prefix: what the keys begin with.
        timeout: seconds for one page of the listing to begin.
        delimiter: a character; keys that have it behind the prefix are left out then.

    Raises:
        NotFound: there is no such bucket.
        AccessDenied: the bucket may not be listed.
        SourceUnavailable: the listing goes in a circle, or does not say how to go on.
    """
    wanted: dict[str, Any] = {"Bucket": bucket, "Prefix": prefix, **session.payer}
    if delimiter:
        wanted["Delimiter"] = delimiter
    # Of all that was seen one mark and one key are kept, later ones each time that the number of
    # pages doubles: a circle of any length is noticed, and that takes no memory (Brent's way).
    kept, kept_key, number, next_kept = "", None, 0, 1
    empty = 0
    while True:
        page = session.run(_page(dict(wanted), timeout))
        objects = [_listing(each) for each in page.get("Contents", [])]
        if any(each.key == kept_key for each in objects):
            raise SourceUnavailable(_CIRCLE)
        yield objects
        empty = 0 if objects or page.get("CommonPrefixes") else empty + 1
        token = page.get("NextContinuationToken")
        if not page.get("IsTruncated"):
            return
        if not token:
            raise SourceUnavailable("the store says that there is more, but not how to list it")
        if token == kept:
            raise SourceUnavailable(_CIRCLE)
        number += 1
        if number == next_kept:
            kept, next_kept = token, 2 * next_kept
            kept_key = objects[0].key if objects else kept_key
        wanted["ContinuationToken"] = token
        if empty > _MOST_EMPTY_PAGES:
            raise SourceUnavailable("the store's listing does not come to an end")


def _listing(found: Mapping[str, Any]) -> Listing:
    size = max(0, int(found.get("Size", 0)))
    written = nanoseconds(found.get("LastModified"))
    return Listing(str(found.get("Key", "")), size, str(found.get("ETag") or ""), written)


def _page(wanted: Mapping[str, Any], timeout: float) -> Callable[[Any], Awaitable[Any]]:
    """The work of asking for one page of the listing."""

    async def ask(client: Any) -> Any:
        return await asked(client.list_objects_v2, wanted, timeout + _TIME_OF_A_PAGE)

    return ask

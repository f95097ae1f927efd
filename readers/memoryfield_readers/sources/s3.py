"""Objects in S3, or in a store that speaks its language: a folder of them, or an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..entry import Entry, EntryKind
from ..errors import AccessDenied, LimitExceeded, NotFound, SourceChanged, SourceUnavailable
from ..limits import Limits, raise_limit
from ..locations.values import S3Location
from ..s3.connecting import new_session
from ..transfer.options import TransferOptions
from ..transfer.ranged import Tail
from ..transfer.sink import MemorySink, Sink
from .plain_paths import is_plain

if TYPE_CHECKING:
    from ..s3.getting import Answer

_AT_ONCE = 16
_REPLACED = "is another one than it was: it was replaced meanwhile"


class S3Prefix:
    """The objects below a prefix of a bucket; see `Store`."""

    at_once = _AT_ONCE
    resolved: str | None = None

    def __init__(
        self,
        location: S3Location,
        options: TransferOptions,
        limits: Limits,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        """Prepare to list the objects; no request is made yet.

        Arguments:
            location: the bucket and the prefix.
            options: how it is reached.
            limits: how many entries to take.
            names: what there is below the prefix, if that is known: the bucket is then never
                listed. Sizes and times are known once a file was read or asked about.

        Raises:
            LocationError: an option makes no sense.
            SourceUnavailable: s3fs is not installed.
        """
        self.notes: tuple[str, ...] = ()
        self._location = location
        self._limits = limits
        self._timeout = options.timeout
        self._names = None if names is None else tuple(dict.fromkeys(names))
        self._etags: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._session = new_session(options, location.shown)

    def listing(self) -> Sequence[Entry]:
        """Every object below the prefix that is no mark of a folder; see `Store.listing`."""
        from ..s3.listing import left_out, listed

        shown = self._location.shown
        if self._names is not None:
            if len(self._names) > self._limits.entries:
                what = f"more than {self._limits.entries} entries"
                raise LimitExceeded(what, location=shown, hint=raise_limit("entries"))
            self.notes = left_out([name for name in self._names if not is_plain(name)])
            return [Entry(name, EntryKind.FILE) for name in self._names if is_plain(name)]
        bucket, prefix = self._location.bucket, self._location.key
        try:
            found = listed(self._session, bucket, prefix, self._limits, self._timeout)
        except (SourceUnavailable, LimitExceeded) as error:
            error.location = error.location or shown
            raise
        self._etags = dict(found.etags)
        self._sizes = {path: entry.size for path, entry in found.entries.items()}
        self.notes = found.notes
        return list(found.entries.values())

    def save(self, entry: Entry, sink: Sink) -> Entry:
        """Put an object into a sink, if it is still the one that was listed; see `Store.save`."""
        from ..s3.getting import get

        etag = self._etags.get(entry.path, "")
        wanted = self._wanted(entry) | ({"IfMatch": etag} if etag else {})

        def checked(answer: Answer) -> Sink:
            # Not every store knows conditions.
            if etag and answer.etag and answer.etag != etag:
                raise SourceChanged(_REPLACED)
            if answer.size != self._sizes.get(entry.path, answer.size):
                raise SourceChanged("has another size than was listed: it was replaced meanwhile")
            return sink

        async def work(client: Any) -> Answer:
            return await get(client, wanted, checked, self._timeout)

        return _told(entry, self._session.run(work, entry.path))

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        """Nothing: S3 gives one object a request."""
        return iter(())

    def dated(self, entry: Entry) -> Entry:
        """The entry with size and time, asked for if it was not listed; see `Store.dated`."""
        from ..s3.getting import head

        if entry.modified_ns is not None:
            return entry

        async def work(client: Any) -> Answer:
            return await head(client, self._wanted(entry), self._timeout)

        return _told(entry, self._session.run(work, entry.path))

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _wanted(self, entry: Entry) -> dict[str, Any]:
        key = self._location.key + entry.path
        return {"Bucket": self._location.bucket, "Key": key, **self._session.payer}


class S3Object:
    """An archive in a bucket; see `RangedObject`."""

    at_once = _AT_ONCE
    came_from: str | None = None
    notes: tuple[str, ...] = ()

    def __init__(self, location: S3Location, options: TransferOptions) -> None:
        """Prepare to read; no request is made yet. Raises as `S3Prefix` does."""
        self.resolved: str | None = None
        self._location = location
        self._timeout = options.timeout
        self._first: Answer | None = None
        self._pinned = location.version
        self._session = new_session(options, location.shown)

    def tail(self, most: int, whole: Sink) -> Tail:
        """The end of the object, in one request; see `RangedObject.tail`."""
        from botocore.exceptions import ClientError  # type: ignore[import-untyped]

        from ..s3.failures import OddAnswer
        from ..s3.getting import get

        part = MemorySink(most)

        def chosen(answer: Answer) -> Sink:
            if not answer.ranged:
                return whole
            if (answer.start, answer.end) != (max(0, answer.size - most), answer.size):
                raise OddAnswer("the store gives another range than it was asked for")
            return part

        async def work(client: Any) -> Answer:
            wanted = self._wanted()
            try:
                ranged = {**wanted, "Range": f"bytes=-{most}"}
                return await get(client, ranged, chosen, self._timeout)
            except ClientError as error:
                if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") != 416:
                    raise
            return await get(client, wanted, chosen, self._timeout)  # an empty object has no range

        answer = self._session.run(work)
        self._first = answer
        if answer.version is not None:
            version = quote(answer.version, safe="")
            self.resolved = f"s3://{self._location.bucket}/{self._location.key}?versionId={version}"
        return Tail(answer.size, part.data, whole=not answer.ranged)

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put a range of the same version of the object into a sink; see `RangedObject.save`."""
        try:
            self._save(start, end, sink)
        except (SourceChanged, NotFound) as error:
            # A bucket that keeps versions still has the one whose end was read.
            version = None if self._first is None else self._first.version
            if version is None or self._location.version is not None:
                raise
            self._pinned = version
            try:
                self._save(start, end, sink)
            except (NotFound, AccessDenied):
                raise error from None

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _save(self, start: int, end: int, sink: Sink) -> None:
        from ..s3.failures import OddAnswer
        from ..s3.getting import get

        first = self._first
        wanted = self._wanted()
        if first is not None and first.etag:
            wanted["IfMatch"] = first.etag
        if first is None or (start, end) != (0, first.size):
            wanted["Range"] = f"bytes={start}-{end - 1}"

        def checked(answer: Answer) -> Sink:
            if first is not None and _marks(answer) != _marks(first):
                raise SourceChanged(_REPLACED)
            if (answer.start, answer.end) != (start, end):
                raise OddAnswer("the store gives another range than it was asked for")
            return sink

        async def work(client: Any) -> Answer:
            return await get(client, wanted, checked, self._timeout)

        self._session.run(work)

    def _wanted(self) -> dict[str, Any]:
        version = {} if self._pinned is None else {"VersionId": self._pinned}
        return {
            "Bucket": self._location.bucket,
            "Key": self._location.key,
            **version,
            **self._session.payer,
        }


def _told(entry: Entry, answer: Answer) -> Entry:
    """An entry with what an answer says of it."""
    modified = entry.modified_ns if entry.modified_ns is not None else answer.modified_ns
    return entry._replace(size=answer.size, modified_ns=modified)


def _marks(answer: Answer) -> tuple[object, ...]:
    """What two answers share that are of the same version of an object."""
    if answer.etag:
        return (answer.size, answer.etag)
    return (answer.size, answer.modified_ns)

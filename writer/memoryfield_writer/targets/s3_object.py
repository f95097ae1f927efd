"""An object in S3, read whole and written only if it is still what was read.

A conditional PUT is compare-and-swap: the store itself compares and writes in one step, so that
nothing has to be locked, and nothing is left behind by a writer that died. A store that does not
know conditions refuses them (501), and nothing is written then; one that passes over them in
silence cannot be told from one that does not, and two writers may lose an edit there.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from memoryfield_readers import (
    AccessDenied,
    LimitExceeded,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
    Watch,
    unwatched,
)
from memoryfield_readers.locations import S3Location
from memoryfield_readers.s3.connecting import new_session
from memoryfield_readers.system_errors import reason_of
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import Bounded, announce, too_much

if TYPE_CHECKING:
    from memoryfield_readers.s3.getting import Answer

MOST_BYTES = 5 * 1024**3
"""Bytes that S3 takes in one request, and one it has to be: a condition is on a request."""

_CONTENT_TYPE = "application/zip"
_PIECE_BYTES = 1024 * 1024
_SLOWEST = 16 * 1024
"""Bytes a second: at this rate an upload is worth waiting for."""

_NOT_AS_EXPECTED = (409, 412)
_NO_CONDITIONS = 501
_MARK = "memoryfield-write"
_KEPT = (
    "CacheControl",
    "ContentDisposition",
    "ContentLanguage",
    "StorageClass",
    "ServerSideEncryption",
    "SSEKMSKeyId",
    "BucketKeyEnabled",
)
"""What is told of an object, and not of its content: how it is served, and kept."""


class Content(NamedTuple):
    """What is to be written.

    Attributes:
        file: its bytes, from the first to the last.
        size: how many.
        sha256: their SHA-256, in hexadecimal.
        md5: their MD5, in Base64: the store compares it, so that nothing is bent on the way.
    """

    file: IO[bytes]
    size: int
    sha256: str
    md5: str

    @classmethod
    def of(cls, file: IO[bytes]) -> Content:
        """All that a file holds.

        Raises:
            OSError: it cannot be read.
        """
        sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        size = 0
        file.seek(0)
        while piece := file.read(_PIECE_BYTES):
            sha256.update(piece)
            md5.update(piece)
            size += len(piece)
        return cls(file, size, sha256.hexdigest(), base64.b64encode(md5.digest()).decode("ascii"))


class Seen(NamedTuple):
    """An object as it is.

    Attributes:
        size: its bytes.
        etag: the mark of this version of it, "" where the store gives none.
        settings: how it is served and kept, as a write has to say it again.
        mark: that of the write that made it, "" for one that was not ours.
        has_metadata: whether it has metadata of its owner's, or tags, as far as the store says so.
    """

    size: int
    etag: str
    settings: Mapping[str, Any]
    mark: str
    has_metadata: bool


class S3Object:
    """One object; nothing of the connection is left after `close`.

    All that its methods raise is a `MemoryfieldError`, whose message holds no credential.
    """

    def __init__(self, location: S3Location, options: TransferOptions) -> None:
        """Prepare to read and write; no request is made yet.

        Raises:
            LocationError: an option makes no sense.
            SourceUnavailable: s3fs is not installed.
        """
        self._location = location
        self._timeout = options.timeout
        self._session = new_session(options, location.shown)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def fetch(self, file: IO[bytes], most: int, watch: Watch = unwatched) -> str:
        """Put all bytes into an empty file, and say what marks this version of them.

        Arguments:
            file: the file.
            most: how many to take.
            watch: is told how many have come.

        Raises:
            LimitExceeded: they are more than that.
            NotFound: it is not there.
            MemoryfieldError: it cannot be had.
        """
        return self._taken(_FileSink(file, most, watch)).etag

    def look(self) -> Seen | None:
        """What is told of the object; None where it is not there."""

        async def work(client: Any) -> Any:
            from memoryfield_readers.s3.getting import asked

            return await asked(client.head_object, self._wanted(), self._timeout)

        try:
            told = self._session.run(work)
        except NotFound:
            return None
        metadata = dict(told.get("Metadata") or {})
        mark = str(metadata.pop(_MARK, ""))
        return Seen(
            size=int(told.get("ContentLength") or 0),
            etag=str(told.get("ETag") or ""),
            settings={name: told[name] for name in _KEPT if told.get(name)},
            mark=mark,
            has_metadata=bool(metadata or told.get("TagCount")),
        )

    def has(self, content: Content) -> bool:
        """Whether it holds just these bytes; an ETag tells nothing of what an object holds."""
        seen = self.look()
        if seen is None or seen.size != content.size:
            return False
        sink = _HashSink(content.size)
        try:
            self._taken(sink)
        except (NotFound, LimitExceeded):  # it was replaced at this moment
            return False
        return sink.digest.hexdigest() == content.sha256

    def put(self, content: Content, etag: str | None, settings: Mapping[str, Any]) -> bool:
        """Write the object if it is what it is thought to be.

        A write whose answer never came may have been done, and is sent again, by us or by a library
        on the way. So each write has a mark of its own among the metadata of the object, and what
        is refused is taken for somebody else's only if that mark is not there.

        Arguments:
            content: what it is to hold.
            etag: what marks the version that is replaced; None to write only if there is none.
            settings: as `look` gives them.

        Returns:
            Whether it holds that now; if not, something else was there, and still is.

        Raises:
            LimitExceeded: they are more bytes than S3 takes in one request.
            SourceUnavailable: it is not written, or nobody knows: the hint says so.
        """
        if content.size > MOST_BYTES:
            raise LimitExceeded(
                f"{content.size} bytes, and S3 takes at most {MOST_BYTES} in one request",
                location=self._location.shown,
            )
        mark = secrets.token_hex(16)
        condition = {"IfNoneMatch": "*"} if etag is None else {"IfMatch": etag}
        wanted = {
            **self._wanted(),
            **settings,
            **condition,
            "ContentType": _CONTENT_TYPE,
            "ContentLength": content.size,
            "ContentMD5": content.md5,
            "Metadata": {_MARK: mark},
        }
        sent = False

        async def work(client: Any) -> bool:
            nonlocal sent
            sent = True
            content.file.seek(0)
            seconds = self._timeout + content.size / _SLOWEST
            return await _written(client, {**wanted, "Body": content.file}, seconds)

        try:
            return self._session.run(work) or self._has_mark(mark)
        except (AccessDenied, NotFound):
            raise
        except SourceUnavailable as error:
            if sent and self._has_mark_after(error, mark):
                return True
            raise

    def _has_mark(self, mark: str) -> bool:
        seen = self.look()
        return seen is not None and seen.mark == mark

    def _has_mark_after(self, error: SourceUnavailable, mark: str) -> bool:
        """Whether it was written all the same; if not, the error's hint says what is known."""
        try:
            if self._has_mark(mark):
                return True
        except MemoryfieldError:
            error.hint = "it may have been written all the same: look at it before you try again"
        else:
            error.hint = error.hint or "it has not been written: try again"
        return False

    def _taken(self, sink: Bounded) -> Answer:
        from memoryfield_readers.s3.getting import get

        def chosen(answer: Answer) -> Bounded:
            announce(sink, answer.size)
            return sink

        async def work(client: Any) -> Answer:
            return await get(client, self._wanted(), chosen, self._timeout)

        return self._session.run(work)

    def _wanted(self) -> dict[str, Any]:
        where = {"Bucket": self._location.bucket, "Key": self._location.key}
        return {**where, **self._session.payer}


async def _written(client: Any, wanted: Mapping[str, Any], seconds: float) -> bool:
    """Whether one request has written an object; False where a condition does not hold.

    Raises:
        SourceUnavailable: the store does not know conditions.
        Exception: as `S3Session.run` explains it.
    """
    from botocore.exceptions import ClientError  # type: ignore[import-untyped]

    try:
        async with asyncio.timeout(seconds):
            await client.put_object(**wanted)
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        code = error.response.get("Error", {}).get("Code")
        if status in _NOT_AS_EXPECTED or code == "NoSuchKey":  # it was deleted meanwhile
            return False
        if status == _NO_CONDITIONS or code == "NotImplemented":
            raise SourceUnavailable(
                "the store does not know conditional writes: nothing was written",
                hint="copy the archive to this machine, edit it there, and put it back yourself",
            ) from None
        if status in (401, 403) and code in ("AccessDenied", "403", "401"):
            raise AccessDenied(
                f"may not be written ({code})", hint="to write is a right of its own (s3:PutObject)"
            ) from None
        raise
    return True


class _FileSink(Bounded):
    """A sink that is a file, which holds nothing yet."""

    def __init__(self, file: IO[bytes], most: int, watch: Watch) -> None:
        super().__init__(most, "total-bytes")
        self._file = file
        self._watch = watch
        self._size = 0

    def announced(self, size: int) -> None:
        """Hear how many bytes the object has."""
        self._size = size
        if size > self._most:
            raise too_much(self._most, self._limit)

    def _keep(self, piece: bytes) -> None:
        with on_disk():
            self._file.write(piece)
        self._watch("bytes", self.taken, self._size)

    def _forget(self) -> None:
        with on_disk():
            self._file.seek(0)
            self._file.truncate()


class _HashSink(Bounded):
    """A sink that keeps a hash alone.

    Attributes:
        digest: the SHA-256 of what was taken.
    """

    def __init__(self, most: int) -> None:
        super().__init__(most, "total-bytes")
        self.digest = hashlib.sha256()

    def _keep(self, piece: bytes) -> None:
        self.digest.update(piece)

    def _forget(self) -> None:
        self.digest = hashlib.sha256()


@contextmanager
def on_disk() -> Iterator[None]:
    """What the system says of a temporary file, as an error of ours.

    Raises:
        SourceUnavailable: it cannot be written or read.
    """
    try:
        yield
    except OSError as error:
        raise SourceUnavailable(
            f"the temporary file for the archive cannot be used: {reason_of(error)}",
            hint="TMPDIR names the folder for temporary files",
        ) from error

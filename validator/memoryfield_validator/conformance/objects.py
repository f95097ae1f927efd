"""Cases in a bucket of S3: each below a prefix of its own, which is removed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from memoryfield_readers import LocationError, NotFound
from memoryfield_readers.locations import S3Location, parse_location
from memoryfield_readers.s3.connecting import new_session
from memoryfield_readers.transfer.options import TransferOptions

from .case import Case
from .errors import CannotCarry
from .implementation import Elsewhere

_MOST_KEY_BYTES = 1024
_MOST_FOLDERS = 64
"""So deep a directory is looked into; S3 lists its keys without looking into anything."""

_AT_ONCE = 1000
"""So many objects are removed by one request."""


class Objects:
    """Objects below a prefix that somebody gave to be written to."""

    def __init__(self, prefix: Elsewhere) -> None:
        """Make a client; nothing is asked yet.

        Arguments:
            prefix: where to write, and how that is reached.

        Raises:
            LocationError: it is no prefix of S3, or an option makes no sense.
            SourceUnavailable: what is needed to talk to S3 is not installed.
        """
        location = parse_location(prefix.location)
        if not isinstance(location, S3Location) or location.is_archive:
            raise LocationError(
                "is no prefix of S3", location=location.shown, hint="write s3://bucket/prefix/"
            )
        self._bucket = location.bucket
        self._prefix = f"{location.key}conformance-{uuid4().hex[:12]}/"
        self._options = prefix.options
        self._session = new_session(TransferOptions.of(prefix.options), location.shown)

    @contextmanager
    def put(self, case: Case) -> Iterator[Elsewhere]:
        """See `Carrier.put`."""
        top = f"{self._prefix}{case.id}/"
        objects = dict(_objects(case, top))
        written: list[str] = []
        try:
            for key, data in objects.items():
                self._write(key, data)
                written.append(key)
            yield Elsewhere(f"s3://{self._bucket}/{top}", self._options)
        finally:
            self._remove(written)

    def close(self) -> None:
        """Close the client."""
        self._session.close()

    def _write(self, key: str, data: bytes) -> None:
        async def work(client: Any) -> None:
            await client.put_object(Bucket=self._bucket, Key=key, Body=data)

        try:
            self._session.run(work, key)
        except NotFound:
            if key.isprintable():
                raise  # there is no such bucket
            raise CannotCarry("this store takes no key with a control character") from None

    def _remove(self, keys: list[str]) -> None:
        for start in range(0, len(keys), _AT_ONCE):
            some = [{"Key": key} for key in keys[start : start + _AT_ONCE]]

            async def work(client: Any, some: list[dict[str, str]] = some) -> None:
                await client.delete_objects(Bucket=self._bucket, Delete={"Objects": some})

            self._session.run(work)


def _objects(case: Case, top: str) -> Iterator[tuple[str, bytes]]:
    """The objects of a case, by their keys."""
    if not case.files:
        raise CannotCarry("a prefix of S3 without an object is none")
    for file in case.files:
        if file.content is None:
            raise CannotCarry("S3 has neither links nor FIFOs nor empty folders")
        if "\\" in file.name:
            raise CannotCarry("elsewhere, what has a \\ in it is no name")
        if file.name.count("/") > _MOST_FOLDERS:
            raise CannotCarry("only folders that are looked into can be too deep")
        if file.name.partition("/")[0] == ".git":
            raise CannotCarry(".git belongs to a directory, and is not put into a bucket")
        try:
            size = len(f"{top}{file.name}".encode())
        except UnicodeEncodeError:
            raise CannotCarry("the keys of S3 are Unicode") from None
        if size > _MOST_KEY_BYTES:
            raise CannotCarry(f"a key of S3 has at most {_MOST_KEY_BYTES} bytes")
        yield f"{top}{file.name}", file.content

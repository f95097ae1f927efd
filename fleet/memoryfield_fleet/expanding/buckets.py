"""The fields in a bucket that fit a pattern: one listing by pages, each key looked at as it comes.

A folder is given out once a key comes that lies behind it, as keys come in order; its version is
made of the keys and ETags of all that lies in it. What is kept is the folders above one key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoryfield_readers import (
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
    visible,
)
from memoryfield_readers.locations import S3Location, parse_location
from memoryfield_readers.names import Role, role
from memoryfield_readers.s3.connecting import new_session
from memoryfield_readers.transfer.options import TransferOptions

from ..values import Refused, Target
from .patterns import Pattern, compiled, is_archive_name, is_wild

if TYPE_CHECKING:
    from memoryfield_readers.s3.listing import Listing

_SCHEME = "s3://"
_DIRECTORY_BUCKET = "--x-s3"
"""How the name of a directory bucket ends, which is asked for whole folders alone."""

_NOT_PLAIN = ("", ".", "..")
_MOST_ETAG = 200


def is_bucket(text: str) -> bool:
    """Whether a text names something in S3."""
    return text[: len(_SCHEME)].lower() == _SCHEME


def in_bucket(text: str, options: TransferOptions) -> Iterator[Target | Refused]:
    """The fields that a pattern stands for, in the order in which the store lists them.

    Arguments:
        text: `s3://bucket/` and a pattern of keys.
        options: how the store is reached.

    Raises:
        LocationError: it is no such pattern, or an option makes no sense.
        NotFound: nothing fits, or there is no such bucket.
        AccessDenied: the bucket may not be listed.
        SourceUnavailable: the listing breaks off, or has no order where one is needed.
    """
    bucket, parts, pattern = _parsed(text)
    prefix, delimiter = _asked_for(bucket, parts, pattern)
    count = 0
    with closing(new_session(options, text)) as session:
        from memoryfield_readers.s3.listing import pages

        listing = pages(session, bucket, prefix, options.timeout, delimiter=delimiter)
        try:
            for item in _sorted_out(bucket, pattern, listing):
                count += 1
                yield item
        except MemoryfieldError as error:
            error.location = error.location or text
            raise
    if not count:
        raise NotFound("no field fits this pattern", location=text)


def _sorted_out(
    bucket: str, pattern: Pattern, listing: Iterator[Sequence[Listing]]
) -> Iterator[Target | Refused]:
    sorter = _Sorter(bucket, pattern)
    for page in listing:
        for found in page:
            yield from sorter.take(found)
    yield from sorter.rest()


def _parsed(text: str) -> tuple[str, Sequence[str], Pattern]:
    bucket, _, key = text[len(_SCHEME) :].partition("/")
    if is_wild(bucket):
        raise LocationError(
            "a pattern stands for what is in one bucket, not for buckets",
            location=_SCHEME + "…",
            hint="name each bucket",
        )
    location = parse_location(text)
    if isinstance(location, S3Location) and location.version is not None:
        raise LocationError("a pattern has no version", location=f"{_SCHEME}{bucket}/…")
    parts = key.removesuffix("/").split("/")
    if any(part in _NOT_PLAIN for part in parts):
        raise LocationError("its key is no plain path", location=text)
    return bucket, parts, compiled(parts, folders_alone=key.endswith("/"))


def _asked_for(bucket: str, parts: Sequence[str], pattern: Pattern) -> tuple[str, str]:
    """The prefix of all keys that can fit, and what they have not behind it."""
    fixed = next(at for at, part in enumerate(parts) if is_wild(part))
    first = parts[fixed]
    folder = "".join(f"{part}/" for part in parts[:fixed])
    beginning = first[: next(at for at, character in enumerate(first) if is_wild(character))]
    prefix = folder if bucket.endswith(_DIRECTORY_BUCKET) else folder + beginning
    # Of archives that lie side by side, what lies in folders beside them is not listed.
    is_flat = not pattern.folders and fixed == len(parts) - 1
    return prefix, "/" if is_flat else ""


@dataclass(slots=True)
class _Folder:
    """A folder in which the last key lies.

    Attributes:
        name: the last component of its path.
        state: how far its path fits.
        digest: of what lies in it; None where the folder itself does not fit.
        is_marked: whether all that lies in it has an ETag.
        has_page: whether a page lies in it, not deeper.
    """

    name: str
    state: int
    digest: Any
    is_marked: bool = True
    has_page: bool = False


class _Sorter:
    """Takes key after key, and gives out what is whole."""

    def __init__(self, bucket: str, pattern: Pattern) -> None:
        self._bucket = bucket
        self._pattern = pattern
        self._above: list[_Folder] = []
        self._last: str | None = None

    def take(self, found: Listing) -> Iterator[Target | Refused]:
        """What is known to be whole once a key has come.

        Raises:
            SourceUnavailable: folders are wanted, and keys do not come in order.
        """
        if self._pattern.folders:
            self._check_order(found.key)
        *folders, name = found.key.split("/")
        same = 0
        for folder, wanted in zip(self._above, folders, strict=False):
            if folder.name != wanted:
                break
            same += 1
        yield from self._closed(same)
        self._enter(folders)
        self._count(found, name, is_near=len(self._above) == len(folders))
        if self._pattern.archives and len(self._above) == len(folders) and is_archive_name(name):
            state = self._above[-1].state if folders else self._pattern.start
            if self._pattern.is_met(self._pattern.step(state, name)):
                yield _found(self._bucket, found.key, _version_of(found))

    def rest(self) -> Iterator[Target | Refused]:
        """What is whole once the listing is at its end."""
        yield from self._closed(0)

    def _check_order(self, key: str) -> None:
        # Characters have the order of their bytes in UTF-8, in which S3 sorts.
        if self._last is not None and key <= self._last:
            raise SourceUnavailable(
                "the store lists its keys in no order, so that folders cannot be told from it",
                hint="give the locations in a file, or a pattern of archives that ends in .zip",
            )
        self._last = key

    def _enter(self, folders: Sequence[str]) -> None:
        for name in folders[len(self._above) :]:
            before = self._above[-1].state if self._above else self._pattern.start
            state = self._pattern.step(before, name)
            if not state:
                return
            fits = self._pattern.folders and self._pattern.is_met(state)
            self._above.append(_Folder(name, state, hashlib.sha256() if fits else None))

    def _count(self, found: Listing, name: str, *, is_near: bool) -> None:
        line = f"{found.key}\0{found.etag}\0{found.size}\n".encode("utf-8", "surrogatepass")
        for folder in self._above:
            if folder.digest is not None:
                folder.digest.update(line)
                folder.is_marked = folder.is_marked and bool(found.etag)
        if is_near and self._above and role(name) is Role.PAGE:
            self._above[-1].has_page = True

    def _closed(self, same: int) -> Iterator[Target | Refused]:
        """The folders below the first so many, the deepest first; they are left."""
        while len(self._above) > same:
            folder = self._above[-1]
            path = "".join(f"{each.name}/" for each in self._above)
            self._above.pop()
            if folder.digest is None or (self._pattern.is_deep and not folder.has_page):
                continue
            version = f"etags:{folder.digest.hexdigest()}" if folder.is_marked else None
            yield _found(self._bucket, path, version)


def _version_of(found: Listing) -> str | None:
    etag = found.etag.strip('"')
    if len(etag) > _MOST_ETAG or not (etag.isascii() and etag.isprintable()):
        etag = hashlib.sha256(etag.encode("utf-8", "surrogatepass")).hexdigest()
    return f"etag:{etag}" if etag else None


def _found(bucket: str, key: str, version: str | None) -> Target | Refused:
    """What a key stands for: a field, if a location can name just that (a key may be any text)."""
    location = f"{_SCHEME}{bucket}/{key}"
    error = None
    if any(part in _NOT_PLAIN for part in key.removesuffix("/").split("/")):
        error = LocationError("its key is no plain path", hint="copy it to another key")
    else:
        try:
            named = parse_location(location)
        except LocationError as problem:
            error = problem
        else:
            if named != S3Location(location, bucket, key, not key.endswith("/")):
                error = LocationError(
                    "its key reads like another location", hint="copy it to another key"
                )
    if error is None:
        return Target(location, version, f"{_SCHEME}{bucket}")
    # What stands behind a question mark may be a credential.
    bare, mark, _ = location.partition("?")
    error.location = visible(bare) + mark + ("…" if mark else "")
    return Refused(error.location, error, location)

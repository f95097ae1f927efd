"""An archive in S3 that can be written; see `s3_object` for what keeps two writers apart."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, cast

from memoryfield_readers import (
    AccessDenied,
    Field,
    Limits,
    LocationError,
    SourceUnavailable,
    Watch,
    WriteConflict,
    unwatched,
)
from memoryfield_readers.locations import S3Location
from memoryfield_readers.transfer.options import TransferOptions

from ..archives.building import build_edited
from ..archives.reading import opened
from ..plan import Plan
from .s3_object import Content, S3Object, Seen, on_disk
from .target import Persisted, Waiting

_IN_MEMORY = 64 * 1024 * 1024
"""Bytes of an archive that is kept in memory; a larger one is kept in a temporary file."""

_AGAIN = "nothing was written: read it anew and try again"


class Stored(NamedTuple):
    """An archive that was written.

    Attributes:
        archive_pin: its pin.
        size: its bytes.
        unchanged: whether these very bytes had been there.
    """

    archive_pin: str
    size: int
    unchanged: bool


class S3Target:
    """An archive in a bucket; see `Target`.

    Nothing is locked: whoever writes second is told so, and reads anew.

    Attributes:
        location: as messages show it.
    """

    def __init__(
        self,
        location: S3Location,
        options: TransferOptions,
        limits: Limits,
        watch: Watch = unwatched,
    ) -> None:
        """Prepare to read and write; no request is made yet.

        Arguments:
            location: the archive.
            options: how it is reached.
            limits: how much of it to take.
            watch: is told how far the transfer is.

        Raises:
            LocationError: it is no archive, or one version of it, which can be read alone.
        """
        _refuse_others(location)
        self.location = location.shown
        self._place = location
        self._options = options
        self._limits = limits
        self._watch = watch

    @contextmanager
    def held(self, wait: float, waiting: Waiting | None = None) -> Iterator[HeldArchive]:
        """The archive as it is now.

        Arguments:
            wait: without meaning here: nobody holds it.
            waiting: likewise.

        Raises:
            MemoryfieldError: it cannot be read, or is refused as `open_field` does.
        """
        with ExitStack() as stack:
            remote = S3Object(self._place, self._options)
            stack.callback(remote.close)
            file = stack.enter_context(_temporary())
            etag = remote.fetch(file, self._limits.archive_bytes, self._watch)
            field = stack.enter_context(_opened(file, self._place, self._limits))
            yield HeldArchive(field, remote, etag, self._place, self._limits)

    @contextmanager
    def seen(self) -> Iterator[Field]:
        """The field as it is now, for a look; raises as `held` does."""
        with self.held(0.0) as held:
            yield held.field


class HeldArchive:
    """An archive that was read whole; see `Held`.

    Attributes:
        field: the field in it.
    """

    def __init__(
        self, field: Field, remote: S3Object, etag: str, place: S3Location, limits: Limits
    ) -> None:
        """Take what was read.

        Arguments:
            field: the field.
            remote: where it was read.
            etag: what marks the version that was read.
            place: the location.
            limits: how much to take.
        """
        self.field = field
        self._remote = remote
        self._etag = etag
        self._place = place
        self._limits = limits

    def persist(self, plan: Plan) -> Persisted:
        """Write the edited archive, if the one that was read is still there.

        Raises:
            WriteConflict: it is another one by now, or gone; nothing was written.
            LimitExceeded: it has more bytes than S3 takes at once.
            SourceUnavailable: it is not written, or nobody knows: the hint says so.
        """
        if not plan.puts and not plan.removes:
            return Persisted(self.field.archive_digest())
        shown = self._place.shown
        seen = self._seen()
        image = self.field.archive_image()
        if image is None:
            raise SourceUnavailable("cannot be looked into as an archive", location=shown)
        with _temporary() as file:
            with on_disk():
                build_edited(image, plan, file, ratio=self._limits.ratio)
                content = Content.of(file)
            self._verify(file, plan)
            if not self._remote.put(content, self._etag, seen.settings):
                raise self._conflict()
        notes: tuple[str, ...] = ()
        if seen.has_metadata:
            notes = (
                "what the object had of its owner's is gone: metadata (x-amz-meta-…), tags, and "
                "its ACL",
            )
        return Persisted(f"sha256:{content.sha256}", notes)

    def _seen(self) -> Seen:
        """The object, if it is still the one that was read and can be told from others."""
        if not self._etag:
            raise SourceUnavailable(
                "the store does not mark versions of objects: nothing was written",
                location=self._place.shown,
                hint="copy the archive to this machine, edit it there, and put it back yourself",
            )
        seen = self._remote.look()
        if seen is None or seen.etag != self._etag:
            raise self._conflict()
        return seen

    def _verify(self, file: IO[bytes], plan: Plan) -> None:
        """See that what is going to be written is what was planned, as a reader sees it.

        Raises:
            SourceUnavailable: it is not, because memory or a disk is at fault.
        """
        with _opened(file, self._place, self._limits) as field:
            for path, put in plan.puts.items():
                if path in field.entries and field.content(path) != put.content:
                    raise self._unlike_plan()
            if field.manifest() != plan.manifest:
                raise self._unlike_plan()

    def _unlike_plan(self) -> SourceUnavailable:
        message = "what was made is not what was planned: nothing was written"
        return SourceUnavailable(message, location=self._place.shown)

    def _conflict(self) -> WriteConflict:
        return WriteConflict(
            "is another one than was read: it was replaced meanwhile",
            location=self._place.shown,
            hint=_AGAIN,
        )


def put_new(
    location: S3Location,
    write: Callable[[BinaryIO], object],
    options: TransferOptions,
    *,
    replace: bool = False,
) -> Stored:
    """Write an archive where there is none, or in the place of the one that is there.

    Arguments:
        location: where.
        write: puts the bytes of the archive into a file that is empty.
        options: how the store is reached.
        replace: whether to put it in the place of another one.

    Raises:
        LocationError: it is no place for an archive.
        WriteConflict: there is another one, or it was replaced meanwhile; nothing was written.
        LimitExceeded: it has more bytes than S3 takes at once.
        SourceUnavailable: it is not written, or nobody knows: the hint says so.
    """
    _refuse_others(location)
    with ExitStack() as stack:
        file = stack.enter_context(_temporary())
        with on_disk():
            write(cast("BinaryIO", file))
            content = Content.of(file)
        remote = S3Object(location, options)
        stack.callback(remote.close)
        seen = _there(remote) if replace else None
        etag = None if seen is None else seen.etag
        pin = f"sha256:{content.sha256}"
        if etag == "":
            raise SourceUnavailable(
                "the store does not mark versions of objects: nothing was written",
                location=location.shown,
                hint="remove the one that is there first",
            )
        settings: Mapping[str, Any] = {} if seen is None else seen.settings
        if seen is not None and seen.size == content.size and remote.has(content):
            return Stored(pin, content.size, unchanged=True)
        if remote.put(content, etag, settings):
            return Stored(pin, content.size, unchanged=False)
        if remote.has(content):
            return Stored(pin, content.size, unchanged=True)
    if replace:
        raise WriteConflict(
            "was replaced or made meanwhile", location=location.shown, hint="try again"
        )
    raise WriteConflict(
        "there is another object already", location=location.shown, hint="--replace replaces it"
    )


def _there(remote: S3Object) -> Seen | None:
    """What is there; who may not look is told by the write whether there is something."""
    try:
        return remote.look()
    except AccessDenied:
        return None


def _opened(file: IO[bytes], place: S3Location, limits: Limits) -> AbstractContextManager[Field]:
    return opened(file, Path(posixpath.basename(place.key)), place.shown, limits)


def _temporary() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, prefix="memoryfield-")


def _refuse_others(location: S3Location) -> None:
    """Refuse what can be read alone.

    Raises:
        LocationError: it is that.
    """
    if not location.is_archive:
        raise LocationError(
            "can be read, not written: objects below a prefix cannot be changed as one",
            location=location.shown,
            hint="`memoryfield pack` makes an archive, which can be written as s3://…zip",
        )
    if location.version is not None:
        raise LocationError(
            "can be read, not written: it is one version of an object",
            location=location.shown,
            hint="leave ?versionId=… out",
        )

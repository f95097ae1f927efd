"""Calls of a file system of fsspec: each has a deadline, and fails with one of our errors.

Any package may stand behind such a file system, and raise what it likes, with URLs and credentials
in its words: what is told is the kind of the error, never its text.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from ..errors import LocationError, MemoryfieldError, NotFound, SourceUnavailable
from ..locations.foreign import require_shareable
from ..locations.values import FsspecLocation
from ..transfer.options import LONGER, TransferOptions
from ..transfer.pauses import pause
from .fsspec_errors import may_pass, said

_T = TypeVar("_T")

_SLOWEST = 16 * 1024
"""Bytes a second: at this rate a transfer is worth waiting for."""

_PLAIN = frozenset({"file", "local", "memory"})
"""Where "no such file" means that, and nothing else."""

_WITHIN = frozenset({"dir", "zip", "tar", "libarchive"})
_GUESSING = frozenset({"http", "https", "webhdfs", "webHDFS"})
"""What says "no such file" also if access was denied, or a server is busy or broken."""

_SHELLS = frozenset({"sftp", "ssh"})
_NEED_NONE = _PLAIN | _WITHIN | {"http", "https", "data"}
"""What is given no credentials but those among the options."""

_WITHOUT_CREDENTIALS: Mapping[str, Mapping[str, Any]] = {
    **{name: {"token": "anon"} for name in ("gs", "gcs")},
    **{name: {"anon": True} for name in ("s3", "s3a", "abfs", "abfss", "az")},
}
"""How a protocol is told to use no credentials."""

_NAME = re.compile(r"[A-Za-z0-9+.-]{1,32}")
_MOST_LEVELS = 16


class FsspecCalls:
    """A file system of fsspec behind a location.

    Attributes:
        protocols: those of the location's chain, outermost first.
        root: what the file system calls the folder or file.
    """

    def __init__(self, location: FsspecLocation, options: TransferOptions) -> None:
        """Make the file system, which may connect to a server.

        Raises:
            LocationError: the location or an option makes no sense to it.
            MemoryfieldError: it cannot be had.
        """
        # What "dir::" stands before is taken as a folder anyway.
        url = location.url.removeprefix("dir::")
        self.protocols = tuple(_protocol(link) for link in url.split("::"))
        self._filesystem: Any = None
        self.root = ""
        self._location = location.shown
        self._timeout = options.timeout
        self._retries = options.retries
        self._silent = False
        if options.public_only:
            require_shareable(location)
        given = _arguments(options, self.protocols, location.shown)

        def work() -> tuple[Any, str]:
            from fsspec.core import url_to_fs  # type: ignore[import-untyped]

            filesystem, root = url_to_fs(url, **given)
            with contextlib.suppress(AttributeError):  # not all have one
                filesystem.dircache.use_listings_cache = False
            return filesystem, root

        self._filesystem, self.root = self.call(work, opening=True)

    @property
    def filesystem(self) -> Any:
        """The file system itself; its methods are to be called by `call` alone."""
        if self._filesystem is None:
            raise SourceUnavailable("was closed", location=self._location)
        return self._filesystem

    def call(
        self,
        work: Callable[[], _T],
        *,
        size: int = 0,
        path: str | None = None,
        entry: str | None = None,
        opening: bool = False,
    ) -> _T:
        """What a call gives; it is repeated if its failure may pass.

        Arguments:
            work: calls the file system.
            size: how many bytes it gives, which gives it more time.
            path: what is missing if there is no such file, as the file system calls it.
            entry: the file that it is about, for messages.
            opening: whether it makes the file system: then wrong arguments are the person's.

        Raises:
            MemoryfieldError: any failure.
        """
        tried = 0
        while True:
            if self._silent:
                raise self._late(entry)
            result = _in_thread(work)
            try:
                error = result.exception(self._timeout + size / _SLOWEST)
            except TimeoutError:
                # Nothing can end the call: its thread is left behind, and nothing is asked again.
                self._silent = True
                raise self._late(entry) from None
            if error is None:
                return result.result()
            if isinstance(error, MemoryfieldError):
                raise error
            if not may_pass(error) or tried >= self._retries:
                raise self._explained(error, path, entry, opening) from None
            time.sleep(pause(tried))
            tried += 1

    def close(self) -> None:
        """Let go of the file system, and close what it has open."""
        filesystem = self._filesystem
        if filesystem is None:
            return
        holders = [filesystem, getattr(filesystem, "fo", None)]
        if self.protocols[0] in _SHELLS:
            holders.append(getattr(filesystem, "client", None))
        for holder in holders:
            closing = getattr(holder, "close", None)
            if callable(closing):
                with contextlib.suppress(MemoryfieldError):  # it is not wanted any more
                    self.call(closing)
        self._filesystem = None

    def _late(self, entry: str | None) -> SourceUnavailable:
        return SourceUnavailable(
            f"{self.protocols[0]} took longer than {self._timeout:g} seconds",
            location=self._location,
            entry=entry,
            hint=LONGER,
        )

    def _explained(
        self, error: BaseException, path: str | None, entry: str | None, opening: bool
    ) -> MemoryfieldError:
        kind, message, hint = said(error, self.protocols, opening)
        if isinstance(error, FileNotFoundError) and self._is_absent(path):
            kind, message, hint = NotFound, "is not there", None
        return kind(message, location=self._location, entry=entry, hint=hint)

    def _is_absent(self, path: str | None) -> bool:
        """Whether something is missing for sure, since a folder above it can be listed.

        Many implementations say "no such file" when a server is busy, or refuses to answer.
        """
        if all(protocol in _PLAIN | _WITHIN for protocol in self.protocols):
            return True
        if path is None or not _GUESSING.isdisjoint(self.protocols):
            return False
        for _ in range(_MOST_LEVELS):
            parent = path.rstrip("/").rpartition("/")[0]
            if parent == path:
                return False
            result = _in_thread(functools.partial(self.filesystem.ls, parent, detail=False))
            try:
                error = result.exception(self._timeout)
            except TimeoutError:
                return False
            if error is None:
                names = {str(name).strip("/") for name in result.result()}
                return path.strip("/") not in names
            if not isinstance(error, FileNotFoundError):
                return False
            path = parent
        return False


def _in_thread(work: Callable[[], _T]) -> Future[_T]:
    """The outcome to be of a call in a thread that does not keep the program from ending."""
    result: Future[_T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:  # handed to who waits for it, whatever it is
            result.set_exception(error)

    threading.Thread(target=run, name="fsspec", daemon=True).start()
    return result


def _arguments(
    options: TransferOptions, protocols: tuple[str, ...], location: str
) -> dict[str, Any]:
    """The arguments for `url_to_fs`: no instance of a file system is shared with anyone.

    The options are those of the first protocol of the chain; one that has the name of another
    protocol holds the options of that.
    """
    given: dict[str, Any] = dict(options.rest)
    inner: dict[str, Any] = {}
    for place, protocol in enumerate(protocols):
        fixed: dict[str, Any] = {"skip_instance_cache": True}
        if options.anon and protocol not in _NEED_NONE:
            if protocol not in _WITHOUT_CREDENTIALS:
                raise LocationError(f"{protocol} cannot be told --anon", location=location)
            fixed |= _WITHOUT_CREDENTIALS[protocol]
        if place == 0:
            given |= fixed
            continue
        own = given.pop(protocol, {})
        if not isinstance(own, Mapping):
            text = f"the option {protocol} must hold the options of that protocol"
            raise LocationError(text, location=location)
        inner[protocol] = {**own, **fixed}
    return given | inner


def _protocol(link: str) -> str:
    name = link.partition("://")[0]
    return name if _NAME.fullmatch(name) else "file"

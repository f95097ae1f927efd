"""Requests to S3 for one source, which are sent again if need be."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from ..errors import MemoryfieldError, NotFound, SourceUnavailable
from ..transfer.options import TransferOptions
from ..transfer.pauses import pause
from .connection import S3Connection
from .failures import FAILURES, explained
from .keeping import KEEPER
from .settings import settings_of

_T = TypeVar("_T")


class S3Session:
    """A client of S3 that can be used from any thread; nothing of it is left after `close`.

    Attributes:
        payer: what every request says of who pays for it.
    """

    def __init__(self, options: TransferOptions, location: str) -> None:
        """Prepare a client; no request is made, no file is read.

        Arguments:
            options: credentials, endpoint, time and retries.
            location: what messages call the source.

        Raises:
            LocationError: an option makes no sense.
        """
        self._options = options
        self._location = location
        settings = settings_of(options, location)
        self.payer = {"RequestPayer": "requester"} if settings.requester_pays else {}
        self._closed = False
        self._lock = threading.Lock()
        self._going_on = 0
        self._is_sound = True
        self._key = (settings, options.anon, options.timeout)
        self._connection = KEEPER.take(self._key) or S3Connection(
            settings, anon=options.anon, timeout=options.timeout
        )

    def run(self, work: Callable[[Any], Awaitable[_T]], entry: str | None = None) -> _T:
        """What a piece of work with the client gives; it is done anew if its failure may pass.

        Arguments:
            work: given the client of botocore, does requests.
            entry: the file that it is about, for messages.

        Raises:
            MemoryfieldError: any failure.
        """
        closed = SourceUnavailable("was closed", location=self._location, entry=entry)
        with self._lock:  # what the loop is given before `close` is ended by it, and nothing after
            if self._closed:
                raise closed
            self._going_on += 1
            outcome = self._connection.begin(self._persist(work))
        try:
            return outcome.result()
        except CancelledError:
            raise closed from None
        except MemoryfieldError as error:
            # A client that was refused may have what is out of date, such as credentials.
            self._is_sound = self._is_sound and isinstance(error, NotFound)
            error.location = error.location or self._location
            error.entry = error.entry or entry
            raise
        finally:
            with self._lock:
                self._going_on -= 1

    def close(self) -> None:
        """End what goes on, and close the connections, or leave them to who comes next."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            is_idle = not self._going_on
        if is_idle and self._is_sound:
            KEEPER.give(self._key, self._connection)
        else:
            self._connection.close()

    async def _persist(self, work: Callable[[Any], Awaitable[_T]]) -> _T:
        retries = 0
        while True:
            try:
                return await work(await self._connection.client())
            except FAILURES as error:
                failure = explained(error, anon=self._options.anon, timeout=self._options.timeout)
            if not failure.may_pass or retries >= self._options.retries:
                raise failure.error from None
            await asyncio.sleep(max(failure.after, pause(retries)))
            retries += 1

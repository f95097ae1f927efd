"""A connection to S3: an event loop of its own, and requests that are sent again if need be."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from aiobotocore.session import AioSession  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]
from botocore.loaders import create_loader  # type: ignore[import-untyped]

from ..errors import MemoryfieldError, SourceUnavailable
from ..transfer.options import TransferOptions
from ..transfer.pauses import pause
from .failures import FAILURES, explained, unusable
from .recognition import check_answer
from .settings import settings_of
from .straight import StraightSession, ask_once_for_the_region

_T = TypeVar("_T")

CONNECTIONS = 16
"""So many requests at the same time; also the size of the pool of connections."""

_BEFORE_ANY = "before-parameter-build.s3"
_BEFORE_PARSING = "before-parse.*.*"
"""Of two names of an event, handlers of the one with more stars come first; one of botocore's for
`before-parse.s3.*` makes a "500" of what is no XML."""


_loader = functools.lru_cache(maxsize=4)(create_loader)
"""What reads the descriptions of the API, for each search path: parsing them takes most of the
time that it takes to begin a session."""


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
        self._settings = settings_of(options, location)
        self.payer = {"RequestPayer": "requester"} if self._settings.requester_pays else {}
        self._client: Any = None
        self._closed = False
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="s3", daemon=True)
        self._thread.start()

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
            outcome = asyncio.run_coroutine_threadsafe(self._persist(work), self._loop)
        try:
            return outcome.result()
        except CancelledError:
            raise closed from None
        except MemoryfieldError as error:
            error.location = error.location or self._location
            error.entry = error.entry or entry
            raise

    def close(self) -> None:
        """End what goes on, close the connections, and end the thread."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        asyncio.run_coroutine_threadsafe(self._wind_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _persist(self, work: Callable[[Any], Awaitable[_T]]) -> _T:
        retries = 0
        while True:
            try:
                return await work(await self._connected())
            except FAILURES as error:
                failure = explained(error, anon=self._options.anon, timeout=self._options.timeout)
            if not failure.may_pass or retries >= self._options.retries:
                raise failure.error from None
            await asyncio.sleep(max(failure.after, pause(retries)))
            retries += 1

    async def _connected(self) -> Any:
        if self._client is None:
            try:
                client = await self._filesystem.set_session()
            except (BotoCoreError, ValueError, TypeError, OSError) as error:
                raise unusable(error) from None
            if self._client is None:
                client.meta.events.register_last(_BEFORE_ANY, ask_once_for_the_region)
                client.meta.events.register_first(_BEFORE_PARSING, check_answer)
                self._client = client
        return self._client

    @functools.cached_property
    def _filesystem(self) -> Any:
        """The s3fs that makes the client; nothing else of it is used."""
        settings = self._settings
        session = AioSession(profile=settings.profile)
        session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
        import s3fs  # type: ignore[import-untyped]

        return s3fs.S3FileSystem(
            anon=self._options.anon,
            endpoint_url=settings.endpoint_url,
            key=settings.key,
            secret=settings.secret,
            token=settings.token,
            session=session,
            client_kwargs={"region_name": settings.region} if settings.region else {},
            config_kwargs={
                "connect_timeout": self._options.timeout,
                "read_timeout": self._options.timeout,
                "max_pool_connections": CONNECTIONS,
                "http_session_cls": StraightSession,
                # What fails is tried again here, where the body counts as well.
                "retries": {"total_max_attempts": 1, "mode": "standard"},
                # Stores that are not that of AWS refuse what newer versions would send.
                "request_checksum_calculation": "when_required",
                "response_checksum_validation": "when_required",
            },
            asynchronous=True,
            use_listings_cache=False,
            skip_instance_cache=True,
        )

    async def _wind_up(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.close()
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()

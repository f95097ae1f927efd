"""A client of S3 and the event loop that it lives in."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from aiobotocore.session import AioSession  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]
from botocore.loaders import create_loader  # type: ignore[import-untyped]

from .failures import unusable
from .recognition import check_answer
from .settings import S3Settings
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


class S3Connection:
    """A client that is made when it is first wanted; nothing of it is left after `close`."""

    def __init__(self, settings: S3Settings, *, anon: bool, timeout: float) -> None:
        """Prepare a client; no request is made, no file is read.

        Arguments:
            settings: credentials and endpoint.
            anon: whether to give no credentials.
            timeout: seconds in which an answer must begin.
        """
        self._settings = settings
        self._anon = anon
        self._timeout = timeout
        self._client: Any = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="s3", daemon=True)
        self._thread.start()

    def begin(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Let a piece of work go on in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def client(self) -> Any:
        """The client of botocore.

        Raises:
            LocationError: what is set makes no sense; AccessDenied, SourceUnavailable: it cannot be
                used.
        """
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

    def close(self) -> None:
        """End what goes on, close the connections, and end the thread; once only."""
        self.begin(self._wind_up()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @functools.cached_property
    def _filesystem(self) -> Any:
        """The s3fs that makes the client; nothing else of it is used."""
        settings = self._settings
        session = AioSession(profile=settings.profile)
        session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
        import s3fs  # type: ignore[import-untyped]

        return s3fs.S3FileSystem(
            anon=self._anon,
            endpoint_url=settings.endpoint_url,
            key=settings.key,
            secret=settings.secret,
            token=settings.token,
            session=session,
            client_kwargs={"region_name": settings.region} if settings.region else {},
            config_kwargs={
                "connect_timeout": self._timeout,
                "read_timeout": self._timeout,
                "max_pool_connections": CONNECTIONS,
                "http_session_cls": StraightSession,
                # What fails is tried again by the session, where the body counts as well.
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

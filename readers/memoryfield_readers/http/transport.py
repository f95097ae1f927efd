"""One request sent, and its answer up to the body: `requests`, with connections of our own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .addresses import may_be_public
from .connection import POOLS, not_public
from .exchange import CONNECT_SECONDS, Exchange, running
from .failures import Broken, Dropped
from .library_errors import told_apart
from .trust import tls_context
from .urls import origin_of, taken_apart

if TYPE_CHECKING:
    import ssl

    from requests import PreparedRequest, Response
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPResponse

CONNECTIONS = 16
"""How many connections to one host there may be at a time."""

_PIECE = 64 * 1024
_DRAINED = 64 * 1024
_DRAIN_SECONDS = 0.5
_DEAD_CONNECTIONS = CONNECTIONS + 1


class Reply:
    """An answer whose body is still to be read.

    Attributes:
        status: the number.
        headers: the headers, by their names in lower case.
        announced: the length of the body on the wire, or None if it was not announced.
        measured: whether the end of the body can be told from a connection that breaks off.
        received: how much of the body came so far.
    """

    def __init__(self, raw: HTTPResponse, exchange: Exchange) -> None:
        self._raw = raw
        self._exchange = exchange
        self.status = raw.status
        # by name: a header that is there twice is one, with a comma between
        self.headers = {name.lower(): raw.headers[name] for name in raw.headers}
        self.announced = raw.length_remaining
        self.measured = self.announced is not None or raw.chunked
        self.received = 0

    def pieces(self) -> Iterator[bytes]:
        """The body as it is on the wire, as it comes.

        Raises:
            Broken: it does not come to its end.
        """
        while True:
            self._exchange.next_piece()
            with told_apart(lambda: cut_short(self)):
                piece = self._raw.read1(_PIECE, decode_content=False)
            if not piece:
                break
            self.received += len(piece)
            self._exchange.received(len(piece))
            yield piece
        if self.announced is not None and self.received != self.announced:
            raise cut_short(self)

    def drain(self) -> None:
        """Read a body that nobody wants, if it is small, so that the connection can be used."""
        if self.status < 200:  # what follows is not HTTP
            return
        self._exchange.hurry(_DRAIN_SECONDS)
        with contextlib.suppress(Broken):
            for _ in self.pieces():
                if self.received > _DRAINED:
                    break


def cut_short(reply: Reply) -> Broken:
    """What to raise for a body that ended too soon."""
    of = f" of {reply.announced}" if reply.announced is not None else ""
    return Broken(f"the body was cut short: {reply.received}{of} bytes came")


class Transport:
    """Sends requests one by one, from any thread, over connections that are kept."""

    def __init__(self, timeout: float, *, public_only: bool) -> None:
        """See `TransferOptions`."""
        self._timeout = timeout
        self._public_only = public_only
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(CONNECTIONS)
        self._adapter: HTTPAdapter | None = None
        self._proxies_of: dict[str, dict[str, str]] = {}
        self._closed = False

    @contextlib.contextmanager
    def opened(self, method: str, url: str, headers: Mapping[str, str]) -> Iterator[Reply]:
        """The answer to a request, whose body can be read within the block.

        Raises:
            Broken: there is no answer, or (within the block) no whole body.
        """
        if self._public_only:
            host = taken_apart(url).hostname or ""
            if not may_be_public(host):
                raise not_public(host)
        with self._room:
            reply, response, exchange = self._reply(method, url, headers)
            try:
                with running(exchange):
                    yield reply
            finally:
                response.close()

    def close(self) -> None:
        """Close all connections that are not in use; those that are will be when done."""
        with self._lock:
            self._closed = True
            adapter, self._adapter = self._adapter, None
        if adapter is not None:
            adapter.close()

    def _reply(
        self, method: str, url: str, headers: Mapping[str, str]
    ) -> tuple[Reply, Response, Exchange]:
        """Send a request; a kept connection that turns out to be dead does not count as a try."""
        for left in reversed(range(_DEAD_CONNECTIONS)):
            exchange = Exchange(self._timeout, "", public_only=self._public_only)
            try:
                response = self._sent(method, url, headers, exchange)
                return Reply(response.raw, exchange), response, exchange
            except Dropped as dropped:
                if exchange.fresh or not left:
                    raise Broken(dropped.what, silent=True) from None
        raise AssertionError("the last round returns or raises")

    def _sent(
        self, method: str, url: str, headers: Mapping[str, str], exchange: Exchange
    ) -> Response:
        from requests import Request

        adapter = self._own_adapter()
        with told_apart(), running(exchange):
            prepared = Request(method, url, headers=dict(headers)).prepare()
            whole = prepared.url or ""
            proxies = self._proxies(whole)
            prepared.url, mark, query = whole.partition("?")
            exchange.query = mark + query
            response = adapter.send(
                prepared,
                stream=True,
                timeout=(min(self._timeout, CONNECT_SECONDS), self._timeout),
                proxies=proxies,
            )
            exchange.answered()
            return response

    def _proxies(self, url: str) -> dict[str, str]:
        """The proxies of the environment for a URL; it is read once for each origin."""
        from requests.utils import get_environ_proxies

        origin = origin_of(url)
        with self._lock:
            known = self._proxies_of.get(origin)
            if known is None:
                known = self._proxies_of[origin] = dict(get_environ_proxies(url))
        return known

    def _own_adapter(self) -> HTTPAdapter:
        with self._lock:
            if self._closed:
                raise Broken("the source was closed", passing=False)
            if self._adapter is None:
                self._adapter = _adapter()
            return self._adapter


def _adapter() -> HTTPAdapter:
    """An adapter of `requests` over our connections, which keeps no cookies."""
    import requests
    from requests.adapters import HTTPAdapter
    from requests.exceptions import InvalidSchema

    class Adapter(HTTPAdapter):
        """The way from a request to connections of ours."""

        def __init__(self) -> None:
            self._context: ssl.SSLContext | None = None
            self._making = threading.Lock()
            super().__init__(CONNECTIONS, CONNECTIONS, max_retries=0)
            self.poolmanager.pool_classes_by_scheme = POOLS

        def context(self) -> ssl.SSLContext:
            """How TLS is spoken; read from files once, and only where there is need."""
            with self._making:
                if self._context is None:
                    self._context = tls_context()
                return self._context

        def proxy_manager_for(self, proxy: str, **settings: Any) -> Any:
            """The connections by way of a proxy."""
            if not proxy.lower().startswith(("http://", "https://")):
                raise InvalidSchema("not a proxy of HTTP")
            with self._making:
                if proxy in self.proxy_manager:
                    return self.proxy_manager[proxy]
            if proxy.lower().startswith("https://"):
                settings["proxy_ssl_context"] = self.context()
            with self._making:
                manager = super().proxy_manager_for(proxy, **settings)
                manager.pool_classes_by_scheme = POOLS
                return manager

        def cert_verify(self, *args: Any, **named: Any) -> None:
            """Nothing: the context says it all."""

        def build_connection_pool_key_attributes(
            self, request: PreparedRequest, verify: Any, cert: Any = None
        ) -> Any:
            """Which connections fit a request."""
            host, pool = super().build_connection_pool_key_attributes(request, True, None)
            if host["scheme"] == "https":
                pool["ssl_context"] = self.context()
            return host, pool

        def build_response(self, req: PreparedRequest, resp: Any) -> Response:
            """Carry an answer, whose cookies are not even read."""
            response = requests.Response()
            response.status_code = resp.status
            response.raw = resp
            response.request = req
            return response

    return Adapter()

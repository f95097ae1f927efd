"""Connections that keep to the time of an exchange, and go where they may."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from socket import getaddrinfo
from typing import Any

from urllib3 import connection as urllib3_connection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from ..display import visible
from .addresses import is_public
from .exchange import CONNECT_SECONDS, Exchange, TimedSocket, current
from .failures import Broken

_NO_SUCH_NAME = {
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA") if hasattr(socket, name)
}


_MOST_INTERIM = 32


class _HttpResponse(http.client.HTTPResponse):
    """An answer behind any number of interim ones, all of which are passed over.

    Python's own passes over one kind of them, and takes the others for the answer: what then comes
    would be taken for the answer to the next request.
    """

    interim = 0

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]
        if 100 <= status < 200 and status != http.HTTPStatus.SWITCHING_PROTOCOLS:
            status = int(http.HTTPStatus.CONTINUE)
            self.interim += 1
            if self.interim > _MOST_INTERIM:
                raise http.client.BadStatusLine("interim answers without end")
        return version, status, reason


class _Timed:
    """What connections with and without TLS share: a mixin over those of urllib3."""

    sock: Any
    port: int
    proxy: Any
    _dns_host: str

    response_class: Any = _HttpResponse

    def _new_conn(self) -> socket.socket:
        exchange = current() or Exchange(CONNECT_SECONDS, "", public_only=True)
        exchange.begin()
        exchange.fresh = True
        public_only = exchange.public_only and self.proxy is None
        return _opened(self._dns_host, self.port, exchange, public_only=public_only)

    def connect(self) -> None:
        """Connect, with words of our own for what TLS has against it."""
        try:
            super().connect()  # type: ignore[misc]
        except ssl.SSLCertVerificationError as error:
            raise Broken(
                f"its certificate is not trusted: {visible(error.verify_message)}",
                passing=False,
                hint="name the file of the authority's certificate in REQUESTS_CA_BUNDLE,"
                " if it is one of yours",
            ) from None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            raise Broken("the connection broke off while TLS was agreed", silent=True) from None
        except ssl.SSLError as error:
            raise Broken(
                f"no agreement on TLS: {visible(error.reason or 'unknown reason')}", passing=False
            ) from None
        except TimeoutError:
            raise Broken("no agreement on TLS in time", silent=True) from None

    def request(self, method: str, url: str, *args: Any, **named: Any) -> None:
        """Send a request; the clock may run since the connection was opened for it."""
        exchange = current()
        if exchange is not None:
            exchange.begin()
        super().request(method, url, *args, **named)  # type: ignore[misc]

    def putrequest(self, method: str, url: str, *args: Any, **named: Any) -> None:
        """Send the first line, with the query, which nothing above this knows or can tell."""
        exchange = current()
        query = exchange.query if exchange is not None else ""
        super().putrequest(method, url + query, *args, **named)  # type: ignore[misc]


class PlainConnection(_Timed, urllib3_connection.HTTPConnection):
    """A connection without TLS."""


class TlsConnection(_Timed, urllib3_connection.HTTPSConnection):
    """A connection with TLS."""


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = PlainConnection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = TlsConnection


POOLS: dict[str, type[HTTPConnectionPool]] = {"http": _PlainPool, "https": _TlsPool}
"""What a pool manager makes its pools of."""


def _opened(host: str, port: int, exchange: Exchange, *, public_only: bool) -> socket.socket:
    """A socket connected to a host, by whichever of its addresses answers first.

    Raises:
        Broken: none of them answers, or none is public where that is asked for.
    """
    found = _addresses(host, port)
    if public_only:
        found = [each for each in found if is_public(str(each[4][0]))]
        if not found:
            raise not_public(host)
    most = min(exchange.timeout, CONNECT_SECONDS)
    until = time.monotonic() + most
    peer = f"{visible(host)}:{port}"  # which is a proxy's, where there is one
    last = f"no connection to {peer} within {most:g} s"
    for index, (family, kind, protocol, _, address) in enumerate(found):
        # an address that is silent leaves time for those after it
        share = (until - time.monotonic()) / (len(found) - index)
        if share <= 0:
            break
        opened = TimedSocket(family, kind, protocol)
        try:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.settimeout(min(share, exchange.remaining()))
            opened.connect(address)
            opened.settimeout(max(min(until - time.monotonic(), exchange.remaining()), 0.001))
            if public_only and not is_public(str(opened.getpeername()[0])):
                raise not_public(host)
        except TimeoutError:
            opened.close()
        except OSError as error:
            opened.close()
            last = f"no connection to {peer}: {error.strerror or 'refused'}"
        except Broken:
            opened.close()
            raise
        else:
            return opened
    raise Broken(last, silent=True)


def _addresses(host: str, port: int) -> list[Any]:
    """What a name stands for.

    Raises:
        Broken: nothing.
    """
    try:
        return getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in _NO_SUCH_NAME:
            raise Broken(f"there is no host named {visible(host)}", passing=False) from None
        raise Broken(f"the name {visible(host)} cannot be looked up now", silent=True) from None
    except (UnicodeError, ValueError, OSError):
        raise Broken("this is no name of a host", passing=False) from None


def not_public(host: str) -> Broken:
    """What to raise for a host that a location from elsewhere may not lead to."""
    return Broken(
        f"{visible(host)} is not a public address, and the location comes from someone else",
        passing=False,
        hint="give the location yourself, if you trust it",
    )

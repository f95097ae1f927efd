"""Who a request was meant for: names of other hosts and pages of other sites get nothing."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from .replies import plain, send_reply
from .settings import LOOPBACK_NAMES

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_AUTHORITY = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s\[\]:/@?#\\]+)(?::(?P<port>[0-9]{1,5}))?")
_ALLOWED = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/]+)", re.IGNORECASE)
_PORTS = {"http": "80", "https": "443"}


def host_of(authority: str) -> str | None:
    """The name in an authority such as "localhost:8000", in lower case, without brackets.

    None for what is no authority. A dot at the end is not part of it.
    """
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        return None
    return found["name"].lower().strip("[]").removesuffix(".")


def fit_host(text: str) -> str | None:
    """A name or an address that requests can be meant for, as `host_of` gives it; None for none."""
    name = text.lower().removesuffix(".")
    if _ALLOWED.fullmatch(name):
        return name
    try:
        return str(ipaddress.IPv6Address(name.removeprefix("[").removesuffix("]")))
    except ValueError:
        return None


class HostCheck:
    """An application that answers only those who call this server by a name of its own.

    A page of a stranger can let a name of its own point to 127.0.0.1, and would then be allowed
    to read what is answered; but it cannot change what the browser says in `Host`.
    """

    def __init__(self, app: ASGIApp, allowed: frozenset[str] = frozenset()) -> None:
        """Stand before an application.

        Arguments:
            app: what is asked if all is well.
            allowed: names of this server, in lower case, beside those of the loopback.
        """
        self._app = app
        self._allowed = allowed | LOOPBACK_NAMES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 403, or hand on."""
        if scope["type"] == "http":
            reason = self._reason(scope)
            if reason is not None:
                await send_reply(plain(403, reason), scope, send)
                return
        await self._app(scope, receive, send)

    def _reason(self, scope: Scope) -> str | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if not self._is_ours(host, scope):
            return "this server is not called so; --allow-host names what else it is called"
        for name, value in scope["headers"]:
            if name == b"origin" and not _same(value.decode("latin-1"), host):
                return "pages of other sites get nothing from this server"
        return None

    def _is_ours(self, host: str, scope: Scope) -> bool:
        name = host_of(host)
        if name is None:
            return False
        server = scope.get("server")
        # An address cannot be made to point elsewhere, so the one that was reached is a name.
        return name in self._allowed or (server is not None and _same_address(name, server[0]))


def _same_address(name: str, address: str) -> bool:
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(address)
    except ValueError:
        return False


def _same(origin: str, host: str) -> bool:
    """Whether an origin is that of the host that was asked."""
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        return False
    scheme = found["scheme"].lower()
    return _with_port(found["authority"].lower(), scheme) == _with_port(host, scheme)


def _with_port(authority: str, scheme: str) -> tuple[str | None, str]:
    found = _AUTHORITY.fullmatch(authority)
    port = found["port"] if found is not None else None
    return host_of(authority), port or _PORTS[scheme]


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches a server at this address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

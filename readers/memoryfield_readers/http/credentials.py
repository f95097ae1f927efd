"""Basic credentials for a host, from the environment or a netrc file; never from a URL."""

from __future__ import annotations

import base64
import netrc
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult

from ..display import visible
from ..system_errors import reason_of
from .addresses import is_loopback
from .urls import port_of, taken_apart

HOST, USER, PASSWORD = (
    "MEMORYFIELD_HTTP_HOST",
    "MEMORYFIELD_HTTP_USER",
    "MEMORYFIELD_HTTP_PASSWORD",
)

_HINT = (
    f"give a user and a password for this host in a netrc file, or in {HOST}, {USER} and {PASSWORD}"
)
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]+)(?::([0-9]{1,5}))?")


class Credentials:
    """What this machine knows of hosts that want to know who asks.

    A netrc file that cannot be read or understood is as good as none: most hosts ask nobody. A note
    says what is wrong with the file, and so does the hint where a host wants to know who asks.

    Attributes:
        notes: what a person should know who may have wanted another file to be read.
    """

    def __init__(self) -> None:
        self.notes: tuple[str, ...] = ()
        self._lock = threading.Lock()
        self._known: Mapping[str, tuple[str, str]] | None = None
        self._trouble = ""

    def headers(self, url: str) -> Mapping[str, str]:
        """The headers that authenticate a request for a URL; none where nothing is known.

        They go over TLS, or stay on this machine.
        """
        parts = taken_apart(url)
        host = parts.hostname or ""
        if parts.scheme != "https" and not is_loopback(host):
            return {}
        found = _of_environment(parts) or self._of_netrc(host)
        if found is None or ":" in found[0]:  # Basic has no way to say a colon in a name
            return {}
        pair = f"{found[0]}:{found[1]}".encode("utf-8", "surrogateescape")
        return {"Authorization": "Basic " + base64.b64encode(pair).decode("ascii")}

    def hint(self, url: str) -> str:
        """What to do where a host does not let in who asks."""
        if self.headers(url):
            return "the credentials that this machine has for the host were sent, and refused"
        parts = taken_apart(url)
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            return "credentials are only sent over https"
        return f"{_HINT} ({self._trouble})" if self._trouble else _HINT

    def _of_netrc(self, host: str) -> tuple[str, str] | None:
        with self._lock:
            if self._known is None:
                self._known = self._read()
        return self._known.get(host)

    def _read(self) -> Mapping[str, tuple[str, str]]:
        named = os.environ.get("NETRC")
        try:
            path = Path(named) if named else Path.home() / ".netrc"
        except RuntimeError:  # there is no home
            return {}
        try:
            hosts = netrc.netrc(path).hosts
        except FileNotFoundError:
            gone = f"the file that NETRC names is not there: {visible(named)}" if named else ""
            return self._none(gone, is_told=bool(named))
        except netrc.NetrcParseError as error:
            # its message may hold a password
            near = f" near line {error.lineno}" if error.lineno else ""
            return self._none(f"the netrc file {visible(str(path))} cannot be understood{near}")
        except UnicodeError:
            return self._none(f"the netrc file {visible(str(path))} is not UTF-8")
        except OSError as error:
            seen = bool(named) or os.path.exists(path)  # a home that may not be entered is not told
            trouble = f"the netrc file {visible(str(path))} cannot be read: {reason_of(error)}"
            return self._none(trouble, is_told=seen)
        # its `default` entry would give a password to anyone who asks
        return {
            name.lower(): (login, password)
            for name, (login, _, password) in hosts.items()
            if name != "default" and login and password
        }

    def _none(self, trouble: str, *, is_told: bool = True) -> Mapping[str, tuple[str, str]]:
        """No credentials, and why."""
        self._trouble = trouble
        self.notes = (f"{trouble}; no credentials come from it",) if is_told else ()
        return {}


def _of_environment(parts: SplitResult) -> tuple[str, str] | None:
    """The user and password of the environment, if they are for this host."""
    user = os.environ.get(USER)
    named = _HOST_AND_PORT.fullmatch(os.environ.get(HOST, "").strip().lower())
    if not user or named is None:
        return None
    host, port = named[1].strip("[]"), named[2]
    if host != (parts.hostname or "") or (port and int(port) != port_of(parts)):
        return None
    return user, os.environ.get(PASSWORD, "")

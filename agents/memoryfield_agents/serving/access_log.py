"""One line for each request, which nothing in the request can forge."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from memoryfield_readers import visible

from .replies import plain, send_reply

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST_SHOWN = 400
GONE = "memoryfield.gone"
"""The key in the scope that says that the client is not there any more."""


class Log(Protocol):
    """What takes lines of a log, each without its line feed."""

    def __call__(self, line: str, /) -> None:
        """Take one."""
        ...


class ClientLeft(Exception):
    """The client went before all was sent; nothing more is made for it."""


class AccessLog:
    """An application that tells of each request when it is over, however it ends.

    A line is: time, client, user, request, status, bytes of the body that were handed on, seconds,
    client program; `cut` follows where the client did not wait for all of it.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        """Stand before an application."""
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and write a line; a fault of ours becomes 500."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        status, sent, whole = 0, 0, False

        async def counted(message: Message) -> None:
            nonlocal status, sent, whole
            if scope.get(GONE):
                raise ClientLeft
            await send(message)
            if message["type"] == "http.response.start":
                status = message["status"]
                return
            sent += len(message.get("body", b""))
            whole = not message.get("more_body", False) and not scope.get(GONE)

        try:
            await self._app(scope, receive, counted)
        except ClientLeft:
            pass  # the line says so
        except Exception as error:
            self._log(f"fault: {visible(repr(error))[:_MOST_SHOWN]} at {_place(error)}")
            if status:
                raise  # so that the connection breaks, and nobody takes the part for the whole
            await send_reply(plain(500, "something is wrong with this server"), scope, counted)
        finally:
            self._log(_line(scope, status, sent, time.monotonic() - began, whole=whole))


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    return f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"


def _line(scope: Scope, status: int, sent: int, seconds: float, *, whole: bool) -> str:
    target = scope.get("raw_path", b"")
    if scope.get("query_string"):
        target += b"?" + scope["query_string"]
    request = f"{scope['method']} {target.decode('latin-1')} HTTP/{scope['http_version']}"
    agent = next((value for name, value in scope["headers"] if name == b"user-agent"), b"")
    client = scope.get("client") or ("-", 0)
    user = scope.get("memoryfield.user")
    return " ".join([
        stamp(), client[0], quoted(user) if user else "-", quoted(request), str(status or "-"),
        str(sent), f"{seconds:.3f}", quoted(agent.decode("latin-1")), *([] if whole else ["cut"]),
    ])  # fmt: skip


def stamp() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def quoted(text: str) -> str:
    """Text of a client between quotes, in ASCII, cut to what a line can bear."""
    cut = text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
    escaped = visible(cut.replace("\\", "\\\\").replace('"', '\\"'))
    return '"' + escaped.encode("ascii", "backslashreplace").decode("ascii") + '"'


def to_stderr(line: str) -> None:
    """Write a line to stderr; a stderr that is closed is no reason to stop serving."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return

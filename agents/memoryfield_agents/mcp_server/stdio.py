"""stdin and stdout as the protocol's alone, whatever any library prints."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Set
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, cast

from memoryfield_readers import SourceUnavailable

from ..answers import unseen_escaped

if TYPE_CHECKING:
    import asyncio

    from ..fields import Shelf
    from .note_stores import NoteStores

MOST_LINE: Final = 4 * 1024 * 1024
"""Bytes of a message of a client; a longer one is none."""

MOST_AHEAD: Final = 200
"""Messages that are taken from a client while it does not take an answer."""

_PIECE: Final = 65536
_GRACE_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Wire:
    """The descriptors on which the client is, which nothing else knows of."""

    reading: int
    writing: int


@contextmanager
def wire() -> Iterator[Wire]:
    """Keep stdin and stdout for the protocol; use it before anything else is imported or opened.

    Meanwhile, what is written to descriptor 1, by Python or by C, goes to stderr, and who reads
    descriptor 0 finds nothing there.

    Raises:
        SourceUnavailable: there is no stdin or stdout.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    try:
        found = Wire(_kept(0), _kept(1))
    except OSError:  # closed by who started this
        raise SourceUnavailable(
            "stdin or stdout is closed", hint="an MCP client starts this, and speaks with it there"
        ) from None
    before = sys.stdout
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # stderr is closed
            os.dup2(nothing, 1)
    finally:
        os.close(nothing)
    if sys.stderr is not None:
        sys.stdout = sys.stderr
    try:
        yield found
    finally:
        before.flush()
        sys.stdout = before
        os.dup2(found.reading, 0)
        os.dup2(found.writing, 1)
        os.close(found.reading)
        os.close(found.writing)


def _kept(descriptor: int) -> int:
    """Another descriptor for the same, above those that have a meaning, and not inherited."""
    try:
        import fcntl
    except ImportError:  # on Windows
        return os.dup(descriptor)
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


class _Worker:
    """A thread that does one thing after the other, and keeps no process from ending."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], Future[Any]]] = (
            SimpleQueue()
        )
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Have it done; its outcome."""
        import asyncio

        future: Future[Any] = Future()
        self._jobs.put((work, arguments, future))
        return await asyncio.wrap_future(future)

    def _run(self) -> None:
        while True:
            work, arguments, future = self._jobs.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work(*arguments))
            except BaseException as error:  # it is raised where it was asked for
                future.set_exception(error)


class Flow:
    """Keeps a client that asks and asks, and takes no answer, from filling the memory."""

    def __init__(self) -> None:
        self._held_up: asyncio.Event | None = None
        self._lines = 0

    async def before_a_line(self) -> None:
        """Wait while an answer waits to be taken, and many lines were read since it does."""
        while self._held_up is not None and self._lines >= MOST_AHEAD:
            await self._held_up.wait()
        self._lines += 1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """An answer waits to be taken meanwhile."""
        import asyncio

        self._held_up, self._lines = asyncio.Event(), 0
        try:
            yield
        finally:
            self._held_up.set()
            self._held_up = None


class Lines:
    """The messages of a client, line by line; they end when it closes its side or is gone."""

    def __init__(self, descriptor: int, flow: Flow) -> None:
        """Read a descriptor."""
        self._descriptor = descriptor
        self._flow = flow
        self._rest = bytearray()
        self._too_long = False

    async def __aiter__(self) -> AsyncIterator[str]:
        """Each line as text; of one that is too long, something that is no message."""
        worker = _Worker("reads what the client asks")
        while True:
            await self._flow.before_a_line()
            line = await worker.do(self._next)
            if line is None:
                return
            yield line

    def _next(self) -> str | None:
        while True:
            end = self._rest.find(b"\n")
            if end >= 0:
                line = bytes(self._rest[: end + 1])
                del self._rest[: end + 1]
                if self._too_long:
                    self._too_long = False
                    return "the message is too long"
                if line.strip():
                    return line.decode("utf-8", "replace")
                continue
            if len(self._rest) > MOST_LINE:
                self._rest.clear()
                self._too_long = True
            try:
                piece = os.read(self._descriptor, _PIECE)
            except OSError as error:
                raise SourceUnavailable(f"stdin cannot be read: {error.strerror}") from None
            if not piece:
                return None
            self._rest += piece


class Out:
    """Where answers go, one line each; no character in them can be taken for the end of a line."""

    def __init__(self, descriptor: int, flow: Flow) -> None:
        """Write to a descriptor."""
        self._descriptor = descriptor
        self._flow = flow
        self._worker: _Worker | None = None

    async def write(self, text: str) -> None:
        """Write a line."""
        if self._worker is None:
            self._worker = _Worker("writes what is answered")
        with self._flow.writing():
            await self._worker.do(self._write, unseen_escaped(text).encode())

    async def flush(self) -> None:
        """Nothing is kept back."""

    def _write(self, raw: bytes) -> None:
        view = memoryview(raw)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except BrokenPipeError:
                raise
            except OSError as error:
                raise SourceUnavailable(f"stdout cannot be written: {error.strerror}") from None


def serve_stdio(shelf: Shelf, place: Wire, notes: NoteStores | None = None) -> None:
    """Answer the client until it closes its side, is gone, or this process is told to stop.

    Arguments:
        shelf: the fields.
        place: where the client is.
        notes: the notes on the fields.

    Raises:
        SourceUnavailable: stdin cannot be read, or stdout cannot be written.
    """
    import anyio

    others = frozenset(threading.enumerate())
    anyio.run(_serve, shelf, place, notes)
    _leave_if_held_up(others)


def _leave_if_held_up(others: Set[threading.Thread]) -> None:
    """End the process if a thread does not end: one that waits for a place that does not answer.

    Nothing here writes files but stores of notes, which are as before or as after, so nothing is
    lost.

    Arguments:
        others: threads that were there before, and are somebody else's.
    """
    until = time.monotonic() + _GRACE_SECONDS
    for thread in threading.enumerate():
        if thread not in others and not thread.daemon:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                if sys.stderr is not None:
                    sys.stderr.flush()
                os._exit(0)


async def _serve(shelf: Shelf, place: Wire, notes: NoteStores | None) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from .server import mcp_server

    server = mcp_server(shelf, notes)
    # They are asked for lines and to write, as the SDK's own are, and for nothing else.
    flow = Flow()
    failed: BaseException | None = None
    streams = cast("Any", Lines(place.reading, flow)), cast("Any", Out(place.writing, flow))
    async with anyio.create_task_group() as group:
        group.start_soon(_until_told, group.cancel_scope)
        try:
            async with stdio_server(*streams) as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
        except* BrokenPipeError:  # nobody reads the answers any more
            pass
        except* SourceUnavailable as errors:
            failed = errors
        group.cancel_scope.cancel()
    while isinstance(failed, BaseExceptionGroup):  # groups are of no use to who reads one line
        failed = failed.exceptions[0]
    if failed is not None:
        raise failed


async def _until_told(scope: Any) -> None:
    """Wait until this process is told to stop, and stop then."""
    import anyio

    try:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                scope.cancel()
                return
    except NotImplementedError:  # on Windows, signals end the process by themselves
        return

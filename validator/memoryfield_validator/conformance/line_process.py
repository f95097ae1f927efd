"""A program that answers lines with lines; nothing it does, or does not do, can hold us up."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO

from memoryfield_readers import visible

from .errors import NoAnswer

_MOST_LINE = 8 * 1024 * 1024
_MOST_WAITING = 2
_TAIL = 4000
_MOST_SAID = 12
"""Last lines of stderr that are told: some languages put the message before a long trace."""
_GRACE = 2.0
_OF_MAIN = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end a run. Taken by another thread, they would not wake the one that waits."""


class TimedOut(NoAnswer):
    """There was no answer in time."""


class LineProcess:
    """A running program; what it starts itself is ended with it, where the system knows sessions.

    Attributes:
        running: whether it has not ended, as far as is known.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Start it.

        Raises:
            NoAnswer: it cannot be started.
        """
        self._command = command
        # Simple queues: an interrupt within any other one can leave its lock taken for good.
        self._requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._room = threading.Semaphore(_MOST_WAITING)
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `end`
        self._failure: Exception | None = None
        self.running = False
        # An interrupt reaches the main thread alone: in another one, starting is never cut in half.
        starting = threading.Thread(target=self._start)
        starting.start()
        with contextlib.ExitStack() as unfinished:  # a signal comes: what has started must not stay
            unfinished.callback(self._abandon, starting)
            starting.join()
            if self._failure is None:
                for work in (self._write, self._read):
                    threading.Thread(target=work, daemon=True).start()
            unfinished.pop_all()
        if self._failure is not None:
            self._stderr.close()
            reason = visible(str(self._failure))[:300]
            raise NoAnswer(f"it cannot be started: {reason}")

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command that the user gave
                self._command,
                bufsize=0,  # closing must not try to send what is left
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,
            )
            self.running = True
        except (OSError, ValueError) as error:
            self._failure = error

    def _abandon(self, starting: threading.Thread) -> None:
        """End what may have started just now, and close the pipes to it."""
        starting.join()
        if self.running:
            with self._process:
                self.end()

    def ask(self, request: bytes, timeout: float) -> bytes:
        """The line that it answers to a line, without its end.

        Raises:
            NoAnswer: there was none within so many seconds, or not a whole one; it has been ended.
        """
        self._requests.put(request + b"\n")
        try:
            line = self._lines.get(timeout=timeout)
            self._room.release()
        except queue.Empty:
            self.end()
            raise TimedOut(f"no answer within {timeout:g} s") from None
        if not line:
            raise NoAnswer(self._how_it_ended())
        if not line.endswith(b"\n"):
            self.end()
            raise NoAnswer("the answer is cut off, or too long")
        return line[:-1]

    def say_goodbye(self, request: bytes) -> None:
        """Ask it to end, give it a moment, and end it."""
        try:
            if self.running and self._process.poll() is None:
                self._requests.put(request + b"\n")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_GRACE)
        finally:  # also where somebody is out of patience
            self.end()

    def end(self) -> None:
        """End it now."""
        if not self.running:
            return  # its id could be that of another one by now
        self.running = False
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._requests.put(b"")  # the thread that writes has nothing more to do
        self._stderr.close()

    def _how_it_ended(self) -> str:
        try:
            code: object = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            code = "none: it closed its stdout and went on"
        self._stderr.seek(0, 2)
        self._stderr.seek(max(0, self._stderr.tell() - _TAIL))
        said = self._stderr.read().decode(errors="replace").splitlines()
        self.end()
        lines = [visible(line.strip())[:200] for line in said if line.strip()][-_MOST_SAID:]
        return ": ".join((f"it ended, exit code {code}", *([" | ".join(lines)] if lines else [])))

    def _write(self) -> None:
        """Send requests; a program that does not read them waits for us, and we not for it."""
        _take_no_signals()
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it was started with a pipe
        with contextlib.suppress(OSError), stream:  # it has ended: what it answers says so
            while request := self._requests.get():
                left = memoryview(request)
                while left:
                    left = left[stream.write(left) :]

    def _read(self) -> None:
        """Hand over each line; an empty one, or one without its end, is the last."""
        _take_no_signals()
        raw = self._process.stdout
        assert isinstance(raw, io.RawIOBase)  # noqa: S101 - it was started without a buffer
        with io.BufferedReader(raw) as stream:
            while True:
                line = stream.readline(_MOST_LINE)
                while not self._room.acquire(timeout=_GRACE):
                    if not self.running:
                        return  # nobody will take it
                self._lines.put(line)
                if not line.endswith(b"\n"):
                    return


def _take_no_signals() -> None:
    """Leave those that end a run to the main thread, where the system lets a thread choose."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _OF_MAIN})

"""Who starts a process, asks it, waits for it no longer than allowed, and starts another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

from .answers import LONGEST_ANSWER
from .ending import end, naming, own_folder
from .protocol import BEGUN, LAST, READY

START = 120.0
"""Seconds in which a process must be ready, however busy the machine."""

_MODULE = "memoryfield_fleet.working.child"
_SAFE_PATH = "-P"  # what lies in the current folder is no part of this program


class ChildLost(Exception):
    """The process has no answer.

    Attributes:
        kind: in what way, in one word.
        message: why, in one line.
        hint: what to do about it.
    """

    def __init__(self, kind: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


@dataclass(slots=True)
class _Child:
    """A process.

    Attributes:
        process: it.
        folder: where its temporary files are, and no others.
        lines: that came from it; None is the end of them.
        end: ends it, and what it has started.
    """

    process: subprocess.Popen[bytes]
    folder: Path
    lines: SimpleQueue[bytes | None] = field(default_factory=SimpleQueue)
    end: Callable[[], object] = lambda: None


class Nurse:
    """One process at a time; it is asked by one thread at a time."""

    def __init__(self, memory: int | None = None) -> None:
        """Start nothing yet.

        Arguments:
            memory: bytes that the process may use; None for no bound.
        """
        self.memory = memory
        self._child: _Child | None = None

    @property
    def pid(self) -> int | None:
        """The process that is there; None for none."""
        return None if self._child is None else self._child.process.pid

    def ask(self, request: str, seconds: float) -> str:
        """What the process answers.

        Arguments:
            request: one line.
            seconds: how long it may take; what a process needs to begin is not counted.

        Raises:
            ChildLost: there is no answer; the process is gone.
        """
        child = self._ready()
        try:
            stdin = _pipe(child.process.stdin)
            stdin.write(request.encode("ascii") + b"\n")
            stdin.flush()
        except OSError:
            raise self._death() from None
        self._expect(child, BEGUN)
        deadline = time.monotonic() + seconds
        answer = self._line(child, deadline, seconds)
        if self._line(child, deadline, seconds) == LAST:
            self.close()
        return answer.decode("ascii", "replace")

    def close(self) -> None:
        """End the process, and what it has started."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _ready(self) -> _Child:
        if self._child is not None:
            return self._child
        try:
            self._child = child = _started(self.memory or 0)
            # Also when the thread ends whose nurse this is, or the interpreter.
            child.end = weakref.finalize(self, _end, child.process, child.folder)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ChildLost("NoProcess", f"no process can be started: {reason}") from None
        self._expect(child, READY)
        return child

    def _expect(self, child: _Child, word: bytes) -> None:
        """Wait for a word, whose time does not count."""
        if self._line(child, time.monotonic() + START, START) != word:
            self.close()
            raise ChildLost("NoProcess", "the process that was started is none of this program")

    def _line(self, child: _Child, deadline: float, seconds: float) -> bytes:
        try:
            line = child.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            self.close()
            raise ChildLost(
                "TimeLimit",
                f"took longer than {seconds:g} {'second' if seconds == 1 else 'seconds'}, "
                "and was ended",
                "allow more with --time-limit SECONDS",
            ) from None
        if line is None:
            raise self._death()
        if not line.endswith(b"\n"):
            self.close()
            raise ChildLost("BadAnswer", f"gave an answer of more than {LONGEST_ANSWER} bytes")
        return line

    def _death(self) -> ChildLost:
        """How the process came to its end."""
        child = self._child
        self.close()
        if child is None:
            return ChildLost("ProcessDied", "was ended, as nobody waits for it any more")
        code = child.process.returncode
        if code is not None and code < 0:
            how = f"was ended by {_signal_name(-code)}"
        else:
            how = f"ended by itself, with exit code {code}"
        hint = "perhaps it needs more memory than there is, or than --memory-limit allows"
        return ChildLost("ProcessDied", f"the process that read it {how}", hint)


def _started(memory: int) -> _Child:
    folder = own_folder()
    with ExitStack() as undo:
        undo.callback(folder.rmdir)
        process = subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, _SAFE_PATH, "-m", _MODULE, str(os.getpid()), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Threads of the C library's take address space, of which there may be little.
            env={"MALLOC_ARENA_MAX": "2", **os.environ, **naming(folder)},
            start_new_session=sys.platform != "win32",  # a terminal's SIGINT is for who started it
        )
        undo.pop_all()
    child = _Child(process, folder)
    listener = threading.Thread(target=_listen, args=(_pipe(process.stdout), child.lines))
    listener.daemon = True
    listener.start()
    return child


def _listen(stdout: IO[bytes], lines: SimpleQueue[bytes | None]) -> None:
    """Hand on lines, of a process that may say anything; what is too long has no end."""
    with stdout:
        while line := stdout.readline(LONGEST_ANSWER + 1):
            lines.put(line)
            if not line.endswith(b"\n"):
                break
    lines.put(None)


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    end(process, folder)
    with suppress(OSError):  # what was not written is of no use any more
        _pipe(process.stdin).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 - it was asked for
    return stream


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

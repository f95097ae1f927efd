"""A command while it runs: its time, its memory, its output and what it writes are bounded."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from threading import Condition, Thread, current_thread
from time import monotonic
from typing import IO, BinaryIO, cast

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

MOST_MEMORY = 1024 * 1024 * 1024
"""Bytes that a process may have for itself, where the system (Linux) can be told so: a tree that
explodes, a delta of a few bytes and a ref that leads to a device would take all there is."""

_BYTES_A_SECOND = 16 * 1024
"""A command that gives less than this is not worth waiting for, once its time is over."""

_LOOK_EVERY = 0.05
"""Seconds between two looks at how large a folder has grown."""

_MOST_ERRORS = 16 * 1024
_PATIENCE = 2.0
"""Seconds for what holds the pipes of a command that has ended, and again once it is killed."""


class Running:
    """A child process in a process group of its own, which is ended as one.

    Attributes:
        stdout: what it writes.
        ended_for: why it was ended before it ended by itself; "" if it was not.
        is_too_large: whether what it wrote to disk was more than is taken.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        stdin: BinaryIO | int,
        *,
        timeout: float,
        most_bytes: int | None,
    ) -> None:
        """Start it.

        Arguments:
            command: the program and its arguments; no shell is involved.
            folder: where it runs, and what is watched for its size.
            environment: its whole environment.
            stdin: what it reads.
            timeout: seconds in which its answer must begin, and which it may take; more only while
                it goes on giving bytes at a rate that is worth waiting for.
            most_bytes: how large the folder may grow; None for not looking.
        """
        self.ended_for = ""
        self.is_too_large = False
        self._folder = folder
        self._timeout = timeout
        self._most_bytes = most_bytes
        # What another command has written gives this one no time.
        self._before = _size_of(folder) if most_bytes is not None else 0
        self._errors = b""
        self._changed = Condition()
        self._over = False
        self._is_ended = False
        self._owner = os.getpid()
        self._taken = 0
        self._started: float | None = monotonic()
        self._threads = [
            Thread(target=self._keep_errors, daemon=True, name="memoryfield-git-errors"),
            Thread(target=self._watch, daemon=True, name="memoryfield-git-watch"),
        ]
        self._process = subprocess.Popen(  # noqa: S603 - arguments are a list, and checked
            command,
            cwd=folder,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # no terminal to ask on, and one group to end
        )
        self.stdout = cast(BufferedReader, self._process.stdout)
        # When Python itself ends, a thread may stop while it holds a lock: `end` comes before that.
        atexit.register(self.end)
        _bound_memory(self._process.pid)
        for thread in self._threads:
            thread.start()

    @property
    def stdin(self) -> IO[bytes]:
        """What it reads, if that is a pipe."""
        assert self._process.stdin is not None  # noqa: S101 - asked of such commands alone
        return self._process.stdin

    def begin(self) -> None:
        """Count its time from now on."""
        with self._changed:
            self._taken = 0
            self._started = monotonic()
            self._changed.notify()

    def rest(self) -> None:
        """Count no time until `begin`: nothing is asked of it."""
        with self._changed:
            self._started = None

    def took(self, count: int) -> None:
        """Say that it has given so many more bytes."""
        self._taken += count

    def wait(self) -> int:
        """How it ended; negative for a signal."""
        status = self._process.wait()
        with self._changed:
            self._over = True
            self._changed.notify()
        errors, watch = self._threads
        _join(watch)
        _join(errors, _PATIENCE)
        if errors.is_alive():  # something that it left behind still holds its pipe
            self._kill()
            _join(errors, _PATIENCE)
        self._is_within(_size_of(self._folder) if self._most_bytes is not None else 0)
        return status

    def errors(self) -> bytes:
        """The beginning of what it wrote to its standard error, once it has ended."""
        return self._errors

    def end(self) -> None:
        """End it, if it still runs, with all that it started, and let go of its pipes.

        That is done once: when it is called, when the program ends, or when nobody has it any more.
        """
        if self._is_ended or os.getpid() != self._owner:  # a fork has no say in it
            return
        if self._process.poll() is None:
            self._kill()
        self.wait()
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # what it had not read yet is of no use
                self._process.stdin.close()
        self.stdout.close()
        self._is_ended = True
        atexit.unregister(self.end)

    def _keep_errors(self) -> None:
        """Keep what it says, up to the end of its pipe, which nothing else reads or closes.

        The bytes do not come through the buffer of the pipe, whose lock would be held meanwhile.
        """
        with cast(BufferedReader, self._process.stderr) as pipe:
            while piece := os.read(pipe.fileno(), _MOST_ERRORS):
                self._errors += piece[: _MOST_ERRORS - len(self._errors)]

    def _watch(self) -> None:
        with self._changed:
            while not self._over:
                reason, pause = self._judge()
                if reason:
                    self.ended_for = reason
                    self._kill()
                    return
                self._changed.wait(pause)

    def _judge(self) -> tuple[str, float | None]:
        """Why the command is to be ended now, or in how many seconds to look again."""
        taken = self._taken
        if self._most_bytes is not None:
            size = _size_of(self._folder)
            if not self._is_within(size):
                return self.ended_for, 0
            taken = max(0, size - self._before)
        if self._started is None:
            return "", None
        allowed = self._timeout + taken / _BYTES_A_SECOND
        left = self._started + allowed - monotonic()
        if left <= 0:
            return f"it took more than {_seconds(allowed)}", 0
        return "", left if self._most_bytes is None else min(left, _LOOK_EVERY)

    def _is_within(self, size: int) -> bool:
        """Whether so many bytes on disk are not too many."""
        if self._most_bytes is not None and size > self._most_bytes:
            self.is_too_large = True
            self.ended_for = f"more than {self._most_bytes} bytes, which is the limit"
        return not self.is_too_large

    def _kill(self) -> None:
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except (ProcessLookupError, PermissionError):
            pass  # it has ended by itself


def _seconds(count: float) -> str:
    number = f"{count:.0f}" if count >= 10 else f"{count:.2g}"
    return f"{number} second" if number == "1" else f"{number} seconds"


def _join(thread: Thread, seconds: float | None = None) -> None:
    """Wait for a thread that was started, unless it is this one: garbage is collected in any."""
    if thread.ident is not None and thread is not current_thread():
        thread.join(seconds)


def _bound_memory(process: int) -> None:
    """Bound the memory of a process, and of those that it starts from now on."""
    if hasattr(resource, "prlimit"):
        with suppress(OSError, ValueError):  # it has ended, or has less already
            resource.prlimit(process, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _size_of(folder: Path) -> int:
    """Bytes of the packs in a git directory: all that a fetch writes at length."""
    total = 0
    for below in ("objects/pack", "objects"):
        try:
            with os.scandir(folder / below) as items:
                for item in items:
                    total += _size_of_file(item)
        except FileNotFoundError:
            continue
    return total


def _size_of_file(item: os.DirEntry[str]) -> int:
    try:
        status = item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return 0  # renamed or removed since
    return status.st_size if item.is_file(follow_symlinks=False) else 0

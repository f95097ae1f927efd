"""A writer that is ended, or told of an error, at the nth of its calls that write.

The calls of `os` that change what is on a disk are steps. What is written or copied is so in two
halves, each a step of its own, so that a file may be cut in the middle. Whether there are no others
can be seen with `strace`: `system_calls` finds those in what it tells, and they must be as many as
steps. (A file object of Python's writes past `os`: a writer that uses one opens it with
`buffering=0` and writes through its descriptor.)
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

CRASHED = 77
"""The exit code of a process that was ended at a step."""

At: TypeAlias = Callable[[int, str], None]
"""Called before each step with its number, from 1, and the name of the call."""

_IN_HALVES = ("write", "copy_file_range")
_WHOLE = ("mkdir", "link", "symlink", "rename", "replace", "unlink", "remove", "rmdir", "fsync",
          "fdatasync", "fchmod", "chmod", "fchown", "chown", "utime", "setxattr", "removexattr",
          "ftruncate", "truncate", "pwrite", "sendfile", "posix_fallocate", "mkfifo",
          "mknod")  # fmt: skip
_OPENED_TO_WRITE = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_RDWR

_SYSTEM_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")
_WRITING_CALLS = re.compile(
    r"p?write(?:v|64|v2)?|mkdir(?:at)?|link(?:at)?|symlink(?:at)?|rename(?:at2?)?|unlink(?:at)?|"
    r"rmdir|f(?:data)?sync|syncfs?|sync_file_range|f?chmod(?:at2?)?|[fl]?chown(?:at)?|"
    r"utime(?:s|nsat)?|futimesat|[fl]?(?:set|remove)xattr|f?truncate|sendfile|copy_file_range|"
    r"fallocate|mknod(?:at)?|splice|creat"
)


class Stepping:
    """Makes steps of the calls that write, while it is entered."""

    def __init__(self, at: At) -> None:
        """Take what is called before each step."""
        self._at = at
        self._real: dict[str, Any] = {}
        self.taken: list[str] = []

    def __enter__(self) -> Stepping:
        for name in ("open", *_IN_HALVES, *_WHOLE):
            if hasattr(os, name):
                self._real[name] = getattr(os, name)
                setattr(os, name, self._stepping(name, self._real[name]))
        return self

    def __exit__(self, *_: object) -> None:
        for name, call in self._real.items():
            setattr(os, name, call)

    def _step(self, name: str) -> None:
        self.taken.append(name)
        self._at(len(self.taken), name)

    def _stepping(self, name: str, call: Any) -> Any:
        def opening(path: Any, flags: int, *others: Any, **named: Any) -> Any:
            if flags & _OPENED_TO_WRITE:
                self._step("open")
            return call(path, flags, *others, **named)

        def writing(descriptor: int, data: Any) -> int:
            view = memoryview(data)
            half = len(view) // 2
            self._step("write")
            done: int = call(descriptor, view[:half])
            if done < half:
                return done
            self._step("write")
            rest: int = call(descriptor, view[half:])
            return done + rest

        def copying(source: int, to: int, count: int, at: int) -> int:
            half = count // 2
            self._step("copy_file_range")
            done: int = call(source, to, half, at)
            if done < half:
                return done
            self._step("copy_file_range")
            rest: int = call(source, to, count - half, at + half)
            return done + rest

        def whole(*arguments: Any, **named: Any) -> Any:
            self._step(name)
            return call(*arguments, **named)

        own = {"open": opening, "write": writing, "copy_file_range": copying}
        made: Any = own.get(name, whole)
        supports = (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)
        for supported in supports:  # whoever asks for what a call can do asks for this one now
            if call in supported:
                supported.add(made)
        return made


def crash_at(nth: int) -> At:
    """End this process before a step, as if it were killed."""

    def at(number: int, name: str) -> None:
        if number == nth:
            os._exit(CRASHED)

    return at


def fail_at(
    nth: int, code: int, *, ever_after: bool = False, only: frozenset[str] = frozenset()
) -> At:
    """Let a step fail, or all from there on, with an error number of the system."""

    def at(number: int, name: str) -> None:
        if (number == nth or (ever_after and number > nth)) and (not only or name in only):
            raise OSError(code, os.strerror(code))

    return at


def raise_at(nth: int, error: Callable[[], BaseException]) -> At:
    """Let something else be raised at a step, such as an interrupt."""

    def at(number: int, name: str) -> None:
        if number == nth:
            raise error()

    return at


def every_crash(
    folder: Path,
    prepare: Callable[[Path], None],
    act: Callable[[Path], None],
    check: Callable[[Path, int, bool], None],
    *,
    first: int = 1,
) -> int:
    """End an action at each of its steps, and look at what is left; at how many it was ended.

    The process must have no threads, as it forks.

    Arguments:
        folder: where each try gets a place of its own, removed afterwards.
        prepare: makes such a place.
        act: does it, in a child process.
        check: is told the place, the number of the step, and whether it came through.
        first: the first step to end it at.
    """
    prepare(folder / "once")
    act(folder / "once")  # what is imported late is imported now, not in each child
    _remove(folder / "once")
    for nth in count(first):
        place = folder / f"at-{nth}"
        prepare(place)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with Stepping(crash_at(nth)):
                    act(place)
                code = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code not in (0, CRASHED):
            raise AssertionError(f"step {nth}: the writer failed by itself, with {code}")
        check(place, nth, code == 0)
        _remove(place)
        if code == 0:
            return nth - first
    raise AssertionError("not reached")


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


@contextmanager
def marked(name: str) -> Iterator[None]:
    """Show in what `strace` tells where something begins and ends."""
    begin_or_end = Path("/memoryfield-no-such-file")
    os.path.lexists(begin_or_end / f"{name}-begin")
    try:
        yield
    finally:
        os.path.lexists(begin_or_end / f"{name}-end")


def system_calls(trace: str, name: str) -> list[str]:
    """The calls that write among those that `strace` told between two marks."""
    lines = trace.splitlines()
    begin, end = (
        next(at for at, line in enumerate(lines) if f"{name}-{mark}" in line)
        for mark in ("begin", "end")
    )
    found = []
    for line in lines[begin:end]:
        matched = _SYSTEM_CALL.match(line)
        if matched is None:
            continue
        call, rest = matched.groups()
        if call in ("open", "openat", "openat2"):
            if re.search(r"O_(?:CREAT|TRUNC|WRONLY|RDWR)", rest):
                found.append("open")
        elif _WRITING_CALLS.fullmatch(call):
            found.append(call)
    return found

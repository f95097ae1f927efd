"""Work in forked processes: bounded in time and memory, two or more at once, one answer each."""

from __future__ import annotations

import os
import pickle
import resource
import selectors
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

Key = TypeVar("Key")
Work: TypeAlias = Callable[[], Any]

_MOST_MEMORY = 1 << 30
"""Beyond what the process that was forked holds: that may have been at other work before."""
_FIRST_SECONDS = 20.0
_REAL_FOR_CPU = 15
"""How much more time may pass on the wall than on the processor: others work here too."""
_OUT_OF_TIME = frozenset({signal.SIGPROF, signal.SIGALRM})


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended.

    Attributes:
        how: "done", "crashed" or "out of time".
        answer: what the work returned, if it is done; else the last line of what is known.
    """

    how: Literal["done", "crashed", "out of time"]
    answer: Any


@dataclass(slots=True)
class _Child(Generic[Key]):
    key: Key
    process: int
    data: list[bytes] = field(default_factory=list)


def allow(seconds: float) -> None:
    """Let this process have so many seconds of the processor from now on, and then no more."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * _REAL_FOR_CPU)


def in_children(jobs: Iterable[tuple[Key, Work]], *, at_once: int) -> Iterator[tuple[Key, End]]:
    """Do each job in a process of its own, and give the ends as they come.

    What a job returns has to be made of built-in types.
    """
    waiting = iter(jobs)
    with selectors.DefaultSelector() as running:
        while True:
            while len(running.get_map()) < at_once and (job := next(waiting, None)) is not None:
                pipe, child = _start(*job)
                running.register(pipe, selectors.EVENT_READ, child)
            if not running.get_map():
                return
            for ready, _ in running.select():
                pipe, child = ready.fd, ready.data
                data = os.read(pipe, 1 << 20)
                if data:
                    child.data.append(data)
                    continue
                running.unregister(pipe)
                os.close(pipe)
                yield child.key, _end_of(child)


def _start(key: Key, work: Work) -> tuple[int, _Child[Key]]:
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        _work_in_child(work, writer)
    os.close(writer)
    return reader, _Child(key, process)


def _work_in_child(work: Work, writer: int) -> None:
    """Do the work, say what came of it, and end the process whatever happens."""
    try:
        for sign in _OUT_OF_TIME:
            signal.signal(sign, signal.SIG_DFL)
        allow(_FIRST_SECONDS)
        with suppress(ValueError):  # macOS has no such bound
            most = _held() + _MOST_MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        try:
            said = (True, work())
        except BaseException as error:  # a mutant may raise anything
            said = (False, traceback.format_exception_only(error)[-1].strip())
        allow(_FIRST_SECONDS)
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(said, pipe)
    finally:
        os._exit(0)


def _held() -> int:
    """The bytes of this process's addresses, or 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _end_of(child: _Child[Key]) -> End:
    _, status = os.waitpid(child.process, 0)
    if os.WIFSIGNALED(status):
        sign = os.WTERMSIG(status)
        how: Literal["crashed", "out of time"] = (
            "out of time" if sign in _OUT_OF_TIME else "crashed"
        )
        return End(how, signal.Signals(sign).name)
    data = b"".join(child.data)
    if not data:
        return End("crashed", "the process ended without a word")
    well, answer = pickle.loads(data)
    return End("done" if well else "crashed", answer)

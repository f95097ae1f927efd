"""The same work on many things in several processes, with the results in the order of the things.

Each worker is asked over a pipe of its own. So a worker that is killed is noticed at once (the
executor of `concurrent.futures` may wait for ever when one dies while it is being asked), and a
worker whose parent is gone ends by itself.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import TypeVar, cast

from memoryfield_readers import SourceUnavailable

T = TypeVar("T")
R = TypeVar("R")

_MOST_WORKERS = 60
"""More processes than these Windows cannot wait for."""
_MOST_AT_ONCE = 8
"""Things that a worker gets at a time: asking costs little then, and an interruption is quick."""


def side_by_side(work: Callable[[T], R], things: Sequence[T], workers: int) -> Iterator[R]:
    """Do a work on each thing, on several at a time.

    Arguments:
        work: what to do; it is sent to the workers, as things and results are.
        things: what to do it on.
        workers: how many processes to start.

    Raises:
        SourceUnavailable: a worker was ended from outside, as systems short of memory do it.
    """
    workers = max(1, min(workers, len(things), _MOST_WORKERS))
    size = max(1, min(_MOST_AT_ONCE, len(things) // (workers * 4)))
    parts = [things[at : at + size] for at in range(0, len(things), size)]
    # A fresh process has no threads or locks of this one, on every system.
    context = get_context("spawn")
    processes = []
    pipes: list[Connection] = []
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, work), daemon=True)
            with _undisturbed():
                process.start()
            theirs.close()
            processes.append(process)
            pipes.append(ours)
        yield from _ordered(pipes, parts)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.terminate()
            process.join()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let no SIGINT of the terminal reach a worker that is just being started.

    It would tell of it at length. A process that is started takes over that a signal is ignored,
    until it says otherwise; only the main thread can say so here.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def _ordered(pipes: Sequence[Connection], parts: Sequence[Sequence[T]]) -> Iterator[R]:
    """Give out the parts, one after the other to whoever is free, and put results in order."""
    waiting = iter(enumerate(parts))
    asked: dict[Connection, int] = {}
    answered: dict[int, list[R]] = {}
    following = 0
    try:
        for pipe in pipes:
            _ask(pipe, waiting, asked)
        while asked:
            for pipe in cast("list[Connection]", wait(list(asked))):
                answered[asked.pop(pipe)] = pipe.recv()
                _ask(pipe, waiting, asked)
            while following in answered:
                yield from answered.pop(following)
                following += 1
    except (EOFError, OSError) as error:
        raise SourceUnavailable(
            "a process that checked fields was ended from outside",
            hint="check one field at a time, with --jobs 1, to see which one it was",
        ) from error


def _ask(
    pipe: Connection, waiting: Iterator[tuple[int, Sequence[T]]], asked: dict[Connection, int]
) -> None:
    for number, part in waiting:
        pipe.send(part)
        asked[pipe] = number
        return


def _work(pipe: Connection, work: Callable[[T], R]) -> None:
    """What a worker does until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the one who started it speaks for all
    with closing(pipe), suppress(EOFError, OSError):
        while True:
            pipe.send([work(thing) for thing in pipe.recv()])

"""The same work on many things in several threads, for work that mostly waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias, TypeVar

from ..errors import MemoryfieldError

T = TypeVar("T")
R = TypeVar("R")

_Task: TypeAlias = "tuple[T, Future[R | MemoryfieldError]]"


def side_by_side(
    work: Callable[[T], R], things: Sequence[T], at_once: int
) -> Iterator[tuple[T, R | MemoryfieldError]]:
    """Do a work on each thing, on several at a time; results come as they are ready.

    An error of ours is a result; any other one ends it all. What has not begun when nobody wants
    more results is never begun, and nobody waits for what has: an interrupted program ends at once.

    Arguments:
        work: what to do, from any thread.
        things: what to do it on.
        at_once: how many threads to use at most.
    """
    if at_once == 1 or len(things) < 2:
        for thing in things:
            yield thing, _outcome(work, thing)
        return
    asked: SimpleQueue[_Task[T, R] | None] = SimpleQueue()
    done: SimpleQueue[_Task[T, R]] = SimpleQueue()
    waiting = iter(things)
    threads = min(at_once, len(things))
    try:
        # No more is asked for than is being worked on: who stops listening has asked for no more.
        for thing in islice(waiting, threads):
            asked.put((thing, Future()))
            # Those of an executor would be waited for, when the program is to end.
            Thread(target=_work_off, args=(work, asked, done), daemon=True).start()
        for _ in things:
            thing, future = done.get()
            yield thing, future.result()
            for following in islice(waiting, 1):
                asked.put((following, Future()))
    finally:
        for _ in range(threads):
            asked.put(None)


def _work_off(
    work: Callable[[T], R],
    asked: SimpleQueue[_Task[T, R] | None],
    done: SimpleQueue[_Task[T, R]],
) -> None:
    while (task := asked.get()) is not None:
        thing, future = task
        try:
            future.set_result(_outcome(work, thing))
        except BaseException as error:  # handed to who waits for it, whatever it is
            future.set_exception(error)
        done.put(task)


def _outcome(work: Callable[[T], R], thing: T) -> R | MemoryfieldError:
    try:
        return work(thing)
    except MemoryfieldError as error:
        return error

"""What may be begun now: so many at once, so many of one host, and none of a host that is busy.

It knows of no clock and of no cluster: who uses it says what time it is.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

HERE = ""
"""The host that is this machine: it is asked as much at once as may be in flight."""

FOR_MANY = "s3://"
"""How hosts begin that many may ask at once: they say so when it is too much for them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may go on at once.

    Attributes:
        in_flight: things, of all hosts.
        batches: groups of things that are done one after the other.
        per_host: groups of one host that is not this machine; None where that was not said.
        usual: the same where it was not said, of a host that is not made for many to ask at once,
            as S3 is; None for no bound.
        workers: how many groups are worked on at once; one host leaves one of these to others that
            wait, as it may never answer. None where that is not known.
    """

    in_flight: int
    batches: int
    per_host: int | None = None
    usual: int | None = None
    workers: int | None = None

    def of(self, host: str) -> int | None:
        """How many groups of a host may be begun; None for no other bound than those of all."""
        if host == HERE:
            return None
        if self.per_host is None and host.startswith(FOR_MANY):
            return None
        return self.usual if self.per_host is None else self.per_host

    def beside_others(self, host: str) -> int | None:
        """How many groups of a host may be begun while other hosts wait; None for no bound."""
        most = self.of(host)
        if host == HERE or self.workers is None:
            return most
        share = max(1, self.workers - 1)
        return share if most is None else min(most, share)


class Window(Generic[T]):
    """Things that wait for their turn, and how many are in flight.

    Hosts take turns, so that one with many fields keeps no other waiting; of one host, what came
    first is begun first.

    Attributes:
        limits: may be others from one moment to the next.
    """

    def __init__(self, limits: Limits, is_alone: Callable[[T], bool]) -> None:
        """Begin with nothing.

        Arguments:
            limits: how much may go on at once.
            is_alone: whether a thing is to be begun in a group of its own.
        """
        self.limits = limits
        self._is_alone = is_alone
        self._batches: Counter[str] = Counter()
        self._in_flight = 0
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()
        self._ready = 0
        self._later: list[tuple[float, int, str, T]] = []
        self._held: dict[str, float] = {}
        self._numbers = itertools.count()

    @property
    def in_flight(self) -> int:
        """How many were begun, and are not done."""
        return self._in_flight

    @property
    def waiting(self) -> int:
        """How many wait for their turn, and for no certain time."""
        return self._ready

    def add(self, thing: T, host: str, not_before: float = 0.0) -> None:
        """Let something wait for its turn.

        Arguments:
            thing: what is to be begun.
            host: whom it is asked of.
            not_before: when it may be begun at the earliest.
        """
        if not_before > 0.0:
            heapq.heappush(self._later, (not_before, next(self._numbers), host, thing))
        else:
            self._queue(thing, host)

    def hold(self, host: str, until: float) -> None:
        """Begin nothing of a host before a time; a later one that was said before stands."""
        self._held[host] = max(until, self._held.get(host, until))

    def take(self, now: float, most: int = 1) -> list[T]:
        """What is begun now, one after the other, all of one host; it counts as in flight.

        Arguments:
            now: the time.
            most: how many at most; none are given where nothing may be begun.
        """
        self._wake(now)
        most = min(most, self.limits.in_flight - self._in_flight)
        if most < 1 or self._batches.total() >= self.limits.batches:
            return []
        # A host that is left alone for now has no use for what others leave to it.
        bound = self.limits.beside_others if self._able() > 1 else self.limits.of
        host = next((each for each in self._waiting if self._may_begin(each, bound)), None)
        if host is None:
            return []
        queue = self._waiting[host]
        taken = [queue.popleft()]
        if not self._is_alone(taken[0]):
            while queue and len(taken) < most and not self._is_alone(queue[0]):
                taken.append(queue.popleft())
        if queue:
            self._waiting.move_to_end(host)
        else:
            del self._waiting[host]
        self._batches[host] += 1
        self._in_flight += len(taken)
        self._ready -= len(taken)
        return taken

    def done(self, host: str, count: int = 1) -> None:
        """A group of so many of a host is in flight no longer."""
        self._in_flight -= count
        self._batches[host] -= 1
        if not self._batches[host]:
            del self._batches[host]

    def due(self) -> float | None:
        """When something may be begun that may not be begun now, if nothing ends before.

        None where time alone changes nothing.
        """
        times = [until for host, until in self._held.items() if host in self._waiting]
        if self._later:
            times.append(self._later[0][0])
        return min(times, default=None)

    def _wake(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            _, _, host, thing = heapq.heappop(self._later)
            self._queue(thing, host)
        if self._held:
            self._held = {host: until for host, until in self._held.items() if until > now}

    def _able(self) -> int:
        """How many of the hosts that wait are not left alone."""
        return len(self._waiting) - sum(host in self._waiting for host in self._held)

    def _may_begin(self, host: str, bound: Callable[[str], int | None]) -> bool:
        if host in self._held:
            return False
        most = bound(host)
        return most is None or self._batches[host] < most

    def _queue(self, thing: T, host: str) -> None:
        self._waiting.setdefault(host, deque()).append(thing)
        self._ready += 1

"""A job over many fields: sent to workers in bounds, taken back as they are done, tried again."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from random import uniform
from typing import Any

from memoryfield_readers import MemoryfieldError, SourceUnavailable

from ..values import Job, Row, Target
from ..working import Answer, job_text, read_answer, stop, target_text, work
from ..working.answers import error_facts, failed, trouble
from .clusters import Cluster
from .feeding import Feeder
from .settling import Found, Known, of_worker, settled
from .window import Limits, Window

AHEAD = 1_000
"""So many targets more than may be in flight are taken from a listing before their turn."""

_A_THREAD = 2
"""Tasks sent out for each that is done: a worker need not wait for its next one."""
_MOST_A_TASK = 16
_WORTH = 0.4
"""Seconds that a task should take, so that sending it is little beside it."""
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
_USUAL_HOLD = 15.0
_LONGEST_HOLD = 300.0
_GLANCE = 1.0
"""Seconds after which it is looked whether the scheduler is still there."""
_COUNTING = 5.0
"""Seconds after which it is looked how many workers there are."""
_LONGEST_ALONE = 300.0
_FETCHING = 5.0
"""Seconds in which the answers of a task that is done must be here: its worker may have died."""


_LOST = trouble("WorkerLost", "the worker died that was to do it")

USUAL_PER_HOST = 16
"""So many fields of one host are read at once where nobody says how many."""


def run_fleet(
    targets: Iterable[Found],
    job: Job,
    known: Known,
    cluster: Cluster,
    *,
    in_flight: int | None = None,
    per_host: int | None = None,
    notice: Callable[[str], object] | None = None,
) -> Iterator[Row]:
    """What comes of a job on each field, in the order in which they are done.

    Nothing is sent but texts of locations and options. To close the iterator ends what is under
    way; so does SIGINT. Each target gives one row: "same" where what is known still holds, "failed"
    with its reason after as many tries as make sense.

    Arguments:
        targets: the fields; it may be slow, and is read in a thread of its own.
        job: what is done to each.
        known: what is known already; it is asked in that thread.
        cluster: who does it.
        in_flight: how many fields are sent out at once; None for as many as keep all workers busy.
        per_host: how many of one host are read at once; None for `USUAL_PER_HOST`, or, of S3, for
            no other bound. A host that says that it has too much to do is left alone for a while.
        notice: told in a line what a person should know meanwhile, as that there is no worker.

    Raises:
        LocationError: the options of the job mean nothing, or must not travel.
        SourceUnavailable: the scheduler is gone.
        Exception: what the iterator of targets raises, when what was found before is done.
    """
    with closing(_Run(job, cluster, in_flight, per_host, notice)) as run:
        yield from run.rows(targets, known)


@dataclass(slots=True)
class _Item:
    """A field under way.

    Attributes:
        target: which.
        text: as it is sent.
        tries: how often it was tried.
        is_suspect: whether a worker died that had it, perhaps for another one.
    """

    target: Target
    text: str
    tries: int = 0
    is_suspect: bool = False


def _is_alone(item: _Item) -> bool:
    """Whether a field goes into no task with others: it has failed, or may have killed them."""
    return item.tries > 0 or item.is_suspect


@dataclass(frozen=True, slots=True)
class _Done:
    """The task of this number has come to an end."""

    number: int


@dataclass(frozen=True, slots=True)
class _End:
    """There are no more targets."""

    broken: Exception | None


class _Run:
    """One run; what happens elsewhere comes in by one queue."""

    def __init__(
        self,
        job: Job,
        cluster: Cluster,
        in_flight: int | None,
        per_host: int | None,
        notice: Callable[[str], object] | None,
    ) -> None:
        self._job = job
        self._job_text = job_text(job)
        self._cluster = cluster
        self._client = cluster.client
        self._wanted = in_flight, per_host
        self._notice = notice
        self._is_told = False
        self._threads = max(1, cluster.threads)
        self._counted = self._last_seen = time.monotonic()
        self._usual = _WORTH
        self._window: Window[_Item] = Window(self._limits(), _is_alone)
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._futures: dict[int, tuple[Any, list[_Item]]] = {}
        self._feeder: Feeder | None = None
        # All tasks of a run are of one group of the scheduler's, which goes when the last has gone.
        self._name = f"memoryfield-{job.kind}-{uuid.uuid4().hex}"
        self._sent = 0
        self._open = 0
        self._end: _End | None = None

    def rows(self, targets: Iterable[Found], known: Known) -> Iterator[Row]:
        """All rows; see `run_fleet`."""

        def give(found: Found) -> None:
            self._events.put(self._found(found, known))

        def end(broken: Exception | None) -> None:
            self._events.put(_End(broken))

        places = self._window.limits.in_flight + AHEAD
        feeder = self._feeder = Feeder(targets, places, give, end)
        while self._end is None or self._open:
            for event in self._happened():
                for row in self._rows_of(event):
                    feeder.done()
                    self._open -= 1
                    yield row
            self._begin()
        if self._end.broken is not None:
            raise self._end.broken

    def close(self) -> None:
        """Let go of everything that is under way."""
        if self._feeder is not None:
            self._feeder.stop()
        futures = [future for future, _ in self._futures.values()]
        self._futures.clear()
        if futures and self._client.status == "running":
            with suppress(OSError, TimeoutError):  # then there is nobody who would go on
                self._client.cancel(futures, force=True)
                # What a worker has begun it would go on with, up to the time limit.
                self._client.run(stop, self._name, on_error="ignore")
        for future in futures:
            future.release()

    def _happened(self) -> list[Any]:
        """What has happened since, after a while if nothing has."""
        due = self._window.due()
        rest = _GLANCE if due is None else min(_GLANCE, max(0.0, due - time.monotonic()))
        events = []
        try:
            events.append(self._events.get(timeout=rest))
            while True:
                events.append(self._events.get_nowait())
        except Empty:
            pass
        if not events and self._futures and self._client.status not in ("running", "newly-created"):
            raise self._gone()
        return events

    def _rows_of(self, event: Any) -> Iterator[Row]:
        """The rows that an event brings."""
        if isinstance(event, _End):
            self._end = event
        elif isinstance(event, Row):
            self._open += 1
            yield event
        elif isinstance(event, _Item):
            self._open += 1
            self._window.add(event, event.target.host)
        else:
            future, items = self._futures[event.number]
            answers = self._answers(future, items)
            if answers is None:
                future.add_done_callback(partial(self._tell, event.number))
                return
            del self._futures[event.number]
            self._window.done(items[0].target.host, len(items))
            future.release()
            for item, answer in zip(items, answers, strict=False):
                if (row := self._settled(item, answer)) is not None:
                    yield row
            for item in items[len(answers) :]:  # their turn did not come, or comes again
                self._window.add(item, item.target.host)

    def _found(self, found: Found, known: Known) -> _Item | Row:
        """What is to be done, or the row where nothing has to be; in the thread of the listing."""
        row = settled(found, self._job, known)
        if row is not None:
            return row
        assert isinstance(found, Target)  # noqa: S101 - what is refused is settled
        if found.version is None:
            found = replace(found, known=known(found))
        try:
            return _Item(found, target_text(found))
        except MemoryfieldError as error:
            answer = failed(self._job, found, error_facts(error), passing=False)
            return replace(answer.row, attempts=0)

    def _settled(self, item: _Item, answer: Answer) -> Row | None:
        """The row, if this try is the last; else it is made again in a while."""
        item.tries += 1
        self._usual += (answer.row.seconds - self._usual) / _MOST_A_TASK
        now = time.monotonic()
        host = item.target.host
        if answer.busy is not None:
            self._window.hold(host, now + min(answer.busy or _USUAL_HOLD, _LONGEST_HOLD))
        wants_again = answer.passing or answer.busy is not None
        if answer.row.state != "failed" or not wants_again or item.tries > self._job.retries:
            row = answer.row if self._cluster.is_local else of_worker(answer.row)
            return replace(row, attempts=item.tries)
        most = min(_FIRST_PAUSE * 2.0**item.tries, _LONGEST_PAUSE)
        self._window.add(item, host, now + uniform(most / 2, most))  # noqa: S311 - no secret
        return None

    def _answers(self, future: Any, items: list[_Item]) -> list[Answer] | None:
        """What a task has come to: an answer to each that was tried.

        None where its worker died before the answers were fetched, and another one makes them anew.
        """
        if future.status == "cancelled":
            raise self._gone()
        try:
            texts = json.loads(future.result(_FETCHING))
        except MemoryfieldError as error:
            return self._failed(items, error_facts(error))
        except (OSError, TimeoutError):
            if self._client.status != "running":
                raise self._gone() from None
            if future.status == "pending":
                return None
            return self._lost(items)
        except Exception as error:  # what a task raises, or became of it, may be of any kind
            return self._unfit(items, error)
        if not isinstance(texts, list) or not texts:
            texts = [""] * len(items)  # which are no answers
        told = zip(items, texts, strict=False)
        return [read_answer(text, self._job, item.target) for item, text in told]

    def _unfit(self, items: list[_Item], error: Exception) -> list[Answer]:
        """The answers where a worker died, or is none that can do the work."""
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        if isinstance(error, FutureCancelledError):
            raise self._gone()
        if isinstance(error, KilledWorker):
            return self._lost(items)
        message = f"the worker cannot do it ({type(error).__name__})"
        hint = "install memoryfield-kit[fleet] on every worker, in the version that runs here"
        return self._failed(items, trouble("WorkerUnfit", message, hint))

    def _lost(self, items: list[_Item]) -> list[Answer]:
        """The answer where a worker died: none the first time, so that all are tried once more.

        Whatever the worker had is lost, and at most one of it has killed it.
        """
        if all(item.is_suspect for item in items):
            return self._failed(items, _LOST, passing=True)
        for item in items:
            item.is_suspect = True
        return []

    def _failed(
        self, items: list[_Item], facts: Mapping[str, Any], *, passing: bool = False
    ) -> list[Answer]:
        return [failed(self._job, item.target, facts, passing=passing) for item in items]

    def _limits(self) -> Limits:
        in_flight, per_host = self._wanted
        batches = self._threads * _A_THREAD
        fields = in_flight or batches * _MOST_A_TASK
        return Limits(fields, batches, per_host, USUAL_PER_HOST, self._threads)

    def _size(self) -> int:
        """How many fields go into a task: quick ones together, as long as all workers have some."""
        limits = self._window.limits
        return max(
            1,
            min(
                _MOST_A_TASK,
                int(_WORTH / max(self._usual, _WORTH / _MOST_A_TASK)),
                limits.in_flight // limits.batches,
                self._window.waiting // limits.batches,
            ),
        )

    def _count(self) -> None:
        """See how many workers there are by now, and that there are some.

        Raises:
            SourceUnavailable: there have been none for too long.
        """
        now = time.monotonic()
        if now < self._counted + _COUNTING:
            return
        self._counted = now
        try:
            threads = sum(self._client.nthreads().values())
        except (OSError, TimeoutError):
            return  # a scheduler that is gone is seen elsewhere
        if threads:
            self._last_seen, self._is_told = now, False
        elif not self._is_told and not self._cluster.is_local and self._notice is not None:
            self._is_told = True
            self._notice(
                f"there is no worker at {self._cluster.address}; the run ends if none comes "
                f"within {_LONGEST_ALONE / 60:.0f} minutes"
            )
        if now > self._last_seen + _LONGEST_ALONE:
            raise SourceUnavailable(
                f"there has been no worker for {_LONGEST_ALONE:.0f} seconds",
                location=self._cluster.address,
                hint="start some, such as with `dask worker`; run the same again to go on",
            )
        if not self._cluster.is_local:
            self._threads = max(1, threads)
            self._window.limits = self._limits()
        elif threads < self._threads:
            self._client.cluster.scale(self._threads)  # in place of those that are not begun anew

    def _begin(self) -> None:
        """Send out what may be sent."""
        self._count()
        while items := self._window.take(time.monotonic(), self._size()):
            number = self._sent = self._sent + 1
            try:
                future = self._client.submit(
                    work,
                    self._job_text,
                    json.dumps([item.text for item in items]),
                    self._name,
                    key=(self._name, number),
                    pure=False,
                )
                self._futures[number] = future, items
                future.add_done_callback(partial(self._tell, number))
            except (OSError, RuntimeError) as error:
                raise self._gone() from error

    def _tell(self, number: int, future: Any) -> None:
        self._events.put(_Done(number))

    def _gone(self) -> SourceUnavailable:
        return SourceUnavailable(
            "the scheduler went away; what was done before is in the results",
            location=self._cluster.address,
            hint="run the same again: it goes on where this ended",
        )

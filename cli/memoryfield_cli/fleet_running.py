"""A job on many fields, from the patterns to the exit code; whatever ends it, the totals stand."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import click

from memoryfield_readers import MemoryfieldError, local_path
from memoryfield_spec import Level

from .fleet_options import Plan
from .fleet_progress import Tell, fleet_bar, reading_bar
from .fleet_signals import Signals
from .fleet_table import print_summary
from .output import complain, say, warn
from .rendering import for_stdout

if TYPE_CHECKING:
    from memoryfield_fleet import Kind, Row
    from memoryfield_fleet.cluster import Found
    from memoryfield_fleet.results import Recording

NOTHING_MEANT = 1
"""The exit code where the patterns stand for no field at all."""

_OF_SIGNALS = 128


def run(kind: Kind, plan: Plan, options: dict[str, Any], *, fail_on: Level = "error") -> int:
    """Do a job on many fields, print what came of it, and say what the exit code is.

    Arguments:
        kind: what is done to each.
        plan: which fields, and how.
        options: what else the job takes along.
        fail_on: the mildest level of a finding that makes the exit code 1.

    Raises:
        click.UsageError: the results would stand in a field that is meant.
        WriteConflict: another run writes its results there, or they are of another kind of job.
        MemoryfieldError: an option means nothing, there is no cluster, or the results cannot be
            kept; what was done before that is kept and summed up.
    """
    from memoryfield_fleet import Job
    from memoryfield_fleet.cluster import open_cluster, run_fleet, settled
    from memoryfield_fleet.expanding import targets
    from memoryfield_fleet.results import Recording, open_results
    from memoryfield_fleet.working import check_options

    job = Job(kind, {**plan.options, **options}, plan.seconds, plan.memory, plan.retries)
    check_options(job)
    _keep_out(plan)
    with ExitStack() as stack:
        results = None
        if plan.out is not None:
            with reading_bar() as watch:
                results = stack.enter_context(
                    open_results(plan.out, job, anew=plan.anew, watch=watch)
                )
            for note in results.notes:
                warn(f"{plan.out}: {note}")
        signals = stack.enter_context(Signals())
        workers = stack.enter_context(ExitStack())  # they end after the totals are written
        recording = Recording(job, results, fail_on=fail_on)
        stack.enter_context(_SummedUp(recording, plan.out, signals))
        meant = recording.meant(
            targets(
                plan.patterns,
                storage_options=plan.storage_options,
                limits=plan.limits,
                is_here=plan.scheduler is None,
            )
        )

        def take(row: Row, tell: Tell) -> None:
            with signals.put_off():  # a result is kept and counted, or neither
                line = recording.add(row)
            if plan.out is None and line is not None:
                say(for_stdout("jsonl", line))
            tell(recording.totals)

        first = None
        with fleet_bar(kind, None, prints=plan.out is None) as tell:
            for found in meant:
                row = settled(found, job, recording.known)
                if row is None:  # workers are dear: none is started while none is needed
                    first = found
                    break
                take(row, tell)
        if first is not None:
            # Half-started processes of this machine would complain of their end.
            with signals.put_off() if plan.scheduler is None else nullcontext():
                cluster = workers.enter_context(open_cluster(plan.scheduler, workers=plan.workers))
            rows = cast(
                "Generator[Row]",  # it is to be closed before the totals are written
                run_fleet(
                    _again(first, meant),
                    job,
                    recording.known,
                    cluster,
                    in_flight=plan.in_flight,
                    per_host=plan.per_host,
                    notice=warn,
                ),
            )
            with (
                closing(rows),
                fleet_bar(kind, cluster.dashboard, prints=plan.out is None) as tell,
            ):
                for row in rows:
                    take(row, tell)
        recording.end()
    if not recording.totals.done + recording.totals.failed:
        warn("no field is meant")
        return NOTHING_MEANT
    return recording.totals.exit_code


def _keep_out(plan: Plan) -> None:
    """Refuse to keep results in a field that is meant: it would be another one then."""
    if plan.out is None:
        return
    out = Path(os.path.realpath(plan.out))
    for pattern in plan.patterns:
        path = local_path(pattern)
        if path is not None and out.is_relative_to(os.path.realpath(path)):
            raise click.UsageError(f"{plan.out} would change a field that is meant: {pattern}")


def _again(first: Found, others: Iterator[Found]) -> Iterator[Found]:
    """What was looked at already, and what comes after it."""
    yield first
    yield from others


def _tell_signal(error: BaseException | None) -> None:
    """Say which signal has ended the run; of SIGINT, the program says it."""
    code = error.code if isinstance(error, SystemExit) else None
    if isinstance(code, int) and code > _OF_SIGNALS:
        with suppress(OSError, ValueError):  # the terminal may be gone, which is what SIGHUP says
            warn(f"ended by {signal.Signals(code - _OF_SIGNALS).name}")


class _SummedUp:
    """At the end of a run, also of one that is broken off: what it comes to is written and told.

    Where nothing came of it, for there are no workers or it was ended before, there is nothing.
    """

    def __init__(self, recording: Recording, out: Path | None, signals: Signals) -> None:
        """Know what is summed up, in which folder results are kept, and what is not heeded."""
        self._recording = recording
        self._out = out
        self._signals = signals

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _tell_signal(error)
        totals = self._recording.totals
        if error is not None and not totals.done + totals.failed:  # what was there before stands
            return
        with self._signals.put_off(forgotten=True):
            try:
                self._recording.write()
            except MemoryfieldError as second:
                if error is None:
                    raise
                complain(second)
            if isinstance(error, BrokenPipeError):  # who reads no rows reads no table
                return
            print_summary(
                self._recording.facts(), self._out, sys.stderr if self._out is None else sys.stdout
            )

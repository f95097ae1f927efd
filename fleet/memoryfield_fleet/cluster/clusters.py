"""Who does the work: processes on this machine, or a Dask cluster that is there already."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

from memoryfield_readers import LocationError, SourceUnavailable

LONGEST_WAIT = 20.0
"""Seconds in which a scheduler must answer."""

_LOCAL = "127.0.0.1"
_QUIET = logging.CRITICAL + 1
_LOGGERS = ("distributed", "tornado", "asyncio", "bokeh")

_CONFIG: Mapping[str, Any] = {
    # What a scheduler keeps of what is over: it would grow with the number of fields.
    "distributed.admin.log-length": 100,
    "distributed.admin.low-level-log-length": 100,
    "distributed.diagnostics.computations.max-history": 2,
    "distributed.diagnostics.erred-tasks.max-history": 2,
    # A field whose worker died is tried again here, where it is counted.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.worker.preload": ["memoryfield_fleet.cluster.undisturbed"],
    "distributed.worker.profile.enabled": False,
    # What it would find out about itself many times a second is of no use here, and takes as much
    # of a processor as some fields do.
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.active-memory-manager.start": False,
    # A worker that died is not waited for.
    "distributed.comm.retry.count": 0,
    "distributed.comm.timeouts.connect": "10s",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """Workers, and how to reach them.

    Attributes:
        client: the `distributed.Client`.
        address: of the scheduler, as it may be shown.
        dashboard: where a browser sees what goes on; None where there is nothing to see.
        threads: how many tasks the workers do at once, as far as they were there at the start.
        is_local: whether it is made for this run, of processes on this machine.
    """

    client: Any
    address: str
    dashboard: str | None
    threads: int
    is_local: bool


@contextmanager
def open_cluster(address: str | None = None, *, workers: int | None = None) -> Iterator[Cluster]:
    """A cluster for as long as it is needed.

    Arguments:
        address: of a scheduler, such as "tcp://10.0.0.1:8786", whose cluster is left as it is; None
            for processes on this machine that end with it.
        workers: how many processes to start on this machine; None for one a processor.

    Raises:
        SourceUnavailable: Dask is not installed, the scheduler does not answer, or no process can
            be started.
        LocationError: the address is none.
    """
    _need_packages()
    import dask

    with ExitStack() as stack:
        stack.enter_context(_quiet())
        if address is None:
            stack.enter_context(dask.config.set(_CONFIG))
            yield stack.enter_context(_local(workers or _processors()))
        else:
            yield stack.enter_context(_existing(address))


@contextmanager
def _local(workers: int) -> Iterator[Cluster]:
    import distributed

    made: Any = distributed  # its constructors are not annotated
    with ExitStack() as stack:
        try:
            with _for_this_process_alone():
                cluster = stack.enter_context(
                    made.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        processes=True,
                        host=_LOCAL,
                        dashboard_address=f"{_LOCAL}:0",
                        worker_dashboard_address=None,
                        # What a task takes is bounded where it is done, in a process of its own.
                        memory_limit=None,
                        # Who reaches a scheduler can run anything: others on this machine, too.
                        security=_is_installed("cryptography") or None,
                        silence_logs=_QUIET,
                    )
                )
            client = stack.enter_context(made.Client(cluster, set_as_default=False))
        except (OSError, TimeoutError, RuntimeError) as error:
            raise SourceUnavailable(
                f"the workers cannot be started ({type(error).__name__})",
                hint="ask for fewer with --workers N",
            ) from error
        yield Cluster(client, cluster.scheduler_address, _dashboard(client), workers, True)


@contextmanager
def _for_this_process_alone() -> Iterator[None]:
    """Let SIGINT of a terminal wait; no thread and no process that is begun here ever hears it.

    Workers are ended by this process: they would only complain, above all while they begin.
    """
    if sys.platform == "win32":  # there, `undisturbed` has to do
        yield
        return
    resource_tracker.ensure_running()  # who starts it lets SIGINT through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _existing(address: str) -> Iterator[Cluster]:
    import distributed

    made: Any = distributed
    with ExitStack() as stack:
        try:
            asyncio.run(_greet(address))
            client = stack.enter_context(
                made.Client(address, timeout=LONGEST_WAIT, set_as_default=False, name="memoryfield")
            )
        except (ValueError, TypeError, ImportError) as error:
            raise LocationError(
                "is no address of a scheduler, or one that Dask is not set up for",
                location=_shown(address),
                hint="it is like tcp://HOST:8786",
            ) from error
        except (OSError, TimeoutError) as error:
            raise SourceUnavailable(
                "no scheduler answers there",
                location=_shown(address),
                hint="start one with `dask scheduler`, or leave the address out",
            ) from error
        threads = sum(client.nthreads().values())
        yield Cluster(client, _shown(address), _dashboard(client), threads, False)


async def _greet(address: str) -> None:
    """See whether a scheduler answers: a client that finds none cannot be closed for long."""
    import distributed

    made: Any = distributed
    arguments = made.Security().get_connection_args("client")
    async with asyncio.timeout(LONGEST_WAIT):
        comm = await made.comm.connect(address, timeout=LONGEST_WAIT, **arguments)
        await comm.close()


def _shown(address: str) -> str:
    """An address without its user and password, which no message shows."""
    scheme, mark, rest = address.partition("://")
    return scheme + mark + rest.rpartition("@")[2] if mark else address.rpartition("@")[2]


def _dashboard(client: Any) -> str | None:
    """The address of the dashboard; None without bokeh, which draws it."""
    link = client.dashboard_link
    return link if isinstance(link, str) and _is_installed("bokeh") else None


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _processors() -> int:
    """How many processors this process may use, by containers' bounds too."""
    from dask.system import CPU_COUNT

    return max(1, int(CPU_COUNT))


def _need_packages() -> None:
    """Say what to install, where it is not there."""
    try:
        import dask  # noqa: F401
        import distributed  # noqa: F401
    except ImportError as error:
        raise SourceUnavailable(
            f"work on many fields needs the package {error.name}",
            hint='pip install "memoryfield-kit[fleet]"',
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Let the libraries say nothing: what matters is told in the results."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LOGGERS]
    before = {name: logging.getLogger(name).level for name in {*names, *_LOGGERS}}
    for name in before:
        logging.getLogger(name).setLevel(_QUIET)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)

"""Jobs on many fields as they are done by workers, but in this process and without Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pytest

from memoryfield_fleet import Job, Refused, Row, Target, cluster
from memoryfield_fleet.cluster import Cluster
from memoryfield_fleet.working import job_text, target_text
from memoryfield_fleet.working.answers import error_facts
from memoryfield_fleet.working.jobs import Tools, run
from memoryfield_fleet.working.requests import read_job, read_target

Found: TypeAlias = Target | Refused


@dataclass
class Here:
    """What the command has asked for.

    Attributes:
        jobs: each job.
        clusters: of each cluster, its scheduler and how many workers.
        limits: of each run, how many fields at once, of all and of a host.
        done: the locations that were opened.
        after: is called after each row; it may end the run as a signal does.
        closed: whether each run was closed.
        dashboard: the address of the dashboard.
    """

    jobs: list[Job] = field(default_factory=list)
    clusters: list[tuple[str | None, int | None]] = field(default_factory=list)
    limits: list[tuple[int | None, int | None]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    after: Callable[[int], None] = lambda number: None
    closed: bool = False
    dashboard: str | None = None

    def open_cluster(self, address: str | None = None, *, workers: int | None = None) -> Any:
        """In the place of the function of that name."""
        self.clusters.append((address, workers))
        return nullcontext(Cluster(None, address or "", self.dashboard, 1, address is None))

    def run_fleet(
        self,
        targets: Iterable[Found],
        job: Job,
        known: Callable[[Target], str | None],
        cluster: Cluster,
        *,
        in_flight: int | None = None,
        per_host: int | None = None,
        notice: Callable[[str], object] | None = None,
    ) -> Iterator[Row]:
        """In the place of the function of that name."""
        self.jobs.append(job)
        self.limits.append((in_flight, per_host))
        tools = Tools()
        try:
            for number, found in enumerate(targets):
                yield self._row(found, job, known, tools)
                self.after(number)
        finally:
            self.closed = True
            tools.close()

    def _row(
        self, found: Found, job: Job, known: Callable[[Target], str | None], tools: Tools
    ) -> Row:
        if isinstance(found, Refused):
            error = error_facts(found.error)
            return Row(job.kind, found.location, None, "failed", attempts=0, error=error)
        version = known(found)
        if version is not None and version == found.version:
            return Row(job.kind, found.location, version, "same", attempts=0)
        self.done.append(found.location)
        asked = replace(found, known=version if found.version is None else None)
        return run(read_job(job_text(job)), read_target(target_text(asked)), tools).row


def work_here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Do what the command asks for in this process."""
    found = Here()
    monkeypatch.setattr(cluster, "open_cluster", found.open_cluster)
    monkeypatch.setattr(cluster, "run_fleet", found.run_fleet)
    return found


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """The same for a test."""
    return work_here(monkeypatch)

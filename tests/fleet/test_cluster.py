"""Many fields on a cluster of this machine: whatever a field does, the totals are right."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from tests.fleet.fleet_fields import PATIENT, Busy, bomb, folder, silent_server

from memoryfield_fleet import Job, Refused, Row, Target
from memoryfield_fleet.cluster import Cluster, no_known, open_cluster, run_fleet
from memoryfield_fleet.cluster.running import AHEAD
from memoryfield_fleet.working.jobs import Tools, run
from memoryfield_readers import LocationError, NotFound, SourceUnavailable

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
"""Whether to take the time for what is dear: workers die several times."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with open_cluster(workers=2) as made:
        yield made


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryfield_fleet.cluster.clusters.LONGEST_WAIT", 0.3)


@pytest.fixture
def good(tmp_path: Path) -> Target:
    return Target(str(folder(tmp_path / "good")), "v")


def kill(cluster: Cluster, *places: str) -> None:
    """End workers as the system does that is short of memory."""
    for pid in cluster.client.run(os.getpid, workers=list(places)).values():
        os.kill(pid, signal.SIGKILL)


def kill_reader_of(port: int) -> None:
    """End the worker whose process is connected to a port."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if "memoryfield_fleet.working.child" in process.cmdline():
                for each in process.net_connections("tcp"):
                    if each.raddr and each.raddr.port == port:
                        process.parent().kill()
                        return
    raise AssertionError("nobody is connected")


def rows_of(
    cluster: Cluster, job: Job, *targets: Target | Refused, per_host: int | None = None
) -> list[Row]:
    return list(run_fleet(iter(targets), job, no_known, cluster, per_host=per_host))


def test_a_cluster_is_on_this_machine_alone(cluster: Cluster) -> None:
    assert cluster.is_local
    assert cluster.threads == 2
    places = [cluster.address, *cluster.client.scheduler_info(n_workers=-1)["workers"]]
    assert len(places) == 3
    assert all(place.startswith("tls://127.0.0.1:") for place in places)


def test_nobody_else_on_this_machine_can_use_it(cluster: Cluster) -> None:
    for scheme in ("tcp", "tls"):
        address = cluster.address.replace("tls", scheme)
        with pytest.raises((LocationError, SourceUnavailable)), open_cluster(address):
            pass


def test_rows_are_those_of_one_by_one(cluster: Cluster, tmp_path: Path) -> None:
    targets = [
        Target(str(folder(tmp_path / f"f{i}", index=f"---\ntitle: {i}\n---\n")), f"v{i}")
        for i in range(20)
    ]
    job = Job("validate", {"ignore": ["MF205"]})
    rows = sorted(rows_of(cluster, job, *targets), key=lambda row: row.location)
    alone = sorted((run(job, each, Tools()).row for each in targets), key=lambda row: row.location)
    facts = [(row.location, row.version, row.state, row.attempts, row.result) for row in rows]
    assert facts == [(row.location, row.version, row.state, 1, row.result) for row in alone]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_what_hangs_swells_dies_or_bursts_stops_nothing_else(
    cluster: Cluster, tmp_path: Path, good: Target
) -> None:
    large = folder(tmp_path / "large")
    with (large / "huge.md").open("wb") as file:
        file.truncate(300_000_000)
    limits = [f"{name}-bytes=1000000000" for name in ("page", "file", "total")]
    job = Job("validate", {**PATIENT, "limits": limits}, seconds=1.5, memory=280_000_000, retries=0)
    with silent_server() as silent:
        odd: list[Target | Refused] = [
            silent,
            Target(str(bomb(tmp_path / "b.memoryfield.zip"))),
            Target(str(large)),
            Target(str(tmp_path / "none")),
            Refused("s3://*", LocationError("is no pattern")),
        ]
        targets = [*odd, *[Target(good.location, f"v{i}") for i in range(60)]]
        rows: list[Row] = []
        for row in run_fleet(targets, job, no_known, cluster):
            rows.append(row)
            if len(rows) == 10:
                kill(cluster, next(iter(cluster.client.nthreads())))
    assert Counter(row.location for row in rows) == Counter(each.location for each in targets)
    told = {row.location: row for row in rows}
    errors = {row.location: row.error["kind"] for row in rows if row.error is not None}
    assert errors == {
        silent.location: "TimeLimit",
        str(large): "MemoryExceeded",
        str(tmp_path / "none"): "NotFound",
        "s3://*": "LocationError",
    }
    assert told[silent.location].attempts == 1  # a worker that died is the fault of no field
    assert told["s3://*"].attempts == 0
    bombed = told[str(tmp_path / "b.memoryfield.zip")].result
    assert bombed is not None
    assert bombed["verdict"] == "invalid"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_answers_that_died_with_their_worker_are_made_anew(
    cluster: Cluster, good: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    fetch, died = distributed.Future.result, threading.Event()

    def die_before(future: Any, timeout: float | None = None) -> object:
        if not died.is_set():
            died.set()
            [places] = cluster.client.who_has([future]).values()
            kill(cluster, *places)
        return fetch(future, timeout)

    monkeypatch.setattr(distributed.Future, "result", die_before)
    monkeypatch.setattr("memoryfield_fleet.cluster.running._FETCHING", 1.0)
    targets = [Target(good.location, f"v{i}") for i in range(5)]
    rows = rows_of(cluster, Job("pin"), *targets)
    assert Counter(row.version for row in rows) == Counter(each.version for each in targets)
    assert {row.state for row in rows} == {"done"}


@pytest.mark.skipif(not ALL, reason="each new worker takes a second")
def test_who_kills_its_worker_each_time_is_told_of_and_what_was_sent_with_it_is_done(
    cluster: Cluster, good: Target
) -> None:
    targets = [Target(good.location, f"v{i}") for i in range(120)]
    with silent_server(lambda: kill_reader_of(port)) as silent:
        port = int(silent.host.rpartition(":")[2])
        targets.insert(60, silent)
        rows = rows_of(cluster, Job("pin", PATIENT, retries=1), *targets)
    assert Counter(row.location for row in rows) == {good.location: 120, silent.location: 1}
    [row] = [row for row in rows if row.error is not None]
    assert row.error is not None
    assert (row.location, row.error["kind"]) == (silent.location, "WorkerLost")
    assert row.attempts == 2


def test_no_more_is_taken_from_a_listing_than_is_needed(cluster: Cluster, good: Target) -> None:
    taken = 0
    closed = threading.Event()

    def endless() -> Iterator[Target]:
        nonlocal taken
        try:
            while True:
                taken += 1
                yield Target(good.location, f"v{taken}")
        finally:
            closed.set()

    rows = run_fleet(endless(), Job("pin"), no_known, cluster, in_flight=4)
    assert [next(rows).state for _ in range(10)] == ["done"] * 10
    assert isinstance(rows, Iterator)
    rows.close()  # type: ignore[attr-defined]
    assert taken <= 10 + 4 + AHEAD + 1
    assert closed.wait(60)
    assert not cluster.client.futures


def test_who_waits_for_a_listing_starves_nobody(cluster: Cluster, good: Target) -> None:
    seen = threading.Event()

    def slow() -> Iterator[Target]:
        yield Target(good.location, "first")
        assert seen.wait(60), "the first row never came"
        yield Target(good.location, "second")

    rows = run_fleet(slow(), Job("pin"), no_known, cluster)
    assert next(rows).version == "first"
    seen.set()
    assert [row.version for row in rows] == ["second"]


def test_a_listing_that_breaks_off_is_raised_when_the_rest_is_done(
    cluster: Cluster, good: Target
) -> None:
    def broken() -> Iterator[Target]:
        yield good
        raise SourceUnavailable("the listing broke off")

    rows = run_fleet(broken(), Job("pin"), no_known, cluster)
    assert next(rows).state == "done"
    with pytest.raises(SourceUnavailable, match="broke off"):
        next(rows)


def test_what_is_known_is_not_done_again(cluster: Cluster, tmp_path: Path) -> None:
    place = str(folder(tmp_path / "f"))
    [first] = rows_of(cluster, Job("pin"), Target(place))
    known = {"same": "v1", "other": "v1", place: first.version}
    targets = [Target("same", "v1"), Target("other", "v2"), Target(place), Target("new", "v1")]
    rows = list(run_fleet(targets, Job("pin"), lambda each: known.get(each.location), cluster))
    told = {row.location: (row.state, row.attempts) for row in rows}
    assert told == {
        "same": ("same", 0),
        "other": ("failed", 1),  # it was looked for: there is none
        place: ("same", 1),
        "new": ("failed", 1),
    }


def test_a_host_that_is_busy_is_left_alone_and_then_tried_again(cluster: Cluster) -> None:
    with Busy(2, Retry_After="1") as server:
        job = Job("validate", {"storage_options": {"retries": 0}}, retries=4)
        rows = rows_of(cluster, job, server.target("a"), server.target("b"), per_host=1)
        assert server.most_at_once == 1
    assert [row.state for row in rows] == ["done", "done"]
    assert sum(row.attempts for row in rows) == 4


def test_a_host_that_stays_busy_is_told_with_its_reason(
    cluster: Cluster, good: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryfield_fleet.cluster.running._LONGEST_HOLD", 0.2)
    with Busy(1000, Retry_After="86400") as server:
        job = Job("pin", {"storage_options": {"retries": 0}}, retries=1)
        rows = rows_of(cluster, job, server.target(), *[good] * 5)
    assert Counter(row.state for row in rows) == {"done": 5, "failed": 1}
    [row] = [row for row in rows if row.error is not None]
    assert row.error is not None
    assert "503" in row.error["message"]
    assert row.attempts == 2


def test_secrets_are_not_sent(cluster: Cluster, good: Target) -> None:
    with pytest.raises(LocationError, match="secret"):
        rows_of(cluster, Job("pin", {"storage_options": {"token": "x"}}), good)


def test_what_cannot_be_sent_is_a_row(cluster: Cluster, good: Target) -> None:
    rows = rows_of(cluster, Job("pin"), Target("x" * 300_000), good)
    assert Counter((row.state, row.attempts) for row in rows) == {("failed", 0): 1, ("done", 1): 1}


def test_refused_locations_are_told_in_their_own_words(cluster: Cluster) -> None:
    [row] = rows_of(cluster, Job("audit"), Refused("x", NotFound("is not there", hint="look")))
    assert row == Row(
        "audit",
        "x",
        None,
        "failed",
        attempts=0,
        error={"kind": "NotFound", "message": "is not there", "hint": "look", "exit_code": 4},
    )

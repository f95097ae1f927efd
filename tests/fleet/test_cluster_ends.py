"""Clusters that are elsewhere, that go away, or that are interrupted; and that nothing is left."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.fleet.fleet_fields import folder, silent_server

from memoryfield_fleet import Job, Target
from memoryfield_fleet.cluster import no_known, open_cluster, run_fleet
from memoryfield_readers import LocationError, SourceUnavailable

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"

SCHEDULER = """
import asyncio, sys
from distributed import Scheduler, Worker

async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        worker = await Worker(scheduler.address, nthreads=1)
        print(scheduler.address, flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await worker.close()
        await scheduler.finished()

asyncio.run(main())
"""

RUN = """
import json, sys
from memoryfield_fleet import Job, Target
from memoryfield_fleet.cluster import no_known, open_cluster, run_fleet

def main():
    locations, options = json.loads(sys.argv[1])
    targets = [Target(each) for each in locations]
    with open_cluster(workers=1) as cluster:
        for row in run_fleet(targets, Job("validate", options, 1000.0), no_known, cluster):
            print(row.state, flush=True)

if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
"""


@contextmanager
def script(tmp_path: Path, text: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A program of its own, in a session of its own as on a terminal of its own."""
    path = tmp_path / "program.py"
    path.write_text(text, "utf-8")
    with subprocess.Popen(
        [sys.executable, "-W", "error", str(path), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_workers_that_stay_away_and_a_scheduler_that_goes_are_told_and_what_is_done_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryfield_fleet.cluster.running._COUNTING", 0.1)
    good = Target(str(folder(tmp_path / "f")), "v")
    with script(tmp_path, SCHEDULER) as process, open_cluster(line_of(process)) as cluster:
        assert not cluster.is_local
        assert cluster.threads == 1
        [row] = run_fleet([Target(str(tmp_path / "none"))], Job("pin"), no_known, cluster)
        assert row.error is not None
        assert row.error["message"].endswith("no such file or directory on the worker")
        said: list[str] = []
        rows = run_fleet(
            [good] * 50, Job("pin"), no_known, cluster, in_flight=1, notice=said.append
        )
        assert next(rows).state == "done"
        assert process.stdin is not None
        process.stdin.write("\n")  # the worker leaves
        process.stdin.flush()
        monkeypatch.setattr("memoryfield_fleet.cluster.running._LONGEST_ALONE", 0.3)
        with pytest.raises(SourceUnavailable, match="no worker for") as told:
            list(rows)
        assert len(said) == 1
        assert said[0].startswith(f"there is no worker at {cluster.address}")
        assert told.value.location == cluster.address
        monkeypatch.undo()
        rows = run_fleet(_and_then([good], process.kill), Job("pin"), no_known, cluster)
        with pytest.raises(SourceUnavailable, match="went away") as told:
            next(rows)
        assert told.value.location == cluster.address


def _and_then(targets: list[Target], do: Callable[[], None]) -> Iterator[Target]:
    yield from targets
    do()


def test_a_run_says_nothing_but_its_rows(tmp_path: Path) -> None:
    place = str(folder(tmp_path / "f"))
    arguments = f'[["{place}", "{place}", "{tmp_path}/none"], {{}}]'
    with script(tmp_path, RUN, arguments) as process:
        out, err = process.communicate(timeout=120)
    assert (sorted(out.split()), err, process.returncode) == (["done", "done", "failed"], "", 0)


@pytest.mark.skipif(not ALL, reason="tests of the command see this, too")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_a_run_that_is_ended_leaves_no_process(name: str, tmp_path: Path) -> None:
    with silent_server() as silent:
        options = '{"storage_options": {"timeout": 3600.0, "retries": 9}}'
        arguments = f'[["{folder(tmp_path / "f")}", "{silent.location}"], {options}]'
        with script(tmp_path, RUN, arguments) as process:
            assert line_of(process) == "done"
            before = _of_session(process.pid)
            assert len(before) >= 2
            if name == "SIGINT":
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
            else:
                process.kill()
            out, err = process.communicate(timeout=120)
    assert (out, err, process.returncode) == ("", "", 130 if name == "SIGINT" else -9)
    for _ in range(1_000):
        if not _of_session(process.pid):
            break
        time.sleep(0.02)
    else:
        raise AssertionError(_of_session(process.pid))


def _of_session(leader: int) -> list[str]:
    """The processes that a session has, the dead aside."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "sid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [row[2] for row in rows if row[0] == str(leader) and not row[1].startswith("Z")]


@pytest.mark.parametrize("name", ["dask", "distributed"])
def test_a_package_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SourceUnavailable, match=name) as told, open_cluster():
        pass
    assert told.value.hint == 'pip install "memoryfield-kit[fleet]"'


@pytest.mark.parametrize("listens", [True, False], ids=["silent", "nobody"])
def test_an_address_where_no_scheduler_answers_is_told(
    listens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and nothing is left that would say something later."""
    monkeypatch.setattr("memoryfield_fleet.cluster.clusters.LONGEST_WAIT", 0.3)
    with silent_server() as silent:
        address = f"tcp://{silent.host}" if listens else "tcp://127.0.0.1:9"
        with (
            pytest.raises(SourceUnavailable, match="no scheduler answers") as told,
            open_cluster(address),
        ):
            pass
    assert told.value.location == address
    gc.collect()


@pytest.mark.parametrize(
    "address", ["tcp://me:hid/den://@127.0.0.1:9", "me:hidden@[", "me:hidden@h"]
)
def test_the_password_of_a_scheduler_is_not_shown(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryfield_fleet.cluster.clusters.LONGEST_WAIT", 0.3)
    with (
        pytest.raises((LocationError, SourceUnavailable)) as told,
        open_cluster(address),
    ):
        pass
    assert "hid" not in f"{told.value} {told.value.hint}"


@pytest.mark.parametrize("address", ["", "nowhere", "carrier-pigeon://x", "tcp://[:1"])
def test_what_is_no_address_is_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryfield_fleet.cluster.clusters.LONGEST_WAIT", 0.3)
    with pytest.raises((LocationError, SourceUnavailable)), open_cluster(address):
        pass

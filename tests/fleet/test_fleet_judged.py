"""Many fields in a real S3 API: the totals are right, whatever hangs, bursts or is killed.

With MEMORYFIELD_CRASH_ALL=1 in the environment there are 2,000 of them and two workers, more is
killed, and each report is held against that of the command on this field alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import (
    COMMAND,
    FAULTY,
    GOOD,
    SECONDS,
    Outcome,
    call,
    neutral_environment,
)
from tests.cli.fleet_here import here
from tests.fleet.fleet_fields import archive, bomb, silent_server
from tests.readers.servers.s3_server import s3_server
from tests.readers.servers.s3_world import KEYS, no_aws

from memoryfield_readers.s3.keeping import KEEPER

__all__ = ["here"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
MANY = 2_000 if ALL else 60
WORKERS = 2 if ALL else 1
ENDS = [1, 400, 900] if ALL else [1]
"""How many results there are when a worker is killed, and the client after it, in a run each."""

DEATHS = [1_300, 1_500, 1_700]
"""How many there are when a worker is killed in the run that comes to its end, with real workers if
all is to be tried."""

BAD = 3
"""One of so many has an error."""

CHILD = "memoryfield_fleet.working.child"
BOMB = "bomb.memoryfield.zip"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Mapping[str, str]]]:
    """A bucket of many archives, and the environment in which it is found."""
    server = s3_server()
    bucket = server.bucket()
    for number in range(MANY):
        page = (FAULTY if number % BAD == 0 else GOOD).decode() + f"Number {number}.\n"
        server.put(bucket, f"{number:04}.memoryfield.zip", archive(a=page))
    path = bomb(tmp_path_factory.mktemp("bomb") / BOMB)
    server.put(bucket, BOMB, path.read_bytes())
    with no_aws() as patch:
        patch.setenv("AWS_ENDPOINT_URL", server.url)
        patch.setenv("AWS_ACCESS_KEY_ID", KEYS["key"])
        patch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["secret"])
        yield bucket, neutral_environment()


def processes() -> list[tuple[int, int, str]]:
    """Number, parent and command of each process that is not dead."""
    listed = subprocess.run(
        ["ps", "-wweo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()]
    return [(int(row[0]), int(row[1]), row[-1]) for row in rows if not row[2].startswith("Z")]


def of_run(client: int) -> set[int]:
    """The processes of a run, the client aside."""
    found: set[int] = set()
    rows, last = processes(), {client}
    while last := {pid for pid, parent, _ in rows if parent in last}:
        found |= last
    return found


def workers_of(client: int) -> list[int]:
    """The workers of a run that have a process to read fields."""
    rows = processes()
    busy = {parent for _, parent, command in rows if CHILD in command}
    return [pid for pid, parent, _ in rows if parent == client and pid in busy]


def until(holds: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait for what has to come, before a process ends."""
    last = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < last, "it never came"
        if process is not None and process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.05)


def rows_in(path: Path) -> list[dict[str, Any]]:
    """The results that are whole."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def has(results: Path, count: int) -> Callable[[], bool]:
    """Whether there are so many results."""
    return lambda: results.exists() and results.read_bytes().count(b"\n") >= count


def kill_a_worker(client: subprocess.Popen[bytes], results: Path, count: int) -> None:
    """Do so when a run has so many results, and goes on."""
    until(has(results, count), client)
    until(lambda: bool(workers_of(client.pid)), client)
    os.kill(workers_of(client.pid)[0], signal.SIGKILL)


@contextmanager
def begun(
    folder: Path, environment: Mapping[str, str], *arguments: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A run with real workers, as a process of its own."""
    with subprocess.Popen(
        [COMMAND, "fleet", "validate", *arguments, "--workers", f"{WORKERS}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_totals_are_right_whatever_hangs_bursts_or_is_killed(
    tmp_path: Path,
    world: tuple[str, Mapping[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """Client and workers are killed; in the end each field has one result, the one it has alone."""
    bucket, environment = world
    results = tmp_path / "out" / "results.jsonl"
    with silent_server() as silent:
        (tmp_path / "silent.txt").write_text(f"{silent.location}\n", "utf-8")
        meant = (f"s3://{bucket}/*.memoryfield.zip", "silent.txt", "--out", "out")
        for end in ENDS:
            with begun(tmp_path, environment, *meant, "--time-limit", "5") as client:
                kill_a_worker(client, results, end)
                until(has(results, end + 1), client)
                others = of_run(client.pid)
                client.kill()
                client.wait(SECONDS)
            until(lambda: not others & {pid for pid, _, _ in processes()})  # noqa: B023 - it is over
            assert not (results.parent / "totals.json").exists()
        before = {row["location"] for row in rows_in(results) if row["state"] == "done"}
        assert 0 < len(before) < MANY + 2
        if ALL:
            limits = ("--time-limit", "10", "--retries", f"{len(DEATHS)}")
            with begun(tmp_path, environment, *meant, *limits) as client:
                for death in DEATHS:
                    kill_a_worker(client, results, death)
                out, err = client.communicate(timeout=SECONDS)
            done = Outcome(client.returncode, out, err)
        else:
            request.getfixturevalue("here")
            monkeypatch.chdir(tmp_path)
            with KEEPER.keeping():  # as a worker's process does it
                done = call("fleet", "validate", *meant, "--timeout", "0.2", env=environment)
    assert (done.code, done.err) == (4, ""), done.out

    keys = [*(f"{number:04}.memoryfield.zip" for number in range(MANY)), BOMB]
    rows = rows_in(results)
    places = [silent.location, *(f"s3://{bucket}/{key}" for key in keys)]
    assert Counter(row["location"] for row in rows) == Counter(places)
    told = {row["location"]: row for row in rows}
    hung = told.pop(silent.location)
    assert (hung["state"], hung["result"]) == ("failed", None)
    # It is the last try that is told of, and the worker may have died that was at it.
    assert hung["error"]["kind"] in (("TimeLimit", "WorkerLost") if ALL else ["SourceUnavailable"])
    assert {row["state"] for row in told.values()} == {"done"}

    facts = json.loads((results.parent / "totals.json").read_bytes())
    bad = len(range(0, MANY, BAD))
    assert facts["complete"] is True
    assert facts["fields"] == {
        "all": MANY + 2, "done": MANY + 1, "failed": 1, "reused": len(before),
    }  # fmt: skip
    assert facts["verdicts"] == {"valid": MANY - bad, "invalid": bad + 1}
    assert {row["rule"]: row["findings"] for row in facts["rules"]} == {"MF304": bad, "MF607": 1}
    assert [row["location"] for row in facts["failures"]["fields"]] == [silent.location]

    for key in keys if ALL else [*keys[::20], BOMB]:
        alone = call("validate", "--format", "json", f"s3://{bucket}/{key}", env=environment).json
        assert told[f"s3://{bucket}/{key}"]["result"] == alone

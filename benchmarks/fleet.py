"""What work on many fields costs: `memoryfield fleet` on 2,000 archives in S3, as ratios.

The store is moto's server, in two processes of its own on this machine (see s3_server.py): what
they take of the processors, the workers lack, so it is told. Runs with one worker and with two take
turns, so that a machine that is busy meanwhile is so for all, and the least time of several rounds
counts. A run is the whole command, from the start of Python to the totals.

    python benchmarks/fleet.py [--rounds N] [--fields N] [--store N] [--check] [--figures]

Judged are the time with two workers by that with one, and the memory that the client takes for all
fields by that for a tenth of them. `--figures` measures what docs/fleet.md reckons with instead:
what a field of a hundred pages costs, beyond what each run costs, and what a result costs that is
kept or known.
"""

from __future__ import annotations

import argparse
import http.client
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from make_field import make_field
from memoryfield_fleet import Job, Target
from memoryfield_fleet.results import Recording, open_results
from memoryfield_fleet.working.jobs import Tools
from memoryfield_fleet.working.jobs import run as work_on

_FIELDS = 2_000
_PAGES = 3
_PART = 10
"""Of what so many fields cost, and of what all of them do, it is told what one costs."""

_LARGE_FIELDS = 500
_LARGE_PAGES = 100
_MOST_RATIO = 0.65
_MOST_GROWTH = 1.1
_ROUNDS = 3
_GLANCE = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")
_SERVER = Path(__file__).with_name("s3_server.py")
_COMMAND = Path(sys.executable).with_name("memoryfield")
_SIGNED = (
    "AWS4-HMAC-SHA256 Credential=writer/20260101/us-east-1/s3/aws4_request, "
    "SignedHeaders=host, Signature=0"
)
_TOKEN = re.compile(b"<NextContinuationToken>([0-9a-f]+)<")


class Store:
    """Moto's server, as it is filled and then watched."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Take a server that can be filled."""
        self._process = process
        self._port = int(self._line())
        self._readers: list[int] = []

    @property
    def cpu(self) -> float:
        """Seconds that it has worked so far for those who read."""
        return sum(map(_cpu, self._readers))

    @property
    def environment(self) -> dict[str, str]:
        """Where workers find it, and who they are."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ACCESS_KEY_ID": "reader",
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def fill(self, folder: Path, bucket: str, count: int, pages: int) -> int:
        """Write so many archives of so many pages, none like the other; the bytes of the last.

        The names of a tenth of them begin with `few`. Nothing can be written after that.
        """
        make_field(folder, pages)
        texts = [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
        self._ask("PUT", f"/{bucket}")
        data = b""
        for number in range(count):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
                for name, text in texts:
                    made.writestr(name, text + b"\nOf field %d.\n" % number)
            data = buffer.getvalue()
            first = "few" if number < count // _PART else "more"
            self._ask("PUT", f"/{bucket}/{first}-{number:05d}.memoryfield.zip", data)
        # What moto gives with a page of a listing, to ask for the next one, only the process knows
        # that gave it, and those that are forked from it.
        more = ""
        while found := _TOKEN.search(self._ask("GET", f"/{bucket}?list-type=2{more}")):
            more = f"&continuation-token={found[1].decode()}"
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._readers = list(map(int, self._line().split()))
        return len(data)

    def _ask(self, method: str, path: str, data: bytes = b"") -> bytes:
        """The answer to a request that has to succeed."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request(method, path, data, {"Authorization": _SIGNED})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status >= 300:
            raise SystemExit(f"the store takes no {path}: {answer.status}")
        return body

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def store(processes: int) -> Iterator[Store]:
    """An empty one, which has so many processes when it is filled."""
    command = [sys.executable, str(_SERVER), str(processes)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Store(process)
        finally:
            process.communicate()


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took.

    Attributes:
        seconds: by the clock.
        begun: how many of them passed before there were results.
        cpu: how long all its processes worked, in seconds.
        client: how long the one of them worked that sends fields out and takes results in.
        memory: KiB that this one had at most.
        store: how long the store worked for it, in seconds.
        written: bytes of its results.
    """

    seconds: float
    begun: float
    cpu: float
    client: float
    memory: int
    store: float
    written: int


def run(home: Path, found: Store, job: Sequence[str], pattern: str, count: int) -> Run:
    """Do a job on fields, which must all be done."""
    out = home / "out"
    shutil.rmtree(out, ignore_errors=True)
    folders = {f"MEMORYFIELD_{name}_DIR": str(home / name) for name in ("CACHE", "STATE")}
    results = out / "results.jsonl"
    before = found.cpu
    start = time.perf_counter()
    process = subprocess.Popen(
        [_COMMAND, "fleet", *job, pattern, "--out", out],
        env=os.environ | found.environment | folders,
        stdout=subprocess.DEVNULL,
    )
    client, memory, begun = 0.0, 0, 0.0
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        # What it is asked of the moment before it ends: it may be a ghost the moment after.
        client, memory = _cpu(process.pid) or client, _peak(process.pid) or memory
        if not begun and results.exists() and results.stat().st_size:
            begun = time.perf_counter() - start
        time.sleep(_GLANCE)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    facts = json.loads((out / "totals.json").read_bytes())["fields"]
    if process.returncode or facts["done"] != count:
        raise SystemExit(f"the run failed: exit code {process.returncode}, {facts}")
    cpu = ended[2].ru_utime + ended[2].ru_stime
    written = results.stat().st_size
    return Run(seconds, begun, cpu, client, memory, found.cpu - before, written)


def _cpu(pid: int) -> float:
    """Seconds that a process has worked, those it has started aside; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak(pid: int) -> int:
    """KiB of memory that a process had at most so far; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def compare(home: Path, found: Store, count: int, rounds: int) -> list[str]:
    """Measure what is judged, and print it; what is beyond its limit."""
    found.fill(home / "small", "small", count, _PAGES)
    few = count // _PART
    works = {
        "1 worker": ("1", "*", count),
        "2 workers": ("2", "*", count),
        "2 workers, a tenth": ("2", "few-*", few),
    }
    runs: dict[str, list[Run]] = {name: [] for name in works}
    for number in range(rounds):
        order = list(works)
        for name in order[number % len(order) :] + order[: number % len(order)]:
            workers, names, meant = works[name]
            pattern = f"s3://small/{names}.memoryfield.zip"
            job = ("validate", "--workers", workers)
            again = run(home, found, job, pattern, meant)
            runs[name].append(again)
            print(
                f"{name:<18} {again.seconds:>6.1f} s, {again.begun:.1f} of them before the first"
                f" result; worked: {again.cpu:.1f} s, the client {again.client:.1f} of them, and"
                f" the store {again.store:.1f} s; the client had {again.memory / 1024:.1f} MiB",
                flush=True,
            )
    least = {name: min(each.seconds for each in same) for name, same in runs.items()}
    going = {name: min(each.seconds - each.begun for each in same) for name, same in runs.items()}
    print(f"from the first result on: {going['2 workers'] / going['1 worker']:.3f}")
    memory = {name: max(each.memory for each in same) for name, same in runs.items()}
    missed = []
    for what, value, most in (
        (f"time for {count:,} fields with 2 workers / with 1",
         least["2 workers"] / least["1 worker"], _MOST_RATIO),
        (f"memory of the client for {count:,} fields / for {few:,}",
         memory["2 workers"] / memory["2 workers, a tenth"], _MOST_GROWTH),
    ):  # fmt: skip
        print(f"{what:<56} {value:>6.3f}  at most {most:.2f}")
        if value > most:
            missed.append(what)
    return missed


def figures(home: Path, found: Store, rounds: int) -> None:
    """Measure what a field of a hundred pages costs, beyond what a run costs, and print it."""
    size = found.fill(home / "pages", "large", _LARGE_FIELDS, _LARGE_PAGES)
    print(f"an archive of {_LARGE_PAGES} pages: {size:,} bytes")
    kept, known = results(home)
    print(f"a result kept {kept * 1e3:.2f} ms, known {known * 1e3:.2f} ms of the client's work")
    few = _LARGE_FIELDS // _PART
    for kind in ("validate", "audit", "pin"):
        job = (kind, "--workers", "1")
        ran = [
            tuple(
                run(home, found, job, f"s3://large/{pattern}.memoryfield.zip", count)
                for pattern, count in (("few-*", few), ("*", _LARGE_FIELDS))
            )
            for _ in range(rounds)
        ]

        def each(name: str, pairs: list[tuple[Run, ...]] = ran) -> float:
            low, high = (min(getattr(pair[at], name) for pair in pairs) for at in (0, 1))
            return float(high - low) / (_LARGE_FIELDS - few)

        print(
            f"{kind:<9} a field: {each('seconds') * 1e3:.1f} ms by the clock;"
            f" worked {each('cpu') * 1e3:.1f} ms, of it the client {each('client') * 1e3:.2f} ms,"
            f" the store beside it {each('store') * 1e3:.1f} ms;"
            f" {each('written'):,.0f} bytes of results",
            flush=True,
        )


def results(home: Path, count: int = 20_000) -> tuple[float, float]:
    """Seconds of work to keep a result, and in a later run to read it and let it stand."""
    make_field(home / "field", _LARGE_PAGES)
    job = Job("validate")
    made = work_on(job, Target(str(home / "field")), Tools()).row
    meant = [
        Target(f"s3://large/{number:07d}.zip", f"etag:{number:032x}") for number in range(count)
    ]
    took = []
    for state in ("done", "same"):
        start = time.process_time()
        with open_results(home / "kept", job) as found:
            recording = Recording(job, found)
            for target in recording.meant(meant):
                assert isinstance(target, Target)
                known = recording.known(target)
                assert (known is not None) == (state == "same")
                row = replace(made, location=target.location, version=target.version)
                recording.add(row if known is None else replace(row, state="same", result=None))
            recording.end()
        took.append((time.process_time() - start) / count)
    return took[0], took[1]


def main() -> None:
    """Measure, print, and with --check fail beyond the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--fields", type=int, default=_FIELDS)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--store", type=int, default=2, help="processes that the store has")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, store(options.store) as found:
        if options.figures:
            figures(Path(name), found, options.rounds)
            return
        missed = compare(Path(name), found, options.fields, options.rounds)
    if missed and options.check:
        raise SystemExit("beyond the limit: " + "; ".join(missed))


if __name__ == "__main__":
    main()

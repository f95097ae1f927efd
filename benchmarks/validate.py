"""How fast `validate()` is, as ratios within one run.

(a) is the floor: a plain script that lists, reads, hashes and decodes every page and loads its
frontmatter with PyYAML's C loader, and judges nothing. (b) is `validate()`.

Further: a thousand small fields beside one large one, one after the other and in several processes,
and the content review beside the rest.

    python benchmarks/validate.py [--rounds N] [--check]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import yaml

from make_field import make_field
from memoryfield_readers import inspect_field
from memoryfield_validator import Request, check, check_all, expand, validate

_BLOCK = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
_SIZES = (1_000, 10_000)
_MOST_RATIO = 2.0
_MOST_GROWTH = 11.0
_MOST_MEMORY_MB = 200
_MOST_START = 5.0
_FIELDS = 1_000
_MOST_FOR_MANY = 1.3
_MOST_FOR_REVIEW = 3.0


def floor(folder: Path) -> int:
    """List, read, hash, decode and load; the least that any validator has to do."""
    fields = 0
    for item in os.scandir(folder):
        with open(item.path, "rb") as file:
            raw = file.read()
        hashlib.sha256(raw).hexdigest()
        block = _BLOCK.match(raw.decode())
        fields += len(yaml.load(block[1], yaml.CSafeLoader)) if block else 0
    return fields


def judged(folder: Path) -> int:
    """Validate the field; there must be nothing to find."""
    with inspect_field(folder) as field:
        report = validate(field, ignore=["MF501"])  # it ships no index
    if report.findings:
        raise SystemExit(f"the benchmark's field should be clean: {report.findings[0]}")
    return report.pages


def reviewed(folder: Path) -> int:
    """Validate the field, and review what it says."""
    with inspect_field(folder) as field:
        return validate(field, audit=True).pages


def each(folder: Path, jobs: int) -> int:
    """Check every field in a folder, as the command does."""
    return sum(1 for _ in check_all(expand([str(folder)], each=True), Request(), jobs=jobs))


def ratios_of_many_fields(scratch: Path, rounds: int) -> tuple[float, float, float]:
    """How long a thousand fields of ten pages take, with one process and two; how long a review.

    Each is a ratio to the time of one field of ten thousand pages.
    """
    for number in range(_FIELDS):
        make_field(scratch / "many" / f"field-{number:04}", _SIZES[-1] // _FIELDS, seed=number)
    one = scratch / f"field-{_SIZES[-1]}"
    alone, one_by_one, together, review = best_of(
        rounds,
        lambda: check(str(one), Request()),
        lambda: each(scratch / "many", 1),
        lambda: each(scratch / "many", 2),
        lambda: reviewed(one),
    )
    return one_by_one / alone, together / alone, review / alone


def best_of(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The shortest time of each work, in seconds; the works take turns."""
    times = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            start = time.perf_counter()
            work()
            times[index] = min(times[index], time.perf_counter() - start)
    return times


def repeat(work: Callable[[Path], object], folder: Path, times: int) -> None:
    """Do a work several times: what takes equally long is disturbed equally."""
    for _ in range(times):
        work(folder)


def peak_memory_mb(folder: Path) -> float:
    """The most memory a process holds that validates the field and does nothing else, in MB."""
    code = (
        "import resource, sys\n"
        "from memoryfield_readers import inspect_field\n"
        "from memoryfield_validator import validate\n"
        "validate(inspect_field(sys.argv[1]))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    kilobytes = subprocess.check_output([sys.executable, "-c", code, str(folder)], text=True)
    return int(kilobytes) / 1000


def start_ratio(rounds: int) -> float:
    """How much longer `memoryfield --version` takes than a Python that does nothing."""
    command = str(Path(sys.executable).with_name("memoryfield"))
    bare, version = best_of(
        rounds,
        lambda: subprocess.check_call([sys.executable, "-c", "pass"]),
        lambda: subprocess.check_output([command, "--version"]),
    )
    return version / bare


def main() -> None:
    """Measure, print a table, and with --check fail where a bound is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each measurement")
    parser.add_argument("--check", action="store_true", help="fail where a bound is not kept")
    arguments = parser.parse_args()
    floors: dict[int, float] = {}
    times: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for size in _SIZES:
            make_field(Path(scratch) / f"field-{size}", size)
        works = [
            partial(repeat, work, Path(scratch) / f"field-{size}", _SIZES[-1] // size)
            for size in _SIZES
            for work in (floor, judged)
        ]
        measured = iter(best_of(arguments.rounds, *works))
        for size in _SIZES:
            share = size / _SIZES[-1]  # a small field is read as often as makes the large one
            floors[size], times[size] = next(measured) * share, next(measured) * share
        memory = peak_memory_mb(Path(scratch) / f"field-{_SIZES[-1]}")
        one_by_one, together, review = ratios_of_many_fields(Path(scratch), arguments.rounds)
    few, many = _SIZES
    rows = [
        (f"validate / floor, {few:,} pages", times[few] / floors[few], None),
        (f"validate / floor, {many:,} pages", times[many] / floors[many], _MOST_RATIO),
        (f"validate, {many:,} / {few:,} pages", times[many] / times[few], _MOST_GROWTH),
        (f"peak memory in MB, {many:,} pages", memory, _MOST_MEMORY_MB),
        ("1,000 fields of 10 / one of 10,000 pages", one_by_one, _MOST_FOR_MANY),
        ("the same with two processes", together, None),
        ("validate --audit / validate", review, _MOST_FOR_REVIEW),
        ("memoryfield --version / python -c pass", start_ratio(4 * arguments.rounds), _MOST_START),
    ]
    failed = False
    for name, value, most in rows:
        bound = f"at most {most:g}" if most is not None else ""
        kept = most is None or value <= most
        failed |= not kept
        print(f"{name:<42} {value:8.2f}   {bound}{'' if kept else '   NOT KEPT'}")
    if arguments.check and failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

"""What keeping notes costs, in a file or in a database: times and memory as ratios within one run.

Designs answer the same questions about the same records, and their answers must be equal: 100
lookups in a batch, 5 searches for a substring, 10 questions for the children of a page.
note_designs.py says what each design does. Each is measured in a process of its own, and they take
turns, so that a machine that is busy meanwhile is so for all of them; the median of the rounds
counts.

What is in the figures: of "made", the work of writing everything down once, and of reading it back
where it is a store of ours; of questions, how long a process works that has everything open, with
the files in the memory of the system, so that it waits for no disk; of the first answer, opening
and one lookup, but not the start of Python; of memory, the most that the process had beyond one
that imports the same and does nothing, answers that it holds included. A write is a change of one
note that is on the disk when it returns, by the clock: with its lock and its fsync, and, of a JSON
store, the file read again if another has written. Writers are processes, which have opened the
store before; each has pages of its own, so they wait for each other, and never have to try again.
The floor is 4 KiB written to a new file, synced, renamed, and the folder synced.

    python benchmarks/stores.py [--sizes N ...] [--rounds N] [--json FILE] [--docs PAGE]
                                [--check]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from make_field import tree_pages
from memoryfield_notes import Document, Note, Origin, Record, StoreKind
from memoryfield_notes.identity import sight_of
from memoryfield_notes.opening import MOST_IN_JSON, open_store
from memoryfield_readers import open_field
from note_designs import DESIGNS, LIMITS, Questions, make_bare
from store_tables import WORKS, put_into, ratio_of, time_of

_SIZES = (1_000, 10_000, 100_000)
_WRITERS = (1, 2, 8)
_CHANGES = 64
"""Changes of notes by all writers together."""
_OURS = ("JSON store", "SQLite store")
_BY = "SQLite store"
"""By whose figures those of the others are divided."""
_MOST_FOR_CHECKS = 3.0
_MOST_FOR_OPENING = 6.0
_MOST_BY_EIGHT = 4.0
_ONCE = 30.0
"""Seconds: what takes longer is measured in one round alone."""
_PIN = f"field-sha256:{hashlib.sha256(b'benchmark').hexdigest()}"
_CHILD = Path(__file__).with_name("note_designs.py")


def document_of(pages: int) -> Document:
    """Records of so many pages, a note on one in twenty."""
    records = []
    for number, (name, parent, text) in enumerate(tree_pages(pages)):
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        said = f"Read to the end, and found true. Looked at {number} before.\n" * 3
        note = Note(said, sha256, _PIN, "2026-03-01T09:00:00Z") if number % 20 == 0 else None
        records.append(
            Record(name, name, text, parent, 1 + (note is not None), sha256, _PIN, note=note)
        )
    records.sort(key=lambda each: each.id)
    return Document(Origin("field", "field", _PIN), 0, tuple(records))


def questions_of(document: Document) -> Questions:
    """What is asked: terms of a page alone, of one in a thousand (two letters), of one in ten, of a
    sentence of some, and of none.
    """
    rng = random.Random(2)
    records = document.records
    sentence = records[len(records) // 2].text.partition("---\n")[2].partition("---\n")[2][:40]
    parents = sorted({each.parent for each in records if each.parent is not None})
    return Questions(
        [each.id for each in rng.sample(records, 100)],
        [f"T-{len(records) // 3:06d}", "Qx", "Checked", sentence, "unobtainium"],
        rng.sample(parents, 10),
    )


def make_places(root: Path, document: Document) -> tuple[dict[str, Path], dict[str, float]]:
    """Write the records down for each design; where each has them, and the seconds that it took."""
    field = root / "field"
    field.mkdir()
    bare = {False: root / "bare.sqlite3", True: root / "full-text.sqlite3"}
    stores: dict[StoreKind, Path] = {"json": root / "json.notes", "sqlite": root / "sqlite.notes"}

    def fill(kind: StoreKind) -> None:
        with open_store(stores[kind], kind=kind, create=True) as store:
            store.restore(document)

    def write_pages() -> None:
        for each in document.records:
            (field / each.name).write_text(each.text, encoding="utf-8", newline="")

    made: dict[str, tuple[Path, Callable[[], None]]] = {
        "JSON store": (stores["json"], lambda: fill("json")),
        "a file a page": (field, write_pages),
        "SQLite store": (stores["sqlite"], lambda: fill("sqlite")),
        "bare SQLite": (bare[False], lambda: make_bare(bare[False], document, full_text=False)),
        "bare SQLite, FTS5": (bare[True], lambda: make_bare(bare[True], document, full_text=True)),
    }
    seconds = {}
    for name, (_, work) in made.items():
        start = time.process_time()
        work()
        seconds[name] = time.process_time() - start
    places = {name: path for name, (path, _) in made.items()}
    parsed = "JSON, parsed each time"
    return {parsed: stores["json"], **places}, {parsed: seconds["JSON store"], **seconds}


def check_records(field: Path, document: Document) -> None:
    """See that the records are what a store would make of the field by itself."""
    with open_field(field, limits=LIMITS) as opened:
        seen = [
            (page.id, page.name, page.text, page.parent, page.sha256)
            for page in sight_of(opened).pages
        ]
    made = [(each.id, each.name, each.text, each.parent, each.sha256) for each in document.records]
    if sorted(seen) != made:
        raise SystemExit("the records are not those of the field")


def bytes_at(path: Path) -> int:
    """Bytes of a file, or of the files in a folder."""
    return sum(each.stat().st_size for each in ([path] if path.is_file() else path.iterdir()))


@contextmanager
def child(asked: Mapping[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """A process that does one thing; it is ended by its id if it has not ended."""
    command = [sys.executable, str(_CHILD)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            tell(process, json.dumps(asked))
            yield process
        finally:
            process.kill()


def tell(process: subprocess.Popen[str], line: str) -> None:
    """Write a line to a process."""
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    """The next line of a process, which must not end without one."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("a process that was measured has failed")
    return line


def asking(
    places: Mapping[str, Path], questions: Questions, rounds: int
) -> dict[str, dict[str, float]]:
    """Put the questions to all designs; the medians by design and work; all answers are equal."""
    with child({"work": "nothing"}) as process:
        empty = json.loads(heard(process))["peak"]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in DESIGNS}
    answers: dict[str, str] = {}
    for number in range(rounds):
        order = list(DESIGNS)
        for name in order[number % len(order) :] + order[: number % len(order)]:
            if found[name] and sum(found[name][0][work] for work in WORKS) > _ONCE:
                continue
            asked = {"work": "answer", "design": name, "path": str(places[name])}
            with child(asked | {"questions": questions._asdict()}) as process:
                got = json.loads(heard(process))
            answers[name] = f"{got.pop('answers')} {got.pop('counts')}"
            if len(set(answers.values())) != 1:
                raise SystemExit(f"the answers are not equal: {answers}")
            found[name].append(got | {"memory": (got.pop("peak") - empty) / 1024})
    return {
        name: {what: median(each[what] for each in rounds) for what in rounds[0]}
        for name, rounds in found.items()
    }


def writing(path: Path, ids: Sequence[str], writers: int, times: int) -> float:
    """The seconds that one change of a note takes, of so many by so many processes together."""
    with ExitStack() as stack:
        processes = []
        for number in range(writers):
            own = ids[number::writers]
            asked = {"work": "write", "path": str(path), "ids": own, "times": times // writers}
            processes.append(stack.enter_context(child(asked)))
        for process in processes:
            heard(process)
        start = time.perf_counter()
        for process in processes:
            tell(process, "go")
        for process in processes:
            heard(process)
        return (time.perf_counter() - start) / (times // writers * writers)


def floor(root: Path) -> float:
    """The seconds of the least that a change on the disk takes."""
    made, folder = root / "floor", os.open(root, os.O_RDONLY)
    try:
        start = time.perf_counter()
        with made.with_suffix(".new").open("wb") as file:
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
        made.with_suffix(".new").replace(made)
        os.fsync(folder)
        return time.perf_counter() - start
    finally:
        os.close(folder)


def main() -> None:
    """Measure, print, and with --check fail beyond the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--json", type=Path, help="a file for the figures, in seconds, MiB and bytes"
    )
    parser.add_argument("--docs", type=Path, help="a page whose tables are to be these")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    kept: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for size in options.sizes:
            kept[size] = _one_size(Path(scratch) / str(size), size, options.rounds)
            if options.json is not None:  # by now, as the next size may take long
                options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if options.docs is not None:
        put_into(options.docs, kept, _BY)
    missed = []
    print()
    for what, value, most in _judged(kept):
        print(f"{what:<74} {value:>8.2f}  at most {most:g}")
        if value > most:
            missed.append(what)
    if missed and options.check:
        raise SystemExit("beyond the limit: " + "; ".join(missed))


def _judged(figures: Mapping[int, Any]) -> Iterator[tuple[str, float, float]]:
    """What is judged: what it is, how much it is, and how much it may be."""
    for size, got in figures.items():
        asked, wrote = got["asked"], got["written"]
        ours, bare = asked["SQLite store"]["searches"], asked["bare SQLite"]["searches"]
        yield f"5 searches of {size:,} in the SQLite store / bare", ours / bare, _MOST_FOR_CHECKS
        ours = asked["JSON store"]["first"]
        parsed = asked["JSON, parsed each time"]["first"]
        what = f"first answer of {size:,} from the JSON store / parsed without checks"
        yield what, ours / parsed, _MOST_FOR_OPENING
        for name in _OURS[size > MOST_IN_JSON :]:
            one, *_, eight = wrote[name].values()
            what = f"a note of {size:,} changed, {name}, one of 8 writers / one alone"
            yield what, eight / one, _MOST_BY_EIGHT
        if size > MOST_IN_JSON:
            what = f"a note of {size:,} changed in the SQLite store / in the JSON store"
            yield what, wrote["SQLite store"][1] / wrote["JSON store"][1], 1


def _one_size(root: Path, size: int, rounds: int) -> dict[str, Any]:
    root.mkdir()
    document = document_of(size)
    places, filled = make_places(root, document)
    if size == min(_SIZES):
        check_records(places["a file a page"], document)
    text = sum(len(each.text.encode()) for each in document.records)
    questions, ids = questions_of(document), [each.id for each in document.records]
    del document
    print(f"\n{size:,} records, {text / 2**20:,.1f} MiB of text", flush=True)
    asked = asking(places, questions, rounds)
    files = {name: bytes_at(path) / text for name, path in places.items()}
    head = "".join(f"{what:>19}" for what in (*WORKS.values(), "memory"))
    print(f"  {'':<24}{head}{'size':>8}{'made':>9}")
    for name, row in asked.items():
        cells = [
            f"{time_of(row[what]):>9}{ratio_of(row[what] / asked[_BY][what]):>7} x"
            for what in WORKS
        ]
        cells.append(f"{row['memory']:,.1f} MiB")
        line = "".join(f"{each:>19}" for each in cells)
        print(f"  {name:<24}{line}{files[name]:>8.2f}{time_of(filled[name]):>9}")
    print(f"  times also by those of the {_BY}; size by that of the text", flush=True)
    wrote = _writes(root, {name: places[name] for name in _OURS}, ids, size, rounds)
    shutil.rmtree(root)
    return {"text": text, "asked": asked, "size": files, "made": filled, "written": wrote}


def _writes(
    root: Path, places: Mapping[str, Path], ids: Sequence[str], size: int, rounds: int
) -> dict[str, Any]:
    few = max(8, min(_CHANGES, 320_000 // size))  # a JSON store is written anew for each
    times = {name: few if name == "JSON store" else _CHANGES for name in places}
    floors: list[float] = []
    found: dict[str, dict[int, list[float]]] = {
        name: {writers: [] for writers in _WRITERS} for name in places
    }
    for _ in range(rounds):
        for name, path in places.items():
            if times[name] * sum(each[0] for each in found[name].values() if each) > _ONCE:
                continue
            for writers in _WRITERS:
                floors += [floor(root) for _ in range(9)]
                again = writing(path, ids[::7][:_CHANGES], writers, times[name])
                found[name][writers].append(again)
    least = median(floors)
    print(f"  one note changed; the floor: {time_of(least)}")
    kept: dict[str, Any] = {"floor": least}
    for name, by_writers in found.items():
        kept[name] = {writers: median(each) for writers, each in by_writers.items()}
        alone = kept[name][1]
        print(f"  {name:<24}{time_of(alone)}  {alone / least:,.1f} of the floor", end="")
        for writers in _WRITERS[1:]:
            print(
                f"; {writers} writers: {kept[name][writers] / alone:.2f} of that a change", end=""
            )
        print(flush=True)
    return kept


if __name__ == "__main__":
    main()

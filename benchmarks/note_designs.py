"""The ways of keeping notes that benchmarks/stores.py compares, each put to the same questions.

Started as a program it is one of them, in a process of its own: it opens a place, answers, and
prints what that took as JSON. It is told no answers: it prints the hash of its own.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, Final, NamedTuple, Protocol, Self

import memoryfield_notes.sqlite_store  # noqa: F401, so that to import it is in no figure
from memoryfield_notes import Document, Record
from memoryfield_notes.opening import open_store
from memoryfield_readers import DEFAULT_LIMITS, Page, open_field

LIMITS = dataclasses.replace(DEFAULT_LIMITS, entries=200_000, total_bytes=2**30)
"""The usual ones stop at 16,384 files."""
_LONG_ENOUGH = 0.3
"""Seconds after which something is not done again in one process."""
_TOO_LONG = 2.0
"""Seconds after which not even the first time is one to get warm by."""
_MOST_TIMES = 9


class Answer(NamedTuple):
    """A record, as far as every design knows it: the field itself holds no notes."""

    id: str
    text: str
    parent: str | None


class Questions(NamedTuple):
    """What is asked of each design.

    Attributes:
        lookups: ids of records that are there.
        terms: what is searched for in the texts, letter by letter; the first is in one alone.
        parents: ids of records whose children are asked for.
    """

    lookups: Sequence[str]
    terms: Sequence[str]
    parents: Sequence[str]


class Design(Protocol):
    """A way of keeping records; every answer is made of whole records, texts and all."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def lookups(self, ids: Sequence[str]) -> list[Answer]:
        """The records of some ids, asked for one after the other."""

    def search(self, term: str) -> list[Answer]:
        """The records whose text holds a term, in id order."""

    def children(self, id: str) -> list[Answer]:
        """The records whose parent is a page, in id order."""


class _Held:
    """What has nothing to let go of, or lets go of it with `close`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go."""


class Parsed(_Held):
    """A JSON file that is read and parsed for each question; once for all lookups of a batch."""

    def __init__(self, path: Path) -> None:
        """Take the path of a document of notes."""
        self._path = path

    def _records(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self._path.read_bytes())["records"]
        return found

    def lookups(self, ids: Sequence[str]) -> list[Answer]:
        """One pass."""
        by_id = {each["id"]: each for each in self._records()}
        return [self._answer(by_id[each]) for each in ids]

    def search(self, term: str) -> list[Answer]:
        """One pass."""
        return [self._answer(each) for each in self._records() if term in each["text"]]

    def children(self, id: str) -> list[Answer]:
        """One pass."""
        return [self._answer(each) for each in self._records() if each["parent"] == id]

    @staticmethod
    def _answer(record: dict[str, Any]) -> Answer:
        return Answer(record["id"], record["text"], record["parent"])


class Ours(_Held):
    """One of the two stores, with all its checks."""

    def __init__(self, path: Path) -> None:
        """Open it."""
        self._store = open_store(path)

    def close(self) -> None:
        """Close it."""
        self._store.close()

    def lookups(self, ids: Sequence[str]) -> list[Answer]:
        """A call of `get` for each."""
        return [self._answer(self._store.get(each)) for each in ids]

    def search(self, term: str) -> list[Answer]:
        """A call of `search`."""
        return list(map(self._answer, self._store.search(term)))

    def children(self, id: str) -> list[Answer]:
        """A call of `children`."""
        return list(map(self._answer, self._store.children(id)))

    @staticmethod
    def _answer(record: Record) -> Answer:
        return Answer(record.id, record.text, record.parent)


class Pages(_Held):
    """The field itself, a file a page, read by our readers: each page is hashed when it is read.

    A page that does not hold the name of its parent letter by letter is taken for a page that has
    another one, so that its frontmatter need not be parsed.
    """

    def __init__(self, path: Path) -> None:
        """Open the folder."""
        self._field = open_field(path, limits=LIMITS)

    def close(self) -> None:
        """Close it."""
        self._field.close()

    def lookups(self, ids: Sequence[str]) -> list[Answer]:
        """Read one file for each."""
        return [self._answer(self._field.page(each)) for each in ids]

    def search(self, term: str) -> list[Answer]:
        """Read all files."""
        return [self._answer(page) for page in self._all() if term in page.text]

    def children(self, id: str) -> list[Answer]:
        """Read all files, and parse the frontmatter of those that may be it."""
        answers = [self._answer(page) for page in self._all() if id in page.text]
        return [answer for answer in answers if answer.parent == id]

    def _all(self) -> Iterable[Page]:
        return map(self._field.page, self._field.pages)

    @staticmethod
    def _answer(page: Page) -> Answer:
        return Answer(page.name, page.text, page.frontmatter.text("parent"))


_COLUMNS: Final = "id, text, parent"


class Bare(_Held):
    """Plain SQLite with an index on parents, which believes what it finds; no checks, no lock."""

    def __init__(self, path: Path) -> None:
        """Open the database."""
        self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def lookups(self, ids: Sequence[str]) -> list[Answer]:
        """A statement for each."""
        return [each for id in ids for each in self._found("WHERE id = ?", id)]

    def search(self, term: str) -> list[Answer]:
        """A pass over the table."""
        return self._found("WHERE instr(text, ?) > 0 ORDER BY id", term)

    def children(self, id: str) -> list[Answer]:
        """By the index."""
        return self._found("WHERE parent = ? ORDER BY id", id)

    def _found(self, condition: str, value: str) -> list[Answer]:
        statement = f"SELECT {_COLUMNS} FROM records {condition}"
        return list(map(Answer._make, self._connection.execute(statement, (value,))))


class FullText(Bare):
    """The same with an index of all three letters in a row; shorter terms take a pass."""

    def search(self, term: str) -> list[Answer]:
        """By the index, as a phrase, which is a substring where letters are counted in threes."""
        if len(term) < 3:
            return super().search(term)
        quoted = '"' + term.replace('"', '""') + '"'
        inner = "SELECT rowid FROM grams WHERE grams MATCH ?"
        return self._found(f"WHERE rowid IN ({inner}) ORDER BY id", quoted)


DESIGNS: Final[dict[str, Callable[[Path], Design]]] = {
    "JSON, parsed each time": Parsed,
    "JSON store": Ours,
    "a file a page": Pages,
    "SQLite store": Ours,
    "bare SQLite": Bare,
    "bare SQLite, FTS5": FullText,
}


def make_bare(path: Path, document: Document, *, full_text: bool) -> None:
    """Make the database of `Bare`, or of `FullText`."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE records(id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, parent TEXT)"
        )
        connection.execute("CREATE INDEX by_parent ON records(parent)")
        connection.executemany(
            "INSERT INTO records VALUES (?, ?, ?)",
            ((each.id, each.text, each.parent) for each in document.records),
        )
        if full_text:
            connection.execute(
                "CREATE VIRTUAL TABLE grams USING fts5(text, content='records', "
                "tokenize='trigram case_sensitive 1')"
            )
            connection.execute("INSERT INTO grams(grams) VALUES ('rebuild')")


def peak() -> int:
    """KiB of memory that this process had at most; not those of the process that started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise SystemExit("this system does not tell how much memory a process had")


def timed(work: Callable[[], list[Answer]]) -> tuple[float, list[Answer]]:
    """The seconds that this process works on something, and what comes of it.

    What takes long is done once; of what does not, the first time does not count, and then the
    median.
    """
    start = time.process_time()
    found = work()
    times = [time.process_time() - start]
    if times[0] < _TOO_LONG:
        times.clear()
    while sum(times) < _LONG_ENOUGH and len(times) < _MOST_TIMES:
        found = []  # so that the answers are not held twice
        start = time.process_time()
        found = work()
        times.append(time.process_time() - start)
    return median(times), found


def answer(name: str, path: Path, questions: Questions) -> dict[str, Any]:
    """Open a design, ask it everything, and say what that took, in seconds of work and KiB.

    The first answer is that to one lookup. Nothing is measured of what came before: the process is
    started, and everything is imported.
    """
    start = time.process_time()
    with DESIGNS[name](path) as design:
        design.lookups(questions.lookups[:1])
        first = time.process_time() - start
        works: dict[str, Callable[[], list[Answer]]] = {
            "lookups": lambda: design.lookups(questions.lookups),
            "searches": lambda: [each for term in questions.terms for each in design.search(term)],
            "rare": lambda: design.search(questions.terms[0]),
            "parents": lambda: [each for id in questions.parents for each in design.children(id)],
        }
        digest = hashlib.sha256()
        passed, counts = {}, {}
        for what, work in works.items():
            passed[what], found = timed(work)
            counts[what] = len(found)
            for each in found:
                digest.update(repr(each).encode())
        most = peak()
    return {"first": first, **passed, "peak": most, "counts": counts, "answers": digest.hexdigest()}


def write(path: Path, ids: Sequence[str], times: int) -> None:
    """Set notes on some pages in turn, once somebody says so on stdin; they are its own pages."""
    with open_store(path, wait=600) as store:
        revisions = {each: store.get(each).rev for each in ids}
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(times):
            id = ids[number % len(ids)]
            outcome = store.cas(id, revisions[id], f"Checked for the {number + 1}th time.")
            if not outcome.applied:
                raise SystemExit(f"another has written to {id}")
            revisions[id] = outcome.record.rev
        print("done", flush=True)


def main() -> None:
    """Be a design, or a writer, or nothing at all; what to do is on stdin, as a line of JSON."""
    asked = json.loads(sys.stdin.readline())
    if asked["work"] == "nothing":
        print(json.dumps({"peak": peak()}))
    elif asked["work"] == "write":
        write(Path(asked["path"]), asked["ids"], asked["times"])
    else:
        questions = Questions(**asked["questions"])
        print(json.dumps(answer(asked["design"], Path(asked["path"]), questions)))


if __name__ == "__main__":
    main()

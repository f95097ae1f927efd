"""What a vector index costs: times as ratios within one run, calls of the embedder as they are.

What is compared is done in turn, so that a machine that is busy meanwhile is so for all of it, and
measured by the time that this process has worked. Vectors are random, and made of the text alone.

    python benchmarks/index.py [--rounds N] [--check]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from make_field import make_field
from memoryfield_index.building import rebuild
from memoryfield_index.embedders import choose
from memoryfield_index.searching.cosine import NAME, give_cosine
from memoryfield_index.searching.large import nearest_of_any
from memoryfield_index.storage import open_index
from memoryfield_index.values import Embedding, Failed, Recipe, Vector
from memoryfield_readers import open_field
from remote import best

_ROWS = 10_000
_DIMENSION = 768
_TOP = 20
_PAGES = 1_000
_FEW = 8
_MODEL = "nomic-embed-text-v1.5"
_MOST_SEARCH = 1.3
_MOST_REBUILD = 0.05
_MOST_START = 0.3
"""Seconds: what the command may take beside its embedder."""

_BARE = "SELECT filename FROM pages ORDER BY vec_distance_cosine(embedding, ?) LIMIT 20"
_SCHEMA = (
    "CREATE TABLE pages(filename TEXT PRIMARY KEY, frontmatter JSON NOT NULL, "
    "last_modified DATETIME NOT NULL, sha256_hash BLOB NOT NULL, embedding BLOB NOT NULL)"
)
_QUESTION = "how is the cache of the gateway kept"


class Counting:
    """An embedder whose vectors depend on the text alone.

    Attributes:
        embedded: how many pages it has embedded.
        seconds: how long this process has worked on that.
    """

    def __init__(self) -> None:
        """Have embedded nothing."""
        self.recipe = Recipe(_MODEL, _DIMENSION, "", "", "counting", "", 8192, True)
        self.embedded = 0
        self.seconds = 0.0

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """A vector for each page."""
        start = time.process_time()
        self.embedded += len(pages)
        made = [Embedding(vector_of(page), min(len(page), 8192)) for page in pages]
        self.seconds += time.process_time() - start
        return made

    def query(self, text: str) -> Vector:
        """A vector for a question."""
        return vector_of(text.encode())

    def close(self) -> None:
        """Nothing is open."""


def vector_of(text: bytes) -> Vector:
    """A random vector for each text."""
    rng = random.Random(hashlib.sha256(text).digest())
    return struct.pack(f"<{_DIMENSION}f", *(rng.gauss(0, 1) for _ in range(_DIMENSION)))


def make_index(path: Path) -> None:
    """An index with rows of a usual size."""
    import apsw

    connection = apsw.Connection(str(path))
    connection.execute(_SCHEMA)
    rng = random.Random(1)
    with connection:
        for number in range(_ROWS):
            name = f"page-{number:05}.md"
            row = (name, '{"title": "A page"}', "2026-01-01T00:00:00Z", rng.randbytes(32))
            vector = vector_of(name.encode())
            connection.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?)", (*row, vector))
    connection.close()


def searching(path: Path, rounds: int) -> float:
    """What our top 20 takes, by what the bare statement of the standard takes."""
    import apsw

    query = vector_of(b"question")
    bare = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    give_cosine(bare)
    with open_index(path, prepare=give_cosine, functions=(NAME,)) as index:

        def ours() -> list[str]:
            found = nearest_of_any(index, "benchmark", query)
            return [near.filename for near in islice(found, _TOP)]

        def theirs() -> list[str]:
            return [str(name) for (name,) in bare.execute(_BARE, (query,))]

        assert ours() == theirs()
        plain, safe = best(rounds, theirs, ours, clock=time.process_time)
    bare.close()
    return safe / plain


def working(embedder: Counting, work: Callable[[], object]) -> float:
    """How long this process works on something, without what the embedder takes of it."""
    start, embedding = time.process_time(), embedder.seconds
    work()
    return time.process_time() - start - (embedder.seconds - embedding)


def rebuilding(root: Path) -> tuple[int, float]:
    """After one of many pages changed: pages embedded, and other work by that of a full build."""
    embedder = Counting()
    folder = root / "field"
    make_field(folder, _PAGES)
    path = folder / f"{_MODEL}.sqlite3"

    def build() -> None:
        with open_field(folder) as field:
            rebuild(field, embedder, path)

    full = working(embedder, build)
    page = sorted(folder.glob("*.md"))[_PAGES // 2]
    page.write_bytes(page.read_bytes() + b"\nOne more line.\n")
    before = embedder.embedded
    again = working(embedder, build)
    return embedder.embedded - before, again / full


def starting(root: Path, rounds: int) -> tuple[float, float]:
    """The seconds of `memoryfield search`, and of a program that only embeds the question."""
    folder = root / "small"
    make_field(folder, _FEW)
    embedder = choose("local")
    with open_field(folder) as field:
        rebuild(field, embedder, folder / f"{embedder.recipe.model}.sqlite3")
    embedder.close()
    command: list[str | Path] = [
        Path(sys.executable).with_name("memoryfield"),
        "search",
        "--weak",
        folder,
        _QUESTION,
    ]
    alone = f"from memoryfield_index.embedders import choose; choose('local').query({_QUESTION!r})"

    def run(arguments: Sequence[str | Path]) -> None:
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)

    embedding, whole = best(
        rounds, lambda: run([sys.executable, "-c", alone]), lambda: run(command)
    )
    return whole, embedding


def main() -> None:
    """Measure, print, and with --check fail beyond the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    missed: list[str] = []

    def say(what: str, value: float, most: float, unit: str = "") -> None:
        print(f"{what:<66} {value:>8,.3f}{unit}  at most {most:,.2f}")
        if value > most:
            missed.append(what)

    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        os.environ["MEMORYFIELD_CACHE_DIR"] = str(root / "cache")
        index = root / f"{_MODEL}.sqlite3"
        make_index(index)
        ratio = searching(index, options.rounds)
        say(f"top {_TOP} of {_ROWS:,} x {_DIMENSION} / the bare statement", ratio, _MOST_SEARCH)
        embedded, other = rebuilding(root)
        say(f"pages embedded after one of {_PAGES:,} changed", embedded, 1)
        say("other work of that build / of a full one", other, _MOST_REBUILD)
        shutil.rmtree(root / "field")
        whole, embedding = starting(root, options.rounds)
        print(f"one question, embedded by a program of its own: {embedding:.2f} s")
        say("`memoryfield search` beyond that", whole - embedding, _MOST_START, " s")
    if missed and options.check:
        raise SystemExit("beyond the limit: " + "; ".join(missed))


if __name__ == "__main__":
    main()

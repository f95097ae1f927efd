"""Rows come in the order of their distance, with sqlite-vec and without it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from unittest import mock

import apsw
import pytest
from tests.index.search_fields import SCHEMA, make_index, sha256_of, vector

from memoryfield_index.searching import cosine
from memoryfield_index.searching.cosine import NAME, give_cosine
from memoryfield_index.searching.directions import Direction
from memoryfield_index.searching.nearest import Near, nearest
from memoryfield_index.storage import Index, open_index
from memoryfield_index.values import Vector

NAN, INF = float("nan"), float("inf")
HASH = sha256_of(b"")
BAD = [
    vector(0, 0, 0),
    vector(-0.0, 0, 0),
    vector(NAN, 0, 0),
    vector(1, NAN, 1),
    vector(INF, 0, 0),
    vector(-INF, INF, 0),
    vector(1e-30, 0, 0),
    vector(1e-38, 1e-38, 0),
    vector(3e38, 3e38, 3e38),
    vector(1, 0),
    vector(1, 0, 0, 0),
    vector(1, 0, 0)[:-1],
    b"",
    b"\x00",
    "[1, 0, 0]",
    "1, 0, 0",
    1,
    2.5,
]
"""What cannot be compared with a vector of three numbers."""


@pytest.fixture(params=["sqlite-vec", "Python"])
def measure(request: pytest.FixtureRequest) -> Iterator[str]:
    """The function that measures distances."""
    with mock.patch.object(cosine, "load_vec", wraps=cosine.load_vec) as loads:
        if request.param == "Python":
            loads.side_effect = [False] * 100
        yield request.param


def opened(path: Path) -> Index:
    return open_index(path, prepare=give_cosine, functions=(NAME,))


def order(path: Path, query: Vector) -> list[Near]:
    with opened(path) as index:
        return list(nearest(index, query))


def random_rows(count: int, dimension: int, seed: int) -> list[tuple[str, bytes, bytes]]:
    rng = random.Random(seed)
    rows = []
    for number in range(count):
        scale = 10 ** rng.uniform(-6, 6)
        numbers = [rng.gauss(0, scale) for _ in range(dimension)]
        rows.append((f"{rng.randrange(10**6)}-{number}.md", HASH, vector(*numbers)))
    rows += [(f"twin-{number}.md", HASH, rows[0][2]) for number in range(40)]
    return rows


def test_function_is_that_of_sqlite_vec_where_it_can_be(measure: str) -> None:
    """The two are told apart, so that the other tests run both."""
    connection = apsw.Connection(":memory:")
    give_cosine(connection)
    names = {row[0] for row in connection.execute("SELECT name FROM pragma_function_list")}
    assert NAME in names
    assert ("vec_version" in names) == (measure == "sqlite-vec")
    with pytest.raises(apsw.Error):
        connection.execute("SELECT load_extension('x')").fetchall()


@pytest.mark.parametrize("seed", range(3))
def test_both_measures_give_one_ranking(seed: int, tmp_path: Path) -> None:
    """The same pages at the same distances in the same order, to the last digit."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(400, 24, seed))
    query = random_rows(1, 24, seed + 100)[0][2]
    with_vec = order(path, query)
    with mock.patch.object(cosine, "load_vec", return_value=False):
        without = order(path, query)
    assert with_vec == without
    assert len(with_vec) == 440
    assert with_vec == sorted(with_vec, key=lambda near: (near.distance, near.filename.encode()))


def test_distances_are_those_of_the_cosine(measure: str, tmp_path: Path) -> None:
    """0 for the same direction, 1 for a right angle, 2 for the opposite; length is no matter."""
    rows = [
        ("same.md", HASH, vector(5, 0)),
        ("near.md", HASH, vector(1, 1)),
        ("right.md", HASH, vector(0, 0.1)),
        ("opposite.md", HASH, vector(-2, 0)),
    ]
    found = order(make_index(tmp_path / "m-1.sqlite3", reversed(rows)), vector(2, 0))
    assert [near.filename for near in found] == [row[0] for row in rows]
    expected = [0, 1 - math.sqrt(0.5), 1, 2]
    assert [near.distance for near in found] == pytest.approx(expected, abs=1e-7)
    assert {near.sha256 for near in found} == {HASH.hex()}


def test_bad_rows_never_rank(measure: str, tmp_path: Path) -> None:
    """25 and more bad rows, one good: the good one first, and alone."""
    rows = [(f"a{number}.md", HASH, bad) for number, bad in enumerate(BAD * 2)]
    good = ("z.md", HASH, vector(-1, 0.1, 0))
    assert len(rows) > 25
    path = make_index(tmp_path / "m-1.sqlite3", [*rows, good])
    assert [near.filename for near in order(path, vector(1, 0, 0))] == ["z.md"]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: repr(bad)[:30])
def test_each_kind_of_bad_row(bad: object, measure: str, tmp_path: Path) -> None:
    """More of them than are looked at to begin with."""
    rows = [(f"a{number}.md", HASH, bad) for number in range(40)]
    path = make_index(tmp_path / "m-1.sqlite3", [*rows, ("z.md", HASH, vector(-1, 0, 0))])
    assert [near.filename for near in order(path, vector(1, 0, 0))] == ["z.md"]


@pytest.mark.parametrize("bad", [row for row in BAD if isinstance(row, bytes)][:9])
def test_bad_question(bad: bytes, measure: str, tmp_path: Path) -> None:
    """A question whose vector means nothing is no question."""
    path = make_index(tmp_path / "m-1.sqlite3", [("z.md", HASH, vector(1, 0, 0))])
    with pytest.raises(ValueError, match="zero, not finite, or beyond"):
        order(path, bad)


@pytest.mark.parametrize("sha256", [b"", b"x" * 31, "0" * 64, 5])
def test_rows_without_a_hash_never_rank(sha256: object, measure: str, tmp_path: Path) -> None:
    """What cannot be told to be of the page as it stands is of no use (MF905)."""
    rows = [("a.md", sha256, vector(1, 0)), ("b.md", HASH, vector(0, 1))]
    path = make_index(tmp_path / "m-1.sqlite3", rows)
    assert [near.filename for near in order(path, vector(1, 0))] == ["b.md"]


@pytest.mark.parametrize("name", [b"\xff\xfe.md", 5, b"blob.md"])
def test_odd_file_names(name: object, measure: str, tmp_path: Path) -> None:
    """Names that are no text, or no UTF-8, break nothing."""
    path = make_index(tmp_path / "m-1.sqlite3", [("b.md", HASH, vector(0, 1))])
    connection = apsw.Connection(str(path))
    value = "CAST(? AS TEXT)" if name == b"\xff\xfe.md" else "?"
    statement = f"INSERT INTO pages VALUES ({value}, '{{}}', '', ?, ?)"
    connection.execute(statement, (name, HASH, vector(1, 0)))
    connection.close()
    found = [near.filename for near in order(path, vector(1, 0))]
    assert found[-1] == "b.md"
    assert "blob.md" not in found


def test_a_name_twice_comes_once(measure: str, tmp_path: Path) -> None:
    """A foreign table may lack the key; the first row of a name counts, and one order is kept."""
    rows = [
        ("a.md", HASH, vector(0, 1)),
        ("a.md", HASH, vector(1, 0)),
        ("b.md", HASH, vector(1, 1)),
    ]
    schema = SCHEMA.replace(" PRIMARY KEY", "")
    path = make_index(tmp_path / "m-1.sqlite3", rows, schema)
    assert sorted(near.filename for near in order(path, vector(1, 0))) == ["a.md", "b.md"]


def test_only_what_is_wanted_is_measured(tmp_path: Path) -> None:
    """Who takes the first few does not pay for all."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(2000, 4, 7))
    with (
        opened(path) as index,
        mock.patch.object(Direction, "distance", autospec=True, return_value=0.0) as measured,
    ):
        assert len(list(islice(nearest(index, vector(1, 0, 0, 0)), 5))) == 5
    assert measured.call_count < 100

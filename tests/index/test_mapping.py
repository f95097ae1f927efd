"""Maps: where pages are, which are near to each other, and what a map is made of."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.index.fields import MODEL, build, change, folder, foreign, page, pages, vector

from memoryfield_index.mapping import DEFAULT_NEAR, Map, chart, html_of, svg_of
from memoryfield_index.mapping import charting as charting_module
from memoryfield_index.mapping.drawing import HEIGHT, WIDTH, placed
from memoryfield_index.mapping.nearness import near_pairs
from memoryfield_index.mapping.projecting import COMPONENTS, dot, unit, view_of
from memoryfield_index.storage import open_index
from memoryfield_index.values import Vector
from memoryfield_index.vector_faults import cosine
from memoryfield_readers import open_field

INDEX = f"{MODEL}.sqlite3"


def packed(*numbers: float) -> Vector:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def cloud(count: int, dimension: int, seed: int = 1) -> list[Vector]:
    """Vectors around a few centres, some of them nearly or quite the same."""
    chance = random.Random(seed)
    centres = [[chance.gauss(0.5, 1) for _ in range(dimension)] for _ in range(5)]
    found = []
    for number in range(count):
        spread = (0.0, 0.05, 0.2, 0.6)[number % 4]
        centre = centres[chance.randrange(5)]
        found.append(packed(*(each + chance.gauss(0, spread) for each in centre)))
    return found


def charted(place: Path, near: float = DEFAULT_NEAR) -> Map:
    with open_field(place) as field, open_index(place / INDEX) as index:
        return chart(index, field, near)


def by_brute_force(vectors: Sequence[Vector], near: float) -> dict[tuple[int, int], float]:
    return {
        (one, other): 1 - cosine(vectors[one], vectors[other])
        for other in range(len(vectors))
        for one in range(other)
        if 1 - cosine(vectors[one], vectors[other]) <= near
    }


@pytest.mark.parametrize("near", [0.0005, 0.02, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("dimension", [2, 40])
def test_near_pairs_are_those_of_brute_force(dimension: int, near: float) -> None:
    vectors = cloud(80, dimension)
    view = view_of(vectors)
    found = near_pairs(vectors, [view.seen(each) for each in vectors], near, most=10_000)
    wanted = by_brute_force(vectors, near)
    assert found.is_whole
    assert found.count == len(found.pairs)
    distances = {(pair.first, pair.second): pair.distance for pair in found.pairs}
    assert distances == pytest.approx(wanted, abs=1e-6)
    assert list(found.pairs) == sorted(found.pairs)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.floats(-1e6, 1e6, width=32)] * 9).filter(
            lambda row: math.hypot(*row) > 1e-3
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([0.001, 0.05, 0.4]),
)
def test_no_near_pair_is_missed(rows: list[tuple[float, ...]], near: float) -> None:
    """Whatever the vectors are: those at the very bound may go either way."""
    vectors = [packed(*row) for row in rows]
    view = view_of(vectors)
    found = near_pairs(vectors, [view.seen(each) for each in vectors], near)
    got = {(pair.first, pair.second) for pair in found.pairs}
    assert set(by_brute_force(vectors, near - 1e-6)) <= got
    assert got <= set(by_brute_force(vectors, near + 1e-6))


@pytest.mark.parametrize("last", range(1, 16, 2))
def test_a_pair_at_the_bound_is_found_wherever_it_differs(last: int) -> None:
    """A turn from the first number to a later one, a little less or more than the bound."""
    for turn, count in ((0.1999, 1), (0.2001, 0)):
        turned = [math.cos(turn), *[0.0] * 15]
        turned[last] = math.sin(turn)
        vectors = [packed(1.0, *[0.0] * 15), packed(*turned)]
        seen = [view_of(vectors).seen(each) for each in vectors]
        assert near_pairs(vectors, seen, 1 - math.cos(0.2)).count == count


def test_the_nearest_are_kept() -> None:
    vectors = cloud(60, 12)
    view = view_of(vectors)
    seen = [view.seen(each) for each in vectors]
    everything = near_pairs(vectors, seen, 0.5, most=10_000)
    few = near_pairs(vectors, seen, 0.5, most=7)
    assert few.pairs == everything.pairs[:7]
    assert few.count == everything.count > 7


def test_work_is_bounded() -> None:
    """What is all alike ends early, and that is told."""
    vectors = [packed(1.0, 2.0, 3.0)] * 200
    view = view_of(vectors)
    seen = [view.seen(each) for each in vectors]
    found = near_pairs(vectors, seen, 0.1, most_work=3000)
    assert not found.is_whole
    assert 0 < found.count < 200 * 199 / 2
    told: list[tuple[str, int, int]] = []
    watched = near_pairs(vectors, seen, 0.1, watch=lambda *step: told.append(step))
    assert watched.count == 200 * 199 / 2
    assert told == [("compared", done, 200) for done in range(201)]


def test_directions_are_at_right_angles_and_the_greatest_comes_first() -> None:
    vectors = cloud(60, 24)
    view = view_of(vectors)
    assert len(view.directions) == COMPONENTS
    for place, one in enumerate(view.directions):
        for other in view.directions[:place]:
            assert dot(one, other) == pytest.approx(0, abs=1e-12)
        assert dot(one, one) == pytest.approx(1, abs=1e-12)
    seen = [view.seen(each) for each in vectors]
    first, second, third = (sum(row[at] ** 2 for row in seen) for at in range(3))
    assert first >= second >= third > 0
    chance = random.Random(3)
    for _ in range(50):  # no direction shows greater differences than the first
        other = unit(packed(*(chance.gauss(0, 1) for _ in range(24))))
        along = [dot(other, unit(each)) - dot(other, view.centre) for each in vectors]
        assert sum(number**2 for number in along) <= first * (1 + 1e-6)


def test_what_is_seen_is_what_is_there() -> None:
    """All that is off the directions is in the last number."""
    vectors = cloud(30, 40)
    view = view_of(vectors)
    for each in vectors:
        away = [a - b for a, b in zip(unit(each), view.centre, strict=True)]
        assert math.hypot(*view.seen(each)) == pytest.approx(math.hypot(*away), abs=1e-9)


def test_the_view_does_not_depend_on_the_order() -> None:
    vectors = cloud(450, 6)
    assert view_of(vectors) == view_of(list(reversed(vectors)))


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_few_or_equal_vectors_have_a_view(count: int) -> None:
    vectors = [packed(3.0, 4.0)] * count
    view = view_of(vectors)
    assert view.directions == ()
    assert all(view.seen(each) == pytest.approx((0,), abs=1e-6) for each in vectors)


def test_a_map_of_a_field(tmp_path: Path) -> None:
    """Pages by name, near ones in pairs, all within the picture, no two maps different."""
    place = folder(tmp_path / "field", pages(6) | {"copy.md": page(1)})
    build(place)
    drawn = charted(place)
    assert [spot.name for spot in drawn.spots] == sorted([*pages(6), "copy.md"])
    assert (drawn.field, drawn.model, drawn.notes, drawn.unmapped) == ("field", MODEL, (), 0)
    [nearest, *_] = drawn.pairs
    assert (nearest.first, nearest.second, nearest.distance) == (0, 2, 0)
    assert drawn.spots[2].title == "Woks 1"
    assert drawn.spots[2].summary == "Thermal properties."
    spots = placed(drawn.spots)
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in spots)
    assert spots[0] == spots[2] != spots[1]
    again = charted(place)
    assert (html_of(again), svg_of(again)) == (html_of(drawn), svg_of(drawn))


def test_the_order_of_rows_makes_no_difference(tmp_path: Path) -> None:
    place = folder(tmp_path / "field", pages(9))
    build(place)
    before = svg_of(charted(place))
    change(
        place / INDEX,
        "CREATE TABLE other AS SELECT * FROM pages ORDER BY filename DESC",
        "DELETE FROM pages",
        "INSERT INTO pages SELECT * FROM other",
        "DROP TABLE other",
    )
    assert svg_of(charted(place)) == before


def test_rows_that_are_not_of_the_page_as_it_stands_are_not_drawn(tmp_path: Path) -> None:
    """MF905: nor are pages without a row, nor rows without a page."""
    place = folder(tmp_path / "field", pages(5))
    build(place)
    folder(place, {"page-001.md": page(1, "Pans"), "new.md": page(9)})
    (place / "page-002.md").unlink()
    drawn = charted(place)
    assert [spot.name for spot in drawn.spots] == ["page-000.md", "page-003.md", "page-004.md"]
    assert drawn.unmapped == 2
    [note] = drawn.notes
    assert note.startswith("2 pages have no vector")


def test_a_foreign_index_with_vectors_of_any_kind(tmp_path: Path) -> None:
    """Those of the usual size are drawn; zeros, beyond size and other sizes are not."""
    place = folder(tmp_path / "field", pages(6))
    with open_field(place) as field:
        hashes = [bytes.fromhex(field.sha256(name)) for name in field.pages]
    given = [
        vector(),
        vector(5.0),
        vector(*[0.0] * 768),
        b"\0\0\x80\x3f",
        vector(3e38),
        vector(-1.0),
    ]
    rows = zip(pages(6), hashes, given, strict=True)
    path = tmp_path / "any.sqlite3"  # whose name does not tell of what model it is
    foreign(path, [(name, "{}", "x", sha256, each) for name, sha256, each in rows])
    with open_field(place) as field, open_index(path) as index:
        drawn = chart(index, field)
    assert [spot.name for spot in drawn.spots] == ["page-000.md", "page-001.md", "page-005.md"]
    assert drawn.model is None


def test_what_is_cut_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder(tmp_path / "field", {name: page(1) for name in pages(8)})
    build(place)
    monkeypatch.setattr(charting_module, "MOST_PAGES", 5)
    drawn = charted(place)
    assert len(drawn.spots) == 5
    assert drawn.notes == ("only the first 5 of 8 pages are on the map",)
    monkeypatch.setattr(charting_module, "MOST_BYTES", 768 * 4 * 3)
    drawn = charted(place)
    assert len(drawn.spots) == 3
    assert "only the first 0 MiB of vectors are on the map" in drawn.notes

"""A question to fields: what their indexes are used for, and what words are."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.index.compass_field import MODEL, PAGES, angle, foreign, pointing
from tests.index.hash_embedder import HashEmbedder
from tests.index.search_fields import (
    Starting,
    ask,
    build,
    make_folder,
    make_index,
    names,
    opened,
    page,
    sha256_of,
    vector,
)
from tests.readers.http_fields import open_served
from tests.readers.http_fields import pages as as_served
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_index.embedders import Options
from memoryfield_index.searching import Asked, Embedders, large, search
from memoryfield_readers import Manifest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test alone."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def compass(tmp_path: Path) -> Path:
    return foreign(tmp_path / "compass")


def test_pages_come_by_their_distance(compass: Path) -> None:
    """With distances, scores in falling order, the frontmatter, the field and its pin."""
    answer = ask(compass, "10", pointing())
    assert answer.how == "semantic"
    assert names(answer) == ["east.md", "north.md", "west.md"]
    distances = [1 - math.cos(math.radians(turn)) for turn in (10, 80, 170)]
    assert [hit.distance for hit in answer.hits] == pytest.approx(distances, abs=1e-6)
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    result = answer.hits[0].as_result()
    assert result["frontmatter"] == {"title": "East"}
    with opened([compass]) as [field]:
        assert (result["field"], result["pin"]) == ("compass", field.digest())
    assert result["location"] == str(compass)
    assert not any(hit.stale for hit in answer.hits)
    assert any("does not say how its vectors were made" in note for note in answer.notes)


def test_introductions_are_ranked_if_asked_for(compass: Path) -> None:
    """`index.md` and `listing.md` resemble every question."""
    everything = ask(compass, "5", pointing(), everything=True)
    assert names(everything)[:3] == ["index.md", "listing.md", "east.md"]
    words = ask(compass, "sunrise", how="lexical")
    assert names(words) == ["east.md"]
    assert set(names(ask(compass, "sunrise", how="lexical", everything=True))) == {
        "east.md",
        "index.md",
    }


def test_no_more_than_wanted_and_none_too_far(compass: Path) -> None:
    """What is cut off is told of, if nothing else is there."""
    assert names(ask(compass, "10", pointing(), most=1)) == ["east.md"]
    assert names(ask(compass, "10", pointing(), max_distance=0.9)) == ["east.md", "north.md"]
    answer = ask(compass, "220", pointing(), max_distance=0.1)
    assert answer.hits == ()
    assert answer.nearest is not None
    assert answer.nearest.filename == "west.md"
    assert answer.nearest.distance == pytest.approx(1 - math.cos(math.radians(40)), abs=1e-6)
    assert names(ask(compass, "220", pointing(), max_distance=0.1, weak=True)) == [
        "west.md",
        "north.md",
        "east.md",
    ]


def test_a_stale_row_is_not_used(compass: Path) -> None:
    """A page that changed is found by the words that it has now, and marked (MF905)."""
    (compass / "east.md").write_bytes(page("East", "10 dusk"))
    answer = ask(compass, "10", pointing())
    assert sorted(names(answer)) == ["east.md", "north.md", "west.md"]
    [stale] = [hit for hit in answer.hits if hit.stale]
    assert (stale.filename, stale.distance) == ("east.md", None)
    assert any("has 1 page as it was; it is found by words" in note for note in answer.notes)
    gone = ask(compass, "170", pointing(), max_distance=0.5)
    assert names(gone) == ["west.md"]


def test_a_page_without_a_row_is_found_by_its_words(compass: Path) -> None:
    """One that was added after the index was built."""
    (compass / "new.md").write_bytes(page("Bearing 10", "quixotry"))
    answer = ask(compass, "10", pointing(), max_distance=0.5)
    assert names(answer) == ["east.md", "new.md"]
    assert answer.hits[1].distance is None
    assert not answer.hits[1].stale  # there is no row that could be
    assert any("1 of 4 pages are not in the index" in note for note in answer.notes)


@pytest.mark.parametrize("many", [large.MANY, 1], ids=["small", "large"])
@pytest.mark.parametrize("how", ["semantic", "hybrid"])
@pytest.mark.parametrize(
    "row",
    [
        (sha256_of(PAGES["west.md"]), vector(math.nan, 0)),
        (sha256_of(PAGES["west.md"]), vector(0, 0)),
        (sha256_of(PAGES["west.md"]), vector(1, 0, 0)),
        (sha256_of(PAGES["west.md"]), 5),
        (b"short", angle(180)),
        ("text", angle(180)),
    ],
    ids=["nan", "zero", "size", "number", "hash", "text"],
)
def test_a_page_whose_row_cannot_be_used_is_found_by_its_words(
    row: tuple[object, object], how: str, many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that never ranks hides no page."""
    monkeypatch.setattr(large, "MANY", many)
    folder = make_folder(tmp_path / "field", PAGES)
    good = [(name, sha256_of(PAGES[name]), angle(90)) for name in ("east.md", "north.md")]
    make_index(folder / f"{MODEL}.sqlite3", [*good, ("west.md", *row)])
    answer = ask(folder, "180 degrees at sunset", pointing(), max_distance=0.5, how=how)
    assert names(answer) == ["west.md"]
    assert answer.hits[0].distance is None
    assert any("1 of 3 pages are not in the index" in note for note in answer.notes)


def test_rows_of_no_page_lead_nowhere(tmp_path: Path) -> None:
    """An index that names other files of the machine gives none of them."""
    folder = make_folder(tmp_path / "field", {"a.md": page("A")})
    secret = tmp_path / "secret.md"
    secret.write_bytes(b"secret\n")
    (folder / "notes.txt").write_bytes(b"secret\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.md").write_bytes(b"secret\n")
    rows = [
        (name, sha256_of(b"secret\n"), angle(10))
        for name in ("../secret.md", str(secret), "notes.txt", "sub/b.md", "./a.md", "a.md\0", "")
    ]
    rows.append(("a.md", sha256_of(page("A")), angle(190)))
    make_index(folder / f"{MODEL}.sqlite3", rows)
    answer = ask(folder, "10", pointing())
    assert names(answer) == ["a.md"]
    assert b"secret" not in answer.hits[0].page.raw


def test_bad_rows_before_the_good_one(tmp_path: Path) -> None:
    """25 rows of nonsense and one good: the good one first."""
    pages = {f"a{number:02}.md": page(f"Page {number}") for number in range(26)}
    folder = make_folder(tmp_path / "field", pages)
    bad = [vector(0, 0), vector(math.nan, 0), vector(math.inf, 1), vector(1e-38, 0), b""]
    rows = [
        (name, sha256_of(raw), bad[number % len(bad)])
        for number, (name, raw) in enumerate(pages.items())
    ]
    rows[25] = ("a25.md", sha256_of(pages["a25.md"]), angle(60))
    make_index(folder / f"{MODEL}.sqlite3", rows)
    assert names(ask(folder, "10", pointing()))[0] == "a25.md"
    assert names(ask(folder, "10", pointing(), how="hybrid"))[0] == "a25.md"


def test_hybrid_finds_a_rare_name(compass: Path) -> None:
    """What has half of the question's words comes beside what the model finds near."""
    semantic = ask(compass, "0 sunset", pointing(), max_distance=0.1)
    assert names(semantic) == ["east.md"]
    hybrid = ask(compass, "0 sunset", pointing(), max_distance=0.1, how="hybrid")
    assert hybrid.how == "hybrid"
    assert sorted(names(hybrid)) == ["east.md", "west.md"]
    by_name = {hit.filename: hit for hit in hybrid.hits}
    assert by_name["east.md"].distance is not None
    assert by_name["west.md"].distance is None


def test_hybrid_marks_every_stale_page(compass: Path) -> None:
    """Also one that the vectors would not have come to."""
    (compass / "west.md").write_bytes(page("West", "sunset, at 0 hours"))
    answer = ask(compass, "0 sunset", pointing(), max_distance=0.1, how="hybrid")
    assert {hit.filename: hit.stale for hit in answer.hits} == {"east.md": False, "west.md": True}


def test_several_fields_are_one(compass: Path, tmp_path: Path) -> None:
    """Pages of fields with one model come in one order; each says of which field it is."""
    other = foreign(tmp_path / "other")
    (other / "east.md").unlink()
    answer = ask([compass, other], "100", pointing())
    assert [(hit.field, hit.filename) for hit in answer.hits] == [
        ("compass", "north.md"),
        ("other", "north.md"),
        ("compass", "west.md"),
        ("other", "west.md"),
        ("compass", "east.md"),
    ]


def test_a_field_with_an_index_and_one_without(compass: Path, tmp_path: Path) -> None:
    """Both are in the answer: one by distance, one by words."""
    plain = make_folder(tmp_path / "plain", {"ten.md": page("10", "ten")})
    answer = ask([plain, compass], "10", pointing())
    found = [(hit.field, hit.filename) for hit in answer.hits]
    assert found[:2] == [("compass", "east.md"), ("plain", "ten.md")]
    assert answer.how == "semantic"


def test_words_of_several_fields_are_weighed_together(tmp_path: Path) -> None:
    """What is rare in one and common in the other is common."""
    one = make_folder(tmp_path / "one", {f"{n}.md": page(f"T{n}", "stove gas") for n in range(9)})
    other = make_folder(tmp_path / "other", {"z.md": page("Z", "stove kiln")})
    answer = ask([one, other], "kiln stove", how="lexical")
    assert (answer.hits[0].field, answer.hits[0].filename) == ("other", "z.md")
    assert ask([], "x").hits == ()


def test_a_large_index_gives_the_same_answer(
    compass: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many rows there are makes no difference to who asks."""
    small = ask(compass, "100", pointing())
    monkeypatch.setattr(large, "MANY", 1)
    for _ in range(2):  # with the table made, and with the table that is there
        answer = ask(compass, "100", pointing())
        assert [(hit.filename, hit.distance) for hit in answer.hits] == [
            (hit.filename, hit.distance) for hit in small.hits
        ]
    (compass / "north.md").write_bytes(page("North", "thaw"))
    assert names(ask(compass, "100", pointing(), max_distance=1.5)) == ["west.md", "east.md"]


def test_who_waits_is_told(compass: Path) -> None:
    """How many of the pages were read for their words; of a long question, what is embedded."""
    told: list[tuple[str, int, int]] = []
    embedders = Embedders("named", Options(), Starting({"named": pointing()}))
    with opened([compass]) as fields:
        how = Asked(how="hybrid")
        answer = search(fields, "10 " * 1000, embedders, how, watch=lambda *step: told.append(step))
    assert told == [("pages", done, 3) for done in range(4)]
    assert any("only the first 2000 characters" in note for note in answer.notes)


@pytest.mark.parametrize("question", ["", "  \n\t", "\0"])
def test_a_blank_question_finds_nothing(question: str, compass: Path) -> None:
    """And asks no model."""
    embedder = pointing()
    answer = ask(compass, question, embedder)
    assert (answer.hits, embedder.questions) == ((), [])


@pytest.mark.parametrize(
    "question",
    ['0 "; DROP', "0 \ud800", "0 \0 x", "0 " + "a" * 10_000, "0 碳纤维", "0 NEAR(", "0 *"],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("how", ["semantic", "hybrid", "lexical"])
def test_no_question_is_an_error(how: str, question: str, compass: Path) -> None:
    """Whatever it is made of; what is embedded is not longer than a model takes."""
    embedder = pointing()
    answer = ask(compass, question, embedder, how=how)
    assert len(answer.hits) <= 3
    assert all(len(asked) <= 2000 for asked in embedder.questions)
    assert all(asked.isprintable() for asked in embedder.questions)


def test_a_page_that_cannot_be_read_keeps_no_other_from_being_found(compass: Path) -> None:
    """It is told of."""
    (compass / "east.md").unlink()
    (compass / "east.md").write_bytes(b"x" * 1000)
    with opened([compass]) as fields:
        (compass / "east.md").unlink()
        embedders = Embedders("named", Options(), Starting({"named": pointing()}))
        answer = search(fields, "10", embedders, Asked())
    assert names(answer) == ["north.md", "west.md"]
    assert [error.entry for error in answer.errors] == ["east.md"]


def test_an_index_of_our_own(tmp_path: Path) -> None:
    """Built, searched, and after a change of one page searched again."""
    folder = make_folder(tmp_path / "f", PAGES)
    build(folder, HashEmbedder())
    [first, *_] = ask(folder, PAGES["west.md"].decode(), HashEmbedder()).hits
    assert first.filename == "west.md"
    assert first.distance == pytest.approx(0, abs=1e-6)
    (folder / "west.md").write_bytes(page("West", "moonrise"))
    build(folder, HashEmbedder())
    answer = ask(folder, "moonrise", HashEmbedder())
    assert not any(hit.stale for hit in answer.hits)
    assert answer.notes == ()


@pytest.mark.parametrize("attachment", [False, True], ids=["pages-alone", "with-attachment"])
def test_nothing_is_fetched_for_a_pin(attachment: bool, tmp_path: Path) -> None:
    """The pin of a field elsewhere is told if all of it was read anyway."""
    files = {"a.md": page("Woks"), "listing.md": b"- [a](a.md)\n"}
    manifest = dict.fromkeys(files, "0" * 64)
    if attachment:
        manifest["data.csv"] = "0" * 64
    served = as_served({**files, "data.csv": b"1,2\n"})
    with (
        FaultyHttp(served) as server,
        open_served(server.url("/f/"), manifest=Manifest.of(manifest)) as field,
    ):
        asked = Asked(how="lexical", everything=True)
        [hit, *_] = search([field], "woks", Embedders(), asked).hits
        assert server.asked("/f/data.csv") == []
        assert hit.pin == (None if attachment else field.digest())

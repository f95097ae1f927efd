"""Fields that are asked again and again give what a search of its own gives, and write nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.index.compass_field import foreign, pointing
from tests.index.search_fields import Starting, ask, make_folder, names, opened, page

from memoryfield_index.embedders import Options
from memoryfield_index.searching import Asked, Embedders, Standing, large
from memoryfield_index.searching.lexical import Lexicon
from memoryfield_index.values import Embedder
from memoryfield_readers import Field

QUESTIONS = ("woks", "carbon fibre", "10", "heat of woks", "nothing that is there", "a.md", "")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test alone."""
    path = tmp_path / "cache"
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(path))
    return path


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Two fields of words, without an index."""
    woks = {
        "a.md": page("Carbon fibre woks", "They conduct heat unevenly."),
        "b.md": page("Cast iron", "Heat of woks is kept."),
        "index.md": page("Woks", "All of woks."),
        "broken.md": b"---\ntitle: a: b\n---\nwoks, broken\n",
        "latin.md": "---\ntitle: caf\xe9\n---\nwoks\n".encode("latin-1"),
    }
    other = {"a.md": page("Boats", "Carbon and water."), "listing.md": page("List", "woks")}
    return [make_folder(tmp_path / "woks", woks), make_folder(tmp_path / "boats", other)]


def standing(fields: list[Field], embedder: Embedder | None = None) -> Standing:
    named = {} if embedder is None else {"named": embedder}
    name = "auto" if embedder is None else "named"
    return Standing(fields, Embedders(name, Options(), Starting(named)))


@pytest.mark.parametrize("asked", [{}, {"everything": True}, {"weak": True}, {"most": 1}], ids=str)
def test_words_find_what_a_search_of_its_own_finds(
    folders: list[Path], asked: dict[str, Any]
) -> None:
    with opened(folders) as fields, standing(fields) as kept:
        for question in (*QUESTIONS, *QUESTIONS):
            answer = kept.search(question, Asked(**asked))
            expected = ask(folders, question, **asked)
            assert [hit.as_result() for hit in answer.hits] == [
                hit.as_result() for hit in expected.hits
            ]
            assert (answer.how, answer.notes) == (expected.how, expected.notes)


@pytest.mark.parametrize("how", ["semantic", "hybrid", "lexical"])
def test_vectors_find_what_a_search_of_its_own_finds(tmp_path: Path, how: Any) -> None:
    compass = foreign(tmp_path / "compass")
    with opened([compass]) as fields, standing(fields, pointing()) as kept:
        for question in ("10", "80 north", "170 west", "10"):
            answer = kept.search(question, Asked(how=how))
            expected = ask(compass, question, pointing(), how=how)
            assert names(answer) == names(expected)
            assert [hit.distance for hit in answer.hits] == [hit.distance for hit in expected.hits]
            assert answer.notes == expected.notes


def test_an_index_is_looked_for_once_and_words_are_taken_in_once(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    take_in = Lexicon.__init__

    def counted(self: Lexicon, pages: Any) -> None:
        made.append(self)
        take_in(self, pages)

    monkeypatch.setattr(Lexicon, "__init__", counted)
    with opened(folders) as fields, standing(fields) as kept:
        for question in QUESTIONS:
            kept.search(question)
    assert len(made) == 1


def test_a_large_index_has_no_table_in_the_cache(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "MANY", 0)
    compass = foreign(tmp_path / "compass")
    with opened([compass]) as fields, standing(fields, pointing()) as kept:
        assert names(kept.search("10"))[0] == "east.md"
    assert not cache.joinpath(*large.FOLDER).exists()


def test_many_threads_ask_at_once(folders: list[Path]) -> None:
    with opened(folders) as fields, standing(fields) as kept:
        expected = {question: names(kept.search(question)) for question in QUESTIONS}
        with ThreadPoolExecutor(8) as pool:
            for question, answer in zip(
                QUESTIONS * 20, pool.map(kept.search, QUESTIONS * 20), strict=True
            ):
                assert names(answer) == expected[question]


def test_a_page_that_cannot_be_read_is_told_each_time_and_keeps_no_other(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "f", {"a.md": page("Woks"), "gone.md": page("Woks too")})
    with opened([folder]) as fields:
        (folder / "gone.md").unlink()
        with standing(fields) as kept:
            for _ in range(2):
                answer = kept.search("woks")
                assert names(answer) == ["a.md"]
                assert [error.entry for error in answer.errors] == ["gone.md"]


def test_closing_it_twice_is_no_error(folders: list[Path]) -> None:
    with opened(folders) as fields:
        kept = standing(fields)
        kept.search("woks")
        kept.close()
        kept.close()

"""The measure of searches measures what it says, and rankings are made one as they should be."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.index.hash_embedder import HashEmbedder
from tests.index.search_fields import make_folder, page

from memoryfield_index.embedders import Options
from memoryfield_index.searching import Embedders
from memoryfield_index.searching.cutting import ANYTHING, cut_off, first, fitting
from memoryfield_index.searching.fusing import fuse
from memoryfield_index.searching.lexical import Worded

EVAL = Path(__file__).parents[2] / "eval"


@pytest.fixture(scope="module")
def quality() -> ModuleType:
    spec = importlib.util.spec_from_file_location("quality", EVAL / "quality.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["quality"] = module
    spec.loader.exec_module(module)
    return module


def test_measures(quality: ModuleType) -> None:
    """A first, a second and a missed answer of two; a question without one that is left empty."""
    found = {
        "first": ["a.md", "b.md", "x.md"],
        "second": ["x.md", "a.md"],
        "missed": ["x.md"] * 5 + ["a.md"],
        "nothing": [],
        "something": ["x.md"],
    }
    questions = [
        quality.Question("first", frozenset({"a.md", "b.md"})),
        quality.Question("second", frozenset({"a.md", "b.md"})),
        quality.Question("missed", frozenset({"a.md"})),
        quality.Question("nothing", frozenset()),
        quality.Question("something", frozenset()),
    ]
    measured = quality.measure(questions, found.__getitem__)
    assert measured.hit_at_1 == pytest.approx(1 / 3)
    assert measured.recall_at_5 == pytest.approx((1 + 0.5 + 0) / 3)
    assert measured.mrr == pytest.approx((1 + 1 / 2 + 1 / 6) / 3)
    assert measured.empty == pytest.approx(1 / 2)
    assert quality.measure(questions[3:], found.__getitem__).hit_at_1 is None


def test_questions_of_the_handbook(quality: ModuleType) -> None:
    """Each is answered by pages that there are."""
    pages = {path.name for path in (EVAL.parent / "docs" / "handbook").glob("*.md")}
    questions = quality.questions_of(EVAL / "handbook.jsonl")
    assert len({question.text for question in questions}) == len(questions) > 20
    for question in questions:
        assert question.answers
        assert question.answers <= pages
    assert not any(each.answers for each in quality.questions_of(EVAL / "handbook_noanswer.jsonl"))


def test_every_way_of_searching_is_measured(
    quality: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On a copy of the field, of which each page answers its own words."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    pages = {"kiln.md": page("Kilns", "clay fire"), "wok.md": page("Woks", "iron stir")}
    folder = make_folder(tmp_path / "field", pages)
    questions = tmp_path / "questions.jsonl"
    lines = [{"text": "clay fire", "answer_uuids": ["kiln"]}, {"text": "WOKS", "answer_uuids": []}]
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    embedder = quality.Remembering(HashEmbedder())
    embedders = Embedders("x", Options(), lambda name, options: embedder)
    with quality.indexed(folder, embedder) as field:
        for how in ("semantic", "hybrid", "lexical"):
            found = quality.by(how, field, embedders, 10, weak=True)("clay fire")
            assert found[0] == "kiln.md"
        assert quality.by_substring(field)("WOKS") == ["wok.md"]
        quality._print(questions, {"substring": quality.by_substring(field)})
    assert sorted(path.name for path in folder.iterdir()) == sorted(pages)
    printed = capsys.readouterr().out
    assert "1 questions with an answer, 1 without" in printed
    assert "substring   0.000     0.000  0.000  0.000" in printed


def test_rankings_become_one() -> None:
    """What several rankings have comes before what one has; ties keep the first ranking's order."""
    fused = fuse([["a", "b", "c"], ["d", "c"]])
    assert [key for key, _ in fused] == ["c", "a", "d", "b"]
    assert dict(fused)["c"] == pytest.approx(1 / 63 + 1 / 62)
    assert fuse([]) == []


def test_what_is_cut_off() -> None:
    """What says too little goes, what MF705 finds stays; and it stays when there is little room."""
    ranking = [
        Worded(0, 9.0, 0.9, False),
        Worded(1, 8.0, 0.2, False),
        Worded(2, 7.0, 0.4, False),
        Worded(3, 0.0, 0.0, True),
    ]
    assert [each.number for each in fitting(ranking, 0.3)] == [0, 2, 3]
    assert [each.number for each in first(ranking, 2)] == [0, 3]
    assert first(ranking, 4) == ranking


def test_bounds_of_models() -> None:
    """Where nobody measured one, nothing is cut off."""
    assert cut_off("multilingual-e5-small") == 0.15
    assert cut_off("all-MiniLM-L6-v2") == ANYTHING
    assert cut_off("unheard-of") == cut_off(None) == ANYTHING

"""What is wrong with a suite as a whole: what stands twice, and what would be passed over."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.conformance.suites import Given, archive, dated, digest, field, suite_in, toml

from memoryfield_validator.conformance import BrokenCase, load_suite
from memoryfield_validator.conformance.linting import lint_suite

PIN = "sha256:" + "0" * 64


def test_what_stands_twice(tmp_path: Path) -> None:
    """Ids, titles and reasons are unique, the latter in any letters; so is what is given."""
    root = suite_in(tmp_path, field(title="Some title", why="x."), dated(title="some Title"))
    suite_in(root, archive(why="A."), digest(why="X."))
    suite_in(root, archive(title="Another", why="B."), groups={"mf604-archive": "5xx"})
    found = [(each.place, each.message) for each in lint_suite(root) if each.place in IDS]
    assert found == [
        ("mf604-archive", "stands in 5xx/, and belongs to 6xx/"),
        ("mf604-archive", "has the id of mf604-archive"),
        ("mf304-one", "has the title of mf304-dated"),
        ("digest-one", "has the why of mf304-one"),
    ]


IDS = {"mf304-one", "mf304-dated", "mf604-archive", "digest-one"}
KNOWN_DIGEST = digest(why="One.")
SAME_INPUT: dict[str, tuple[Given, bool]] = {
    "the same": ({}, True),
    "another expectation": ({"expect": {"digest": "none"}}, True),
    "other sources": ({"sources": ["directory"]}, True),
    "the bytes in another form": ({"files": [{"name": "a.md", "base64": "YQo="},
                                             {"name-base64": "Yi5tZA==", "text": "b\n"}]}, True),
    "another pin": ({"pin": PIN, "expect": {"digest": "none", "fits": False}}, False),
    "other limits": ({"limits": {"ratio": 5}}, False),
    "another order": ({"files": KNOWN_DIGEST["files"][::-1]}, False),
    "another byte": ({"files": [KNOWN_DIGEST["files"][0], {"name": "b.md", "text": "B\n"}]}, False),
    "a link": ({"files": [KNOWN_DIGEST["files"][0], {"name": "b.md", "link": "b\n"}]}, False),
    "another kind": (
        {"kind": "field", "requirements": ["MF104"],
         "expect": {"verdict": "valid", "pages": ["a.md", "b.md"], "digest": "none"}}, False),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "is_same"), SAME_INPUT.values(), ids=SAME_INPUT)
def test_two_cases_of_one_input(changes: Given, is_same: bool, tmp_path: Path) -> None:
    """Two cases that ask the same are one; how the bytes are written does not matter."""
    id = "digest-two" if "kind" not in changes else "mf104-two"
    root = suite_in(tmp_path, KNOWN_DIGEST, digest(id, why="Two.", **changes))
    found = [(each.place, each.message) for each in lint_suite(root) if "input" in each.message]
    places = sorted(["digest-one", id], key=lambda each: each.startswith("digest"))
    assert found == [(places[1], f"has the input of {places[0]}")] * is_same


def test_what_is_no_case_is_told(tmp_path: Path) -> None:
    """Whatever `run` would pass over without a word: files beside the groups, other names."""
    root = suite_in(tmp_path, field())
    cases = root / "cases"
    (cases / "README.md").write_text("x")
    (cases / "mf304-two.toml").write_text(toml(field(id="mf304-two")))
    for name in ("notes.md", "mf304-two.TOML", "mf304-two.toml~", "mf304-two.toml.orig"):
        (cases / "3xx" / name).write_text("x")
    for name in ("below", "x.toml"):
        (cases / "3xx" / name).mkdir()
    (cases / "3xx" / "below" / "mf304-two.toml").write_text(toml(field(id="mf304-two")))
    (cases / "3xx" / "gone.toml").symlink_to("nowhere.toml")
    (cases / "empty").mkdir()
    found = [(each.place, each.message) for each in lint_suite(root) if each.place[:5] == "cases"]
    places = [
        "3xx/below", "3xx/gone.toml", "3xx/mf304-two.TOML", "3xx/mf304-two.toml.orig",
        "3xx/mf304-two.toml~", "3xx/notes.md", "3xx/x.toml", "README.md", "mf304-two.toml",
    ]  # fmt: skip
    assert found == [(f"cases/{place}", "is no case in a group") for place in places]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_a_fifo_is_no_case(tmp_path: Path) -> None:
    """Nobody waits for somebody to write into it: it is told by `lint`, and no case."""
    root = suite_in(tmp_path, field())
    os.mkfifo(root / "cases" / "3xx" / "x.toml")
    assert [case.id for case in load_suite(root).cases] == ["mf304-one"]
    found = [(each.place, each.message) for each in lint_suite(root) if each.place[:5] == "cases"]
    assert found == [("cases/3xx/x.toml", "is no case in a group")]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_a_suite_of_a_fifo_alone(tmp_path: Path) -> None:
    """It is no suite."""
    (tmp_path / "cases" / "1xx").mkdir(parents=True)
    os.mkfifo(tmp_path / "cases" / "1xx" / "x.toml")
    with pytest.raises(BrokenCase, match="there is no case"):
        load_suite(tmp_path)

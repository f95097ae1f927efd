"""The catalogue of requirements is complete, well formed and cannot be changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import memoryfield_spec
from memoryfield_spec import (
    Requirement,
    UnknownRequirement,
    catalogue,
    model_of,
    models,
    requirement,
)


def ids_in(text: str) -> list[str]:
    """The ids that are written in a text, in its order."""
    return re.findall(r"\bMF\d{3}\b", text)


# Written out on purpose: an id that vanishes or comes in by accident fails here.
EXPECTED_IDS = ids_in("""
    MF101 MF102 MF103 MF104 MF105 MF106 MF107 MF108
    MF201 MF202 MF203 MF204 MF205 MF206 MF207 MF208 MF209 MF210 MF211
    MF301 MF302 MF303 MF304 MF305 MF306 MF307 MF308 MF309 MF310 MF311 MF312 MF313 MF314
    MF401 MF402
    MF501 MF502 MF503 MF504 MF505 MF506 MF507 MF508 MF509
    MF601 MF602 MF603 MF604 MF605 MF606 MF607 MF608 MF609
    MF701 MF702 MF703 MF704 MF705 MF706 MF707 MF708
    MF801 MF802 MF803 MF804 MF805 MF806
    MF901 MF902 MF903 MF904 MF905 MF906 MF907 MF908 MF909
""")

FROM_THE_DRAFT = ids_in("""
    MF101 MF102 MF103 MF104 MF201 MF202 MF203 MF204 MF205 MF301 MF303 MF304 MF401
    MF501 MF502 MF503 MF507 MF601 MF602 MF701 MF702 MF703 MF704 MF705 MF706 MF707
    MF901 MF902 MF903
""")

LEVELS = {
    "error": ids_in("""
        MF101 MF105 MF108 MF201 MF202 MF301 MF304 MF305 MF306 MF307 MF308 MF312 MF502 MF504 MF506
        MF509 MF601 MF603 MF604 MF605 MF606 MF607 MF608 MF701 MF702 MF704 MF705 MF706 MF801 MF804
        MF901 MF902 MF903 MF904 MF905 MF906 MF907 MF908
    """),
    "info": ids_in("MF103 MF205 MF314 MF501 MF507"),
}

LEVEL_OF_KEYWORD = {
    "MUST": "error",
    "MUST NOT": "error",
    "SHOULD": "warning",
    "SHOULD NOT": "warning",
    "MAY": "info",
}
KEYWORD = re.compile(
    r"\b(?:MUST NOT|MUST|SHALL NOT|SHALL|SHOULD NOT|SHOULD|NOT RECOMMENDED|RECOMMENDED"
    r"|REQUIRED|MAY|OPTIONAL)\b"
)

each_requirement = pytest.mark.parametrize("one", catalogue().values(), ids=lambda one: one.id)


def test_ids_are_exactly_the_expected_ones() -> None:
    """The catalogue has every id of the standard, in order, and no other."""
    assert list(catalogue()) == EXPECTED_IDS


def test_levels_are_the_expected_ones() -> None:
    """Each id has the level that the standard gives it; what is not listed is a warning."""
    expected = {id: level for level, ids in LEVELS.items() for id in ids}
    found = {one.id: one.level for one in catalogue().values()}
    assert found == {id: expected.get(id, "warning") for id in EXPECTED_IDS}


def test_origins_are_the_expected_ones() -> None:
    """What the public draft demands is told apart from what was added to it."""
    for one in catalogue().values():
        assert one.origin == ("draft-0.1" if one.id in FROM_THE_DRAFT else "kit"), one.id


@each_requirement
def test_statement_has_one_keyword_that_sets_the_level(one: Requirement) -> None:
    """A statement holds exactly one key word, the one in `keyword`, and the level follows."""
    assert KEYWORD.findall(one.statement) == [one.keyword]
    assert LEVEL_OF_KEYWORD[one.keyword] == one.level


@each_requirement
def test_statement_is_one_sentence(one: Requirement) -> None:
    """A statement is one line and one sentence."""
    assert one.statement.endswith(".")
    assert "\n" not in one.statement
    assert not re.search(r"[.;!?] [A-Z]", one.statement)


@each_requirement
def test_texts_are_filled_in(one: Requirement) -> None:
    """Each requirement has a short title, a reason, two different examples and a hint."""
    assert 0 < len(one.title) <= 60
    assert not one.title.endswith(".")
    assert one.why.endswith(".")
    assert one.hint.endswith(".")
    assert 1 <= len(re.findall(r"[.!?](?: |$)", one.why)) <= 3
    assert one.good.strip()
    assert one.bad.strip()
    assert one.good != one.bad
    for text in (one.title, one.why, one.hint):
        assert not KEYWORD.search(text)


@each_requirement
def test_classes_are_known(one: Requirement) -> None:
    """Somebody answers for each requirement, and classes are named in one order."""
    order = ["producer", "reader", "validator", "server", "writer"]
    assert one.classes
    assert list(one.classes) == [name for name in order if name in one.classes]


def test_titles_differ() -> None:
    """No two requirements have the same title or statement."""
    assert len({one.title for one in catalogue().values()}) == len(EXPECTED_IDS)
    assert len({one.statement for one in catalogue().values()}) == len(EXPECTED_IDS)


def test_catalogue_cannot_be_changed() -> None:
    """Neither the mapping nor a requirement can be altered, and every call gives the same."""
    assert catalogue() is catalogue()
    with pytest.raises(TypeError):
        catalogue()["MF101"] = requirement("MF102")  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        requirement("MF101").level = "info"  # type: ignore[misc]


def test_requirement_gives_the_one_asked_for() -> None:
    """A known id gives its requirement."""
    assert requirement("MF304").id == "MF304"
    assert requirement("MF304") is catalogue()["MF304"]


@pytest.mark.parametrize("asked", ["MF3O4", "mf304", "MF3044"])
def test_unknown_requirement_names_what_may_be_meant(asked: str) -> None:
    """An unknown id is an error that carries it and the ids that resemble it."""
    with pytest.raises(UnknownRequirement) as caught:
        requirement(asked)
    assert caught.value.id == asked
    assert "MF304" in caught.value.nearest
    assert asked in str(caught.value)
    assert all(id in str(caught.value) for id in caught.value.nearest)


def test_unknown_requirement_without_resemblance() -> None:
    """Where nothing resembles the id, the error suggests nothing."""
    with pytest.raises(LookupError, match=r"^there is no requirement 'title'$"):
        requirement("title")


def test_public_names_are_exported_and_sorted() -> None:
    """What `__all__` lists is there, and the list is sorted."""
    names = memoryfield_spec.__all__
    assert all(hasattr(memoryfield_spec, name) for name in names)
    assert names == sorted(names, key=lambda name: (not name[0].isupper(), name))


def test_importing_is_cheap() -> None:
    """Importing the package loads no parser and no resource machinery."""
    heavy = ["tomllib", "json", "importlib.resources", "difflib", "jsonschema"]
    program = f"import sys, memoryfield_spec; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(memoryfield_spec.__path__[0]).parent)},
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nomic-embed-text-v1.5.sqlite3", "nomic-embed-text-v1.5"),
        ("nomic-embed-text-v1.sqlite3", "nomic-embed-text-v1"),
        ("nomic-embed-text-v1.5-2026.sqlite3", "nomic-embed-text-v1.5"),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        ("nomic-embed-text.sqlite3", None),
        ("nomic-embed-text-v15.sqlite3", None),
        ("index.sqlite3", None),
    ],
)
def test_model_of_a_name(name: str, code: str | None) -> None:
    """A name belongs to the longest known model code that it begins with, to the last letter."""
    found = model_of(name)
    assert (found.code if found else None) == code


def test_models_are_plausible() -> None:
    """Every known model has a dimension, and a marker ends in a blank."""
    for code, one in models().items():
        assert code == one.code
        assert one.dimension > 0
        assert all(not marker or marker.endswith(": ") for marker in (one.document, one.query))

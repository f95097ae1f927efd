"""The JSON Schema of a store's document and its parser accept the same, as far as a schema can."""

from __future__ import annotations

import copy
import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memoryfield_notes import (
    MOST_NOTE_BYTES,
    Document,
    Note,
    Origin,
    Record,
    StoreError,
    parse,
    render,
)
from memoryfield_spec import schema

SHA256 = "5f" * 32
PAN, SALT = "# The pan\n", "Sea salt.\n"
PIN = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
MOST = 2**53 - 1
JUDGE = Draft202012Validator(schema("notes"))


def of_text(text: str) -> str:
    """The SHA-256 of a page."""
    return sha256(text.encode()).hexdigest()


NOTE = Note("Outdated: the pan is 30 cm.", SHA256, PIN, "2026-03-01T09:00:00Z")
RECORDS = (
    Record("0b7e2b5c-6b3a-4c64-9f0e-0d5a3c1f7a90", "pan.md", PAN, None, 2, of_text(PAN), PIN),
    Record("gone.md", "gone.md", "", "pan", 3, of_text(""), PIN, orphan=True, note=NOTE),
    Record("salt.md", "salt.md", SALT, "pan.md", 1, of_text(SALT), PIN, note=NOTE),
)
DOCUMENT = Document(Origin("recipes", "/fields/recipes", PIN), 1, RECORDS)
EMPTY = Document(Origin("", "", ""))

PLACES: list[tuple[str | int, ...]] = [
    *((key,) for key in ("format", "version", "name", "location", "pin", "floor", "records")),
    *(
        ("records", 1, key)
        for key in ("id", "name", "text", "parent", "rev", "sha256", "pin", "orphan", "note")
    ),
    *(("records", 1, "note", key) for key in ("text", "sha256", "pin", "written")),
    ("records", 1),
    ("records", 2, "note"),
    ("records", 2, "orphan"),
]
"""All keys that there are, those of an orphan among them; and a page that is made an orphan."""

VALUES: list[object] = [
    None, True, False, 0, 1, 2, -1, MOST, MOST + 1, 0.5, "", "gone.md", "gone.md\n", "gone.MD",
    SHA256, SHA256.upper(), SHA256 + "\n", PIN, PIN[:-1], PIN + "\n", [], {}, [{}], "memoryfield",
    "2026-03-01T09:00:00Z", "2026-03-01T09:00:00+00:00", "2026-03-01T09:00:00Z\n", "\u0662026", "x",
    "memoryfield-notes",
]  # fmt: skip


def as_json(document: Document) -> dict[str, Any]:
    """A document as a schema sees it."""
    found: dict[str, Any] = json.loads(render(document))
    return found


def parses(value: object) -> bool:
    """Whether the parser accepts it."""
    try:
        parse(json.dumps(value).encode(), "notes.json")
    except StoreError:
        return False
    return True


def agree(value: object) -> bool:
    """Whether both accept it; they must not differ."""
    accepted = JUDGE.is_valid(value)
    assert accepted == parses(value), value
    return accepted


def changed(place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The document with another value at a place."""
    top = as_json(DOCUMENT)
    here: Any = top
    for step in place[:-1]:
        here = here[step]
    here[place[-1]] = copy.deepcopy(value)
    return top


@pytest.mark.parametrize("document", [DOCUMENT, EMPTY], ids=["records", "empty"])
def test_what_is_rendered_is_as_the_schema_has_it(document: Document) -> None:
    """A store that was never filled is a document, too."""
    assert agree(as_json(document))


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(map(str, place)))
def test_any_value_at_any_place(place: tuple[str | int, ...]) -> None:
    """Both say the same of each value at each place, and do not refuse it all."""
    record = as_json(DOCUMENT)["records"][1]
    values = [*VALUES, record, record["note"]]
    if place[-1] == "text":
        values += ["x" * MOST_NOTE_BYTES, "x" * (MOST_NOTE_BYTES + 1)]
    found = [agree(changed(place, value)) for value in values if not reorders(place, value)]
    assert any(found)
    assert not all(found)


def reorders(place: tuple[str | int, ...], value: object) -> bool:
    """Whether the ids are not in their order any more, which no schema tells."""
    return place == ("records", 1, "id") and value not in ("", "gone.md", "gone.md\n", "gone.MD")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(map(str, place)))
def test_every_key_is_required_and_no_other_is_known(place: tuple[str | int, ...]) -> None:
    """A key that is missing is refused, and so is one beside it that nobody knows."""
    for more in (False, True):
        top = as_json(DOCUMENT)
        here: Any = top
        for step in place[:-1]:
            here = here[step]
        if isinstance(here, list):
            continue
        if more:
            here["more"] = None
        else:
            del here[place[-1]]
        assert not agree(top)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from([*as_json(EMPTY), "id", "rev"]), inner, max_size=4),
    max_leaves=6,
))  # fmt: skip
@settings(max_examples=50, deadline=None)
def test_what_is_no_document(value: object) -> None:
    """Any other JSON is refused by both."""
    assert not agree(value)


TOLD = [
    ("order", {**as_json(DOCUMENT), "records": as_json(DOCUMENT)["records"][::-1]}),
    ("twice", {**as_json(DOCUMENT), "records": as_json(DOCUMENT)["records"][:1] * 2}),
    ("bytes", changed(("records", 1, "note", "text"), "\N{EURO SIGN}" * 65_536)),
    ("half of a pair", changed(("records", 1, "note", "text"), "\ud800")),
    ("hash", changed(("records", 0, "text"), "# Another pan\n")),
    ("point", changed(("records", 1, "rev"), 3.0)),
]


@pytest.mark.parametrize(("what", "value"), TOLD, ids=[what for what, _ in TOLD])
def test_what_a_schema_cannot_tell(what: str, value: object) -> None:
    """The description of the schema names what the parser alone refuses; this is all of that."""
    assert JUDGE.is_valid(value)
    assert not parses(value)


def test_a_newer_version_is_told_apart() -> None:
    """Both refuse it, and the parser says what to do."""
    value = changed(("version",), 2)
    assert not JUDGE.is_valid(value)
    with pytest.raises(StoreError, match="newer version") as found:
        parse(json.dumps(value).encode(), "notes.json")
    assert found.value.hint == "update memoryfield-kit"

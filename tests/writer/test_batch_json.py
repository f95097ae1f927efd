"""Batches as JSON: what they say, and what is none, always told in words."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memoryfield_readers import InvalidBatch
from memoryfield_spec import schema
from memoryfield_writer import (
    AddAttachment,
    AddPage,
    Batch,
    Operation,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)

HASH = "0123456789abcdef" * 4
SCHEMA = Draft202012Validator(schema("batch"))
ADD: dict[str, Any] = {"op": "add", "name": "x.md", "text": "# X\n"}


def batch(*operations: object) -> dict[str, Any]:
    return {"version": 1, "operations": list(operations)}


GOOD: list[tuple[dict[str, Any], Operation]] = [
    (ADD, AddPage("x.md", "# X\n")),
    ({"op": "add", "name": "x.md", "base64": "/w=="}, AddPage("x.md", b"\xff")),
    ({"op": "add", "name": "x.md", "text": ""}, AddPage("x.md", "")),
    ({"op": "add", "name": "x.bin", "base64": ""}, AddAttachment("x.bin", b"")),
    ({"op": "add", "name": "x.MD", "text": "ä"}, AddAttachment("x.MD", "ä".encode())),
    (
        {"op": "replace", "name": "x.md", "text": "y", "if_sha256": HASH.upper()},
        ReplacePage("x.md", "y", HASH),
    ),
    ({"op": "replace", "name": "x", "base64": "AA=="}, ReplaceAttachment("x", b"\x00")),
    ({"op": "replace-text", "old": "a", "new": ""}, ReplaceText("a", "")),
    (
        {"op": "replace-text", "name": "x.md", "old": "a", "new": "b", "if_sha256": HASH},
        ReplaceText("a", "b", "x.md", HASH),
    ),
    ({"op": "remove", "name": "x.md"}, RemovePage("x.md")),
    ({"op": "remove", "name": "x.sqlite3", "if_sha256": HASH}, RemoveAttachment("x.sqlite3", HASH)),
    ({"op": "rename", "name": "x.md", "to": "y.md"}, RenamePage("x.md", "y.md")),
    ({"op": "rename", "name": "x", "to": "y", "if_sha256": HASH}, RenameAttachment("x", "y", HASH)),
]


@pytest.mark.parametrize(("said", "meant"), GOOD, ids=[str(n) for n in range(len(GOOD))])
def test_operations(said: dict[str, Any], meant: Operation) -> None:
    """Each operation is read, and the kind of file is chosen by its name."""
    assert SCHEMA.is_valid(batch(said))
    assert Batch.from_json(batch(said)) == Batch([meant])
    assert Batch.from_json(json.dumps(batch(said)).encode()) == Batch([meant])


@pytest.mark.parametrize("operation", [meant for _, meant in GOOD], ids=repr)
def test_a_batch_is_written_as_it_is_read(operation: Operation) -> None:
    """What is written is of the schema, and is read as the same files."""
    written = Batch([operation]).to_json()
    assert SCHEMA.is_valid(written)
    again = Batch.from_json(json.dumps(written))
    assert again.to_json() == written
    assert type(again.operations[0]) is type(operation)


BAD: list[tuple[object, str]] = [
    ([], "must be an object, not a list"),
    (None, "must be an object, not null"),
    ({}, "version is missing"),
    ({"version": 1}, "operations is missing"),
    ({"version": 2, "operations": [ADD]}, "version must be 1"),
    ({"version": "1", "operations": [ADD]}, "version must be 1"),
    ({"version": True, "operations": [ADD]}, "version must be 1"),
    ({"version": None, "operations": [ADD]}, "version must be 1"),
    ({"version": 1, "operations": {}}, "operations must be a list, not an object"),
    ({"version": 1, "operations": []}, "operations is empty"),
    ({"version": 1, "operations": [ADD], "dry_run": True}, "a key `dry_run` that means nothing"),
    (batch(ADD, ADD, ADD, "x"), r"operations\[3\] must be an object, not a text"),
    (batch({}), r"operations\[0\].op is missing"),
    (batch({**ADD, "op": "append"}), r"operations\[0\].op is `append`, and must be one of add"),
    (batch({**ADD, "op": 1}), r"operations\[0\].op must be a text, not a number"),
    (batch({**ADD, "op": ["add"]}), r"operations\[0\].op must be a text, not a list"),
    (batch(ADD, {**ADD, "name": 1.5}), r"operations\[1\].name must be a text, not a number"),
    (batch({**ADD, "name": None}), "name must be a text, not null"),
    (batch({**ADD, "name": True}), "name must be a text, not a truth value"),
    (batch({**ADD, "name": ""}), "name is empty"),
    (batch({"op": "add", "text": ""}), r"operations\[0\].name is missing"),
    (batch({"op": "add", "name": "x.md"}), "has neither `text` nor `base64`"),
    (batch({**ADD, "base64": ""}), "has both `text` and `base64`"),
    (batch({**ADD, "if_sha256": HASH}), "a key `if_sha256` that means nothing"),
    (batch({**ADD, "to": "y.md"}), "a key `to` that means nothing"),
    (batch({**ADD, "Text": ""}), "a key `Text` that means nothing"),
    (batch({"op": "add", "name": "x", "base64": "A"}), "base64 must be Base64"),
    (batch({"op": "add", "name": "x", "base64": "AAA"}), "base64 must be Base64"),
    (batch({"op": "add", "name": "x", "base64": "AA==\n"}), "base64 must be Base64"),
    (batch({"op": "add", "name": "x", "base64": "AA_-"}), "base64 must be Base64"),
    (batch({"op": "add", "name": "x", "base64": "ÄÄ=="}), "base64 must be Base64"),
    (batch({"op": "add", "name": "x", "base64": "AA==AA=="}), "base64 must be Base64"),
    (batch({"op": "add", "name": "x", "base64": []}), "base64 must be a text, not a list"),
    (batch({"op": "remove"}), "name is missing"),
    (batch({"op": "remove", "name": "x.md", "text": ""}), "a key `text` that means nothing"),
    (batch({"op": "remove", "name": "x.md", "if_sha256": HASH[1:]}), "64 hexadecimal digits"),
    (batch({"op": "remove", "name": "x.md", "if_sha256": HASH + "\n"}), "64 hexadecimal digits"),
    (batch({"op": "remove", "name": "x.md", "if_sha256": "g" * 64}), "64 hexadecimal digits"),
    (batch({"op": "remove", "name": "x.md", "if_sha256": ""}), "if_sha256 is empty"),
    (batch({"op": "remove", "name": "x.md", "if_sha256": None}), "must be a text, not null"),
    (batch({"op": "rename", "name": "x.md"}), "to is missing"),
    (batch({"op": "rename", "name": "x.md", "to": ""}), "to is empty"),
    (batch({"op": "replace-text", "new": "b"}), "old is missing"),
    (batch({"op": "replace-text", "old": "a"}), "new is missing"),
    (batch({"op": "replace-text", "old": "", "new": "b"}), "old is empty"),
    (batch({"op": "replace-text", "old": "a", "new": 1}), "new must be a text, not a number"),
    (
        batch({"op": "replace-text", "old": "a", "new": "b", "if_sha256": HASH}),
        "if_sha256 needs a name",
    ),
]


@pytest.mark.parametrize(("said", "message"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_what_is_no_batch(said: object, message: str) -> None:
    """What the schema refuses is refused, with its place and what was expected."""
    assert not SCHEMA.is_valid(said)
    with pytest.raises(InvalidBatch, match=message) as found:
        Batch.from_json(json.dumps(said))
    assert found.value.exit_code == 2
    with pytest.raises(InvalidBatch, match=message):
        Batch.from_json(said)  # type: ignore[arg-type]


def test_which_operation_it_is_is_told() -> None:
    """The error of an operation has its number, from 1."""
    with pytest.raises(InvalidBatch) as found:
        Batch.from_json(batch(ADD, ADD, {**ADD, "name": 3}))
    assert found.value.operation == 3


TEXTS: list[tuple[str | bytes, str]] = [
    ("", "is no JSON: .* in line 1, column 1"),
    ("{", "is no JSON"),
    ('{"version": 1,\n "operations": [}', "in line 2, column"),
    (json.dumps(batch(ADD)) + " {}", "is no JSON: Extra data"),
    (json.dumps(batch(ADD)) + "\x00", "is no JSON: Extra data"),
    ('{"version": 1, "version": 1, "operations": []}', "the key `version` stands twice"),
    ('{"version": 1, "operations": [{"op": "add", "op": "add"}]}', "the key `op` stands twice"),
    ('{"version": NaN, "operations": []}', "NaN is no number"),
    ('{"version": 1, "operations": [-Infinity]}', "-Infinity is no number"),
    ('{"version": 1e999, "operations": []}', "version must be 1"),
    ('{"version": ' + "1" * 5000 + ', "operations": []}', "thousands of digits"),
    ("[" * 200_000, "nested too deeply"),
    ('{"a":' * 200_000, "nested too deeply"),
    (b'{"version": "\xff"}', r"is not valid UTF-8 at byte 13 \(0xFF\)"),
    (json.dumps(batch(ADD)).encode("utf-16"), "is not valid UTF-8 at byte 0"),
    ('{"version": 1, "operations": ["\x00"]}', "Invalid control character"),
    (json.dumps(batch({**ADD, "text": "\ud800"})), "text is no Unicode text"),
    (json.dumps(batch({**ADD, "name": "\udcff.md"})), "name is no Unicode text"),
    (json.dumps(batch({**ADD, "\ud800": ""})), "that means nothing"),
    ("null", "must be an object, not null"),
    ('"text"', "must be an object, not a text"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=[str(n) for n in range(len(TEXTS))])
def test_texts_that_are_no_batch(text: str | bytes, message: str) -> None:
    """Whatever the text, it is an error in one line that can be shown."""
    with pytest.raises(InvalidBatch, match=message) as found:
        Batch.from_json(text)
    assert found.value.message.isprintable()
    assert len(found.value.message) < 300


def test_a_byte_order_mark_is_no_part_of_it() -> None:
    """An editor may have put one before the text."""
    text = json.dumps(batch(ADD))
    assert Batch.from_json(b"\xef\xbb\xbf" + text.encode()) == Batch([AddPage("x.md", "# X\n")])


def test_a_large_text() -> None:
    """A text of many megabytes is read like a small one."""
    text = "wok\n" * 2_000_000
    (operation,) = Batch.from_json(json.dumps(batch({**ADD, "text": text}))).operations
    assert operation == AddPage("x.md", text)


@pytest.mark.parametrize("operation", [AddPage("\udcff.md", ""), AddPage("x.md", "\ud800")])
def test_what_json_cannot_carry(operation: Operation) -> None:
    """Half a surrogate pair is never written: not every program could read it."""
    with pytest.raises(InvalidBatch, match="JSON cannot carry"):
        Batch([operation]).to_json()


_KEYS = ["op", "name", "to", "text", "base64", "old", "new", "if_sha256", "other"]
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "x.md", "x", "AA==", "A", HASH, HASH.upper(), HASH + "\n"]),
    st.sampled_from(["add", "replace", "replace-text", "remove", "rename"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.lists(st.none(), max_size=1),
    st.dictionaries(st.sampled_from(_KEYS), st.none(), max_size=1),
)
_NAMES = st.sampled_from(["x.md", "y", ""])
_LIKELY = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "replace", "replace-text", "remove", "rename"])},
    optional={
        "name": _NAMES,
        "to": _NAMES,
        "text": st.text(max_size=3),
        "base64": st.binary(max_size=4).map(lambda data: base64.b64encode(data).decode()),
        "old": st.sampled_from(["", "a"]),
        "new": st.sampled_from(["", "a"]),
        "if_sha256": st.sampled_from([HASH, HASH.upper(), HASH[1:]]),
    },
)
_OPERATIONS = st.one_of(
    _LIKELY, st.dictionaries(st.sampled_from(_KEYS), _LEAVES, max_size=6), _LEAVES
)
_BATCHES = st.one_of(
    st.fixed_dictionaries(
        {"version": st.just(1), "operations": st.lists(_OPERATIONS, min_size=1, max_size=2)}
    ),
    st.fixed_dictionaries({}, optional={"version": _LEAVES, "operations": _LEAVES, "x": _LEAVES}),
    _LEAVES,
)


@settings(max_examples=400, deadline=None)
@given(_BATCHES)
def test_the_schema_and_the_reader_agree(said: object) -> None:
    """What the schema takes is read, and what it refuses is refused."""
    try:
        Batch.from_json(json.dumps(said))
    except InvalidBatch:
        assert not SCHEMA.is_valid(said)
    else:
        assert SCHEMA.is_valid(said)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60)))
def test_any_text_is_a_batch_or_an_error(text: str | bytes) -> None:
    """Nothing but our own error comes of any text."""
    with pytest.raises(InvalidBatch):
        Batch.from_json(text)

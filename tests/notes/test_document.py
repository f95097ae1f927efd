"""The JSON of a store: one form for one content, and nothing else is taken."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_notes import Document, Note, Origin, Record, StoreError, parse, render
from memoryfield_notes.record import MOST_NOTE_BYTES, MOST_REVISION

PIN = "field-sha256:" + "ab" * 32
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
HASHES = st.sampled_from(["0" * 64, "ab" * 32])
NOTES = st.builds(Note, TEXT.filter(bool), HASHES, st.just(PIN), st.just("2026-12-01T15:00:00Z"))
REVISIONS = st.integers(1, MOST_REVISION)


@st.composite
def records(draw: st.DrawFn) -> Record:
    note = draw(st.none() | NOTES)
    orphan = note is not None and draw(st.booleans())
    name, text = draw(TEXT) + ".md", draw(TEXT)
    mark = draw(st.sampled_from([b"", BOM_UTF8]))
    return Record(
        draw(st.sampled_from([name, name + "x"])),
        name,
        "" if orphan else text,
        draw(st.none() | TEXT),
        draw(REVISIONS),
        draw(HASHES) if orphan or "\ufffd" in text else sha256(mark + text.encode()).hexdigest(),
        PIN,
        orphan,
        note,
    )


DOCUMENTS = st.builds(
    lambda name, pin, floor, found: Document(
        Origin(name, name, pin), floor, tuple(sorted(found, key=lambda record: record.id))
    ),
    TEXT,
    st.sampled_from(["", PIN]),
    st.integers(0, MOST_REVISION),
    st.lists(records(), max_size=4, unique_by=lambda record: record.id),
)


@given(DOCUMENTS)
def test_there_and_back(document: Document) -> None:
    data = render(document)
    assert data.isascii()
    assert parse(data, "x") == document
    assert render(parse(data, "x")) == data
    assert len(data.splitlines()) == len(document.records) + 2
    assert json.loads(data)["records"] == [] or document.records


NOTE = {"text": "t", "sha256": "0" * 64, "pin": PIN, "written": "2026-12-01T15:00:00Z"}
RECORD = {
    "id": "a.md", "name": "a.md", "text": "T", "parent": None, "rev": 1,
    "sha256": sha256(b"T").hexdigest(), "pin": PIN, "orphan": False, "note": NOTE,
}  # fmt: skip
TOP = {
    "format": "memoryfield-notes", "version": 1, "name": "n", "location": "l", "pin": PIN,
    "floor": 0, "records": [RECORD],
}  # fmt: skip


def test_the_good_one_is_good() -> None:
    found = parse(json.dumps(TOP).encode(), "x")
    assert found.records[0].note == Note("t", "0" * 64, PIN, "2026-12-01T15:00:00Z")


def changed(within: str, key: str, value: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(TOP))
    target = {
        "top": document, "record": document["records"][0], "note": document["records"][0]["note"],
    }[within]  # fmt: skip
    if value is KeyError:
        del target[key]
    else:
        target[key] = value
    return document


WRONG: tuple[Any, ...] = (KeyError, 1.5, {}, "\ud800")
"""What no key has as its value; `KeyError` stands for there being none."""

OTHERS: list[tuple[str, str, Any]] = [
    *((within, key, value)
      for within, keys in (("top", TOP), ("record", RECORD), ("note", NOTE))
      for key in keys
      for value in WRONG),
    *((within, "more", 1) for within in ("top", "record", "note")),
    ("top", "version", 0), ("top", "version", True), ("top", "version", 10**30),
    ("top", "floor", -1), ("top", "floor", MOST_REVISION + 1), ("top", "floor", False),
    ("top", "pin", "sha256:" + "0" * 64), ("top", "pin", PIN.upper()), ("top", "pin", PIN + "\n"),
    ("top", "records", [RECORD, RECORD]), ("top", "records", [RECORD | {"id": "b"}, RECORD]),
    ("top", "records", [None]), ("top", "format", "another"),
    ("record", "id", ""), ("record", "name", "a"), ("record", "rev", 0), ("record", "rev", True),
    ("record", "rev", MOST_REVISION + 1), ("record", "sha256", "0" * 63), ("record", "pin", ""),
    ("record", "sha256", "0" * 64), ("record", "text", "t"), ("record", "text", "\ufeffT"),
    ("record", "orphan", True), ("record", "orphan", 0), ("record", "note", False),
    ("note", "text", ""), ("note", "text", "ü" * (MOST_NOTE_BYTES // 2 + 1)),
    ("note", "written", "2026-12-01T15:00:00"), ("note", "written", "now"), ("note", "pin", ""),
    ("note", "written", "٢026-12-01T15:00:00Z"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("within", "key", "value"),
    OTHERS,
    ids=[f"{within}-{key}-{number}" for number, (within, key, _) in enumerate(OTHERS)],
)
def test_anything_else_is_refused(within: str, key: str, value: Any) -> None:
    with pytest.raises(StoreError) as told:
        parse(json.dumps(changed(within, key, value)).encode(), "the store")
    assert told.value.location == "the store"
    assert "nothing was changed" in told.value.message


def test_a_newer_version_is_told_whatever_else_it_has() -> None:
    for newer in (changed("top", "version", 2), {"format": TOP["format"], "version": 3}):
        with pytest.raises(StoreError, match="newer version") as told:
            parse(json.dumps(newer).encode(), "x")
        assert told.value.hint == "update memoryfield-kit"


RAW: dict[str, Callable[[bytes], bytes]] = {
    "a byte more": lambda data: data + b"x",
    "a mark": lambda data: b"\xef\xbb\xbf" + data,
    "utf-16": lambda data: data.decode().encode("utf-16"),
    "latin-1": lambda data: data.replace(b'"n"', b'"\xe9"'),
    "a key twice": lambda data: data.replace(b'"floor": 0', b'"floor": 0, "floor": 0'),
    "no number": lambda data: data.replace(b'"floor": 0', b'"floor": NaN'),
    "digits": lambda data: data.replace(b'"floor": 0', b'"floor": ' + b"9" * 5000),
    "an exponent": lambda data: data.replace(b'"floor": 0', b'"floor": 1e2'),
    "depth": lambda data: data.replace(b'"floor": 0', b'"floor": ' + b"[" * 200_000),
    "nothing": lambda data: b"",
}


@pytest.mark.parametrize("change", RAW.values(), ids=RAW.keys())
def test_bytes_that_are_no_such_json(change: Callable[[bytes], bytes]) -> None:
    data = json.dumps(TOP).encode()
    assert change(data) != data
    with pytest.raises(StoreError):
        parse(change(data), "x")


@given(document=DOCUMENTS, data=st.data())
@settings(deadline=None)
def test_what_is_flipped_is_told_or_read(document: Document, data: st.DataObject) -> None:
    content = bytearray(render(document))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = parse(bytes(content), "x")
    except StoreError:
        return
    assert parse(render(found), "x") == found

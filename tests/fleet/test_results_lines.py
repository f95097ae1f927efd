"""A result is a line of JSON that gives the same result again; every other line is told apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.fleet.results_rows import JOB, MARK, PIN, done, facts_of, failed, line

from memoryfield_fleet import Job, Row
from memoryfield_fleet.results import NoRow, fingerprint, key_of, line_of, lines, read_line
from memoryfield_spec import schema

SCHEMA = Draft202012Validator(schema("fleet-row"))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
COUNTS = st.integers(0, 2**63 - 1) | st.none()
PINS = st.sampled_from([None, PIN])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
ERRORS = st.builds(
    lambda kind, message, hint, code: {
        "kind": kind,
        "message": message,
        "hint": hint,
        "exit_code": code,
    },
    TEXTS.filter(bool), TEXTS, TEXTS | st.none(), st.integers(0, 5),
)  # fmt: skip
DONE = st.builds(
    Row,
    st.just("validate"),
    TEXTS.filter(bool),
    TEXTS | st.none(),
    st.just("done"),
    attempts=st.integers(0, 99),
    seconds=st.integers(0, 10**9).map(lambda thousandths: round(thousandths / 1000, 3)),
    pages=COUNTS,
    size=COUNTS,
    field_pin=PINS,
    archive_pin=PINS.map(lambda pin: pin and pin.removeprefix("field-")),
    result=st.dictionaries(TEXTS, VALUES, max_size=4),
)
ROWS = DONE | st.builds(
    lambda row, error: replace(row, state="failed", result=None, error=error), DONE, ERRORS
)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_a_result_comes_back(row: Row) -> None:
    """What is written is one line of ASCII that the schema describes, and is read as it was."""
    kept, data = line_of(row, MARK)
    assert kept == row
    assert data.isascii()
    assert data.index(b"\n") == len(data) - 1
    SCHEMA.validate(json.loads(data))
    again = read_line(data)
    assert again.row == row
    assert again.key == key_of(MARK, row.location, row.version)


def test_bytes_that_are_no_text_are_not_written() -> None:
    """A name or a message that is not UTF-8 is still carried by any encoding."""
    error = {"kind": "NotFound", "message": "\udcff", "hint": "\udcff", "exit_code": 4}
    _, data = line_of(failed("a\udcff", error=error), MARK)
    json.loads(data)["location"].encode()
    read_line(data)


def test_a_result_that_is_too_long_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could not be read again; why it is none is told."""
    monkeypatch.setattr(lines, "MOST_LINE_BYTES", 1000)
    row, data = line_of(done("a", result={"x": "y" * 1000}), MARK)
    assert row.state == "failed"
    assert read_line(data).row == row
    assert row.error is not None
    assert "1,000" in row.error["message"]


GOOD = facts_of(done("a"))
BAD = facts_of(failed("a"))


def deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"{\n",
    "no UTF-8": b'{"version":1,"job":"\xff"}\n',
    "NUL": b"\0" * 10,
    "a number": b"1\n",
    "a list": b"[]\n",
    "empty": line({}),
    "another version": line({**GOOD, "version": 2}),
    "a version that is true": line({**GOOD, "version": True}),
    "no key": line({name: value for name, value in GOOD.items() if name != "key"}),
    "one key more": line({**GOOD, "x": 1}),
    "a key twice": line(GOOD)[:-2] + b',"state":"failed"}\n',
    "a key twice within": line({**GOOD, "result": 0}).replace(
        b'"result": 0', b'"result":{"a":1,"a":2}'
    ),
    "NaN": line({**GOOD, "seconds": 0}).replace(b'"seconds": 0', b'"seconds":NaN'),
    "infinite": line({**GOOD, "seconds": 0}).replace(b'"seconds": 0', b'"seconds":1e999'),
    "long for ever": line({**GOOD, "seconds": 10**400}),
    "a time below 0": line({**GOOD, "seconds": -1}),
    "digits without end": line({**GOOD, "pages": 0}).replace(
        b'"pages": 0', b'"pages":' + b"9" * 5000
    ),
    "a large count": line({**GOOD, "pages": 2**63}),
    "a count below 0": line({**GOOD, "bytes": -1}),
    "a count that is true": line({**GOOD, "pages": True}),
    "half a page": line({**GOOD, "pages": 1.5}),
    "another job": line({**GOOD, "job": "destroy"}),
    "a job that is a list": line({**GOOD, "job": ["validate"]}),
    "no location": line({**GOOD, "location": ""}),
    "half a character": line({**GOOD, "location": "\ud800"}),
    "a key that is none": line({**GOOD, "key": "a" * 63}),
    "a key with a line feed": line({**GOOD, "key": "a" * 64 + "\n"}),
    "state same": line({**GOOD, "state": "same"}),
    "done without a result": line({**GOOD, "result": None}),
    "done and failed": line({**GOOD, "error": BAD["error"]}),
    "failed without an error": line({**BAD, "error": None}),
    "failed with a result": line({**BAD, "result": {}}),
    "an error that says too much": line({**BAD, "error": {**BAD["error"], "x": 1}}),
    "an error of no kind": line({**BAD, "error": {**BAD["error"], "kind": ""}}),
    "an exit code of its own": line({**BAD, "error": {**BAD["error"], "exit_code": 256}}),
    "a pin that is none": line({**GOOD, "field_pin": PIN[:-1]}),
    "a pin of the other kind": line({**GOOD, "archive_pin": PIN}),
    "deep": line({**GOOD, "result": {"x": deep(40)}}),
    "deeper than a parser goes": line({**GOOD, "result": 0}).replace(
        b'"result": 0', b'"result":{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    ),
    "long": b'{"version":1,"job":"' + b"x" * lines.MOST_LINE_BYTES,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_result(name: str) -> None:
    """A line of any other form is refused, whatever is wrong with it."""
    with pytest.raises(NoRow, match=r"^it(s| )"):
        read_line(HOSTILE[name])


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(GOOD)), VALUES)
def test_who_reads_is_as_strict_as_the_schema(name: str, value: Any) -> None:
    """With any value in place of one, a line is read only if the schema takes it."""
    facts = {**GOOD, name: value}
    try:
        read_line(line(facts))
    except NoRow:
        return
    SCHEMA.validate(facts)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60) | st.text('{}[]":,01eE.-+ntfaul\\', max_size=60).map(str.encode))
def test_any_bytes_are_judged(data: bytes) -> None:
    """No bytes are a result, and none of them break what reads them."""
    with pytest.raises(NoRow):
        read_line(data)


@pytest.mark.parametrize(
    ("job", "is_other"),
    [
        (replace(JOB, seconds=1, memory=1, retries=9), False),
        (Job("validate", {**JOB.options, "storage_options": {"anon": True}}), True),
        (Job("audit", JOB.options), True),
        (Job("validate", {"select": ["MF2"]}), True),
        (Job("validate", {}), True),
    ],
    ids=["how long", "transport", "kind", "rules", "no options"],
)
def test_what_makes_another_job(job: Job, is_other: bool) -> None:
    """What a job may say of a field is in its fingerprint; how patient it is, is not."""
    assert (fingerprint(job) != fingerprint(JOB)) == is_other


def test_time_outs_make_no_other_job() -> None:
    """Nor are the time-outs of a transport; where it leads is."""
    marks = {
        fingerprint(Job("pin", {"storage_options": {"endpoint_url": url, "timeout": time}}))
        for url in ("http://a", "http://b")
        for time in (1, 2)
    }
    assert len(marks) == 2
    assert fingerprint(Job("pin", {"storage_options": {"timeout": 1}})) == fingerprint(Job("pin"))


def test_another_version_of_this_program_makes_another_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may have other rules."""
    monkeypatch.setattr("memoryfield_fleet.results.keys.__version__", "999")
    assert fingerprint(JOB) != MARK

"""What comes of many fields is counted exactly, in any order, and whatever results say."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.fleet.results_rows import JOB, done, failed, report

from memoryfield_fleet import Kind, Row
from memoryfield_fleet.results import Recording, Totals
from memoryfield_fleet.results.totals import MOST_FAILURES, MOST_TOLD
from memoryfield_spec import Level, schema

SCHEMA = Draft202012Validator(schema("fleet-totals"))
RULES = ("MF304", "MF311", "MF205", "MF801")


def counted(rows: list[Row], job: Kind = "validate", **others: Any) -> dict[str, Any]:
    totals = Totals(job, **others)
    for row in rows:
        totals.add(row)
    return totals.facts()


def some_rows(seed: int, count: int) -> list[Row]:
    """Fields of all sorts, among which many are alike."""
    choose = random.Random(seed)
    rows = []
    for number in range(count):
        if choose.random() < 0.2:
            kind = choose.choice(["TimeLimit", "NotFound"])
            rows.append(failed(f"f{number}", kind, seconds=float(choose.randrange(9))))
        else:
            rules = {rule: choose.randrange(3) for rule in choose.sample(RULES, 2)}
            result, size = report(**rules), choose.randrange(100)
            seconds = float(choose.randrange(9))
            rows.append(done(f"f{number}", result=result, size=size, seconds=seconds))
    return rows


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 250))
def test_counts_are_exact_and_of_no_order(seed: int, count: int) -> None:
    """Every number is what a plain count gives; the order in which fields are done is no matter."""
    rows = some_rows(seed, count)
    good = [row for row in rows if row.state == "done"]
    bad = [row for row in rows if row.state == "failed"]
    findings = [
        (row, each) for row in good for each in (row.result or {"findings": []})["findings"]
    ]
    facts = counted(rows)
    fields = {"all": count, "done": len(good), "failed": len(bad), "reused": 0}
    assert facts["fields"] == fields
    assert facts["bytes"] == sum(row.size or 0 for row in good)
    assert facts["pages"] == 3 * len(good)
    assert facts["findings"] == {
        level: sum(each["level"] == level for _, each in findings)
        for level in ("error", "warning", "info")
    }
    rules = Counter(each["rule"] for _, each in findings)
    of_fields = Counter(rule for rule, _ in {(f["rule"], row.location) for row, f in findings})
    assert {row["rule"]: (row["findings"], row["fields"]) for row in facts["rules"]} == {
        rule: (rules[rule], of_fields[rule]) for rule in rules
    }
    slowest = sorted(
        ((-row.seconds, row.location) for row in rows if row.seconds), key=lambda each: each
    )
    assert [(-row["seconds"], row["location"]) for row in facts["slowest"]] == slowest[:MOST_TOLD]
    largest = sorted((-(row.size or 0), row.location) for row in good)
    assert [(-row["bytes"], row["location"]) for row in facts["largest"]] == largest[:MOST_TOLD]
    told = sorted(row.location for row in bad)[:MOST_FAILURES]
    assert [row["location"] for row in facts["failures"]["fields"]] == told
    kinds = Counter((row.error or {})["kind"] for row in bad)
    assert {row["kind"]: row["fields"] for row in facts["failures"]["kinds"]} == kinds
    random.Random(seed).shuffle(rows)
    assert counted(rows) == facts


def test_what_was_left_out_of_a_report_counts() -> None:
    """A report that was cut says how many findings of each rule it does not have."""
    cut = report(MF304=2)
    cut["summary"]["error"] = 1002
    cut["left_out"] = {"findings": 1000, "rules": {"MF304": 900, "MF301": 100, "x": 7}}
    facts = counted([done("a", result=cut)])
    assert {row["rule"]: row["findings"] for row in facts["rules"]} == {"MF304": 902, "MF301": 100}
    assert facts["findings"]["error"] == 1002
    [worst] = facts["worst"]
    assert worst == {"location": "a", "error": 1002, "warning": 0, "info": 0}


def test_pages_without_a_vector_are_counted() -> None:
    """Of indexes, it is pages that are counted, also those that were left out."""
    result = {"embedded": 3, "cached": 2, "reused": 1, "failed": [{}], "left_out": {"failed": 9}}
    totals = Totals("index")
    totals.add(replace(done("a", result=result), job="index"))
    assert totals.facts()["index"] == {"embedded": 3, "cached": 2, "reused": 1, "failed": 10}
    assert totals.facts()["verdicts"] is None
    assert totals.exit_code == 1


def _coded(code: int) -> Row:
    return failed("a", error={"kind": "x", "message": "x", "hint": None, "exit_code": code})


@pytest.mark.parametrize(
    ("rows", "fail_on", "code"),
    [
        ([], "error", 0),
        ([done("a")], "error", 0),
        ([done("a", result=report(MF205=1))], "error", 0),
        ([done("a", result=report(MF205=1))], "warning", 0),
        ([done("a", result=report(MF205=1))], "info", 1),
        ([done("a", result=report(MF304=1)), done("b")], "error", 1),
        ([failed("a"), done("b")], "error", 4),
        ([failed("a"), done("b", result=report(MF304=1))], "error", 4),
        ([_coded(1)], "error", 1),
        ([_coded(2)], "error", 4),
        ([_coded(3)], "error", 3),
        ([_coded(5)], "error", 4),
        ([_coded(1), _coded(3), done("b", result=report(MF304=1))], "error", 3),
        ([_coded(3), failed("a"), _coded(1)], "error", 4),
    ],
    ids=[
        "none",
        "good",
        "note",
        "note, warning",
        "note, info",
        "error",
        "failed",
        "both",
        "empty",
        "refused",
        "mismatch",
        "conflict",
        "mismatch and milder",
        "all",
    ],
)
def test_exit_code(rows: list[Row], fail_on: Level, code: int) -> None:
    """That of the worst; what could not be had is worse than what does not match."""
    totals = Totals("validate", fail_on=fail_on)
    for row in rows:
        totals.add(row)
    assert totals.exit_code == code


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "info", "rules", "MF304", "rule"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["summary", "findings", "left_out", "failed", "embedded"]), VALUES
    ),
    st.sampled_from(["validate", "index", "pin"]),
)
def test_a_result_may_say_anything(result: dict[str, Any], kind: Kind) -> None:
    """What is no number of findings, is none; the totals are in their form whatever comes."""
    job = replace(JOB, kind=kind)
    recording = Recording(job)
    recording.add(replace(failed("b"), job=kind))
    recording.totals.add(replace(done("a", result=result), job=kind))
    SCHEMA.validate(recording.facts())


def test_what_is_told_has_bounds() -> None:
    """However many fields fail, in however many ways and words, so much is told of them."""
    error = {"kind": "k" * 9999, "message": "m" * 9999, "hint": "h" * 9999, "exit_code": 4}
    rows = [failed("x" * 5000 + str(number), error=error) for number in range(150)]
    rows += [failed(f"a{number}", f"Kind{number:03}") for number in range(150)]
    facts = counted(rows)
    assert facts["fields"]["failed"] == 300
    failures = facts["failures"]
    assert len(failures["fields"]) == MOST_FAILURES
    assert sum(row["fields"] for row in failures["kinds"]) == 300
    assert failures["kinds"][0]["fields"] == 150
    assert {row["kind"]: row["fields"] for row in failures["kinds"]}["other"] == 101
    assert max(len(text) for row in failures["kinds"] for text in [row["kind"]]) == 500


def test_facts_of_a_run_are_as_the_schema_says() -> None:
    """They say when it was, and whether it came to its end."""
    recording = Recording(JOB)
    for row in some_rows(1, 80):
        recording.add(row)
    facts = recording.facts()
    SCHEMA.validate(facts)
    assert facts["complete"] is False
    recording.end()
    assert recording.facts()["complete"] is True

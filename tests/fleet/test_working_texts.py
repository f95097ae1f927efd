"""What travels is text, no secret is among it, and what comes back is checked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_fleet import KINDS, Job, Row, Target
from memoryfield_fleet.working import MOST_RESULT, job_text, read_answer, target_text
from memoryfield_fleet.working.answers import (
    LONGEST_ANSWER,
    Answer,
    answer_text,
    error_facts,
    may_pass,
)
from memoryfield_fleet.working.cutting import within_bounds
from memoryfield_fleet.working.requests import LONGEST_TEXT, OtherVersion, read_job, read_target
from memoryfield_readers import (
    AccessDenied,
    EmptyField,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceChanged,
    SourceUnavailable,
    UnknownLimit,
)

JOB = Job("validate")
TARGET = Target("s3://bucket/x.memoryfield.zip", "etag")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def failure(**changed: Any) -> Row:
    facts = {"kind": "X", "message": "m", "hint": None, "exit_code": 4, **changed}
    return Row("validate", TARGET.location, None, "failed", seconds=0.5, error=facts)


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_comes_out_as_it_went_in(kind: Any) -> None:
    job = Job(kind, {"limits": ["page-bytes=7"], "storage_options": {"anon": True}}, 2.5, 10**9)
    read = read_job(job_text(job))
    assert (read.kind, read.options, read.seconds, read.memory) == (kind, job.options, 2.5, 10**9)


@pytest.mark.parametrize("location", ["a b", "ä\udcff", 'x"\n'], ids=["space", "bytes", "quote"])
def test_a_target_comes_out_as_it_went_in(location: str) -> None:
    target = Target(location, None, "host", "known", trusted=False)
    text = target_text(target)
    assert text.isascii()
    assert "\n" not in text
    assert read_target(text) == Target(location, None, "", "known", trusted=False)


@pytest.mark.parametrize(
    "options",
    [
        {"key": "x"},
        {"secret": "x"},
        {"token": None},
        {"sessionToken": "x"},
        {"AWS_SECRET_ACCESS_KEY": "x"},
        {"client_kwargs": {"aws_access_key_id": "x"}},
        {"client_kwargs": [{"password": "x"}]},
        {"username": "x"},
        {"headers": {"Authorization": "x"}},
        {"endpoint_url": "https://me:word@s3.example.org"},
        {"connection_string": "x"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_secrets_do_not_travel(options: dict[str, Any]) -> None:
    with pytest.raises(LocationError, match="may be a secret") as told:
        job_text(Job("pin", {"storage_options": options}))
    assert "environment" in str(told.value.hint)


def test_a_password_in_the_name_of_an_embedder_does_not_travel() -> None:
    with pytest.raises(LocationError, match="embedder may be a secret"):
        job_text(Job("index", {"embedder": "openai:https://me:word@example.org/v1#m"}))


def test_options_that_are_no_secret_travel() -> None:
    options = {"endpoint_url": "https://s3.example.org", "region": "eu", "profile": "monkeys"}
    assert read_job(job_text(Job("pin", {"storage_options": options}))).options == {
        "storage_options": options
    }


@pytest.mark.parametrize(
    "options",
    [
        {"colour": "red"},
        {"select": "MF3"},
        {"ignore": [3]},
        {"embedder": 5},
        {"storage_options": []},
        {"profile": "mine"},
        {"storage_options": {"x": object()}},
        {"storage_options": {"x": float("nan")}},
    ],
    ids=["unknown", "text", "number", "embedder", "list", "profile", "object", "nan"],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(LocationError):
        job_text(Job("validate", options))


def test_limits_that_there_are_not_are_refused() -> None:
    with pytest.raises(UnknownLimit):
        job_text(Job("pin", {"limits": ["colours=7"]}))


def test_a_target_that_is_too_long_is_refused() -> None:
    with pytest.raises(LocationError, match="too long"):
        target_text(Target("x" * LONGEST_TEXT))


def test_a_job_of_another_version_is_told() -> None:
    facts = json.loads(job_text(JOB)) | {"kit": "0.0.1"}
    with pytest.raises(OtherVersion, match="version"):
        read_job(json.dumps(facts))


@settings(max_examples=60, deadline=None)
@given(text=JSON.map(json.dumps) | st.text(max_size=20))
def test_what_is_no_job_and_no_target_is_refused(text: str) -> None:
    for read in (read_job, read_target):
        with pytest.raises(LocationError):
            read(text)


@settings(max_examples=100, deadline=None)
@given(answer=JSON | st.binary(max_size=5), name=st.sampled_from(sorted(Row.__slots__)))
def test_any_answer_is_read_as_one(answer: Any, name: str) -> None:
    text = answer if isinstance(answer, bytes) else json.dumps(answer)
    bad = read_answer(text, JOB, TARGET)
    assert bad.row.state == "failed"
    assert not bad.passing
    row = json.loads(answer_text(Answer(failure())))
    row["row"][name] = None if isinstance(answer, bytes) else answer
    read = read_answer(json.dumps(row), JOB, TARGET)
    assert (read.row.job, read.row.location) == ("validate", TARGET.location)
    assert read.row.error is not None
    assert read.row.error.keys() == {"kind", "message", "hint", "exit_code"}


def test_an_answer_comes_out_as_it_went_in() -> None:
    pin = "0" * 64
    row = Row(
        "validate",
        TARGET.location,
        "etag",
        "done",
        seconds=1.5,
        pages=3,
        size=9,
        field_pin=f"field-sha256:{pin}",
        archive_pin=f"sha256:{pin}",
        result={"a": 1},
    )
    for answer in (Answer(row), Answer(failure(), passing=True, busy=0.0)):
        assert read_answer(answer_text(answer), JOB, TARGET) == answer


def test_an_answer_to_something_else_is_none() -> None:
    text = answer_text(Answer(failure()))
    read = read_answer(text, JOB, Target("elsewhere"))
    assert read.row.error is not None
    assert read.row.error["kind"] == "BadAnswer"
    assert read_answer(text, Job("pin"), TARGET).row.error == read.row.error
    assert read_answer(text + " " * LONGEST_ANSWER, JOB, TARGET).row.error == read.row.error


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (SourceUnavailable("x"), True),
        (SourceChanged("x"), True),
        (NotFound("x"), False),
        (EmptyField("x"), False),
        (AccessDenied("x"), False),
        (LocationError("x"), False),
        (MemoryfieldError("x"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_what_may_pass_is_tried_again(error: MemoryfieldError, passes: bool) -> None:
    assert may_pass(error) is passes


def test_messages_are_short_and_show_no_escapes() -> None:
    facts = error_facts(SourceUnavailable("\x1b[31m" + "x" * 10_000, entry="a.md"))
    assert len(facts["message"]) == 2_000
    assert "\x1b" not in facts["message"]


def test_a_report_of_a_hundred_thousand_findings_is_cut_and_says_so() -> None:
    findings = [{"rule": f"MF30{i % 3}", "message": "x" * 60} for i in range(100_000)]
    cut = within_bounds({"verdict": "invalid", "findings": findings, "summary": {"error": 100_000}})
    left_out = cut["left_out"]
    assert len(json.dumps(cut)) <= MOST_RESULT + 200
    assert len(cut["findings"]) + left_out["findings"] == 100_000
    assert sum(left_out["rules"].values()) == left_out["findings"]
    assert cut["summary"] == {"error": 100_000}
    assert "left_out" not in within_bounds({"findings": findings[:100]})


@settings(max_examples=50, deadline=None)
@given(
    lists=st.dictionaries(st.sampled_from("abc"), st.lists(st.text(max_size=20), max_size=20)),
    most=st.integers(40, 400),
)
def test_what_is_cut_is_counted(lists: dict[str, list[str]], most: int) -> None:
    cut = within_bounds(lists, most)
    left_out = cut.pop("left_out", {})
    assert len(json.dumps(cut)) <= most
    for name, whole in lists.items():
        assert cut[name] == whole[: len(cut[name])]
        assert len(cut[name]) + left_out.get(name, 0) == len(whole)

"""The JSON Schemas of the standard are schemas, and tell good from bad."""

from __future__ import annotations

import copy
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from memoryfield_spec import schema
from memoryfield_spec.schemas import SchemaName

PIN = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
FINDING: dict[str, Any] = {
    "rule": "MF304",
    "level": "error",
    "file": "x.md",
    "line": 3,
    "column": 10,
    "message": "`created` is a date",
    "hint": "Quote it.",
    "fixable": True,
}
REPORT: dict[str, Any] = {
    "version": 1,
    "location": "cookware",
    "verdict": "invalid",
    "digest": PIN,
    "pages": 12,
    "findings": [FINDING],
    "summary": {"error": 1, "warning": 0, "info": 0},
}


def accepts(name: SchemaName, instance: object) -> bool:
    return Draft202012Validator(schema(name)).is_valid(instance)


def report(**changes: object) -> dict[str, Any]:
    return {**copy.deepcopy(REPORT), **changes}


def report_with(**changes: object) -> dict[str, Any]:
    return report(findings=[{**FINDING, **changes}])


@pytest.mark.parametrize("name", get_args(SchemaName))
def test_schema_is_valid_and_named_by_a_urn(name: SchemaName) -> None:
    """Each schema is valid draft 2020-12 and is named by a URN, never by a host."""
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["$id"] == f"urn:memoryfield-kit:schema:{name}:1"


def test_schema_is_a_copy() -> None:
    """Changing a schema that was handed out affects nobody else."""
    schema("report").clear()
    assert schema("report")


def test_unknown_schema_is_an_error() -> None:
    """A name for which there is no schema is an error that says what there is."""
    with pytest.raises(LookupError, match="there is no schema") as found:
        schema("../catalogue")  # type: ignore[arg-type]
    assert all(repr(name) in str(found.value) for name in get_args(SchemaName))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"title": "a"},
        {"title": "Woks", "summary": "", "created": "x", "updated": "x", "uuid": "x"},
        {"tags": [1, None], "Title": 1},
    ],
)
def test_frontmatter_that_has_its_types(fields: dict[str, Any]) -> None:
    """No field is required, unknown ones are allowed, and strings are strings."""
    assert accepts("frontmatter", fields)


@pytest.mark.parametrize("name", ["title", "uuid", "summary", "created", "updated"])
@pytest.mark.parametrize("value", [None, False, 2026, 1.1, [], {}])
def test_frontmatter_that_has_another_type(name: str, value: object) -> None:
    """A defined field is a string, and null is none."""
    assert not accepts("frontmatter", {name: value})


@pytest.mark.parametrize("title", ["", " ", "\t\n"])
def test_title_is_not_blank(title: str) -> None:
    """A title has a character that is not blank."""
    assert not accepts("frontmatter", {"title": title})


@pytest.mark.parametrize("fields", [[], "x", None])
def test_frontmatter_is_an_object(fields: object) -> None:
    """Only an object is frontmatter."""
    assert not accepts("frontmatter", fields)


def test_formats_are_named() -> None:
    """The schema names the formats that a validator checks by itself."""
    fields = schema("frontmatter")["properties"]
    assert {name: field.get("format") for name, field in fields.items()} == {
        "title": None,
        "uuid": "uuid",
        "summary": None,
        "created": "iso-8601-datetime",
        "updated": "iso-8601-datetime",
    }


@pytest.mark.parametrize(
    "instance",
    [
        REPORT,
        report(digest=None, pages=0, findings=[], verdict="valid"),
        report_with(file=None, line=None, column=None, hint=None),
        {"version": 1, "reports": []},
        {"version": 1, "reports": [REPORT, REPORT]},
    ],
)
def test_reports_that_are_good(instance: object) -> None:
    """A report of one field, and one of several, are accepted, with null where it is allowed."""
    assert accepts("report", instance)


@pytest.mark.parametrize(
    "instance",
    [
        report(version=2),
        report(verdict="ok"),
        report(digest="sha256:" + "0" * 64),
        report(digest=PIN + "\n"),
        report(digest=PIN.upper()),
        report(pages=-1),
        report(pages=1.5),
        report(pages=None),
        report(extra=1),
        report(location=None),
        report(summary={"error": 0, "warning": 0}),
        report(summary={"error": 0, "warning": 0, "info": 0, "fatal": 0}),
        report_with(rule="MF1000"),
        report_with(rule="MF099"),
        report_with(rule="MF304\n"),
        report_with(level="fatal"),
        report_with(line=0),
        report_with(column=0),
        report_with(message=""),
        report_with(message=None),
        report_with(fixable=None),
        report_with(extra=1),
        {**REPORT, "reports": []},
        {"version": 1, "reports": [{"version": 1, "reports": []}]},
        {"reports": []},
        [REPORT],
    ],
)
def test_reports_that_are_bad(instance: object) -> None:
    """A report of another shape is refused."""
    assert not accepts("report", instance)


@pytest.mark.parametrize("key", list(REPORT))
def test_every_key_of_a_report_is_required(key: str) -> None:
    """The shape of a report never depends on what was found."""
    assert not accepts("report", {name: REPORT[name] for name in REPORT if name != key})


@pytest.mark.parametrize("key", list(FINDING))
def test_every_key_of_a_finding_is_required(key: str) -> None:
    """The shape of a finding never depends on what it says."""
    assert not accepts(
        "report", report(findings=[{name: FINDING[name] for name in FINDING if name != key}])
    )


CHANGE: dict[str, Any] = {
    "change": "renamed",
    "name": "b.md",
    "was": "a.md",
    "before": "0" * 64,
    "after": "0" * 64,
}
APPLIED: dict[str, Any] = {
    "version": 1,
    "location": "cookware",
    "dry_run": False,
    "before": PIN,
    "digest": PIN,
    "archive_pin": "sha256:" + "0" * 64,
    "changes": [CHANGE],
    "findings": [FINDING],
    "notes": ["x.sqlite3 is left as it is"],
}


def applied(**changes: object) -> dict[str, Any]:
    return {**copy.deepcopy(APPLIED), **changes}


def applied_with(**changes: object) -> dict[str, Any]:
    return applied(changes=[{**CHANGE, **changes}])


@pytest.mark.parametrize(
    "instance",
    [
        APPLIED,
        applied(before=None, archive_pin=None, changes=[], findings=[], notes=[]),
        applied_with(change="added", was=None, before=None),
        applied_with(change="changed", was=None),
        applied_with(change="removed", was=None, after=None),
    ],
)
def test_answers_of_edits_that_are_good(instance: object) -> None:
    """What a batch did is told in one form, with null where it is allowed."""
    assert accepts("applied", instance)


@pytest.mark.parametrize(
    "instance",
    [
        applied(version=2),
        applied(digest=None),
        applied(before="sha256:" + "0" * 64),
        applied(archive_pin=PIN),
        applied(dry_run=None),
        applied(extra=1),
        applied(notes=[""]),
        applied(findings=[{}]),
        applied_with(change="moved"),
        applied_with(was=None),
        applied_with(change="added", was=None),
        applied_with(change="changed"),
        applied_with(change="removed", was=None),
        applied_with(after="0" * 64 + "\n"),
        applied_with(before="0" * 63),
        applied_with(extra=1),
    ],
)
def test_answers_of_edits_that_are_bad(instance: object) -> None:
    """An answer of another shape is refused."""
    assert not accepts("applied", instance)


@pytest.mark.parametrize("key", list(APPLIED))
def test_every_key_of_an_answer_is_required(key: str) -> None:
    """The shape of an answer never depends on what a batch did."""
    assert not accepts("applied", {name: APPLIED[name] for name in APPLIED if name != key})


def test_findings_are_the_same_everywhere() -> None:
    """A finding of an edit has the form that it has in a report."""
    shapes = [schema(name)["$defs"]["finding"] for name in ("applied", "report")]
    assert shapes[0] == shapes[1]

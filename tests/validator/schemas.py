"""Whether a report is what `report.schema.json` says, as any program would see it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from memoryfield_spec import schema
from memoryfield_validator import Report
from memoryfield_validator.reports import render_json


@cache
def _validator() -> Any:
    return Draft202012Validator(schema("report"))


def assert_fits_schema(report: Report) -> None:
    """The report, as it is printed, is JSON that obeys the schema and adds up."""
    text = render_json([report])
    assert text.isascii()
    data = json.loads(text)
    json.dumps(data, ensure_ascii=False).encode()  # raises where half a character is left
    assert list(_validator().iter_errors(data)) == []
    assert data == report.to_json()
    for level, count in data["summary"].items():
        assert count == sum(finding["level"] == level for finding in data["findings"])
    assert data["verdict"] == ("invalid" if data["summary"]["error"] else "valid")
    assert all((one["line"] is None) == (one["column"] is None) for one in data["findings"])

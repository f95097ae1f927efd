"""The examples of the standard are judged as the standard says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.validator.fields import report_on, rules_in, validated, write_files

SPEC = Path(__file__).parents[2] / "spec" / "SPEC.md"
EXAMPLE = re.compile(
    r"^```markdown example=(?P<id>\S+) (?P<kind>breaks|obeys)=(?P<rule>MF\d+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Example(NamedTuple):
    """A page of the standard, and whether it breaks or obeys a requirement."""

    id: str
    kind: str
    rule: str
    text: str


EXAMPLES = [
    Example(**match.groupdict()) for match in EXAMPLE.finditer(SPEC.read_text(encoding="utf-8"))
]


def test_there_are_examples() -> None:
    """The examples are found, and each has an id of its own."""
    assert len(EXAMPLES) >= 10
    assert len({one.id for one in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.id)
def test_example_is_judged_as_the_standard_says(example: Example) -> None:
    """An example breaks or obeys the requirement that it names."""
    found = rules_in(report_on({"example.md": example.text}))
    assert (example.rule in found) == (example.kind == "breaks")


def test_report_of_the_standard_is_the_one_that_is_given(tmp_path: Path) -> None:
    """The JSON report in the standard is ours, but for the words of messages."""
    text = SPEC.read_text(encoding="utf-8")
    (example,) = (one for one in EXAMPLES if one.id == "report-of-one-finding")
    wanted = json.loads(text[text.index('{\n  "version": 1') :].partition("```")[0])
    report = validated(write_files(tmp_path / "cookware", {"example.md": example.text})).to_json()
    report["location"] = "cookware"
    for one in (*report["findings"], *wanted["findings"]):
        del one["message"], one["hint"]
    assert report == wanted

"""The report that the standard shows is the one that we give."""

from __future__ import annotations

import json
from pathlib import Path

from tests.validator.fields import validated, write_files

from memoryfield_spec import examples, standard


def test_report_of_the_standard_is_the_one_that_is_given(tmp_path: Path) -> None:
    """The JSON report in the standard is ours, but for the words of messages."""
    text = standard()
    example = examples()["report-of-one-finding"]
    wanted = json.loads(text[text.index('{\n  "version": 1,\n  "location"') :].partition("```")[0])
    report = validated(write_files(tmp_path / "cookware", {"example.md": example.text})).to_json()
    report["location"] = "cookware"
    for one in (*report["findings"], *wanted["findings"]):
        del one["message"], one["hint"]
    assert report == wanted

"""What a finding calls fixable is mended, whatever the field: seen on the cases of all rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.validator.cases import Case
from tests.validator.fixes_fields import (
    assert_clean,
    fixable,
    mend,
    numbered_uuids,
)
from tests.validator.test_rules import CASES

from memoryfield_readers import inspect_field
from memoryfield_validator import validate
from memoryfield_validator.fixes import Proposal, apply, propose

FOLDERS = tuple(case for case in CASES if case.files is not None and case.prepare is None)


def named(case: Case) -> str:
    return f"{case.rule}: {case.what}"


@pytest.mark.parametrize("case", FOLDERS, ids=named)
def test_each_field_is_clean_after_mending(case: Case) -> None:
    """No fixable finding is left, none that is new is at level error, and that is all there is."""
    assert case.files is not None
    mended = mend(case.files)
    assert_clean(mended)
    if not any(finding.rule == "MF301" for finding in mended.before.findings):
        known = {finding.rule for finding in mended.before.findings}
        new = [finding for finding in mended.after.findings if finding.rule not in known]
        graver = [finding for finding in new if finding.level == "error"]
        assert all(finding.rule.startswith("MF5") for finding in graver)  # indexes are rebuilt


@pytest.mark.parametrize(
    "case", [case for case in FOLDERS if any(f.fixable for f in case.found)], ids=named
)
def test_each_folder_is_clean_after_writing(case: Case, tmp_path: Path) -> None:
    """The same holds for a folder on the disk, which then has nothing more to be mended."""
    folder = tmp_path / "field"
    case.report(tmp_path)  # writes it
    with inspect_field(folder, limits=case.limits) as field:
        proposal = propose(
            field,
            validate(field),
            judge=validate,
            limits=case.limits,
            new_uuid=numbered_uuids(),
        )
    apply(proposal, folder)
    with inspect_field(folder, limits=case.limits) as field:
        report = validate(field)
        assert fixable(report) == []
        assert propose(field, report, judge=validate, limits=case.limits) == Proposal()
    assert not [path for path in folder.iterdir() if path.name.startswith(".memoryfield-")]

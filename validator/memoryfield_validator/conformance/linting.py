"""The suite checks itself: form, ids, titles, order, and that every requirement is covered."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memoryfield_spec import catalogue, examples

from ..registry import REVIEW
from .case import Case
from .coverage import COVERAGE, coverage_problems
from .edits import edit_problems
from .errors import BrokenCase
from .judging import BY_LISTS, expected_answer, parsed_json
from .suite import Folder, case_files, read_case


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with the suite.

    Attributes:
        place: the case or the file.
        message: what is wrong.
    """

    place: str
    message: str


def lint_suite(root: Folder) -> tuple[Problem, ...]:
    """Everything that is wrong with the suite in a folder; nothing is run."""
    cases, problems = [], []
    for group, path in case_files(root):
        try:
            case = read_case(path, group)
        except BrokenCase as error:
            problems.append(Problem(f"cases/{group}/{path.name}", error.message))
            continue
        cases.append(case)
        problems += [Problem(case.id, text) for text in _problems(case, path.name)]
    problems += [*_strays(root), *_repeated(cases), *_examples(cases)]
    try:
        problems += [Problem(*told) for told in coverage_problems(cases, _reasons(root))]
    except BrokenCase as error:
        problems.append(Problem(COVERAGE, error.message))
    if not cases:
        problems.append(Problem(str(root), "there is no case"))
    return tuple(problems)


def _reasons(root: Folder) -> Mapping[str, Any]:
    path = root / COVERAGE
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BrokenCase(f"is no TOML: {error}") from None


def _problems(case: Case, file_name: str) -> Iterator[str]:
    if file_name != f"{case.id}.toml":
        yield f"stands in {file_name}"
    group = _group_of(case)
    if group is None:
        yield "its id does not begin with its first requirement, nor with example or digest"
    elif case.group != group:
        yield f"stands in {case.group}/, and belongs to {group}/"
    if list(case.requirements) != sorted(case.requirements):
        yield "its requirements are not in ascending order"
    for id in case.requirements:
        if id not in catalogue():
            yield f"there is no requirement {id}"
    if not case.requirements and case.kind != "digest":
        yield "it is about no requirement"
    if ". " in case.why:
        yield "`why` is more than one sentence"
    if case.edit is not None:
        yield from edit_problems(case, case.edit)
    elif (case.pin is not None) != ("fits" in case.expect):
        yield "a `pin` and `fits` go together"
    yield from _expectation_problems(case)


def _group_of(case: Case) -> str | None:
    beginning = case.id.partition("-")[0]
    if beginning in ("example", "digest"):
        return f"{beginning}s"
    first = case.requirements[0].lower() if case.requirements else ""
    return f"{first[2:3]}xx" if beginning == first else None


def _expectation_problems(case: Case) -> Iterator[str]:
    expect = case.expect
    fields = expect.get("frontmatter")
    if fields is not None and not isinstance(parsed_json(fields), dict):
        yield "the frontmatter that is expected is no JSON object"
    if case.kind not in ("field", "archive"):
        return
    findings = expect.get("findings", [])
    if findings != sorted(findings, key=_order):
        yield "the findings are not in the order of a report"
    for finding in findings:
        if finding["rule"] not in catalogue():
            yield f"there is no requirement {finding['rule']}"
            return
    reviewed = {finding["rule"] for finding in findings if finding["rule"].startswith(REVIEW)}
    for id in sorted(reviewed & BY_LISTS):
        yield f"{id} is found by lists that each validator has for itself"
    if reviewed and not case.audit:
        yield "only a review finds 8xx, and the case has no `audit`"
    verdict = expected_answer(case, "")["verdict"]
    if verdict != expect["verdict"]:
        yield f"the verdict is {expect['verdict']}, and the findings make it {verdict}"
    if expect["pages"] != sorted(expect["pages"], key=str.encode):
        yield "the pages are not in the order of the bytes of their names"


def _order(finding: Mapping[str, Any]) -> tuple[object, ...]:
    file = finding.get("file")
    place = (finding.get("line", 0), finding.get("column", 0))
    return (file is not None, (file or "").encode(), *place, finding["rule"])


def _repeated(cases: list[Case]) -> Iterator[Problem]:
    for what in ("id", "title", "why"):
        seen: dict[str, str] = {}
        for case in cases:
            value = getattr(case, what).lower()
            if value in seen:
                yield Problem(case.id, f"has the {what} of {seen[value]}")
            seen.setdefault(value, case.id)
    inputs: dict[object, str] = {}
    for case in cases:
        settings = tuple(sorted(case.settings.items()))
        given = (case.kind, case.given, case.pin, settings, case.audit, case.edit)
        if inputs.setdefault(given, case.id) != case.id:
            yield Problem(case.id, f"has the input of {inputs[given]}")


def _strays(root: Folder) -> Iterator[Problem]:
    """What lies in `cases/` and is no case: it would be passed over without a word."""
    known = {f"cases/{group}/{path.name}" for group, path in case_files(root)}
    top = root / "cases"
    found = []
    for group in top.iterdir() if top.is_dir() else ():
        if group.is_dir():
            found += [f"cases/{group.name}/{path.name}" for path in group.iterdir()]
        else:
            found.append(f"cases/{group.name}")
    for place in sorted({*found} - known):
        yield Problem(place, "is no case in a group")


def _examples(cases: list[Case]) -> Iterator[Problem]:
    """Each example of SPEC.md is a case, which says of its requirement what SPEC.md says."""
    by_id = {case.id: case for case in cases}
    for example in examples().values():
        case = by_id.get(f"example-{example.id}")
        if case is None:
            yield Problem(f"SPEC.md, example {example.id}", "is no case")
            continue
        breaks = case.breaks(example.rule)
        if breaks != (example.kind == "breaks") or example.rule not in case.requirements:
            yield Problem(case.id, f"SPEC.md says that it {example.kind} {example.rule}")
        if [(file.name, file.content) for file in case.files[:1]] != [
            ("example.md", example.text.encode())
        ]:
            yield Problem(case.id, f"is not the example {example.id} of SPEC.md as example.md")
    for id in by_id:
        if id.startswith("example-") and id.removeprefix("example-") not in examples():
            yield Problem(id, "SPEC.md has no such example")

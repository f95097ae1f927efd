"""Whether an answer is the one that is expected, and what differs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memoryfield_readers import name_key
from memoryfield_spec import catalogue

from ..validation import Profile
from .case import ARCHIVE, Answer, Case
from .edits import expected_edit
from .places import HTTP, kind_of

FINDING_KEYS = ("rule", "file", "line", "level", "column")
_MAY_BE_LEFT_OUT = ("level", "column")
_PLACE = ("file", "line", "column")
NAMES = "MF201"
COPIES = "MF211"
NO_PAGE = "MF101"
BY_LISTS = frozenset({"MF802", "MF803", "MF804"})
"""What each validator finds by a list of its own, so that no case can say what is found."""

_MOST_NESTING = 100

ANSWERS: Mapping[str, tuple[str, ...]] = {
    "field": ("verdict", "findings", "files", "pages", "digest"),
    "archive": ("verdict", "findings", "files", "pages", "digest"),
    "page": ("state", "frontmatter", "body", "error"),
    "digest": ("digest", "manifest", "archive-pin", "fits"),
    "edit": ("error", "files", "digest"),
}
"""The keys that an answer may have, by kind of case."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A key of an answer that is not as expected.

    Attributes:
        key: the key.
        expected: the value that is expected.
        answered: the value that was given; None also where there was none.
        given: whether there was one.
    """

    key: str
    expected: Any
    answered: Any
    given: bool = True


def expected_answer(
    case: Case, source: str, profile: Profile = "kit", checked: frozenset[str] | None = None
) -> dict[str, Any]:
    """The exact answer to a case, put by some source, to an implementation.

    Arguments:
        case: the case.
        source: what carries it: the level of a finding can depend on that, and an HTML index tells
            nothing of what lies in sub-directories, so that there are no findings on that.
        profile: with "draft-0.1", findings of requirements that the draft lacks are info.
        checked: the ids of the requirements that the implementation checks; findings of others
            are not expected of it. None for all.
    """
    expect = dict(case.expect)
    if case.kind in ("field", "archive"):
        findings = [
            _finding(given, source, profile)
            for given in expect.get("findings", ())
            if (checked is None or given["rule"] in checked) and _is_in_sight(given, source)
        ]
        if _lacks_a_page(expect, findings, checked):
            findings.insert(0, {"rule": NO_PAGE, "level": "error", **dict.fromkeys(_PLACE)})
        if profile == "draft-0.1" or (checked is not None and COPIES not in checked):
            findings += _copies_as_names(expect, checked)
        errors = [finding for finding in findings if finding["level"] == "error"]
        files: set[str] = {one["file"] for one in errors if one["file"] is not None}
        expect |= {
            "verdict": "invalid" if errors else "valid",
            "findings": findings,
            "files": sorted(files, key=name_key),
        }
    elif case.kind == "page":
        fields = expect.get("frontmatter")
        expect["frontmatter"] = None if fields is None else parsed_json(fields)
        expect.setdefault("error", None)
    elif case.kind == "edit":
        expect |= expected_edit(case)
    if expect.get("digest") == "none":
        expect["digest"] = None
    return expect


def differences(expected: Answer, answered: Answer, keys: Iterable[str]) -> tuple[Difference, ...]:
    """What differs in these keys; a key that is expected and not answered differs."""
    found = []
    for key in keys:
        if key not in expected:
            continue
        said = answered.get(key)
        wanted = expected[key]
        if key not in answered or not _is_answer(key, wanted, said):
            found.append(Difference(key, wanted, said, key in answered))
    return tuple(found)


def without_lists(answered: Answer) -> Answer:
    """An answer without the findings that are made by a list of one's own: they do not count."""
    findings = answered.get("findings")
    if not isinstance(findings, list):
        return answered
    return {**answered, "findings": [one for one in findings if not _is_by_list(one)]}


def parsed_json(text: str) -> Any:
    """JSON text as a value, in which NaN, infinities and deep nesting are refused.

    Raises:
        ValueError: it is no JSON.
    """
    import json

    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _is_deep(value):
        raise ValueError(f"it is nested more than {_MOST_NESTING} deep")
    return value


def is_same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_same_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and bool(one == other)


def _is_in_sight(given: Mapping[str, Any], source: str) -> bool:
    """Whether a source can show what a finding is on: a server lists the root alone."""
    return source != HTTP or "/" not in given.get("file", "").rstrip("/")


def _finding(given: Mapping[str, Any], source: str, profile: Profile) -> dict[str, Any]:
    level = given["level"]
    if kind_of(source) == ARCHIVE:
        level = given.get("archive-level", level)
    requirement = catalogue().get(given["rule"])
    if profile == "draft-0.1" and (requirement is None or requirement.origin != "draft-0.1"):
        level = "info"
    place = {key: given.get(key) for key in _PLACE}
    return {"rule": given["rule"], "level": level, **place}


def _is_by_list(finding: Any) -> bool:
    rule = finding.get("rule") if isinstance(finding, Mapping) else None
    return isinstance(rule, str) and rule in BY_LISTS


def _lacks_a_page(
    expect: Mapping[str, Any], findings: list[dict[str, Any]], checked: frozenset[str] | None
) -> bool:
    """Whether MF101 is held back by errors alone that do not count here: then it is told."""
    counts = checked is None or NO_PAGE in checked
    held_back = any(one["level"] == "error" for one in expect.get("findings", ()))
    errors = any(one["level"] == "error" for one in findings)
    return counts and held_back and not errors and not expect.get("pages")


def _copies_as_names(
    expect: Mapping[str, Any], checked: frozenset[str] | None
) -> list[dict[str, Any]]:
    """Pages that are conflicted copies, where MF211 does not count: their names break MF201."""
    if checked is not None and NAMES not in checked:
        return []
    copies = [
        finding["file"]
        for finding in expect.get("findings", ())
        if finding["rule"] == COPIES and finding["file"].endswith(".md") and "line" not in finding
    ]
    place = dict.fromkeys(_PLACE)
    return [{"rule": NAMES, "level": "error", **place, "file": file} for file in copies]


def _is_answer(key: str, expected: Any, answered: Any) -> bool:
    if key == "findings":
        return _are_findings(expected, answered)
    return is_same_json(expected, answered)


def _are_findings(expected: list[dict[str, Any]], answered: Any) -> bool:
    """Whether findings are the expected ones, in any order, each as often."""
    if not isinstance(answered, list) or not all(isinstance(one, Mapping) for one in answered):
        return False
    wanted, said = comparable_findings(expected, answered)
    return len(wanted) == len(said) and not subtracted(wanted, said)


def comparable_findings(
    expected: list[dict[str, Any]], answered: list[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Both lists, cut to the keys that count: level and column count unless no answer has them."""
    keys = [
        key
        for key in FINDING_KEYS
        if key not in _MAY_BE_LEFT_OUT or not answered or any(key in one for one in answered)
    ]
    wanted, said = (
        [{key: one.get(key) for key in keys} for one in of] for of in (expected, answered)
    )
    return wanted, said


def subtracted(some: list[Any], others: list[Any]) -> list[Any]:
    """The members of a list that another one has not, or has not as often, as JSON values."""
    left = Counter(map(_canonical, others))
    rest = []
    for one in some:
        text = _canonical(one)
        if left[text]:
            left[text] -= 1
        else:
            rest.append(one)
    return rest


def _canonical(value: Any) -> str:
    """A text that is the same for values that are the same JSON."""
    import json

    return json.dumps(_with_whole_numbers(value), sort_keys=True, default=repr)


def _with_whole_numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _with_whole_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is out of range")
    return number


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MOST_NESTING):
        level = [
            each
            for one in level
            if isinstance(one, dict | list)
            for each in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True

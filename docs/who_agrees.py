"""The page "Who agrees": from reports of the conformance runner to Markdown.

The same reports give the same page: there is no date in it, and nothing of the machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from agreement_questions import QUESTIONS

from memoryfield_readers import visible
from memoryfield_spec import catalogue

Object: TypeAlias = Mapping[str, Any]

SPEC = "../spec/SPEC.md"
FIXTURES = "../conformance-fixtures"
PROFILES = {"kit": "this standard", "draft-0.1": "the public draft 0.1 alone"}
MOST_NAMES = 4
MOST_REQUIREMENTS = 12
_GROUPS = {"digests": "Digests", "examples": "Examples of the standard"}


@dataclass(frozen=True, slots=True)
class Judged:
    """An implementation and what came of the cases.

    Attributes:
        name, release, profile: as its adapter says.
        adapter: the file name of its adapter.
        how: in plain words, how it was asked.
        results: the results of each case, one for each source that it was put by.
    """

    name: str
    release: str
    profile: str
    adapter: str
    how: str
    results: Mapping[str, Sequence[Object]]

    @classmethod
    def of(cls, reports: Sequence[Object], *, adapter: str, how: str) -> Judged:
        """What one or several reports say, of different cases or sources."""
        results: dict[str, list[Object]] = {}
        for report in reports:
            for result in report["results"]:
                results.setdefault(result["case"], []).append(result)
        who = reports[0]["implementation"]
        return cls(who["name"], who["release"], who["profile"], adapter, how, results)

    def standing(self, case: str) -> str:
        """What came of a case, by all sources together: the worst of it."""
        came = {result["result"] for result in self.results.get(case, ())}
        return next((one for one in ("fail", "errored", "pass") if one in came), "skipped")


def page(ours: Judged, others: Sequence[Judged]) -> str:
    """The page, of our own implementation and of others."""
    everyone = (ours, *others)
    titles = {case: str(results[0]["title"]) for case, results in ours.results.items()}
    parts = (
        _opening(everyone),
        _counts(ours, everyone, titles),
        _questions(ours, everyone),
        _most_differing(ours, others),
        _ourselves(ours),
        _cases(ours, everyone, titles),
    )
    return "\n".join(line for part in parts for line in part)


def _opening(everyone: Sequence[Judged]) -> Iterator[str]:
    yield "<!-- Written by docs/matrix.py (make matrix). Do not edit. -->"
    yield "# Who agrees\n"
    yield (
        f"The [conformance cases]({FIXTURES}/README.md) of this standard, put to our own "
        "implementation and to the two published commands for memoryfields. Nobody was asked to "
        "follow this standard: a published command is judged by the public draft alone, so that "
        "what this standard adds does not count against it. Each disagreement is a question, and "
        "says nothing about which of the two is the better program.\n"
    )
    yield "## Who was asked\n"
    yield "| implementation | release | judged by | how |"
    yield "| --- | --- | --- | --- |"
    for one in everyone:
        adapter = f"[adapter]({FIXTURES}/adapters/{one.adapter})"
        yield f"| {one.name} | {one.release} | {PROFILES[one.profile]} | {one.how} {adapter} |"
    yield ""


def _counts(ours: Judged, everyone: Sequence[Judged], cases: Iterable[str]) -> Iterator[str]:
    yield "## Counts\n"
    yield "| implementation | cases | pass | fail | as this standard | errored | skipped |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for one in everyone:
        came = Counter(one.standing(case) for case in cases)
        as_here = "" if one is ours else sum(_is_as_here(one, case, ours) for case in cases)
        yield (
            f"| {one.name} {one.release} | {came.total()} | {came['pass']} | {came['fail']} | "
            f"{as_here} | {came['errored']} | {came['skipped']} |"
        )
    yield (
        "\nA case is put by several sources, and fails if it fails by one of them. *As this "
        "standard* counts those failures in which the answer is not that of the draft, but is the "
        "one that this standard expects: the command asks for more, as we do. *Errored*: there "
        "was no answer, such as after a crash. *Skipped*: the case asks for what the "
        "implementation does not answer. Cases are not weighed: one difference can fail many.\n"
    )


def _questions(ours: Judged, everyone: Sequence[Judged]) -> Iterator[str]:
    yield "## Questions\n"
    for question in QUESTIONS:
        known = [case for case in question.cases if case in ours.results]
        if not known:
            continue
        yield f"### {question.asked}\n"
        yield f"{question.settled} ({', '.join(map(_requirement, question.requirements))})\n"
        yield from _table(known, ours, everyone)


def _most_differing(ours: Judged, others: Sequence[Judged]) -> Iterator[str]:
    counts: Counter[str] = Counter()
    by_whom: dict[str, Counter[str]] = {one.name: Counter() for one in others}
    for case, results in ours.results.items():
        for id in results[0]["requirements"]:
            for one in others:
                if one.standing(case) in ("fail", "errored"):
                    counts[id] += 1
                    by_whom[one.name][id] += 1
    if not counts:
        return
    yield "## Where the published commands differ most\n"
    yield "| requirement | " + " | ".join(one.name for one in others) + " |"
    yield "| --- |" + " ---: |" * len(others)
    for id, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_REQUIREMENTS]:
        numbers = " | ".join(str(by_whom[one.name][id]) for one in others)
        yield f"| {_requirement(id)} {catalogue()[id].title} | {numbers} |"
    yield "\nThe numbers are of cases that fail or have no answer.\n"


def _ourselves(ours: Judged) -> Iterator[str]:
    yield "## Where we fail ourselves\n"
    wrong = {c: r for c, r in ours.results.items() if ours.standing(c) in ("fail", "errored")}
    put = sum(ours.standing(case) != "skipped" for case in ours.results)
    if not wrong:
        yield f"None of the {put} cases that were put fails. That is no wonder: we wrote them.\n"
    else:
        yield f"{len(wrong)} of {put} cases:\n"
    for case in wrong:
        yield f"- {_link(case)}: {_said(ours, case, ours)}"
    reasons = Counter(
        str(results[0]["reason"])
        for case, results in ours.results.items()
        if ours.standing(case) == "skipped"
    )
    if reasons:
        yield ("\n" if wrong else "") + "What was not put to us, with the number of cases:\n"
        yield from (f"- {visible(why)}: {number}" for why, number in sorted(reasons.items()))
    yield ""


def _cases(ours: Judged, everyone: Sequence[Judged], titles: Mapping[str, str]) -> Iterator[str]:
    yield "## Cases on which not all agree\n"
    yield "A dash says that the case was skipped.\n"
    groups: dict[str, list[str]] = {}
    for case in titles:
        if any(one.standing(case) in ("fail", "errored") for one in everyone):
            groups.setdefault(_group(case), []).append(case)
    for group, cases in sorted(groups.items()):
        yield f"### {_GROUPS.get(group, group)}\n"
        yield from _table(sorted(cases), ours, everyone)


def _table(cases: Iterable[str], ours: Judged, everyone: Sequence[Judged]) -> Iterator[str]:
    yield "| case | expected | " + " | ".join(one.name for one in everyone) + " |"
    yield "| --- |" + " --- |" * (len(everyone) + 1)
    for case in cases:
        title = visible(str(ours.results[case][0]["title"])).replace("|", "\\|")
        said = " | ".join(_said(one, case, ours) for one in everyone)
        yield f"| {_link(case)} {title} | {_expected(case, everyone)} | {said} |"
    yield ""


def _expected(case: str, everyone: Sequence[Judged]) -> str:
    """What the standard expects, and the draft, where that is another thing."""
    told: dict[str, str] = {}
    for one in everyone:
        for result in one.results.get(case, ()):
            expected = result["expected"] or {}
            if "verdict" in expected:
                told.setdefault(one.profile, _verdict(expected))
            elif "state" in expected:
                told.setdefault(one.profile, f"frontmatter {expected['state']}")
    draft = told.get("draft-0.1")
    if "kit" not in told:
        return f"by the draft: {draft}" if draft else "see the case"
    return told["kit"] + (f"; by the draft: {draft}" if draft and draft != told["kit"] else "")


def _said(one: Judged, case: str, ours: Judged) -> str:
    """What an implementation answers to a case; by source, where that makes a difference."""
    standing = one.standing(case)
    if standing in ("pass", "skipped"):
        return "agrees" if standing == "pass" else "—"
    by_text: dict[str, list[str]] = {}
    for result in one.results[case]:
        if result["result"] != "skipped":
            by_text.setdefault(_answer(result), []).append(str(result["source"]))
    told = "; ".join(
        text if len(by_text) == 1 else f"{text} ({', '.join(sources)})"
        for text, sources in by_text.items()
    )
    return told + (" (as this standard)" if _is_as_here(one, case, ours) else "")


def _answer(result: Object) -> str:
    if result["result"] == "pass":
        return "agrees"
    if result["result"] == "errored":
        return f"no answer: {_cell(str(result['reason']))}"
    differing = {each["key"]: each for each in result["differences"]}
    parts = []
    if differing.keys() & {"verdict", "files"}:
        parts.append(_verdict(result["answered"]))
    for key, each in differing.items():
        if key == "pages" and isinstance(each["answered"], list):
            parts += _lists(each["expected"], each["answered"])
        elif key not in ("verdict", "files"):
            parts.append(f"other `{key}`")
    return ", ".join(parts)


def _verdict(answer: Object) -> str:
    names = answer.get("files")
    return f"{answer['verdict']}: {_names(names)}" if names else str(answer["verdict"])


def _lists(expected: Sequence[str], answered: Sequence[str]) -> Iterator[str]:
    missing = [name for name in expected if name not in answered]
    extra = [name for name in answered if name not in expected]
    if extra:
        yield f"lists {_names(extra)}"
    if missing:
        yield f"does not list {_names(missing)}"
    if not extra and not missing:
        yield "lists pages in another order"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(f"`{_code(name)}`" for name in names[:MOST_NAMES]) + more


def _code(text: str) -> str:
    return visible(text).replace("`", "'").replace("|", "\\|")


def _is_as_here(one: Judged, case: str, ours: Judged) -> bool:
    """Whether all answers that fail are those that our standard expects."""
    expected = {result["source"]: result["expected"] for result in ours.results[case]}
    failed = [result for result in one.results.get(case, ()) if result["result"] == "fail"]
    return one.standing(case) == "fail" and all(
        expected.get(result["source"]) and expected[result["source"]].get(key) == said
        for result in failed
        for key, said in result["answered"].items()
    )


def _cell(text: str) -> str:
    return re.sub(r"([\\*_\[\]<>|])", r"\\\1", visible(text))


def _link(case: str) -> str:
    return f"[{case}]({FIXTURES}/cases/{_group(case)}/{case}.toml)"


def _requirement(id: str) -> str:
    return f"[{id}]({SPEC}#{id.lower()})"


def _group(case: str) -> str:
    number = re.match(r"mf(\d)\d\d-", case)
    return f"{number[1]}xx" if number else "digests" if case.startswith("digest-") else "examples"

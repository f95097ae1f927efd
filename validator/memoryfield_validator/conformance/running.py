"""Put cases to an implementation, by every source, and judge its answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from .carriers import Places
from .case import DIRECTORY, Answer, Case
from .edits import left_by_edit
from .errors import CannotCarry, NoAnswer, Skip
from .implementation import Elsewhere, Implementation, Task
from .judging import Difference, differences, expected_answer, without_lists
from .places import SOURCES, sources_of

Result: TypeAlias = Literal["pass", "fail", "skipped", "errored"]
RESULTS: tuple[Result, ...] = ("pass", "fail", "skipped", "errored")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case, put by one source.

    Attributes:
        case: the case.
        source: what carried it.
        result: "pass", "fail", "skipped" or "errored".
        reason: why it was skipped or errored, or that the failure is known; else None.
        differences: what differs in a failure.
        expected, answered: the keys that were compared; empty where there was no answer.
        known: whether the failure is known, and does not count.
    """

    case: Case
    source: str
    result: Result
    reason: str | None = None
    differences: tuple[Difference, ...] = ()
    expected: Answer | None = None
    answered: Answer | None = None
    known: bool = False


def run_cases(
    cases: Iterable[Case],
    implementation: Implementation,
    *,
    scratch: Path | None = None,
    sources: Iterable[str] | None = None,
    s3: Elsewhere | None = None,
    progress: Callable[[Case], None] | None = None,
) -> Iterator[Outcome]:
    """Put each case to an implementation by each source that can carry it, one after another.

    Arguments:
        cases: the cases.
        implementation: what is judged.
        scratch: a folder for the files of the cases, one at a time; the system's by default.
        sources: use these alone; by default those that are paths on this machine.
        s3: the prefix below which the source s3 may write, and removes what it wrote.
        progress: called with each case after it has been put.

    Raises:
        LocationError: `s3` is no prefix of S3, or has options that make no sense.
        SourceUnavailable: what is needed to talk to S3 is not installed.
    """
    cases = tuple(cases)
    chosen = SOURCES if sources is None else frozenset(sources)
    with Places(cases, scratch, s3) as places:
        for case in cases:
            for source in _sources(case, implementation, chosen):
                yield _outcome(case, source, implementation, places)
            if progress is not None:
                progress(case)


def _sources(
    case: Case, implementation: Implementation, chosen: Collection[str]
) -> tuple[str, ...]:
    if case.kind == "page" and not implementation.takes_fields_for_pages:
        return (DIRECTORY,) if DIRECTORY in chosen else ()
    return sources_of(case, chosen)


def _outcome(case: Case, source: str, implementation: Implementation, places: Places) -> Outcome:
    reason = _reason_to_skip(case, implementation)
    if reason is not None:
        return Outcome(case, source, "skipped", reason)
    try:
        with places.made(case, source) as made:
            answered = implementation.answer(Task(case, source, made.place))
            if isinstance(made.place, Path) and case.edit is not None:
                # what it says of its work is one thing, what it has left is another
                answered = {**answered, **left_by_edit(made.place, case.limits)}
            elif made.has_changed():
                reason = "it changed what it was given to read, or left something beside it"
                return Outcome(case, source, "errored", reason)
    except (CannotCarry, Skip) as reason_given:
        return Outcome(case, source, "skipped", str(reason_given))
    except NoAnswer as error:
        return Outcome(case, source, "errored", str(error))
    except Exception as error:  # whatever fails there, the other cases are put
        return Outcome(case, source, "errored", f"{type(error).__name__}: {error}")
    if case.audit:
        answered = without_lists(answered)
    expected = expected_answer(case, source, implementation.profile, implementation.checked)
    keys = [key for key in expected if key in implementation.answers[case.kind]]
    found = differences(expected, answered, keys)
    asked = {key: expected[key] for key in keys}
    return Outcome(
        case,
        source,
        "fail" if found else "pass",
        differences=found,
        expected=asked,
        answered={key: answered.get(key) for key in keys} if found else {**asked},
    )


def _is_of_readers(id: str) -> bool:
    """Whether a requirement is about what programs do, so that it is never a finding."""
    return id.startswith("MF9")


def _reason_to_skip(case: Case, implementation: Implementation) -> str | None:
    keys = implementation.answers.get(case.kind, frozenset())
    if not keys:
        return f"{implementation.name} does not answer cases of kind {case.kind}"
    if not keys & expected_answer(case, "").keys():
        return f"{implementation.name} answers nothing that this case expects"
    if implementation.checked is not None and case.kind in ("field", "archive"):
        checked = implementation.checked
        unchecked = [i for i in case.requirements if i not in checked and not _is_of_readers(i)]
        if unchecked:
            return f"{implementation.name} does not check {', '.join(unchecked)}"
    return None

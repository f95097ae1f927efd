"""What a review of the content stops at, unless a person lets it pass (8xx)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoryfield_readers import Limits, memory_field
from memoryfield_readers.names import PAGE_SUFFIX
from memoryfield_spec import UnknownRequirement
from memoryfield_validator import REVIEW, Finding, matching, validate

from ..batch import ReplaceText
from .step import Step

_MOST_TOLD = 3
_STOPS = ("error", "warning")
_NEW_TEXT = "new-text.md"
_NO_TEXT = "MF202"


def allowed_ids(patterns: Iterable[str]) -> frozenset[str]:
    """The ids of rules of the review whose findings do not stand in the way.

    Arguments:
        patterns: ids or beginnings of ids, such as "MF803" or "MF8".

    Raises:
        UnknownRequirement: a pattern means no rule of the review.
    """
    given = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    ids: set[str] = set()
    for pattern in given:
        found = {id for id in matching([pattern]) if id.startswith(REVIEW)}
        if not found:
            raise UnknownRequirement(pattern, (f"{REVIEW}01", REVIEW))
        ids |= found
    return frozenset(ids)


def scan(steps: Sequence[Step], allowed: frozenset[str]) -> None:
    """Review the texts that a batch brings, before anything is locked or read.

    Of pages that are added or replaced it is the whole text, of replacements in a page the new
    text, as part of a body.

    Arguments:
        steps: the operations of the batch.
        allowed: the ids of rules that let everything pass.

    Raises:
        BatchRejected: the review stops at one.
    """
    waiting: dict[str, tuple[Step, bytes]] = {}
    for step in steps:
        text = _text_of(step)
        if text is None:
            continue
        name = step.operation.name or _NEW_TEXT
        if name in waiting:  # the review tells pages apart by their names
            _scan(waiting, allowed)
            waiting = {}
        waiting[name] = (step, text)
    _scan(waiting, allowed)


def _text_of(step: Step) -> bytes | None:
    operation = step.operation
    if isinstance(operation, ReplaceText):
        return b"\n" + operation.new.encode()  # which is no first line, and so no frontmatter
    is_page = (operation.name or "").endswith(PAGE_SUFFIX)
    return step.content if is_page else None


def _scan(waiting: dict[str, tuple[Step, bytes]], allowed: frozenset[str]) -> None:
    if not waiting:
        return
    findings = findings_in({name: text for name, (_, text) in waiting.items()}, (REVIEW,))
    stopping = [each for each in findings if stops(each, allowed)]
    if not stopping:
        return
    name = stopping[0].file or _NEW_TEXT
    step, text = waiting[name]
    no_text = findings_in({name: text}, (_NO_TEXT,))  # what a binary file holds says little
    stopping = [*no_text, *stopping]
    raise step.rejected(
        told([each for each in stopping if each.file == name]),
        entry=step.operation.name,
        hint=no_text[0].hint if no_text else allow_hint(stopping),
        rules=tuple(dict.fromkeys(each.rule for each in stopping)),
    )


def findings_in(pages: dict[str, bytes], select: Iterable[str]) -> tuple[Finding, ...]:
    """What rules find in pages that are in memory, each of which they look at alone.

    Arguments:
        pages: the bytes of each page, by its name.
        select: ids of rules, or beginnings of ids.
    """
    most = max(map(len, pages.values()), default=0) + 1
    limits = Limits(
        entries=len(pages) + 1, page_bytes=most, file_bytes=most, total_bytes=most * len(pages) + 1
    )
    with memory_field(pages, limits=limits) as field:
        report = validate(field, select=select, audit=True)
        if report.unread:  # it must not pass for pages without a fault
            raise report.unread[0]
        return report.findings


def stops(finding: Finding, allowed: frozenset[str]) -> bool:
    """Whether the review stops at a finding."""
    is_review = finding.rule.startswith(REVIEW)
    return is_review and finding.level in _STOPS and finding.rule not in allowed


def told(findings: Sequence[Finding]) -> str:
    """Findings in one line: the first of them, and how many more there are."""
    first = "; ".join(_one(finding) for finding in findings[:_MOST_TOLD])
    more = len(findings) - _MOST_TOLD
    return f"{first}; and {more} more" if more > 0 else first


def _one(finding: Finding) -> str:
    place = f" in line {finding.line}" if finding.line is not None else ""
    return f"{finding.rule}{place}: {finding.message}"


def allow_hint(findings: Iterable[Finding]) -> str:
    """What lets findings of the review pass."""
    rules = sorted({finding.rule for finding in findings})
    return "look at it; `" + " ".join(f"--allow {rule}" for rule in rules) + "` lets it pass"

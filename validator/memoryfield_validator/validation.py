"""From a field to a report: read everything once, let each rule look, never stop at a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal, TypeAlias

from memoryfield_readers import (
    Fault,
    Field,
    FrontmatterState,
    LimitExceeded,
    MemoryfieldError,
    Page,
    UnsafeArchive,
    is_lfs_pointer,
)
from memoryfield_spec import catalogue

from . import rules as _rules  # noqa: F401 - importing the rules registers them
from .finding import Finding, Report
from .registry import BoundPageChecks, RuleSet, rule_set
from .review import Review, Unreadable

Profile: TypeAlias = Literal["kit", "draft-0.1"]
Progress: TypeAlias = Callable[[str], None]

MOST_FINDINGS = 100
"""Findings of one rule in one page that are told one by one."""

_SAFE_FAULTS = frozenset({"MF609"})


def validate(
    field: Field,
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    profile: Profile = "kit",
    progress: Progress | None = None,
) -> Report:
    """Check a field against the standard.

    Arguments:
        field: the field, opened with `inspect_field` so that faults become findings.
        select: ids or beginnings of ids ("MF3") to check; None for all.
        ignore: ids or beginnings of ids not to check.
        profile: "kit" for this standard; "draft-0.1" to judge by the public draft alone: what this
            standard adds is then shown at level info.
        progress: called with the name of each page after it has been checked.

    Raises:
        UnknownRequirement: `select` or `ignore` matches no id of the catalogue.
    """
    chosen = rule_set(select=select, ignore=ignore)
    review = Review(field)
    findings: list[Finding] = []
    for name in field.pages:
        page = _read(name, review)
        if page is not None:
            _check_page(page, review, chosen, findings)
        if progress is not None:
            progress(name)
    _read_the_rest(review)
    review.look_into_folders()
    review.faults.extend(field.damaged())
    for rule, check in chosen.field:
        findings.extend(check(rule, review))
    if profile == "draft-0.1":
        findings = [_by_draft(finding) for finding in findings]
    findings.sort(key=Finding.order)
    digest, pages = _digest(review), len(field.pages)
    return Report(field.location, digest, pages, tuple(findings), review.unread())


def _read(name: str, review: Review) -> Page | None:
    try:
        return review.field.page(name)
    except MemoryfieldError as error:
        _note(name, error, review)
        return None


def _note(name: str, error: MemoryfieldError, review: Review) -> None:
    """Keep what went wrong with a file for the rules that report it."""
    if isinstance(error, UnsafeArchive):
        review.faults.extend(error.faults)
    elif isinstance(error, LimitExceeded):
        review.faults.append(Fault("MF607", error.message, name, error.hint))
    else:
        review.unreadable.append(Unreadable(name, error))


def _check_page(page: Page, review: Review, chosen: RuleSet, findings: list[Finding]) -> None:
    if is_lfs_pointer(page.raw):
        review.pointers.append(page.name)  # what stands there is not the page's content
        return
    _apply(chosen.page, page, review, findings)
    if page.frontmatter.state is FrontmatterState.PARSED:
        _apply(chosen.frontmatter, page, review, findings)


def _apply(checks: BoundPageChecks, page: Page, review: Review, findings: list[Finding]) -> None:
    for rule, check in checks:
        found = check(rule, page, review)
        for finding in found:
            findings.append(finding)
            findings.extend(_bounded(found, MOST_FINDINGS - 1))


def _bounded(found: Iterator[Finding], most: int) -> Iterator[Finding]:
    """At most so many findings; the last says how many there are besides.

    A page of a megabyte could else fill the memory with findings of one rule.
    """
    yield from islice(found, most - 1)
    for last in found:
        more = sum(1 for _ in found)
        yield replace(last, message=f"{last.message} (and {more} more)") if more else last


def _read_the_rest(review: Review) -> None:
    """Read the attachments and indexes too, so that nothing goes unread unnoticed."""
    for name in (*review.field.attachments, *review.field.indexes):
        try:
            review.field.sha256(name)
        except MemoryfieldError as error:
            _note(name, error, review)


def _digest(review: Review) -> str | None:
    """The field pin; None where not all of the field could be proved."""
    if review.unreadable or any(_leaves_no_pin(fault, review) for fault in review.faults):
        return None
    try:
        return review.field.digest()
    except MemoryfieldError:
        return None  # its cause is among the findings


def _leaves_no_pin(fault: Fault, review: Review) -> bool:
    """Whether a field with such a fault has no pin; one with a page beyond the limit still has."""
    is_large_page = fault.rule == "MF607" and fault.entry in review.field.pages
    return fault.rule not in _SAFE_FAULTS and not is_large_page


def _by_draft(finding: Finding) -> Finding:
    if catalogue()[finding.rule].origin == "draft-0.1":
        return finding
    return replace(finding, level="info")

"""From a field to a report: read everything once, let each rule look, never stop at a fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal, TypeAlias

from memoryfield_readers import (
    HARMLESS_FAULTS,
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
from .content_review.concealing import Concealing
from .finding import Finding, Report
from .registry import REVIEW, RuleSet, rule_set
from .review import Review, Unreadable

Profile: TypeAlias = Literal["kit", "draft-0.1"]
Progress: TypeAlias = Callable[[str], None]

MOST_FINDINGS = 100
"""Findings of one rule in one page that are told one by one."""

_BATCH_PAGES = 64
_BATCH_BYTES = 1024 * 1024

MOST_IN_FIELD = 20_000
"""Findings of one rule in one field that are told one by one: more than there can be pages."""


def validate(
    field: Field,
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    audit: bool = False,
    profile: Profile = "kit",
    progress: Progress | None = None,
) -> Report:
    """Check a field against the standard.

    Arguments:
        field: the field, opened with `inspect_field` so that faults become findings.
        select: ids or beginnings of ids ("MF3") to check; None for all.
        ignore: ids or beginnings of ids not to check.
        audit: whether to review the content too (8xx).
        profile: "kit" for this standard; "draft-0.1" to judge by the public draft alone: what this
            standard adds is then shown at level info.
        progress: called with the name of each page after it has been read.

    Raises:
        UnknownRequirement: `select` or `ignore` matches no id of the catalogue.
        SourceUnavailable: the field is elsewhere, and gives nothing any more.
    """
    chosen = rule_set(select=select, ignore=ignore, audit=audit)
    counting = chosen.ids if profile == "kit" else frozenset(filter(_is_of_draft, chosen.ids))
    review = Review(field, counting)
    findings = _Findings()
    is_review = any(id.startswith(REVIEW) for id in chosen.ids)
    concealing = Concealing()
    review.look_into_folders()
    if not _is_beyond_limits(review):
        _fetch(review)
    if not _is_beyond_limits(review):
        for pages in _in_batches(review, progress):
            _check_pages(pages, review, chosen, findings)
            if is_review:
                concealing.look_into(pages)
        _read_the_rest(review)
    review.faults.extend(field.damaged())
    for rule, check in chosen.field:
        for first in (found := check(rule, review)):
            findings.add(first, found, MOST_IN_FIELD)
    told = findings.all()
    if profile == "draft-0.1":
        told = [_by_draft(finding) for finding in told]
    told.sort(key=Finding.order)
    if is_review:
        told = list(concealing.applied(told))
    count = len(field.pages)
    return Report(field.location, _digest(review), count, tuple(told), review.unread())


class _Findings:
    """Findings as they come, within bounds: a hostile field could else fill the memory."""

    def __init__(self) -> None:
        self._kept: list[Finding] = []
        self._counts: Counter[str] = Counter()

    def add(self, first: Finding, found: Iterator[Finding], most: int) -> None:
        """Keep findings of one rule; beyond `most` of them the last says how many there are."""
        self._keep(first)
        for finding in islice(found, most - 2):
            self._keep(finding)
        for last in found:
            more = sum(1 for _ in found)
            note = f" (and {more} more)" if more else ""
            self._keep(replace(last, message=last.message + note))

    def all(self) -> list[Finding]:
        """What was kept, and a finding for what was not."""
        left_out = (
            replace(
                next(kept for kept in self._kept if kept.rule == rule),
                file=None, line=None, column=None, fixable=False,
                message=f"there are {count - MOST_IN_FIELD} more findings of this rule",
            )
            for rule, count in self._counts.items()
            if count > MOST_IN_FIELD
        )  # fmt: skip
        return [*self._kept, *left_out]

    def _keep(self, finding: Finding) -> None:
        self._counts[finding.rule] += 1
        if self._counts[finding.rule] <= MOST_IN_FIELD:
            self._kept.append(finding)


def _is_beyond_limits(review: Review) -> bool:
    """Whether the field as a whole is too large to read; that is told, and nothing is read."""
    return any(fault.rule == "MF607" and fault.entry is None for fault in review.faults)


def _fetch(review: Review) -> None:
    """Bring a field near that is elsewhere; that it is too large may be known only then."""
    try:
        review.field.prepare_all()
    except LimitExceeded as error:
        review.faults.append(Fault("MF607", error.message, error.entry, error.hint))


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
        review.faults.append(Fault("MF607", error.message, error.entry, error.hint))
    else:
        review.unreadable.append(Unreadable(name, error))


def _in_batches(review: Review, progress: Progress | None) -> Iterator[list[Page]]:
    """The pages that can be read, some at a time: a rule is quicker on many pages in a row."""
    batch: list[Page] = []
    size = 0
    for name in review.field.pages:
        page = _read(name, review)
        if progress is not None:
            progress(name)
        if page is None:
            continue
        batch.append(page)
        size += len(page.raw)
        if len(batch) == _BATCH_PAGES or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def _check_pages(pages: list[Page], review: Review, chosen: RuleSet, findings: _Findings) -> None:
    # What stands in an LFS pointer is not the page's content, and only the review looks at it: all
    # that is known of a pointer is how it begins, and a model reads the rest of it, too.
    everything = pages
    pointers = [page.name for page in pages if is_lfs_pointer(page.raw)]
    if pointers:
        review.pointers += pointers
        pages = [page for page in pages if page.name not in pointers]
    parsed = [page for page in pages if page.frontmatter.state is FrontmatterState.PARSED]
    unparsed = [page for page in pages if page.frontmatter.state is not FrontmatterState.PARSED]
    review.forget_type_problems()
    for checks, subjects, reviewed in (
        (chosen.page, pages, everything),
        (chosen.frontmatter, parsed, parsed),
        (chosen.no_frontmatter, unparsed, unparsed),
    ):
        for rule, check in checks:
            for page in reviewed if rule.id.startswith(REVIEW) else subjects:
                for first in (found := check(rule, page, review)):
                    findings.add(first, found, MOST_FINDINGS)


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
    return fault.rule not in HARMLESS_FAULTS and not is_large_page


def _by_draft(finding: Finding) -> Finding:
    return finding if _is_of_draft(finding.rule) else replace(finding, level="info")


def _is_of_draft(id: str) -> bool:
    return catalogue()[id].origin == "draft-0.1"

"""What a review of the content finds in a page that it did not find in the page as it was."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryfield_readers import Field, FrontmatterState, Page

from ..content_review.concealing import Concealing
from ..finding import Finding
from ..registry import REVIEW, rule_set
from ..review import Review
from ..unified import LineChange

MOST_OF_RULE = 100
"""New findings of one rule in one page that are told one by one."""

_MOST_WORD = 256
_WORD = re.compile(rf"<[^>]{{0,{_MOST_WORD}}}>?|\S{{1,{_MOST_WORD}}}")


class ContentReview:
    """The rules of the content review, which need no more of a field than the page at hand."""

    def __init__(self, field: Field) -> None:
        """Be ready to review pages of a field."""
        self._rules = rule_set(select=(REVIEW,), audit=True)
        self._review = Review(field, self._rules.ids)

    def new_findings(
        self, before: Page | None, after: Page, changes: Sequence[LineChange]
    ) -> list[Finding]:
        """The findings in a page that the page as it was had not.

        A finding is the same one if rule and message are, and the word or the tag that it begins
        with: not all that it is about stands in a message. Its line may be another one. Of several
        that are alike, those in lines that did not change are taken for those that were there.

        Arguments:
            before: the page as it was; None for a page that is new.
            after: the page as it is.
            changes: which of its lines differ.
        """
        known = Counter(key for key, _ in self._found(before)) if before is not None else Counter()
        kept = _Kept()
        changed = _Lines(changes)
        # A page can be full of findings: it is gone through twice, so that none need be kept.
        for in_changed in (False, True) if known else (None,):
            for key, finding in self._found(after):
                is_asked = in_changed in (None, finding.line in changed)
                if is_asked and not _taken(key, known):
                    kept.add(finding)
        concealing = Concealing()
        concealing.look_into([after])
        return list(concealing.applied(kept.all()))

    def _found(self, page: Page) -> Iterator[tuple[int, Finding]]:
        """All findings in a page; in what looks like a Git LFS pointer, too: it may be text."""
        rules = self._rules
        is_parsed = page.frontmatter.state is FrontmatterState.PARSED
        of_state = rules.frontmatter if is_parsed else rules.no_frontmatter
        starts = [0, *(match.end() for match in re.finditer("\n", page.text))]
        for rule, check in (*rules.page, *of_state):
            for finding in check(rule, page, self._review):
                word = _word(page.text, starts, finding)
                yield hash((finding.rule, finding.message, word)), finding


def _taken(key: int, known: Counter[int]) -> bool:
    """Whether a finding is one of the known ones, each of which counts once."""
    if known[key] <= 0:
        return False
    known[key] -= 1
    return True


def _word(text: str, starts: Sequence[int], finding: Finding) -> str:
    """The word or the tag that a finding begins with, or as much of it as matters."""
    if finding.line is None or finding.column is None or finding.line > len(starts):
        return ""
    word = _WORD.match(text, starts[finding.line - 1] + finding.column - 1)
    return word[0] if word else ""


class _Lines:
    """The numbers of lines that came."""

    def __init__(self, changes: Sequence[LineChange]) -> None:
        self._changes = changes
        self._ends = [change.new_end for change in changes]

    def __contains__(self, line: int | None) -> bool:
        at = bisect_left(self._ends, line or 0)
        return at < len(self._ends) and self._changes[at].new_start < (line or 0)


class _Kept:
    """Findings in one page, as many of each rule as are told."""

    def __init__(self) -> None:
        self._of_rule: dict[str, list[Finding]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, finding: Finding) -> None:
        """Count a finding, and keep it if there are not too many of its rule."""
        self._counts[finding.rule] += 1
        if self._counts[finding.rule] <= MOST_OF_RULE:
            self._of_rule.setdefault(finding.rule, []).append(finding)

    def all(self) -> list[Finding]:
        """What was kept, in order; of a rule that has more the last says how many."""
        told: list[Finding] = []
        for rule, findings in self._of_rule.items():
            findings.sort(key=Finding.order)
            told += findings
            more = self._counts[rule] - MOST_OF_RULE
            if more > 0:
                told[-1] = replace(told[-1], message=f"{told[-1].message} (and {more} more)")
        return sorted(told, key=Finding.order)

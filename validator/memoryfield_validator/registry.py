"""Where rules are registered: one id, one requirement, one check for each kind of thing it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, TypeVar

from memoryfield_readers import Page, Position, visible
from memoryfield_spec import Level, UnknownRequirement, catalogue, requirement

from .finding import Finding
from .review import Review

Findings: TypeAlias = Iterator[Finding]
FieldCheck: TypeAlias = "Callable[[Rule, Review], Findings]"
PageCheck: TypeAlias = "Callable[[Rule, Page, Review], Findings]"
Check = TypeVar("Check", FieldCheck, PageCheck)
BoundFieldChecks: TypeAlias = "tuple[tuple[Rule, FieldCheck], ...]"
BoundPageChecks: TypeAlias = "tuple[tuple[Rule, PageCheck], ...]"

_MOST_MESSAGE = 1000
"""Characters of a message or a hint."""

_FIELD_CHECKS: list[tuple[str, FieldCheck]] = []
_PAGE_CHECKS: list[tuple[str, PageCheck]] = []
_FRONTMATTER_CHECKS: list[tuple[str, PageCheck]] = []
_NO_FRONTMATTER_CHECKS: list[tuple[str, PageCheck]] = []


@dataclass(frozen=True, slots=True)
class Rule:
    """What a check needs to know of its requirement to write a finding.

    Attributes:
        id: the id of the requirement.
        level: the level of its findings.
        hint: what to do about a finding, unless the check knows better.
    """

    id: str
    level: Level
    hint: str

    def finding(
        self,
        file: str | None,
        message: str,
        *,
        at: Position | None = None,
        hint: str | None = None,
        fixable: bool = False,
        level: Level | None = None,
    ) -> Finding:
        """A finding of this rule; `level` is given only where it is milder than the rule's."""
        line, column = at or (None, None)
        return Finding(
            self.id,
            level or self.level,
            file,
            line,
            column,
            _one_line(message),
            _one_line(hint or self.hint),
            fixable,
        )


def _one_line(text: str) -> str:
    """A message as one line of bounded length, whatever it quotes from a page."""
    line = visible(text)
    return line if len(line) <= _MOST_MESSAGE else f"{line[: _MOST_MESSAGE - 1]}…"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one validation, each bound to its checks.

    Attributes:
        ids: the ids of these rules.
        field: checks that see the whole field, after all pages have been read.
        page: checks that see each page.
        frontmatter: checks that see each page whose frontmatter is parsed.
        no_frontmatter: checks that see each page whose frontmatter is absent or broken.
    """

    ids: frozenset[str]
    field: BoundFieldChecks
    page: BoundPageChecks
    frontmatter: BoundPageChecks
    no_frontmatter: BoundPageChecks


class NotChecked(UnknownRequirement):
    """The requirements that were selected have no rule, so that nothing would be checked."""

    def __str__(self) -> str:
        if begins(self.id.upper(), SERVED):
            return (
                f"{self.id} selects no requirement on fields:"
                " `memoryfield check-server` checks those on servers"
            )
        return f"{self.id} selects no requirement that this version checks"


def _registrar(checks: list[tuple[str, Check]]) -> Callable[[str], Callable[[Check], Check]]:
    """A decorator that takes the id of a requirement and registers a check under it."""

    def under(id: str) -> Callable[[Check], Check]:
        def register(check: Check) -> Check:
            checks.append((id, check))
            return check

        return register

    return under


field_rule = _registrar(_FIELD_CHECKS)
"""Registers a check that sees the field after all pages have been read."""

page_rule = _registrar(_PAGE_CHECKS)
"""Registers a check that sees each page."""

frontmatter_rule = _registrar(_FRONTMATTER_CHECKS)
"""Registers a check that sees each page whose frontmatter is parsed."""

no_frontmatter_rule = _registrar(_NO_FRONTMATTER_CHECKS)
"""Registers a check that sees each page whose frontmatter is absent or broken."""


def registered() -> frozenset[str]:
    """The ids that have a check."""
    all_checks = (_FIELD_CHECKS, _PAGE_CHECKS, _FRONTMATTER_CHECKS, _NO_FRONTMATTER_CHECKS)
    return frozenset(id for checks in all_checks for id, _ in checks)


def begins(id: str, pattern: str) -> bool:
    """Whether an id is the one that is meant by a pattern, or begins with it, in any case."""
    return bool(pattern) and id.startswith(pattern.upper())


def matching(patterns: Iterable[str]) -> frozenset[str]:
    """The ids of the catalogue that begin with one of the patterns, such as "MF304" or "MF3".

    Raises:
        UnknownRequirement: a pattern matches no id.
    """
    ids: set[str] = set()
    for pattern in patterns:
        found = [id for id in catalogue() if begins(id, pattern)]
        if not found:
            requirement(pattern)  # raises, with the nearest ids
            raise UnknownRequirement(pattern)
        ids.update(found)
    return frozenset(ids)


SERVED = "MF7"
"""What the ids of the requirements on servers begin with: checked on a live one alone."""

REVIEW = "MF8"
"""What the ids of the content review begin with: checked only when a review is asked for."""


def _selected(patterns: Iterable[str], *, audit: bool) -> frozenset[str]:
    """The registered ids that patterns select; a review is asked for by naming it, too."""
    ids: set[str] = set()
    for pattern in patterns:
        found = matching([pattern]) & registered()
        if not found:
            raise NotChecked(pattern)
        asks_for_review = audit or begins(pattern.upper(), REVIEW)
        ids |= found if asks_for_review else _without_review(found)
    return frozenset(ids)


def _without_review(ids: frozenset[str]) -> frozenset[str]:
    return frozenset(id for id in ids if not id.startswith(REVIEW))


def rule_set(
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    audit: bool = False,
) -> RuleSet:
    """The rules to run: all registered ones, or those selected, without those ignored.

    Arguments:
        select: ids or beginnings of ids; None for all.
        ignore: ids or beginnings of ids.
        audit: whether the rules of the content review (8xx) are among them; they also are where
            `select` names them.

    Raises:
        UnknownRequirement: a pattern matches no id.
        NotChecked: a pattern selects nothing that has a rule.
    """
    chosen = None if select is None else tuple(select)
    return _rule_set(chosen, tuple(ignore or ()), audit)


@lru_cache(maxsize=32)
def _rule_set(
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...],
    audit: bool,
) -> RuleSet:
    """The same for every field that is checked in one way: of a thousand each asks anew."""
    if select is not None:
        ids = _selected(select, audit=audit)
    else:
        ids = registered() if audit else _without_review(registered())
    ids -= matching(ignore)
    rules = {
        id: Rule(id, requirement.level, requirement.hint)
        for id, requirement in catalogue().items()
        if id in ids
    }
    page, frontmatter, no_frontmatter = (
        tuple((rules[id], check) for id, check in checks if id in ids)
        for checks in (_PAGE_CHECKS, _FRONTMATTER_CHECKS, _NO_FRONTMATTER_CHECKS)
    )
    return RuleSet(
        ids,
        tuple((rules[id], check) for id, check in _FIELD_CHECKS if id in ids),
        page,
        frontmatter,
        no_frontmatter,
    )

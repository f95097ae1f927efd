"""Edited pages checked before and after: what an edit breaks is rejected, what it finds is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from memoryfield_readers import BatchRejected
from memoryfield_validator import Finding, rule_set

from .looking_around import links_found, listing_found
from .net_effect import Effect
from .reviewing import allow_hint, findings_in, stops, told
from .virtual_field import Key, VirtualField

_OF_FIELD = frozenset({"MF209", "MF307", "MF401", "MF402"})
"""Rules that see pages one by one, and judge them by what else there is in the field."""

_OF_CONTENT = "MF108"
"""A rule that sees the field as a whole, and judges each page by its content alone."""


@cache
def page_rules() -> tuple[str, ...]:
    """The ids of the rules that judge a page by its content alone."""
    rules = rule_set(audit=True)
    checks = (*rules.page, *rules.frontmatter, *rules.no_frontmatter)
    ids = {rule.id for rule, _ in checks} - _OF_FIELD
    return tuple(sorted({*ids, _OF_CONTENT}))


def judge(
    effects: Sequence[Effect], virtual: VirtualField, allowed: frozenset[str]
) -> tuple[Finding, ...]:
    """What the standard says of edited pages that it did not say of them before.

    A finding is new if its rule has more findings of its level in the page than before. Faults that
    were there never stand in the way of an edit.

    Arguments:
        effects: what is another one than before.
        virtual: the field after all operations.
        allowed: the ids of rules of the review that let everything pass.

    Returns:
        The new findings that do not stand in the way.

    Raises:
        BatchRejected: one is an error, or one at which the review stops.
        MemoryfieldError: a page as it was cannot be read.
    """
    after: dict[str, bytes] = {}
    before: dict[str, bytes] = {}
    done: set[Key] = set()
    for effect in effects:
        name, was, key = effect.page, effect.page_before, effect.key
        if name is None or key is None or key in done:
            continue
        done.add(key)
        after[name] = virtual.content(name)
        if was is not None:
            before[name] = virtual.field.content(was)
    found = findings_in(after, page_rules()) if after else ()
    known = findings_in(before, page_rules()) if before and found else ()
    new = [*_new(found, known), *_new(*links_found(after, before, virtual))]
    new += _new(*listing_found(effects, virtual))
    new.sort(key=Finding.order)
    barred = [each for each in new if _is_barred(each, allowed)]
    if barred:
        raise _rejected(barred, virtual.field.location)
    return tuple(new)


def _is_barred(finding: Finding, allowed: frozenset[str]) -> bool:
    if stops(finding, allowed):
        return True
    return finding.level == "error" and finding.rule not in allowed


def _rejected(barred: Sequence[Finding], location: str) -> BatchRejected:
    files = {finding.file for finding in barred}
    first = barred[0].file
    of_first = [finding for finding in barred if finding.file == first]
    others = len(files) - 1
    more = f"; and {others} more page{'s' if others > 1 else ''}" if others else ""
    is_review = [finding for finding in barred if stops(finding, frozenset())]
    hint = allow_hint(is_review) if len(is_review) == len(barred) else of_first[0].hint
    return BatchRejected(
        told(of_first) + more,
        location=location,
        entry=first,
        hint=hint,
        rules=tuple(dict.fromkeys(finding.rule for finding in barred)),
    )


def _new(found: Iterable[Finding], known: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of rules that have more of them than before; first those that say other things.

    How many more there are is how many are new: which of several alike it is, nobody can tell.
    """
    before = list(known)
    counts = Counter((each.file, each.rule, each.level) for each in before)
    messages = Counter((each.file, each.rule, each.message) for each in before)
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.file, finding.rule, finding.level), []).append(finding)
    for key, group in groups.items():
        more = len(group) - counts[key]  # type: ignore[index]
        if more <= 0:
            continue
        strange: list[Finding] = []
        same: list[Finding] = []
        for finding in group:
            said = (finding.file, finding.rule, finding.message)
            (same if messages[said] > 0 else strange).append(finding)
            messages[said] -= 1
        yield from [*strange, *reversed(same)][:more]

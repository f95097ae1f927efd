"""What is told of an edit by what else is in the field: links and the listing (MF209, MF402).

None of it stands in the way. Only the pages at hand are looked at: that a link in a page which was
not edited leads nowhere now, only a check of the whole field would tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from memoryfield_readers import (
    Entry,
    EntryKind,
    Field,
    Limits,
    Page,
    is_side_file,
    memory_field,
)
from memoryfield_readers.names import PAGE_SUFFIX
from memoryfield_validator import Finding, rule_set
from memoryfield_validator.content_review.concealing import Concealing
from memoryfield_validator.review import Review

from .net_effect import Effect
from .virtual_field import VirtualField

_LINKS = "MF209"
_LISTING_RULE = "MF402"
_LISTING = "listing.md"
_MOST_OF_RULE = 100


def links_found(
    after: Mapping[str, bytes], before: Mapping[str, bytes], virtual: VirtualField
) -> tuple[list[Finding], list[Finding]]:
    """The links in edited pages that lead to no file of the field, now and before (MF209).

    Arguments:
        after: the bytes of the edited pages, by their names now.
        before: those of them that were pages before, as they were, by their names now.
        virtual: the field after all operations.
    """
    if not after:
        return [], []
    review = Review(virtual.field, frozenset({_LINKS}))
    names = review.names, review.plain_names
    review.names = frozenset(name for name in virtual if not is_side_file(name))
    review.plain_names &= review.names
    found = _found(_LINKS, after, review)
    review.names, review.plain_names = names
    return found, _found(_LINKS, before, review) if found else []


def listing_found(
    effects: Sequence[Effect], virtual: VirtualField
) -> tuple[list[Finding], list[Finding]]:
    """What is wrong with the listing, now and before, where an edit may be why (MF402).

    Arguments:
        effects: what is another one than before.
        virtual: the field after all operations.
    """
    if _LISTING not in virtual or not any(_concerns_listing(effect) for effect in effects):
        return [], []
    names = dict.fromkeys(virtual, b"")
    limits = Limits(entries=len(names) + 1)
    with memory_field(names, limits=limits) as after:
        found = _listing(virtual.content(_LISTING), after)
    if not found or _LISTING not in virtual.field.entries:
        return found, []
    return found, _listing(virtual.field.content(_LISTING), virtual.field)


def _concerns_listing(effect: Effect) -> bool:
    change = effect.change
    names = (change.name, change.was or "")
    comes_or_goes = change.kind != "changed" and any(name.endswith(PAGE_SUFFIX) for name in names)
    return comes_or_goes or _LISTING in names


def _listing(raw: bytes, field: Field) -> list[Finding]:
    return _found(_LISTING_RULE, {_LISTING: raw}, Review(field, frozenset({_LISTING_RULE})))


def _found(rule: str, pages: Mapping[str, bytes], review: Review) -> list[Finding]:
    concealing = Concealing()
    found: list[Finding] = []
    for page in _parsed(pages):
        concealing.look_into([page])
        for bound, check in rule_set(select=(rule,)).page:
            found += islice(check(bound, page, review), _MOST_OF_RULE)
    return list(concealing.applied(sorted(found, key=Finding.order)))


def _parsed(pages: Mapping[str, bytes]) -> Iterable[Page]:
    for name, raw in pages.items():
        yield Page(name, raw, Entry(name, EntryKind.FILE, len(raw)))

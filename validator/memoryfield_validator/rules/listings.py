"""4xx: index.md and listing.md."""

from __future__ import annotations

from memoryfield_readers import Page, shown
from memoryfield_readers.markdown.mentions import mentioned_pages

from ..fixes.listing import NOT_LISTED, plan_listing
from ..registry import Findings, Rule, page_rule
from ..review import Review

INDEX = "index.md"
LISTING = "listing.md"
_CATALOGUE_FROM = 10
_NAMED_IN_MESSAGE = 5


@page_rule("MF401")
def index_is_no_catalogue(rule: Rule, page: Page, review: Review) -> Findings:
    """`index.md` does not name ten or more pages and at least half of the field."""
    if page.name != INDEX:
        return
    pages = set(review.field.pages)
    named = {
        name: at
        for name, at in mentioned_pages(page, review.names).items()
        if name in pages - {INDEX}
    }
    if len(named) >= _CATALOGUE_FROM and len(named) * 2 >= len(pages):
        yield rule.finding(
            page.name,
            f"names {len(named)} of the field's {len(pages)} pages: a catalogue",
            at=page.position(min(named.values())),
        )


@page_rule("MF402")
def listing_is_complete(rule: Rule, page: Page, review: Review) -> Findings:
    """`listing.md` names every page, and no page that is not there."""
    if page.name != LISTING:
        return
    named = mentioned_pages(page, review.names)
    missing = [name for name in review.field.pages if name not in named and name not in NOT_LISTED]
    gone = [name for name in named if name not in review.names]
    if not missing and not gone:
        return
    plan = plan_listing(page, named.keys(), review.names, review.field.pages)
    if missing:
        shown_names = ", ".join(map(shown, missing[:_NAMED_IN_MESSAGE]))
        more = len(missing) - _NAMED_IN_MESSAGE
        rest = f" and {more} more" if more > 0 else ""
        yield rule.finding(page.name, f"does not name {shown_names}{rest}", fixable=plan.adds)
    for name in gone:
        yield rule.finding(
            page.name,
            f"names {shown(name)}, which is not there",
            at=page.position(named[name]),
            fixable=name in plan.gone,
        )

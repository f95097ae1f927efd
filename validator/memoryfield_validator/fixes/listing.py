"""`listing.md` made complete and true, line by line (MF402).

Lines go that only name a page which is not there; pages that are missing get a line of their own,
after the last entry and in its style. All else is kept. What is planned is tried: the plan counts
only if the page then names what it should.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

from memoryfield_readers import DEFAULT_LIMITS, Page, is_page_name, name_key
from memoryfield_readers.markdown.mentions import mentioned_pages

from ..naming import conforming_name
from .listing_lines import ListingLine, entries, whole_entries
from .splices import Splice, changed_page, line_end, spliced
from .titles import title_from_name

NOT_LISTED = frozenset({"index.md", "listing.md"})
"""Pages that a listing may leave out."""

Titles: TypeAlias = Callable[[str], str]

_SAFE_LABEL = re.compile(r"[^\W_](?:[\w ,;.:?+()/'-]*[\w?)])?")
"""Titles that mean nothing in Markdown but themselves."""

_MOST_TRIES = 5
"""How often names are left out that stand elsewhere too, and what depends on their lines."""

_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class ListingPlan:
    """What is right to do to a listing.

    Attributes:
        raw: its bytes afterwards.
        gone: names of pages that are not there, whose lines go.
        adds: whether all pages that are missing get a line.
    """

    raw: bytes
    gone: Set[str]
    adds: bool


def plan_listing(
    page: Page,
    named: Set[str],
    names: Set[str],
    pages: Iterable[str],
    title: Titles = title_from_name,
) -> ListingPlan:
    """What to do to a listing that leaves pages out, or names some that are not there.

    Arguments:
        page: the listing.
        named: the pages it names, as `mentioned_pages` has them.
        names: the files of the field.
        pages: the pages of the field.
        title: the title of a page by its name.
    """
    if page.undecodable_at is not None:
        return ListingPlan(page.raw, frozenset(), adds=False)
    found = list(entries(page.body))
    kept, gone = _without_gone(page, found, named, names)
    missing = set(pages) - NOT_LISTED - named
    if missing:
        if gone:
            found = list(entries(kept.body))
        added = sorted(missing, key=name_key)
        models = [entry for entry in found if entry.name in names]
        longer = _with_missing(kept, added, models, title)
        if longer is not None and mentioned_pages(longer, names).keys() == (named - gone) | missing:
            return ListingPlan(longer.raw, gone, adds=True)
    return ListingPlan(kept.raw, gone, adds=False)


def _without_gone(
    page: Page, found: Iterable[ListingLine], named: Set[str], names: Set[str]
) -> tuple[Page, Set[str]]:
    """The listing without the lines of pages that are not there, and which ones these are.

    Where a name would still stand somewhere else, all its lines are kept.
    """
    lines = page.body.split("\n")
    found = [entry for entry in found if entry.name not in names]
    gone = {entry.name for entry in found} & named
    for _ in range(_MOST_TRIES):
        whole = whole_entries((entry for entry in found if entry.name in gone), lines)
        gone = {entry.name for entry in whole}
        if not gone:
            break
        shorter = _without_lines(page, {entry.number for entry in whole}, lines)
        still = mentioned_pages(shorter, names).keys()
        if still == named - gone:
            return shorter, gone
        gone -= still
    return page, frozenset()


def _without_lines(page: Page, numbers: Set[int], lines: list[str]) -> Page:
    at = page.frontmatter.body_offset
    splices = []
    for number, line in enumerate(lines):
        end = min(at + len(line) + 1, len(page.text))
        if number in numbers:
            splices.append(Splice(at, end, ""))
        at = end
    return changed_page(page, spliced(page.raw, splices))


def _with_missing(
    page: Page, missing: list[str], models: Iterable[ListingLine], title: Titles
) -> Page | None:
    """The listing with a line for each missing page, or None if it would grow too large."""
    model, before = _last_two(models)
    added = _lines(missing, model, before, title)
    lines = page.body.split("\n")
    ending = line_end(page.text)
    if model is not None and model.ends < len(lines):
        ends = page.frontmatter.body_offset + sum(len(line) + 1 for line in lines[: model.ends])
        splice = Splice(ends, ends, "".join(line + ending for line in added))
    else:
        splice = _at_end(page.text, added, ending, needs_gap=model is None and bool(page.body))
    longer = changed_page(page, spliced(page.raw, [splice]))
    return longer if len(longer.raw) <= DEFAULT_LIMITS.page_bytes else None


def _at_end(text: str, added: list[str], ending: str, *, needs_gap: bool) -> Splice:
    """The splice that adds lines after the last one; whether that has a line end stays as it is."""
    end = len(text)
    block = ending.join(added)
    if text.endswith("\n") or not text:
        gap = ending if needs_gap and not text.endswith(("\n\n", "\n\r\n")) else ""
        return Splice(end, end, gap + block + ending)
    return Splice(end, end, ending * (2 if needs_gap else 1) + block)


def _last_two(models: Iterable[ListingLine]) -> tuple[ListingLine | None, ListingLine | None]:
    """The last entry of a page that is there, whose style is taken over, and the one before it."""
    before = last = None
    for entry in models:
        if last is None or not _is_nested(entry, last):
            before, last = last, entry
    return last, before


def _is_nested(entry: ListingLine, outer: ListingLine) -> bool:
    return entry.number < outer.ends


def _lines(
    missing: list[str], model: ListingLine | None, before: ListingLine | None, title: Titles
) -> list[str]:
    """A line for each missing page, in the style of an entry."""
    if model is None:
        return [f"- {_link(name, title)}" for name in missing]
    number = _NUMBER.match(model.marker)
    step = 0 if before is not None and before.marker == model.marker else 1
    made = []
    for count, name in enumerate(missing, start=1):
        marker = model.marker
        if number:
            marker = f"{int(number[0]) + count * step}{marker[number.end() :]}"
        made.append(model.indent + marker + _mention(name, model, title))
    return made


def _mention(name: str, model: ListingLine, title: Titles) -> str:
    in_table = model.wrap.startswith("|")
    wrap = model.wrap.lstrip("| \t")
    if model.label is not None or not is_page_name(name):
        folder = "./" if model.target.startswith("./") else ""
        mark = "`" if (model.label or "").startswith("`") else ""
        own_name = model.label is not None and ".md" in model.label
        label = f"{mark}{name}{mark}" if own_name and is_page_name(name) else None
        mention = _link(name, title, label, folder)
    else:
        mention = wrap + name + wrap[::-1].replace("<", ">")
    return f"| {mention} |" if in_table else mention


def _link(name: str, title: Titles, label: str | None = None, folder: str = "") -> str:
    if label is None:
        label = title(name)
        if not _SAFE_LABEL.fullmatch(label) or ".md" in label or "://" in label:
            label = title_from_name(conforming_name(name))
    return f"[{label}]({folder}{quote(name, errors='surrogateescape')})"

"""One page and what was found in it, to the bytes of the page without the findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, TypeAlias

from memoryfield_readers import FrontmatterState, Page

from ..field_types import defined_fields
from ..finding import Finding
from .broken_block import block_splices
from .missing_fields import WANTED, Born, NewUuid, absence, block_with_fields, field_splices
from .quoting import quoting_splices
from .splices import UTF8_BOM, changed_page, spliced


class Sources(NamedTuple):
    """Where values come from that a page does not hold.

    Attributes:
        born: when the file of a page was made, by its name; None where that is not known.
        new_uuid: a UUID that no page has; None where the page at hand can have none (MF307).
    """

    born: Born
    new_uuid: NewUuid | None


Found: TypeAlias = Collection[Finding]
Step: TypeAlias = Callable[[Page, Found, Sources], bytes]


def fixed_page(page: Page, findings: Found, sources: Sources) -> tuple[Page, list[Finding]]:
    """A page after mending, and the findings that are fixed, in the order of the steps.

    A step that would change what the page says in a field it is not about is left out.
    """
    done: list[Finding] = []
    for rules, step in _STEPS:
        found = [finding for finding in findings if finding.rule in rules]
        if not found:
            continue
        raw = step(page, found, sources)
        after = changed_page(page, raw)
        if raw != page.raw and _keeps_fields(page, after, found):
            page = after
            done += found
    return page, done


def _without_marks(page: Page, found: Found, sources: Sources) -> bytes:
    """The page without a byte-order mark at its beginning, or several (MF207)."""
    raw = page.raw
    start = 0
    while raw.startswith(UTF8_BOM, start):
        start += len(UTF8_BOM)
    return raw[start:]


def _with_block_quoted(page: Page, found: Found, sources: Sources) -> bytes:
    return spliced(page.raw, block_splices(page))


def _with_block(page: Page, found: Found, sources: Sources) -> bytes:
    return spliced(page.raw, block_with_fields(page, *sources))


def _quoted(page: Page, found: Found, sources: Sources) -> bytes:
    return spliced(page.raw, quoting_splices(page, _fields_at(page, found)))


def _with_fields(page: Page, found: Found, sources: Sources) -> bytes:
    messages = {finding.message for finding in found}
    names = [name for name in WANTED if absence(name) in messages]
    return spliced(page.raw, field_splices(page, names, *sources))


_STEPS: tuple[tuple[frozenset[str], Step], ...] = (
    (frozenset({"MF207"}), _without_marks),
    (frozenset({"MF301"}), _with_block_quoted),
    (frozenset({"MF204"}), _with_block),
    (frozenset({"MF304", "MF305"}), _quoted),
    (frozenset({"MF303"}), _with_fields),
)
"""The steps in their order: what hides something else comes first."""


def _fields_at(page: Page, found: Found) -> Iterable[str]:
    """The fields whose values stand where findings are."""
    places = {(finding.line, finding.column) for finding in found}
    frontmatter = page.frontmatter
    for name in defined_fields():
        node = frontmatter.nodes.get(name)
        if node is not None and page.position(frontmatter.offset + node.start) in places:
            yield name


def _keeps_fields(before: Page, after: Page, found: Found) -> bool:
    """Whether a page whose block could be read says in all other fields what it said before."""
    if before.frontmatter.state is not FrontmatterState.PARSED:
        return True
    if after.frontmatter.state is not FrontmatterState.PARSED:
        return False
    touched = set(_fields_at(before, found))
    said = after.frontmatter.fields
    return all(
        name in touched or (name in said and said[name] == value)
        for name, value in before.frontmatter.fields.items()
    )

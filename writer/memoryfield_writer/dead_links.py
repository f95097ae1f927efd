"""Links that lead nowhere once a file is removed or has another name (MF209)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memoryfield_readers import Field, Page, shown
from memoryfield_readers.markdown.links import links
from memoryfield_readers.markdown.targets import relative_target
from memoryfield_validator import Finding, rule_set

_LINKS = "MF209"


def links_left(field: Field, gone: Mapping[str, str | None]) -> tuple[Finding, ...]:
    """The links of pages that lead to files which are about to go, as they will be found.

    A check of edited pages tells of them none: it is other pages that hold them.

    Arguments:
        field: the field as it still is.
        gone: the names of the files, each with its new name, or None if it is removed.

    Raises:
        MemoryfieldError: a page cannot be read.
    """
    staying = [name for name in field.pages if gone.get(name, "") is not None]
    found = [each for page in field.read(staying) for each in _in_page(page, gone)]
    return tuple(sorted(found, key=Finding.order))


def _in_page(page: Page, gone: Mapping[str, str | None]) -> Iterator[Finding]:
    if b"](" not in page.raw and b"]:" not in page.raw:
        return
    ((rule, _),) = rule_set(select=(_LINKS,)).page
    for link in links(page.body):
        name = relative_target(link.target) or ""
        if name in gone:
            to = gone[name]
            at = page.position(page.frontmatter.body_offset + link.offset)
            hint = None if to is None else f"it is {shown(to)} now"
            file = gone.get(page.name) or page.name
            yield rule.finding(file, f"there is no {shown(name)} in the field", at=at, hint=hint)

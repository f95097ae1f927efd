"""Which pages a page names, by link or by file name (MF401, MF402)."""

from __future__ import annotations

import re
from collections.abc import Container

from memoryfield_readers import Page, is_page_name

from .link_targets import relative_target
from .markdown import links, without_fenced_code

_FILE_NAME = re.compile(r"(?<![\w./\\-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.md(?![\w-])")


def mentioned_pages(page: Page, names: Container[str]) -> dict[str, int]:
    """The pages that a page's body links to or spells out, outside of code (of fenced code alone
    for a name that is spelt out).

    Arguments:
        page: the page, as a rule `index.md` or `listing.md`.
        names: the files of the field; a link to one of them counts whatever its name is.

    Returns:
        Name to the offset in `page.text` at which it stands first, in the order of the text.
    """
    body = page.body
    start = page.frontmatter.body_offset
    found: list[tuple[int, str]] = []
    if ".md" in body:
        prose = without_fenced_code(body)
        found += [(match.start(), match[0]) for match in _FILE_NAME.finditer(prose)]
        for link in links(body):
            name = relative_target(link.target)
            if name and _is_page(name, names):
                found.append((link.offset, name))
    first: dict[str, int] = {}
    for offset, name in sorted(found):
        first.setdefault(name, start + offset)
    return first


def _is_page(name: str, names: Container[str]) -> bool:
    return is_page_name(name) or (name.endswith(".md") and name in names)

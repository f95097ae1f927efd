"""Which pages a page names, by link or by file name (MF401, MF402)."""

from __future__ import annotations

import re
from collections.abc import Container

from ..names import is_page_name
from ..page import Page
from .code import blanked, without_comments, without_fenced_code
from .links import links
from .targets import relative_target

_FILE_NAME = re.compile(r"(?<![\w./\\%~@=?&#-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.md(?![\w-])")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}+://[^\s<>]++")


def mentioned_pages(page: Page, names: Container[str]) -> dict[str, int]:
    """The pages that a page's body links to or spells out.

    A link counts outside of code; a name that is spelt out counts also in inline code, but not in
    fenced code, in comments, and in the targets of links and URLs.

    Arguments:
        page: the page, as a rule `index.md` or `listing.md`.
        names: the files of the field; a link to one of them counts whatever its name is.

    Returns:
        Name to the offset in `page.text` at which it stands first, in the order of the text.
    """
    body = page.body
    if ".md" not in body:
        return {}
    start = page.frontmatter.body_offset
    found: list[tuple[int, str]] = []
    spans = [(match.start(), match.end()) for match in _URL.finditer(body)]
    for link in links(body):
        spans.append((link.offset, link.end))
        name = relative_target(link.target)
        if name and _is_page(name, names):
            found.append((link.offset, name))
    prose = blanked(without_comments(without_fenced_code(body)), spans)
    found += [(match.start(), match[0]) for match in _FILE_NAME.finditer(prose)]
    first: dict[str, int] = {}
    for offset, name in sorted(found):
        first.setdefault(name, start + offset)
    return first


def _is_page(name: str, names: Container[str]) -> bool:
    return is_page_name(name) or (name.endswith(".md") and name in names)

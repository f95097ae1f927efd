"""HTML that acts, and links that carry code, outside of code (MF805).

Linear in the length of the text: what a tag has taken up is not looked at again.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryfield_readers import shown
from memoryfield_readers.markdown.code import without_code
from memoryfield_readers.markdown.links import link_candidates, links

_ELEMENTS = frozenset(
    {"script", "iframe", "object", "embed", "form", "base", "meta", "link", "style"}
)
_URL_ATTRIBUTES = frozenset({
    "action", "background", "cite", "classid", "codebase", "data", "formaction", "from", "href",
    "imagesrcset", "longdesc", "manifest", "ping", "poster", "profile", "src", "srcset", "to",
    "values", "xlink:href", "xml:base",
})  # fmt: skip
_HANDLER = re.compile("on[a-z]{3,}+")
_NO_HANDLERS = frozenset({  # words; shorter ones such as `once` and `only` do not match anyway
    "onboard", "onboarding", "ongoing", "onion", "onions", "online", "onlooker", "onlookers",
    "onset", "onshore", "onsite", "onward", "onwards",
})  # fmt: skip
_MAYBE_TAG = re.compile(r"<(?!https?://)[A-Za-z]")
_TAG = re.compile(r"<([A-Za-z][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"(?:(?!\n[ \t]*+\r?\n)[\s/])*+([^\s/>=][^\s/>=]*+)"
    r"(?:\s*+(=)\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]*+)))?+"
)
_CODE_SCHEME = re.compile(r"(javascript|vbscript|data):", re.ASCII | re.IGNORECASE)
_LEFT_OUT = re.compile(r"[\s\x00-\x20\x7f-\x9f]+")


class Active(NamedTuple):
    """An element, an attribute or a link that acts: where it begins, and what it is."""

    offset: int
    what: str


def active_html(text: str, body_offset: int) -> list[Active]:
    """What acts in a page, in the order of the text.

    Arguments:
        text: the text of the page.
        body_offset: where its body begins; what stands before that is no Markdown, and has neither
            code nor comments.
    """
    found: list[Active] = []
    if _MAYBE_TAG.search(text):
        found += _in_tags(text[:body_offset] + without_code(text[body_offset:]))
    if any(_code_scheme(link.target) for link in link_candidates(text)):
        # Whether they stand in code costs more, and is looked into only for such links.
        found += _in_links(text[:body_offset], 0, has_code=False)
        found += _in_links(text[body_offset:], body_offset, has_code=True)
    return sorted(set(found))


def _in_tags(prose: str) -> Iterator[Active]:
    tag = _TAG.search(prose)
    while tag:
        name = tag[1].lower()
        if name in _ELEMENTS:
            yield Active(tag.start(), f"the element {shown(name)}")
        elif _code_scheme(tag[1]):  # a link in pointed brackets
            yield _link(tag.start() + 1, tag[1])
        end = tag.end()
        attribute = _ATTRIBUTE.match(prose, end)
        while attribute:
            end = attribute.end()
            yield from _in_attribute(attribute)
            attribute = _ATTRIBUTE.match(prose, end)
        tag = _TAG.search(prose, end)


def _in_links(text: str, offset: int, *, has_code: bool) -> Iterator[Active]:
    for link in links(text, has_code=has_code):
        if _code_scheme(link.target):
            yield _link(offset + link.offset, link.target)


def _in_attribute(attribute: re.Match[str]) -> Iterator[Active]:
    name, has_value = attribute[1], attribute[2]
    known = name.lower()
    is_handler = _HANDLER.fullmatch(known) and known not in _NO_HANDLERS
    if not has_value or not (is_handler or known in _URL_ATTRIBUTES):
        return
    value = html.unescape(next(filter(None, attribute.groups()[2:]), ""))
    if is_handler:
        yield Active(attribute.start(1), f"the attribute {shown(name)}, which runs code")
    elif scheme := _code_scheme(value):
        what = f"the attribute {shown(name)} with a URL of the scheme {shown(scheme)}"
        yield Active(attribute.start(1), what)


def _link(offset: int, target: str) -> Active:
    return Active(offset, f"a link with the scheme {shown(_code_scheme(target) or '')}")


def _code_scheme(url: str) -> str | None:
    """The scheme of a URL that carries code, in lower case, or None."""
    match = _CODE_SCHEME.match(url) or _CODE_SCHEME.match(_LEFT_OUT.sub("", url))
    return match[1].lower() if match else None

"""HTML that acts, and links that carry code, outside of code (MF805).

Linear in the length of the text: what a tag has taken up is not looked at again.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from memoryfield_readers import shown

from ..markdown import link_candidates, links
from ..markdown_code import without_code

_ELEMENTS = frozenset(
    {"script", "iframe", "object", "embed", "form", "base", "meta", "link", "style"}
)
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
        body_offset: where its body begins; what stands before that is no Markdown, so no code.
    """
    found: list[Active] = []
    if _MAYBE_TAG.search(text):
        body = without_code(_without_empty_comments(text[body_offset:]))
        found += _in_tags(text[:body_offset] + body)
    if any(_code_scheme(link.target) for link in link_candidates(text)):
        # Whether they stand in code costs more, and is looked into only for such links.
        for offset, part in ((0, text[:body_offset]), (body_offset, text[body_offset:])):
            found += (
                _link(offset + link.offset, link.target)
                for link in links(part)
                if _code_scheme(link.target)
            )
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


def _in_attribute(attribute: re.Match[str]) -> Iterator[Active]:
    name, has_value = attribute[1], attribute[2]
    if not has_value:
        return
    value = html.unescape(next(filter(None, attribute.groups()[2:]), ""))
    if name.lower().startswith("on"):
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


def _without_empty_comments(text: str) -> str:
    """The text without `<!-->` and `<!--->`, which are whole and hide nothing; offsets stay."""
    pieces: list[str] = []
    done = 0
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 2)
        if end < 0:
            break
        end += 3
        if end < at + 7:  # blanks could be taken for the indent of code
            pieces += [text[done:at], "." * (end - at)]
            done = end
        at = text.find("<!--", end)
    return "".join(pieces) + text[done:]

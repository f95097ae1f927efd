"""2xx: pages, by name and by content."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoryfield_readers import FrontmatterState, Page, Position, is_page_name, shown
from memoryfield_readers.markdown.links import link_candidates, links
from memoryfield_readers.markdown.targets import OUTSIDE, relative_target

from ..fixes.linked import takes_uuid
from ..fixes.missing_fields import takes_block
from ..fixes.renaming import renames
from ..naming import conforming_name
from ..registry import Findings, Rule, field_rule, no_frontmatter_rule, page_rule
from ..review import Review

MOST_PAGE_BYTES = 8192
_MOST_CHARACTER_BYTES = 4
_START = Position(1, 1)
_NOT_C0 = bytes({*range(0x20, 0x100), 0x09, 0x0A, 0x0D})
_C0 = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SCHEMES = ("http", "https")
_SOURCE_WORDS = ("source", "reference", "citation", "via")
_SOURCE_LINE = re.compile(
    r"^[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)]|#++)[ \t]++|\|[ \t]*+)*+[*_\"']*+"
    r"(?:sources?|references?|citations?|via)[*_\"']*[ \t]*(?::|\r?$)",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
_MARKERS = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: [^\n]*)?\r?$", re.MULTILINE)
_NOT_WHITE_SPACE = re.compile("[\x1c-\x1f]")
"""What Python takes for white space, and Unicode does not."""
_CONFLICTED_COPY = re.compile("conflicted copy", re.ASCII | re.IGNORECASE)
_LOOKALIKE = re.compile(r".+\.(?:md|markdown|mdx)", re.ASCII | re.IGNORECASE | re.DOTALL)


@field_rule("MF201")
def page_names(rule: Rule, review: Review) -> Findings:
    """A page's name has lower-case letters, digits and hyphens; conflicted copies are MF211.

    Where MF211 is not asked for or does not count, as by the draft alone, they are told here.
    """
    told_as_copies = "MF211" in review.ids
    better_names = renames(review.field)
    for name in review.field.pages:
        if is_page_name(name) or (told_as_copies and _CONFLICTED_COPY.search(name)):
            continue
        yield rule.finding(
            name,
            f"{shown(name)} is no page name: {_what_is_wrong(name)}",
            hint=_rename_hint(name, review),
            fixable=name in better_names,
        )


@no_frontmatter_rule("MF202")
def utf_8(rule: Rule, page: Page, review: Review) -> Findings:
    """A page is valid UTF-8."""
    offset = page.undecodable_at
    if offset is not None:
        yield rule.finding(
            page.name,
            f"not valid UTF-8 at byte {offset} (0x{page.raw[offset]:02X})",
            at=page.position_of_byte(offset),
            hint=_encoding_hint(page.raw),
        )


@page_rule("MF203")
def page_size(rule: Rule, page: Page, review: Review) -> Findings:
    """A page is at most 8192 bytes."""
    over = len(page.raw) - MOST_PAGE_BYTES
    if over > 0:
        yield rule.finding(
            page.name,
            f"{len(page.raw)} bytes, {over} over the {MOST_PAGE_BYTES} that are sure to be "
            "searchable",
            at=page.position_of_byte(_character_start(page, MOST_PAGE_BYTES)),
        )


@no_frontmatter_rule("MF204")
def has_frontmatter(rule: Rule, page: Page, review: Review) -> Findings:
    """A page has a frontmatter block."""
    if page.frontmatter.state is FrontmatterState.ABSENT:
        yield rule.finding(
            page.name,
            "there is no frontmatter block",
            at=_START,
            hint=_missing_block_hint(page.text),
            fixable=takes_block(page) and takes_uuid(review.field, page.name),
        )


@page_rule("MF205")
def cites_sources(rule: Rule, page: Page, review: Review) -> Findings:
    """A page cites its sources: a URL, or a line that names them."""
    text = page.text
    if _has_url(text):
        return
    lower = text.lower()
    if any(word in lower for word in _SOURCE_WORDS) and _SOURCE_LINE.search(text):
        return
    yield rule.finding(page.name, "no URL and no line such as `Sources:` says where this is from")


@page_rule("MF206")
def has_body(rule: Rule, page: Page, review: Review) -> Findings:
    """A page's body is not empty."""
    if not page.body or (page.body.isspace() and not _NOT_WHITE_SPACE.search(page.body)):
        what = "the page is empty (0 bytes)" if not page.raw else "the body is empty"
        yield rule.finding(page.name, what)


@page_rule("MF207")
def no_bom(rule: Rule, page: Page, review: Review) -> Findings:
    """A page does not begin with a byte-order mark."""
    if page.has_bom:
        yield rule.finding(
            page.name, "begins with a byte-order mark (EF BB BF)", at=_START, fixable=True
        )


@page_rule("MF208")
def no_control_characters(rule: Rule, page: Page, review: Review) -> Findings:
    """No NUL or C0 control characters other than tab, LF, CR."""
    count = len(page.raw.translate(None, _NOT_C0))
    if count and (first := _C0.search(page.text)):
        yield rule.finding(
            page.name,
            f"control character U+{ord(first[0]):04X}{_and_more(count)}",
            at=page.position(first.start()),
        )


@page_rule("MF209")
def links_lead_somewhere(rule: Rule, page: Page, review: Review) -> Findings:
    """A relative link points to a file that is in the field."""
    body = page.body
    for link in link_candidates(body):
        if link.target not in review.plain_names and _link_problem(link.target, review):
            break
    else:
        return
    for link in links(body):
        problem = _link_problem(link.target, review)
        if problem is not None:
            message, hint = problem
            at = page.position(page.frontmatter.body_offset + link.offset)
            yield rule.finding(page.name, message, at=at, hint=hint)


@field_rule("MF210")
def no_lookalikes(rule: Rule, review: Review) -> Findings:
    """No file looks like a page by its ending without being one."""
    for name in review.field.attachments:
        if _LOOKALIKE.fullmatch(name):
            yield rule.finding(
                name,
                f"{shown(name)} looks like a page, but only names ending in `.md` are pages",
                hint=f"{_rename_hint(name, review)}, if it is meant to be one",
            )


@field_rule("MF211")
def no_conflicted_copies(rule: Rule, review: Review) -> Findings:
    """No sync client's conflicted copy stands beside the pages."""
    for name in (*review.field.pages, *review.field.attachments):
        if _CONFLICTED_COPY.search(name):
            yield rule.finding(
                name,
                f"{shown(name)} is a sync client's conflicted copy",
                hint="merge what it holds into the page it was copied from, and remove it",
            )


@page_rule("MF211")
def no_conflict_markers(rule: Rule, page: Page, review: Review) -> Findings:
    """No merge-conflict markers stand at the start of a line."""
    text = page.text
    if "<<<<<<<" not in text and ">>>>>>>" not in text and "|||||||" not in text:
        return
    markers = list(_MARKERS.finditer(text))
    if markers:
        yield rule.finding(
            page.name,
            f"merge-conflict marker {shown(markers[0][0][:7])}{_and_more(len(markers))}",
            at=page.position(markers[0].start()),
        )


def _missing_block_hint(text: str) -> str | None:
    """What to do where something at the beginning was meant to be a block, or None."""
    start = text.lstrip()
    if start.startswith("---") and not text.startswith("---"):
        line = text.count("\n", 0, len(text) - len(start)) + 1
        return f"make the `---` in line {line} the very beginning of the page"
    if text.startswith("---\r") and "\n" not in text:
        return "end lines with LF: a CR alone ends none"
    if start.startswith("+++"):
        return "write the block as YAML between two lines `---`: `+++` is not looked at"
    return None


def _has_url(text: str) -> bool:
    """Whether the text holds `http://` or `https://` and more; quicker than a pattern."""
    at = text.find("://")
    while at >= 0:
        after = text[at + 3 : at + 4]
        scheme = text[max(0, at - 5) : at].lower()
        if scheme.endswith(_SCHEMES) and after not in ("", "/") and not after.isspace():
            return True
        at = text.find("://", at + 3)
    return False


def _rename_hint(name: str, review: Review) -> str:
    better = conforming_name(name)
    note = ", or to another name: that one is taken" if better in review.names else ""
    return f"rename it to {shown(better)}{note}"


def _and_more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""


def _what_is_wrong(name: str) -> str:
    stem = name.removesuffix(".md")
    odd = sorted(
        {c for c in stem if not (c.isascii() and (c.islower() or c.isdigit() or c == "-"))}
    )
    if odd:
        seen = ", ".join(shown(character) for character in odd[:5])
        return f"it holds {seen}{' and more' if len(odd) > 5 else ''}"
    return "it begins or ends with a hyphen"


def _character_start(page: Page, offset: int) -> int:
    """Where the character begins that a byte is part of; the byte itself if it is part of none."""
    raw = page.raw
    for start in range(offset, max(-1, offset - _MOST_CHARACTER_BYTES), -1):
        if raw[start] & 0xC0 != 0x80:  # no byte that continues a character
            first = raw[start : start + _MOST_CHARACTER_BYTES].decode(errors="replace")[0]
            known = first.encode() == raw[start : start + len(first.encode())]
            return start if known and start + len(first.encode()) > offset else offset
    return offset


def _encoding_hint(raw: bytes) -> str | None:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the page is UTF-16: save it as UTF-8"
    return None


def _link_problem(target: str, review: Review) -> tuple[str, str | None] | None:
    """What is wrong with a link and what may be meant, or None if nothing is."""
    name = relative_target(target)
    if not name or name in review.names:
        return None
    if name == OUTSIDE:
        return f"the link to {shown(target)} leads out of the field", None
    if "/" in name or name in review.field.folders:
        return f"the link to {shown(target)} leads into a sub-directory, no part of the field", None
    return f"there is no {shown(name)} in the field", _link_hint(name, review.names)


def _link_hint(name: str, names: Iterable[str]) -> str | None:
    for candidate in (f"{name}.md", name.lower(), f"{name.lower()}.md"):
        if candidate in names:
            return f"did you mean {shown(candidate)}?"
    return None

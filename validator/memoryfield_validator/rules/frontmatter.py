"""3xx: frontmatter."""

from __future__ import annotations

import re
import string

from memoryfield_readers import Page, Position, shown
from memoryfield_readers.frontmatter import (
    Node,
    Scalar,
    Sequence,
)

from ..datetimes import is_before, is_rfc_3339, read_moment
from ..field_types import DATETIME_FIELDS, TypeProblem, defined_fields
from ..finding import Finding
from ..fixes.broken_block import block_splices
from ..fixes.linked import takes_uuid
from ..fixes.missing_fields import UUID, WANTED, absence, takes_fields
from ..fixes.quoting import quoted, quoting_splice, stands_at_key
from ..registry import Findings, Rule, frontmatter_rule, no_frontmatter_rule
from ..review import Review
from ..yaml_hints import hint_at

_START = Position(1, 1)
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_MOST_SUMMARY = 1000
_TRAILING_COMMENT = re.compile(r"[ \t]+(#[^\r\n]*)")
_KINDS = {
    "int": "the number {value}",
    "float": "the number {value}",
    "bool": "the truth value {value}",
    "null": "nothing (null)",
    "timestamp": "a date",
    "binary": "binary data",
}


@no_frontmatter_rule("MF301")
def parses(rule: Rule, page: Page, review: Review) -> Findings:
    """An opened block is closed and parses as YAML."""
    error = page.frontmatter.error
    if error is not None and error.rule == rule.id:
        # A block that is never closed stands at line 1; the requirement's own hint is for it.
        hint = hint_at(page.text, error.position.line) if error.position.line > 1 else None
        yield rule.finding(
            page.name,
            f"the frontmatter cannot be read: {error.message}",
            at=error.position,
            hint=hint,
            fixable=bool(block_splices(page)),
        )


@no_frontmatter_rule("MF302")
def no_rule_at_start(rule: Rule, page: Page, review: Review) -> Findings:
    """The page does not begin with a `---` rule that could be taken for frontmatter."""
    if page.frontmatter.rule_taken:
        yield rule.finding(
            page.name, "begins with a `---` that is a Markdown rule, not frontmatter", at=_START
        )


@frontmatter_rule("MF303")
def wanted_fields(rule: Rule, page: Page, review: Review) -> Findings:
    """`title`, `uuid`, `created` and `updated` are present; one finding a field."""
    missing = [name for name in WANTED if name not in page.frontmatter.nodes]
    fixable = bool(missing) and takes_fields(page)
    for name in missing:
        has_answer = fixable and (name != UUID or takes_uuid(review.field, page.name))
        yield rule.finding(page.name, absence(name), at=_START, fixable=has_answer)


@frontmatter_rule("MF304")
def datetimes_are_quoted(rule: Rule, page: Page, review: Review) -> Findings:
    """`created` and `updated` are quoted strings, not YAML dates."""
    for name in DATETIME_FIELDS:
        node = page.frontmatter.nodes.get(name)
        if isinstance(node, Scalar) and node.tag == "timestamp":
            yield rule.finding(
                page.name,
                f"`{name}` is a bare YAML date, which parsers turn into a date object",
                at=_place(page, node),
                hint=f"quote it: {name}: '{node.text}'",
                fixable=quoting_splice(page, name) is not None,
            )


@frontmatter_rule("MF305")
def field_types(rule: Rule, page: Page, review: Review) -> Findings:
    """Each defined field that is present has its type, and kept all of its text."""
    for problem in review.type_problems(page):
        if problem.keyword != "format":
            yield _wrong_type(rule, page, problem)
    source = page.frontmatter.source
    if "#" not in source and "&" not in source:
        return
    for name in defined_fields():
        node = page.frontmatter.nodes.get(name)
        lost = _lost_text(page, name, node) if isinstance(node, Scalar) else None
        if lost and isinstance(node, Scalar):
            yield rule.finding(
                page.name,
                f"`{name}` is read as {shown(node.text)}: YAML takes {shown(lost)} for "
                + ("an anchor" if lost[0] == "&" else "a comment"),
                at=_place(page, node),
                hint="quote the whole value",
                level="warning",
            )


@frontmatter_rule("MF306")
def uuid_form(rule: Rule, page: Page, review: Review) -> Findings:
    """`uuid`, where present, is a UUID in the 8-4-4-4-12 form."""
    problems = review.type_problems(page)
    if problems and TypeProblem("uuid", "format") in problems:
        node = page.frontmatter.nodes["uuid"]
        text = page.frontmatter.fields["uuid"]
        yield rule.finding(page.name, f"{shown(text)} is not a UUID", at=_place(page, node))


@frontmatter_rule("MF307")
def uuid_is_unique(rule: Rule, page: Page, review: Review) -> Findings:
    """No two pages share a `uuid`; the later of two is at fault, and both are named."""
    node = page.frontmatter.nodes.get("uuid")
    if not isinstance(node, Scalar) or node.tag != "str" or not node.text:
        return
    first = review.uuids.setdefault(node.text.translate(_LOWER), page.name)
    if first != page.name:
        yield rule.finding(
            page.name,
            f"shares the uuid {shown(node.text)} with {shown(first)}",
            at=_place(page, node),
        )


@frontmatter_rule("MF308")
def datetimes_valid(rule: Rule, page: Page, review: Review) -> Findings:
    """`created` and `updated`, where present, are ISO 8601 dates or datetimes of the calendar."""
    problems = review.type_problems(page)
    if not problems:
        return
    for name in DATETIME_FIELDS:
        if TypeProblem(name, "format") in problems:
            text = page.frontmatter.fields[name]
            yield rule.finding(
                page.name,
                f"`{name}` is {shown(text)}, which is no ISO 8601 date or datetime",
                at=_place(page, page.frontmatter.nodes[name]),
            )


@frontmatter_rule("MF309")
def datetimes_complete(rule: Rule, page: Page, review: Review) -> Findings:
    """They are full RFC 3339 datetimes: a time and a UTC offset."""
    for name in DATETIME_FIELDS:
        text = _datetime_text(page, name)
        if text is None or is_rfc_3339(text):
            continue
        moment = read_moment(text)
        if moment is None:
            continue  # MF308 has said so
        if moment.whole_day:
            missing, hint = "a date alone: the time and the UTC offset are missing", None
        elif moment.offset is None:
            missing, hint = "without a UTC offset", "add the UTC offset, such as `Z` or `+02:00`"
        else:
            missing, hint = "not in the form of RFC 3339", "write it as `2026-03-01T09:00:00Z`"
        yield rule.finding(
            page.name,
            f"`{name}` is {shown(text)}, {missing}",
            at=_place(page, page.frontmatter.nodes[name]),
            hint=hint,
        )


@frontmatter_rule("MF310")
def datetimes_in_order(rule: Rule, page: Page, review: Review) -> Findings:
    """`updated` is not before `created`."""
    created, updated = (_datetime_text(page, name) for name in DATETIME_FIELDS)
    if created is None or updated is None or created == updated:
        return
    first, last = read_moment(created), read_moment(updated)
    if first is not None and last is not None and is_before(last, first):
        yield rule.finding(
            page.name,
            f"`updated` ({shown(updated)}) is before `created` ({shown(created)})",
            at=_place(page, page.frontmatter.nodes["updated"]),
        )


@frontmatter_rule("MF311")
def keys_once(rule: Rule, page: Page, review: Review) -> Findings:
    """No key stands twice in one mapping."""
    for key, earlier in page.frontmatter.key_collisions():
        here, there = _place(page, key), _place(page, earlier)
        name = shown(_source(page, key))
        if _source(page, key) == _source(page, earlier):
            message = f"the key {name} stands twice, in lines {there.line} and {here.line}"
        else:
            message = (
                f"the keys {shown(_source(page, earlier))} (line {there.line}) and {name} "
                f"(line {here.line}) are equal"
            )
        yield rule.finding(page.name, f"{message}: parsers keep only the last", at=here)


@no_frontmatter_rule("MF312")
def within_bounds(rule: Rule, page: Page, review: Review) -> Findings:
    """No custom tags, no recursive aliases, and bounds on aliases, depth and size."""
    error = page.frontmatter.error
    if error is not None and error.rule == rule.id:
        is_tag = error.message.startswith("the tag ")
        yield rule.finding(
            page.name,
            f"the frontmatter is refused: {error.message}",
            at=error.position,
            hint="quote the value: `!` at its beginning is read as a tag" if is_tag else None,
        )


@frontmatter_rule("MF313")
def can_be_json(rule: Rule, page: Page, review: Review) -> Findings:
    """The whole block can be written as JSON."""
    for node, reason in page.frontmatter.not_json():
        yield rule.finding(page.name, f"JSON cannot carry this: {reason}", at=_place(page, node))


@frontmatter_rule("MF314")
def short_summary(rule: Rule, page: Page, review: Review) -> Findings:
    """`summary` is one line of at most 1000 characters."""
    node = page.frontmatter.nodes.get("summary")
    if not isinstance(node, Scalar) or node.tag != "str":
        return
    text = node.text.strip("\n")
    lines = text.count("\n") + 1
    if lines > 1:
        what = f"{lines} lines"
    elif len(text) > _MOST_SUMMARY:
        what = f"{len(text)} characters long"
    else:
        return
    yield rule.finding(page.name, f"`summary` is {what}", at=_place(page, node))


def _place(page: Page, node: Node) -> Position:
    return page.position(page.frontmatter.offset + node.start)


def _source(page: Page, node: Node) -> str:
    return page.frontmatter.source[node.start : node.end]


def _wrong_type(rule: Rule, page: Page, problem: TypeProblem) -> Finding:
    name = problem.field
    node = page.frontmatter.nodes[name]
    source = _source(page, node)
    if problem.keyword == "pattern":
        message = f"`{name}` is blank"
        hint = "write a title, or leave the field out"
    elif isinstance(node, Scalar) and node.tag == "null":
        message = f"`{name}` has no value: YAML reads it as nothing (null)"
        hint = "give it a value, or leave the field out"
    elif isinstance(node, Scalar):
        kind = _KINDS.get(node.tag, f"a {node.tag}").format(value=str(node.value).lower())
        message = f"`{name}` must be text, but YAML 1.1 reads {shown(source)} as {kind}"
        hint = f"quote it: {name}: {quoted(node.text)}"
    else:
        what = "a list" if isinstance(node, Sequence) else "a mapping"
        message = f"`{name}` must be text, but {shown(source, 40)} is {what}"
        hint = "quote the value" if source[:1] in "[{" else "write it as one line of text"
        if source.startswith("{{"):
            hint = "fill in the template's placeholder, or quote the value"
    fixable = problem.keyword == "type" and quoting_splice(page, name) is not None
    return rule.finding(page.name, message, at=_place(page, node), hint=hint, fixable=fixable)


def _lost_text(page: Page, name: str, node: Scalar) -> str | None:
    """What a plain value lost: the text after ` #`, or an anchor before it."""
    if node.style or not stands_at_key(page, name, node):
        return None
    if node.anchor is not None:
        return f"&{node.anchor}"
    comment = _TRAILING_COMMENT.match(page.frontmatter.source, node.end)
    return comment[1] if comment else None


def _datetime_text(page: Page, name: str) -> str | None:
    node = page.frontmatter.nodes.get(name)
    if isinstance(node, Scalar) and node.tag in ("str", "timestamp"):
        return node.text
    return None

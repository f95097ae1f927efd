"""A page that was edited: its `uuid` and `created` are kept, its `updated` is renewed (MF909)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from memoryfield_readers import FrontmatterState, Page
from memoryfield_readers.frontmatter import Scalar
from memoryfield_validator.datetimes import read_moment
from memoryfield_validator.field_types import is_uuid
from memoryfield_validator.fixes.missing_fields import (
    UUID,
    lines_at_end,
    not_before,
    rfc_3339,
    takes_block,
    takes_fields,
)
from memoryfield_validator.fixes.quoting import quoted, stands_at_key
from memoryfield_validator.fixes.splices import (
    Splice,
    changed_page,
    has_room,
    line_end,
    spliced,
    text_of,
)

from .filling import page_of

_LINE_END = re.compile(r"\r\n|\n")

_MOST_KEPT = 200
"""The longest value, in code points, that is taken over from the page before."""


def renewed(before: bytes, after: bytes, now: datetime) -> bytes:
    """A page after an edit, with the frontmatter that it keeps (MF909).

    Where the new text lacks `uuid` or `created`, those of the old one are added at the end of the
    block. `updated` becomes now, never before `created`, unless the new text has another one than
    the old: the value alone changes, in its place, and where there is none a line is added. A new
    text without a block gets the old one whole, in its own line ends; the same is done then. No
    other byte changes. What has no right answer stays as it is: a broken block, one that takes no
    line at its end, a value behind an alias or with an anchor, or on several lines.

    Arguments:
        before: the bytes of the page before the edit.
        after: its bytes after it.
        now: the time, aware of its zone.
    """
    if before == after:
        return after
    old = page_of(before, "before.md", now)
    new = page_of(after, "after.md", now)
    time = now.astimezone(UTC).replace(microsecond=0)
    state = new.frontmatter.state
    if state is FrontmatterState.ABSENT:
        return _with_block(old, new, time)
    return _with_fields(old, new, time) if state is FrontmatterState.PARSED else after


def _with_block(old: Page, new: Page, time: datetime) -> bytes:
    if old.frontmatter.state is not FrontmatterState.PARSED or not takes_block(new):
        return new.raw
    text = text_of(old.raw)[: old.frontmatter.body_offset]
    ending = line_end(new.text)
    block = _LINE_END.sub(ending, text)
    if not block.endswith(ending):  # the closing line was the last
        block += ending
    with_block = changed_page(new, spliced(new.raw, [Splice(0, 0, block)]))
    return _with_fields(old, with_block, time)


def _with_fields(old: Page, new: Page, time: datetime) -> bytes:
    """The page with what it lacks, and `updated` renewed; each is done as far as it can be."""
    nodes = new.frontmatter.nodes
    added = dict(_kept(old, [name for name in (UUID, "created") if name not in nodes]))
    if not takes_fields(new):
        added = {}
    created = nodes.get("created")
    stated = created.text if isinstance(created, Scalar) else added.get("created")
    updated = _updated(stated, time)
    splices: list[Splice] = []
    if "updated" in nodes:
        splices = _value_splices(old, new, updated)
    elif takes_fields(new):
        added["updated"] = updated
    if added:
        splices = [*splices, *lines_at_end(new, _lines(added))]
    return spliced(new.raw, splices)


def _kept(old: Page, names: list[str]) -> Iterator[tuple[str, str]]:
    """The texts of fields that can be written again as they were meant."""
    for name in names:
        node = old.frontmatter.nodes.get(name)
        if not isinstance(node, Scalar) or not 0 < len(node.text.strip()) <= _MOST_KEPT:
            continue
        if node.text.isprintable() and (name != "created" or read_moment(node.text)):
            yield name, node.text


def _updated(created: str | None, time: datetime) -> str:
    return rfc_3339(not_before(None if created is None else read_moment(created), time))


def _lines(fields: Mapping[str, str]) -> Iterator[str]:
    for name, text in fields.items():
        value = text if name == UUID and is_uuid(text) else quoted(text)
        yield f"{name}: {value}"


def _value_splices(old: Page, new: Page, updated: str) -> list[Splice]:
    """The splice that renews the value of `updated`, none where it was edited or cannot be."""
    node = new.frontmatter.nodes["updated"]
    if not _is_same(old, new) or not stands_at_key(new, "updated", node) or not has_room(new):
        return []
    splice = _over(new, node, quoted(updated))
    if splice is None:
        return []
    # An anchor that others name, or a place that takes no quotes: it is tried.
    after = changed_page(new, spliced(new.raw, [splice])).frontmatter
    wanted: dict[str, Any] = {**new.frontmatter.fields, "updated": updated}
    parsed = after.state is FrontmatterState.PARSED and after.fields == wanted
    return [splice] if parsed else []


def _is_same(old: Page, new: Page) -> bool:
    """Whether the edit has left `updated` as it was."""
    before, after = (page.frontmatter.nodes.get("updated") for page in (old, new))
    if isinstance(before, Scalar) and isinstance(after, Scalar):
        return before.text == after.text
    fields = (page.frontmatter.fields.get("updated") for page in (old, new))
    return before is not None and len({repr(value) for value in fields}) == 1


def _over(page: Page, node: object, value: str) -> Splice | None:
    """The splice that puts a value in the place of one that stands on one line."""
    if not isinstance(node, Scalar) or node.anchor:
        return None
    frontmatter = page.frontmatter
    source, at = frontmatter.source, frontmatter.offset
    if node.start < node.end:
        one_line = "\n" not in source[node.start : node.end]
        return Splice(at + node.start, at + node.end, value) if one_line else None
    for key, held in frontmatter.tree.pairs:
        if held is node and isinstance(key, Scalar):
            colon = source.find(":", key.end)
            return Splice(at + colon + 1, at + colon + 1, f" {value}") if colon >= 0 else None
    return None

"""What a row of an index says of a page, beside its vector."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TypeAlias

from memoryfield_readers import Entry, EntryKind, FrontmatterState, Page

from .storage.schema import MOST_FRONTMATTER
from .values import Vector

RawRow: TypeAlias = tuple[bytes, bytes, bytes, bytes, Vector]
"""The name, the frontmatter as JSON, the time of the last change, the hash, and the vector."""


def frontmatter_json(page: Page) -> str:
    """The frontmatter of a page as JSON: an object, or `null` where there is none to be read."""
    if page.frontmatter.state is not FrontmatterState.PARSED:
        return "null"
    text = json.dumps(dict(page.frontmatter.fields), allow_nan=False)
    return text if len(text) <= MOST_FRONTMATTER else "null"


def embedded_text(page: Page) -> bytes:
    """What is embedded of a page: the complete file; what is no UTF-8 in it shows as U+FFFD."""
    return page.raw if page.undecodable_at is None else page.text.encode()


def timestamp(modified_ns: int | None) -> bytes | None:
    """The time of a last change as an index has it; pages often share theirs."""
    return None if modified_ns is None else _second(modified_ns // 1_000_000_000)


@lru_cache(maxsize=1024)
def _second(seconds: int) -> bytes:
    moment = Entry("", EntryKind.FILE, modified_ns=seconds * 1_000_000_000).modified
    return b"" if moment is None else moment.isoformat().replace("+00:00", "Z").encode()

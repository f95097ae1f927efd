"""From a field to a snapshot: whole pages in a fixed order, never more bytes than the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memoryfield_readers import Field, LimitExceeded, Page

from .text_form import footer, framed, header, listed

DEFAULT_BUDGET = 24_000
"""Bytes; about 6,000 tokens."""

_FIRST = "index.md"
_SHARE_OF_LIST = 4
"""At most one part in so many is kept for the list of what is left out."""

_ANY_DIGEST = "field-sha256:" + 64 * "0"
"""Of the length of all field pins."""


class BudgetTooSmall(LimitExceeded):
    """Not even the header fits."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A field as one block of text.

    Attributes:
        text: the block; its UTF-8 form has at most as many bytes as the budget.
        digest: the field pin of what it is of.
        included: the names of the pages that are in it, in order.
        left_out: the names of the others.
    """

    text: str
    digest: str
    included: tuple[str, ...]
    left_out: tuple[str, ...]


class _Part(NamedTuple):
    """A page as it could stand in the snapshot; no frame if it may not, or never fits."""

    name: str
    frame: str | None
    line: str

    @property
    def size(self) -> int:
        return 0 if self.frame is None else _size(self.frame)


def snapshot(
    field: Field,
    *,
    budget: int = DEFAULT_BUDGET,
    pages: Sequence[str] | None = None,
    name: str | None = None,
) -> Snapshot:
    """A block of text for a system prompt; it depends on the field pin and the arguments alone.

    `index.md` comes first, then the pages in the order of their names, each whole or not at all.
    Those that do not fit are listed with name, hash, size and title, as far as there is room.

    Arguments:
        field: the field.
        budget: how many bytes the block may have.
        pages: the pages that may be in it, in this order; None for all.
        name: what to call the field in it; None for nothing, as the name of a folder is no part of
            the field.

    Raises:
        NotFound: the field has no such page, or is empty.
        BudgetTooSmall: the block would have more bytes even without a page.
        MemoryfieldError: a page cannot be read.
    """
    total = len(field.pages)
    least = _size(header(_ANY_DIGEST, total, total, name)) + _size(footer(total, ()))
    if budget < least:
        raise BudgetTooSmall(
            f"a snapshot takes at least {least} bytes, and the budget is {budget}",
            location=field.location,
            hint=f"--budget {max(least, DEFAULT_BUDGET)}",
        )
    order = sorted(field.pages, key=lambda each: each != _FIRST)
    wanted = dict.fromkeys(order if pages is None else pages)
    names = [*wanted, *(each for each in order if each not in wanted)]
    field.prepare(names)
    room = budget - least
    parts = [_part(field.page(each), each in wanted, room) for each in names]
    frames = _fitting(parts, room)
    left = [part for part in parts if part.name not in frames]
    lines = _lines(left, room - sum(map(_size, frames.values())))
    digest = field.digest()  # last: what was read need not be read again for it
    text = "".join(
        (header(digest, len(frames), total, name), *frames.values(), footer(len(left), lines))
    )
    return Snapshot(text, digest, tuple(frames), tuple(part.name for part in left))


def _part(page: Page, may_be_in: bool, room: int) -> _Part:
    # of a text that U+FFFD stands in, no character has fewer bytes than what it stands for
    frame = framed(page) if may_be_in and len(page.raw) <= room else None
    return _Part(page.name, frame, listed(page))


def _fitting(parts: Sequence[_Part], room: int) -> dict[str, str]:
    """The frames of the pages that fit, by name; a page that does not leaves room to the next."""
    whole = {part.name: part.frame for part in parts if part.frame is not None}
    of_list = sum(_size(part.line) for part in parts if part.name not in whole)
    if sum(part.size for part in parts) + of_list <= room:
        return whole
    of_list = sum(_size(part.line) for part in parts)
    kept_free = room // _SHARE_OF_LIST
    fitting: dict[str, str] = {}
    for part in parts:
        rest = of_list - _size(part.line)
        if part.frame is not None and part.size + min(kept_free, rest) <= room:
            fitting[part.name] = part.frame
            room -= part.size
            of_list = rest
    return fitting


def _lines(left: Sequence[_Part], room: int) -> list[str]:
    """The lines of the list that fit."""
    lines = []
    for part in left:
        room -= _size(part.line)
        if room < 0:
            break
        lines.append(part.line)
    return lines


def _size(text: str) -> int:
    return len(text.encode())

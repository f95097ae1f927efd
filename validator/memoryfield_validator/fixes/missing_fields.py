"""Fields that are missing, and whole blocks (MF303, MF204): lines that are put in, none changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from memoryfield_readers import FrontmatterState, Page
from memoryfield_readers.frontmatter import Scalar

from ..datetimes import Moment, is_before, read_moment
from .quoting import quoted
from .splices import Splice, changed_page, has_room, line_end, spliced
from .titles import needs_no_quotes, title_for

UUID = "uuid"

WANTED = ("title", UUID, "created", "updated")
"""The fields that a page should have, in the order in which they are written (MF303)."""

Born: TypeAlias = Callable[[str], "datetime | None"]
NewUuid: TypeAlias = Callable[[], str]

_MEANT_AS_BLOCK = re.compile(
    r"[\s\ufeff\x00-\x1f]*+(?:---|\+\+\+|(?:title|uuid|summary|created|updated)[ \t]*+:)",
    re.IGNORECASE,
)
"""How a text begins that has a block in another form, or in the wrong place."""


def absence(name: str) -> str:
    """What a finding says of a field that is missing."""
    return f"there is no `{name}`"


def takes_fields(page: Page) -> bool:
    """Whether lines at the end of the block are the fields that are missing, and nothing else.

    It is tried: a block may end in what swallows a further line or does not allow one.
    """
    frontmatter = page.frontmatter
    if frontmatter.state is not FrontmatterState.PARSED or not has_room(page):
        return False
    names = _missing(page)
    splices = lines_at_end(page, (f"{name}: {quoted(name)}" for name in names))
    after = changed_page(page, spliced(page.raw, splices)).frontmatter
    return after.state is FrontmatterState.PARSED and after.fields == {
        **frontmatter.fields,
        **{name: name for name in names},
    }


def takes_block(page: Page) -> bool:
    """Whether a block can be put before the text: nothing there was meant to be one already.

    A page that is blank has no text: a block would only hide that.
    """
    return (
        page.frontmatter.state is FrontmatterState.ABSENT
        and bool(page.text.strip())
        and not _MEANT_AS_BLOCK.match(page.text)
        and has_room(page)
    )


def field_splices(
    page: Page, names: Iterable[str], born: Born, new_uuid: NewUuid | None
) -> list[Splice]:
    """The splice that adds fields at the end of the block, none where that has no right answer.

    Without what makes UUIDs none is added.
    """
    missing = [name for name in _missing(page) if name in names]
    if new_uuid is None:
        missing = [name for name in missing if name != UUID]
    if not missing or not takes_fields(page):
        return []
    return lines_at_end(page, _lines(page, missing, born, new_uuid))


def block_with_fields(page: Page, born: Born, new_uuid: NewUuid | None) -> list[Splice]:
    """The splice that puts a block of four fields before the text, none where one may be meant.

    Nor is there one without what makes UUIDs.
    """
    if new_uuid is None or not takes_block(page):
        return []
    return block_of_lines(page, _lines(page, WANTED, born, new_uuid))


def block_of_lines(page: Page, lines: Iterable[str]) -> list[Splice]:
    """The splice that puts a block of these lines before the text, in the line ends of the page."""
    line_ending = line_end(page.text)
    return [Splice(0, 0, "".join(line + line_ending for line in ("---", *lines, "---")))]


def _missing(page: Page) -> list[str]:
    return [name for name in WANTED if name not in page.frontmatter.nodes]


def lines_at_end(page: Page, lines: Iterable[str]) -> list[Splice]:
    """The splice that adds lines at the end of the block, in the column of its first key."""
    frontmatter = page.frontmatter
    source, pairs = frontmatter.source, frontmatter.tree.pairs
    first = pairs[0][0].start if pairs else 0
    before = source[source.rfind("\n", 0, first) + 1 : first]
    indent = "" if before.strip(" ") else before
    end = frontmatter.offset + len(source)
    line_ending = line_end(page.text)
    return [Splice(end, end, "".join(f"{indent}{line}{line_ending}" for line in lines))]


def _lines(page: Page, names: Iterable[str], born: Born, new_uuid: NewUuid | None) -> Iterator[str]:
    created, updated = _times(page, born)
    for name in names:
        if name == "title":
            value = title_value(title_for(page))
        elif name == UUID and new_uuid is not None:
            value = new_uuid()
        else:
            value = quoted(rfc_3339(created if name == "created" else updated))
        yield f"{name}: {value}"


def title_value(title: str) -> str:
    """A title of one line as it is written behind its key."""
    return title if needs_no_quotes(title) else quoted(title)


def _times(page: Page, born: Born) -> tuple[datetime, datetime]:
    """When a page was made and last changed, in order with each other and with what it says.

    The earlier of birth and last change is when it was made; where the page itself states one of
    the two, the other is not put on the wrong side of it (MF310).
    """
    updated = (page.modified or datetime.now(UTC)).replace(microsecond=0)
    birth = born(page.name)
    created = min(updated, birth.astimezone(UTC).replace(microsecond=0)) if birth else updated
    stated_updated, stated_created = _stated(page, "updated"), _stated(page, "created")
    if stated_updated and is_before(stated_updated, _moment(created)):
        created = _instant(stated_updated) or created
    return created, not_before(stated_created, updated)


def not_before(created: Moment | None, time: datetime) -> datetime:
    """A time in UTC, or the first second that is not before a moment that is stated (MF310)."""
    if created and is_before(_moment(time), created):
        return _instant(created, after=True) or time
    return time


def _stated(page: Page, name: str) -> Moment | None:
    node = page.frontmatter.nodes.get(name)
    return read_moment(node.text) if isinstance(node, Scalar) else None


def _moment(time: datetime) -> Moment:
    return Moment(time.replace(tzinfo=None), "", timedelta(), whole_day=False)


def _instant(moment: Moment, *, after: bool = False) -> datetime | None:
    """The second of a moment, or the first one after it; without an offset it is taken as UTC."""
    try:
        local = moment.local - (moment.offset or timedelta())
        return (local + timedelta(seconds=after and moment.fraction != "")).replace(tzinfo=UTC)
    except OverflowError:  # before the first or after the last year
        return None


def rfc_3339(time: datetime) -> str:
    """A time in UTC, to the second, as the standard writes it (MF309)."""
    return time.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"

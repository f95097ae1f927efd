"""From a field to what a store has to know of its pages: who each one is, and whose child."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memoryfield_readers import Field, LimitExceeded, MemoryfieldError, Page, PageError

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_MOST_PARENT = 1_000
"""Characters of what a page names as its parent; more is no name and no uuid."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A page of a field as it stands.

    Attributes:
        id: its uuid in lower case, or its file name; see `Record.id`.
        name: its file name.
        text: its text.
        parent: see `Record.parent`.
        sha256: that of its bytes, in hexadecimal.
    """

    id: str
    name: str
    text: str
    parent: str | None
    sha256: str


@dataclass(frozen=True, slots=True)
class Sight:
    """All pages of a field, at one time.

    Attributes:
        name: the name of the field.
        location: where it was read from, as messages show it.
        pin: its field pin.
        pages: its pages, in the order of their names.
        unread: why pages that are there could not be read, by their names.
    """

    name: str
    location: str
    pin: str
    pages: tuple[Seen, ...]
    unread: Mapping[str, MemoryfieldError]


def sight_of(field: Field) -> Sight:
    """Read all pages of a field, and its pin.

    A page over a limit, or with a name that is not UTF-8, is left out and told.

    Raises:
        EmptyField: there is neither page nor attachment.
        PinMismatch: it is not what was pinned.
        SourceUnavailable: the source gives not all of it; SourceChanged: it is being written to.
        PageError: an entry at the root is no regular file, so that there is no pin.
    """
    field.prepare(field.pages)
    pages: list[Page] = []
    unread: dict[str, MemoryfieldError] = {}
    for name in field.pages:
        if not is_text(name):
            unread[name] = PageError(
                "has a name that is not UTF-8", location=field.location, entry=name
            )
            continue
        try:
            pages.append(field.page(name))
        except LimitExceeded as error:
            unread[name] = error
    ids = _ids(pages)
    seen = tuple(
        Seen(ids[page.name], page.name, page.text, _parent(page, ids), page.sha256)
        for page in pages
    )
    return Sight(field.name, field.location, field.digest(), seen, unread)


def uuid_of(page: Page) -> str | None:
    """The uuid that a page states, in lower case; None if it states none, or what is none."""
    return as_uuid(page.frontmatter.text("uuid"))


def as_uuid(stated: str | None) -> str | None:
    """What is stated as a uuid, in lower case; None if it is none."""
    return stated.lower() if stated is not None and _UUID.fullmatch(stated) else None


def is_text(text: str) -> bool:
    """Whether UTF-8 can carry a text: names of files may hold bytes that are none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _ids(pages: list[Page]) -> dict[str, str]:
    """The id of each page, by its name: a uuid that several pages state is no page's own."""
    uuids = {page.name: uuid for page in pages if (uuid := uuid_of(page)) is not None}
    count = Counter(uuids.values())
    return {
        page.name: uuids[page.name] if count[uuids.get(page.name, "")] == 1 else page.name
        for page in pages
    }


def _parent(page: Page, ids: Mapping[str, str]) -> str | None:
    """The id of the parent that a page names by uuid or by file name, with or without ending."""
    stated = page.frontmatter.text("parent")
    if not stated or len(stated) > _MOST_PARENT or not is_text(stated):
        return None
    if _UUID.fullmatch(stated):
        return stated.lower()
    return ids.get(stated) or ids.get(f"{stated}.md") or stated

"""What a search finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memoryfield_readers import FrontmatterState, MemoryfieldError, Page, as_unicode


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that answers a question, perhaps.

    Attributes:
        page: the page as it stands.
        score: more is better; it is comparable within one answer alone.
        distance: the cosine distance to the question; None where words alone found it.
        stale: whether the index has a row of another version of the page; it was not used (MF905).
        field: the name of the field.
        location: where the field is.
        pin: of the field as it was searched; None where all of it would have to be fetched first.
    """

    page: Page
    score: float
    distance: float | None
    stale: bool
    field: str
    location: str
    pin: str | None

    @property
    def filename(self) -> str:
        """The name of the page."""
        return self.page.name

    @property
    def frontmatter(self) -> Mapping[str, Any] | None:
        """The frontmatter; None where there is none that can be read."""
        block = self.page.frontmatter
        return block.fields if block.state is FrontmatterState.PARSED else None

    def as_result(self) -> dict[str, Any]:
        """A result as MF704 has it, with what this program adds; JSON can carry it."""
        return {
            "filename": as_unicode(self.filename),
            "frontmatter": self.frontmatter,
            "score": self.score,
            "distance": self.distance,
            "stale": self.stale,
            "field": as_unicode(self.field),
            "location": as_unicode(self.location),
            "pin": self.pin,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    Attributes:
        hits: the pages that were found, the best first.
        how: "semantic", "hybrid" or "lexical": what the ranking is by.
        notes: what a person should know of it, one line each.
        errors: what kept pages from being searched.
        nearest: the best page among those that were cut off; None if none was.
    """

    hits: tuple[Hit, ...]
    how: str
    notes: tuple[str, ...] = ()
    errors: tuple[MemoryfieldError, ...] = field(default=())
    nearest: Hit | None = None

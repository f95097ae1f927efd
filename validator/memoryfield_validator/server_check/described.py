"""What a search goes by: name, title and summary of a page, and which fields it has."""

from __future__ import annotations

from dataclasses import dataclass

from memoryfield_readers import FrontmatterState, Page


@dataclass(frozen=True, slots=True)
class Described:
    """What a search goes by.

    Attributes:
        name: the file name of the page.
        title: its title, where that is a string.
        summary: its summary, where that is a string.
        keys: the names of its fields; None where it has no frontmatter that can be used.
    """

    name: str
    title: str | None
    summary: str | None
    keys: frozenset[str] | None


def described(page: Page) -> Described:
    """What a search goes by, of a page."""
    frontmatter = page.frontmatter
    if frontmatter.state is not FrontmatterState.PARSED:
        return Described(page.name, None, None, None)
    fields = frontmatter.fields
    title, summary = (fields.get(each) for each in ("title", "summary"))
    return Described(
        page.name,
        title if isinstance(title, str) else None,
        summary if isinstance(summary, str) else None,
        frozenset(fields),
    )

"""A page that does not exist yet, from a title and a text (MF201, MF303)."""

from __future__ import annotations

import re
from datetime import datetime

from memoryfield_readers import FrontmatterState, InvalidBatch, Page, shown
from memoryfield_readers.names import PAGE_SUFFIX
from memoryfield_validator.fixes.missing_fields import block_of_lines, title_value
from memoryfield_validator.fixes.quoting import quoted
from memoryfield_validator.fixes.splices import line_end, spliced
from memoryfield_validator.fixes.titles import title_from_heading, title_from_name
from memoryfield_validator.naming import conforming_name

from .batch import AddPage
from .frontmatter import filled
from .frontmatter.filling import page_of

_HYPHENS = re.compile("-{2,}")


def name_for(title: str) -> str:
    """The name of a page with a title: `Carbon fibre woks` makes `carbon-fibre-woks.md`.

    Raises:
        InvalidBatch: no letter or digit of it can stand in a name.
    """
    name = _HYPHENS.sub("-", conforming_name(title + PAGE_SUFFIX))
    if name == conforming_name("") and title.strip().lower() != name.removesuffix(PAGE_SUFFIX):
        raise InvalidBatch(
            f"no page can be named after the title {shown(title)}",
            hint="give a name that ends in .md, and the title as --title",
        )
    return name


def new_page(
    name: str,
    now: datetime,
    *,
    title: str | None = None,
    summary: str | None = None,
    text: str | None = None,
) -> AddPage:
    """A page with its frontmatter filled in.

    Arguments:
        name: its file name.
        now: the time, aware of its zone.
        title: its title; None for that of the text's first heading, or else the name in words.
        summary: what it says, in a sentence; None for no such field.
        text: what it holds; the title becomes its heading where it has none. A text that begins
            with a frontmatter block of its own is kept as it is, but for fields that it lacks.

    Raises:
        InvalidBatch: title or summary is empty, or has what no line of text can have; or the text
            says them itself.
    """
    given = page_of((text or "").encode("utf-8", "surrogateescape"), name, now)
    if given.frontmatter.state is not FrontmatterState.ABSENT:
        if title is not None or summary is not None:
            raise InvalidBatch(
                "the text has a frontmatter block of its own",
                entry=name,
                hint="write title and summary there",
            )
        return AddPage(name, filled(given.raw, name, now))
    said = _line("title", title, name) or title_from_heading(given) or title_from_name(name)
    lines = [f"title: {title_value(said)}"]
    if summary is not None:
        lines.append(f"summary: {quoted(_line('summary', summary, name) or '')}")
    page = page_of(_with_heading(given, said), name, now)
    return AddPage(name, filled(spliced(page.raw, block_of_lines(page, lines)), name, now))


def _with_heading(page: Page, title: str) -> bytes:
    if title_from_heading(page) is not None:
        return page.raw
    end = line_end(page.text)
    heading = f"# {title}{end}"
    return (f"{heading}{end}".encode() + page.raw) if page.text.strip() else heading.encode()


def _line(what: str, text: str | None, name: str) -> str | None:
    """The text in one line; what YAML cannot carry is no part of a title or a summary."""
    if text is None:
        return None
    line = " ".join(text.split())
    if not line or not line.isprintable():
        wrong = "has a character that cannot be printed" if line else "is empty"
        raise InvalidBatch(f"the {what} {wrong}", entry=name, hint=f"write the {what} as text")
    return line

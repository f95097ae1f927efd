"""Pages for people: a page of a field, its front page, what a search found, the list of fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from memoryfield_readers import Frontmatter, FrontmatterState, Page

from ..answers import json_text
from .files import Described, Files, address
from .layout import Place, document, text
from .markdown import rendered

if TYPE_CHECKING:
    from memoryfield_index.searching import Answer

_MOST_LISTED: Final = 500
_MOST_FIELDS: Final = 40
_MOST_VALUE: Final = 500


def place_of(files: Files, *, several: bool) -> Place:
    """Where the pages of a field stand."""
    return Place(files.held.name, files.held.pin, several)


def page_html(files: Files, name: str, place: Place) -> bytes:
    """A page, rendered."""
    page = files.held.field.page(name)
    links = ((f"{address(name)}?raw=1", "This page as Markdown"),)
    return document(page.title, _article(files, page), place, links=links)


def front_html(files: Files, place: Place) -> bytes:
    """The index page, if the field has one, and the names of all pages."""
    field = files.held.field
    body = ""
    title = place.field or ""
    if "index.md" in field.pages:
        page = field.page("index.md")
        title = page.title if page.title != "index" else title
        body = _article(files, page)
    else:
        body = f"<h1>{text(title)}</h1>\n"
    return document(title, body + _pages(files), place)


def found_html(files: Files, question: str, answer: Answer | None, place: Place) -> bytes:
    """What a search found; without an answer, the search box alone."""
    if answer is None:
        return document("Search", "<h1>Search</h1>\n<p>Ask something above.</p>\n", place)
    count = len(answer.hits)
    told = "Nothing was found." if not count else f"{count} page{'s' if count > 1 else ''}."
    body = f'<h1>Search: {text(question)}</h1>\n<p role="status">{told}</p>\n'
    if count:
        body += '<ol class="found">\n' + "".join(_hit(hit.page) for hit in answer.hits) + "</ol>\n"
    return document(f"Search: {question}", body, place, question=question)


def missing_html(place: Place) -> bytes:
    """That there is no such page; what was asked for is not repeated."""
    body = "<h1>Not found</h1>\n<p>This field has nothing of that name. Search for it above.</p>\n"
    return document("Not found", body, place)


def fields_html(held: Iterable[Files]) -> bytes:
    """The fields that there are."""
    items = "".join(
        f'<li><a href="./{files.held.name}/">{text(files.held.name)}</a> '
        f"{len(files.held.field.pages)} pages<br><code>{text(files.held.pin)}</code></li>\n"
        for files in held
    )
    body = f'<h1>Fields</h1>\n<ul class="found">\n{items}</ul>\n'
    return document("memoryfields", body, Place())


def _article(files: Files, page: Page) -> str:
    block = page.frontmatter
    body = rendered(page.body, files.pictures())
    titled = "" if "<h1" in body else f"<h1>{text(page.title)}</h1>\n"
    return f'{_table(block)}<article lang="" dir="auto">\n{titled}{body}</article>\n'


def _table(block: Frontmatter) -> str:
    if block.state is FrontmatterState.BROKEN:
        return '<p class="broken">The frontmatter of this page cannot be read.</p>\n'
    if block.state is not FrontmatterState.PARSED or not block.fields:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{text(_value(name))}</th><td>{text(_value(value))}</td></tr>\n'
        for name, value in list(block.fields.items())[:_MOST_FIELDS]
    )
    return (
        f"<details>\n<summary>About this page</summary>\n<table>\n<tbody>\n{rows}</tbody>\n"
        "</table>\n</details>\n"
    )


def _value(value: object) -> str:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        shown = ", ".join(value)
    elif value is None or isinstance(value, dict | list | tuple | bool):
        shown = json_text(value)
    else:
        shown = str(value)
    return shown if len(shown) <= _MOST_VALUE else shown[: _MOST_VALUE - 3] + "..."


def _pages(files: Files) -> str:
    described: Sequence[Described] = files.described()
    items = "".join(
        f'<li><a href="{address(each.name)}">{text(each.title)}</a></li>\n'
        for each in described[:_MOST_LISTED]
    )
    if not items:
        return ""
    rest = len(described) - _MOST_LISTED
    more = f"<p>{rest} more pages are found by searching.</p>\n" if rest > 0 else ""
    return f'<nav aria-label="Pages">\n<h2>Pages</h2>\n<ul>\n{items}</ul>\n{more}</nav>\n'


def _hit(page: Page) -> str:
    summary = page.frontmatter.text("summary")
    told = f"<p>{text(summary[:_MOST_VALUE])}</p>" if summary else ""
    return (
        f'<li><a href="{address(page.name)}">{text(page.title)}</a> '
        f"<code>{text(page.name)}</code>{told}</li>\n"
    )

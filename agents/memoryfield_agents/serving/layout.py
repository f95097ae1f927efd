"""The frame of all pages for people: where one is, a search box, and that the text is unproved."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from memoryfield_readers import as_unicode, visible


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page stands.

    Attributes:
        field: the name of the field; None for the list of fields.
        pin: its field pin.
        several: whether there are other fields.
    """

    field: str | None = None
    pin: str = ""
    several: bool = False


def text(raw: str) -> str:
    """Text in HTML: nothing in it is markup, and what is invisible or turns direction is shown."""
    return escape(visible(as_unicode(raw)))


def document(
    title: str,
    body: str,
    place: Place,
    *,
    question: str = "",
    links: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """A whole page.

    Its own ids begin with `layout:`, and a colon is in none of those that headings get.

    Arguments:
        title: its title, as text.
        body: what stands in the middle, as HTML.
        place: where it stands.
        question: what the search box holds.
        links: addresses and texts of links at the foot, beside those of the field.
    """
    of_field = f" - {place.field}" if place.field and place.field != title else ""
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title + of_field)}</title>\n"
        '<link rel="stylesheet" href="./-/style.css">\n'
        '<link rel="icon" href="./-/icon.svg" type="image/svg+xml">\n'
        '</head>\n<body>\n<a class="skip" href="#layout:text">Skip to the text</a>\n',
        _header(place, question),
        f'<main id="layout:text" tabindex="-1">\n{body}</main>\n',
        _footer(place, links),
        "</body>\n</html>\n",
    ]
    return "".join(parts).encode("utf-8", "replace")


def _header(place: Place, question: str) -> str:
    if place.field is None:
        return '<header>\n<p class="field">memoryfields</p>\n</header>\n'
    fields = '<a href="../">All fields</a> / ' if place.several else ""
    return (
        '<header>\n<nav aria-label="Field">'
        f'<p class="field">{fields}<a href="./">{text(place.field)}</a></p></nav>\n'
        '<form role="search" action="./search" method="get">\n'
        '<label for="layout:q">Search</label>\n'
        f'<input type="search" id="layout:q" name="q" maxlength="2000" value="{text(question)}">\n'
        '<button type="submit">Search</button>\n</form>\n</header>\n'
    )


def _footer(place: Place, links: tuple[tuple[str, str], ...]) -> str:
    if place.field is None:
        return ""
    own = (*links, ("./memoryfield.zip", "The field as an archive"), ("./listing.json", "Listing"))
    listed = "".join(f'<li><a href="{escape(href)}">{text(name)}</a></li>\n' for href, name in own)
    return (
        "<footer>\n"
        f'<p class="notice">Unverified text of the field {text(place.field)}, '
        f"pin <code>{text(place.pin)}</code></p>\n<ul>\n{listed}</ul>\n</footer>\n"
    )

"""`memoryfield read`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import (
    Limits,
    MemoryfieldError,
    Page,
    PinMismatch,
    Pins,
    SourceUnavailable,
    as_unicode,
    visible,
    visible_lines,
)

from ..noting_options import Wanted, shown_notes_options
from ..noting_output import print_note
from ..noting_reading import notes_shown
from ..opening import opened
from ..options import format_option, limits_option, location_argument, pin_options, source_options
from ..output import complain, print_bytes, print_json, say, timestamp

if TYPE_CHECKING:
    from memoryfield_notes.showing import Shown


@click.command(
    epilog="""\b
Examples:
  memoryfield read my-field/ index.md
  memoryfield read --format json notes.memoryfield.zip a.md b.md
  memoryfield read --raw my-field/ index.md > index.md
"""
)
@location_argument
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@format_option("text", "json")
@click.option(
    "--raw", is_flag=True, help="Print the bytes of the pages exactly as they are, and no notes."
)
@shown_notes_options
@limits_option
@source_options
@pin_options
def command(
    location: str,
    pages: tuple[str, ...],
    form: str,
    raw: bool,
    noting: Wanted,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Print pages of a field, in the order asked for.

    As text, control and invisible characters are shown escaped. As JSON, frontmatter and body are
    apart. If you keep a note on a page (see `memoryfield note`), it stands above the page, each
    line behind a "|", and it is said whether the page has changed since. A page that cannot be had
    is reported, the others are printed, and the exit code is 4; if one is not what was pinned, none
    is printed, and it is 3.
    """
    if raw and form == "json":
        raise click.UsageError("--raw and --format json exclude each other")
    found: list[Page] = []
    exit_code = 0
    with (
        opened(location, limits, storage_options, pins, offline) as field,
        notes_shown(location, noting if not raw else Wanted(none=True), limits) as notes,
    ):
        names = pages
        try:
            field.prepare(name for name in pages if name in field.entries)
        except SourceUnavailable as error:  # nothing more is to be had: what came is printed
            complain(error)
            exit_code = error.exit_code
            names = tuple(name for name in pages if name in error.got)
        for name in names:
            try:
                found.append(field.page(name))
            except PinMismatch:
                raise  # who is being fooled about one page is shown none
            except MemoryfieldError as error:
                complain(error)
                exit_code = max(exit_code, error.exit_code)
        on_pages = {page.name: notes.of(page, field.pages) for page in found} if notes else {}
        if form == "json":
            answer = {"version": 1, "location": as_unicode(field.location)}
            shown = [_as_json(page, on_pages.get(page.name)) for page in found]
            print_json({**answer, "pages": shown})
    if form == "text":
        for page in found:
            note = on_pages.get(page.name)
            if note is not None:
                print_note(page.name, note)
            _print(page, raw=raw, heading=len(pages) > 1 or note is not None)
    sys.exit(exit_code)


def _print(page: Page, *, raw: bool, heading: bool) -> None:
    if raw:
        print_bytes(page.raw)
        return
    if heading:
        say(f"==> {visible(page.name)} <==", bold=True)
    text = visible_lines(page.text)
    say(text, end="" if text.endswith("\n") else "\n")


def _as_json(page: Page, note: Shown | None) -> dict[str, Any]:
    frontmatter = page.frontmatter
    error = frontmatter.error
    return {
        "name": as_unicode(page.name),
        "sha256": page.sha256,
        "size": len(page.raw),
        "modified": timestamp(page.modified),
        "title": page.title,
        "state": frontmatter.state.value,
        "frontmatter": frontmatter.fields if frontmatter.state.value == "parsed" else None,
        "error": None
        if error is None
        else {
            "rule": error.rule,
            "message": error.message,
            "line": error.position.line,
            "column": error.position.column,
        },
        "body": page.body,
        **({} if note is None else {"reader_note": note.to_json()}),
    }

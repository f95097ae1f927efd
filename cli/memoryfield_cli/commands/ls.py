"""`memoryfield ls`."""

from __future__ import annotations

import sys
from typing import Any

import click

from memoryfield_readers import (
    Field,
    Limits,
    MemoryfieldError,
    PinMismatch,
    Pins,
    SourceUnavailable,
    as_unicode,
    visible,
)

from ..opening import opened
from ..options import format_option, limits_option, location_argument, pin_options, source_options
from ..output import complain, print_json, say, timestamp, warn


@click.command(
    epilog="""\b
Examples:
  memoryfield ls my-field/
  memoryfield ls --long notes.memoryfield.zip
  memoryfield ls --all --format json my-field/
"""
)
@location_argument
@click.option("--long", is_flag=True, help="Also show size, time of last change, and title.")
@click.option(
    "--dates",
    is_flag=True,
    help="As --long, and ask for times that the listing has not, which may take long.",
)
@click.option("--all", "everything", is_flag=True, help="Also list what is no page.")
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def command(
    location: str,
    long: bool,
    dates: bool,
    everything: bool,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """List the pages of a field, in the order of their names.

    Exits with 1 if there is none. What is no regular file is reported; with --long and as JSON, so
    is a page that cannot be read. The exit code is then that of the error. With --dates, times that
    only asking can tell (the last commit of each page, on GitHub) are asked for. If a page is not
    what was pinned, none is listed with what is in it, and the exit code is 3.
    """
    exit_code = 0
    long = long or dates
    with opened(location, limits, storage_options, pins, offline) as field:
        rows = _rows(field, everything=everything)
        if long or form == "json":
            exit_code = _add_details(rows, field, dated=dates)
        if form == "json":
            entries = [{**row, "name": as_unicode(str(row["name"]))} for row in rows]
            answer = {"version": 1, "location": as_unicode(field.location)}
            print_json({**answer, "entries": entries})
        else:
            for row in rows:
                say(_line(row, long=long))
        for entry in field.irregular:
            complain(error := field.error_for(entry))
            exit_code = max(exit_code, error.exit_code)
    if not rows and not exit_code:
        warn(f"{location}: there is no page")
        exit_code = 1
    sys.exit(exit_code)


def _rows(field: Field, *, everything: bool) -> list[dict[str, object]]:
    groups = [("page", field.pages)]
    if everything:
        groups += [("attachment", field.attachments), ("index", field.indexes)]
        groups += [("debris", field.debris), ("directory", tuple(f"{f}/" for f in field.folders))]
        groups += [("irregular", tuple(entry.path for entry in field.irregular))]
    return [_row(field, name, role) for role, names in groups for name in names]


def _row(field: Field, name: str, role: str) -> dict[str, object]:
    entry = field.entries.get(name)
    size = None if entry is None else entry.size
    modified = None if entry is None else timestamp(entry.modified)
    return {"name": name, "role": role, "size": size, "modified": modified, "title": None}


def _add_details(rows: list[dict[str, object]], field: Field, *, dated: bool) -> int:
    """Add what only reading tells: titles, and sizes and times that the listing has not.

    A file that cannot be had is reported, and keeps no other from being listed.
    """
    listed = {str(row["name"]): row for row in rows if row["name"] in field.entries}
    wanted = [n for n, row in listed.items() if row["role"] == "page" or not row["size"]]
    exit_code = 0
    try:
        field.prepare(wanted)
    except SourceUnavailable as error:  # nothing more is to be had
        complain(error)
        exit_code = error.exit_code
        wanted = [name for name in wanted if name in error.got]
    for name in wanted:
        try:
            _add_detail(listed[name], field, dated=dated)
        except PinMismatch:
            raise  # who is being fooled about one page is shown none
        except MemoryfieldError as error:
            complain(error)
            exit_code = max(exit_code, error.exit_code)
    return exit_code


def _add_detail(row: dict[str, object], field: Field, *, dated: bool) -> None:
    name = str(row["name"])
    if row["role"] == "page":
        row["title"] = field.page(name).title
    entry = field.entry(name, dated=dated)
    row["size"], row["modified"] = entry.size, timestamp(entry.modified)


def _line(row: dict[str, object], *, long: bool) -> str:
    name = visible(str(row["name"]))
    if not long:
        return name
    note = row["title"] or f"({row['role']})"
    size, modified = ("" if row[key] is None else row[key] for key in ("size", "modified"))
    return f"{size:>9}  {modified:<20}  {name}  {visible(str(note))}"

"""`memoryfield ls`."""

from __future__ import annotations

import sys

import click

from memoryfield_readers import Field, Limits, open_field, visible

from ..options import format_option, limits_option, location_argument
from ..output import as_unicode, print_json, say, warn


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
@click.option("--all", "everything", is_flag=True, help="Also list what is no page.")
@format_option("text", "json")
@limits_option
def command(location: str, long: bool, everything: bool, form: str, limits: Limits) -> None:
    """List the pages of a field, in the order of their names.

    Exits with 1 if there is none.
    """
    with open_field(location, limits=limits) as field:
        rows = _rows(field, everything=everything, titles=long)
        if form == "json":
            print_json([{**row, "name": as_unicode(str(row["name"]))} for row in rows])
        else:
            for row in rows:
                say(_line(row, long=long))
    if not rows:
        warn(f"{location}: there is no page")
        sys.exit(1)


def _rows(field: Field, *, everything: bool, titles: bool) -> list[dict[str, object]]:
    groups = [("page", field.pages)]
    if everything:
        groups += [("attachment", field.attachments), ("index", field.indexes)]
        groups += [("debris", field.debris), ("folder", field.folders)]
        groups += [("irregular", tuple(entry.path for entry in field.irregular))]
    return [_row(field, name, role, titles=titles) for role, names in groups for name in names]


def _row(field: Field, name: str, role: str, *, titles: bool) -> dict[str, object]:
    row: dict[str, object] = {"name": name, "role": role}
    entry = field.entries.get(name)
    if entry is not None:
        row["size"] = entry.size
        row["modified"] = entry.modified.isoformat().replace("+00:00", "Z")
    if titles and role == "page":
        row["title"] = field.page(name).title
    return row


def _line(row: dict[str, object], *, long: bool) -> str:
    name = visible(str(row["name"]))
    if not long:
        return name
    note = row.get("title") or f"({row['role']})"
    size, modified = row.get("size", ""), row.get("modified", "")
    return f"{size:>9}  {modified:<20}  {name}  {visible(str(note))}"

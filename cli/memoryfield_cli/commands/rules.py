"""`memoryfield rules`."""

from __future__ import annotations

import click

from memoryfield_spec import catalogue

from ..options import format_option
from ..output import print_json, say


@click.command(
    epilog="""\b
Examples:
  memoryfield rules
  memoryfield rules MF3 MF6
  memoryfield rules --format json
"""
)
@click.argument("prefixes", nargs=-1, metavar="[PREFIX]...")
@format_option("text", "json")
def command(prefixes: tuple[str, ...], form: str) -> None:
    """List the requirements of the standard, or those whose id begins with a PREFIX.

    A `+` marks what this standard adds to the public draft; a `*` what `validate` checks.
    """
    from memoryfield_validator import matching, registered

    chosen = matching(prefixes) if prefixes else frozenset(catalogue())
    checked = registered()
    wanted = [entry for id, entry in catalogue().items() if id in chosen]
    if form == "json":
        requirements = [
            {
                "id": entry.id,
                "level": entry.level,
                "origin": entry.origin,
                "title": entry.title,
                "checked": entry.id in checked,
            }
            for entry in wanted
        ]
        print_json({"version": 1, "requirements": requirements})
        return
    for entry in wanted:
        origin = "+" if entry.origin == "kit" else " "
        mark = "*" if entry.id in checked else " "
        say(f"{entry.id}{origin}{mark} {entry.level:<8} {entry.title}")

"""`memoryfield validate`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..checking import (
    Wanted,
    check_options,
    ids,
    refuse_to_check_nothing,
    refuse_unclear_pins,
    run,
    settings_of,
)
from ..fixer import Fixer

if TYPE_CHECKING:
    from memoryfield_validator import Profile


@click.command(
    epilog="""\b
Examples:
  memoryfield validate my-field/
  memoryfield validate --fail-on warning notes.memoryfield.zip
  memoryfield validate --select MF3 --ignore MF303 my-field/
  memoryfield validate --format json my-field/ other.memoryfield.zip
  memoryfield validate --format sarif:out.sarif --format text my-field/
  memoryfield validate --each --jobs 4 fields/
  memoryfield validate --diff my-field/
  memoryfield validate --fix my-field/
  cat notes.memoryfield.zip | memoryfield validate -
"""
)
@click.option("--select", multiple=True, metavar="IDS", help="Check these alone: MF304, MF3, ...")
@check_options
@click.option("--fix", is_flag=True, help="Mend what has one right answer, then check.")
@click.option(
    "--diff", is_flag=True, help="Show what --fix would change, as a patch; write nothing."
)
@click.option("--audit", is_flag=True, help="Review the content too: the rules MF8.")
@click.option(
    "--profile",
    type=click.Choice(["kit", "draft-0.1"]),
    default="kit",
    show_default=True,
    help="Judge by this standard, or by the public draft alone.",
)
def command(
    select: tuple[str, ...],
    fix: bool,
    diff: bool,
    audit: bool,
    profile: Profile,
    **options: Any,
) -> None:
    """Check fields against the standard.

    A LOCATION is a folder, a ZIP archive, a URL of either wherever it is (https://, s3://,
    github://, git+https://, ...), a pattern such as 'fields/*', or - for an archive on stdin.
    Exits with 0 if nothing at level error was found, with 1 if something was, with 4 if something
    could not be read.

    --fix changes single lines of pages in folders: it quotes what YAML misreads, adds what is
    missing, renames pages and the links to them. What is left is reported.

    Settings come from the nearest memoryfield.toml or [tool.memoryfield] of a pyproject.toml, in
    this folder or above it; options win.
    """
    from dataclasses import replace

    from memoryfield_validator import Request, expand

    wanted = Wanted(**options)
    locations = expand(wanted.locations, each=wanted.each)
    settings = settings_of(wanted, locations)
    if select:
        settings = replace(settings, select=ids(select))
    refuse_to_check_nothing(settings, audit=audit)
    refuse_unclear_pins(wanted, locations, writes=fix or diff)
    request = Request(
        settings,
        audit,
        profile,
        wanted.unused_ignores,
        wanted.storage_options,
        wanted.pins,
        wanted.offline,
    )
    fixer = Fixer(writes=not diff) if fix or diff else None
    sys.exit(run(wanted, request, locations, fixer=fixer))

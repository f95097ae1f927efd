"""`memoryfield validate`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memoryfield_readers import Limits, MemoryfieldError, inspect_field
from memoryfield_spec import Level

from ..options import LOCATION, format_option, limits_option
from ..output import complain, say
from ..progress import progress_bar

if TYPE_CHECKING:
    from rich.console import Console

    from memoryfield_validator import Profile, Report

_BAR_FROM_PAGES = 1000


@click.command(
    epilog="""\b
Examples:
  memoryfield validate my-field/
  memoryfield validate --fail-on warning notes.memoryfield.zip
  memoryfield validate --select MF3 --ignore MF303 my-field/
  memoryfield validate --format json my-field/ other.memoryfield.zip
"""
)
@click.argument("locations", nargs=-1, required=True, type=LOCATION, metavar="LOCATION...")
@format_option("text", "json")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="The mildest level of a finding that makes the exit code 1.",
)
@click.option("--select", multiple=True, metavar="IDS", help="Check these alone: MF304, MF3, ...")
@click.option("--ignore", multiple=True, metavar="IDS", help="Do not check these.")
@click.option(
    "--profile",
    type=click.Choice(["kit", "draft-0.1"]),
    default="kit",
    show_default=True,
    help="Judge by this standard, or by the public draft alone.",
)
@limits_option
def command(
    locations: tuple[str, ...],
    form: str,
    fail_on: Level,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    profile: Profile,
    limits: Limits,
) -> None:
    """Check fields against the standard.

    A LOCATION is a folder, a ZIP archive or a file:// URL of either. Exits with 0 if nothing at
    level error was found, with 1 if something was, with 4 if something could not be read.
    """
    from memoryfield_validator import checked, rule_set, validate
    from memoryfield_validator.reports import print_text, render_json

    chosen, left_out = _ids(select), _ids(ignore)
    rule_set(select=chosen, ignore=left_out)  # a wrong id is wrong usage, whatever the locations
    console = _console() if form == "text" else None
    reports: list[Report] = []
    exit_code = 0
    for location in locations:
        try:
            with inspect_field(location, limits=limits) as field:
                with progress_bar("Checking", len(field.pages), least=_BAR_FROM_PAGES) as step:
                    report = validate(
                        field,
                        select=chosen,
                        ignore=left_out,
                        profile=profile,
                        progress=lambda name: step(),
                    )
                outcome = checked(report, field)
                if console is not None:  # the bar is gone by now
                    print_text(outcome, console)
        except MemoryfieldError as error:
            complain(error)
            exit_code = max(exit_code, error.exit_code)
            continue
        reports.append(report)
        for problem in report.unread:
            complain(problem)
            exit_code = max(exit_code, 4)
        if report.has(fail_on):
            exit_code = max(exit_code, 1)
    if form == "json" and reports:
        say(render_json(reports, several=len(locations) > 1))
    sys.exit(exit_code)


def _ids(values: tuple[str, ...]) -> list[str] | None:
    """The ids of an option that may be repeated and may hold several, with commas between."""
    ids = [id.strip() for value in values for id in value.split(",") if id.strip()]
    return ids or (list(values) or None)  # an option that names no id is no option left out


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)

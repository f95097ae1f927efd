"""`memoryfield check-server`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Pins

from ..checking import Wanted, ids, run, server_options
from ..progress import server_bar
from ..text_output import Wording

if TYPE_CHECKING:
    from memoryfield_validator import Checked, Settings

_WORDING = Wording("without errors", "with errors")
_NOT_OF_SERVERS: Mapping[str, Any] = {
    "config": None,
    "no_config": True,
    "unused_ignores": False,
    "each": False,
    "jobs": None,
    "pins": Pins(),
    "offline": False,
}
"""What can be asked of fields alone."""


@click.command(
    epilog="""\b
Examples:
  memoryfield check-server http://127.0.0.1:8000/
  memoryfield check-server --fail-on warning http://127.0.0.1:8000/cookware/
  memoryfield check-server --select MF704,MF705 --format json http://127.0.0.1:8000/
"""
)
@server_options
@click.option("--select", multiple=True, metavar="IDS", help="Check these alone: MF704, MF706, ...")
@click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True, max=86_400),
    metavar="SECONDS",
    default=300.0,
    show_default="300",
    help="How long the check of one server may take in all.",
)
def command(select: tuple[str, ...], deadline: float, **options: Any) -> None:
    """Check servers of fields against the standard: the rules MF7.

    A URL is the address of one field. Its pages, its archive, its search and its answers to
    conditions and ranges are asked for, with the credentials that this machine has for the host.
    So are paths that try to leave the field (MF706): check servers that are yours to ask.

    Exits with 0 if nothing at level error was found, with 1 if something was, with 4 if the server
    cannot be had, or not all could be asked. Settings files do not count here.
    """
    from memoryfield_validator import Request
    from memoryfield_validator.server_check import server_rules

    wanted = Wanted(**options, **_NOT_OF_SERVERS)
    settings = _settings(wanted, select)
    if not server_rules(select=settings.select, ignore=settings.ignore):
        raise click.UsageError("all that is selected is ignored: nothing would be checked")
    request = Request(settings, storage_options=wanted.storage_options)
    checked = _outcomes(wanted, settings, deadline)
    sys.exit(run(wanted, request, wanted.locations, checked=checked, wording=_WORDING))


def _settings(wanted: Wanted, select: tuple[str, ...]) -> Settings:
    from memoryfield_validator import Settings

    settings = Settings()
    return replace(
        settings,
        select=ids(select),
        ignore=ids(wanted.ignore),
        fail_on=wanted.fail_on or settings.fail_on,
        limits=settings.limits.with_settings(wanted.limits),
    )


def _outcomes(wanted: Wanted, settings: Settings, deadline: float) -> Iterator[Checked]:
    """What comes of each server, one after the other."""
    from memoryfield_validator.server_check import server_checked

    for url in dict.fromkeys(wanted.locations):
        with server_bar() as watch:
            outcome = server_checked(
                url,
                storage_options=wanted.storage_options,
                select=settings.select,
                ignore=settings.ignore,
                limits=settings.limits,
                seconds=deadline,
                watch=watch,
            )
        yield outcome

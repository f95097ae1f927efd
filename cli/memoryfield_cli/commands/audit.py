"""`memoryfield audit`."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..checking import (
    Wanted,
    check_options,
    refuse_to_check_nothing,
    refuse_unclear_pins,
    run,
    settings_of,
)
from ..text_output import Wording

_WORDING = Wording(
    "without errors",
    "with errors",
    "reviewed by the rules MF8 alone: `memoryfield validate` checks the others",
)


@click.command(
    epilog="""\b
Examples:
  memoryfield audit my-field/
  memoryfield audit --fail-on warning notes.memoryfield.zip
  memoryfield audit --ignore MF805 --format sarif:audit.sarif my-field/
"""
)
@check_options
def command(**options: Any) -> None:
    """Review what is written in fields, before a model reads it.

    Looks in the pages, not in attachments or sub-folders, for invisible characters, orders to the
    reading model, ways out for data, secrets, active HTML and look-alike host names: the rules MF8,
    and no others. A finding is a reason to look, not a proof; that nothing is found is no proof
    either. No list of patterns stops a determined author: read what you are given, then pin it.
    """
    from dataclasses import replace

    from memoryfield_validator import REVIEW, Request, expand

    wanted = Wanted(**options)
    locations = expand(wanted.locations, each=wanted.each)
    settings = replace(settings_of(wanted, locations), select=(REVIEW,))
    refuse_to_check_nothing(settings, audit=True)
    refuse_unclear_pins(wanted, locations)
    request = Request(
        settings,
        watch_ignores=wanted.unused_ignores,
        storage_options=wanted.storage_options,
        pins=wanted.pins,
        offline=wanted.offline,
    )
    sys.exit(run(wanted, request, locations, wording=_WORDING))

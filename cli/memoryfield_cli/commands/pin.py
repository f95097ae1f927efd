"""`memoryfield pin`."""

from __future__ import annotations

import sys
from typing import Any

import click

from memoryfield_readers import Limits, as_unicode

from ..opening import opened
from ..options import format_option, limits_option, location_argument, source_options
from ..output import print_json, say, warn


@click.command(
    epilog="""\b
Examples:
  memoryfield pin my-field/
  memoryfield pin notes.memoryfield.zip
  memoryfield pin --format json notes.memoryfield.zip

\b
The same with coreutils, in the folder of a field of pages alone, and of an archive:
  (export LC_ALL=C; sha256sum *.md | sha256sum)
  sha256sum notes.memoryfield.zip
"""
)
@location_argument
@format_option("text", "json")
@limits_option
@source_options
def command(location: str, form: str, limits: Limits, storage_options: dict[str, Any]) -> None:
    """Print the pins of a field as it is now, one a line: what to give to --pin later.

    The field pin (field-sha256:) is the same however the field travels; of an archive, the archive
    pin (sha256:) follows. Review what you pin: a pin proves that it is the same, not that it is
    good. Exits with 1 if LOCATION holds nothing that could be pinned.
    """
    with opened(location, limits, storage_options) as field:
        if not field.pages and not field.attachments and not field.irregular:
            warn(f"{location}: there is no page to pin")
            sys.exit(1)
        digest, archive_pin = field.digest(), field.archive_digest()
        if form == "json":
            answer = {"version": 1, "location": as_unicode(field.location)}
            print_json({**answer, "digest": digest, "archive_pin": archive_pin})
        else:
            say(digest)
            if archive_pin is not None:
                say(archive_pin)

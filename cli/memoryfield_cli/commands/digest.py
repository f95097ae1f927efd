"""`memoryfield digest`."""

from __future__ import annotations

import sys
from typing import Any

import click

from memoryfield_readers import Field, Limits, Pins, as_unicode, visible_lines

from ..opening import opened
from ..options import format_option, limits_option, location_argument, pin_options, source_options
from ..output import print_bytes, print_json, say, warn


@click.command(
    epilog="""\b
Examples:
  memoryfield digest my-field/
  memoryfield digest --manifest notes.memoryfield.zip | sha256sum
  memoryfield digest --archive notes.memoryfield.zip

\b
In the folder of a field of pages alone, coreutils agree:
  (export LC_ALL=C; sha256sum *.md | sha256sum)
"""
)
@location_argument
@click.option("--manifest", is_flag=True, help="Print the lines that the pin is made from.")
@click.option("--archive", is_flag=True, help="Print the archive pin alone, as text.")
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def command(
    location: str,
    manifest: bool,
    archive: bool,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Print the field pin: the same for a folder and for every archive of it.

    As JSON, the archive pin stands beside it, and with --manifest the hash of each file. Exits
    with 1 if LOCATION holds nothing that could be pinned.
    """
    if archive and (manifest or form == "json"):
        raise click.UsageError("--archive goes neither with --manifest nor with --format json")
    with opened(location, limits, storage_options, pins, offline) as field:
        if archive:
            pin = field.archive_digest()
            if pin is None:
                raise click.UsageError("--archive needs an archive, not a folder")
            say(pin)
        elif not field.pages and not field.attachments and not field.irregular:
            warn(f"{location}: there is no page to pin")
            sys.exit(1)
        elif form == "json":
            print_json(_as_json(field, manifest=manifest))
        elif manifest:
            _print_manifest(field.manifest().text)
        else:
            say(field.digest())


def _as_json(field: Field, *, manifest: bool) -> dict[str, Any]:
    lines = field.manifest()
    answer = {
        "version": 1,
        "location": as_unicode(field.location),
        "digest": lines.digest,
        "archive_pin": field.archive_digest(),
    }
    if manifest:
        hashes = lines.hashes.items()
        answer["manifest"] = [{"name": as_unicode(n), "sha256": digest} for n, digest in hashes]
    return answer


def _print_manifest(lines: str) -> None:
    """Print the lines exactly, for names are hashed as they are; on a terminal, escaped."""
    if sys.stdout.isatty():
        say(visible_lines(lines), end="")
    else:
        print_bytes(lines.encode("utf-8", "surrogateescape"))

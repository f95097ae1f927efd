"""`memoryfield snapshot`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import (
    Field,
    LimitExceeded,
    Limits,
    Pins,
    as_unicode,
    visible,
    visible_lines,
)

from ..opening import opened
from ..options import format_option, limits_option, location_argument, pin_options, source_options
from ..output import print_bytes, print_json, say
from ..standard_input import STDIN

if TYPE_CHECKING:
    from memoryfield_agents.snapshots import Check, Recorded, Snapshot

_LIMIT = "file-bytes"


@click.command(
    epilog="""\b
Examples:
  memoryfield snapshot my-field/ > block.txt
  memoryfield snapshot --budget 8000 --name notes notes.memoryfield.zip
  memoryfield snapshot --pages index.md,a.md notes.memoryfield.zip
  memoryfield snapshot my-field/ | memoryfield snapshot my-field/ --check -
"""
)
@location_argument
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    show_default="24000",
    help="How many bytes the block has at most.",
)
@click.option(
    "--pages",
    multiple=True,
    metavar="PAGE,...",
    help="The pages that may be in it, in this order; the others are listed.",
)
@click.option("--name", metavar="NAME", help="What to call the field in it.")
@click.option(
    "--check",
    "checked",
    type=click.Path(readable=False),
    metavar="FILE",
    help="Say whether the field has moved on since the snapshot in this file; - is stdin.",
)
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def command(
    location: str,
    budget: int | None,
    pages: tuple[str, ...],
    name: str | None,
    checked: str | None,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Print a field as one block of text for a prompt.

    The same field pin and the same options give the same bytes, wherever the field lives, so that
    prompts which begin with it are found in a cache. index.md comes first, then the pages in the
    order of their names, each whole or not at all; what does not fit is listed. No page can end its
    own frame.

    With --check, exits with 0 if the field is the one in the snapshot, with 1 if it has moved on,
    and says which pages have; with 3 if a text in the snapshot is not what its hash says.
    """
    if checked is not None:
        if budget is not None or pages or name is not None:
            raise click.UsageError("--check goes with none of --budget, --pages and --name")
        if STDIN == checked == location:
            raise click.UsageError("the field and the snapshot cannot both come from stdin")
        _check(checked, location, form, (limits, storage_options, pins, offline))
        return
    if any(not value.strip(",") for value in pages):
        raise click.UsageError("--pages names no page")
    if name == "":
        raise click.UsageError("--name is empty: leave it out for a block without a name")
    from memoryfield_agents.snapshots import DEFAULT_BUDGET, snapshot

    with opened(location, limits, storage_options, pins, offline) as field:
        taken = snapshot(
            field,
            budget=DEFAULT_BUDGET if budget is None else budget,
            pages=list(_names(pages, field)) if pages else None,
            name=name,
        )
        if form == "json":
            print_json(_as_json(taken, field))
    if form == "text":
        _print(taken.text)


def _names(pages: Iterable[str], field: Field) -> Iterable[str]:
    """The names in values such as "a.md,b.md"; one that is a page with a comma is that page."""
    for value in pages:
        if value in field.entries:
            yield value
        else:
            yield from (name for name in value.split(",") if name)


def _print(text: str) -> None:
    """Print the bytes that count; on a terminal, escaped."""
    if sys.stdout.isatty():
        say(visible_lines(text), end="")
    else:
        print_bytes(text.encode())


def _as_json(taken: Snapshot, field: Field) -> dict[str, Any]:
    def hashes(names: Iterable[str]) -> list[dict[str, str]]:
        return [{"name": as_unicode(name), "sha256": field.sha256(name)} for name in names]

    return {
        "version": 1,
        "location": as_unicode(field.location),
        "digest": taken.digest,
        "bytes": len(taken.text.encode()),
        "included": hashes(taken.included),
        "left_out": hashes(taken.left_out),
        "text": taken.text,
    }


def _check(checked: str, location: str, form: str, how: tuple[Any, ...]) -> None:
    from memoryfield_agents.snapshots import AlteredSnapshot, check

    limits, *_ = how
    recorded = _recorded(checked, limits)
    with opened(location, *how) as field:
        try:
            found = check(recorded, field)
        except AlteredSnapshot as error:
            error.location = checked
            raise
        where = as_unicode(field.location)
    pages = {
        kind: list(map(as_unicode, getattr(found, kind)))
        for kind in ("changed", "removed", "added", "unnamed")
    }
    if form == "json":
        answer = {"version": 1, "location": where, "same": found.same}
        print_json({**answer, "before": found.before, "now": found.now, **pages})
    else:
        _tell(found)
    sys.exit(0 if found.same else 1)


def _tell(found: Check) -> None:
    if found.same:
        say(f"same {found.now}")
        return
    for word, names in (
        ("changed", found.changed),
        ("removed", found.removed),
        ("added", found.added),
        ("added, or not named in the snapshot", found.unnamed),
    ):
        for name in names:
            say(f"{word}: {visible(name)}")
    if not (found.changed or found.removed or found.added or found.unnamed):
        say("changed: nothing but what the snapshot does not name, such as attachments")
    say(f"moved on: {found.before} is now {found.now}")


def _recorded(checked: str, limits: Limits) -> Recorded:
    """What the file says; what is wrong with it is told with its name."""
    from memoryfield_agents.snapshots import AlteredSnapshot, NotASnapshot, parse

    content = _content(checked, limits.file_bytes)
    try:
        return parse(content.decode())
    except UnicodeDecodeError:
        raise NotASnapshot("is no snapshot: it is not UTF-8", location=checked) from None
    except (AlteredSnapshot, NotASnapshot) as error:
        error.location = checked
        raise


def _content(checked: str, most: int) -> bytes:
    from memoryfield_readers.system_errors import error_of

    from ..writing import content_from_stdin, read_bounded

    if checked == STDIN:
        return content_from_stdin(most, _LIMIT)
    try:
        with open(checked, "rb") as file:
            content = read_bounded(file, most)
    except OSError as error:
        raise error_of(error, location=checked) from error
    if content is None:
        hint = f"raise the limit with --limit {_LIMIT}=NUMBER"
        raise LimitExceeded(f"more than {most} bytes", location=checked, hint=hint)
    return content

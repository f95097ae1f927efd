"""`memoryfield edit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import BatchRejected, NotFound

from ..editing import copy_for_editing
from ..options import location_argument
from ..output import print_json, warn
from ..writing import applied, looked_at, refuse_stdin, tell
from ..writing_options import Writing, stamp_option, writing_options

if TYPE_CHECKING:
    from memoryfield_readers import Page


@click.command(
    epilog="""\b
Examples:
  memoryfield edit my-field/ index.md
  memoryfield edit notes.memoryfield.zip a.md --no-stamp

\b
Environment:
  VISUAL, EDITOR  the editor, with its options; else vi
"""
)
@location_argument
@click.argument("name", metavar="NAME.md")
@stamp_option
@writing_options
def command(location: str, name: str, no_stamp: bool, how: Writing) -> None:
    """Edit a page in your editor.

    What you leave as it is stays as it is. Otherwise the page keeps uuid and created, and updated
    is renewed. If somebody else has changed the page meanwhile, or it is rejected, nothing is
    written: what you typed is kept in a file, which is named, and the exit code is 5.
    """
    from memoryfield_writer.batch import Batch, ReplacePage
    from memoryfield_writer.naming import is_page

    refuse_stdin(location)
    if not is_page(name):
        raise click.UsageError("the name of a page ends in .md; `memoryfield write` takes others")
    page = _page(location, name, how)
    done = None
    with copy_for_editing(name, page.raw) as copy:
        text = copy.edit()
        if text is not None:
            if not text.strip():
                copy.worthless = True
                hint = "`memoryfield rm` removes a page"
                raise BatchRejected("no text was left", location=location, entry=name, hint=hint)
            batch = Batch([ReplacePage(name, text, page.sha256)])
            done = applied(location, batch, how, stamp=not no_stamp)
            copy.keep = how.dry_run
    if done is not None:
        tell(done, how)
        return
    warn(f"{name}: is as it was")
    if how.form == "json":
        print_json(_nothing(location, how))


def _page(location: str, name: str, how: Writing) -> Page:
    with looked_at(location, how) as field:
        if name not in field.entries:
            hint = "`memoryfield new` makes a page"
            raise NotFound("there is no such page", location=location, entry=name, hint=hint)
        return field.page(name)


def _nothing(location: str, how: Writing) -> dict[str, Any]:
    """The answer of an edit that was none."""
    from memoryfield_writer.result import Applied

    with looked_at(location, how) as field:
        digest = field.digest()
        done = Applied(
            field.location, digest, digest, field.archive_digest(), (), dry_run=how.dry_run
        )
    return done.to_json()

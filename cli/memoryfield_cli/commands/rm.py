"""`memoryfield rm`."""

from __future__ import annotations

import click

from ..options import location_argument
from ..writing import applied, looked_at, refuse_stdin, tell, with_links_left
from ..writing_options import Writing, writing_options


@click.command(
    epilog="""\b
Examples:
  memoryfield rm my-field/ old.md
  memoryfield rm notes.memoryfield.zip a.md plan.pdf --dry-run
"""
)
@location_argument
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@writing_options
def command(location: str, names: tuple[str, ...], how: Writing) -> None:
    """Remove pages and attachments, all that are named or none.

    Links of other pages that lead nowhere then are told. A field keeps one page at least.
    """
    from memoryfield_writer.batch import Batch
    from memoryfield_writer.dead_links import links_left
    from memoryfield_writer.naming import removed

    refuse_stdin(location)
    with looked_at(location, how) as field:
        left = links_left(field, dict.fromkeys(names))
    done = applied(location, Batch(map(removed, dict.fromkeys(names))), how)
    tell(with_links_left(done, left), how)

"""`memoryfield mv`."""

from __future__ import annotations

import click

from ..options import location_argument
from ..writing import applied, looked_at, refuse_stdin, tell, with_links_left
from ..writing_options import Writing, writing_options


@click.command(
    epilog="""\b
Examples:
  memoryfield mv my-field/ old.md older.md
  memoryfield mv --links notes.memoryfield.zip a.md steel-woks.md
"""
)
@location_argument
@click.argument("name", metavar="OLD")
@click.argument("to", metavar="NEW")
@click.option("--links", is_flag=True, help="Change the links of other pages that lead to it, too.")
@writing_options
def command(location: str, name: str, to: str, links: bool, how: Writing) -> None:
    """Give a page or an attachment another name, one that is free.

    With --links, the links of pages that lead to it are changed in the same step: their targets,
    and no other byte. Without, those that lead nowhere then are told.
    """
    from memoryfield_writer.batch import Batch
    from memoryfield_writer.dead_links import links_left
    from memoryfield_writer.moving import moved, renamed

    refuse_stdin(location)
    with looked_at(location, how) as field:
        batch = moved(field, name, to) if links else Batch([renamed(name, to)])
        left = () if links else links_left(field, {name: to})
    tell(with_links_left(applied(location, batch, how), left), how)

"""`memoryfield new`."""

from __future__ import annotations

import click

from memoryfield_readers import LimitExceeded, visible

from ..options import location_argument
from ..output import no_command, print_json, say
from ..standard_input import STDIN
from ..writing import answer_of, applied, content_from_stdin, now, tell_beside
from ..writing_options import Writing, writing_options


@click.command(
    epilog="""\b
Examples:
  memoryfield new my-field/ "Carbon fibre woks"
  memoryfield new my-field/ "Steel woks" --summary "Which steel, and how thick."
  memoryfield new my-field/ steel.md --title "Woks of steel" --text "Two millimetres do."
  cat text.md | memoryfield new my-field/ iron-woks.md --text -
"""
)
@location_argument
@click.argument("title_or_name", metavar="TITLE|NAME.md")
@click.option("--title", help="The title, where the page is given by its name.")
@click.option("--summary", help="What the page says, in a sentence: it is found by that.")
@click.option("--text", help="What the page holds, or - for stdin.")
@writing_options
def command(
    location: str,
    title_or_name: str,
    title: str | None,
    summary: str | None,
    text: str | None,
    how: Writing,
) -> None:
    """Make a page with title, uuid, created and updated, and print its name.

    The name is made from the title; what ends in .md is a name, and the title is then --title, the
    first heading of the text, or the name in words. A text that begins with frontmatter is kept as
    it is, and gets the fields that it lacks.
    """
    from memoryfield_writer.batch import Batch
    from memoryfield_writer.naming import is_page
    from memoryfield_writer.new_pages import name_for, new_page
    from memoryfield_writer.planning.arguments import most_bytes, too_large

    if is_page(title_or_name):
        name = title_or_name
    elif title is not None:
        raise click.UsageError("--title goes with a name that ends in .md")
    else:
        name, title = name_for(title_or_name), title_or_name
    if text == STDIN:
        most, limit = most_bytes(name, how.limits)
        try:
            content = content_from_stdin(most, limit, typed="the page")
        except LimitExceeded as error:  # as a batch with it would be
            raise too_large(name, f"more than {most}", location, how.limits) from error
        text = content.decode("utf-8", "surrogateescape")
    page = new_page(name, now(), title=title, summary=summary, text=text)
    done = applied(location, Batch([page]), how)
    tell_beside(done)
    with answer_of(done):
        if how.form == "json":
            print_json(done.to_json())
        else:
            say(no_command(visible(name)))

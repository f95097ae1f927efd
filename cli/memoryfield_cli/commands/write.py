"""`memoryfield write`."""

from __future__ import annotations

import re
import sys

import click

from memoryfield_readers import LimitExceeded

from ..options import location_argument
from ..writing import content_from_stdin, keywords, looked_at, refuse_stdin, tell
from ..writing_options import Writing, stamp_option, writing_options

_SHA256 = re.compile("[0-9A-Fa-f]{64}")


def _sha256(ctx: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None and not _SHA256.fullmatch(text):
        raise click.BadParameter("write 64 hexadecimal digits", ctx, parameter)
    return text


@click.command(
    epilog="""\b
Examples:
  memoryfield write my-field/ steel-woks.md < steel.md
  memoryfield write --no-stamp notes.memoryfield.zip a.md < steel.md
  echo "Two millimetres do." | memoryfield write my-field/ steel-woks.md
  cat plan.pdf | memoryfield write notes.memoryfield.zip plan.pdf
"""
)
@location_argument
@click.argument("name", metavar="NAME")
@click.option(
    "--if-sha256",
    metavar="SHA256",
    callback=_sha256,
    help="Replace nothing but the file that has this hash, as `digest --manifest` prints it.",
)
@stamp_option
@writing_options
def command(location: str, name: str, if_sha256: str | None, no_stamp: bool, how: Writing) -> None:
    """Write a page or an attachment from stdin: it is added, or takes the place of the one there.

    A page keeps uuid and created where the new text lacks them, or all of its frontmatter where the
    text has none, and its updated is renewed; a new one gets what it lacks. An attachment is
    written exactly as it comes.
    """
    from memoryfield_writer.naming import is_page
    from memoryfield_writer.planning.arguments import most_bytes, too_large
    from memoryfield_writer.putting import put

    refuse_stdin(location)
    page = is_page(name)
    if sys.stdin is not None and sys.stdin.isatty():  # nobody types what cannot be written
        with looked_at(location, how):
            pass
    most, limit = most_bytes(name, how.limits)
    try:
        content = content_from_stdin(most, limit, typed="the page" if page else "the file")
    except LimitExceeded as error:  # as a batch with it would be
        raise too_large(name, f"more than {most}", location, how.limits) from error
    with keywords(how, stamp=page and not no_stamp) as given:
        done = put(location, name, content, if_sha256=if_sha256, **given)
    tell(done, how)

"""`memoryfield apply`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoryfield_readers import InvalidBatch, LimitExceeded
from memoryfield_readers.system_errors import error_of

from ..options import location_argument
from ..standard_input import STDIN
from ..writing import applied, content_from_stdin, read_bounded, tell
from ..writing_options import Writing, writing_options

if TYPE_CHECKING:
    from memoryfield_readers import Limits
    from memoryfield_writer.batch import Batch

_LIMIT = "total-bytes"


@click.command(
    epilog="""\b
Examples:
  memoryfield apply my-field/ batch.json
  memoryfield apply notes.memoryfield.zip batch.json --dry-run
  memoryfield apply my-field/ batch.json --expect "$(memoryfield digest my-field/)"
  cat batch.json | memoryfield apply --stamp my-field/ -

\b
A batch:
  {"version": 1, "operations": [
    {"op": "add", "name": "steel.md", "text": "# Steel woks"},
    {"op": "replace", "name": "iron.md", "text": "# Iron woks", "if_sha256": "..."},
    {"op": "replace-text", "name": "index.md", "old": "Iorn", "new": "Iron"},
    {"op": "rename", "name": "pans.md", "to": "woks.md"},
    {"op": "remove", "name": "old.md"}]}
"""
)
@location_argument
@click.argument("batch", type=click.Path(readable=False), metavar="BATCH.json")
@click.option(
    "--stamp",
    is_flag=True,
    help="Fill in the frontmatter of added pages; keep uuid and created of changed ones, and "
    "renew their updated.",
)
@writing_options
def command(location: str, batch: str, stamp: bool, how: Writing) -> None:
    """Apply a batch of edits to a field, all of it or nothing.

    LOCATION is a folder or an archive of this machine, or an archive in S3; BATCH.json is a file,
    or - for stdin. Operations are done one after the other, each sees what those before it have
    made: add, replace, replace-text (old must stand exactly once, in the page that is named or else
    in the field), remove and rename; base64 stands in the place of text for what is no text.

    Prints each change and, last, the new field pin. What is rejected changes nothing, and the exit
    code is 5: a pin or a hash that is not as expected, a text that stands nowhere or several times,
    a page that breaks the standard in a new way, content that a review would stop at.
    """
    tell(applied(location, _batch(batch, how.limits), how, stamp=stamp), how)


def _batch(path: str, limits: Limits) -> Batch:
    """The batch in a file, which is named in what is said to be wrong with it."""
    from memoryfield_writer.batch import Batch

    try:
        return Batch.from_json(_read(path, limits))
    except InvalidBatch as error:
        error.location = error.location or path
        raise


def _read(batch: str, limits: Limits) -> bytes:
    """The text of a batch: Base64 makes what it holds larger by a third, JSON by more."""
    most = 2 * limits.total_bytes + 1024 * 1024
    if batch == STDIN:
        return content_from_stdin(most, _LIMIT)
    try:
        with open(batch, "rb") as file:
            content = read_bounded(file, most)
    except OSError as error:
        raise error_of(error, location=batch) from error
    if content is None:
        hint = f"raise the limit with --limit {_LIMIT}=NUMBER"
        raise LimitExceeded(f"more than {most} bytes", location=batch, hint=hint)
    return content

"""`memoryfield recover`."""

from __future__ import annotations

import click

from memoryfield_readers import visible

from ..options import format_option, location_argument
from ..output import no_command, print_json, say
from ..writing import refuse_stdin, told_if_unheard
from ..writing_options import wait_option

_SAID = {
    "nothing": "nothing was left to do",
    "finished": "the batch that was broken off is finished",
    "undone": "the batch that was broken off is undone",
    "discarded": "the batch that was broken off is thrown away",
}
"""What a person is told, by what was done."""


@click.command(
    epilog="""\b
Examples:
  memoryfield recover my-field/
  memoryfield recover notes.memoryfield.zip --format json
"""
)
@location_argument
@click.option(
    "--discard",
    is_flag=True,
    help="Throw the batch away that was broken off, if a file was changed since by something else.",
)
@wait_option
@format_option("text", "json")
def command(location: str, discard: bool, wait: float, form: str) -> None:
    """Finish or undo a batch that was broken off, by a crash or a power cut.

    The next command that changes the field does that by itself; this one does nothing else. If a
    file of the batch was changed since by something else, the exit code is 5; --discard then gives
    the other files of the batch back what they were, and leaves that one as it is.
    """
    from memoryfield_writer.recovering import recover

    refuse_stdin(location)
    done = recover(location, discard=discard, wait=wait)
    said = f"{visible(done.location)}: {_SAID[done.action]}"
    with told_if_unheard(said):
        if form == "json":
            print_json(done.to_json())
        else:
            say(no_command(said))

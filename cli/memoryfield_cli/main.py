"""The entry point: commands are imported when they are called, errors become exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from memoryfield_spec import __version__

COMMANDS = {
    "validate": "Check fields against the standard.",
    "explain": "Say what a requirement demands, why, and show examples.",
    "rules": "List the requirements of the standard.",
    "info": "Show what a field is: name, pages, sizes, pins.",
    "ls": "List the pages of a field.",
    "read": "Print pages of a field.",
    "digest": "Print the field pin or the manifest.",
    "completion": "Print a script that completes commands in a shell.",
}
"""Each command and its line of help; it stands in `commands/NAME.py` as a function `command`."""

EPILOG = """\b
Examples:
  memoryfield validate my-field/
  memoryfield validate --format json notes.memoryfield.zip
  memoryfield explain MF304
  memoryfield read my-field/ index.md

\b
Exit codes:
  0  good
  1  findings, or nothing found
  2  wrong usage
  3  a pin or hash does not match, or an archive is unsafe
  4  the source, page or service cannot be had
  5  a write conflict or a rejected batch
"""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"memoryfield_cli.commands.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; our errors become one line on stderr and an exit code."""
        from memoryfield_readers import MemoryfieldError
        from memoryfield_spec import UnknownRequirement

        from .output import complain

        try:
            return super().invoke(ctx)
        except MemoryfieldError as error:
            complain(error)
            ctx.exit(error.exit_code)
        except UnknownRequirement as error:
            raise click.UsageError(str(error)) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memoryfield", message="%(prog)s %(version)s")
def memoryfield() -> None:
    """Validate, read and pin memoryfields: flat collections of Markdown pages for agents."""


def run() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a name no terminal can show is no reason to fail
            reconfigure(errors="backslashreplace")
    memoryfield.main(prog_name="memoryfield")

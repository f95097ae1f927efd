"""The group of commands: each is imported when it is called, errors become exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from memoryfield_spec import __version__

from .start import INTERRUPTED

COMMANDS = {
    "validate": "Check fields against the standard.",
    "audit": "Review what is written in fields, before a model reads it.",
    "explain": "Say what a requirement demands, why, and show examples.",
    "rules": "List the requirements of the standard.",
    "info": "Show what a field is: name, pages, sizes, pins.",
    "ls": "List the pages of a field.",
    "read": "Print pages of a field.",
    "digest": "Print the field pin or the manifest.",
    "conformance": "Run, export and check the conformance cases.",
    "completion": "Print a script that completes commands in a shell.",
}
"""Each command and its line of help; it stands in `commands/NAME.py` as a function `command`."""

EPILOG = """\b
Examples:
  memoryfield validate my-field/
  memoryfield validate --format json notes.memoryfield.zip
  memoryfield audit my-field/
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

    def make_context(
        self, info_name: str | None, args: list[str], *others: Any, **extra: Any
    ) -> click.Context:
        """Begin; click would say "Aborted!" of an interruption here, and exit with 1."""
        try:
            return super().make_context(info_name, args, *others, **extra)
        except KeyboardInterrupt:
            print("memoryfield: interrupted", file=sys.stderr)
            sys.exit(INTERRUPTED)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where there is no command; with all versions of click that is exit 2."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), file=sys.stderr, err=True)
            ctx.exit(2)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            _wrong_usage(error, ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever goes wrong becomes one line on stderr and an exit code."""
        from memoryfield_readers import MemoryfieldError
        from memoryfield_spec import UnknownRequirement

        from .output import complain, warn

        try:
            return super().invoke(ctx)
        except MemoryfieldError as error:
            complain(error)
            ctx.exit(error.exit_code)
        except UnknownRequirement as error:
            _wrong_usage(click.UsageError(str(error)), ctx)
        except click.UsageError as error:
            _wrong_usage(error, ctx)
        except KeyboardInterrupt:
            warn("interrupted")
            ctx.exit(INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _wrong_usage(error: click.UsageError, ctx: click.Context) -> NoReturn:
    """Say what is wrong and exit; the error may quote names that a shell put in for a `*`."""
    from memoryfield_readers import visible

    message = error.format_message()
    if error.message:
        message = message.replace(error.message, visible(error.message))
    if sys.stderr is not None:  # closed by the shell, with `2>&-`: click would take stdout
        click.UsageError(message, error.ctx).show(sys.stderr)
    ctx.exit(error.exit_code)


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memoryfield", message="%(prog)s %(version)s")
def memoryfield() -> None:
    """Validate, read and pin memoryfields: flat collections of Markdown pages for agents."""

"""Wrong usage: what a person is told who typed what means nothing."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

_OF_CLICK = ("No such ", "Missing ", "Invalid value", "Got unexpected ", "Option '", "Argument '")
"""How click's own sentences begin; ours begin small, or with what was typed."""


class Group(click.Group):
    """A group that shows its help where no command is given, and tells of wrong usage our way."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where there is no command; with all versions of click that is exit 2."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), file=sys.stderr, err=True)
            ctx.exit(2)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            refuse(error, ctx)


def refuse(error: click.UsageError, ctx: click.Context) -> NoReturn:
    """Say on stderr what is wrong, in one line, and where the help is, in another; then exit.

    Arguments:
        error: what is wrong; it may quote names that a shell put in for a `*`.
        ctx: of the command that ends.
    """
    from .output import warn

    warn(_in_one_line(error))
    if error.ctx is not None:
        warn(f"see `{error.ctx.command_path} --help`")
    ctx.exit(error.exit_code)


def _in_one_line(error: click.UsageError) -> str:
    """What click says of an error, as all complaints are: it begins small and ends in no dot."""
    from memoryfield_readers import visible

    message = error.format_message()
    if error.message:
        message = message.replace(error.message, visible(error.message))
    message = " ".join(line.strip() for line in message.splitlines())  # those that click broke
    if message.startswith(_OF_CLICK):
        message = message[0].lower() + message[1:].removesuffix(".")
    return message

"""Options of the commands that show or change notes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import click

from .files import LocalPath

F = TypeVar("F", bound=Callable[..., Any])

store_option = click.option(
    "--store",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="The file with the notes, instead of the one that this user has for the field.",
)


class Wanted(NamedTuple):
    """Which notes a command that reads a field is to show.

    Attributes:
        store: the file with them, if it was named.
        none: whether none are wanted.
    """

    store: Path | None = None
    none: bool = False


def shown_notes_options(command: F) -> F:
    """`--store` and `--no-notes`, as `Wanted` named `noting`."""

    @functools.wraps(command)
    def with_options(*args: Any, store: Path | None, no_notes: bool, **others: Any) -> Any:
        if store is not None and no_notes:
            raise click.UsageError("--store and --no-notes exclude each other")
        return command(*args, noting=Wanted(store, no_notes), **others)

    without = click.option("--no-notes", is_flag=True, help="Show no notes on the pages.")
    return cast("F", store_option(without(with_options)))

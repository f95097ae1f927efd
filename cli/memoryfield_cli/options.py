"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from memoryfield_readers import DEFAULT_LIMITS, Limits

F = TypeVar("F", bound=Callable[..., Any])


LIMITS_HELP = "Raise or lower a limit (MF607): " + ", ".join(Limits.names()) + "."


def _limits(ctx: click.Context, parameter: click.Parameter, settings: tuple[str, ...]) -> Limits:
    return DEFAULT_LIMITS.with_settings(settings)


def limits_option(command: F) -> F:
    """`--limit NAME=VALUE`, as a `Limits` named `limits`."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_limits,
        help=LIMITS_HELP,
    )(command)


def format_option(*formats: str) -> Callable[[F], F]:
    """`--format`, one of those given; the first is the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print the answer.",
    )


LOCATION = click.Path(readable=False)
"""A folder, an archive or a file:// URL: shells complete paths; what can be read, the room says."""


def location_argument(command: F) -> F:
    """LOCATION, as `location`."""
    return click.argument("location", type=LOCATION)(command)

"""Options and arguments that several commands share."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import click

from memoryfield_readers import DEFAULT_LIMITS, Limits, Pins, parse_pins

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
"""A folder, an archive, a URL or a name: shells complete paths; what can be read, the room says."""


def _transport_options(
    ctx: click.Context, parameter: click.Parameter, settings: tuple[str, ...]
) -> dict[str, Any]:
    """Texts such as "endpoint_url=http://…": a value that is JSON is what it says, else a text."""
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.replace("_", "").replace("-", "").isalnum():
            raise click.BadParameter("write NAME=VALUE", ctx=ctx, param=parameter)
        try:
            options[name.replace("-", "_")] = json.loads(value)
        except (ValueError, RecursionError):
            options[name.replace("-", "_")] = value
    return options


TIMEOUT_OPTION = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    show_default="30",
    help="How long to wait for an answer of a source elsewhere.",
)
_RETRIES_OPTION = click.option(
    "--retries",
    type=click.IntRange(min=0),
    metavar="N",
    show_default="4",
    help="How often to ask again after a failure that may pass.",
)
ANON_OPTION = click.option(
    "--anon", is_flag=True, help="Give no credentials, even if there are some."
)
TRANSPORT_OPTION = click.option(
    "--option",
    "transport",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_transport_options,
    help="An option of the transport, such as endpoint_url=URL or profile=NAME for s3://.",
)
SOURCE_OPTIONS = (TIMEOUT_OPTION, _RETRIES_OPTION, ANON_OPTION, TRANSPORT_OPTION)


def storage_options(
    timeout: float | None, retries: int | None, anon: bool, transport: Mapping[str, Any]
) -> dict[str, Any]:
    """What the four options say, as `open_field` takes it."""
    said = {"timeout": timeout, "retries": retries, "anon": anon or None}
    return {**transport, **{name: value for name, value in said.items() if value is not None}}


def source_options(command: F) -> F:
    """How a source elsewhere is reached, as a mapping named `storage_options`."""

    @functools.wraps(command)
    def with_options(
        *args: Any,
        timeout: float | None,
        retries: int | None,
        anon: bool,
        transport: Mapping[str, Any],
        **others: Any,
    ) -> Any:
        options = storage_options(timeout, retries, anon, transport)
        return command(*args, storage_options=options, **others)

    wrapped: Callable[..., Any] = with_options
    for option in reversed(SOURCE_OPTIONS):
        wrapped = option(wrapped)
    return cast("F", wrapped)


def _pins(ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> Pins:
    return parse_pins(texts)


PIN_OPTION = click.option(
    "--pin",
    "pins",
    multiple=True,
    metavar="PIN",
    callback=_pins,
    help="Read nothing but what this pin covers: sha256:... of an archive, field-sha256:... of any "
    "field; one of each may be given.",
)
OFFLINE_OPTION = click.option(
    "--offline", is_flag=True, help="Ask nobody: take what is on this machine and in the cache."
)


def pin_options(command: F) -> F:
    """`--pin`, as `Pins` named `pins`, and `--offline`."""
    return PIN_OPTION(OFFLINE_OPTION(command))


def location_argument(command: F) -> F:
    """LOCATION, as `location`."""
    return click.argument("location", type=LOCATION)(command)

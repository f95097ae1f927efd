"""Options of the commands that change a field."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import click

from memoryfield_readers import Limits, Pins, parse_pins
from memoryfield_readers.holding import DEFAULT_WAIT

from .options import format_option, limits_option, source_options

F = TypeVar("F", bound=Callable[..., Any])

_CONTENT = "MF8"


@dataclass(frozen=True, slots=True)
class Writing:
    """How a field is to be changed.

    Attributes:
        expect: the pins that it must have before.
        allow: the ids, or beginnings of ids, of content rules (MF8xx) that do not stand in the way.
        dry_run: whether nothing is to be written.
        index: whether indexes are built anew, where else the rows of changed pages go.
        wait: seconds to wait for another writer.
        form: "text" or "json".
        limits: upper bounds.
        storage_options: for a location elsewhere.
    """

    expect: Pins
    allow: tuple[str, ...]
    dry_run: bool
    index: bool
    wait: float
    form: str
    limits: Limits
    storage_options: dict[str, Any]


def _pins(ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> Pins:
    return parse_pins(texts)


def _ids(ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Ids, also several in one with commas between; what begins no content rule is a mistake."""
    from memoryfield_spec import catalogue

    ids = tuple(id.strip().upper() for text in texts for id in text.split(","))
    for id in ids:
        if not any(rule.startswith(id) for rule in catalogue() if id.startswith(_CONTENT)):
            message = f"{id!r} is no content rule: write MF803, or MF8 for all of them"
            raise click.BadParameter(message, ctx, parameter)
    return ids


class _Seconds(click.FloatRange):
    """A number of seconds, as `FloatRange` has it, but for what is no number."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return seconds


def _waiting_option(what: str) -> Callable[[F], F]:
    """`--wait`: for how long others are waited for that change something."""
    return click.option(
        "--wait",
        type=_Seconds(min=0),
        default=DEFAULT_WAIT,
        show_default="30",
        metavar="SECONDS",
        help=f"How long to wait while another program changes {what}.",
    )


wait_option = _waiting_option("the field")
note_wait_option = _waiting_option("the notes")

_OPTIONS = (
    click.option(
        "--expect",
        "expect",
        multiple=True,
        metavar="PIN",
        callback=_pins,
        help="Change nothing but the field that has this pin: field-sha256:... of any field, "
        "sha256:... of an archive; one of each may be given.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what would change, and write nothing."),
    click.option(
        "--allow",
        multiple=True,
        metavar="IDS",
        callback=_ids,
        help="Let content pass that these rules find: MF803, MF8, ...",
    ),
    click.option(
        "--index",
        is_flag=True,
        help="Build the field's vector indexes anew; else the rows of changed pages leave them.",
    ),
    wait_option,
    format_option("text", "json"),
    limits_option,
    source_options,
)


def writing_options(command: F) -> F:
    """How a field is changed, as a `Writing` named `how`."""

    @functools.wraps(command)
    def with_options(
        *args: Any,
        expect: Pins,
        allow: tuple[str, ...],
        dry_run: bool,
        index: bool,
        wait: float,
        form: str,
        limits: Limits,
        storage_options: dict[str, Any],
        **others: Any,
    ) -> Any:
        how = Writing(expect, allow, dry_run, index, wait, form, limits, storage_options)
        return command(*args, how=how, **others)

    wrapped: Callable[..., Any] = with_options
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return cast("F", wrapped)


stamp_option = click.option(
    "--no-stamp",
    is_flag=True,
    help="Write a page exactly as given: no field of its frontmatter is filled in or renewed.",
)

"""The options that the commands on many fields share."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from memoryfield_readers import DEFAULT_LIMITS, Limits

from .files import LocalPath
from .options import ANON_OPTION, LIMITS_HELP, LOCATION, TIMEOUT_OPTION, TRANSPORT_OPTION
from .options import storage_options as options_of

F = TypeVar("F", bound=Callable[..., Any])

_SECONDS = 300.0
_RETRIES = 2
_MEMORY = "4G"
_SIZE = re.compile(r"(?i)([0-9]{1,15})\s*([kmgt]?)(?:i?b)?")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_LEAST_MEMORY = 2**27
_NO_BOUND = "none"


@dataclass(frozen=True, slots=True)
class Plan:
    """How a job is done on many fields, as the shared options say.

    Attributes:
        patterns: what is meant.
        scheduler: the address of a cluster; None for processes on this machine.
        workers: how many of these; None for as many as the machine has processors.
        out: the folder of the results; None for rows on stdout.
        anew: whether results of earlier runs do not count.
        in_flight: how many fields are under way at once; None for what keeps all workers busy.
        per_host: how many of these on one host; None for what is usual.
        seconds: how long one try may take.
        memory: how many bytes the process of one try may use; None for no bound.
        retries: how often a field is tried again.
        limits: what is taken of a field.
        settings: the same limits as texts, such as "page-bytes=4194304".
        storage_options: how sources elsewhere are reached.
    """

    patterns: tuple[str, ...]
    scheduler: str | None
    workers: int | None
    out: Path | None
    anew: bool
    in_flight: int | None
    per_host: int | None
    seconds: float
    memory: int | None
    retries: int
    limits: Limits
    settings: tuple[str, ...]
    storage_options: Mapping[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        """What of it a job takes along to a worker."""
        options: dict[str, Any] = {}
        if self.settings:
            options["limits"] = list(self.settings)
        if self.storage_options:
            options["storage_options"] = dict(self.storage_options)
        return options


def _size(ctx: click.Context, parameter: click.Parameter, text: str) -> int | None:
    """A size such as "512M" in bytes; "none" is no bound."""
    if text.lower() == _NO_BOUND:
        return None
    found = _SIZE.fullmatch(text.strip())
    size = 0 if found is None else int(found[1]) * _UNITS[found[2].lower()]
    if size < _LEAST_MEMORY:
        raise click.BadParameter("write a size such as 512M or 4G, at least 128M, or none")
    return size


def _seconds(ctx: click.Context, parameter: click.Parameter, seconds: float) -> float:
    if math.isnan(seconds):  # which is beyond no bound
        raise click.BadParameter("write a number of seconds")
    return seconds


_OPTIONS = (
    click.argument("patterns", nargs=-1, required=True, type=LOCATION, metavar="PATTERN..."),
    click.option(
        "--out",
        type=LocalPath(file_okay=False),
        metavar="DIR",
        help="Keep results in this folder: results.jsonl, totals.json, report.html; a later run "
        "does only what is new or has changed.",
    ),
    click.option(
        "--anew",
        is_flag=True,
        help="Begin anew: the results of earlier runs in DIR do not count, and are removed once "
        "there is a new one, or at the end.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Let the workers of this Dask cluster do it, such as tcp://10.0.0.1:8786.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 1024),
        metavar="N",
        show_default="one a processor",
        help="Start so many processes on this machine.",
    ),
    click.option(
        "--in-flight",
        type=click.IntRange(1, 100_000),
        metavar="N",
        show_default="what keeps all workers busy",
        help="So many fields are under way at once, at most.",
    ),
    click.option(
        "--per-host",
        type=click.IntRange(1, 100_000),
        metavar="N",
        show_default="16; no bound for s3://",
        help="So many of them on one host, at most.",
    ),
    click.option(
        "--time-limit",
        "seconds",
        type=click.FloatRange(min=0, min_open=True, max=1e6),
        default=_SECONDS,
        callback=_seconds,
        metavar="SECONDS",
        show_default=f"{_SECONDS:g}",
        help="How long one try of a field may take, with all that it waits for.",
    ),
    click.option(
        "--memory-limit",
        "memory",
        default=_MEMORY,
        callback=_size,
        metavar="SIZE",
        show_default=_MEMORY,
        help="How much memory one try of a field may take; none for no bound.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(0, 100),
        default=_RETRIES,
        metavar="N",
        show_default=str(_RETRIES),
        help="How often to try a field again that failed for a reason that may pass. Within each "
        "try, a source elsewhere is asked again, too, 4 times or as --option retries=N says; both "
        "multiply, and --time-limit bounds a try.",
    ),
    click.option("--limit", "limits", multiple=True, metavar="NAME=VALUE", help=LIMITS_HELP),
    TIMEOUT_OPTION,
    ANON_OPTION,
    TRANSPORT_OPTION,
)


def fleet_options(command: F) -> F:
    """What is meant and how it is done, as a `Plan` named `plan`."""

    @functools.wraps(command)
    def with_plan(
        *args: Any,
        patterns: tuple[str, ...],
        scheduler: str | None,
        workers: int | None,
        out: Path | None,
        anew: bool,
        in_flight: int | None,
        per_host: int | None,
        seconds: float,
        memory: int | None,
        retries: int,
        limits: tuple[str, ...],
        timeout: float | None,
        anon: bool,
        transport: Mapping[str, Any],
        **others: Any,
    ) -> Any:
        if scheduler is not None and workers is not None:
            raise click.UsageError("--workers are of this machine, --scheduler names others")
        if anew and out is None:
            raise click.UsageError("--anew goes with --out DIR, which has the earlier results")
        plan = Plan(
            patterns=patterns,
            scheduler=scheduler,
            workers=workers,
            out=out,
            anew=anew,
            in_flight=in_flight,
            per_host=per_host,
            seconds=seconds,
            memory=memory,
            retries=retries,
            limits=DEFAULT_LIMITS.with_settings(limits),
            settings=limits,
            storage_options=options_of(timeout, None, anon, transport),
        )
        return command(*args, plan=plan, **others)

    wrapped: Callable[..., Any] = with_plan
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return cast("F", wrapped)


FAIL_ON_OPTION = click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="The mildest level of a finding that makes the exit code 1.",
)
IGNORE_OPTION = click.option("--ignore", multiple=True, metavar="IDS", help="Do not check these.")


def ids_as_options(select: Sequence[str] | None, ignore: Sequence[str] | None) -> dict[str, Any]:
    """Ids that are checked and that are not, as a job takes them along."""
    said = {"select": select, "ignore": ignore}
    return {name: list(ids) for name, ids in said.items() if ids is not None}

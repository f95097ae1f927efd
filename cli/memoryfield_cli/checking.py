"""What `validate` and `audit` share: options, and the way from locations to reports and an exit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memoryfield_readers import MemoryfieldError, Pins, local_path
from memoryfield_spec import Level

from .destinations import (
    FORMATS,
    METAVAR,
    Destination,
    complete_formats,
    destinations,
    keep_out_of,
    parse_formats,
    write_report,
)
from .files import LocalPath
from .fixer import Fixer
from .options import (
    LIMITS_HELP,
    LOCATION,
    OFFLINE_OPTION,
    PIN_OPTION,
    SOURCE_OPTIONS,
    storage_options,
)
from .output import complain, say, warn
from .progress import bar_over_fields, page_bar, transfer_bar
from .rendering import add_step_summary, for_file, for_stdout, rendered
from .standard_input import archive_from_stdin
from .text_output import TextOutput, Wording

if TYPE_CHECKING:
    from memoryfield_validator import Checked, Request, Settings

F = TypeVar("F", bound=Callable[..., Any])

VALIDITY = Wording()
_FILE = LocalPath(dir_okay=False)

_REPORTING = (
    click.option(
        "--format",
        "formats",
        multiple=True,
        metavar=METAVAR,
        callback=parse_formats,
        shell_complete=complete_formats,
        show_default="text",
        help=f"How to report: {', '.join(FORMATS)}; may be repeated.",
    ),
    click.option("--output", type=_FILE, metavar="FILE", help="Write the report into this file."),
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "info"]),
        show_default="error",
        help="The mildest level of a finding that makes the exit code 1.",
    ),
    click.option("--ignore", multiple=True, metavar="IDS", help="Do not check these."),
)
_LIMIT = click.option("--limit", "limits", multiple=True, metavar="NAME=VALUE", help=LIMITS_HELP)

_OPTIONS = (
    click.argument("locations", nargs=-1, required=True, type=LOCATION, metavar="LOCATION..."),
    *_REPORTING,
    click.option(
        "--config",
        type=_FILE,
        metavar="FILE",
        help="Take the settings from this TOML file, not from the nearest one.",
    ),
    click.option("--no-config", is_flag=True, help="Take no settings from any file."),
    click.option(
        "--unused-ignores",
        is_flag=True,
        help="Tell what is ignored and was never found; exits with 1 then.",
    ),
    _LIMIT,
    *SOURCE_OPTIONS,
    PIN_OPTION,
    OFFLINE_OPTION,
    click.option("--each", is_flag=True, help="Each LOCATION is a folder of fields: check them."),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="one a processor, for many fields",
        help="Check so many fields at a time.",
    ),
)
_SERVER_OPTIONS = (
    click.argument("locations", nargs=-1, required=True, metavar="URL..."),
    *_REPORTING,
    _LIMIT,
    *SOURCE_OPTIONS,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the shared options say.

    Attributes:
        locations: as they were given.
        formats: the formats, each perhaps with its file.
        output: the file of the format that has none.
        fail_on: the level, where one was given.
        ignore: ids, several in one text perhaps.
        config: the file with the settings, where one was given.
        no_config: whether to read no such file.
        unused_ignores: whether to tell which ignores are not needed.
        limits: texts such as "page-bytes=4194304".
        each: whether locations are folders of fields.
        jobs: how many processes, where that was given.
        timeout: seconds to wait for an answer of a source elsewhere, where that was given.
        retries: how often to ask again, where that was given.
        anon: whether to give no credentials.
        transport: options of the transport, by name.
        pins: what the one field must match.
        offline: whether to ask nobody.
    """

    locations: tuple[str, ...]
    formats: tuple[Destination, ...]
    output: Path | None
    fail_on: Level | None
    ignore: tuple[str, ...]
    config: Path | None
    no_config: bool
    unused_ignores: bool
    limits: tuple[str, ...]
    each: bool
    jobs: int | None
    timeout: float | None
    retries: int | None
    anon: bool
    transport: Mapping[str, Any]
    pins: Pins
    offline: bool

    @property
    def storage_options(self) -> dict[str, Any]:
        """How sources elsewhere are reached, as `open_field` takes it."""
        return storage_options(self.timeout, self.retries, self.anon, self.transport)


def check_options(command: F) -> F:
    """The options of a command that checks fields; it takes them as keywords of `Wanted`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def server_options(command: F) -> F:
    """Those of a command that checks servers: all that do not speak of files."""
    for option in reversed(_SERVER_OPTIONS):
        command = option(command)
    return command


def ids(values: Sequence[str]) -> tuple[str, ...] | None:
    """The ids of an option that may be repeated and may hold several, with commas between."""
    found = tuple(id.strip() for value in values for id in value.split(",") if id.strip())
    return found or (tuple(values) or None)  # an option that names no id is no option left out


def settings_of(wanted: Wanted, locations: Sequence[str]) -> Settings:
    """The settings of the nearest file, or of the one that was named, under those of the options.

    Raises:
        SettingsError: the file cannot be read, or says something that means nothing.
        UnknownLimit: an option names a limit that there is not.
    """
    from memoryfield_validator import Settings, read_settings

    path = wanted.config
    if path is None and not wanted.no_config:
        path = _nearest_settings(locations)
    settings = Settings() if path is None else read_settings(path)
    ignore = ids(wanted.ignore)
    return replace(
        settings,
        ignore=settings.ignore if ignore is None else ignore,
        fail_on=wanted.fail_on or settings.fail_on,
        limits=settings.limits.with_settings(wanted.limits),
    )


def refuse_to_check_nothing(settings: Settings, *, audit: bool) -> None:
    """A wrong id is wrong usage, whatever the locations, and so is to leave no rule to be run.

    Raises:
        UnknownRequirement: an id is in no catalogue, or has no rule.
        click.UsageError: all that is selected is ignored.
    """
    from memoryfield_validator import rule_set

    if not rule_set(select=settings.select, ignore=settings.ignore, audit=audit).ids:
        raise click.UsageError("all that is selected is ignored: nothing would be checked")


def refuse_unclear_pins(wanted: Wanted, locations: Sequence[str], *, writes: bool = False) -> None:
    """A pin is of one field, and of what stands in it now.

    Raises:
        click.UsageError: several fields are to match one pin, or one that is to be changed.
    """
    if wanted.pins and len(locations) != 1:
        raise click.UsageError("--pin is of one field: give one LOCATION, or name fields of a lock")
    if wanted.pins and writes:
        raise click.UsageError("--pin goes neither with --fix nor with --diff: it would not match")


def _nearest_settings(locations: Sequence[str]) -> Path | None:
    from memoryfield_validator import find_settings

    try:
        here = Path.cwd()
    except OSError:  # it was deleted
        return None
    paths = [path for each in locations if (path := local_path(each)) is not None]
    found = find_settings(here, [path for path in paths if path.is_dir()])
    for path in found.passed_over:
        warn(f"{path}: these settings do not count, as the field holds them; --config takes them")
    return found.path


def run(
    wanted: Wanted,
    request: Request,
    locations: Sequence[str],
    *,
    fixer: Fixer | None = None,
    checked: Iterable[Checked] | None = None,
    wording: Wording = VALIDITY,
) -> int:
    """Check fields, print and write the reports, and say what the exit code is.

    Arguments:
        wanted: the options.
        request: what is asked of each field.
        locations: where the fields are, one by one.
        fixer: mends each field before it is checked, or shows how; None to check alone.
        checked: what comes of each location, in order, where that is no check of a field.
        wording: how the text calls what came of a field.
    """
    from memoryfield_validator import unused_ignores

    prints_diff = fixer is not None and not fixer.writes
    chosen = destinations(wanted.formats, wanted.output, stdout_is_taken=prints_diff)
    keep_out_of(locations, chosen)
    settings = request.settings
    printed = TextOutput(wording) if Destination("text", None) in chosen else None
    outcomes: list[Checked] = []
    exit_code = 0
    found: Iterable[Checked]
    if checked is not None:
        found = checked
    elif fixer is not None:
        found = fixer.outcomes(request, locations, streams=printed is not None)
    else:
        found = _outcomes(wanted, request, locations, streams=printed is not None)
    for outcome in found:
        outcomes.append(outcome)
        if printed is not None:
            printed.add(outcome)
        for problem in problems_of(outcome):
            complain(problem)
        for note in outcome.notes:
            warn(f"{outcome.location}: {note}")
        exit_code = max(exit_code, exit_code_of(outcome, settings.fail_on))
    if printed is not None:
        printed.end(outcomes, settings.source)
    several = len(locations) > 1 or tuple(locations) != wanted.locations
    for form, file in chosen:
        if file is None and printed is not None:
            continue
        text = rendered(form, outcomes, settings, several=several, wording=wording)
        if file is not None:
            write_report(file, for_file(form, text))
        else:
            say(for_stdout(form, text), end="")
    add_step_summary(outcomes)
    if wanted.unused_ignores:
        for unused in unused_ignores(request, outcomes):
            where = f" in {unused.files}" if unused.files else ""
            warn(f"to ignore {unused.id}{where} is not needed: nothing of it was found")
            exit_code = max(exit_code, 1)
    if prints_diff and fixer is not None and fixer.found_changes:
        exit_code = max(exit_code, 1)
    return exit_code


def problems_of(outcome: Checked) -> Sequence[MemoryfieldError]:
    """What kept a field, or a part of it, from being read."""
    if outcome.report is not None:
        return outcome.report.unread
    return () if outcome.error is None else (outcome.error,)


def exit_code_of(outcome: Checked, fail_on: Level) -> int:
    """What one outcome makes of the exit code."""
    code = max((error.exit_code for error in problems_of(outcome)), default=0)
    failed = outcome.report is not None and outcome.report.has(fail_on)
    return max(code, 1 if failed else 0)


def _outcomes(
    wanted: Wanted, request: Request, locations: Sequence[str], *, streams: bool
) -> Iterator[Checked]:
    """What comes of each location, in order, with bars for people who wait."""
    from memoryfield_validator import STDIN, check, check_all

    stdin = archive_from_stdin(request.settings.limits) if STDIN in locations else None
    over_fields, bar = bar_over_fields("Checking fields", len(locations), streams=streams)
    with bar as step:
        if stdin is None and len(locations) > 1 and wanted.jobs != 1:
            outcomes = check_all(locations, request, jobs=wanted.jobs)
        else:
            watch = None if over_fields else page_bar
            fetching = None if over_fields else transfer_bar
            outcomes = (
                check(each, request, stdin=stdin, watch=watch, fetching=fetching)
                for each in locations
            )
        for outcome in outcomes:
            step()
            yield outcome

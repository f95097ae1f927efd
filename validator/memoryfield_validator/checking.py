"""From locations to what came of them, one after the other or several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias

from memoryfield_readers import (
    Field,
    LimitExceeded,
    MemoryfieldError,
    Pins,
    inspect_field,
    unwatched,
)
from memoryfield_readers import Watch as TransferWatch

from .checked import STDIN, Checked, checked
from .registry import begins, rule_set
from .settings import Applied, Ignore, Settings, apply
from .validation import Profile, Progress, validate

Watch: TypeAlias = Callable[[Field], AbstractContextManager[Progress]]
"""What makes a `Progress` for a field, for as long as it is being checked."""

Fetching: TypeAlias = Callable[[], AbstractContextManager[TransferWatch]]
"""What makes something that is told how far the files of a field elsewhere have come."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of each field.

    Attributes:
        settings: what to check, and what counts.
        audit: whether to review the content too (8xx).
        profile: by which standard to judge.
        watch_ignores: whether to find out which ignores leave something out; it takes longer.
        storage_options: how sources elsewhere are reached, as `inspect_field` takes it.
        pins: what a field must match to be checked at all.
        offline: whether to ask nobody else for it.
    """

    settings: Settings = field(default_factory=Settings)
    audit: bool = False
    profile: Profile = "kit"
    watch_ignores: bool = False
    storage_options: Mapping[str, Any] = field(default_factory=dict)
    pins: Pins = field(default_factory=Pins)
    offline: bool = False


def judge(field: Field, request: Request, *, progress: Progress | None = None) -> Applied:
    """What is found in a field, as the settings want it told.

    Raises:
        UnknownRequirement: the settings name an id that is not in the catalogue.
    """
    settings = request.settings
    report = validate(
        field,
        select=settings.select,
        ignore=settings.ignore,
        audit=request.audit,
        profile=request.profile,
        progress=progress,
    )
    return apply(settings, report)


def check_field(field: Field, request: Request, *, progress: Progress | None = None) -> Checked:
    """Check one field as it was asked for; raises as `judge` does."""
    report, used = judge(field, request, progress=progress)
    if request.watch_ignores:
        used |= _used_everywhere(field, request)
    return checked(report, field, used=used)


def check(
    location: str,
    request: Request,
    *,
    stdin: BinaryIO | None = None,
    watch: Watch | None = None,
    fetching: Fetching | None = None,
) -> Checked:
    """Check the field at a location; an error that keeps it from being read is part of the answer.

    Arguments:
        location: as `inspect_field` takes it, or "-".
        request: what is asked of it.
        stdin: what "-" stands for: an archive as a seekable file named "-".
        watch: shows how far the check is.
        fetching: shows how far the files of a field elsewhere have come.
    """
    opened = stdin if location == STDIN and stdin is not None else location
    try:
        with (
            fetching() if fetching is not None else nullcontext(unwatched) as transfer,
            inspect_field(
                opened,
                pin=request.pins,
                limits=request.settings.limits,
                storage_options=request.storage_options,
                offline=request.offline,
                watch=transfer,
            ) as field,
        ):
            with suppress(LimitExceeded):  # which is a finding, and told as such
                field.prepare_all()
            with watch(field) if watch is not None else nullcontext() as progress:
                return check_field(field, request, progress=progress)
    except MemoryfieldError as error:
        return Checked(location, error=error)


def unused_ignores(request: Request, outcomes: Iterable[Checked]) -> tuple[Ignore, ...]:
    """The ignores of the settings that left nothing out in any of the fields.

    Those of rules that are not run anyway are none of them.
    """
    settings = request.settings
    used: frozenset[Ignore] = frozenset().union(*(outcome.used for outcome in outcomes))
    everywhere = [Ignore(id) for id in settings.ignore or ()]
    in_files = [Ignore(id, files) for files, ids in settings.per_file_ignores.items() for id in ids]
    would_run = _would_run(request)
    return tuple(
        each
        for each in (*everywhere, *in_files)
        if each not in used and any(begins(id, each.id) for id in would_run)
    )


def _would_run(request: Request) -> frozenset[str]:
    """The ids of the rules that would be run if none were ignored."""
    return rule_set(select=request.settings.select, audit=request.audit).ids


def _used_everywhere(field: Field, request: Request) -> frozenset[Ignore]:
    """Which of the ids that are not checked would have found something."""
    ignored = request.settings.ignore or ()
    select = [id for id in _would_run(request) if any(begins(id, each) for each in ignored)]
    if not select:
        return frozenset()
    report = validate(field, select=select, profile=request.profile)
    rules = {finding.rule for finding in report.findings}
    return frozenset(Ignore(id) for id in ignored if any(begins(rule, id) for rule in rules))

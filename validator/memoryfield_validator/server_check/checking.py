"""From the address of a server to a report: each rule asks what it must, and all of it ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    Limits,
    LocationError,
    MemoryfieldError,
    SourceUnavailable,
    Watch,
    shown,
    unwatched,
)
from memoryfield_readers.locations import HttpLocation, parse_location
from memoryfield_readers.transfer.options import TransferOptions

from ..checked import Checked
from ..finding import Finding, Report
from . import authentication, pages, searching, traversal, validators  # noqa: F401 - they register
from .archive import Archives
from .asking import Asking, Deadline, Stopped
from .registering import BoundServerChecks, server_rules
from .visit import Visit

SERVER_SECONDS = 300.0
"""Seconds that a check of one server may take, unless another time is given."""

_MOST_FINDINGS = 1000
"""Findings of one rule that are told."""

_AUTHENTICATION = "MF707"


def check_server(
    url: str,
    *,
    storage_options: Mapping[str, Any] | None = None,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    seconds: float = SERVER_SECONDS,
    watch: Watch = unwatched,
) -> Report:
    """Judge a live server by what the standard says of HTTP (MF701 to MF708).

    It asks, and changes nothing: each request is a GET. Among them are some that try to leave the
    root of the field (MF706), which a server may log; ask servers that are yours to ask.

    Arguments:
        url: the address of the field, `http://` or `https://`.
        storage_options: how it is reached: `timeout` (seconds), `retries`, `anon`.
        select: ids or beginnings of ids to check; None for all.
        ignore: ids or beginnings of ids not to check.
        limits: how much to take (MF607).
        seconds: how long it may take in all; what was not asked by then is in `Report.unread`.
        watch: is told how far it is.

    Raises:
        UnknownRequirement: `select` or `ignore` matches no id of the catalogue.
        LocationError: this is no address of a served field, or an option is wrong.
        SourceUnavailable: the server does not answer, or no rule could be judged in time.
        AccessDenied: it wants credentials, and no rule could be judged without.
        MemoryfieldError: no rule could be judged for another reason.
    """
    rules = server_rules(select=select, ignore=ignore)
    return _visited(url, rules, storage_options, limits, seconds, watch)[0]


def server_checked(
    url: str,
    *,
    storage_options: Mapping[str, Any] | None = None,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    seconds: float = SERVER_SECONDS,
    watch: Watch = unwatched,
) -> Checked:
    """The same as what came of a location; an error that kept it from being asked is part of it.

    The arguments are those of `check_server`.

    Raises:
        UnknownRequirement: `select` or `ignore` matches no id of the catalogue.
    """
    rules = server_rules(select=select, ignore=ignore)
    try:
        report, notes = _visited(url, rules, storage_options, limits, seconds, watch)
    except MemoryfieldError as error:
        return Checked(url, error=error)
    excerpts = (None,) * len(report.findings)
    return Checked(report.location, report=report, excerpts=excerpts, notes=notes)


def _visited(
    url: str,
    rules: BoundServerChecks,
    storage_options: Mapping[str, Any] | None,
    limits: Limits,
    seconds: float,
    watch: Watch,
) -> tuple[Report, tuple[str, ...]]:
    location = _served(url)
    options = TransferOptions.of(storage_options)
    options.of_transport("HTTP")
    asking = Asking(location.url, options, location.shown, Deadline(seconds))
    with Archives(asking, limits) as archives:
        try:
            return _judged(Visit(asking, archives, limits, watch), rules)
        finally:
            asking.close()


def _served(url: str) -> HttpLocation:
    """The address of a served field.

    Raises:
        LocationError: it is something else.
    """
    location = parse_location(url)
    if not isinstance(location, HttpLocation):
        raise LocationError(
            "is not the address of a server",
            location=location.shown,
            hint="give a URL that begins with http:// or https://",
        )
    if location.is_archive:
        raise LocationError(
            "is the address of an archive",
            location=location.shown,
            hint="give the address of the field, without the name of the archive",
        )
    return location


def _judged(visit: Visit, rules: BoundServerChecks) -> tuple[Report, tuple[str, ...]]:
    findings: list[Finding] = []
    ended: list[str] = []
    digest = None
    count = 0
    try:
        try:
            if visit.asking.move(visit.root.url):
                visit.notes.append(f"the server sent us on to {shown(visit.root.url)}")
        except AccessDenied as error:
            # Nothing can be seen without credentials, but how they are asked for can be.
            visit.note_unread(error)
            rules = tuple(each for each in rules if each[0].id == _AUTHENTICATION)
        for rule, check in rules:
            for number, finding in enumerate(check(rule, visit)):
                if number == _MOST_FINDINGS:
                    visit.notes.append(f"{rule.id}: no more than {number} findings are told")
                    break
                findings.append(finding)
            ended.append(rule.id)
        if not visit.is_denied:
            count = len(visit.names)
            digest = visit.digest
    except Stopped as error:
        error.location = error.location or visit.asking.location
        visit.unread.append(error)
    findings.sort(key=Finding.order)
    broken = {finding.rule for finding in findings}
    judged = [id for id in ended if id in broken or id not in visit.not_judged]
    if not judged and not findings:
        raise _nothing_judged(visit)
    asked = visit.asking.count
    told = ", ".join(id for id in judged if id not in visit.not_applying) or "nothing"
    notes = (f"checked {told} in {asked} requests", *visit.asking.client.notes, *visit.notes)
    report = Report(visit.asking.location, digest, count, tuple(findings), tuple(visit.unread))
    return report, notes


def _nothing_judged(visit: Visit) -> MemoryfieldError:
    """Why there can be no verdict."""
    for error in reversed(visit.unread):
        if isinstance(error, Stopped):
            return error
    if visit.unread:
        return visit.unread[0]
    why = "; ".join(f"{id}: {why}" for id, why in visit.not_judged.items())
    return SourceUnavailable(f"nothing could be judged: {why}", location=visit.asking.location)

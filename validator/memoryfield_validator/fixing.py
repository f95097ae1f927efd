"""From a location to a mended field: what is proposed, what was written, what is left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TypeAlias

from memoryfield_readers import LocationError, MemoryfieldError, inspect_field

from .checked import STDIN, Checked
from .checking import Request, Watch, check, check_field, judge
from .finding import Finding
from .fixes import Change, Proposal, Written, apply, births_in, propose, writable_folder

WatchWriting: TypeAlias = Callable[[Proposal], AbstractContextManager[Callable[[], None]]]
"""What makes a function that is called for each change, for as long as a field is written."""

_MOST_ROUNDS = 2
"""How often it is written: again where a page cannot be renamed, and others waited for that."""

_NAMES = "MF201"


@dataclass(frozen=True, slots=True)
class Fixed:
    """What came of mending one field.

    Attributes:
        checked: the field as it is afterwards; where nothing was to be written, as it is. What
            could not be written is among what could not be read.
        proposal: what was mended, or would be.
    """

    checked: Checked
    proposal: Proposal


def fix(
    location: str,
    request: Request,
    *,
    write: bool = True,
    watch: Watch | None = None,
    watch_writing: WatchWriting | None = None,
) -> Fixed:
    """Mend what has one right answer in the field at a location, and check it.

    Only findings that the request lets through are mended: what is ignored is left as it is. A page
    that cannot be written keeps no other one from being mended.

    Arguments:
        location: a folder; an archive is never written.
        request: what is asked of the field.
        write: whether to write; otherwise the changes are only proposed.
        watch: shows how far a check is.
        watch_writing: shows how far the writing is.
    """
    try:
        before, proposal = _proposed(location, request, watch)
    except MemoryfieldError as error:
        return Fixed(Checked(location, error=error), Proposal())
    if not write or not proposal.changes:
        return Fixed(before, proposal)
    done, errors = _written(proposal, location, request, watch_writing)
    after = check(location, request, watch=watch)
    if after.report is not None and errors:
        unread = (*after.report.unread, *errors)
        after = replace(after, report=replace(after.report, unread=unread))
    return Fixed(after, done)


def _proposed(
    location: str, request: Request, watch: Watch | None, refused: frozenset[str] = frozenset()
) -> tuple[Checked, Proposal]:
    """The field as it is, and what is to be changed in it; some pages cannot be renamed.

    Raises:
        MemoryfieldError: the field cannot be read, or is none that can be written.
    """
    if location == STDIN:
        hint = "unpack the archive, mend the folder, and pack it again"
        raise LocationError("standard input cannot be mended", hint=hint)
    folder = writable_folder(location)
    with inspect_field(location, limits=request.settings.limits, offline=request.offline) as field:
        with watch(field) if watch is not None else nullcontext() as progress:
            before = check_field(field, request, progress=progress)
        if before.report is None or not any(each.fixable for each in before.report.findings):
            return before, Proposal()

        def wanted(finding: Finding) -> bool:
            return finding.rule != _NAMES or finding.file not in refused

        proposal = propose(
            field,
            before.report,
            judge=lambda draft: judge(draft, request).report,
            wanted=wanted,
            limits=request.settings.limits,
            born=births_in(folder),
        )
    return before, proposal


def _written(
    proposal: Proposal, location: str, request: Request, watch_writing: WatchWriting | None
) -> tuple[Proposal, tuple[MemoryfieldError, ...]]:
    """What could be done, and what kept the rest from being done: at most one error a page."""
    changes: list[Change] = []
    findings: list[Finding] = []
    errors: dict[str | None, MemoryfieldError] = {}
    refused: frozenset[str] = frozenset()
    for _ in range(_MOST_ROUNDS):
        try:
            if refused:
                _, proposal = _proposed(location, request, None, refused)
            with watch_writing(proposal) if watch_writing is not None else nullcontext() as step:
                written: Written = apply(proposal, location, progress=step)
        except MemoryfieldError as error:
            errors.setdefault(error.entry, error)
            break
        changes += written.done.changes
        findings += written.done.findings
        for each in written.errors:
            errors.setdefault(each.entry, each)
        refused = written.refused
        if not refused:
            break
    return Proposal(tuple(changes), tuple(findings)), tuple(errors.values())

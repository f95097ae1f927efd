"""From a location to a mended field: what is proposed, what was written, what is left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from memoryfield_readers import Field, MemoryfieldError, inspect_field

from .checked import Checked
from .checking import STDIN, Request, Watch, check, check_field, judge
from .fixes import Proposal, apply, births_in, propose, writable_folder
from .fixes.missing_fields import Born

WatchWriting: TypeAlias = Callable[[Proposal], AbstractContextManager[Callable[[], None]]]
"""What makes a function that is called after each change, for as long as a field is written."""

_NOTHING = Proposal()


@dataclass(frozen=True, slots=True)
class Fixed:
    """What came of mending one field.

    Attributes:
        checked: the field as it is afterwards; where nothing was to be written, as it is.
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

    Only findings that the request lets through are mended: what is ignored is left as it is.

    Arguments:
        location: a folder; an archive is never written.
        request: what is asked of the field.
        write: whether to write; otherwise the changes are only proposed.
        watch: shows how far a check is.
        watch_writing: shows how far the writing is.
    """
    try:
        folder = writable_folder(location if location != STDIN else None)
        with inspect_field(location, limits=request.settings.limits) as field:
            with watch(field) if watch is not None else nullcontext() as progress:
                before = check_field(field, request, progress=progress)
            proposal = _proposal(field, before, request, births_in(folder))
        if not write or not proposal.changes:
            return Fixed(before, proposal)
        with watch_writing(proposal) if watch_writing is not None else nullcontext() as step:
            apply(proposal, location, progress=step)
    except MemoryfieldError as error:
        return Fixed(Checked(location, error=error), _NOTHING)
    return Fixed(check(location, request, watch=watch), proposal)


def _proposal(field: Field, before: Checked, request: Request, born: Born) -> Proposal:
    if before.report is None or not any(each.fixable for each in before.report.findings):
        return _NOTHING
    return propose(
        field,
        before.report,
        judge=lambda draft: judge(draft, request).report,
        limits=request.settings.limits,
        born=born,
    )

"""From a location to a mended field: what is proposed, what was written, what is left."""

from __future__ import annotations

from dataclasses import dataclass

from memoryfield_readers import Field, MemoryfieldError, inspect_field

from .checked import Checked
from .checking import STDIN, Request, check, check_field, judge
from .fixes import Proposal, apply, births_in, propose, writable_folder
from .fixes.missing_fields import Born

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


def fix(location: str, request: Request, *, write: bool = True) -> Fixed:
    """Mend what has one right answer in the field at a location, and check it.

    Only findings that the request lets through are mended: what is ignored is left as it is.

    Arguments:
        location: a folder; an archive is never written.
        request: what is asked of the field.
        write: whether to write; otherwise the changes are only proposed.
    """
    try:
        folder = writable_folder(location if location != STDIN else None)
        with inspect_field(location, limits=request.settings.limits) as field:
            before = check_field(field, request)
            proposal = _proposal(field, before, request, births_in(folder))
        if not write or not proposal.changes:
            return Fixed(before, proposal)
        apply(proposal, location)
    except MemoryfieldError as error:
        return Fixed(Checked(location, error=error), _NOTHING)
    return Fixed(check(location, request), proposal)


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

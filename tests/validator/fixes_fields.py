"""Fields that are mended in memory, and what of them may change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import NamedTuple

from tests.validator.fields import Files, archive, as_bytes

from memoryfield_readers import MemoryfieldError, inspect_field
from memoryfield_validator import Finding, Report, validate
from memoryfield_validator.fixes import Proposal, Rename, Rewrite, apply, propose

Contents = dict[str, bytes]


class Mended(NamedTuple):
    """What came of mending a field.

    Attributes:
        before: what was found in it.
        proposal: what was proposed.
        files: its files afterwards.
        after: what is found in it then.
    """

    before: Report
    proposal: Proposal
    files: Contents
    after: Report

    def page(self, name: str = "a.md") -> bytes:
        """The bytes of a page afterwards."""
        return self.files[name]


def numbered_uuids() -> Callable[[], str]:
    """Makes UUIDs that tests can know beforehand."""
    numbers = count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def everything(finding: Finding) -> bool:
    """Each finding is wanted."""
    return True


def proposal_for(
    files: Files, wanted: Callable[[Finding], bool] = everything, *, report: Report | None = None
) -> Proposal:
    """What is proposed for a field, which needs no folder: it is read as an archive.

    Arguments:
        files: the files of the field.
        wanted: which findings are to be mended.
        report: what was found in it, where that is known already.
    """
    with inspect_field(archive(files)) as field:
        found = report or validate(field)
        return propose(field, found, judge=validate, wanted=wanted, new_uuid=numbered_uuids())


def changed(files: Files, proposal: Proposal) -> Contents:
    """The files after the changes of a proposal, each of which must fit what is there."""
    contents = {name: as_bytes(content) for name, content in files.items()}
    for change in proposal.changes:
        if isinstance(change, Rewrite):
            assert contents[change.name] == change.before
            assert change.before != change.after
            contents[change.name] = change.after
        elif isinstance(change, Rename):
            assert change.to not in contents
            contents[change.to] = contents.pop(change.name)
    return contents


def report_of(files: Files) -> Report:
    """What is found in a field."""
    with inspect_field(archive(files)) as field:
        return validate(field)


def mend(files: Files, wanted: Callable[[Finding], bool] = everything) -> Mended:
    """Mend a field, and look at it again."""
    before = report_of(files)
    proposal = proposal_for(files, wanted, report=before)
    after = changed(files, proposal)
    return Mended(before, proposal, after, report_of(after))


def fixable(report: Report) -> list[Finding]:
    """The findings that are said to be fixable."""
    return [finding for finding in report.findings if finding.fixable]


def assert_clean(mended: Mended) -> None:
    """All that was said to be fixable is gone, and there is nothing more to do."""
    assert fixable(mended.after) == []
    assert proposal_for(mended.files, report=mended.after) == Proposal()
    assert bool(fixable(mended.before)) == bool(mended.proposal.changes)


def mended_text(text: str | bytes, name: str = "a.md") -> str:
    """A field of one page mended, which must then be clean: the text of the page."""
    mended = mend({name: text})
    assert_clean(mended)
    return mended.page(name).decode()


def proposal_of(folder: Path) -> Proposal:
    """What is proposed for a folder."""
    with inspect_field(folder) as field:
        return propose(field, validate(field), judge=validate, new_uuid=numbered_uuids())


def refused(proposal: Proposal, folder: Path, kind: type[MemoryfieldError]) -> MemoryfieldError:
    """The one error that keeps a part of a proposal from being done."""
    (error,) = apply(proposal, folder).errors
    assert type(error) is kind
    return error


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

"""A proposal written to a folder: each page before or after, never between.

Pages are written first and renamed last: a run that is cut off leaves links to names that the next
run brings about. What cannot be done is told, and keeps nothing else from being done.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from memoryfield_readers import LocationError, MemoryfieldError, NotFound, local_path
from memoryfield_readers.holding import DEFAULT_WAIT, held_field

from .folder import WritableFolder
from .proposal import Change, Proposal, Rename, Rewrite

_NAMES = "MF201"


@dataclass(frozen=True, slots=True)
class Written:
    """What came of a proposal.

    Attributes:
        done: the changes that were made, and the findings that are mended by them.
        errors: what kept other changes from being made, at most one error a page.
        refused: the pages that cannot be renamed, because they or pages that link to them cannot
            be changed. Other pages that link to them are left as they are: without these renames
            in it, another proposal can change them.
    """

    done: Proposal
    errors: tuple[MemoryfieldError, ...] = ()
    refused: frozenset[str] = frozenset()


def apply(
    proposal: Proposal, location: object, *, progress: Callable[[], None] | None = None
) -> Written:
    """Make the changes of a proposal, one after the other, as far as that is possible.

    No page is renamed where a link would then lead nowhere, as far as that can be seen before. An
    error of one page is part of the answer: `SourceChanged` where the page is not what it was when
    it was read, or its new name is taken by now; `AccessDenied`; `PageError` where it is a link by
    now, or one leads to a page that is to be renamed; `SourceUnavailable`. The folder is locked
    meanwhile, as every other writer of ours locks it.

    Arguments:
        proposal: what to do.
        location: the folder that it was made for, as it was opened.
        progress: called once for each change.

    Raises:
        LocationError: the location is no folder on this machine; an archive is never written.
        NotFound: the folder does not exist.
        AccessDenied: the folder may not be opened.
        LockTimeout: another program was writing to it for half a minute.
        SourceUnavailable: something else is the matter with the folder, such as a batch that was
            cut off.
    """
    path = writable_folder(location)
    if not proposal.changes:
        return Written(proposal)
    with (
        held_field(path, wait=DEFAULT_WAIT, location=str(path)),
        WritableFolder(path, str(path)) as folder,
    ):
        folder.check_at_rest()
        return _Writing(proposal, folder, progress or (lambda: None)).run()


class _Writing:
    """One proposal that is being written."""

    def __init__(
        self, proposal: Proposal, folder: WritableFolder, progress: Callable[[], None]
    ) -> None:
        self._proposal = proposal
        self._folder = folder
        self._progress = progress
        self._done: list[Change] = []
        self._errors: dict[str, MemoryfieldError] = {}

    def run(self) -> Written:
        """Make the changes."""
        proposal, folder = self._proposal, self._folder
        refused = self._refused()
        held_rewrites, held_renames = _held_back(proposal.renames, refused)
        for rewrite in proposal.rewrites:
            held = rewrite.name in held_rewrites
            if not held and self._tried(
                rewrite.name, folder.rewrite, rewrite.before, rewrite.after
            ):
                self._done.append(rewrite)
            self._progress()
        folder.sync()
        rewritten = {change.name for change in self._done}
        failed = {each.name for each in proposal.rewrites} - rewritten
        for rename in proposal.renames:
            held = rename.name in held_renames or _needs(rename, failed)
            if not held and self._tried(rename.name, folder.rename, rename.to):
                self._done.append(rename)
            self._progress()
        done = _part(proposal, self._done)
        return Written(done, tuple(self._errors.values()), frozenset(refused))

    def _refused(self) -> set[str]:
        """The pages that cannot be renamed, as far as that can be seen before it is written."""
        proposal, folder = self._proposal, self._folder
        needed = {name for each in proposal.renames for name in (each.name, *each.linked_from)}
        closed = {
            rewrite.name
            for rewrite in proposal.rewrites
            if rewrite.name in needed
            and not self._tried(rewrite.name, folder.check_rewrite, rewrite.before)
        }
        return {
            rename.name
            for rename in proposal.renames
            if not self._tried(rename.name, folder.check_rename, rename.to)
            or _needs(rename, closed)
        }

    def _tried(self, name: str, change: Callable[..., None], *arguments: object) -> bool:
        """Whether something could be done to a page; an error is kept."""
        try:
            change(name, *arguments)
        except MemoryfieldError as error:
            self._errors.setdefault(name, error)
            return False
        return True


def _needs(rename: Rename, pages: Collection[str]) -> bool:
    """Whether a rename depends on one of the pages: it is the page itself, or one with a link."""
    return rename.name in pages or any(name in pages for name in rename.linked_from)


def _held_back(renames: Iterable[Rename], refused: Iterable[str]) -> tuple[set[str], set[str]]:
    """The pages that are not rewritten and those that are not renamed, as some renames are refused.

    A page with a link to a name that will not be is not rewritten; what else it links to then keeps
    its name, too; and so on.
    """
    by_name = {rename.name: rename for rename in renames}
    linked: dict[str, list[str]] = defaultdict(list)
    for rename in by_name.values():
        for page in rename.linked_from:
            linked[page].append(rename.name)
    held_rewrites: set[str] = set()
    held_renames = set(refused)
    waiting = list(held_renames)
    while waiting:
        for page in by_name[waiting.pop()].linked_from:
            if page not in held_rewrites:
                held_rewrites.add(page)
                more = [name for name in linked[page] if name not in held_renames]
                held_renames.update(more)
                waiting += more
    return held_rewrites, held_renames


def _part(proposal: Proposal, changes: list[Change]) -> Proposal:
    """Some changes of a proposal, and the findings that they mend."""
    if len(changes) == len(proposal.changes):
        return proposal
    renamed = {change.name for change in changes if isinstance(change, Rename)}
    rewrites = [change for change in changes if isinstance(change, Rewrite)]
    rewritten = {name for change in rewrites for name in (change.name, *change.links)}
    names_now = {rename.to: rename.name for rename in proposal.renames}
    findings = (
        finding
        for finding in proposal.findings
        if names_now.get(finding.file or "", finding.file)
        in (renamed if finding.rule == _NAMES else rewritten)
    )
    return Proposal(tuple(changes), tuple(findings))


def writable_folder(location: object) -> Path:
    """The folder that a location names.

    Raises:
        LocationError: it is an archive, elsewhere, bytes, a file object, or else no folder.
        NotFound: it does not exist.
    """
    if not isinstance(location, str | os.PathLike):
        raise _no_folder(f"a {type(location).__name__} is no folder", None)
    text = os.fsdecode(location)
    path = local_path(text)
    if path is not None and path.is_dir():
        return path
    if path is None:
        raise _no_folder("is not on this machine: only pages in folders here are mended", text)
    if not path.exists():
        raise NotFound("there is no such folder", location=text)
    raise _no_folder("is no folder: only pages in folders are mended", text)


def _no_folder(message: str, location: str | None) -> LocationError:
    hint = "unpack an archive, mend the folder, and pack it again"
    return LocationError(message, location=location, hint=hint)

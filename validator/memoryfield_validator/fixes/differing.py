"""A proposal as a unified diff in git's style, which `git apply` and `patch` take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memoryfield_readers import visible_lines

from ..unified import file_lines, git_header, hunks_of, lines_of, patch_of, renamed
from .line_changes import line_changes
from .proposal import Proposal, Rewrite


def diff(proposal: Proposal) -> str:
    """All changes as text for a terminal: what a patch says, with what is not plain text escaped.

    For pages of plain text it is the patch itself. Lines end as they do in the pages.
    """
    return visible_lines(patch(proposal).decode("utf-8", "surrogateescape"))


def patch(proposal: Proposal) -> bytes:
    """All changes as `git apply` takes them, byte by byte; empty where there are none."""
    new_names = {rename.name: rename.to for rename in proposal.renames}
    pieces = [piece for each in proposal.rewrites for piece in _file(each, new_names)]
    rewritten = {rewrite.name for rewrite in proposal.rewrites}
    for rename in proposal.renames:
        if rename.name not in rewritten:
            pieces += [git_header(rename.name, rename.to), renamed(rename.name, rename.to)]
    return b"".join(pieces)


def _file(rewrite: Rewrite, new_names: Mapping[str, str]) -> Iterator[bytes]:
    name, to = rewrite.name, new_names.get(rewrite.name, rewrite.name)
    yield git_header(name, to)
    if name != to:
        yield renamed(name, to)
    yield file_lines(name, to)
    before, after = lines_of(rewrite.before), lines_of(rewrite.after)
    yield patch_of(hunks_of(line_changes(before, after), len(before)), before, after)

"""A commit of a repository, here or elsewhere, opened through a temporary git directory."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from ..errors import AccessDenied
from ..locations.values import GitLocation
from ..transfer.options import TransferOptions
from .command import GitDirectory, program
from .commits import commit_of
from .ref_names import check_ref
from .remote import WANTED, Remote
from .temporary import TemporaryFolder
from .view import fill_view


class OpenedCommit:
    """One commit; the ref that was asked for is not asked again.

    Attributes:
        place: how git is run.
        commit: the whole id of the commit.
        resolved: the location with the commit in place of the ref.
    """

    def __init__(self, location: GitLocation, options: TransferOptions, most_bytes: int) -> None:
        """Find the commit; that of a repository elsewhere is fetched.

        Raises:
            LocationError: the ref can be none, or there is an option that git does not have.
            NotFound: there is no such repository or commit.
            AccessDenied: it may not be read.
            SourceUnavailable: it cannot be had; or git is not installed.
        """
        options.of_transport("git")
        ref = location.ref or "HEAD"
        check_ref(ref, location.shown)
        if location.is_local and options.public_only:
            raise AccessDenied(
                "someone else's text may not name a repository on this machine",
                location=location.shown,
                hint="give this location yourself, if you trust it",
            )
        git = program(location.shown)
        self._remote: Remote | None = None
        self._temporary = TemporaryFolder(location.shown)
        with ExitStack() as undo:
            undo.callback(self.close)
            self.place = GitDirectory(self._temporary.path, git, location.shown, options.timeout)
            if location.is_local:
                fill_view(self.place, Path(location.repository))
            else:
                self._remote = Remote(location.repository, options, most_bytes, self.place)
                self._remote.fetch(ref)
                ref = WANTED
            self.commit = commit_of(self.place, ref)
            undo.pop_all()
        self.resolved = _with_ref(location.shown, self.commit)

    def fetch_history(self) -> None:
        """Have what the commit grew out of; a repository on this machine has it already."""
        if self._remote is not None:
            self._remote.fetch_history(self.commit)

    def close(self) -> None:
        """Remove what is temporary."""
        self._temporary.close()


def _with_ref(shown: str, commit: str) -> str:
    """A location of git with another ref: what stands between the first @ and the #."""
    before, mark, folder = shown.partition("#")
    return f"{before.partition('@')[0]}@{commit}{mark}{folder}"

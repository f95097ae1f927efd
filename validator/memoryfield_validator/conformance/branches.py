"""Cases in a git repository: one branch each, all written by one command."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

from memoryfield_readers import SourceUnavailable, visible

from .case import Archive, Case, File
from .errors import CannotCarry
from .implementation import Elsewhere

_FILE, _LINK = b"100644", b"120000"
_COMMIT = b"""\
commit refs/heads/%s
committer Conformance <conformance@example.org> 1767225600 +0000
data 0
"""
_MOST_SECONDS = 300


class Branches:
    """A temporary repository in which each case that it can hold is a branch."""

    def __init__(self, cases: Sequence[Case], scratch: Path | None) -> None:
        """Write the repository.

        Arguments:
            cases: all that may be asked for.
            scratch: the folder in which it stands; the system's by default.

        Raises:
            CannotCarry: there is no git here.
            SourceUnavailable: git cannot write it.
        """
        git = shutil.which("git")
        if git is None:
            raise CannotCarry("git is not installed")
        self._reasons: dict[str, str] = {}
        stream = b"".join(self._told(case) for case in cases)
        self._folder = tempfile.TemporaryDirectory(
            dir=scratch, prefix="cases-", ignore_cleanup_errors=True
        )
        self._repository = Path(self._folder.name, "cases.git")
        with ExitStack() as unfinished:
            unfinished.callback(self.close)
            self._run(git, "init", "--quiet", "--bare", "--template=", str(self._repository))
            self._run(git, "-C", str(self._repository), "fast-import", "--quiet", stdin=stream)
            unfinished.pop_all()

    @contextmanager
    def put(self, case: Case) -> Iterator[Elsewhere]:
        """See `Carrier.put`."""
        if case.id in self._reasons:
            raise CannotCarry(self._reasons[case.id])
        path = quote(self._repository.absolute().as_posix())
        yield Elsewhere(f"git+file://{path if path.startswith('/') else f'/{path}'}@{case.id}")

    def close(self) -> None:
        """Remove the repository."""
        self._folder.cleanup()

    def _told(self, case: Case) -> bytes:
        """A case in the words of `git fast-import`; nothing, if git cannot hold it."""
        if isinstance(case.given, Archive):
            return b""
        try:
            changes = b"".join(_change(file) for file in case.files)
        except CannotCarry as reason:
            self._reasons[case.id] = str(reason)
            return b""
        return _COMMIT % case.id.encode() + changes + b"\n"

    def _run(self, git: str, *arguments: str, stdin: bytes = b"") -> None:
        try:
            done = subprocess.run(  # noqa: S603 - the arguments are our own
                [git, *arguments],
                input=stdin,
                env=_environment(self._folder.name),
                capture_output=True,
                timeout=_MOST_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SourceUnavailable(f"git cannot write the cases: {error}") from None
        if done.returncode != 0:
            told = visible(done.stderr.decode(errors="replace").strip())[-300:]
            raise SourceUnavailable(f"git cannot write the cases: {told}")


def _change(file: File) -> bytes:
    """A file in the words of `git fast-import`."""
    if file.special == "fifo":
        raise CannotCarry("git keeps no FIFO")
    if file.special == "folder":
        raise CannotCarry("git keeps no empty folder")
    if "\\" in file.name:
        raise CannotCarry("elsewhere, what has a \\ in it is no name")
    if ".git" in file.name.lower().split("/"):
        raise CannotCarry("git keeps nothing that is called .git")
    name = b"".join(b"\\%03o" % byte for byte in file.name.encode("utf-8", "surrogateescape"))
    is_link = file.link is not None
    data = os.fsencode(file.link) if file.link is not None else file.content or b""
    head = b'M %b inline "%b"\ndata %d\n' % (_LINK if is_link else _FILE, name, len(data))
    return head + data + b"\n"


def _environment(home: str) -> dict[str, str]:
    """An environment in which git finds nobody's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "HOME": home,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }

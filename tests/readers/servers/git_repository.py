"""Real git repositories for tests: the same bytes, names and dates on every machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

FIRST_SECOND = 1_700_000_000
"""When the first commit is dated, unless it says otherwise; each later one is a minute younger."""

ELSEWHERE = "0123456789abcdef0123456789abcdef01234567"
"""The commit of a submodule, which is in no repository."""


@dataclass(frozen=True)
class Link:
    """A symbolic link with this text."""

    target: bytes


@dataclass(frozen=True)
class Submodule:
    """A folder that is another repository."""

    commit: str = ELSEWHERE


@dataclass(frozen=True)
class Script:
    """A file that may be executed."""

    data: bytes


Content: TypeAlias = bytes | Link | Submodule | Script


@dataclass(frozen=True)
class Commit:
    """What a commit changes.

    Attributes:
        files: what is at which path from now on; None for nothing any more.
        parents: the places of its parents in the sequence; None for the commit before.
        seconds: its committer date; None for the default.
        branch: the branch that leads to it.
    """

    files: Mapping[str, Content | None] = field(default_factory=dict)
    parents: tuple[int, ...] | None = None
    seconds: int | None = None
    branch: str = "main"


def git(folder: Path, *arguments: str, stdin: bytes = b"", **environment: str) -> str:
    """What a command of git says, run with no settings but ours."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=stdin,
        env=surroundings(folder) | environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def surroundings(home: Path) -> dict[str, str]:
    """An environment in which git finds nobody's settings, and knows who it works for."""
    who = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": f"{FIRST_SECOND} +0000"}
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{
            f"GIT_{role}_{name}": value
            for role in ("AUTHOR", "COMMITTER")
            for name, value in who.items()
        },
    }


def make_repository(
    path: Path, commits: Sequence[Commit], *, bare: bool = True, algorithm: str = "sha1"
) -> Path:
    """A repository with a history; that of a working clone is not checked out.

    Returns:
        the folder.
    """
    path.mkdir(parents=True, exist_ok=True)
    kind = ("--bare",) if bare else ()
    git(path, "init", "-q", "-b", "main", "--template=", f"--object-format={algorithm}", *kind)
    add_commits(path, commits)
    return path


def add_commits(path: Path, commits: Sequence[Commit]) -> None:
    """Write commits into an empty repository, by one command."""
    stream = b"".join(_told(number, commit) for number, commit in enumerate(commits))
    git(path, "fast-import", "--quiet", "--force", stdin=stream + b"done\n")


def check_out(path: Path, into: Path, ref: str = "HEAD") -> Path:
    """A checkout of a repository's ref, by git itself."""
    git(path.parent, "clone", "-q", "--no-checkout", "--template=", str(path), str(into))
    git(into, "checkout", "-q", "--detach", git(path, "rev-parse", f"{ref}^{{commit}}"))
    return into


def _told(number: int, commit: Commit) -> bytes:
    """A commit in the words of `git fast-import`."""
    seconds = FIRST_SECOND + 60 * number if commit.seconds is None else commit.seconds
    parents = commit.parents
    if parents is None:
        parents = (number - 1,) if number else ()
    lines = [
        f"commit refs/heads/{commit.branch}\nmark :{number + 1}\n"
        f"committer Ada <ada@example.org> {seconds} +0000\n".encode(),
        _data(b"commit %d" % number),
    ]
    if not parents:
        lines.insert(0, f"reset refs/heads/{commit.branch}\n".encode())
    for place, parent in enumerate(parents):
        lines.append(f"{'merge' if place else 'from'} :{parent + 1}\n".encode())
    for name, content in commit.files.items():
        quoted = _quoted(name)
        match content:
            case None:
                lines.append(b"D %b\n" % quoted)
            case Submodule():
                lines.append(b"M 160000 %b %b\n" % (content.commit.encode(), quoted))
            case Link():
                lines.append(b"M 120000 inline %b\n%b" % (quoted, _data(content.target)))
            case Script():
                lines.append(b"M 100755 inline %b\n%b" % (quoted, _data(content.data)))
            case _:
                lines.append(b"M 100644 inline %b\n%b" % (quoted, _data(content)))
    return b"".join(lines) + b"\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(data), data)


def _quoted(name: str) -> bytes:
    raw = name.encode("utf-8", "surrogateescape")
    return b'"%b"' % b"".join(b"\\%03o" % byte for byte in raw)

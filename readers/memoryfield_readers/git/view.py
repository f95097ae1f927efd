"""A repository on this machine, looked at through a git directory of our own.

The temporary git directory has links to the objects and refs of the repository, and nothing else of
it: git never sees its configuration (which can name programs to run, and files to include), hooks,
attributes, grafts, alternates and commit graph. Nothing is written to the repository, and it does
not matter who owns it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

from ..display import shown
from ..errors import MemoryfieldError, SourceUnavailable
from ..sources.rooted import RootedFolder
from ..system_errors import error_of
from .command import GitDirectory, GitFailed
from .temporary import make_git_directory

_HEAD = re.compile(rb"(?:ref: *refs/[^\s\0]{1,1000}|[0-9a-f]{40}|[0-9a-f]{64})\s*")
_UNBORN_HEAD = b"ref: refs/heads/.unreadable\n"
_MOST_HEAD_BYTES = 2048
_MOST_CONFIG_BYTES = 1024 * 1024
_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")
_LINKED = ("refs", "packed-refs", "shallow", "reftable")
_PLAIN_WORD = re.compile(r"[a-z0-9]{1,20}")
_FORMATS = (("objectformat", "objectFormat"), ("refstorage", "refStorage"))
"""The extensions of a repository that say how its objects and refs are to be read."""


def fill_view(view: GitDirectory, repository: Path) -> None:
    """Make a git directory show the objects and refs of a repository, bare or a working clone.

    Raises:
        NotFound: there is nothing at that path.
        AccessDenied: it may not be read.
        SourceUnavailable: it is no repository, or one that leads out of its own folder.
    """
    try:
        os.stat(repository)
    except OSError as error:
        raise error_of(error, location=view.location) from error
    try:
        top = _git_directory(repository, view.location)
        _check_kinds(top, view.location)
        make_git_directory(view.folder, extensions=_extensions(view, top), head=_head(top))
        (view.folder / "refs").rmdir()
        for name in _LINKED:
            if os.path.lexists(top / name):
                _link(view.folder / name, top / name)
        _link_objects(view.folder / "objects", top / "objects", view.location)
    except FileNotFoundError as error:  # what was there a moment ago: that is not "absent"
        raise view.unavailable("it was changed while it was opened", "try again") from error
    except OSError as error:
        raise error_of(error, location=view.location) from error


def _git_directory(repository: Path, location: str) -> Path:
    """Where the repository keeps its objects: the folder itself, or `.git` in it."""
    inside = repository / ".git"
    if inside.is_symlink() or inside.is_file():
        raise SourceUnavailable(
            "its .git leads to a repository elsewhere, as that of a linked work tree does",
            location=location,
            hint="name that repository itself: `git rev-parse --git-common-dir` says where it is",
        )
    for folder in (inside, repository):
        if (folder / "objects").is_dir() and os.path.lexists(folder / "HEAD"):
            return folder.absolute()
    raise SourceUnavailable(
        "there is no git repository here",
        location=location,
        hint="name its top folder, and a folder in it behind a #: git+file:///repo@ref#folder",
    )


def _check_kinds(top: Path, location: str) -> None:
    """Refuse what is not of the kind that git makes: a link could lead out, a FIFO would hang."""
    for name, is_right in (
        ("HEAD", stat.S_ISREG),
        ("config", stat.S_ISREG),
        ("packed-refs", stat.S_ISREG),
        ("shallow", stat.S_ISREG),
        ("refs", stat.S_ISDIR),
        ("reftable", stat.S_ISDIR),
        ("objects", stat.S_ISDIR),
        ("objects/pack", stat.S_ISDIR),
    ):
        try:
            mode = os.lstat(top / name).st_mode
        except FileNotFoundError:
            continue
        if not is_right(mode):
            raise _leads_out(name, location)


def _head(top: Path) -> bytes:
    """What HEAD says, if it is something that a HEAD can say."""
    said = _start_of(top, "HEAD", _MOST_HEAD_BYTES)
    return said if _HEAD.fullmatch(said) else _UNBORN_HEAD


def _start_of(top: Path, name: str, most: int) -> bytes:
    """The first bytes of a file of the repository, none if there is none; no link is followed."""
    folder = RootedFolder(top)
    try:
        descriptor = folder.open_file((name,))
    except FileNotFoundError:
        return b""
    finally:
        folder.close()
    try:
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)


def _extensions(view: GitDirectory, top: Path) -> dict[str, str]:
    """How objects and refs are kept, read from the configuration as a mere file."""
    found: dict[str, str] = {}
    if b"extensions" not in _start_of(top, "config", _MOST_CONFIG_BYTES).lower():
        return found  # which is most often so, and spares running git
    for name, key in _FORMATS:
        try:
            said = view.run(
                "config", "--file", str(top / "config"), "--no-includes", "--get",
                f"extensions.{name}",
            )  # fmt: skip
        except GitFailed:
            continue  # it is not set, or nothing that git could read
        word = said.decode("utf-8", "replace").strip()
        if _PLAIN_WORD.fullmatch(word):
            found[key] = word
    return found


def _link_objects(into: Path, objects: Path, location: str) -> None:
    """Show packs and loose objects, but not `info`, which names alternates and commit graphs."""
    with os.scandir(objects) as items:
        names = [item.name for item in items if _is_shown(item)]
    for name in names:
        with os.scandir(objects / name) as items:
            for item in items:
                if item.is_symlink():
                    raise _leads_out(f"objects/{name}/{item.name}", location)
        _link(into / name, objects / name)


def _is_shown(item: os.DirEntry[str]) -> bool:
    good = item.name == "pack" or _LOOSE_FOLDER.fullmatch(item.name) is not None
    return good and item.is_dir(follow_symlinks=False)


def _link(place: Path, target: Path) -> None:
    try:
        place.symlink_to(target)
    except OSError:
        # Without the right to make links, as on some Windows: the same, as long as nothing changes.
        if target.is_dir():
            shutil.copytree(target, place, symlinks=True)
        else:
            shutil.copyfile(target, place, follow_symlinks=False)


def _leads_out(name: str, location: str) -> MemoryfieldError:
    return SourceUnavailable(
        f"{shown(name)} of the repository is not what git makes there: it may lead elsewhere",
        location=location,
        hint="clone the repository, and read the clone",
    )

"""The sources, and from the files of a case to a path on this machine where they can be read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath

from .case import ARCHIVE, ARCHIVE_NAME, DIRECTORY, Archive, Case, File
from .errors import CannotCarry
from .raw_zip import DEFLATED, STORED, ZipEntry, zip_bytes

DEFLATED_ARCHIVE = "archive-deflated"
HTTP = "http"
HTTP_ARCHIVE = "http-archive"
GIT = "git"
S3 = "s3"

SOURCES = (DIRECTORY, ARCHIVE, DEFLATED_ARCHIVE)
"""The sources that are paths on this machine, which every implementation can be given."""

ELSEWHERE = (HTTP, HTTP_ARCHIVE, GIT, S3)
"""The sources that are not; the last one is written to only where somebody says."""

EVERY_SOURCE = (*SOURCES, *ELSEWHERE)
"""Every source that a field can be put into; all of them have to give the same answer."""

_ARCHIVES = frozenset({ARCHIVE, DEFLATED_ARCHIVE, HTTP_ARCHIVE})


def sources_of(case: Case, among: Iterable[str] = SOURCES) -> tuple[str, ...]:
    """Those of some sources that can carry what a case gives, in the order of all sources."""
    chosen = frozenset(among)
    if isinstance(case.given, Archive):
        fit: Iterable[str] = (ARCHIVE, HTTP_ARCHIVE)
    elif case.edit is not None:  # what stands elsewhere is read
        kinds = case.sources or {DIRECTORY, ARCHIVE}
        fit = (source for source in SOURCES if kind_of(source) in kinds)
    elif case.sources is None:
        fit = EVERY_SOURCE
    else:
        kinds = case.sources
        fit = (source for source in EVERY_SOURCE if kind_of(source) in kinds)
    return tuple(source for source in fit if source in chosen)


def kind_of(source: str) -> str:
    """What an implementation is told of a source: it is a directory or an archive."""
    return ARCHIVE if source in _ARCHIVES else DIRECTORY


def make_place(case: Case, source: str, scratch: Path) -> Path:
    """Write what a case gives into an empty folder, and say where it stands.

    Raises:
        CannotCarry: this machine or this source cannot hold it.
    """
    if isinstance(case.given, Archive):
        return _write(scratch / case.given.file_name, case.given.data)
    if source == DIRECTORY:
        return _directory(case.files, scratch / "field")
    return _write(scratch / ARCHIVE_NAME, _archive(case.files, deflated=source == DEFLATED_ARCHIVE))


def traces(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """What stands below a folder: names, kinds, sizes and times, by which writing is seen."""
    found = []
    for at, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(at, name)
            state = path.lstat()
            size = 0 if path.is_dir() else state.st_size
            found.append((str(path), state.st_mode, size, state.st_mtime_ns))
    return tuple(sorted(found))


def archive_bytes(files: tuple[File, ...]) -> bytes:
    """The files of a case as a stored archive, in the order of the case.

    Raises:
        CannotCarry: there is something among them that no archive can hold.
    """
    return _archive(files, deflated=False)


def _write(path: Path, data: bytes) -> Path:
    try:
        path.write_bytes(data)
    except (OSError, ValueError) as error:
        raise CannotCarry(f"this machine cannot write {path.name!r}: {error}") from None
    return path


def _directory(files: tuple[File, ...], root: Path) -> Path:
    root.mkdir()
    for file in files:
        if list(PurePath(file.name).parts) != file.name.split("/"):  # a `\\` is a `/` somewhere
            raise CannotCarry(f"this machine takes {file.name!r} for another name")
        try:
            _put(file, root)
        except (OSError, UnicodeError) as error:
            raise CannotCarry(f"this machine cannot make {file.name!r}: {error}") from None
    made = {
        _relative(Path(at) / n, root) for at, dirs, names in os.walk(root) for n in names + dirs
    }
    for file in files:
        if file.name not in made:
            raise CannotCarry(f"this file system does not keep the name {file.name!r}")
    return root


def _put(file: File, root: Path) -> None:
    path = root / file.name
    if path.parent.resolve() != root.resolve() / PurePath(file.name).parent:
        raise OSError("it would stand behind a link")  # one whose name is another spelling
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.link is not None:
        path.symlink_to(file.link)
    elif file.special == "fifo":
        if not hasattr(os, "mkfifo"):
            raise OSError("there are no FIFOs on this system")
        os.mkfifo(path)
    elif file.special == "folder":
        path.mkdir(exist_ok=True)
    else:
        with open(path, "xb") as target:  # "x": two names that are one here must not pass
            target.write(file.content or b"")


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _archive(files: tuple[File, ...], *, deflated: bool) -> bytes:
    entries = []
    for file in files:
        if file.special == "folder":
            entries.append(ZipEntry(f"{file.name}/"))
        elif file.content is None:
            raise CannotCarry(f"an archive cannot hold {file.name!r} as it is")
        else:
            method = DEFLATED if deflated else STORED
            entries.append(ZipEntry(_entry_name(file.name), file.content, method))
    return zip_bytes(*(reversed(entries) if deflated else entries))


def _entry_name(name: str) -> str | bytes:
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape")
    return name

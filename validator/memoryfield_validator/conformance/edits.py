"""Edits: from the file of a case to a batch and the files after it, and what a writer has left."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryfield_readers import (
    EmptyField,
    Limits,
    MemoryfieldError,
    memory_field,
    name_key,
    open_field,
)

from .case import Answer, Case, Edit, File
from .content import content_of
from .errors import BrokenCase

if TYPE_CHECKING:
    from zipfile import ZipInfo

_BATCH = 1
_MARKED_AS_UTF_8 = 0x800
_NOTHING_READ: Answer = {"files": None, "digest": None}


def edit_of(given: Mapping[str, Any]) -> Edit:
    """The edit that a case describes.

    Raises:
        BrokenCase: the instant is none.
    """
    stamp = given.get("stamp")
    if stamp is not None:
        try:
            datetime.fromisoformat(stamp)
        except ValueError:
            raise BrokenCase(f"edit.stamp: {stamp} is no instant") from None
    batch = given.get("batch")
    if batch is None:  # pure ASCII: what cannot be seen in a text can be seen in the batch
        batch = json.dumps({"version": _BATCH, "operations": given["operations"]}, indent=1)
    return Edit(batch, tuple(given.get("allow", ())), stamp)


def files_after(expect: Mapping[str, Any], before: tuple[File, ...]) -> tuple[File, ...]:
    """The files that a case expects after its edit: after an error they are those before it.

    Raises:
        BrokenCase: a file is said to have the bytes of one that is not there.
    """
    if "error" in expect:
        return before
    contents = {file.name: file.content for file in before if file.content is not None}
    return tuple(_file_after(left, contents) for left in expect["files"])


def expected_edit(case: Case) -> Answer:
    """The exact answer to a case of kind edit, as far as it is not in `expect` as it stands."""
    return {"error": case.expect.get("error"), "files": _told(case.after)}


def left_by_edit(place: Path, limits: Limits) -> Answer:
    """What stands in a folder or an archive that was to be edited: `files` and `digest`.

    Every file counts, debris as well, since a writer leaves nothing of its own behind. Both are
    None where it is no field any more that a reader would open.
    """
    try:
        with open_field(place, limits=limits) as field:
            files = list(_in_folder(place) if place.is_dir() else _in_archive(place))
            try:
                digest = field.digest()
            except EmptyField:
                digest = None
    except (MemoryfieldError, OSError):
        return _NOTHING_READ
    return {"files": sorted(files, key=lambda file: name_key(file["name"])), "digest": digest}


def edit_problems(case: Case, edit: Edit) -> Iterator[str]:
    """What is wrong with a case of kind edit, though it has the form of one."""
    names = [file.name for file in case.after]
    if len(names) != len(set(names)):
        yield "a file stands twice in `expect.files`"
    if "files" in case.expect and names != sorted(names, key=name_key):
        yield "the files that are expected are not in the order of the bytes of their names"
    if any(file.special == "fifo" for file in case.files):
        yield "a FIFO can be in no edit: no pin would say what came of it"
    digest = _pin(case.after)
    if case.expect["digest"] != digest:
        yield f"the digest is {case.expect['digest']}, and the files make it {digest}"
    if case.expect.get("error") != "invalid-batch" and not _is_batch(edit.batch):
        yield "the batch is no JSON object with version 1"


def _file_after(left: Mapping[str, Any], contents: Mapping[str, bytes]) -> File:
    name = str(left["name"])
    if "link" in left:
        return File(name, link=left["link"])
    if "from" in left:
        if left["from"] not in contents:
            raise BrokenCase(f"expect.files: there is no file {left['from']!r} before")
        return File(name, contents[left["from"]])
    return File(name, content_of(left))


def _told(files: Iterable[File]) -> list[dict[str, str]]:
    """Files as an answer has them, in order; an empty folder is none."""
    found = []
    for file in sorted(files, key=lambda file: name_key(file.name)):
        if file.link is not None:
            found.append({"name": file.name, "link": file.link})
        elif file.content is not None:
            found.append(_file(file.name, hashlib.sha256(file.content).hexdigest()))
    return found


def _in_folder(root: Path) -> Iterator[dict[str, str]]:
    for at, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(at, name)
            told = path.relative_to(root).as_posix()
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                yield {"name": told, "link": os.readlink(path)}
            elif stat.S_ISREG(mode):
                with path.open("rb") as file:
                    yield _file(told, hashlib.file_digest(file, "sha256").hexdigest())
            elif not stat.S_ISDIR(mode):
                yield _file(told, "")


def _in_archive(path: Path) -> Iterator[dict[str, str]]:
    """The files of an archive that our reader has found to be safe, debris among them."""
    import zlib
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    content = archive.read(entry)
                    yield _file(_entry_name(entry), hashlib.sha256(content).hexdigest())
    except (BadZipFile, NotImplementedError, EOFError, zlib.error) as error:
        raise OSError(str(error)) from None


def _entry_name(entry: ZipInfo) -> str:
    """The name as the standard decodes it: one that is not marked may be UTF-8 all the same."""
    name = entry.filename
    if not entry.flag_bits & _MARKED_AS_UTF_8:
        try:
            return name.encode("cp437").decode()
        except UnicodeError:
            pass  # it is not, and was decoded as what it is
    return name


def _file(name: str, sha256: str) -> dict[str, str]:
    return {"name": name, "sha256": sha256}


def _pin(files: tuple[File, ...]) -> str:
    """The field pin of files, or "none"."""
    contents = {file.name: file.content for file in files if file.content is not None}
    for file in files:
        if file.link is not None and file.link in contents:
            contents[file.name] = contents[file.link]
    with memory_field(contents) as field:
        try:
            return field.digest()
        except EmptyField:
            return "none"


def _is_batch(text: str) -> bool:
    try:
        batch = json.loads(text)
    except ValueError:
        return False
    return isinstance(batch, dict) and batch.get("version") == _BATCH

"""What a batch under way in a folder has on record, so that all of its files change as one.

While a folder is written it has a folder `.memoryfield/` in it: what is to come is staged there,
and what will be replaced is kept. A batch counts from the moment when the record, the journal, has
its name there; what it says is done from then on, whoever does it. A folder at rest has none.

The journal is lines of JSON in ASCII: the folder and how many files there are, each file, and the
SHA-256 of all the lines before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .display import shown
from .errors import LimitExceeded

if TYPE_CHECKING:
    from .sources.rooted import RootedFolder

FOLDER = ".memoryfield"
"""The folder in which a batch is prepared; debris to every reader."""

JOURNAL = "journal"
"""The file in that folder that makes a batch count."""

PACKED_HALF_WAY = (
    "a batch was under way in it when it was packed or committed: some pages may be of before, "
    "some of after"
)
"""What a person should know of an archive or a commit in which there is a journal."""

MOST_JOURNAL_BYTES = 16 * 1024 * 1024
MOST_JOURNAL_FILES = 65_536
_MOST_LINE_BYTES = 64 * 1024  # a path of 4096 bytes, each written with six characters, and more

_VERSION = 1
_MOST_PATH_BYTES = 4096
_STAGED_NAME = re.compile(r"(?:new|old)-[0-9]{1,9}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CLOSED_FOLDERS = frozenset({FOLDER, ".git"})
_MOST_INODE = 2**128  # some systems have numbers of 128 bits
_MOST_NUMBER = 2**64

_HEAD = frozenset({"version", "folder", "count"})
_FILE = frozenset({"path", "new", "old", "sha256", "before"})
_BEFORE = frozenset({"inode", "size", "mtime_ns"})
_END = frozenset({"sha256"})


class InvalidJournal(ValueError):
    """The bytes are no whole journal; the text ends "the journal …"."""


@dataclass(frozen=True, slots=True)
class Before:
    """What tells a file from one that came in its place.

    Attributes:
        inode: its number in the file system.
        size: in bytes.
        mtime_ns: when its content last changed, in nanoseconds since 1970-01-01T00:00:00Z.
    """

    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Before:
        """That of a file, by its status."""
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class JournalFile:
    """What becomes of one file.

    Attributes:
        path: where it stands in the field's folder; of a page that is a link, the link's target.
        new: the staged file that comes there; None for a file that goes.
        old: the name in the staging folder of what was there; None if nothing was, or is not kept.
        sha256: of the bytes that come, in hexadecimal; None for a file that goes.
        before: what was there; None if nothing was.
    """

    path: str
    new: str | None
    old: str | None
    sha256: str | None
    before: Before | None


@dataclass(frozen=True, slots=True)
class Journal:
    """All that a batch does to a folder.

    Attributes:
        folder: the inode number of the folder: in a copy of it the journal does not count.
        files: what becomes of which file; each path stands there once.
    """

    folder: int
    files: tuple[JournalFile, ...]


def journal_bytes(journal: Journal) -> bytes:
    """A journal as it stands in its file.

    Raises:
        LimitExceeded: no reader would take it: it has too many files, or too many bytes.
        InvalidJournal: it says what no journal may.
    """
    if len(journal.files) > MOST_JOURNAL_FILES:
        raise _too_much(f"it changes {len(journal.files)} files, and {MOST_JOURNAL_FILES} can be")
    _check(journal)
    head = {"version": _VERSION, "folder": journal.folder, "count": len(journal.files)}
    lines = [_line(head)]
    lines += [_line(_as_dict(file)) for file in journal.files]
    if max(map(len, lines)) > _MOST_LINE_BYTES:
        raise _too_much("a path in it is too long")
    body = b"".join(lines)
    data = body + _line({"sha256": hashlib.sha256(body).hexdigest()})
    if len(data) > MOST_JOURNAL_BYTES:
        raise _too_much(f"its record has {len(data)} bytes, and can have {MOST_JOURNAL_BYTES}")
    return data


def parse_journal(data: bytes) -> Journal:
    """The journal that some bytes are, wherever they come from.

    Raises:
        InvalidJournal: they are none, or not the whole of one.
    """
    if len(data) > MOST_JOURNAL_BYTES:
        raise InvalidJournal(f"has more than {MOST_JOURNAL_BYTES} bytes")
    if not data.endswith(b"\n"):
        raise InvalidJournal("is not whole: its end is missing")
    if data.count(b"\n") > MOST_JOURNAL_FILES + 2:
        raise InvalidJournal(f"names more than {MOST_JOURNAL_FILES} files")
    lines = data[:-1].split(b"\n")
    body, end = data[: -len(lines[-1]) - 1], _parsed(lines[-1], _END)
    if end["sha256"] != hashlib.sha256(body).hexdigest():
        raise InvalidJournal("is not whole: its bytes do not have the SHA-256 that it ends with")
    if len(lines) < 2:
        raise InvalidJournal("is not whole: its first line is missing")
    head = _parsed(lines[0], _HEAD)
    if not _is_number(head["version"], _MOST_NUMBER) or head["version"] != _VERSION:
        raise InvalidJournal("is of another version of this program")
    if not _is_number(head["count"], _MOST_NUMBER) or head["count"] != len(lines) - 2:
        raise InvalidJournal("does not name as many files as it says")
    files = tuple(_from_dict(_parsed(line, _FILE)) for line in lines[1:-1])
    journal = Journal(head["folder"], files)
    _check(journal)
    return journal


def is_under_way(root: RootedFolder) -> bool:
    """Whether a batch counts in a folder and is not done; under a lock: whether it was left off.

    Raises:
        OSError: that cannot be found out.
    """
    try:
        if not stat.S_ISDIR(root.status_of((FOLDER,)).st_mode):
            return False
        root.status_of((FOLDER, JOURNAL))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def may_be_planted(staging: os.stat_result, folder: os.stat_result) -> bool:
    """Whether somebody may have put a staging folder there who may not change what else is there.

    That is so where everybody may put something into the field's folder, and only its owner may
    take a file away (the sticky bit).

    Arguments:
        staging: the status of `.memoryfield/`.
        folder: that of the folder it is in.
    """
    if not folder.st_mode & stat.S_ISVTX or not hasattr(os, "geteuid"):
        return False
    return staging.st_uid not in (0, folder.st_uid, os.geteuid())


def is_journal_path(path: object) -> bool:
    """Whether something is the path of a file that a journal may name.

    No link is looked at here: who opens the file has to follow none on the way to it.
    """
    if not isinstance(path, str) or not path or "\0" in path:
        return False
    try:
        if len(path.encode("utf-8", "surrogateescape")) > _MOST_PATH_BYTES:
            return False
    except UnicodeEncodeError:
        return False
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0].casefold() in _CLOSED_FOLDERS:
        return False
    return os.sep == "/" or not any(mark in path for mark in (os.sep, ":"))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _as_dict(file: JournalFile) -> dict[str, Any]:
    before = file.before
    return {
        "path": file.path,
        "new": file.new,
        "old": file.old,
        "sha256": file.sha256,
        "before": None
        if before is None
        else {"inode": before.inode, "size": before.size, "mtime_ns": before.mtime_ns},
    }


def _from_dict(value: dict[str, Any]) -> JournalFile:
    before = value["before"]
    if before is not None:
        if not isinstance(before, dict) or before.keys() != _BEFORE:
            raise _no_journal()
        before = Before(**before)
    return JournalFile(value["path"], value["new"], value["old"], value["sha256"], before)


def _parsed(line: bytes, keys: frozenset[str]) -> dict[str, Any]:
    """The object that a line is, with exactly these keys.

    Raises:
        InvalidJournal: it is another one, or none.
    """
    if len(line) > _MOST_LINE_BYTES:
        raise InvalidJournal(f"has a line of more than {_MOST_LINE_BYTES} bytes")
    try:
        value = json.loads(line.decode("ascii"), object_pairs_hook=_once_each)
    except (ValueError, RecursionError):
        raise _no_journal() from None
    if not isinstance(value, dict) or value.keys() != keys:
        raise _no_journal()
    return value


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _check(journal: Journal) -> None:
    """Raise `InvalidJournal` where a journal says what none may."""
    if not _is_number(journal.folder, _MOST_INODE):
        raise _no_journal()
    for file in journal.files:
        if not is_journal_path(file.path):
            raise InvalidJournal(f"names {shown(str(file.path))}, which is no path in the folder")
        if not _is_sound(file):
            raise InvalidJournal(f"says of {shown(file.path)} what makes no sense")
    _check_once("path", (file.path for file in journal.files))
    staged = (name for file in journal.files for name in (file.new, file.old))
    _check_once("staged file", (name for name in staged if name is not None))


def _is_sound(file: JournalFile) -> bool:
    names = (name for name in (file.new, file.old) if name is not None)
    if not all(isinstance(name, str) and _STAGED_NAME.fullmatch(name) for name in names):
        return False
    if (file.new is None) != (file.sha256 is None):
        return False
    if file.sha256 is not None and not (
        isinstance(file.sha256, str) and _SHA256.fullmatch(file.sha256)
    ):
        return False
    before = file.before
    if before is None:  # what was not there cannot be kept, nor go
        return file.old is None and file.new is not None
    return (
        _is_number(before.inode, _MOST_INODE)
        and _is_number(before.size, _MOST_NUMBER)
        and _is_number(before.mtime_ns, _MOST_NUMBER, -_MOST_NUMBER)
    )


def _is_number(value: object, most: int, least: int = 0) -> bool:
    return type(value) is int and least <= value < most


def _check_once(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidJournal(f"names the {what} {shown(name)} twice")
        seen.add(name)


def _no_journal() -> InvalidJournal:
    return InvalidJournal("is not what this program writes")


def _too_much(what: str) -> LimitExceeded:
    return LimitExceeded(
        f"the batch is too large for a folder: {what}", hint="apply it in several batches"
    )

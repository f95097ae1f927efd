"""From values to a lock file: sorted, so that diffs are small, and replaced in one step."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import LockFileError, WriteConflict
from ..limits import DEFAULT_LIMITS, Limits
from ..system_errors import reason_of
from .lines import lines_of
from .reading import lock_bytes, parse_lock
from .typed import make_in_state
from .values import VERSION, LockedField, LockFile

_COMMENT = (
    "# Written by `memoryfield lock`, which also checks it: do not edit the lines of a manifest."
)
_WAIT_SECONDS = 30
_MOST_TRIES = 20
_PAUSE_SECONDS = 0.05
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def render_lock(lock: LockFile) -> str:
    """The text of a lock file: fields by name, keys in a fixed order, unknown ones after them."""
    import tomli_w

    table: dict[str, Any] = {"version": VERSION, **_sorted(lock.rest)}
    table["fields"] = {name: _table(lock.fields[name]) for name in sorted(lock.fields)}
    return f"{_COMMENT}\n{tomli_w.dumps(table)}"


def _table(locked: LockedField) -> dict[str, Any]:
    known = {
        "location": locked.location,
        "resolved": locked.resolved,
        "archive_pin": None if locked.archive_pin is None else str(locked.archive_pin),
        "field_pin": str(locked.field_pin),
        "bytes": locked.size,
        "archive_bytes": locked.archive_size,
        "manifest": lines_of(locked.manifest.hashes),
        "indexes": lines_of(locked.indexes) or None,
    }
    written = {key: value for key, value in known.items() if value is not None}
    return {**written, **_sorted(locked.rest)}


def _sorted(rest: Mapping[str, Any]) -> dict[str, Any]:
    return {key: rest[key] for key in sorted(rest)}


class Change:
    """A lock file while nobody else changes it.

    Attributes:
        lock: what it says now; no field where it is not there yet.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        """Read it anew; raises as `read_lock` does, but for a file that is not there."""
        self._path = Path(os.path.realpath(path))
        self._limits = limits
        self._before = lock_bytes(path) if os.path.lexists(path) else None
        if not self._before:  # there is none, or one as `touch` makes it
            self.lock = LockFile(Path(os.path.abspath(path)), {})
        else:
            self.lock = parse_lock(self._before, path, limits=limits)

    def write(self, lock: LockFile) -> None:
        """Put another content in the place of the one that was read, in one step.

        Raises:
            LockFileError: it cannot be written, or what would be written could not be read.
            WriteConflict: somebody has changed it who does not know of locks.
        """
        data = render_lock(lock).encode("utf-8")
        parse_lock(data, lock.path, limits=self._limits)
        if data == self._before:
            return
        try:
            _replace(self._path, self._before, data)
        except OSError as error:
            raise LockFileError(
                f"cannot be written: {reason_of(error)}", location=str(lock.path)
            ) from error
        self._before, self.lock = data, lock


@contextmanager
def changing(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Change]:
    """Keep others from changing a lock file meanwhile, and read it anew.

    What locks is a file in the folder of this program's state, never beside a field; where that
    cannot be written, a file among the temporary ones.

    Raises:
        WriteConflict: another process keeps it for long.
        MemoryfieldError: it cannot be read; as `read_lock` raises.
    """
    from filelock import FileLock, Timeout

    held = FileLock(_guard(path), timeout=_WAIT_SECONDS)
    try:
        held.acquire()
    except Timeout:  # an `OSError`, too
        raise WriteConflict(
            f"another process has been changing it for {_WAIT_SECONDS} seconds",
            location=str(path),
            hint="see what it waits for, and try again",
        ) from None
    except (OSError, NotImplementedError):
        # Where there are no locks, `Change.write` still sees most of what others do meanwhile.
        pass
    try:
        yield Change(path, limits)
    finally:
        held.release()


def _guard(path: Path) -> Path:
    """The file that processes lock who change a lock file; it is never removed."""
    mark = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    try:
        folder = make_in_state("locks")
        if os.access(folder, os.W_OK):
            return folder / f"{mark}.lock"
    except OSError:
        pass
    import tempfile

    user = getattr(os, "getuid", lambda: "")()
    return Path(tempfile.gettempdir()) / f"memoryfield-{user}-{mark}.lock"


def _replace(path: Path, before: bytes | None, data: bytes) -> None:
    """Write a file beside another, and move it into its place if that is still what it was."""
    mode = None
    if before is not None:
        status = os.stat(path)
        mode = stat.S_IMODE(status.st_mode)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "it may not be written")
    temporary = path.with_name(f".{path.name}-{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, _NEW, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            file.flush()
            os.fsync(descriptor)
        _check_unchanged(path, before)
        _move(temporary, path)
    finally:  # once it has taken the place, there is nothing to remove
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    _sync(path.parent)


def _check_unchanged(path: Path, before: bytes | None) -> None:
    now = lock_bytes(path) if os.path.lexists(path) else None
    if now != before:
        raise WriteConflict(
            "was changed by another program at the same time", location=str(path), hint="try again"
        )


def _move(temporary: Path, path: Path) -> None:
    """Move a file over another; on Windows a scanner may hold one of them for a moment."""
    for tries in range(_MOST_TRIES):
        try:
            os.replace(temporary, path)
        except PermissionError:
            if os.name != "nt" or tries == _MOST_TRIES - 1:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _sync(folder: Path) -> None:
    """Have the name on the disk; some systems cannot, and do it in their own time."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

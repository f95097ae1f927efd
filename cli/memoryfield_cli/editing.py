"""A page in an editor: what was typed is never lost, whatever comes of it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.system_errors import reason_of

from .output import warn

_INTERRUPTED = 130
_FALLBACK = "notepad" if os.name == "nt" else "vi"


class EditedPage:
    """A copy of a page, for this user alone, that an editor is opened on.

    Attributes:
        path: the copy; it is named as the page is.
        keep: whether it stays also if all ends well.
        worthless: whether nothing was typed that could get lost.
    """

    def __init__(self, folder: Path, name: str, raw: bytes) -> None:
        """Write the copy."""
        self.path = folder / name
        self.keep = False
        self.worthless = False
        self._before = raw
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)

    def edit(self) -> bytes | None:
        """Let the user edit it; the new bytes, or None where they are the old ones.

        Raises:
            SourceUnavailable: the editor cannot be started, or says that it has failed.
        """
        command = editor()
        try:
            with _left_to_the_editor():
                # the command is the user's own setting
                code = subprocess.call([*command, str(self.path)])  # noqa: S603
        except OSError as error:
            raise SourceUnavailable(
                f"the editor {shlex.join(command)} cannot be started: {reason_of(error)}",
                hint="set VISUAL or EDITOR",
            ) from error
        if code in (-signal.SIGINT, _INTERRUPTED):
            raise KeyboardInterrupt
        if code:
            raise SourceUnavailable(f"the editor {shlex.join(command)} ended with {code}")
        try:
            raw = self.path.read_bytes()
        except OSError as error:
            raise SourceUnavailable(
                f"what the editor has left cannot be read: {reason_of(error)}",
                location=str(self.path),
            ) from error
        return None if raw == self._before else raw

    def differs(self) -> bool:
        """Whether the copy may hold something that is nowhere else."""
        if self.worthless:
            return False
        try:
            return self.path.read_bytes() != self._before
        except FileNotFoundError:
            return False
        except OSError:
            return True


@contextmanager
def copy_for_editing(name: str, raw: bytes) -> Iterator[EditedPage]:
    """A copy of a page to edit. If it does not end well, what was typed stays, and is told where.

    Arguments:
        name: the name of the page.
        raw: its bytes.
    """
    folder = Path(tempfile.mkdtemp(prefix="memoryfield-"))
    copy = None
    ended_well = False
    try:
        copy = EditedPage(folder, name, raw)
        yield copy
        ended_well = True
    finally:
        if copy is not None and (copy.keep or not ended_well) and copy.differs():
            warn(f"what you typed is kept in {copy.path}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _left_to_the_editor() -> Iterator[None]:
    """Leave Ctrl-C to the editor meanwhile: to many it is a key as any other.

    A function that does nothing is not inherited by the editor, as being ignored would be.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are not its business
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def editor() -> list[str]:
    """The command of the user's editor: `$VISUAL`, `$EDITOR`, or what every system has.

    Raises:
        SourceUnavailable: what is set means no command, or nothing is, and there is no terminal.
    """
    for variable in ("VISUAL", "EDITOR"):
        wanted = os.environ.get(variable, "").strip()
        if wanted:
            try:
                return shlex.split(wanted, posix=os.name != "nt")
            except ValueError as error:
                raise SourceUnavailable(
                    f"{variable} means no command: {error}", hint=f"set {variable}"
                ) from error
    if os.name != "nt" and not (sys.stdin is not None and sys.stdin.isatty()):
        raise SourceUnavailable(
            f"there is no terminal for {_FALLBACK}, and no other editor is set",
            hint="set VISUAL or EDITOR",
        )
    return [_FALLBACK]

"""`memoryfield note` as tests run it, on a field of three pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import GOOD, Outcome, call, folder

UUID = "6aa615f0-486f-48a7-a210-ba4f5ff18c8b"
CHANGED = GOOD.replace(b"unevenly", b"evenly")
PAGES = {"woks.md": GOOD, "b.md": b"---\nparent: woks\n---\nA pan.\n", "c.md": b"A pot.\n"}


def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A field in the folder in which commands run from now on; nobody has made a note here."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("MEMORYFIELD_LOCK", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder(tmp_path / "field", PAGES)


def note(*arguments: str | Path, stdin: bytes | None = None) -> Outcome:
    return call("note", *arguments, stdin=stdin)


def good(*arguments: str | Path, stdin: bytes | None = None) -> Outcome:
    """What a command does that succeeds and complains of nothing."""
    done = note(*arguments, stdin=stdin)
    assert (done.code, done.err) == (0, ""), arguments
    return done


def refused(code: int, *arguments: str | Path, stdin: bytes | None = None) -> str:
    """What a command complains of that does nothing."""
    done = note(*arguments, stdin=stdin)
    assert (done.code, done.out) == (code, ""), (arguments, done.err)
    return done.err

"""`memoryfield lock update`: a pin moves after a review, and not without an answer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import (
    COMMAND,
    KNOWN,
    KNOWN_PIN,
    SECONDS,
    call,
    folder,
    neutral_environment,
)
from tests.cli.lock_command import LOCK, ORDERS, begin, fields, good, lock


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the command runs, with a field in it."""
    root = begin(tmp_path, monkeypatch)
    folder(root / "notes", KNOWN)
    return root


def test_update_without_an_answer(here: Path) -> None:
    """Where nobody can be asked, what differs is shown, nothing is changed, and that is exit 1."""
    good("add", "n", "notes")
    assert good("update").out == "n: unchanged\n"
    before = (here / LOCK).read_bytes()
    (here / "notes" / "a.md").write_bytes(ORDERS)
    done = lock("update")
    assert done.code == 1
    assert done.out.startswith("n: 1 page changed: `a.md`\n")
    assert "MF802" in done.out
    assert "add --yes" in done.err
    assert (here / LOCK).read_bytes() == before


def test_update_with_yes(here: Path) -> None:
    """What is there now is locked; the answer is shown all the same."""
    good("add", "n", "notes")
    good("add", "same", folder(here / "same", KNOWN))
    (here / "notes" / "a.md").write_bytes(ORDERS)
    done = lock("update", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "same: unchanged\n" in done.out
    assert "MF802" in done.out
    pin = call("digest", "notes").out.strip()
    assert done.out.endswith(f"n: locked {pin}\n")
    assert fields()["n"]["field_pin"] == pin
    assert good("check").code == 0


def test_update_keeps_what_it_does_not_know(here: Path) -> None:
    """Keys of other programs stay with the field, and at the top."""
    good("add", "n", "notes")
    text = (here / LOCK).read_text(encoding="utf-8")
    (here / LOCK).write_text("reviewer = 'me'\n" + text + "label = 7\n", encoding="utf-8")
    (here / "notes" / "a.md").write_bytes(b"new\n")
    assert lock("update", "--yes").code == 0
    assert fields()["n"]["label"] == 7
    assert 'reviewer = "me"\n' in (here / LOCK).read_text(encoding="utf-8")


def test_update_as_json(here: Path) -> None:
    """stdout is JSON alone, with the comparison in it; what a person is shown is on stderr."""
    good("add", "n", "notes")
    good("add", "gone", folder(here / "gone", KNOWN))
    good("add", "same", folder(here / "same", KNOWN))
    (here / "gone").rename(here / "elsewhere")
    (here / "notes" / "a.md").write_bytes(ORDERS)
    done = lock("update", "--format", "json")
    assert done.code == 4
    gone, notes, same = done.json["fields"]
    assert (gone["state"], gone["after"], gone["error"]["exit_code"]) == ("failed", None, 4)
    assert (same["state"], same["comparison"]) == ("unchanged", None)
    assert notes["state"] == "left"
    assert notes["before"]["field_pin"] == KNOWN_PIN != notes["after"]["field_pin"]
    assert notes["difference"]["changed"] == ["a.md"]
    assert [one["rule"] for one in notes["comparison"]["findings"]] == ["MF802"]
    assert "n: 1 page changed: `a.md`\n" in done.err
    done = lock("update", "n", "--format", "json", "--yes")
    assert (done.code, done.json["fields"][0]["state"]) == (0, "updated")


def test_update_of_what_can_be_had(here: Path) -> None:
    """A field that cannot be had keeps no other from being locked, and is told."""
    good("add", "n", "notes")
    good("add", "gone", folder(here / "gone", KNOWN))
    (here / "gone").rename(here / "elsewhere")
    (here / "notes" / "a.md").write_bytes(b"new\n")
    done = lock("update", "--yes")
    assert done.code == 4
    assert str(here / "gone") in done.err
    assert lock("check", "n").code == 0
    assert fields()["gone"]["field_pin"] == KNOWN_PIN


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals to play")
@pytest.mark.parametrize(("typed", "code", "locked"), [("y\n", 0, True), ("\n", 1, False)])
def test_update_asks(typed: str, code: int, locked: bool, here: Path) -> None:
    """On a terminal each field is asked for on stderr; anything but yes leaves it as it was."""
    good("add", "n", "notes")
    (here / "notes" / "a.md").write_bytes(b"new\n")
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    try:
        done = subprocess.run(
            [COMMAND, "lock", "update"],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=neutral_environment(),
            timeout=SECONDS,
            check=False,
        )
        asked = os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == code
    assert b"n: 1 page changed: `a.md`\n" in done.stdout
    assert "n: lock it as it is now? [y/N]" in asked
    assert (fields()["n"]["field_pin"] != KNOWN_PIN) is locked


def test_to_needs_one_name(here: Path) -> None:
    """A ref belongs to one field."""
    good("add", "n", "notes")
    assert lock("update", "--to", "v2").code == 2
    assert lock("update", "n", "m", "--to", "v2").code == 2
    done = lock("update", "n", "--to", "v2", "--yes")
    assert done.code == 2
    assert "there is no branch, tag, commit or version in such a location" in done.err


def test_update_shows_the_lines_of_what_was_locked(here: Path) -> None:
    """A source that has moved on has the old version no more: a copy of it was kept."""
    good("add", "n", "notes")
    (here / "notes" / "a.md").write_bytes(b"a\nb\n")
    done = lock("update", "--yes")
    assert "\n a\n+b\n" in done.out
    (here / "notes" / "a.md").write_bytes(b"b\n")
    assert "\n-a\n b\n" in lock("update").out
    assert "\n-a\n b\n" in call("diff", "@n").out
    assert call("cache", "clear", "--yes").code == 0
    done = lock("update")
    assert "-a" not in done.out
    assert "! what was locked is not here any more" in done.out


def test_the_copy_is_not_what_is_read(here: Path) -> None:
    """To read a field is to read its source, which has changed: nothing of it is handed out."""
    good("add", "n", "notes")
    (here / "notes" / "a.md").write_bytes(b"other\n")
    done = call("read", "@n", "b.md", "a.md")
    assert (done.code, done.out) == (3, "")
    assert call("cache", "info", "--format", "json").json["objects"] == 0

"""`edit` opens a page in the user's editor, and loses nothing that was typed."""

from __future__ import annotations

import os
import shlex
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from tests.cli.command import GOOD, KNOWN, Outcome, archive, call, folder, spawn
from tests.cli.harmless import assert_harmless

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="editors here are shell scripts")

PAGES = {"woks.md": GOOD, "plan.txt": b"An attachment.\n"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a place of its own for what is temporary."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.delenv("VISUAL", raising=False)
    folder(tmp_path / "field", PAGES)
    archive(tmp_path / "field.memoryfield.zip", PAGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def editor(place: Path, script: str) -> dict[str, str]:
    """The environment in which the editor is a script that gets the file as `$1`."""
    path = place / "my editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"EDITOR": shlex.quote(str(path))}


def temporary(place: Path) -> list[Path]:
    """What is left of the copies."""
    return [path for path in (place / "temporary").rglob("*") if path.is_file()]


def kept(place: Path, done: Outcome) -> bytes:
    """What was typed, from the one file that is left and named."""
    [path] = temporary(place)
    assert f"memoryfield: what you typed is kept in {path}\n" in done.err
    return path.read_bytes()


@pytest.mark.parametrize("location", ["field", "field.memoryfield.zip"])
def test_a_page_is_edited(location: str, place: Path) -> None:
    """It is written, and its `updated` is renewed; nothing is left behind."""
    done = call("edit", location, "woks.md", env=editor(place, 'echo "One line more." >> "$1"'))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("changed woks.md\nfield-sha256:")
    now = call("read", "--raw", location, "woks.md").stdout
    before, after = GOOD.splitlines(), now.splitlines()
    assert after[-1] == b"One line more."
    differing = [old for old, new in zip(before, after, strict=False) if old != new]
    assert differing == [b"updated: '2026-08-22T14:30:00Z'"]
    assert temporary(place) == []


def test_no_stamp_writes_what_was_typed(place: Path) -> None:
    """To the byte."""
    env = editor(place, 'printf "# Mine\\r\\n" > "$1"')
    assert call("edit", "--no-stamp", "field", "woks.md", env=env).code == 0
    assert (place / "field" / "woks.md").read_bytes() == b"# Mine\r\n"


@pytest.mark.parametrize("script", ["true", 'touch "$1"', 'cp "$1" x; rm "$1"; mv x "$1"'])
def test_unchanged_is_nothing(script: str, place: Path) -> None:
    """Nothing is written, not even the time of the file changes."""
    before = (place / "field" / "woks.md").stat()
    done = call("edit", "field", "woks.md", env=editor(place, script))
    assert (done.code, done.out, done.err) == (0, "", "memoryfield: woks.md: is as it was\n")
    assert (place / "field" / "woks.md").stat().st_mtime_ns == before.st_mtime_ns
    done = call("edit", "--format", "json", "field", "woks.md", env=editor(place, script))
    assert (done.code, done.json["changes"]) == (0, [])
    assert done.json["digest"] == done.json["before"] == call("digest", "field").out.strip()
    assert temporary(place) == []


def test_the_copy_is_for_nobody_else(place: Path) -> None:
    """It is named as the page, and only its owner may read it."""
    env = editor(place, 'cp "$1" "$1.seen"; ls -ld "$1" "$(dirname "$1")" > seen')
    assert call("edit", "field", "woks.md", env=env).code == 0
    file, parent = sorted((place / "seen").read_text().splitlines())
    assert file.startswith("-rw-------")
    assert file.endswith("/woks.md")
    assert parent.startswith("drwx------")
    assert temporary(place) == []


def test_an_editor_that_replaces_the_file(place: Path) -> None:
    """Many write a new file and rename it."""
    env = editor(place, 'sed s/unevenly/evenly/ "$1" > new; mv new "$1"')
    assert call("edit", "field", "woks.md", env=env).code == 0
    assert b"conduct heat evenly" in (place / "field" / "woks.md").read_bytes()


def test_visual_is_asked_first(place: Path) -> None:
    """With the options that stand there, quoted as for a shell."""
    env = editor(place, 'echo "$1" >> "$2"')
    env = {"EDITOR": "false", "VISUAL": f"{env['EDITOR']} 'two words'"}
    assert call("edit", "field", "woks.md", env=env).code == 0
    assert (place / "field" / "woks.md").read_bytes().endswith(b"two words\n")


def test_somebody_else_was_quicker(place: Path) -> None:
    """The page that is there now stays, and what was typed is kept."""
    env = editor(place, 'echo Mine >> "$1"; echo Theirs >> field/woks.md')
    done = call("edit", "field", "woks.md", env=env)
    assert (done.code, done.out) == (5, "")
    assert kept(place, done) == GOOD + b"Mine\n"
    assert (place / "field" / "woks.md").read_bytes() == GOOD + b"Theirs\n"
    assert done.err.count("\n") == 2


def test_a_rejected_text_is_kept(place: Path) -> None:
    """What breaks the standard is not written."""
    env = editor(place, 'printf -- "---\\ntitle: a: b\\n---\\nText\\n" > "$1"')
    done = call("edit", "field", "woks.md", env=env)
    assert done.code == 5
    assert "MF301" in done.err
    assert kept(place, done).endswith(b"Text\n")
    assert (place / "field" / "woks.md").read_bytes() == GOOD


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ('echo Mine >> "$1"; exit 3', 4, "ended with 3"),
        ('echo Mine >> "$1"; kill -INT $$', 130, "interrupted"),
        ('echo Mine >> "$1"; kill -TERM $$', 4, "ended with -15"),
    ],
)
def test_an_editor_that_fails(script: str, code: int, says: str, place: Path) -> None:
    """Nothing is written then, and what was typed is kept."""
    done = call("edit", "field", "woks.md", env=editor(place, script))
    assert (done.code, done.out) == (code, "")
    assert says in done.err
    assert kept(place, done) == GOOD + b"Mine\n"
    assert (place / "field" / "woks.md").read_bytes() == GOOD


@pytest.mark.parametrize("wanted", ["no-such-editor", "'unbalanced", "."])
def test_no_editor(wanted: str, place: Path) -> None:
    """One line says what to set."""
    done = call("edit", "field", "woks.md", env={"EDITOR": wanted})
    assert (done.code, done.out, done.err.count("\n")) == (4, "", 1)
    assert "set VISUAL or EDITOR" in done.err or "set EDITOR" in done.err
    assert temporary(place) == []


def test_no_editor_and_no_terminal(place: Path) -> None:
    """What is for a terminal is not begun where there is none."""
    done = call("edit", "field", "woks.md", env={"EDITOR": ""}, stdin=b"")
    assert (done.code, done.out, done.err.count("\n")) == (4, "", 1)
    assert "set VISUAL or EDITOR" in done.err
    assert temporary(place) == []


def test_an_editor_that_leaves_nothing(place: Path) -> None:
    """That is no wish to empty the page."""
    done = call("edit", "field", "woks.md", env=editor(place, 'rm "$1"'))
    assert done.code == 4
    assert "cannot be read" in done.err
    assert (place / "field" / "woks.md").read_bytes() == GOOD


@pytest.mark.parametrize("script", [': > "$1"', 'echo > "$1"'])
def test_an_editor_that_empties_the_page(script: str, place: Path) -> None:
    """Nor is that."""
    done = call("edit", "field", "woks.md", env=editor(place, script))
    assert (done.code, done.out) == (5, "")
    assert temporary(place) == []
    assert "`memoryfield rm` removes a page" in done.err
    assert (place / "field" / "woks.md").read_bytes() == GOOD


def test_a_dry_run_keeps_what_was_typed(place: Path) -> None:
    """It is nowhere else."""
    done = call("edit", "--dry-run", "field", "woks.md", env=editor(place, 'echo Mine >> "$1"'))
    assert done.code == 0
    assert done.out.startswith("changed woks.md\n")
    assert kept(place, done) == GOOD + b"Mine\n"
    assert (place / "field" / "woks.md").read_bytes() == GOOD


def test_what_cannot_be_edited(place: Path) -> None:
    """No editor is started for it."""
    env = editor(place, "touch started")
    for arguments, code, says in [
        (["field", "other.md"], 4, "`memoryfield new` makes a page"),
        (["field", "plan.txt"], 2, "ends in .md"),
        (["field", "../field/woks.md"], 4, "no such page"),
        (["missing", "woks.md"], 4, "missing"),
        (["https://example.org/x.zip", "woks.md"], 2, "can be read, not written"),
        (["-", "woks.md"], 2, "can be read, not written"),
    ]:
        done = call("edit", *arguments, env=env)
        assert (done.code, done.out) == (code, ""), (arguments, done.err)
        assert says in done.err, (arguments, done.err)
    assert not (place / "started").exists()


def test_pages_with_bad_names(place: Path) -> None:
    """They are shown escaped, and edited all the same."""
    name = "a \x1b[2J\u202e.md"
    folder(place / "field", {name: KNOWN["a.md"]})
    done = call("edit", "field", name, env=editor(place, 'echo more >> "$1"'))
    assert done.code == 0, done.err
    assert_harmless(done.stdout + done.stderr)
    assert (place / "field" / name).read_bytes() == b"a\nmore\n"


def test_an_editor_has_the_terminal(place: Path) -> None:
    """Its stdin is the user's: it is a process like any other."""
    env = editor(place, 'test -r /dev/stdin && echo "$(stat -c %a "$1")" >> "$1"')
    done = spawn("edit", "field", "woks.md", env={**env, "TMPDIR": str(place)}, cwd=place)
    assert done.code == 0, done.err
    assert (place / "field" / "woks.md").read_bytes().endswith(b"600\n")
    assert stat.S_IMODE(os.stat(place / "field" / "woks.md").st_mode) & 0o600 == 0o600

"""`memoryfield note export`, `restore`, `backup` and `convert`, and all examples of `note`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.command import GOOD, archive, call, folder
from tests.cli.note_command import PAGES, begin, good, refused


@pytest.fixture
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return begin(tmp_path, monkeypatch)


def test_stores_travel(field: Path, tmp_path: Path) -> None:
    """Export, restore, backup and convert lose nothing, and replace nothing unasked."""
    good("set", field, "woks.md", "Checked.")
    good("set", field, "c.md", "A pot.")
    (field / "woks.md").unlink()
    good("rebuild", field)
    exported = good("export", field).stdout
    assert json.loads(exported)["format"] == "memoryfield-notes"
    good("export", field, tmp_path / "notes.json")
    (tmp_path / "notes.json").write_bytes(b"")
    assert "--replace" in refused(5, "export", field, tmp_path / "notes.json")
    assert (tmp_path / "notes.json").read_bytes() == b""
    good("export", field, tmp_path / "notes.json", "--replace")
    assert (tmp_path / "notes.json").read_bytes() == exported
    store = tmp_path / "copy.sqlite3"
    assert good("restore", field, "notes.json", "--store", store).out.endswith(
        "2 notes on 3 pages\n"
    )
    assert store.read_bytes().startswith(b"SQLite format 3\0")
    assert good("export", field, "--store", store).stdout == exported
    assert "--replace" in refused(5, "restore", field, "notes.json", "--store", store)
    good("backup", field, "backup", "--store", store)
    refused(5, "backup", field, "backup", "--store", store)
    good("set", field, "b.md", "A pan.", "--store", store)
    taken = store.with_name("taken")
    good("restore", field, "-", "--store", taken, stdin=(tmp_path / "backup").read_bytes())
    assert good("export", field, "-", "--store", taken).stdout == exported
    good("restore", field, "-", "--store", taken, "--replace", stdin=exported)
    assert good("export", field, "--store", taken).stdout == exported
    told = refused(4, "restore", field, "-", "--store", taken, "--replace", stdin=b"{}")
    assert told.startswith("memoryfield: -: is no store of notes")
    good("restore", field, "backup", "--store", store, "--replace")
    for kind, head in (("sqlite", b"SQLite"), ("json", b"{"), ("json", b"{")):
        place = Path(good("convert", field, kind).out.removesuffix(f": {kind}\n"))
        assert place.read_bytes().startswith(head)
        assert good("export", field).stdout == exported
    before, after = (
        {each["id"]: each for each in json.loads(data)["records"]}
        for data in (exported, good("export", field, "--store", store).stdout)
    )
    assert after["b.md"].pop("rev") == before["b.md"].pop("rev") + 2  # not what was read once
    assert after == before
    assert "is the store itself" in refused(2, "export", field, place)
    place.write_bytes(exported[:-9])
    for arguments in (["ls", "field"], ["set", "field", "b.md", "X"], ["rebuild", "field"]):
        assert str(place) in refused(4, *arguments)
    assert place.read_bytes() == exported[:-9]


def test_an_archive_on_stdin(field: Path, tmp_path: Path) -> None:
    """It is nowhere, and can have notes in a store that is named."""
    data = archive(tmp_path / "x.zip", PAGES).read_bytes()
    store = tmp_path / "notes"
    good("set", "-", "c.md", "A pot.", "--store", store, stdin=data)
    assert good("ls", "-", "--store", store, stdin=data).out == "c.md  revision 2: A pot.\n"
    told = refused(2, "set", "-", "c.md", "--rev", "2", "--store", store, stdin=data)
    assert "only one of field and note" in told


def examples() -> list[str]:
    """The examples of all commands, those of the group first."""
    helps = [call("note", "--help").out]
    names = re.findall(r"^  ([a-z]+) {2,}[A-Z]", helps[0].partition("Commands:")[2], re.MULTILINE)
    assert len(names) == 9
    for name in (
        "set",
        "show",
        "ls",
        "search",
        "rebuild",
        "export",
        "backup",
        "restore",
        "convert",
    ):
        names.remove(name)
        helps.append(call("note", name, "--help").out)
    assert not names
    return [line for text in helps for line in re.findall(r"^ +memoryfield (note .*)$", text, re.M)]


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of a help runs as it stands, one after the other."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "my-field", {"index.md": GOOD})
    (tmp_path / "note.txt").write_bytes(b"Checked anew: true.\n")
    found = examples()
    assert len(found) >= 20
    for example in dict.fromkeys(found):
        line, _, file = example.partition(" < ")
        line, _, out = line.partition(" > ")
        if "--remove" in line:  # what comes next is on a page with a note
            continue
        done = call(*shlex.split(line), stdin=Path(file).read_bytes() if file else None)
        expected = 5 if line == "note restore my-field/ notes.json" else 0
        assert done.code == expected, (example, done.err)
        if out:
            Path(out).write_bytes(done.stdout)

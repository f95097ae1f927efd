"""Notes on a field of which a page cannot be read: all others have theirs, and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import call
from tests.cli.note_command import CHANGED, begin, good, note, refused
from tests.notes.hot_journals import cut_off


def test_one_page_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is what its record says gets its note; of the others one is told."""
    field = begin(tmp_path, monkeypatch)
    good("set", field, "woks.md", "Checked.")
    good("set", field, "b.md", "A pan.")
    (field / "new.md").write_bytes(b"New.\n")
    (field / "b.md").unlink()
    (field / "b.md").symlink_to("nowhere")
    done = note("set", field, "woks.md", "Checked twice.", "--rev", "2")
    assert done.out == "woks.md: the note is set, revision 3\n"
    assert "b.md" in done.err
    assert "could not be brought up to the field; woks.md is as it was last seen" in done.err
    for arguments in (["b.md", "X", "--rev", "2"], ["b.md", "X"], ["new.md", "X"]):
        assert "b.md" in refused(4, "set", field, *arguments)
    (field / "woks.md").write_bytes(CHANGED)
    assert "b.md" in refused(4, "set", field, "woks.md", "X", "--rev", "3")
    listed = note("ls", field, "--format", "json")
    pages = {each["name"]: each for each in listed.json["pages"]}
    for name, stale, checked in (("woks.md", True, True), ("b.md", False, False)):
        done = note("show", field, name, "--format", "json")
        assert done.json["page"] == pages[name]
        assert (pages[name]["note"]["stale"], pages[name]["checked"]) == (stale, checked)
        assert pages[name]["orphan"] is False
    for done in (listed, note("ls", field), note("show", field, "b.md")):
        assert done.code == 0
        assert "b.md: its note is judged by what was last seen of it" in done.err
    assert "made on this page as it was last seen (it cannot be had now)" in done.out
    assert "b.md" in refused(4, "show", field, "b.md", "--fresh")


def test_a_page_over_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are brought up to date without it, and it gets no note that nobody could check."""
    field = begin(tmp_path, monkeypatch)
    good("set", field, "c.md", "A pot.")
    (field / "c.md").write_bytes(b"A pot.\n" * 900)
    limit = ("--limit", "page-bytes=2000")
    done = note("set", field, "b.md", "A pan.", *limit)
    assert (done.code, "c.md: could not be read" in done.err) == (0, True)
    for arguments in (["X"], ["X", "--rev", "2"], ["--remove", "--rev", "2"]):
        assert "c.md" in refused(3, "set", field, "c.md", *arguments, *limit)  # as `read` does
    for page in (
        note("show", field, "c.md", "--format", "json", *limit).json["page"],
        note("ls", field, "--format", "json", *limit).json["pages"][1],
    ):
        assert (page["checked"], page["note"]["stale"], page["revision"]) == (False, False, 2)
    good("set", field, "c.md", "A pot, many times.", "--rev", "3")


def test_a_field_that_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No note is said to be made on the page as it is."""
    field = begin(tmp_path, monkeypatch)
    good("set", field, "c.md", "A pot.")
    field.rename(field.with_name("elsewhere"))
    done = note("show", "field", "c.md")
    assert done.out.startswith("c.md, revision 2, made on this page as it was last seen (it cannot")
    assert note("show", "field", "c.md", "--format", "json").json["page"]["checked"] is False
    [page] = note("ls", "field", "--format", "json").json["pages"]
    assert (page["checked"], page["note"]["stale"]) == (False, False)


def test_a_folder_of_notes_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told that there are no notes where nobody could look."""
    field = begin(tmp_path, monkeypatch)
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path / "file"))
    for arguments in (["ls"], ["show", "c.md"], ["export"], ["set", "c.md", "X"], ["rebuild"]):
        told = refused(4, arguments[0], field, *arguments[1:])
        assert "cannot be" in told
    for arguments in (["read", "field", "c.md"], ["search", "--lexical", "field", "pot"]):
        done = call(*arguments)
        assert done.code == 0
        assert "no notes are shown" in done.err


def test_after_a_writer_that_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes undoes what it left half done; who reads is told what does, without the field."""
    field = begin(tmp_path, monkeypatch)
    for number in range(20):
        (field / f"{number}.md").write_bytes(b"text " * 1_000)
    good("set", field, "c.md", "A pot.")
    store = Path(good("convert", field, "sqlite").out.removesuffix(": sqlite\n"))
    good("backup", field, "copy")
    before = good("export", field).out
    writers: list[list[str | Path]] = [
        ["set", field, "b.md", "A pan."],
        ["set", field, "b.md", "--remove", "--rev", "2"],
        ["rebuild", field],
        ["restore", field, "copy", "--replace"],
        ["convert", field, "sqlite"],
    ]
    for arguments in writers:
        cut_off(store)
        told = refused(4, "ls", field)
        assert "`memoryfield note convert LOCATION sqlite`" in told
        good(*arguments)
        good("ls", field)
    assert "b.md  revision 3, no note" in good("ls", field, "--all").out
    cut_off(tmp_path / "copy")
    told = refused(4, "restore", field, "copy", "--replace")
    assert "`memoryfield note convert LOCATION sqlite --store copy` mends it" in told
    good("convert", field, "sqlite", "--store", "copy")
    assert good("export", field, "--store", "copy").out == before

"""`memoryfield note`: notes that outlive their field, with revisions that say who was faster."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import COMMAND, archive, call, folder, neutral_environment
from tests.cli.note_command import CHANGED, PAGES, UUID, begin, good, note, refused
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_notes import MOST_NOTE_BYTES


@pytest.fixture
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return begin(tmp_path, monkeypatch)


def page_of(*arguments: str | Path) -> Any:
    return good("show", *arguments, "--format", "json").json["page"]


def test_a_note_is_made_and_shown(field: Path) -> None:
    """It says on what page it was made, and the field is left alone."""
    before = {each.name: each.read_bytes() for each in field.iterdir()}
    done = good("set", field, "woks.md", "Checked.\nTwice.")
    assert done.out == "woks.md: the note is set, revision 2\n"
    lines = good("show", field, "woks.md").out.splitlines()
    assert lines[0] == "woks.md, revision 2, made on this page as it is"
    assert lines[1] == f"id       {UUID}"
    assert re.fullmatch(r"written  \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", lines[2])
    pin = call("digest", field).out.strip()
    assert lines[3].endswith(f" in {pin}")
    assert lines[4:] == ["", "Checked.", "Twice."]
    for name in (UUID, UUID.upper()):
        assert good("show", field, name).out.splitlines() == lines
    shown = good("show", field, "woks.md", "--format", "json").json
    assert shown.keys() == {"version", "location", "store", "page"}
    page = shown["page"]
    text = page["note"].pop("text"), page["note"].pop("stale"), page["note"].pop("pin")
    assert text == ("Checked.\nTwice.", False, pin)
    assert page["note"].keys() == {"sha256", "written"}
    assert (page["id"], page["name"], page["revision"]) == (UUID, "woks.md", 2)
    assert (page["orphan"], page["parent"], page["pin"]) == (False, None, pin)
    assert {each.name: each.read_bytes() for each in field.iterdir()} == before


@pytest.mark.parametrize("way", ["argument", "file", "stdin", "dash"])
def test_a_note_comes_from_anywhere(way: str, field: Path, tmp_path: Path) -> None:
    """Line ends at its end are left off, and so is a mark of byte order that a file begins with."""
    file = tmp_path / "note.txt"
    file.write_bytes("\ufeffCaf\u00e9.\r\n \r\n\n".encode())
    if way == "argument":
        good("set", field, "c.md", "Caf\u00e9.\r\n \r\n\n")
    elif way == "file":
        good("set", field, "c.md", "--file", file)
    elif way == "dash":
        good("set", field, "c.md", "--file", "-", stdin=file.read_bytes())
    else:
        good("set", field, "c.md", stdin=file.read_bytes())
    assert page_of(field, "c.md")["note"]["text"] == "Caf\u00e9.\r\n "


def test_a_revision_is_asked_for(field: Path) -> None:
    """A note is replaced or taken away only by who knows its revision; else that is told."""
    good("set", field, "c.md", "One.")
    assert "there is a note on it already, at revision 2" in refused(5, "set", field, "c.md", "X")
    assert "it already, at revision 2" in refused(5, "set", field, "c.md", "--remove")
    assert "has revision 2 now, not 1" in refused(5, "set", field, "c.md", "X", "--rev", "1")
    done = note("set", field, "c.md", "X", "--rev", "9", "--format", "json")
    assert (done.code, done.json["status"], done.json["page"]["revision"]) == (5, "stale", 2)
    done = good("set", field, "c.md", "Two.", "--rev", "2", "--format", "json")
    assert (done.json["status"], done.json["page"]["revision"]) == ("applied", 3)
    assert page_of(field, "c.md")["note"]["text"] == "Two."
    done = good("set", field, "c.md", "--remove", "--rev", "3")
    assert done.out == "c.md: the note is taken away, revision 4\n"
    assert "there is no note on it" in refused(1, "show", field, "c.md")
    assert "there is no note on it" in refused(1, "set", field, "c.md", "--remove")
    assert "has revision 4 now" in refused(5, "set", field, "c.md", "X", "--rev", "2")
    good("set", field, "c.md", "Three.")


def test_two_at_one_revision(field: Path) -> None:
    """Of two processes at the same time, one is told that it was too late."""
    good("set", field, "c.md", "0")
    begun = [
        subprocess.Popen(
            [COMMAND, "note", "set", field, "c.md", text, "--rev", "2"],
            env=neutral_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for text in ("one", "two")
    ]
    ended = [(*each.communicate(), each.returncode) for each in begun]
    assert sorted(code for _, _, code in ended) == [0, 5]
    won = next(text for text, end in zip(("one", "two"), ended, strict=True) if end[2] == 0)
    page = page_of(field, "c.md")
    assert (page["revision"], page["note"]["text"]) == (3, won)
    assert "has revision 3 now, not 2" in next(error for _, error, code in ended if code)


def test_a_page_that_changes_makes_a_note_stale(field: Path) -> None:
    """At once; after a rebuild the note is there, the revision is higher, and old text is gone."""
    good("set", field, "woks.md", "Checked.")
    good("set", field, "c.md", "A pot, yes.")
    (field / "woks.md").write_bytes(CHANGED)
    assert "STALE: the page has changed since" in good("show", field, "woks.md").out
    assert good("ls", field, "--stale").out == "woks.md  revision 2, stale: Checked.\n"
    assert "woks.md: the page is no longer" in refused(3, "show", field, "woks.md", "--fresh")
    good("show", field, "c.md", "--fresh")
    assert good("search", field, "unevenly").out.startswith("woks.md  revision 2: Checked.\n")
    done = good("rebuild", field, "--format", "json").json
    assert (done["changed"], done["stale"], done["unchanged"]) == ([UUID], [UUID], 2)
    assert (done["added"], done["orphans"], done["unread"]) == ([], [], [])
    assert "nothing was found" in refused(1, "search", field, "unevenly")
    assert page_of(field, "woks.md")["revision"] == 3
    assert page_of(field, "c.md")["revision"] == 2
    refused(3, "show", field, "woks.md", "--fresh")
    assert "1 note stale, as the page has changed: woks.md" in good("rebuild", field).out
    good("set", field, "woks.md", "Checked anew.", "--rev", "3")
    good("show", field, "woks.md", "--fresh")
    assert "there is no such note" in refused(1, "ls", field, "--stale")


def test_a_revision_of_a_page_that_has_changed(field: Path) -> None:
    """Who saw the page before it changed is told so."""
    good("set", field, "woks.md", "Checked.")
    (field / "woks.md").write_bytes(CHANGED)
    told = refused(5, "set", field, "woks.md", "X", "--rev", "2")
    assert "the page has changed: it has revision 3 now, not 2" in told


def test_a_page_that_goes_leaves_its_note(field: Path) -> None:
    """It is listed as an orphan, found by name and id, and can be taken away."""
    good("set", field, "c.md", "A pot.")
    good("set", field, "b.md", "A pan.")
    (field / "c.md").unlink()
    for facts in (page_of(field, "c.md"), note("ls", field, "--format", "json").json["pages"][1]):
        assert (facts["orphan"], facts["checked"], facts["note"]["stale"]) == (True, True, True)
    done = note("ls", field)
    assert (done.code, done.out.splitlines()[1]) == (0, "c.md (gone)  revision 2, stale: A pot.")
    assert "`memoryfield note rebuild` tells" in done.err
    assert "not in the field any more: c.md" in good("rebuild", field).out
    assert good("ls", field, "--orphans").out == "c.md (gone)  revision 2, stale: A pot.\n"
    assert "STALE: the page is not in the field any more" in good("show", field, "c.md").out
    refused(3, "show", field, "c.md", "--fresh")
    (field / "c.md").write_bytes(f"---\nuuid: {UUID[:-1]}0\n---\nAnother pot.\n".encode())
    good("rebuild", field)
    refused(1, "show", field, "c.md")  # it is another page
    assert page_of(field, "c.md", "--orphan")["id"] == "c.md"
    assert "no page `b.md` that is not in the" in refused(4, "show", field, "b.md", "--orphan")
    good("set", field, "c.md", "--orphan", "--remove", "--rev", "2")
    assert good("ls", field).out == "b.md  revision 2: A pan.\n"


def test_a_page_that_is_renamed_keeps_its_note(field: Path) -> None:
    """By its uuid, also before a rebuild, and where another page has got its name."""
    good("set", field, "woks.md", "Checked.")
    (field / "woks.md").rename(field / "pans.md")
    for other in (False, True):
        if other:
            (field / "woks.md").write_bytes(b"Another page.\n")
            assert good("ls", field).out == "pans.md  revision 2: Checked.\n"
            assert "no note on it" in refused(1, "show", field, "woks.md")
        else:
            for name in ("pans.md", "woks.md", UUID):
                page = page_of(field, name)
                assert (page["name"], page["orphan"], page["checked"]) == ("pans.md", False, True)
                assert (page["note"]["text"], page["note"]["stale"]) == ("Checked.", False)
            [listed] = good("ls", field, "--format", "json").json["pages"]
            assert listed == page
    (field / "woks.md").unlink()
    (field / "pans.md").rename(field / "twice.md")
    (field / "pans.md").write_bytes((field / "twice.md").read_bytes())
    done = note("ls", field)
    assert done.out == "woks.md (gone)  revision 2, stale: Checked.\n"
    (field / "twice.md").unlink()
    good("rebuild", field)
    assert good("ls", field).out == "pans.md  revision 2: Checked.\n"


def test_notes_outlive_a_pin_that_moves(field: Path, tmp_path: Path) -> None:
    """`@NAME` and the location share them; what was pinned is what they are held against."""
    packed = archive(tmp_path / "x.memoryfield.zip", PAGES)
    assert call("lock", "add", "x", packed).code == 0
    good("set", "@x", "woks.md", "Checked.")
    assert page_of(packed, "woks.md")["note"]["text"] == "Checked."
    archive(packed, {**PAGES, "woks.md": CHANGED})
    assert page_of(packed, "woks.md")["note"]["stale"]
    assert not page_of("@x", "woks.md")["note"]["stale"]  # which is what was pinned
    good("set", "@x", "woks.md", "Checked.", "--rev", "2")
    assert call("read", "@x", "woks.md").code == 3
    assert call("lock", "update", "x", "--yes").code == 0
    assert "STALE" in good("show", "@x", "woks.md").out


def test_family(field: Path) -> None:
    """Parents and children are named, also where the way goes in a circle or leads nowhere."""
    pages = {"a": "b", "b": "c", "c": "a", "d": "gone", "e": "d"}
    for name, parent in pages.items():
        (field / f"{name}.md").write_bytes(f"---\nparent: {parent}\n---\n".encode())
    good("rebuild", field)
    lines = [line.split("  ")[-1].strip() for line in relatives(field, "a.md")]
    assert lines == ["b.md", "c.md", "a.md again: the pages are in a circle", "c.md"]
    assert relatives(field, "e.md") == [
        "parent   d.md",
        "parent   gone, which is no page of the field",
    ]
    assert relatives(field, "d.md")[1:] == ["child    e.md"]
    done = note("show", field, "e.md", "--family", "--format", "json")
    assert done.json["page"]["family"] == {
        "ancestors": [{"id": "d.md", "name": "d.md"}],
        "missing": "gone",
        "cycle": None,
        "cut": False,
        "children": [],
    }


def relatives(field: Path, name: str) -> list[str]:
    done = note("show", field, name, "--family")
    assert (done.code, "no note" in done.err) == (1, True)
    return [line for line in done.out.splitlines() if line.startswith(("parent ", "child "))]


def test_nothing_is_no_error(field: Path, tmp_path: Path) -> None:
    """Without notes the exit code is 1, and no store is made by looking."""
    for arguments in (["ls"], ["search", "pot"], ["export"], ["backup", "x"], ["convert", "json"]):
        told = refused(1, arguments[0], field, *arguments[1:])
        assert "there are no notes on it (`memoryfield note set` makes one)" in told
    refused(1, "show", field, "c.md")
    assert note("show", field, "c.md", "--format", "json").json["page"] is None
    assert note("ls", field, "--format", "json").json["pages"] == []
    assert not (tmp_path / "state").exists()
    good("rebuild", field)
    assert "there are no notes" in refused(1, "ls", field)
    assert len(good("ls", field, "--all").out.splitlines()) == 3
    assert good("search", field, "pot").out == "c.md  revision 1, no note\n        A pot.\n"


WRONG: dict[str, tuple[int, list[str], str]] = {
    "unknown page": (4, ["set", "field", "x.md", "X"], "no page `x.md`"),
    "without ending": (4, ["set", "field", "c", "X"], "did you mean `c.md`"),
    "unknown id": (4, ["show", "field", "0" * 8 + UUID[8:]], "no page"),
    "bytes": (4, ["show", "field", "\udce9.md"], "no page"),
    "negative": (2, ["set", "field", "c.md", "X", "--rev", "-1"], "-1"),
    "no number": (2, ["set", "field", "c.md", "X", "--rev", "x"], "'x'"),
    "two texts": (2, ["set", "field", "c.md", "X", "--file", "y"], "exclude each other"),
    "remove a text": (2, ["set", "field", "c.md", "X", "--remove"], "takes no text"),
    "too high": (2, ["set", "field", "c.md", "X", "--rev", str(2**53)], "not in the range"),
    "white space": (2, ["set", "field", "c.md", " \t "], "--remove takes a note away"),
    "no wait": (2, ["set", "field", "c.md", "X", "--wait", "nan"], "no number of seconds"),
    "nowhere": (4, ["ls", "gone"], "neither a field nor a note"),
    "nothing to export": (4, ["export", "gone"], "neither a field nor a note"),
    "nothing to convert": (4, ["convert", "gone", "json"], "neither a field nor a note"),
    "restore nowhere": (4, ["restore", "gone", "notes.json"], "neither a field nor a note"),
    "over the lock": (2, ["export", "field", "--store", "x", ".x.lock"], "the lock file of a"),
    "over a lock": (2, ["export", "field", ".x.lock", "--replace"], "the lock file of a"),
    "over a file": (5, ["export", "field", "notes.json"], "--replace writes over it"),
    "empty": (2, ["set", "field", "c.md", ""], "--remove takes a note away"),
    "too long": (2, ["set", "field", "c.md", "x" * (MOST_NOTE_BYTES + 1)], "over the limit"),
    "no text": (2, ["set", "field", "c.md", "\udce9"], "is no text"),
    "empty term": (2, ["search", "field", ""], "nothing to search for"),
    "no file": (4, ["set", "field", "c.md", "--file", "gone"], "gone: cannot be read"),
    "no field": (4, ["set", "gone", "c.md", "X"], "gone"),
    "on stdin": (2, ["ls", "-"], "--store"),
    "in the field": (2, ["set", "field", "c.md", "X", "--store", "field/x"], "part of it"),
    "export into the field": (2, ["export", "field", "field/x"], "part of it"),
    "backup into the field": (2, ["backup", "field", "field/x"], "part of it"),
    "two lists": (2, ["ls", "field", "--all", "--stale"], "--all goes with"),
    "no such store": (4, ["ls", "field", "--store", "gone"], "gone: there is no such store"),
    "restore nothing": (4, ["restore", "field", "gone"], "gone"),
    "restore a page": (4, ["restore", "field", "field/c.md"], "what `note export` or"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str, field: Path) -> None:
    """In one line, with the exit code for it; the notes stay as they were."""
    good("set", field, "b.md", "A pan.")
    good("export", field, "notes.json")
    good("backup", field, "x")
    (field.parent / ".x.lock").touch()
    before = good("export", field).out
    code, arguments, told = WRONG[name]
    error = refused(code, *arguments)
    assert told in error
    assert len(error.splitlines()) <= 2
    assert good("export", field).out == before


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (b"", "nothing came on stdin (--remove"),
        (b" \n", "the note is empty"),
        (b"\xff", "write it in UTF-8"),
        (b"a\0b", "without NUL"),
        (b"x" * (MOST_NOTE_BYTES + 1), "over the limit"),
        (b"x" * (MOST_NOTE_BYTES + 9), "is too long"),
    ],
    ids=["nothing", "a line end", "bytes", "NUL", "long", "longer"],
)
def test_what_is_typed_and_is_no_note(typed: bytes, told: str, field: Path) -> None:
    """It is refused, and there is still no note."""
    assert told in refused(2, "set", field, "c.md", stdin=typed)
    refused(1, "ls", field)
    good("set", field, "c.md", stdin=b"x" * MOST_NOTE_BYTES + b"\r\n")


def test_a_field_that_cannot_be_had(field: Path) -> None:
    """One's own notes can be, and are held against what was last seen, which is told."""
    good("set", field, "c.md", "A pot.")
    field.rename(field.with_name("elsewhere"))
    for arguments in (["show", "field", "c.md"], ["ls", "field"]):
        done = note(*arguments)
        assert (done.code, "A pot." in done.out) == (0, True)
        assert "judged by what was last seen of it" in done.err
    refused(4, "show", field, "c.md", "--fresh")
    assert good("search", field, "pot", "--notes").out.endswith("  A pot.\n")
    good("export", field)


def test_a_field_elsewhere(field: Path) -> None:
    """Looking at notes asks for nothing that is known; a field that is gone is told."""
    listing = "".join(f"[{name}]({name})\n" for name in PAGES).encode()
    files = {f"/f/{name}": page for name, page in PAGES.items()} | {"/f/listing.md": listing}
    lock = ["lock", "add", "f", "--retries", "0"]
    with FaultyHttp(files) as server:
        url = server.url("/f/")
        assert call(*lock, url).code == 0
        assert note("set", "@f", "woks.md", "Checked.").code == 0
        assert page_of("@f", "woks.md")["note"]["text"] == "Checked."
        assert "| Checked.\n" in call("read", url, "woks.md").out
    assert page_of("@f", "woks.md")["note"]["stale"] is False
    assert good("ls", "@f").out == "woks.md  revision 2: Checked.\n"
    good("set", "@f", "c.md", "A pot.")
    good("set", "@f", "c.md", "--remove", "--rev", "2")
    done = note("ls", url, "--retries", "0")
    assert (done.code, done.out) == (0, "woks.md  revision 2: Checked.\n")
    assert "judged by what was last seen of it" in done.err


def test_another_field_in_its_place(field: Path) -> None:
    """Notes are not given to pages of another field, unless that is meant."""
    good("set", field, "c.md", "A pot.")
    for each in field.iterdir():
        each.unlink()
    folder(field, {"other.md": b"x\n"})
    assert "`memoryfield note rebuild LOCATION --force`" in refused(5, "rebuild", field)
    refused(5, "set", field, "other.md", "X")
    assert "not in the field any more: c.md" in good("rebuild", field, "--force").out

"""Notes beside what they are about: in `read`, `search` and `diff`, and never in their way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command import archive, call, folder
from tests.cli.harmless import assert_harmless
from tests.cli.hostile_fields import ALL, CLEAR, hostile_folder
from tests.cli.note_command import CHANGED, PAGES, UUID, begin, good
from tests.validator.comparing_fields import NEEDS_PATCH, patched

from memoryfield_spec import schema

AS_IT_IS = "made on this page as it is"
STALE = "STALE: the page has changed since"
HOSTILE = (
    f"{ALL}\n::error::x\n##[group]y\n```\n</script>| a | b |\r==> c.md <==\n"
    "! MF802\n@@ -1 +1 @@\n==> woks.md <=="
)


@pytest.fixture(autouse=True)
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = begin(tmp_path, monkeypatch)
    good("set", place, "woks.md", "Checked.\nTwice.")
    return place


def new_version(field: Path) -> Path:
    """The field as it will be: a page changed, one gone, and one with another name."""
    pages = {"woks.md": CHANGED, "d.md": PAGES["c.md"]}
    return folder(field.with_name("new"), pages)


def test_read_shows_a_note_above_its_page(field: Path) -> None:
    """Each line of it is marked, and the page has a heading then."""
    page = PAGES["woks.md"].decode()
    note = "| Checked.\n| Twice.\n==> woks.md <==\n"
    heading = f"==> note on woks.md, revision 2, {AS_IT_IS} <==\n"
    assert call("read", field, "woks.md").out == f"{heading}{note}{page}"
    (field / "woks.md").write_bytes(CHANGED)
    changed = f"==> note on woks.md, revision 2, {STALE} <==\n{note}{CHANGED.decode()}"
    done = call("read", field, "c.md", "woks.md")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"==> c.md <==\nA pot.\n{changed}"


def test_read_without_notes(field: Path, tmp_path: Path) -> None:
    """`--raw` and `--no-notes` give the page alone; so does a store that has none."""
    good("backup", field, "copy")
    assert call("read", field, "woks.md", "--raw").stdout == PAGES["woks.md"]
    assert call("read", field, "woks.md", "--no-notes").stdout == PAGES["woks.md"]
    assert "| Twice." in call("read", field, "woks.md", "--store", "copy").out
    assert call("read", "--no-notes", "--store", "copy", field, "woks.md").code == 2
    inside = call("read", field, "woks.md", "--store", field / "x")
    assert (inside.code, inside.out) == (2, "")
    packed = archive(tmp_path / "x.zip", PAGES)
    assert call("read", packed, "woks.md").stdout == PAGES["woks.md"]


def test_read_as_json(field: Path) -> None:
    """A page with a note has a key more, and any other page has not."""
    pages = call("read", field, "woks.md", "c.md", "--format", "json").json["pages"]
    assert ["reader_note" in page for page in pages] == [True, False]
    note = pages[0]["reader_note"]
    assert (note["id"], note["revision"], note["stale"]) == (UUID, 2, False)
    assert (note["text"], note["sha256"]) == ("Checked.\nTwice.", pages[0]["sha256"])
    assert note.keys() == {"id", "revision", "text", "stale", "sha256", "pin", "written"}


def test_search_shows_how_a_note_begins(field: Path, tmp_path: Path) -> None:
    """Below its page, in the column of distances; with `--read`, all of it."""
    arguments: list[str | Path] = ["search", "--lexical", field, "woks"]
    lines = call(*arguments).out.splitlines()
    assert lines[1] == "  note  revision 2: Checked."
    assert not any("note" in line for line in call(*arguments, "--no-notes").out.splitlines())
    (field / "woks.md").write_bytes(CHANGED)
    assert call(*arguments).out.splitlines()[1] == "  note  revision 2, stale: Checked."
    read = call(*arguments, "--read").out.splitlines()
    heading = f"==> note on woks.md, revision 2, {STALE} <=="
    assert read[1:5] == [heading, "| Checked.", "| Twice.", "==> woks.md <=="]
    other = folder(tmp_path / "other", {"woks.md": b"woks\n"})
    found = call("search", "--lexical", "--format", "json", field, other, "woks").json["results"]
    notes = {(hit["field"], hit["filename"]): hit.get("reader_note") for hit in found}
    assert {of: None if note is None else note["text"] for of, note in notes.items()} == {
        ("field", "woks.md"): "Checked.\nTwice.",
        ("field", "b.md"): None,
        ("other", "woks.md"): None,
    }
    assert call("search", "--lexical", "--store", "x", field, other, "woks").code == 2


def test_diff_says_on_which_page_a_note_was_made(field: Path) -> None:
    """As it was, as it is now, or another one; below the head of the page, for people."""
    good("set", field, "c.md", "A pot.")
    new = new_version(field)
    done = call("diff", field, new)
    assert (done.code, done.err) == (1, "")
    assert below(done.out, "+++ b/woks.md") == [
        "! note, revision 2, made on the page as it was:",
        "! | Checked.",
        "! | Twice.",
    ]
    assert below(done.out, "+++ /dev/null")[0].startswith(("! note, revision 2", "@@"))
    assert "! note, revision 2, made on the page as it was:\n! | A pot.\n" in done.out
    assert "! | A pot." not in call("diff", "--no-notes", field, new).out
    back = call("diff", new, field).out  # the notes of either field count
    assert below(back, "+++ b/woks.md")[0] == "! note, revision 2, made on the page as it is now:"
    (field / "woks.md").write_bytes(CHANGED + b"More.\n")
    line = "! note, revision 2, STALE: made on another version of the page"
    assert f"           {line}: Checked.\n" in call("diff", "--stat", field, new).out
    assert f"{line}:\n" in call("diff", "--words", field, new).out


def test_diff_shows_the_notes_on_both_fields(field: Path) -> None:
    """Where they say something else: that one is not hidden by the other."""
    new = new_version(field)
    good("set", new, "woks.md", "Seen in the new one.")
    lines = below(call("diff", field, new).out, "+++ b/woks.md")
    assert lines == [
        "! note, revision 2, made on the page as it was:",
        "! | Checked.",
        "! | Twice.",
        "! note, in the notes on the second field, revision 2, made on the page as it is now:",
        "! | Seen in the new one.",
    ]
    assert "Seen in the new one." in call("diff", "--stat", field, new).out
    answer = call("diff", field, new, "--format", "json").json
    assert list(Draft202012Validator(schema("comparison")).iter_errors(answer)) == []
    [change] = [each for each in answer["changes"] if each["name"] == "woks.md"]
    assert change["reader_note"]["text"] == "Checked.\nTwice."
    assert change["other_reader_note"]["text"] == "Seen in the new one."
    good("backup", field, "copy")
    good("restore", new, "copy", "--replace")
    answer = call("diff", field, new, "--format", "json").json
    assert all("other_reader_note" not in change for change in answer["changes"])


def below(text: str, head: str) -> list[str]:
    """The lines that follow a line, up to the hunk."""
    lines = text.splitlines()
    start = lines.index(head) + 1
    return lines[start : start + next(n for n, x in enumerate(lines[start:]) if x[:2] == "@@")] or [
        lines[start]
    ]


def test_diff_in_other_forms(field: Path) -> None:
    """JSON keeps to its schema; Markdown names the note in the table and with the page."""
    new = new_version(field)
    (new / "woks.md").rename(new / "pans.md")
    answer = call("diff", field, new, "--format", "json").json
    assert list(Draft202012Validator(schema("comparison")).iter_errors(answer)) == []
    notes: dict[str, Any] = {
        change["name"]: change.get("reader_note") for change in answer["changes"]
    }
    assert notes["pans.md"].pop("text") == "Checked.\nTwice."
    assert notes["pans.md"].pop("made_on") == "before"
    assert notes["pans.md"].keys() == {"id", "revision", "sha256", "pin", "written"}
    assert [name for name, note in notes.items() if note is not None] == ["pans.md"]
    text = call("diff", field, new, "--format", "markdown").out
    assert "note, revision 2, made on the page as it was&#58; Checked." in text
    assert "! | Twice." in text
    plain = call("diff", field, new, "--format", "json", "--no-notes").json
    assert all("reader_note" not in change for change in plain["changes"])


@NEEDS_PATCH
def test_diff_without_notes_can_be_applied(field: Path) -> None:
    """`--no-notes` gives what `patch` makes the new pages of."""
    new = folder(field.with_name("new"), {**PAGES, "woks.md": CHANGED})
    text = call("diff", "--no-notes", "--no-audit", field, new).stdout
    assert patched(PAGES, text, "patch", "-p1", "-s")["woks.md"] == CHANGED


def test_diff_of_a_locked_field(field: Path, tmp_path: Path) -> None:
    """Before a pin moves, one sees which of one's notes are about to be stale."""
    packed = archive(tmp_path / "x.memoryfield.zip", PAGES)
    assert call("lock", "add", "x", packed).code == 0
    good("set", "@x", "woks.md", "Checked.")
    archive(packed, {**PAGES, "woks.md": CHANGED})
    line = "! note, revision 2, made on the page as it was:\n"
    assert line in call("diff", "@x").out
    assert line in call("lock", "update", "x", "--yes").out


def test_diff_takes_no_name_for_a_uuid(field: Path) -> None:
    """A page gets the note of another one by no trick."""
    good("set", field, "c.md", "A pot.")
    before = folder(field.with_name("x"), {"d.md": b"---\nuuid: c.md\n---\n1\n"})
    after = folder(field.with_name("y"), {"d.md": b"---\nuuid: c.md\n---\n2\n"})
    assert good("backup", field, "copy").code == 0
    assert "A pot." not in call("diff", before, after, "--store", "copy").out
    (before / "c.md").write_bytes(PAGES["c.md"])
    assert call("diff", before, after, "--store", "copy").out.count("A pot.") == 2  # page and note


def test_a_long_note_is_cut(field: Path) -> None:
    """A comparison is about the pages: who wants all of a note is told how."""
    good("set", field, "woks.md", "--rev", "2", "\n".join(["x" * 400] * 40))
    lines = call("diff", field, new_version(field)).out.splitlines()
    shown = [line for line in lines if line.startswith("! | ")]
    assert len(shown) == 21
    assert len(shown[0]) == 304
    assert shown[-1] == "! | … and more: `memoryfield note show` has all of it"


def damaged(how: str, data: bytes) -> bytes:
    if how == "newer":
        return data.replace(b'"version": 1', b'"version": 2', 1)
    return data[:-30] if how == "cut" else b""


@pytest.mark.parametrize("how", ["cut", "empty", "newer"])
def test_a_damaged_store_keeps_no_page_away(how: str, field: Path, tmp_path: Path) -> None:
    """It is told in one line; the answer and the exit code are those without notes."""
    new = new_version(field)
    [store] = (tmp_path / "state" / "notes").glob("*.notes")
    data = damaged(how, store.read_bytes())
    store.write_bytes(data)
    commands: list[list[str | Path]] = [
        ["read", field, "woks.md"],
        ["diff", field, new],
        ["search", "--lexical", field, "woks"],
    ]
    for command in commands:
        arguments = [*command, "--format", "json"]
        plain, done = call(*arguments, "--no-notes"), call(*arguments)
        assert (done.code, done.stdout) == (plain.code, plain.stdout)
        [told] = [line for line in done.err.splitlines() if line not in plain.err.splitlines()]
        assert told.startswith(f"memoryfield: no notes are shown: {store}: ")
    assert call("note", "show", field, "woks.md").code == 4
    assert call("note", "ls", field).code == 4
    assert store.read_bytes() == data


def test_a_store_that_may_not_be_had(field: Path, tmp_path: Path) -> None:
    """A named store that is not there, or leads nowhere, is told; the page is printed."""
    (tmp_path / "link").symlink_to("nowhere")
    for store in ("gone", "link"):
        done = call("read", field, "woks.md", "--store", store)
        assert (done.code, done.stdout) == (0, PAGES["woks.md"])
        assert "no notes are shown" in done.err


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("github", [False, True], ids=["at home", "on GitHub"])
def test_hostile_notes_are_shown_escaped(encoding: str, github: bool, field: Path) -> None:
    """Whoever wrote it: no note takes over a terminal, a log or a comment, or passes for a page."""
    good("set", field, "woks.md", "--rev", "2", stdin=HOSTILE.encode())
    new = new_version(field)
    env = {"GITHUB_ACTIONS": "true"} if github else {}
    runs: list[list[str | Path]] = [
        ["note", "show", field, "woks.md", "--family"],
        ["note", "ls", field],
        ["note", "search", field, "error", "--notes"],
        ["read", field, "woks.md"],
        ["search", "--lexical", "--read", field, "woks"],
        ["search", "--lexical", field, "woks"],
        ["diff", field, new],
        ["diff", "--stat", field, new],
        ["diff", "--format", "markdown", field, new],
    ]
    for arguments in runs:
        done = call(*arguments, env=env, encoding=encoding)
        assert done.code in (0, 1)
        assert_harmless(done.stdout, encoding)
        text = done.stdout.decode(encoding)
        assert CLEAR not in text
        if github:
            heard = listening(text)
            assert "::error" not in heard
            assert "##[" not in heard
        if arguments[0] == "read":
            assert text.splitlines().count("==> woks.md <==") == 1
            assert "==> c.md <==" not in text.splitlines()
        if arguments[0] == "diff":
            assert "@@ -1 +1 @@" not in text.splitlines()
    as_json: list[list[str | Path]] = [
        ["read", field, "woks.md"],
        ["note", "ls", field],
        ["diff", field, new],
    ]
    for arguments in as_json:
        done = call(*arguments, "--format", "json", env=env)
        assert done.stdout.isascii()
        assert_harmless(done.stdout)
        assert HOSTILE in texts_of(done.json)


def test_hostile_names_are_shown_escaped(tmp_path: Path) -> None:
    """Names that are no text are told, and left out; all others are escaped."""
    place = hostile_folder(tmp_path)
    done = call("note", "rebuild", place)
    assert done.code == 1
    assert done.err.count("could not be read, and stays as it was last seen") == 2
    assert call("note", "set", place, f"{CLEAR}.md", ALL.replace("\x00", "")).code == 0
    for arguments in (["ls", "--all"], ["search", "a"], ["rebuild"], ["ls"]):
        for form in ("text", "json"):
            done = call("note", arguments[0], place, *arguments[1:], "--format", form)
            assert done.stdout
            assert_harmless(done.stdout)
            assert_harmless(done.stderr)
    shown = call("note", "show", place, f"{CLEAR}.md", "--family")
    assert shown.code == 0
    assert_harmless(shown.stdout)


def texts_of(value: Any) -> list[str]:
    """All texts in an answer."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for each in value for text in texts_of(each)] if isinstance(value, list) else []


def listening(text: str) -> str:
    """The lines in which the runner of GitHub Actions looks for commands."""
    heard: list[str] = []
    token = None
    for line in text.splitlines():
        if token is None and line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif token is not None and line == f"::{token}::":
            token = None
        elif token is None:
            heard.append(line.lstrip())
    assert token is None
    return os.linesep.join(line for line in heard if line.startswith("::") or "##[" in line)

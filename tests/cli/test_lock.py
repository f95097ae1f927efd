"""`memoryfield lock`: pins are written, proved, shown, and taken out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import (
    KNOWN,
    KNOWN_PIN,
    archive,
    call,
    folder,
)
from tests.cli.lock_command import LOCK, begin, fields, good, lock


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the command runs, with a field in it."""
    root = begin(tmp_path, monkeypatch)
    folder(root / "notes", KNOWN)
    return root


def test_adding_a_folder(here: Path) -> None:
    """The pins are written under the name, and the field is read by it from then on."""
    assert good("add", "my-notes", "notes").out == (
        f"my-notes: locked {KNOWN_PIN} in {here / LOCK}\n"
    )
    assert fields()["my-notes"]["field_pin"] == KNOWN_PIN
    assert fields()["my-notes"]["location"] == "notes"
    for name in ("my-notes", "@my-notes"):
        assert call("read", name, "a.md").out == "a\n"
    (here / "notes" / "a.md").write_bytes(b"other\n")
    done = call("read", "@my-notes", "a.md")
    assert (done.code, done.out) == (3, "")


def test_adding_an_archive(here: Path) -> None:
    """An archive has both pins, and JSON gives the entry without its lines."""
    path = archive(here / "x.memoryfield.zip", KNOWN)
    answer = json.loads(good("add", "x", path, "--format", "json").out)
    assert answer["lock_file"] == str(here / LOCK)
    assert answer["field"] == {
        "name": "x",
        "location": "x.memoryfield.zip",
        "resolved": None,
        "field_pin": KNOWN_PIN,
        "archive_pin": call("digest", "--archive", path).out.strip(),
        "pages": 2,
        "attachments": 0,
        "indexes": 0,
        "bytes": 4,
        "archive_bytes": path.stat().st_size,
    }


def test_adding_from_a_folder_below(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest lock file above is taken, and the path is relative to that."""
    (here / LOCK).write_bytes(b"version = 1\n")
    (here / "deep").mkdir()
    monkeypatch.chdir(here / "deep")
    good("add", "n", "../notes")
    assert fields(here / LOCK)["n"]["location"] == "notes"
    assert good("check").out == "n: true\n"
    assert not (here / "deep" / LOCK).exists()


@pytest.mark.parametrize("way", ["option", "variable"])
def test_another_lock_file(way: str, here: Path) -> None:
    """The option and the variable name the file that is meant."""
    (here / "other").mkdir()
    path = here / "other" / "my.lock"
    how = ["--lock-file", str(path)] if way == "option" else []
    env = {"MEMORYFIELD_LOCK": str(path)} if way == "variable" else {}
    assert lock("add", "n", "notes", *how, env=env).code == 0
    assert fields(path)["n"]["location"] == str(here / "notes")
    assert lock("show", *how, env=env).code == lock("check", *how, env=env).code == 0
    assert lock("show").code == 2


def test_adding_a_name_again(here: Path) -> None:
    """A name that is taken is wrong usage, and the two ways on are named."""
    good("add", "n", "notes")
    before = (here / LOCK).read_bytes()
    done = lock("add", "n", "notes")
    assert done.code == 2
    assert "`memoryfield lock update n`" in done.err
    assert "`memoryfield lock remove n`" in done.err
    assert (here / LOCK).read_bytes() == before


@pytest.mark.parametrize(
    ("name", "location", "code"),
    [
        ("../n", "notes", 2),
        ("@n", "notes", 2),
        ("n", "@other", 2),
        ("n", "-", 2),
        ("n", ".", 2),
        ("n", "https://user:secret@example.org/a.zip", 2),
        ("n", "https://example.org/a.zip?v=secret", 2),
        ("n", "nowhere", 4),
        ("n", "empty", 1),
        ("n", "unsafe.zip", 3),
    ],
)
def test_what_cannot_be_added(name: str, location: str, code: int, here: Path) -> None:
    """Nothing is written, and no credential is repeated."""
    (here / "empty").mkdir()
    archive(here / "unsafe.zip", {"../evil.md": b"evil\n"})
    done = lock("add", name, location)
    assert (done.code, done.out) == (code, "")
    assert "secret" not in done.err
    assert not (here / LOCK).exists()


def test_adding_what_was_pinned(here: Path) -> None:
    """With a pin, the field must be the one that is meant: another one is not locked."""
    path = archive(here / "x.zip", KNOWN)
    wrong = "0" * 64
    for location, pin in (("notes", "field-sha256:"), (path, "field-sha256:"), (path, "sha256:")):
        done = lock("add", "n", location, "--pin", pin + wrong)
        assert done.code == 3
        assert wrong in done.err
        assert not (here / LOCK).exists()
    assert lock("add", "n", "notes", "--pin", f"sha256:{wrong}").code == 2
    assert lock("add", "n", "notes", "--pin", "sha256:short").code == 2
    assert not (here / LOCK).exists()
    (here / "notes" / "m.sqlite3").write_bytes(b"index")
    good("add", "n", "notes", "--pin", KNOWN_PIN)
    assert [line[66:] for line in fields()["n"]["indexes"]] == ["m.sqlite3"]
    assert good("check").out == "n: true\n"
    good("add", "x", path, "--pin", call("digest", "--archive", path).out.strip())


def test_names_that_no_lock_file_holds(here: Path) -> None:
    """A file whose name can stand in no line keeps the field from being locked, and is named."""
    (here / "notes" / "a\tb.csv").write_bytes(b"1\n")
    done = lock("add", "n", "notes")
    assert done.code == 2
    assert "control character" in done.err
    assert "a\\tb.csv" in done.err


def test_check(here: Path) -> None:
    """What is true, what is not, and what cannot be had have exit codes of their own."""
    for name in ("one", "two", "gone"):
        good("add", name, folder(here / name, KNOWN | {f"{name}.md": b"x"}))
    assert good("check").out == "gone: true\none: true\ntwo: true\n"
    (here / "gone").rename(here / "elsewhere")
    done = lock("check")
    assert (done.code, done.out) == (4, "one: true\ntwo: true\n")
    assert str(here / "gone") in done.err
    folder(here / "two", {"a.md": b"A\n", "b.md": b"B\n", "new.md": b"", "x.csv": b""})
    done = lock("check")
    assert done.code == 3
    assert done.out == (
        "one: true\n"
        "two: 2 pages changed: `a.md`, `b.md`; 1 page added: `new.md`; "
        "1 attachment added: `x.csv`\n"
    )
    assert lock("check", "one").code == 0
    assert lock("check", "@one", "one").out == "one: true\n"
    assert lock("check", "two").code == 3
    assert lock("check", "gone").code == 4
    assert lock("check", "zzz").code == 2


def test_check_as_json(here: Path) -> None:
    """As JSON, the names of what differs stand there, and what could not be had."""
    good("add", "n", "notes")
    good("add", "gone", folder(here / "gone", KNOWN))
    (here / "gone").rename(here / "elsewhere")
    (here / "notes" / "b.md").unlink()
    done = lock("check", "--format", "json")
    assert done.code == 3
    gone, notes = done.json["fields"]
    assert (gone["true"], gone["difference"], gone["error"]["exit_code"]) == (None, None, 4)
    assert (notes["true"], notes["error"]) == (False, None)
    assert notes["difference"] == {
        "added": [], "removed": ["b.md"], "changed": [], "indexes": [], "repacked": False,
        "sizes": [],
    }  # fmt: skip


def test_archive_that_was_packed_anew(here: Path) -> None:
    """The lock of an archive is of its very bytes: another one with the same pages is not it."""
    good("add", "x", archive(here / "x.zip", KNOWN))
    archive(here / "x.zip", dict(reversed(KNOWN.items())))
    done = lock("check")
    assert (done.code, done.out) == (
        3,
        "x: the archive was packed anew, and no file in it differs\n",
    )
    assert lock("update", "--yes").code == 0
    assert good("check").out == "x: true\n"


def test_index_that_differs(here: Path) -> None:
    """A vector index is no part of the field pin, and has its own hash in the lock."""
    (here / "notes" / "m.sqlite3").write_bytes(b"1")
    good("add", "n", "notes")
    (here / "notes" / "m.sqlite3").write_bytes(b"2")
    done = lock("check")
    assert (done.code, done.out) == (3, "n: 1 index changed: `m.sqlite3`\n")


def test_removing(here: Path) -> None:
    """All that are named go, or none."""
    for name in ("a", "b", "c"):
        good("add", name, "notes")
    before = (here / LOCK).read_bytes()
    done = lock("remove", "a", "zzz")
    assert (done.code, done.out) == (2, "")
    assert (here / LOCK).read_bytes() == before
    assert good("remove", "a", "@c").out == "a: removed\nc: removed\n"
    assert list(fields()) == ["b"]
    assert good("remove", "b", "--format", "json").json["removed"] == ["b"]
    assert fields() == {}


@pytest.mark.parametrize("command", ["show", "check", "update"])
def test_no_field_at_all(command: str, here: Path) -> None:
    """Nothing that could be looked at is exit 1, and no lock file is exit 2."""
    done = lock(command)
    assert (done.code, done.out) == (2, "")
    assert "`memoryfield lock add NAME LOCATION` makes one" in done.err
    (here / LOCK).write_bytes(b"version = 1\n")
    done = lock(command)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"memoryfield: {here / LOCK}: there is no field in it\n"


def test_showing(here: Path) -> None:
    """Entries are shown by name, without asking any source."""
    good("add", "b", "notes")
    good("add", "a", archive(here / "x.zip", KNOWN | {"x.csv": b"1\n"}))
    (here / "x.zip").unlink()
    shown = good("show").out
    assert shown.index("a\n  location     x.zip\n") < shown.index("b\n  location     notes\n")
    assert f"  field pin    {KNOWN_PIN}\n" in shown
    assert "  attachments  1\n" in shown
    assert good("show", "b").out.count("location") == 1
    told = good("show", "--format", "json").json["fields"]
    assert [(each["name"], each["attachments"]) for each in told] == [("a", 1), ("b", 0)]


def test_shown_text_is_escaped(here: Path) -> None:
    """A location can hold what moves the cursor, or what GitHub takes for a command."""
    name = "x\x1b[2J\u202e##[error]"
    good("add", "n", folder(here / name, KNOWN))
    done = lock("show", env={"GITHUB_ACTIONS": "true"})
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "##[" not in done.out


@pytest.mark.parametrize("command", ["add", "show", "check", "update", "remove"])
def test_lock_file_that_is_broken(command: str, here: Path) -> None:
    """Nothing is done with a lock file that cannot be read, or contradicts itself."""
    good("add", "n", "notes")
    arguments = {"add": ["m", "notes"], "remove": ["n"]}.get(command, [])
    text = (here / LOCK).read_text(encoding="utf-8")
    for old, new, code in (
        ("version = 1", "version = 2", 2),
        ("[fields.n]", "[fields.n", 2),
        ("a.md", "../a.md", 2),
        ("a.md", "A.md", 3),
        ('"notes"', '"https://u:secret@h/"', 2),
    ):
        broken = text.replace(old, new)
        assert broken != text
        (here / LOCK).write_text(broken, encoding="utf-8")
        done = lock(command, *arguments)
        assert (done.code, done.out) == (code, "")
        assert done.err.startswith(f"memoryfield: {here / LOCK}: ")
        assert "secret" not in done.err
        assert (here / LOCK).read_text(encoding="utf-8") == broken

"""`memoryfield snapshot`: options, exit codes, what is printed where."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import GOOD, KNOWN, KNOWN_PIN, archive, call, folder
from tests.cli.terminal import on_a_terminal

FILES = {"index.md": GOOD, "a.md": b"a\n", "b, c.md": b"\x1b[2J\xff\n"}


@pytest.fixture
def field(tmp_path: Path) -> Path:
    return folder(tmp_path / "field", FILES)


def order(text: str) -> list[str]:
    lines = (line for line in text.split("\n") if line.startswith("===== page "))
    return [line.removeprefix("===== page ").partition(" sha256:")[0] for line in lines]


def test_pages_are_chosen_in_any_spelling(field: Path) -> None:
    """With commas, or the option several times; a page that has a comma is that page."""
    comma = '"b, c.md"'
    for options, names in (
        ((), ["index.md", "a.md", comma]),
        (("--pages", "a.md,index.md"), ["a.md", "index.md"]),
        (("--pages", "b, c.md", "--pages", "a.md"), [comma, "a.md"]),
    ):
        done = call("snapshot", field, *options)
        assert (done.code, done.err, order(done.out)) == (0, "", names)


def test_budget_and_name(field: Path) -> None:
    """The bytes are those that are counted."""
    done = call("snapshot", field, "--budget", "1000", "--name", "my notes")
    assert len(done.stdout) <= 1000
    assert done.out.split("\n")[1] == 'name: "my notes"'
    little = call("snapshot", field, "--budget", "99")
    assert (little.code, little.stdout) == (2, b"")
    assert little.err.count("\n") == 1
    least = little.err.partition("at least ")[2].split()[0]
    assert call("snapshot", field, "--budget", least).code == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--budget", "0"], 2),
        (["--budget", "many"], 2),
        (["--pages", "none.md"], 4),
        (["--pages", ""], 2),
        (["--pages", "a.md", "--pages", ","], 2),
        (["--name", ""], 2),
        (["--pages", "a.md,"], 0),
        (["--check", "FILE", "--budget", "2000"], 2),
        (["--check", "FILE", "--pages", "a.md"], 2),
        (["--check", "FILE", "--name", "x"], 2),
        (["--check", "none.txt"], 4),
        (["--check", "field"], 4),
        (["--check", "field/a.md"], 2),
        (["--check", "FILE", "--limit", "file-bytes=200"], 3),
        (["--check", "field/b, c.md"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_wrong_usage(
    options: list[str], code: int, field: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says what is wrong, and nothing is on stdout."""
    monkeypatch.chdir(field.parent)
    Path("FILE").write_bytes(call("snapshot", field).stdout)
    done = call("snapshot", "field", *options)
    assert done.code == code
    if code:
        assert done.stdout == b""
        assert len([line for line in done.err.splitlines() if "--help" not in line]) == 1


def test_both_from_stdin() -> None:
    done = call("snapshot", "-", "--check", "-", stdin=b"x")
    assert (done.code, done.stdout) == (2, b"")


def test_check_of_what_stands_in_a_file_or_on_stdin(field: Path, tmp_path: Path) -> None:
    """0 for the same, 1 for moved on, with each page; an archive of the field is the same."""
    block = call("snapshot", field).stdout
    kept = tmp_path / "block.txt"
    kept.write_bytes(block)
    same = call("snapshot", archive(tmp_path / "x.zip", FILES), "--check", "-", stdin=block)
    assert (same.code, same.err) == (0, "")
    assert same.out.startswith("same field-sha256:")
    (field / "a.md").write_bytes(b"A\n")
    (field / "b, c.md").unlink()
    (field / "new.md").write_bytes(b"")
    moved = call("snapshot", field, "--check", kept)
    assert (moved.code, moved.err) == (1, "")
    *pages, last = moved.out.splitlines()
    assert pages == ["changed: a.md", "removed: b, c.md", "added: new.md"]
    assert last.startswith("moved on: field-sha256:")
    answer = call("snapshot", field, "--check", kept, "--format", "json")
    assert answer.code == 1
    told = ("same", "changed", "removed", "added", "unnamed")
    assert [answer.json[each] for each in told] == [False, ["a.md"], ["b, c.md"], ["new.md"], []]


def test_check_of_attachments_and_of_pages_without_room(tmp_path: Path) -> None:
    """What the pin alone tells, and what the snapshot had no room to name."""
    place = folder(tmp_path / "f", {"a.md": b"a\n", "x.png": b"x"})
    kept = tmp_path / "block.txt"
    kept.write_bytes(call("snapshot", place).stdout)
    (place / "x.png").write_bytes(b"y")
    found = call("snapshot", place, "--check", kept).out
    assert "changed: nothing but what the snapshot does not name" in found
    least = call("snapshot", place, "--budget", "1").err.partition("at least ")[2].split()[0]
    kept.write_bytes(call("snapshot", place, "--budget", least).stdout)
    (place / "x.png").write_bytes(b"x")
    found = call("snapshot", place, "--check", kept).out
    assert "added, or not named in the snapshot: a.md\n" in found


def test_altered_snapshot_is_a_hash_that_does_not_match(field: Path, tmp_path: Path) -> None:
    """Exit code 3, with the name of the file."""
    kept = tmp_path / "block.txt"
    kept.write_bytes(call("snapshot", field).stdout.replace(b"\na\n", b"\nb\n"))
    done = call("snapshot", field, "--check", kept)
    assert (done.code, done.stdout) == (3, b"")
    assert done.err == (
        f"memoryfield: {kept}: was altered: the text of `a.md` is not what its hash says\n"
    )


def test_answer_as_json(field: Path) -> None:
    """The text is the one that is printed otherwise."""
    answer = call("snapshot", field, "--budget", "1100", "--format", "json")
    text = call("snapshot", field, "--budget", "1100").stdout
    assert answer.json["text"].encode() == text
    assert answer.json["bytes"] == len(text)
    assert [page["name"] for page in answer.json["included"]] == ["index.md"]
    assert [page["name"] for page in answer.json["left_out"]] == ["a.md", "b, c.md"]


def test_on_a_terminal_it_is_escaped(field: Path) -> None:
    """In a pipe the bytes count; a person is shown what hides."""
    assert b"\x1b[2J" in call("snapshot", field).stdout
    shown = on_a_terminal("snapshot", field)
    assert b"\x1b" not in shown
    assert rb"\x1b[2J" in shown


def test_known_field(tmp_path: Path) -> None:
    """The known answer of the standard stands in its second line."""
    done = call("snapshot", archive(tmp_path / "known.zip", KNOWN))
    assert done.out.split("\n")[1] == f"digest: {KNOWN_PIN}"

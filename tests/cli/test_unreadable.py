"""What may not be read is said to be so, and never passes for empty or good."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command import FAULTY, GOOD, archive, folder
from tests.cli.unprivileged import Way, spawn_by, way

from memoryfield_spec import schema

OTHER = GOOD.replace(b"uuid: 6aa615f0", b"uuid: 5bb615f0")


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that any user may enter, which pytest's own are not."""
    path = Path(tempfile.mkdtemp(prefix="memoryfield-"))
    path.chmod(0o755)
    yield path
    for each in path.iterdir():
        each.chmod(0o700)
    shutil.rmtree(path)


@pytest.fixture
def user() -> Way:
    """A way to run the command as someone who may not read everything."""
    found = way()
    if found is None:
        pytest.skip("there is no way here to run the command without the right to read everything")
    return found


@pytest.fixture
def field(root: Path) -> Path:
    """A field with a page that may not be read between two that may."""
    path = folder(root / "field", {"a.md": FAULTY, "closed.md": GOOD, "z.md": OTHER})
    (path / "closed.md").chmod(0)
    return path


def test_validate_checks_the_rest(field: Path, user: Way) -> None:
    """A page that may not be read is MF105 and exit code 4; the others are checked."""
    done = spawn_by(user, "validate", "--format", "json", field)
    assert done.code == 4
    assert done.err == f"memoryfield: {field}: closed.md: cannot be read: permission denied\n"
    report = done.json
    Draft202012Validator(schema("report")).validate(report)
    assert report["verdict"] == "invalid"
    assert report["digest"] is None
    assert report["pages"] == 3
    errors = [(f["rule"], f["file"]) for f in report["findings"] if f["level"] == "error"]
    assert errors == [("MF304", "a.md"), ("MF105", "closed.md")]


def test_validate_as_text(field: Path, user: Way) -> None:
    """The report stands on stdout, the one complaint on stderr, and no pin anywhere."""
    done = spawn_by(user, "validate", field)
    assert done.code == 4
    assert (
        f"{field}/closed.md error MF105 `closed.md` cannot be read: permission denied" in done.out
    )
    assert f"{field}: invalid, 3 pages, 2 errors\n" in done.out
    assert "field-sha256:" not in done.out
    assert done.err.count("\n") == 1


def test_validate_with_only_other_rules_selected(field: Path, user: Way) -> None:
    """What could not be read stays 4, also where MF105 is not asked for."""
    done = spawn_by(user, "validate", "--select", "MF6", field)
    assert done.code == 4
    assert "closed.md" in done.err


@pytest.mark.parametrize("command", [["digest"], ["digest", "--manifest"]])
def test_what_needs_every_page_gives_no_answer(command: list[str], field: Path, user: Way) -> None:
    """Part of a pin is no answer."""
    done = spawn_by(user, *command, field)
    assert done.code == 4
    assert done.stdout == b""
    assert done.err == f"memoryfield: {field}: closed.md: cannot be read: permission denied\n"


def test_ls_lists_what_it_need_not_read(field: Path, user: Way) -> None:
    """Names are had without reading pages."""
    done = spawn_by(user, "ls", field)
    assert (done.code, done.out, done.err) == (0, "a.md\nclosed.md\nz.md\n", "")


def test_info_shows_the_rest_without_a_pin(field: Path, user: Way) -> None:
    """What stands in the way of the pin is said; the counts are had without it."""
    done = spawn_by(user, "info", "--format", "json", field)
    assert (done.code, done.json["pages"], done.json["digest"]) == (4, 3, None)
    assert done.err == f"memoryfield: {field}: closed.md: cannot be read: permission denied\n"


def test_ls_lists_a_page_whose_title_it_cannot_read(field: Path, user: Way) -> None:
    """One page that cannot be read keeps no other from being listed (MF902)."""
    done = spawn_by(user, "ls", "--long", field)
    assert done.code == 4
    assert [line.split()[2] for line in done.out.splitlines()] == ["a.md", "closed.md", "z.md"]
    assert done.err == f"memoryfield: {field}: closed.md: cannot be read: permission denied\n"


def test_read_gives_the_others(field: Path, user: Way) -> None:
    """The page is reported, those around it are printed."""
    done = spawn_by(user, "read", "--raw", field, "a.md", "closed.md", "z.md")
    assert done.code == 4
    assert done.stdout == FAULTY + OTHER
    assert done.err == f"memoryfield: {field}: closed.md: cannot be read: permission denied\n"


def test_an_attachment_counts_as_well(root: Path, user: Way) -> None:
    """An attachment is part of the pin, so it has to be read; an index is not."""
    field = folder(root / "field", {"a.md": GOOD, "heat.csv": b"1\n", "x.sqlite3": b"1\n"})
    for name in ("heat.csv", "x.sqlite3"):
        (field / name).chmod(0)
    done = spawn_by(user, "validate", "--format", "json", field)
    assert done.code == 4
    assert done.json["digest"] is None
    assert "heat.csv" in done.err
    assert spawn_by(user, "digest", field).code == 4
    (field / "heat.csv").chmod(0o644)
    assert spawn_by(user, "digest", field).code == 0


@pytest.mark.parametrize(
    "command", [["validate"], ["info"], ["ls"], ["read", "a.md"], ["digest"]], ids=lambda c: c[0]
)
@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_location_that_may_not_be_read(
    command: list[str], kind: str, root: Path, user: Way
) -> None:
    """A folder or archive that may not be read cannot be had: neither empty nor wrong usage."""
    files = {"a.md": GOOD}
    location = root / kind
    (folder if kind == "folder" else archive)(location, files)
    location.chmod(0)
    done = spawn_by(user, command[0], location, *command[1:])
    assert done.code == 4
    assert done.stdout == b""
    assert done.err == f"memoryfield: {location}: cannot be read: permission denied\n"


@pytest.mark.parametrize("command", [["validate"], ["info"], ["read", "a.md"], ["digest"]])
def test_folder_that_may_be_listed_but_not_entered(
    command: list[str], root: Path, user: Way
) -> None:
    """The names are there, the files are not: nothing good comes of it."""
    location = folder(root / "field", {"a.md": GOOD})
    location.chmod(0o444)
    done = spawn_by(user, command[0], location, *command[1:])
    assert done.code != 0
    assert "permission denied" in done.out + done.err
    assert "there is no such" not in done.err


def test_sub_directory_that_may_not_be_listed(root: Path, user: Way) -> None:
    """A sub-directory is no part of the field: its pin does not change, and is given."""
    field = folder(root / "field", {"a.md": GOOD})
    pin = spawn_by(user, "digest", field).out
    closed = field / "closed"
    closed.mkdir(mode=0)
    done = spawn_by(user, "digest", field)
    closed.chmod(0o700)
    assert (done.code, done.out) == (0, pin)


def test_reading_changes_nothing(field: Path, user: Way) -> None:
    """No command leaves anything in a field, nor touches what is there."""
    before = {each.name: each.stat() for each in os.scandir(field)}
    for command in ("validate", "info", "ls", "digest"):
        spawn_by(user, command, field)
    after = {each.name: each.stat() for each in os.scandir(field)}
    assert {n: (s.st_mtime_ns, s.st_size, s.st_mode) for n, s in before.items()} == {
        n: (s.st_mtime_ns, s.st_size, s.st_mode) for n, s in after.items()
    }

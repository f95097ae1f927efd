"""`--fix` and `--diff`: what is written, what is shown, and what the exit code says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import FAULTY, GOOD, archive, call, folder
from tests.cli.terminal import on_a_terminal
from tests.cli.unprivileged import spawn_by, way

BARE = GOOD.replace(b"uuid: 6aa615f0-486f-48a7-a210-ba4f5ff18c8b\n", b"")
BROKEN = GOOD.replace(b"title: Carbon Fibre Woks", b"title: Woks: carbon fibre")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command runs where the fields are."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fixable(location: str, *arguments: str) -> list[str]:
    """The rules of findings that could be mended."""
    found = call("validate", "--format", "json", *arguments, location).json["findings"]
    return [one["rule"] for one in found if one["fixable"]]


def test_fix_writes_and_reports_what_is_left() -> None:
    """stdout is the report on the field as it is afterwards; stderr says what was mended."""
    page = folder(Path("field"), {"woks.md": FAULTY}) / "woks.md"
    done = call("validate", "--fix", "--format", "json", "field")
    assert (done.code, done.json["findings"]) == (0, [])
    assert done.err == "memoryfield: field: mended 1 finding in 1 page\n"
    assert page.read_bytes() == GOOD
    before = page.stat()
    again = call("validate", "--fix", "--format", "json", "field")
    assert (again.code, again.err, again.stdout) == (0, "", done.stdout)
    assert page.stat() == before


def test_fix_leaves_what_has_no_one_answer() -> None:
    """It is reported, and decides the exit code."""
    wrong = FAULTY.replace(b"6aa615f0-486f-48a7-a210-ba4f5ff18c8b", b"woks")
    folder(Path("field"), {"woks.md": wrong})
    done = call("validate", "--fix", "field")
    assert done.code == 1
    assert "MF306" in done.out
    assert "MF304" not in done.out
    assert fixable("field") == []


def test_fix_of_several_fields() -> None:
    """Each by itself; one that cannot be written does not keep the others from it."""
    folder(Path("a"), {"woks.md": FAULTY})
    folder(Path("b"), {"woks.md": BARE})
    archive(Path("c.memoryfield.zip"), {"woks.md": FAULTY})
    content = Path("c.memoryfield.zip").read_bytes()
    done = call("validate", "--fix", "a", "c.memoryfield.zip", "b")
    assert done.code == 2
    assert Path("a/woks.md").read_bytes() == GOOD
    assert fixable("b") == []
    assert Path("c.memoryfield.zip").read_bytes() == content
    assert "unpack an archive" in done.err


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_archives_and_stdin_are_not_mended(option: str) -> None:
    """Nothing is written that cannot be written page by page."""
    archive(Path("c.memoryfield.zip"), {"woks.md": FAULTY})
    for location in ("c.memoryfield.zip", "-"):
        done = call("validate", option, location)
        assert (done.code, done.stdout) == (2, b"")
        assert done.err.count("\n") == 1


def test_diff_writes_nothing_and_fails_where_there_is_something_to_mend() -> None:
    """stdout is a patch that git applies, and the patch does what `--fix` does."""
    git = shutil.which("git")
    folder(Path("field"), {"woks.md": FAULTY, "pans.md": BROKEN.replace(b"8b\n", b"8c\n")})
    before = {path.name: path.read_bytes() for path in Path("field").iterdir()}
    done = call("validate", "--diff", "field")
    assert done.code == 1
    assert done.err == "memoryfield: field: can mend 2 findings in 2 pages\n"
    assert {path.name: path.read_bytes() for path in Path("field").iterdir()} == before
    if git is None:
        pytest.skip("git is not there")
    shutil.copytree("field", "patched")
    subprocess.run([git, "apply", "-"], input=done.stdout, cwd="patched", check=True)
    assert call("validate", "--fix", "field").code == 0
    for path in Path("field").iterdir():
        assert (Path("patched") / path.name).read_bytes() == path.read_bytes()
    clean = call("validate", "--diff", "field")
    assert (clean.code, clean.stdout, clean.err) == (0, b"", "")


def test_diff_wins_over_fix() -> None:
    """Who asks for both sees first."""
    folder(Path("field"), {"woks.md": FAULTY})
    assert call("validate", "--fix", "--diff", "field").code == 1
    assert Path("field/woks.md").read_bytes() == FAULTY


def test_diff_of_several_fields_is_still_a_patch() -> None:
    """A line between them names the field; git passes over it."""
    for name in ("a", "b"):
        folder(Path(name), {"woks.md": FAULTY})
    lines = call("validate", "--diff", "a", "b").out.splitlines()
    assert [line for line in lines if line.startswith("#")] == ["# a", "# b"]


def test_diff_and_a_report() -> None:
    """The report goes into a file, since stdout is taken."""
    folder(Path("field"), {"woks.md": FAULTY})
    done = call("validate", "--diff", "--format", "json:out.json", "field")
    assert done.out.startswith("diff --git")
    assert [one["rule"] for one in json.loads(Path("out.json").read_text())["findings"]] == [
        "MF304"
    ]
    wrong = call("validate", "--diff", "--format", "json", "field")
    assert (wrong.code, wrong.stdout) == (2, b"")


def test_diff_on_a_terminal_is_escaped() -> None:
    """A page cannot move the cursor by being mended."""
    faulty = GOOD.replace(b"summary: Thermal", b"summary: no #").replace(b"heat", b"\x1b[31mheat")
    folder(Path("field"), {"woks.md": faulty})
    seen = on_a_terminal("validate", "--diff", Path("field").absolute())
    assert b"\x1b[31m" not in seen
    assert rb"\x1b[31mheat" in seen


def test_what_is_ignored_is_left_alone() -> None:
    """By options and by settings, for the field and for some files."""
    folder(Path("field"), {"woks.md": FAULTY})
    call("validate", "--fix", "--ignore", "MF304", "field")
    call("validate", "--fix", "--select", "MF2", "field")
    Path("memoryfield.toml").write_text('[per-file-ignores]\n"w*" = ["MF304"]\n')
    call("validate", "--fix", "field")
    assert Path("field/woks.md").read_bytes() == FAULTY
    call("validate", "--fix", "--no-config", "field")
    assert Path("field/woks.md").read_bytes() == GOOD


def test_findings_that_count_for_nothing_are_mended_too() -> None:
    """A level decides what fails, not what is mended."""
    folder(Path("field"), {"woks.md": FAULTY})
    Path("memoryfield.toml").write_text('[severity]\nMF304 = "info"\n')
    assert call("validate", "--fix", "field").code == 0
    assert Path("field/woks.md").read_bytes() == GOOD


def test_folder_that_may_not_be_written(project: Path) -> None:
    """One line that names the file, exit 4, and nothing is changed or left behind."""
    found = way()
    if found is None:
        pytest.skip("there is no way to give up rights here")
    field = folder(project / "field", {"woks.md": FAULTY})
    if found.user is not None:
        os.chown(field, found.user, found.user)
    field.chmod(0o555)
    done = spawn_by(found, "validate", "--fix", field)
    field.chmod(0o755)
    assert done.code == 4, done.err
    assert "woks.md" in done.err
    assert done.err.count("\n") == 1
    assert os.listdir(field) == ["woks.md"]
    assert (field / "woks.md").read_bytes() == FAULTY

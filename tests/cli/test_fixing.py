"""`--fix` and `--diff`: what is written, what is shown, and what the exit code says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import FAULTY, GOOD, SECONDS, archive, call, folder
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
    subprocess.run(
        [git, "apply", "-"], input=done.stdout, cwd="patched", check=True, timeout=SECONDS
    )
    assert call("validate", "--fix", "field").code == 0
    for path in Path("field").iterdir():
        assert (Path("patched") / path.name).read_bytes() == path.read_bytes()
    clean = call("validate", "--diff", "field")
    assert (clean.code, clean.stdout, clean.err) == (0, b"", "")


def three_pages(project: Path, *, name: str = "b.md") -> Path:
    """A field of three pages in which something is to be mended, one of which can be named."""
    files = {
        each: FAULTY.replace(b"8b\n", b"8%d\n" % n) for n, each in enumerate(("a.md", name, "c.md"))
    }
    return folder(project / "field", files)


def test_a_page_that_changes_meanwhile_keeps_no_other_from_being_mended(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is mended and reported; what was not is told on stderr, with exit 4."""
    from memoryfield_validator import fixing
    from memoryfield_validator.fixes import apply

    field = three_pages(project)
    mine = FAULTY.replace(b"heat", b"much heat")

    def apply_late(*arguments: Any, **options: Any) -> Any:
        (field / "b.md").write_bytes(mine)
        return apply(*arguments, **options)

    monkeypatch.setattr(fixing, "apply", apply_late)
    done = call("validate", "--fix", "--format", "json", "field")
    assert done.code == 4
    assert done.err.splitlines() == [
        "memoryfield: field: mended 2 findings in 2 pages",
        "memoryfield: field: b.md: changed while it was being mended, and is left as it is "
        "(run it again)",
    ]
    found = [(one["rule"], one["file"]) for one in done.json["findings"] if one["fixable"]]
    assert found == [("MF304", "b.md")]
    assert (field / "b.md").read_bytes() == mine
    monkeypatch.undo()
    monkeypatch.chdir(project)
    again = call("validate", "--fix", "--format", "json", "field")
    assert (again.code, fixable("field")) == (0, [])


def test_a_page_that_may_not_be_written_keeps_no_other_from_being_mended(project: Path) -> None:
    """Nor from being renamed, as long as it does not link there: it would lead nowhere."""
    found = way()
    if found is None:
        pytest.skip("there is no way to give up rights here")
    field = three_pages(project)
    closed = field / "b.md"
    closed.write_bytes(closed.read_bytes() + b"[x](X_y.md)\n")
    for number, name in enumerate(("X_y.md", "Free.md"), start=3):
        (field / name).write_bytes(GOOD.replace(b"8b\n", b"8%d\n" % number))
    (field / "c.md").write_bytes((field / "c.md").read_bytes() + b"[x](X_y.md) [f](Free.md)\n")
    before = closed.read_bytes()
    for path in (field, *field.iterdir()):
        if found.user is not None:
            os.chown(path, found.user, found.user)
    closed.chmod(0o444)
    done = spawn_by(found, "validate", "--fix", "--format", "json", field)
    assert done.code == 4, done.err
    assert [line.split(": ", 2)[2] for line in done.err.splitlines()] == [
        "mended 3 findings in 3 pages",
        "b.md: cannot be written: permission denied",
    ]
    assert sorted(os.listdir(field)) == ["X_y.md", "a.md", "b.md", "c.md", "free.md"]
    assert closed.read_bytes() == before
    assert (field / "c.md").read_bytes().endswith(b"[x](X_y.md) [f](free.md)\n")
    left = [(one["rule"], one["file"]) for one in done.json["findings"] if one["fixable"]]
    assert left == [("MF201", "X_y.md"), ("MF304", "b.md")]
    assert [one for one in done.json["findings"] if one["rule"] == "MF209"] == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_keeps_no_other_page_from_being_mended(project: Path) -> None:
    """A page that it leads to keeps its name, which is reported as not fixable."""
    field = three_pages(project, name="A_b.md")
    (field / "y.md").symlink_to("A_b.md")
    done = call("validate", "--fix", "--format", "json", "field")
    assert "mended" in done.err
    assert done.err.count("\n") == 1
    names = [one for one in done.json["findings"] if one["rule"] == "MF201"]
    assert [(one["file"], one["fixable"]) for one in names] == [("A_b.md", False)]
    assert fixable("field") == []
    assert FAULTY.splitlines()[2] not in (field / "c.md").read_bytes().splitlines()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_file_of_two_names_is_one_page(project: Path) -> None:
    """It is counted and shown once, by its own name."""
    (folder(project / "field", {"woks.md": FAULTY}) / "pans.md").symlink_to("woks.md")
    shown = call("validate", "--diff", "field")
    assert shown.err == "memoryfield: field: can mend 2 findings in 1 page\n"
    assert [line for line in shown.out.splitlines() if line.startswith("diff")] == [
        "diff --git a/woks.md b/woks.md"
    ]
    assert call("validate", "--fix", "field").err.endswith("mended 2 findings in 1 page\n")
    assert Path("field/woks.md").read_bytes() == GOOD


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_standard_input_cannot_be_mended(option: str) -> None:
    """That is said in words that a user knows."""
    done = call("validate", option, "-")
    assert (done.code, done.stdout) == (2, b"")
    assert done.err == (
        "memoryfield: standard input cannot be mended "
        "(unpack the archive, mend the folder, and pack it again)\n"
    )


def begins_with(*lines: bytes) -> bytes:
    """A faulty page whose body begins with some lines, near enough to the fault to be shown."""
    created = b"created: 2026-03-01T09:00:00Z\n"
    head, body = FAULTY.replace(created, b"").removeprefix(b"---\n").split(b"---\n")
    return b"".join((b"---\n", head, created, b"---\n", *(line + b"\n" for line in lines), body))


def test_on_github_a_diff_holds_no_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner obeys any line that begins with `::` behind blanks: it is told not to listen."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for name in ("a", "b"):
        folder(Path(name), {"woks.md": begins_with(b"::error::x", b"::stop-commands::y")})
    lines = call("validate", "--diff", "a", "b").out.splitlines()
    stops = [number for number, line in enumerate(lines) if line.startswith("::stop-commands::")]
    tokens = [lines[number].removeprefix("::stop-commands::") for number in stops]
    assert len(set(tokens)) == 2
    assert all(len(token) == 32 for token in tokens)
    ends = [lines.index(f"::{token}::") for token in tokens]
    assert stops == [0, ends[0] + 1]
    assert ends[1] == len(lines) - 1
    for name, start, end in zip(("a", "b"), stops, ends, strict=True):
        shown = lines[start + 1 : end]
        assert shown[0] == f"# {name}"
        assert [line.replace(": :", "::") for line in shown[-2:]] == [
            " ::error::x",
            " ::stop-commands::y",
        ]
        assert "-created: 2026-03-01T09:00:00Z" in shown


def test_on_github_a_diff_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its log is looked at by people; what begins with `##[` would be a heading in it."""
    folder(Path("field"), {"woks.md": begins_with(b"##[error]x", b"\x1b[31m")})
    patch = call("validate", "--diff", "field").out
    assert patch.endswith(" ##[error]x\n \x1b[31m\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    seen = call("validate", "--diff", "field").out.splitlines()
    assert seen[-3:-1] == [" # #[error]x", r" \x1b[31m"]
    assert [line for line in patch.splitlines()[:-2] if line not in seen] == []


@pytest.mark.parametrize(
    ("arguments", "seen"), [(["a"], False), (["a", "b"], True)], ids=["one", "two"]
)
def test_a_bar_over_fields(
    arguments: list[str], seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several fields are counted, not their pages."""
    from memoryfield_cli import progress

    bars: list[tuple[str, int]] = []

    @contextmanager
    def bar(what: str, total: int, *, least: int = 1) -> Iterator[Callable[[], None]]:
        bars.append((what, total))
        yield lambda: None

    monkeypatch.setattr(progress, "progress_bar", bar)
    for name in arguments:
        folder(Path(name), {"woks.md": FAULTY})
    assert call("validate", "--fix", *arguments).code == 0
    checking = ("Checking", 1)
    assert bars == ([("Fixing fields", 2)] if seen else [checking, ("Mending", 1), checking])
    bars.clear()
    assert call("validate", "--format", "json", *arguments).code == 0
    assert bars == ([("Checking fields", 2)] if seen else [checking])


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

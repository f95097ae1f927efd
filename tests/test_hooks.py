"""The pre-commit hooks: what they run is what is promised, on fields in a repository."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.command import FAULTY, GOOD, folder, neutral_environment

ROOT = Path(__file__).resolve().parent.parent
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
BY_ID = {hook["id"]: hook for hook in HOOKS}
DOCS = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")


def run_hook(id: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a hook as pre-commit does: its entry and the arguments, and no file names."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [*shlex.split(BY_ID[id]["entry"]), *arguments],
        cwd=cwd,
        env=neutral_environment() | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_hooks_are_those_that_are_documented() -> None:
    """Each is named where people look."""
    assert set(BY_ID) == {"memoryfield-validate", "memoryfield-fix", "memoryfield-audit"}
    for id in BY_ID:
        assert f"id: {id}" in DOCS


@pytest.mark.parametrize("hook", HOOKS, ids=BY_ID)
def test_hook_checks_whole_fields(hook: dict[str, Any]) -> None:
    """A link breaks where a page goes away: every run sees all, whatever was changed."""
    assert hook["pass_filenames"] is False
    assert hook["always_run"] is True
    assert hook["language"] == "python"
    assert hook["description"].strip().endswith(".")


@pytest.mark.parametrize("id", BY_ID)
def test_hook_passes_what_is_good_and_wants_to_know_where(id: str, tmp_path: Path) -> None:
    """Without `args` it is wrong usage, which pre-commit shows."""
    folder(tmp_path / "fields" / "a", {"woks.md": GOOD})
    folder(tmp_path / "fields" / "b", {"woks.md": GOOD})
    assert run_hook(id, "fields/*", cwd=tmp_path).returncode == 0
    without = run_hook(id, cwd=tmp_path)
    assert without.returncode == 2
    assert "LOCATION" in without.stderr


def test_validate_hook_fails_on_an_error(tmp_path: Path) -> None:
    """And says where."""
    folder(tmp_path / "field", {"woks.md": FAULTY})
    done = run_hook("memoryfield-validate", "field", cwd=tmp_path)
    assert done.returncode == 1
    assert "field/woks.md:3:10 error MF304" in done.stdout


def test_fix_hook_mends_and_then_passes(tmp_path: Path) -> None:
    """pre-commit sees that files changed, and fails the commit once."""
    path = folder(tmp_path / "field", {"woks.md": FAULTY}) / "woks.md"
    assert run_hook("memoryfield-fix", "field", cwd=tmp_path).returncode == 0
    assert path.read_bytes() == GOOD
    assert run_hook("memoryfield-fix", "field", cwd=tmp_path).returncode == 0
    assert path.read_bytes() == GOOD


def test_audit_hook_fails_on_hidden_text(tmp_path: Path) -> None:
    """A zero-width space is no mistake of form, and `validate` alone lets it pass."""
    hidden = GOOD.replace(b"heat", "he\u200bat".encode())
    folder(tmp_path / "field", {"woks.md": hidden})
    assert run_hook("memoryfield-validate", "field", cwd=tmp_path).returncode == 0
    assert run_hook("memoryfield-audit", "field", cwd=tmp_path).returncode == 1

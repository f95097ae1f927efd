"""The GitHub Action: its steps are run here as a runner runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.command import FAULTY, GOOD, folder, neutral_environment

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
_NO_NETWORK = re.compile(r"Failed to establish a new connection|Temporary failure in name resol")
_INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


def run_step(
    step: dict[str, Any], workspace: Path, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as a runner does: a script for bash that stops at the first failure."""
    given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    env = {
        name: _INPUT.sub(lambda match: given[match[1]], value)
        for name, value in step.get("env", {}).items()
    }
    temp = workspace.parent / "temp"
    temp.mkdir(exist_ok=True)
    (temp / "step.sh").write_text(step["run"], encoding="utf-8")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", temp / "step.sh"],
        cwd=workspace,
        env=neutral_environment()
        | env
        | {
            "RUNNER_TEMP": str(temp),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_STEP_SUMMARY": str(temp / "summary.md"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with two fields, and the command as the first step would have installed it."""
    root = tmp_path / "workspace"
    folder(root / "fields" / "good", {"woks.md": GOOD})
    folder(root / "fields" / "bad one", {"woks.md": FAULTY})
    (tmp_path / "temp" / "memoryfield-kit").mkdir(parents=True)
    bin = Path(sys.executable).parent
    (tmp_path / "temp" / "memoryfield-kit" / bin.name).symlink_to(bin, target_is_directory=True)
    return root


def validate(workspace: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the step that validates."""
    return run_step(STEPS[-1], workspace, **inputs)


def test_no_step_is_somebody_elses() -> None:
    """Nothing but scripts, in a shell that is named, and every input is explained."""
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        assert set(step) == {"name", "shell", "env", "run"}
        assert step["shell"] == "bash"
    assert {"location", "fail-on", "sarif"} <= set(ACTION["inputs"])
    assert all(each["description"].strip() for each in ACTION["inputs"].values())


def test_inputs_reach_scripts_as_variables_alone() -> None:
    """An expression within a script would be a way to run what an input says."""
    for step in STEPS:
        assert "${{" not in step["run"]
    used = _INPUT.findall(json.dumps([step["env"] for step in STEPS]))
    assert sorted(used) == sorted(ACTION["inputs"])


@pytest.mark.parametrize("location", ["fields/good", "fields/*o*d\n", "\nfields/good\nfields/g*\n"])
def test_good_fields_pass(location: str, workspace: Path) -> None:
    """One location, a pattern, or several lines of them."""
    done = validate(workspace, location=location)
    assert (done.returncode, done.stderr) == (0, "")
    assert "::" not in done.stdout


def test_findings_stand_at_their_lines(workspace: Path) -> None:
    """As annotations, with the path from the root of the repository; the job fails."""
    done = validate(workspace, location="fields/bad one")
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=fields/bad one/woks.md,line=3,col=10,title=MF304")
    summary = (workspace.parent / "temp" / "summary.md").read_text(encoding="utf-8")
    assert "MF304" in summary


def test_fail_on_audit_and_sarif_reach_the_command(workspace: Path) -> None:
    """Each input does what it says."""
    field = folder(workspace / "hidden", {"woks.md": GOOD.replace(b"Source: https:", b"https:")})
    page = field / "woks.md"
    page.write_bytes(GOOD.replace(b"heat", "he\u200bat".encode()))
    assert validate(workspace, location="hidden").returncode == 0
    done = validate(workspace, location="hidden", audit="true", sarif="out.sarif")
    assert done.returncode == 1
    [run] = json.loads((workspace / "out.sarif").read_text())["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["MF801"]
    page.write_bytes(GOOD.replace(b"Source: https://example.com/", b"Steel."))
    assert validate(workspace, location="hidden").returncode == 0
    assert validate(workspace, location="hidden", fail_on="info").returncode == 1


@pytest.mark.parametrize(
    "location", ["$(touch evil)", "`touch evil`", "; touch evil", "--output=evil", "-h", "'", '"']
)
def test_input_is_never_a_command(location: str, workspace: Path) -> None:
    """Whatever an input holds, it names a field, which is not there."""
    done = validate(workspace, location=location)
    assert done.returncode == 4
    assert not (workspace / "evil").exists()


def test_install_step_makes_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an environment of its own, with what the rules on indexes need; the network is needed."""
    monkeypatch.setenv("PIP_NO_COMPILE", "1")  # most of what is installed is not run here
    workspace = folder(tmp_path / "workspace", {})
    folder(workspace / "field", {"woks.md": GOOD})
    done = run_step(STEPS[0], workspace, python=sys.executable)
    if done.returncode and _NO_NETWORK.search(done.stderr):
        pytest.skip("there is no package index to be reached")
    assert done.returncode == 0, done.stderr
    assert validate(workspace, location="field").returncode == 0
    bin = tmp_path / "temp" / "memoryfield-kit" / Path(sys.executable).parent.name
    python = bin / Path(sys.executable).name
    subprocess.run([python, "-c", "import apsw, memoryfield_cli"], cwd=tmp_path, check=True)
    assert os.listdir(workspace) == ["field"]

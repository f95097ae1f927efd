"""The GitHub Action: its steps are run here as a runner runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from tests.cli.command import FAULTY, GOOD, folder, neutral_environment

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS = [step for step in STEPS if "uses" not in step]
_NO_NETWORK = re.compile(r"Failed to establish a new connection|Temporary failure in name resol")
_INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


def run_step(
    step: dict[str, Any], workspace: Path, *packages: Path, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as a runner does: a script for bash that stops at the first failure.

    Arguments:
        step: the step.
        workspace: the repository that is checked.
        packages: folders with packages that are there already.
        inputs: what the action is given.
    """
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
            "PYTHONPATH": os.pathsep.join(map(str, packages)),
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


def test_one_step_is_somebody_elses() -> None:
    """GitHub's own that keeps a cache; the others are scripts, in a shell that is named.

    Every input is explained.
    """
    assert ACTION["runs"]["using"] == "composite"
    assert [step["uses"] for step in STEPS if "uses" in step] == ["actions/cache@v4"]
    for step in SCRIPTS:
        assert set(step) - {"if"} == {"name", "shell", "env", "run"}
        assert step["shell"] == "bash"
    assert {"location", "fail-on", "sarif"} <= set(ACTION["inputs"])
    assert all(each["description"].strip() for each in ACTION["inputs"].values())


def test_inputs_reach_scripts_as_variables_alone() -> None:
    """An expression within a script would be a way to run what an input says."""
    for step in SCRIPTS:
        assert "${{" not in step["run"]
    used = _INPUT.findall(json.dumps([step["env"] for step in SCRIPTS]))
    assert set(used) == set(ACTION["inputs"])


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


def needed(*requirements: str) -> dict[str, Distribution]:
    """The distributions that requirements ask for, as they are installed here, and what these need.

    Those of extras are left out.
    """
    found: dict[str, Distribution] = {}
    pending = [Requirement(each) for each in requirements]
    while pending:
        requirement = pending.pop()
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name not in found:
            found[requirement.name] = distribution(requirement.name)
            pending += map(Requirement, found[requirement.name].requires or [])
    return found


def linked(folder: Path, *requirements: str) -> Path:
    """A folder in which these distributions are, and no others, for pip as for Python."""
    folder.mkdir()
    for each in needed(*requirements).values():
        for name in {file.parts[0] for file in each.files or []} - {"..", "__pycache__"}:
            if not (folder / name).exists():
                (folder / name).symlink_to(Path(str(each.locate_file(name))).resolve())
    return folder


def test_install_step_makes_the_command(tmp_path: Path) -> None:
    """In an environment of its own, with what the rules on indexes need; the network is needed.

    What every installation needs, and what builds, is lent: `make` has fetched that already. What
    is not declared is not lent, so that the command would miss it.
    """
    workspace = folder(tmp_path / "workspace", {})
    folder(workspace / "field", {"woks.md": GOOD})
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lent = linked(tmp_path / "lent", *settings["project"]["dependencies"])
    builder = linked(tmp_path / "builder", *settings["build-system"]["requires"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_COMPILE", "1")  # most of what is installed is not run here
        patch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # that is how pip reads it: no isolation
        done = run_step(STEPS[0], workspace, lent, builder, python=sys.executable)
    if done.returncode and _NO_NETWORK.search(done.stderr):
        pytest.skip("there is no package index to be reached")
    assert done.returncode == 0, done.stderr
    assert run_step(STEPS[-1], workspace, lent, location="field").returncode == 0
    bin = tmp_path / "temp" / "memoryfield-kit" / Path(sys.executable).parent.name
    python = bin / Path(sys.executable).name
    subprocess.run([python, "-c", "import apsw, memoryfield_cli"], cwd=tmp_path, check=True)
    assert os.listdir(workspace) == ["field"]

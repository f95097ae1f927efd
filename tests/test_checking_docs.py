"""What docs/checking.md shows is true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from tests.cli.command import FAULTY, GOOD, call, folder

from memoryfield_cli.destinations import FORMATS
from memoryfield_spec import catalogue
from memoryfield_validator import LEVELS, read_settings
from memoryfield_validator.many import MANY

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")


def block(language: str, holding: str = "") -> str:
    """The fenced block of a language that holds a text."""
    blocks: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return next(each for each in blocks if holding in each)


def test_settings_can_be_read(tmp_path: Path) -> None:
    """They use every key, so that none goes unexplained."""
    path = tmp_path / "memoryfield.toml"
    path.write_text(block("toml"), encoding="utf-8")
    settings = read_settings(path)
    named = (settings.select, settings.ignore, settings.per_file_ignores, settings.severity)
    assert all(named)
    assert settings.fail_on == "warning"
    assert settings.limits.page_bytes == 4_194_304


def test_formats_are_those_of_the_command() -> None:
    """The table has a row for each."""
    table = TEXT.partition("| format | for |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == FORMATS


def test_action_is_called_with_inputs_that_it_has() -> None:
    """And with every one that it must have."""
    steps = yaml.safe_load(block("yaml", "steps:"))["steps"]
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    given = next(step["with"] for step in steps if "memoryfield-kit" in step["uses"])
    assert set(given) <= set(action)
    assert {name for name, each in action.items() if each.get("required")} <= set(given)


def test_editor_finds_file_line_and_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One pattern fits findings with a line, the other those without, and neither fits both."""
    matchers = json.loads(block("json"))["problemMatcher"]
    lined, whole = (matcher["pattern"]["regexp"] for matcher in matchers)
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "memory", {"woks.md": FAULTY, "Pans.md": GOOD.replace(b"8b\n", b"8c\n")})
    lines = call("validate", "memory/").out.splitlines()
    found = [match for line in lines if (match := re.fullmatch(lined, line))]
    assert [match.groups()[:5] for match in found] == [
        ("memory/woks.md", "3", "10", "error", "MF304")
    ]
    found = [match for line in lines if (match := re.fullmatch(whole, line))]
    assert [match.groups()[:3] for match in found] == [("memory/Pans.md", "error", "MF201")]


def test_ids_and_numbers_are_true() -> None:
    """Every id is one, every level too, and processes begin where the text says."""
    assert set(re.findall(r"\bMF\d{3}\b", TEXT)) <= set(catalogue())
    assert f"From {MANY} fields on" in TEXT
    assert f"{LEVELS[0]} (the default), {LEVELS[1]} or {LEVELS[2]}" in TEXT


def test_options_exist() -> None:
    """Each option that is named is one of `validate`, or of `check-server`."""
    helps = call("validate", "--help").out + call("check-server", "--help").out
    known = set(re.findall(r"--[a-z-]+", helps))
    assert set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", TEXT)) <= known


def test_links_lead_somewhere() -> None:
    """A relative link leads to a file of the repository."""
    for link in re.findall(r"\]\(([^)\s:]+)\)", TEXT):
        assert (ROOT / "docs" / link).exists(), link

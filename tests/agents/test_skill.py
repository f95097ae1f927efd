"""The skill is laid out as the public Agent Skills format has it, and names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from tests.cli.command import call, folder

from memoryfield_agents.mcp_server.catalogue import SET_NOTE, TOOLS
from memoryfield_cli.main import COMMANDS
from memoryfield_readers import memory_field

SKILL = Path(__file__).resolve().parents[2] / "agents" / "skill" / "memoryfield"
TEXTS = {path.relative_to(SKILL).as_posix(): path.read_bytes() for path in SKILL.rglob("*.md")}
TEXT = TEXTS["SKILL.md"].decode()
ALL = "\n".join(text.decode() for text in TEXTS.values())


def frontmatter() -> dict[str, object]:
    with memory_field({"SKILL.md": TEXTS["SKILL.md"]}) as field:
        page = field.page("SKILL.md")
    assert page.frontmatter.state.value == "parsed"
    return dict(page.frontmatter.fields)


def test_frontmatter_is_what_the_format_asks_for() -> None:
    """Name, description and the optional fields, each within its bounds."""
    fields = frontmatter()
    assert set(fields) <= {"name", "description", "license", "compatibility", "metadata"}
    name, description = fields["name"], fields["description"]
    assert isinstance(name, str)
    assert isinstance(description, str)
    assert name == SKILL.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 64
    assert 0 < len(description) <= 1024
    assert "Use when" in description
    assert not re.search("[<>]", description)
    assert len(str(fields["compatibility"])) <= 500


def test_layout() -> None:
    """SKILL.md at the root and short, references one step below; each link leads there."""
    assert set(TEXTS) == {"SKILL.md", "references/command-line.md"}
    assert {path for path in SKILL.rglob("*") if path.is_file()} == {SKILL / name for name in TEXTS}
    assert TEXT.count("\n") < 100
    links = re.findall(r"\]\(([^)\s]+)\)", TEXT)
    assert links
    assert set(links) <= set(TEXTS)


def test_it_teaches_what_matters() -> None:
    """To search and then read in parallel, to cite by hash, and that pages are data."""
    for words in (
        "parallel",
        "**one** call",
        "sha256",
        "not an order",
        "Snapshots",
        "cursor",
        "stale",
    ):
        assert words in TEXT, words


def test_tools_are_those_of_the_server() -> None:
    """With arguments that they take."""
    tools = {tool.name: set(tool.takes["properties"]) for tool in (*TOOLS, SET_NOTE)}
    used = re.findall(r"\b([a-z]+_?[a-z]+)\(([^)]*)\)", re.sub(r"\]\([^)]*\)", "", TEXT))
    calls = [(name, arguments) for name, arguments in used if "=" in arguments or not arguments]
    assert {name for name, _ in calls} == set(tools)
    for name, arguments in calls:
        assert set(re.findall(r"(\w+)=", arguments)) <= tools[name], name


def test_commands_options_and_exit_codes_exist() -> None:
    """Wherever a command is written, and as the help has the codes."""
    for line in re.findall(r"`memoryfield ([^`]+)`", ALL):
        name, *words = line.split()
        assert name in COMMANDS, line
        known = set(re.findall(r"--[a-z-]+", call(name, "--help").out))
        assert {word for word in words if word.startswith("--")} <= known, line
    codes = {line[2] for line in ALL.splitlines() if re.match(r"\| \d \|", line)}
    assert codes == set("01234")


def test_commands_of_the_table_run(tmp_path: Path) -> None:
    """With what their words in capitals stand for."""
    field = folder(tmp_path / "field", {"heat.md": b"# Heat\n\nWoks conduct heat.\n"})
    kept = tmp_path / "block.txt"
    kept.write_bytes(call("snapshot", field).stdout)
    pin = call("digest", field).out.strip()
    words = {"LOCATION": str(field), "PAGE...": "heat.md", "PIN": pin, "FILE": str(kept)}
    lines = re.findall(r"\| `memoryfield ([^`]+)` \|", TEXTS["references/command-line.md"].decode())
    assert len(lines) == 7
    for line in lines:
        plain = [words.get(each, each.replace('"QUESTION"', "heat")) for each in line.split()]
        done = call(*plain)
        assert done.code == 0, (line, done.err)


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_plain(name: str) -> None:
    """Nothing hides in what a model is to obey."""
    text = TEXTS[name].decode()
    assert text.endswith("\n")
    assert click.unstyle(text) == text
    assert re.findall(r"[^\x20-\x7e\n…]", text) == []

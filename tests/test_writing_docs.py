"""What docs/writing.md shows is true: its examples run, in their order, and answer as shown."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command import Outcome, call

from memoryfield_cli.main import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "writing.md").read_text(encoding="utf-8")
OTHER_BATCHES = {
    "more.json": {"op": "add", "name": "oven.md", "text": "# The oven\n"},
    "last.json": {"op": "replace-text", "old": "30 cm", "new": "32 cm"},
}
"""The batches that are used, but not shown, each of one operation."""

WRITING = ["init", "new", "write", "edit", "rm", "mv", "apply", "recover", "pack", "unpack"]


class Example(NamedTuple):
    """A command, the exit code that its comment states, and what is shown below it."""

    line: str
    code: int
    output: str


def blocks(language: str) -> list[str]:
    """The contents of the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def examples(block: str) -> Iterator[Example]:
    """The commands of a `console` block."""
    for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = each.partition("\n")
        line, _, code = line.partition("  # exit ")
        yield Example(line, int(code or 0), output.strip())


def run(line: str) -> Outcome:
    """A line as a shell runs it: `echo TEXT |` before it, `$(memoryfield ...)` within it."""
    before, pipe, after = line.rpartition(" | ")
    typed = None
    if pipe:
        echo, text = shlex.split(before)
        assert echo == "echo"
        typed = f"{text}\n".encode()
    words = re.sub(r"\$\(memoryfield (.*?)\)", lambda m: call(*m[1].split()).out.strip(), after)
    assert words.startswith("memoryfield ")
    return call(*shlex.split(words)[1:], stdin=typed)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the examples run in, with the batches that they use."""
    [shown] = blocks("json")
    (tmp_path / "batch.json").write_text(shown)
    for name, operation in OTHER_BATCHES.items():
        (tmp_path / name).write_text(json.dumps({"version": 1, "operations": [operation]}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_examples_run_in_their_order(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each ends as stated and prints what is shown."""
    ran = 0
    for language, block in re.findall(
        r"^```(console|python)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL
    ):
        if language == "python":
            exec(compile(block, "docs/writing.md", "exec"), {})
            assert "['pan.md', 'tray.md']" in capsys.readouterr().out
            continue
        for example in examples(block):
            done = run(example.line)
            assert done.code == example.code, (example.line, done.err)
            if example.output:
                wanted = ".*".join(map(re.escape, example.output.split("…")))
                assert re.fullmatch(wanted, done.out.strip()), (example.line, done.out, done.err)
            if example.code:
                assert done.out == ""
                assert done.err.count("\n") == 1
            ran += 1
    assert ran >= 12
    assert call("validate", "--select", "MF1,MF209,MF3", "elsewhere").out.count(" valid, 6 pages")


def test_commands_and_options_exist() -> None:
    """Wherever `memoryfield WORD` or an option is named."""
    assert set(re.findall(r"\bmemoryfield ([a-z]+)\b", TEXT)) <= set(COMMANDS)
    helps = "".join(call(name, "--help").out for name in [*WRITING, "repack", "digest"])
    known = set(re.findall(r"(?<![\w-])--[a-z0-9]+(?:-[a-z0-9]+)*", helps))
    assert set(re.findall(r"(?<![\w-])--[a-z0-9]+(?:-[a-z0-9]+)*", TEXT)) <= known


def test_every_command_that_writes_is_named() -> None:
    """And so is every operation of a batch."""
    for name in [*WRITING, "repack"]:
        assert re.search(rf"`(?:memoryfield )?{name}\b|memoryfield {name}\b", TEXT), name
    rows = re.findall(r"^\| `([a-z-]+)` \| ", TEXT, re.MULTILINE)
    assert {"add", "replace", "replace-text", "remove", "rename"} <= set(rows)


def test_links_lead_somewhere() -> None:
    """A relative link leads to a file of the repository, and the README leads here."""
    for link in re.findall(
        r"\]\(([^)\s:]+)\)", re.sub(r"^```.*?^```$", "", TEXT, flags=re.M | re.S)
    ):
        assert (ROOT / "docs" / link.partition("#")[0]).exists(), link
    assert "(docs/writing.md)" in (ROOT / "README.md").read_text(encoding="utf-8")

"""What docs/notes.md shows is true: its examples run, in their order, and answer as shown."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command import Outcome, call, folder

from memoryfield_cli.main import COMMANDS
from memoryfield_notes import MOST_NOTE_BYTES, parse, render
from memoryfield_notes.opening import MOST_IN_JSON

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
FIGURES = (ROOT / "docs" / "when-is-a-file-enough.md").read_text(encoding="utf-8")
PAGES = {
    "flat-bread.md": b"---\ntitle: Flat bread\n---\nRest the dough for an hour.\n",
    "pan.md": b"---\nuuid: 0b7e2b5c-6b3a-4c64-9f0e-0d5a3c1f7a90\n---\nCast iron, 28 cm.\n",
    "salt.md": b"---\nparent: flat-bread.md\n---\nSea salt, 20 g a kilogram.\n",
}
SUBCOMMANDS = {
    "show", "set", "ls", "search", "rebuild", "export", "restore", "backup", "convert",
}  # fmt: skip


class Example(NamedTuple):
    """A command, the exit code that its comment states, and what is shown below it."""

    line: str
    code: int
    output: str


def examples(block: str) -> Iterator[Example]:
    """The commands of a `console` block."""
    for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = each.partition("\n")
        line, _, code = line.partition("  # exit ")
        yield Example(line, int(code or 0), output.strip())


def run(line: str) -> Outcome:
    """A line as a shell runs it: `echo TEXT |` before it, or `cp -r` in its place."""
    before, pipe, after = line.rpartition(" | ")
    typed = None
    if pipe:
        echo, text = shlex.split(before)
        assert echo == "echo"
        typed = f"{text}\n".encode()
    words = shlex.split(after)
    if words[:2] == ["cp", "-r"]:
        source, target = words[2:]
        shutil.copytree(source, target)
        return Outcome(0, b"", b"")
    assert words[0] == "memoryfield"
    return call(*words[1:], stdin=typed)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the examples run in, with the field that they are about."""
    folder(tmp_path / "project" / "recipes", PAGES)
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path / "notes"))
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MEMORYFIELD_LOCK", raising=False)
    return tmp_path


def test_examples_run_in_their_order(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each ends as stated and prints what is shown; every command of notes is among them."""
    ran: set[str] = set()
    for language, block in re.findall(
        r"^```(console|python)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL
    ):
        if language == "python":
            exec(compile(block, "docs/notes.md", "exec"), {})
            assert capsys.readouterr().out == "applied 3\nstale\n['flat-bread.md']\n"
            continue
        for example in examples(block):
            done = run(example.line)
            assert done.code == example.code, (example.line, done.err)
            wanted = ".*".join(map(re.escape, example.output.split("…")))
            if example.output:
                assert re.fullmatch(wanted, done.out.strip(), re.DOTALL), (example.line, done.out)
            if example.code:
                assert done.out == ""
                assert done.err.count("\n") == 1
            ran |= set(re.findall(r"^memoryfield note ([a-z]+)", example.line))
    assert ran == SUBCOMMANDS
    assert sorted(path.suffix for path in (project / "notes").iterdir()).count(".notes") == 2


def test_store_that_is_shown_is_one() -> None:
    """Byte for byte."""
    [shown] = re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert render(parse(shown.encode(), "docs/notes.md")) == shown.encode()


def test_commands_and_options_exist() -> None:
    """Wherever they are named; and each command on notes is."""
    assert set(re.findall(r"\bmemoryfield ([a-z]+)\b", TEXT)) <= set(COMMANDS)
    assert set(re.findall(r"`note ([a-z]+)\b", TEXT)) <= SUBCOMMANDS
    named = [["note", name] for name in sorted(SUBCOMMANDS)]
    helps = "".join(call(*name, "--help").out for name in [*named, ["read"], ["mcp"]])
    known = set(re.findall(r"(?<![\w-])--[a-z0-9]+(?:-[a-z0-9]+)*", helps))
    assert set(re.findall(r"(?<![\w-])--[a-z0-9]+(?:-[a-z0-9]+)*", TEXT)) <= known
    assert set(re.findall(r"\bnote ([a-z]+)", TEXT)) >= SUBCOMMANDS


def test_numbers_are_those_of_the_program() -> None:
    """The limit of a note, and from how many pages on a new store is a database."""
    assert f"{MOST_NOTE_BYTES:,} bytes" in TEXT
    assert f"{MOST_IN_JSON:,} pages" in FIGURES


@pytest.mark.parametrize("text", [TEXT, FIGURES], ids=["notes", "when-is-a-file-enough"])
def test_links_lead_somewhere(text: str) -> None:
    """A relative link leads to a file of the repository, and the README leads here."""
    links = re.findall(r"\]\(([^)\s:]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    assert links
    for link in links:
        assert (ROOT / "docs" / link.partition("#")[0]).exists(), link
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"(docs/notes.md)", "(docs/when-is-a-file-enough.md)"} <= set(
        re.findall(r"\]?(\(docs/[a-z-]+\.md\))", readme)
    )

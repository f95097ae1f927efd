"""What docs/fleet.md shows is true: its examples run in their order, its arithmetic is right."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command import FAULTY, GOOD, archive, call, folder
from tests.cli.fleet_here import here

from memoryfield_cli.main import COMMANDS
from memoryfield_fleet import KINDS
from memoryfield_fleet.cluster.running import USUAL_PER_HOST

__all__ = ["here"]

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPTION = re.compile(r"(?<![\w-])--[a-z0-9]+(?:-[a-z0-9]+)*")
OF_OTHERS = {"--host", "--port", "--nworkers", "--nthreads", "--tls-ca-file", "--figures"}
"""Options of Dask's own programs, and of the benchmark."""


class Example(NamedTuple):
    """A command, the exit code that its comment states, and what is shown below it."""

    line: str
    code: int
    output: str


def blocks(language: str) -> list[str]:
    """The contents of the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def examples() -> Iterator[Example]:
    """The commands of all `console` blocks."""
    for block in blocks("console"):
        for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = each.partition("\n")
            line, _, code = line.partition("  # exit ")
            yield Example(line, int(code or 0), output.strip())


@pytest.fixture
def fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the examples run."""
    place = tmp_path / "place"
    folder(place / "fields" / "woks", {"a.md": FAULTY})
    folder(place / "fields" / "bread", {"a.md": GOOD, "b.md": GOOD.replace(b"6aa6", b"7aa6")})
    archive(place / "fields" / "salt.memoryfield.zip", {"a.md": GOOD})
    monkeypatch.chdir(place)
    return place


@pytest.mark.usefixtures("here")
def test_examples_run_in_their_order(fields: Path) -> None:
    """Each ends as stated, and prints what is shown."""
    for example in examples():
        done = call(*shlex.split(example.line)[1:])
        assert done.code == example.code, (example.line, done.err)
        assert not done.err or "fleet" not in example.line, done.err
        wanted = ".*".join(map(re.escape, example.output.split("…")))
        assert re.fullmatch(wanted, done.out.strip(), re.DOTALL), (example.line, done.out)
    made = {path.name for path in (fields / "checked").iterdir()}
    assert made == {"results.jsonl", "totals.json", "report.html"}
    assert all(f"`{name}`" in TEXT for name in made | {"others.jsonl"})


def test_arithmetic_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    """What the last block of Python prints is what stands below it."""
    exec(compile(blocks("python")[-1], "docs/fleet.md", "exec"), {})
    assert capsys.readouterr().out == blocks("text")[-1]


def test_python_is_compiled_and_names_what_there_is() -> None:
    """The example that starts workers is run up to its last part."""
    code = blocks("python")[0]
    imports, _, rest = code.partition('if __name__ == "__main__":')
    exec(compile(imports, "docs/fleet.md", "exec"), {})
    compile(code, "docs/fleet.md", "exec")
    assert "run_fleet(" in rest


def test_commands_and_options_exist() -> None:
    """Wherever they are named; and each job is."""
    assert set(re.findall(r"\bmemoryfield ([a-z]+)\b", TEXT)) <= set(COMMANDS)
    helps = [["fleet", kind] for kind in KINDS] + [["validate"]]
    known = {option for name in helps for option in OPTION.findall(call(*name, "--help").out)}
    assert set(OPTION.findall(TEXT)) <= known | OF_OTHERS
    assert {f"`fleet {kind}`" for kind in KINDS} <= set(re.findall(r"`fleet [a-z]+`", TEXT))


def test_numbers_are_those_of_the_program() -> None:
    """How many of a host, how long, and how much memory if nobody says it."""
    text = call("fleet", "pin", "--help").out
    for number, words in (
        (f"{USUAL_PER_HOST}", f"at once: {USUAL_PER_HOST} if you say nothing"),
        ("300", "`--time-limit` (300 s)"),
        ("4G", "`--memory-limit` (4G"),
    ):
        assert words in TEXT
        assert number in text


def test_links_lead_somewhere() -> None:
    """A relative link leads to a file of the repository, and the README leads here."""
    links = re.findall(r"\]\(([^)\s:]+)\)", re.sub(r"^```.*?^```$", "", TEXT, flags=re.M | re.S))
    assert links
    for link in links:
        assert (ROOT / "docs" / link.partition("#")[0]).exists(), link
    assert "(docs/fleet.md)" in README

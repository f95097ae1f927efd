"""The adapters: ours for real, those of published commands with a stand-in for the command.

The stand-ins print what the commands were seen to print: a contract of what is parsed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from memoryfield_validator.conformance import Adapter, fixtures, read_case, run_cases

ADAPTERS = Path(str(fixtures())) / "adapters"
SECONDS = 60
STANDARD_LIBRARY = (sys.executable, "-S")  # without packages: adapters of others need none

Object: TypeAlias = dict[str, Any]
Printed: TypeAlias = tuple[int, str, str]

STAND_IN = """\
#!/bin/sh
cd "$(dirname "$0")" || exit 9
echo "$*" >> asked
echo "$HOME $XDG_CONFIG_HOME $XDG_CACHE_HOME $MEMORYFIELD_TOOL_CONFIG" >> homes
for last; do :; done
if [ "$1" = unpack ]; then mkdir "$last"; fi
if [ "$1" = lint ]; then touch "$last/written"; ls -l "$last" > listed; fi
cat "answers/$1.out"
cat "answers/$1.err" >&2
exit "$(cat "answers/$1.code")"
"""
TRACEBACK = "Traceback (most recent call last):\n  ...\nUnicodeDecodeError: cannot decode"


class Command:
    """A stand-in for a published command, its adapter, and a field to ask about."""

    def __init__(self, adapter: str, folder: Path, answers: dict[str, Printed]) -> None:
        self.adapter, self.folder, self.answers = adapter, folder, answers
        self.path = folder / "command"
        self.path.write_text(STAND_IN)
        self.path.chmod(0o755)
        self.field = folder / "given" / "field"
        self.field.mkdir(parents=True)
        (self.field / "a.md").write_text("Steel.\n")

    def ask(self, source: str = "directory", **changes: Any) -> tuple[Object, Object]:
        """What the adapter answers to hello, and to one case."""
        (self.folder / "answers").mkdir(exist_ok=True)
        for name, (code, out, err) in self.answers.items():
            for ending, text in (("code", str(code)), ("out", out), ("err", err)):
                (self.folder / "answers" / f"{name}.{ending}").write_text(text)
        path = self.field if source == "directory" else self.field / "a.md"
        case = {"type": "case", "id": "x", "kind": "field", "source": source, "path": str(path)}
        case |= {"limits": {}, "pin": None, "audit": False} | changes
        requests: list[Object] = [{"type": "hello", "version": 1}, case, {"type": "bye"}]
        adapter = [*STANDARD_LIBRARY, str(ADAPTERS / self.adapter), "--command", str(self.path)]
        hello, answer = spoken(adapter, requests)
        assert answer.pop("id") == "x"
        return hello, answer

    def result(self, source: str = "directory") -> Object:
        """What it answers to a case that it can answer."""
        answer = self.ask(source)[1]
        assert answer.keys() == {"result"}, answer
        result: Object = answer["result"]
        return result

    def asked(self) -> list[list[str]]:
        """The arguments of each start of the command."""
        return [line.split() for line in (self.folder / "asked").read_text().splitlines()]


def spoken(adapter: list[str], requests: list[Object]) -> list[Object]:
    """What an adapter answers, line by line."""
    lines = "".join(json.dumps(request) + "\n" for request in requests).encode()
    done = subprocess.run(adapter, input=lines, capture_output=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr.decode()
    return list(map(json.loads, done.stdout.splitlines()))


@pytest.fixture
def tool(tmp_path: Path) -> Command:
    answers = {
        "--schema": (0, json.dumps({"tool": "memoryfield-tool", "version": "0.5.0"}), ""),
        "connect": (0, "Connected memoryfield 't' at ...\n", "warning: contains no pages\n"),
        "validate": (0, "t: 0 errors, 0 warnings\n", ""),
        "catalog": (0, '[{"filename": "a.md", "title": "Steel", "field": "t"}]', ""),
    }
    return Command("memoryfield_tool.py", tmp_path, answers)


@pytest.fixture
def mf(tmp_path: Path) -> Command:
    answers = {
        "--version": (0, "mf 0.3.0\n", ""),
        "lint": (0, linted(), ""),
        "unpack": (0, '{"files": 1}', ""),
    }
    return Command("memoryfield_mf.py", tmp_path, answers)


def linted(*findings: tuple[str, str, str, str]) -> str:
    """What `mf lint --json` prints of findings."""
    keys = ("severity", "code", "filename", "message")
    return json.dumps({"pages": 1, "findings": [dict(zip(keys, f, strict=True)) for f in findings]})


def test_ours_answers_all_kinds_as_expected() -> None:
    ids = ["mf304-date-and-time", "mf301-never-closed", "mf603-climbs-out", "digest-known-answer"]
    ids += ["mf904-archive-fits", "mf607-page-over-the-limit", "mf313-json-values"]
    ids += ["mf801-in-frontmatter", "mf801-no-review-asked-for"]
    ids += ["mf906-one-bad-of-twenty-one", "mf906-batch-is-cut", "mf906-page-over-the-limit"]
    ids += ["mf906-review-allowed-as-a-whole", "mf907-twice", "mf908-field-not-as-expected"]
    ids += ["mf909-updated-is-renewed"]
    paths = {id: next((ADAPTERS.parent / "cases").glob(f"*/{id}.toml")) for id in ids}
    cases = [read_case(path, path.parent.name) for path in paths.values()]
    assert {case.kind for case in cases} == {"field", "archive", "page", "digest", "edit"}
    with Adapter([sys.executable, str(ADAPTERS / "memoryfield_kit.py")]) as adapter:
        outcomes = list(run_cases(cases, adapter))
        assert adapter.checked is not None
        assert {"MF304", "MF601"} <= adapter.checked
    judged = [one for one in outcomes if one.result != "skipped"]
    assert {one.case.id for one in judged} == set(ids)
    assert [
        (one.case.id, one.reason, one.differences) for one in judged if one.result != "pass"
    ] == []


def test_ours_tells_an_error_and_goes_on(tmp_path: Path) -> None:
    case: Object = {"type": "case", "kind": "field", "source": "directory"}
    case |= {"limits": {}, "pin": None, "audit": False}
    requests = [case | {"id": "x", "path": str(tmp_path / "gone")}, case | {"id": "y"}]
    requests[1]["path"] = str(tmp_path)
    first, second = spoken([sys.executable, str(ADAPTERS / "memoryfield_kit.py")], requests)
    assert first["id"] == "x"
    assert first["error"].startswith("NotFound: ")
    assert second["id"] == "y"
    assert second["result"]["verdict"] == "invalid"  # there is no page


def test_the_tool_is_asked_about_a_copy_with_a_configuration_of_its_own(tool: Command) -> None:
    hello, answer = tool.ask()
    assert (hello["name"], hello["release"]) == ("memoryfield-tool", "0.5.0")
    assert hello["profile"] == "draft-0.1"
    assert answer == {"result": {"verdict": "valid", "files": [], "pages": ["a.md"]}}
    connect, _, validate, catalog = tool.asked()
    location = Path(connect[2])
    assert not location.is_relative_to(tool.folder)
    assert validate == ["validate", "--field", connect[1]]
    assert catalog == ["catalog", "--field", connect[1], "--json"]
    for homes in map(str.split, (tool.folder / "homes").read_text().splitlines()):
        assert [Path(home).is_relative_to(location.parent) for home in homes] == [True] * 4


def test_errors_of_the_tool_count_and_warnings_do_not(tool: Command) -> None:
    (tool.field / "b.md").write_text("Steel.\n")
    tool.answers["validate"] = (
        1,
        "t/b.md: error: not valid UTF-8\nt/(field): error: field contains no pages\n"
        "t/a.md: warning: broken link: x.md\nt: 2 errors, 1 warnings\n",
        "",
    )
    assert tool.result() == {"verdict": "invalid", "files": ["b.md"], "pages": ["a.md"]}
    tool.answers["validate"] = (0, "t/a.md: warning: no\nt: 0 errors, 1 warnings\n", "")
    assert tool.result()["verdict"] == "valid"


def test_names_are_told_apart_from_messages(tool: Command) -> None:
    for name in ("a.md: error: x.md", "a\nb.md"):
        (tool.field / name).write_text("Steel.\n")
    tool.answers["validate"] = (
        1,
        "t/a\nb.md: error: filename 'a\\nb.md' must match\n"
        "t/a.md: error: x.md: error: filename 'a.md: error: x.md' must match\n"
        "t: 2 errors, 0 warnings\n",
        "",
    )
    assert tool.result()["files"] == ["a\nb.md", "a.md: error: x.md"]


def test_a_field_that_the_tool_refuses_is_invalid(tool: Command) -> None:
    refusal = "error: memoryfield t: object 'pw.md' escapes the field root\n"
    tool.answers["validate"] = (0, "", refusal)
    tool.answers["catalog"] = (0, "[]\n", refusal)
    assert tool.result() == {"verdict": "invalid", "files": ["pw.md"], "pages": []}


@pytest.mark.parametrize(
    ("name", "printed", "error"),
    [
        ("validate", (1, "", TRACEBACK), "`validate` crashed: UnicodeDecodeError: "),
        ("catalog", (1, "", TRACEBACK), "`validate` says valid, but `catalog` crashed: Unicode"),
        ("validate", (1, "", "Error: what?\n"), "`validate` counts nothing, exit code 1"),
        ("validate", (1, "t: 1 errors, 0 warnings\n", ""), "`validate` counts 1 errors and names"),
        ("catalog", (0, "No pages.\n", ""), "`validate` says valid, but `catalog` printed no JSON"),
    ],
)
def test_what_the_tool_does_not_answer_is_no_rejection(
    tool: Command, name: str, printed: Printed, error: str
) -> None:
    tool.answers[name] = printed
    answer = tool.ask()[1]
    assert answer.keys() == {"error"}
    assert answer["error"].startswith(error)


def test_the_tool_is_given_neither_archives_nor_limits_nor_reviews(tool: Command) -> None:
    assert tool.ask("archive")[1] == {"skipped": "it reads no archives"}
    assert tool.ask(limits={"entries": 3})[1] == {"skipped": "it cannot be given limits"}
    reason = "it does not review content as the standard says"
    assert tool.ask(audit=True)[1] == {"skipped": reason}
    assert {arguments[0] for arguments in tool.asked()} == {"--schema", "connect"}


def test_only_what_speaks_of_the_standard_is_taken_from_mf(mf: Command) -> None:
    hello, answer = mf.ask()
    assert (hello["name"], hello["release"]) == ("memoryfield (mf)", "0.3.0")
    assert answer == {"result": {"verdict": "valid", "files": []}}
    conventions = (
        ("error", "missing-summary", "a.md", "no summary"),
        ("error", "duplicate-uuid", "b.md", "uuid also used by a.md"),
        ("warning", "invalid-page", "c.md", "missing required 'uuid' field"),
        ("info", "spec-subdir", "sub/s.md", "page in a subdirectory"),
    )
    mf.answers["lint"] = (0, linted(*conventions), "")
    assert mf.result() == {"verdict": "valid", "files": []}
    standard = (
        ("warning", "spec-filename", "\udcff.md", "filename"),
        ("error", "spec-dates", "Z.md", "unquoted"),
        ("warning", "invalid-page", "d.md", "not UTF-8 (invalid start byte at byte 0)"),
    )
    mf.answers["lint"] = (0, linted(*conventions, *standard), "")
    assert mf.result() == {"verdict": "invalid", "files": ["Z.md", "d.md", "\ufffd.md"]}


def test_archives_are_unpacked_and_then_linted(mf: Command) -> None:
    mf.answers["lint"] = (0, linted(("warning", "spec-filename", "B.md", "filename")), "")
    assert mf.result("archive") == {"verdict": "invalid", "files": ["B.md"]}
    _, unpack, lint = mf.asked()
    assert lint[-1] == unpack[-1]
    assert Path(unpack[-2]).name == "a.md"  # the archive keeps its name


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("mf unpack: refusing archive member '../x.md': path escapes the destination", ["../x.md"]),
        ("mf unpack: File name in directory 'b.md' and header b'c.md' differ.", ["b.md"]),
        ("mf unpack: File is not a zip file", []),
    ],
)
def test_an_archive_that_mf_refuses_is_invalid(mf: Command, line: str, files: list[str]) -> None:
    mf.answers["unpack"] = (1, "", line + "\n")
    assert mf.result("archive") == {"verdict": "invalid", "files": files}


@pytest.mark.parametrize(
    ("name", "printed", "error"),
    [
        ("lint", (1, "", TRACEBACK), "`lint` crashed: UnicodeDecodeError: "),
        ("lint", (0, "nothing", ""), "`lint` exit code 0: printed no JSON"),
        ("lint", (1, "", "mf lint: no\n"), "`lint` exit code 1: mf lint: no"),
        ("unpack", (1, "", TRACEBACK), "`unpack` crashed: UnicodeDecodeError: "),
        ("unpack", (1, "", ""), "`unpack` failed without a word, exit code 1"),
    ],
)
def test_what_mf_does_not_answer_is_no_rejection(
    mf: Command, name: str, printed: Printed, error: str
) -> None:
    mf.answers[name] = printed
    answer = mf.ask("archive")[1]
    assert answer.keys() == {"error"}
    assert answer["error"].startswith(error)


def test_a_copy_keeps_links_and_fifos_and_writes_nothing_back(mf: Command) -> None:
    (mf.field / "link.md").symlink_to("../../nowhere.md")
    os.mkfifo(mf.field / "fifo.md")
    (mf.field / "sub").mkdir()
    (mf.field / "sub" / "s.md").write_text("Steel.\n")
    assert mf.result()["verdict"] == "valid"
    listed = (mf.folder / "listed").read_text()
    assert "link.md -> ../../nowhere.md" in listed
    assert re.search("^p.* fifo.md$", listed, re.MULTILINE)
    assert re.search("^d.* sub$", listed, re.MULTILINE)
    assert sorted(path.name for path in mf.field.iterdir()) == ["a.md", "fifo.md", "link.md", "sub"]


def test_a_command_that_is_not_there_is_said(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ADAPTERS / "memoryfield_mf.py"),
        "--command",
        str(tmp_path / "mf"),
    ]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=SECONDS)
    assert done.returncode == 1
    assert b"there is no command" in done.stderr

"""`memoryfield conformance`: its exit codes, its streams, and what reaches a terminal."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from tests.cli.command import Argument, Outcome, call, spawn
from tests.cli.harmless import assert_harmless
from tests.conformance.stand_ins import VALID, StandIn
from tests.conformance.suites import archive, dated, digest, field, page_case, suite_in

from memoryfield_spec import __version__

COUNTS = "4 cases, 10 inputs: 10 pass, 0 fail, 0 skipped, 0 errored"
HOSTILE = "\x1b[2J\x9b1m\u202e\u200b\r\n\x07"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of a case of each kind, one of which a stand-in that says `valid` fails."""
    return suite_in(tmp_path / "suite", dated(), archive(), page_case(), digest())


def run(suite: Path, *arguments: Argument) -> Outcome:
    """Run cases of a suite."""
    return call("conformance", "run", "--cases", suite, *arguments)


def adapter(folder: Path, answer: str = VALID, **hello: object) -> str:
    """The command of a stand-in."""
    return shlex.join(StandIn(folder, answer, **hello).command)


def test_all_pass(suite: Path) -> None:
    """Where all is well, the exit code is 0 and the counts are all there is."""
    done = run(suite)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"memoryfield-kit {__version__}, profile kit: {COUNTS}\n"


def test_sources_elsewhere(suite: Path) -> None:
    """Our own implementation can be asked by sources that are no paths on this machine."""
    sources = [word for name in ("http", "http-archive", "git") for word in ("--source", name)]
    done = run(suite, *sources)
    assert (done.code, done.err) == (0, "")
    assert "4 cases, 10 inputs: 10 pass, 0 fail" in done.out


def test_the_process_says_the_same(suite: Path, tmp_path: Path) -> None:
    """What the command decides is what the shell sees."""
    for arguments, code in (([], 0), (["--adapter", adapter(tmp_path)], 1), (["mf9"], 2)):
        done = spawn("conformance", "run", "--cases", suite, *arguments)
        assert (done.code, done.stdout) == (code, run(suite, *arguments).stdout)


def test_a_failure_is_1(suite: Path, tmp_path: Path) -> None:
    """What differs is the report, on stdout; nothing is wrong with the run itself."""
    done = run(suite, "--adapter", adapter(tmp_path))
    assert (done.code, done.err) == (1, "")
    assert 'verdict: expected "invalid", answered "valid"' in done.out
    assert done.out.endswith(
        "stand-in 7, profile kit: 4 cases, 8 inputs: 0 pass, 3 fail, 5 skipped, 0 errored\n"
    )


def test_an_error_is_1(suite: Path, tmp_path: Path) -> None:
    """An adapter that crashes has not rejected the field."""
    done = run(
        suite, "--adapter", adapter(tmp_path, "sys.exit(3)"), "--source", "directory", "MF304"
    )
    assert (done.code, done.err) == (1, "")
    assert "it ended, exit code 3" in done.out
    assert "0 fail, 0 skipped, 1 errored" in done.out


def test_nothing_put_is_1(suite: Path, tmp_path: Path) -> None:
    """Where everything is skipped, or no case has such a source, nothing has passed."""
    skipping = adapter(tmp_path, 'say({"id": id, "skipped": "no"})')
    assert run(suite, "--adapter", skipping).code == 1
    assert run(suite, "--source", "directory", "mf604").code == 1
    assert run(suite, "--source", "archive", "mf604").code == 0


def test_known_failures(suite: Path, tmp_path: Path) -> None:
    """A failure that is listed is 0, one that passes is 1, and both are told."""
    known = tmp_path / "known.toml"
    known.write_text('[mf304-dated]\nreason = "dates"\n')
    done = run(suite, "--adapter", adapter(tmp_path), "--known-failures", known)
    assert (done.code, done.err) == (0, "")
    assert "fail (known) mf304-dated from directory, archive, archive-deflated\n" in done.out
    done = run(suite, "--known-failures", known)
    assert (done.code, done.err) == (1, "")
    assert "take it off the list" in done.out
    done = run(suite, "--known-failures", known, "--source", "directory")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("3 cases, 3 inputs: 3 pass, 0 fail, 0 skipped, 0 errored\n")


def test_cases_and_sources_are_chosen(suite: Path) -> None:
    """Beginnings of ids, requirements and groups; sources may be repeated."""
    done = run(
        suite, "--format", "json", "--source", "archive", "--source", "directory", "3XX", "dig"
    )
    assert done.code == 0
    assert [(one["case"], one["source"]) for one in done.json["results"]] == [
        (id, source)
        for id in ("mf302-page", "mf304-dated", "digest-one")
        for source in ("directory", "archive")
    ]


def test_json_and_markdown(suite: Path, tmp_path: Path) -> None:
    """The report alone is on stdout, whatever came of the run."""
    command = adapter(tmp_path)
    done = run(suite, "--format", "json", "--adapter", command)
    assert (done.code, done.err) == (1, "")
    assert done.json["summary"] == {"pass": 0, "fail": 3, "skipped": 5, "errored": 0}
    assert done.json["implementation"]["name"] == "stand-in"
    done = run(suite, "--format", "markdown", "--adapter", command)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("# stand-in 7\n\n4 cases, judged by the profile kit.\n")


NOT_POSSIBLE = {
    "unknown case": (["mf999"], 2, "no case has an id or a requirement that begins with 'mf999'"),
    "unknown beside a known": (["mf304", "x\x1b"], 2, r"begins with 'x\x1b'"),
    "unknown known failure": (["--known-failures", "unknown.toml"], 2, "there is no case mf304-no"),
    "bad known failures": (["--known-failures", "bad.toml"], 2, "bad.toml: cannot be read"),
    "no known failures": (["--known-failures", "none.toml"], 2, "does not exist"),
    "unknown source": (["--source", "ftp"], 2, "'archive-deflated'"),
    "s3, and nowhere to write": (["--source", "s3"], 2, "--s3-prefix belong together"),
    "a prefix for nothing": (["--s3-prefix", "s3://b/"], 2, "--s3-prefix belong together"),
    "no prefix": (["--source", "s3", "--s3-prefix", "https://b/"], 2, "is no prefix of S3"),
    "an adapter and a server": (
        ["--adapter", "echo x", "--source", "http"],
        2,
        "an adapter is given paths alone, and not http",
    ),
    "unknown format": (["--format", "xml"], 2, "'markdown'"),
    "no patience": (["--timeout", "0"], 2, "range"),
    "patience without end": (["--timeout", "inf"], 2, "range"),
    "no command": (["--adapter", ""], 2, "the command of the adapter is empty"),
    "half a quote": (["--adapter", "python '"], 2, "is no command"),
    "no adapter": (["--adapter", "./none"], 4, "./none: it cannot be started: "),
    "no answer to hello": (
        ["--adapter", "echo x"],
        4,
        "what it is: the answer is no JSON that can be read: x (it has",
    ),
    "ends at once": (["--adapter", "sh -c 'printf \"a\\033[2J\" >&2'"], 4, r"code 0: a\x1b[2J"),
}


@pytest.mark.parametrize(("arguments", "code", "says"), NOT_POSSIBLE.values(), ids=NOT_POSSIBLE)
def test_what_cannot_be_done(
    arguments: list[str], code: int, says: str, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong usage is 2, an adapter that cannot be had is 4; it is said on stderr alone."""
    monkeypatch.chdir(suite)
    Path("unknown.toml").write_text('[mf304-no]\nreason = "x"\n')
    Path("bad.toml").write_text("[")
    done = run(suite, *arguments)
    assert (done.code, done.stdout) == (code, b"")
    assert says in done.err
    assert_harmless(done.stderr)
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", ["run", "export"])
def test_a_broken_case_is_4(command: str, suite: Path, tmp_path: Path) -> None:
    """The file is named in one line, and nothing is run or written."""
    (suite / "cases" / "3xx" / "mf305-x.toml").write_text('id = "a\\u001bb"\n')
    more = [tmp_path / "export"] if command == "export" else []
    done = call("conformance", command, "--cases", suite, *more)
    assert (done.code, done.stdout) == (4, b"")
    assert "mf305-x.toml: " in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "export").exists()


def test_no_suite(tmp_path: Path) -> None:
    """A folder without cases is 4; a folder that is not there is wrong usage."""
    done = run(tmp_path)
    assert (done.code, done.stdout) == (4, b"")
    assert "there is no case (give a folder with `cases/`)" in done.err
    assert run(tmp_path / "none").code == 2


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_an_adapter_cannot_touch_the_terminal(form: str, suite: Path, tmp_path: Path) -> None:
    """Its name, its reasons, its answers and its last words are shown harmless."""
    answer = """
    said = %r
    if id == "mf304-dated" and asked["source"] == "directory":
        say({"id": id, "result": {"verdict": said}})
    elif id == "mf304-dated":
        sys.exit(f"x{said}y")
    else:
        say({"id": id, "skipped": said})
    """
    answers = {"field": ["verdict"], "archive": ["verdict"]}
    hello = {"name": HOSTILE, "release": HOSTILE, "answers": answers}
    command = adapter(tmp_path, answer % HOSTILE, **hello)
    done = run(suite, "--adapter", command, "--format", form)
    assert done.code == 1
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    assert "1b[2J" in done.out.replace("\\[", "[")
    if form == "json":
        assert done.out.isascii()
        assert done.json["results"][0]["reason"] is not None


def test_export(suite: Path, tmp_path: Path) -> None:
    """It says what it wrote; a folder that is not empty is wrong usage, and is left alone."""
    target = tmp_path / "x" / "export"
    done = call("conformance", "export", "--cases", suite, target)
    assert (done.code, done.out, done.err) == (0, f"{target}: 4 cases, 11 files\n", "")
    assert len(json.loads((target / "expected.json").read_bytes())["cases"]) == 4
    before = sorted(target.rglob("*"))
    done = call("conformance", "export", "--cases", suite, target)
    assert (done.code, done.stdout) == (2, b"")
    assert f"{target}: is not empty" in done.err
    assert sorted(target.rglob("*")) == before


def test_lint(suite: Path) -> None:
    """Each problem is a line of the answer, their number is on stderr, and the code is 1."""
    (suite / "cases" / "3xx" / "mf304-dated.toml").rename(
        suite / "cases" / "3xx" / "\x1b\u202e.toml"
    )
    done = call("conformance", "lint", "--cases", suite)
    assert done.code == 1
    assert "mf304-dated: stands in \\x1b\\u{202e}.toml\n" in done.out
    assert done.err == f"memoryfield: {len(done.out.splitlines())} problems\n"
    assert_harmless(done.stdout)
    as_json = call("conformance", "lint", "--format", "json", "--cases", suite)
    assert (as_json.code, as_json.err) == (1, done.err)
    assert as_json.json["version"] == 1
    assert {"place": "mf304-dated", "message": "stands in \x1b\u202e.toml"} in as_json.json[
        "problems"
    ]


@pytest.mark.parametrize("name", ["run", "export", "lint"])
def test_help(name: str) -> None:
    """Each command says what it does, explains its options, and shows examples."""
    done = call("conformance", name, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.isascii()
    assert done.out.startswith(f"Usage: memoryfield conformance {name} ")
    assert re.search(rf"Examples:\n +memoryfield conformance {name}( |\n)", done.out)
    assert " --cases DIRECTORY " in done.out
    assert "Exits with" in done.out or name == "export"
    listed = call("conformance", "--help")
    assert re.search(rf"^  {name} +[A-Z]", listed.out, re.MULTILINE)


def test_no_command_is_wrong_usage() -> None:
    """`memoryfield conformance` alone shows what there is, and is 2."""
    done = spawn("conformance")
    assert (done.code, done.stdout) == (2, b"")
    assert done.err == call("conformance", "--help").out
    assert call("conformance", "judge").code == 2


def test_a_suite_may_be_anywhere(tmp_path: Path) -> None:
    """`--cases` takes the place of what is shipped, for each of the commands."""
    root = suite_in(tmp_path / "my cases", field(id="mf304-mine"))
    done = run(root, "--format", "json")
    assert {one["case"] for one in done.json["results"]} == {"mf304-mine"}
    assert call("conformance", "export", "--cases", root, tmp_path / "export").code == 0
    assert (tmp_path / "export" / "fields" / "mf304-mine" / "a.md").is_file()
    assert "mf304-mine" not in call("conformance", "lint", "--cases", root).out


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")

"""`memoryfield check-server` on servers that are good, bad, and not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, call, neutral_environment, spawn
from tests.cli.terminal import TERMINAL, written
from tests.readers.servers.http_parts import Reply
from tests.validator.served_field import ServedField, served_field

from memoryfield_spec import catalogue


@pytest.fixture
def server() -> Iterator[ServedField]:
    """A good server."""
    with served_field() as good:
        yield good


def gone(path: str, server: ServedField) -> None:
    """Answer 404 for a path from now on."""
    server.change(path, lambda request, reply: Reply(404, {}, b""))


def test_good_server(server: ServedField) -> None:
    """Exit 0, the pin on stdout, and on stderr how much was asked."""
    done = spawn("check-server", "--anon", server.root)
    assert done.code == 0, done.err
    assert done.out == (
        f"{server.root}: without errors, 4 pages, nothing to report, {server.digest}\n"
    )
    assert done.err.startswith(f"memoryfield: {server.root}: checked MF701, MF702,")
    assert done.err.rstrip().endswith(f" in {len(server.asked())} requests")


@pytest.mark.parametrize(
    ("path", "options", "code"),
    [
        ("/heat.md", [], 1),
        ("/memoryfield.zip", [], 0),
        ("/memoryfield.zip", ["--fail-on", "warning"], 1),
        ("/heat.md", ["--ignore", "MF701,MF708"], 0),
        ("/heat.md", ["--select", "MF706", "--select", "MF707"], 0),
        ("/heat.md", ["--select", "MF70"], 1),
    ],
)
def test_findings_decide_the_exit_code(
    path: str, options: list[str], code: int, server: ServedField
) -> None:
    """As with `validate`: an error fails, a warning if it is asked for, nothing that is ignored."""
    gone(path, server)
    done = call("check-server", "--anon", *options, server.root)
    assert done.code == code, done.out + done.err


def test_json_report(server: ServedField) -> None:
    """The report has the form that all reports have; paths are those that were asked for."""
    gone("/heat.md", server)
    report = call("check-server", "--anon", "--format", "json", server.root).json
    assert (report["location"], report["verdict"], report["pages"]) == (server.root, "invalid", 4)
    (finding,) = report["findings"]
    assert (finding["rule"], finding["file"], finding["line"]) == ("MF701", "heat.md", None)
    assert finding["hint"] == catalogue()["MF701"].hint


@pytest.mark.parametrize("form", ["jsonl", "sarif", "junit", "github"])
def test_other_formats(form: str, server: ServedField, tmp_path: Path) -> None:
    """Each format is there, in a file or on stdout, and names rule and path."""
    gone("/heat.md", server)
    file = tmp_path / "report"
    done = call("check-server", "--anon", "--format", f"{form}:{file}", "--format", form,
                server.root)  # fmt: skip
    assert done.code == 1
    for text in (done.out, file.read_text()):
        assert "MF701" in text
        assert "heat.md" in text


def test_several_servers(server: ServedField) -> None:
    """One that is not there leaves the others their reports; the exit code is the worst."""
    with served_field() as other:
        away = other.root
    done = call("check-server", "--anon", "--retries", "0", "--format", "json", server.root, away)
    assert done.code == 4
    assert [each["location"] for each in done.json["reports"]] == [server.root]
    assert f"memoryfield: {away}: no connection" in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--select", "MF3", "http://127.0.0.1:9/"], "on a server"),
        (["--select", "MF701", "--ignore", "MF7", "http://127.0.0.1:9/"], "nothing would be"),
        (["--ignore", "MF999", "http://127.0.0.1:9/"], "MF999"),
        (["--deadline", "0", "http://127.0.0.1:9/"], "--deadline"),
        (["--limit", "x=1", "http://127.0.0.1:9/"], "no limit named"),
        (["my-field/"], "not the address of a server"),
        (["http://127.0.0.1:9/field.zip"], "address of an archive"),
        (["http://ada:secret@127.0.0.1:9/"], "user or a password"),
        (["--option", "profile=x", "http://127.0.0.1:9/"], "has no option"),
        (["http://"], "memoryfield: http://: is no URL"),
        ([], "URL..."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_usage(arguments: list[str], says: str) -> None:
    """What cannot be meant is told with exit 2, before anybody is asked, without a password."""
    done = call("check-server", *arguments)
    assert (done.code, done.stdout.splitlines()[1:]) == (2, [])
    assert says in done.err
    assert "secret" not in done.err + done.out


def test_nobody_there() -> None:
    """Exit 4, one line, no report."""
    with served_field() as server:
        url = server.root
    done = call("check-server", "--retries", "0", url)
    assert (done.code, done.out.count("not checked")) == (4, done.out.count("\n"))
    assert f"memoryfield: {url}: no connection" in done.err


def test_time_that_is_over() -> None:
    """What was not asked in time is told, and is exit 4."""
    with served_field() as server:
        done = call("check-server", "--anon", "--deadline", "0.000001", server.root)
    assert done.code == 4
    assert "not everything was checked" in done.err


@pytest.mark.parametrize("others", [0, 1])
def test_no_verdict_where_nothing_was_judged(others: int) -> None:
    """Neither a report nor a list of rules stands for a server that could not be asked in time."""
    with served_field() as server:
        urls = [server.root, f"{server.root}x/"][: 1 + others]
        options = ["--anon", "--deadline", "0.000001", "--format", "json"]
        done = call("check-server", *options, *urls)
    assert done.code == 4
    assert done.out == ""
    assert done.err.count("not everything was checked") == len(urls)
    assert "checked MF" not in done.err


def test_only_what_was_judged_is_told(server: ServedField) -> None:
    """A rule that could not be judged keeps the others' report, and is not among the checked."""
    server.fail("/memoryfield.zip", lambda request, reply, wire: wire.end(), times=None)
    done = call("check-server", "--anon", "--retries", "0", "--select", "MF702,MF703,MF706",
                "--format", "json", server.root)  # fmt: skip
    assert (done.code, done.json["findings"]) == (4, [])
    assert f"{server.root}: checked MF702, MF706 in " in done.err


def test_validate_says_who_checks_servers(tmp_path: Path) -> None:
    """To select these rules for a field is wrong usage, with the way to go."""
    done = call("validate", "--select", "MF704", tmp_path)
    assert done.code == 2
    assert "memoryfield check-server" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_bar_stands_on_stderr_alone(server: ServedField, tmp_path: Path) -> None:
    """People at a terminal see that it goes on; the answer in a file knows nothing of it."""
    keyboard, screen = os.openpty()
    with (
        (tmp_path / "answer").open("wb") as file,
        subprocess.Popen(
            [COMMAND, "check-server", "--anon", "--format", "json", server.root],
            stdout=file,
            stderr=screen,
            env=neutral_environment() | TERMINAL,
        ),
    ):
        os.close(screen)
        seen = written(keyboard)
    assert b"Asking" in seen
    assert json.loads((tmp_path / "answer").read_bytes())["digest"] == server.digest

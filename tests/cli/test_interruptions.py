"""Whatever ends a command early, it ends without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import pytest
from tests.cli.command import (
    COMMAND,
    FAULTY,
    SECONDS,
    Outcome,
    call,
    folder,
    heed_signals,
    neutral_environment,
)
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")

MANY = 1600
BUFFERED: dict[str, dict[str, str]] = {"buffered": {}, "unbuffered": {"PYTHONUNBUFFERED": "1"}}
COMMANDS = {
    "ls": ["ls", "--long"],
    "ls as JSON": ["ls", "--format", "json"],
    "manifest": ["digest", "--manifest"],
    "validate": ["validate"],
    "validate as JSON": ["validate", "--format", "json"],
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive whose answers are larger than a pipe holds."""
    path = tmp_path_factory.mktemp("large") / "large.memoryfield.zip"
    path.write_bytes(zip_bytes(*(ZipEntry(f"page-{n:04}.md", b"x\n") for n in range(MANY))))
    return path


@pytest.fixture(params=BUFFERED)
def env(request: pytest.FixtureRequest) -> dict[str, str]:
    """With and without a buffer between the command and what it writes to."""
    return BUFFERED[request.param]


ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
"""Whether everything is tried without a buffer, too."""

WITHOUT_BUFFER = ("ls", "validate as JSON")
TALKATIVE = {
    f"{command}, {name}": (COMMANDS[command], env)
    for command in COMMANDS
    for name, env in BUFFERED.items()
    if ALL or not env or command in WITHOUT_BUFFER
}
"""Commands with much to say."""


def start(
    *arguments: str | Path, env: Mapping[str, str], group: bool = False
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=group,
        bufsize=0,  # what is read line by line leaves the rest to `rest_of`
        env=neutral_environment() | dict(env),
        preexec_fn=heed_signals,
    )


def rest_of(process: subprocess.Popen[bytes]) -> Outcome:
    """What a process still says until its end."""
    try:
        stdout, stderr = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    return Outcome(process.returncode, stdout, stderr)


@pytest.mark.parametrize("name", TALKATIVE)
def test_nobody_reads_on(name: str, large: Path) -> None:
    """With `| head -1` the command ends, says nothing, and does not claim to have been good."""
    arguments, env = TALKATIVE[name]
    with start(*arguments, large, env=env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"\n")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(SECONDS) == 1


def test_nobody_reads_at_all(env: dict[str, str], places: Path) -> None:
    """A short answer that finds its reader gone ends the same way."""
    lines = ("ls", "--help", "--version", "validate", "info", "digest", "digest --manifest")
    for line in lines if ALL or not env else lines[:3]:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [COMMAND, *line.split(), "good"],
            stdout=writer,
            stderr=subprocess.PIPE,
            env=neutral_environment() | env,
            cwd=places,
            check=False,
        )
        os.close(writer)
        assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_disk_is_full(env: dict[str, str], places: Path) -> None:
    """An answer that cannot be written is 4 and one line on stderr."""
    commands = (
        ["ls", "good"],
        ["read", "--raw", "good", "woks.md"],
        ["rules"],
        ["read", "good", "woks.md"],
        ["digest", "--manifest", "good"],
        ["validate", "good"],
        ["validate", "--format", "json", "good"],
    )
    for arguments in commands if ALL or not env else commands[:3]:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [COMMAND, *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                env=neutral_environment() | env,
                cwd=places,
                check=False,
            )
        said = b"memoryfield: stdout cannot be written: No space left on device\n"
        assert (done.returncode, done.stderr) == (4, said)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(
    "arguments", ["ls good", "read --raw good woks.md", "validate good", "ls missing", "--nope", ""]
)
def test_streams_are_closed(closed: str, arguments: str, places: Path) -> None:
    """Without stdout there is no answer, so never 0; without stderr stdout stays the answer's."""
    done = spawn_in_shell(f"exec {COMMAND} {arguments} {closed}", places)
    good = arguments not in ("ls missing", "--nope", "")
    assert b"Traceback" not in done.stderr
    if closed == "2>&-":
        assert bool(done.stdout) == good
        assert done.returncode == {"ls missing": 4, "--nope": 2, "": 2}.get(arguments, 0)
    else:
        assert (done.returncode, done.stdout) == (4, b"")
        assert done.stderr.count(b"\n") == (closed == ">&-")


def spawn_in_shell(script: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", script], cwd=cwd, env=neutral_environment(), capture_output=True, check=False
    )


@pytest.mark.parametrize("form", ["text", "json"])
def test_interrupted_by_the_keyboard(form: str, large: Path, tmp_path: Path) -> None:
    """Ctrl-C during a long validation ends it with 130 and one line."""
    first = folder(tmp_path / "first", {"x.md": FAULTY})
    missing = tmp_path / "missing"
    locations = [first, missing, *[large] * 500]  # minutes of work, of which little is done
    with start("validate", "--format", form, *locations, env={}) as process:
        assert process.stderr is not None
        assert b"missing" in process.stderr.readline()  # now it is in the midst of it
        process.send_signal(signal.SIGINT)
        done = rest_of(process)
    assert (done.code, done.err) == (130, "memoryfield: interrupted\n")
    assert ("MF304" in done.out) == (form == "text")


def test_interrupted_while_it_answers(large: Path) -> None:
    """Nor does any other command show where it was interrupted."""
    with start("ls", "--long", large, env={}) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it cannot end: the pipe holds less than it has to say
        process.send_signal(signal.SIGINT)
        done = rest_of(process)
    assert (done.code, done.err) == (130, "memoryfield: interrupted\n")


def test_interrupted_before_it_has_begun() -> None:
    """The exit code is the same while the command is still being looked for."""
    with mock.patch("memoryfield_cli.main.import_module", side_effect=KeyboardInterrupt):
        done = call("ls", "anywhere")
    assert (done.code, done.out, done.err) == (130, "", "memoryfield: interrupted\n")


def test_a_group_that_is_interrupted_speaks_with_one_voice(large: Path) -> None:
    """Ctrl-C reaches all processes of a terminal's group; only the one that was called tells."""
    with start("validate", "--jobs", "2", *[large] * 200, env={}, group=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        done = rest_of(process)
    assert (done.code, done.err) == (130, "memoryfield: interrupted\n")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_ended_from_outside_it_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    """What is temporary goes, and so do the programs that were started."""
    number = getattr(signal, name)
    with FaultyHttp() as server:
        server.fail("*", faults.silence, times=None)
        location = f"git+{server.base}/repo.git"
        with start("ls", location, env={"TMPDIR": str(tmp_path)}) as process:
            while not server.asked():
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(number)
            done = rest_of(process)
        assert (done.code, done.out, done.err) == (128 + number, "", "")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_a_complaint_that_cannot_be_written(tmp_path: Path) -> None:
    """The exit code still says that something cannot be had."""
    (tmp_path / "a.md").write_text("A")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, "serve", "--port", "0", tmp_path], stdout=subprocess.PIPE, stderr=full,
            env=neutral_environment(), timeout=SECONDS, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (4, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["-h"], ["rules"], ["ls", "-h"]])
def test_an_answer_that_cannot_be_written(arguments: list[str]) -> None:
    """On a full disk the command says so in one line, also where it has hardly started."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, env=neutral_environment(),
            timeout=SECONDS, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr == b"memoryfield: stdout cannot be written: No space left on device\n"

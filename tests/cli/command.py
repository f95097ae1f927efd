"""The `memoryfield` command as users run it, and fields to run it on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TypeAlias
from unittest import mock

import pytest

from memoryfield_cli.main import memoryfield as group
from memoryfield_cli.streams import make_ready
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

COMMAND = Path(sys.executable).with_name("memoryfield")
SECONDS = 120
"""After so long a command hangs; nothing here takes a fraction of it."""

Argument: TypeAlias = "str | bytes | Path"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: its exit code and all that it printed."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """The answer as text."""
        return self.stdout.decode()

    @property
    def err(self) -> str:
        """The complaints as text."""
        return self.stderr.decode()

    @property
    def json(self) -> Any:
        """The answer as data."""
        return json.loads(self.stdout)


def spawn(
    *arguments: Argument,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    before: Sequence[str] = (),
    user: int | None = None,
) -> Outcome:
    """Run the installed command as a process of its own.

    Arguments:
        arguments: what follows `memoryfield`.
        env: settings of the environment beside the neutral ones.
        cwd: the folder to run it in.
        before: a program that runs the command, with that program's arguments.
        user: the user and group id to run it as.
    """
    done = subprocess.run(
        [*before, COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=neutral_environment() | dict(env or {}),
        cwd=cwd,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        timeout=SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def call(
    *arguments: Argument,
    env: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    stdin: bytes | None = None,
) -> Outcome:
    """Run the command in this process, which is faster; an exception is the test's failure.

    Arguments:
        arguments: what follows `memoryfield`.
        env: settings of the environment that are not read before the command begins: not those
            of the interpreter or of its streams, which are set up already.
        encoding: that of the streams.
        stdin: what stands on stdin; None for what this process has there.
    """
    typed = sys.stdin if stdin is None else TextIOWrapper(BytesIO(stdin), encoding)
    out, err = (TextIOWrapper(BytesIO(), encoding, newline="") for _ in range(2))
    settings = neutral_environment() | {"COLUMNS": "80"} | dict(env or {})
    with (
        mock.patch.dict(os.environ, settings, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", typed),
        no_waiting(),
        pytest.raises(SystemExit) as ended,
    ):
        _begin([os.fsdecode(each) for each in arguments])
    return Outcome(int(ended.value.code or 0), *map(_content, (out, err)))


def _begin(arguments: list[str]) -> None:
    make_ready()
    group.main(arguments, prog_name="memoryfield")


@contextmanager
def no_waiting() -> Iterator[None]:
    """Let what hangs in this process fail, where the system has a clock for that."""
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _hangs(number: int, frame: FrameType | None) -> None:
    pytest.fail(f"no end after {SECONDS} seconds")


def _content(stream: TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.detach()
    assert isinstance(buffer, BytesIO)
    return buffer.getvalue()


def heed_signals() -> None:
    """For `preexec_fn`: whoever started the tests with `&` or `nohup` had signals ignored."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def neutral_environment() -> dict[str, str]:
    """The environment without what changes colours, encodings, or the interpreter's ways."""
    left_out = ("PYTHON", "LC_", "LANG", "FORCE_COLOR", "NO_COLOR", "TTY_", "COLUMNS", "LINES")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


GOOD = b"""\
---
title: Carbon Fibre Woks
created: '2026-03-01T09:00:00Z'
updated: '2026-08-22T14:30:00Z'
uuid: 6aa615f0-486f-48a7-a210-ba4f5ff18c8b
summary: Thermal properties of carbon fibre cookware.
---
Carbon fibre woks conduct heat unevenly. Source: https://example.com/
"""
"""A page in which nothing is to be found, at any level."""

FAULTY = GOOD.replace(b"'2026-03-01T09:00:00Z'", b"2026-03-01T09:00:00Z")
"""The same with one error: MF304 at line 3."""

WARNED = GOOD.replace(b"summary: Thermal", b"summary: First\nsummary: Thermal")
"""The same with one warning: MF311."""

NOTED = GOOD.replace(b"Source: https://example.com/", b"")
"""The same with one finding at level info: MF205."""

KNOWN = {"a.md": b"a\n", "b.md": b"b\n"}
KNOWN_PIN = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
"""The known answer of the standard."""


def folder(path: Path, files: Mapping[str, bytes]) -> Path:
    """Make a folder of files."""
    path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


def archive(path: Path, files: Mapping[str, bytes]) -> Path:
    """Make an archive of files."""
    entries = (ZipEntry(name, content, method=DEFLATED) for name, content in files.items())
    path.write_bytes(zip_bytes(*entries))
    return path

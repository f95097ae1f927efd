"""What all commands print alike: text, JSON, bytes, and complaints."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import click

from memoryfield_readers import MemoryfieldError, visible

_IN_FRONT = re.compile(r"^([^\S\n]*+)::", re.MULTILINE)


def on_github() -> bool:
    """Whether this is a step of GitHub Actions, where what is printed can be a command."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def no_command(text: str) -> str:
    """Text in which GitHub Actions sees no command: `::` begins one in front, `##[` anywhere."""
    if not on_github():
        return text
    return _IN_FRONT.sub(r"\1: :", text).replace("##[", "# #[")


@contextmanager
def without_commands() -> Iterator[None]:
    """In a step of GitHub Actions, let no line that is printed meanwhile be a command.

    The runner looks for commands behind blanks, too, so that marks before a line do not help. The
    word that lets it listen again is a new one each time, which no text can hold.
    """
    if not on_github():
        yield
        return
    token = secrets.token_hex(16)
    say(f"::stop-commands::{token}")
    try:
        yield
    finally:
        say(f"::{token}::")


def say(text: str, *, end: str = "\n", bold: bool = False) -> None:
    """Print text on stdout, in its own encoding: click would write UTF-8 where that is ASCII."""
    shown = click.style(text, bold=True) if bold else text
    click.echo(shown + end, file=sys.stdout, nl=False)


def print_json(answer: Any) -> None:
    """Print an answer as JSON in pure ASCII, so that any pipe or terminal carries it."""
    say(json.dumps(answer, indent=2, allow_nan=False))


def warn(text: str) -> None:
    """Print a complaint on stderr, in one line, whatever names it holds."""
    click.echo(no_command(f"memoryfield: {visible(text)}"), file=sys.stderr, err=True)


def complain(error: MemoryfieldError) -> None:
    """Print an error on stderr, in one line."""
    warn(f"{error} ({error.hint})" if error.hint else str(error))


def print_bytes(data: bytes) -> None:
    """Print bytes on stdout exactly as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def timestamp(moment: datetime | None) -> str | None:
    """A moment in UTC as RFC 3339 has it, with `Z`; None where it is not known."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")

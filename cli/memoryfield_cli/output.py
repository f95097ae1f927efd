"""What all commands print alike: text, JSON, bytes, and complaints."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime
from typing import Any

import click

from memoryfield_readers import MemoryfieldError, visible


def on_github() -> bool:
    """Whether this is a step of GitHub Actions, where what is printed can be a command."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def no_command(text: str) -> str:
    """Text in which GitHub Actions sees no command: `##[` begins one anywhere in a line."""
    return text.replace("##[", "# #[") if on_github() else text


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


def timestamp(moment: datetime) -> str:
    """A moment in UTC as RFC 3339 has it, with `Z`."""
    return moment.isoformat().replace("+00:00", "Z")

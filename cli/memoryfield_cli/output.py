"""What all commands print alike: JSON, tables of names and values, and complaints."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from memoryfield_readers import MemoryfieldError, visible


def print_json(answer: Any) -> None:
    """Print an answer as JSON in pure ASCII, so that any pipe or terminal carries it."""
    click.echo(json.dumps(answer, indent=2, allow_nan=False))


def complain(error: MemoryfieldError) -> None:
    """Print an error on stderr, in one line."""
    hint = f" ({visible(error.hint)})" if error.hint else ""
    click.echo(f"memoryfield: {visible(str(error))}{hint}", err=True)


def print_bytes(data: bytes) -> None:
    """Print bytes on stdout exactly as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def as_unicode(name: str) -> str:
    """A name that JSON can carry: bytes that are not UTF-8 become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

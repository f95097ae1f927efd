"""A question that a person answers before something is done that cannot be undone."""

from __future__ import annotations

import sys

import click

from memoryfield_readers import visible


def can_ask() -> bool:
    """Whether there is a person at a terminal who reads the question and can answer it."""
    stdin, stderr = sys.stdin, sys.stderr
    return stdin is not None and stderr is not None and stdin.isatty() and stderr.isatty()


def agreed(question: str, *, unasked: str = "--yes") -> bool:
    """Whether the person at the terminal says yes; anything else is no.

    Arguments:
        question: what is to be done, as a question. It stands on stderr: it is no answer.
        unasked: the option that does it without asking.

    Raises:
        click.UsageError: nobody is there to answer.
    """
    if not can_ask():
        raise click.UsageError(f"there is no terminal to ask on: add {unasked} if you are sure")
    click.echo(f"{visible(question)} [y/N] ", file=sys.stderr, err=True, nl=False)
    return sys.stdin.readline().strip().lower() in ("y", "yes")

"""Adapters written for a test: well behaved ones, and ones that do what no adapter should do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

HELLO: dict[str, Any] = {
    "version": 1,
    "name": "stand-in",
    "release": "7",
    "answers": {"field": ["verdict"]},
}

PATIENCE = 60.0
"""So long a test waits for what must come."""

_PROGRAM = """\
import json, os, subprocess, sys, time

def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

def say(answer):
    raw(json.dumps(answer).encode() + b"\\n")

def log(word):
    with open(LOG, "a") as file:
        file.write(f"{word}\\n")

log("start")
for line in sys.stdin:
    asked = json.loads(line)
    log(asked["type"])
    id = asked.get("id")
    if asked["type"] == "hello":
        say(HELLO)
    elif asked["type"] == "bye":
        break
    else:
"""

VALID = 'say({"id": id, "result": {"verdict": "valid"}})'
"""The answer that the case `field()` expects."""


class StandIn:
    """A program in Python that answers cases as a few lines say.

    Attributes:
        command: how to start it.
        log: a file to which it writes "start" and the type of each request.
    """

    def __init__(self, folder: Path, answer: str = VALID, **hello: Any) -> None:
        """Write it into a folder.

        Arguments:
            folder: where.
            answer: the lines that answer a case; `asked` and `id` are what is asked.
            hello: what it says of itself, beside or instead of the usual.
        """
        self.log = folder / "log"
        said = {key: value for key, value in (HELLO | hello).items() if value is not None}
        head = f"HELLO = {said!r}\nLOG = {str(self.log)!r}\n"
        path = folder / "stand in.py"
        path.write_text(head + _PROGRAM + indent(dedent(answer), " " * 8), encoding="utf-8")
        self.command = [sys.executable, "-I", "-S", str(path)]

    @property
    def heard(self) -> list[str]:
        """What it has logged."""
        return self.log.read_text().split()


def shell(answer: str, *, before: str = "") -> list[str]:
    """A program in shell, which starts at once: it says hello, reads a case, and does as told.

    Arguments:
        answer: what it does once it has read a case.
        before: what it does before it says hello.
    """
    return ["sh", "-c", f"{before}\nread x; echo '{json.dumps(HELLO)}'; read x; {answer}"]

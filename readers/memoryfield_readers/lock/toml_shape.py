"""A look at a TOML text before it is parsed: what would take a parser too long is refused.

The parser of Python nests calls for nested values, and takes time and memory with the square of the
parts of a dotted key. This look is linear, and ends where the text stops being TOML: there the
parser ends, too.
"""

from __future__ import annotations

import re

_DEPTH = 16
"""So deep may arrays and inline tables be nested."""

_PARTS = 16
"""So many parts may a dotted key have, and so many dots a value."""

_BRACKETS = 40_000
"""So many tables and arrays may there be: each takes hundreds of bytes."""

_MARKS = 600_000
"""So many commas, equal signs and line ends: a lock file has two for each line of 70 bytes."""

_LINE = 64 * 1024
"""So long may a line be: the parser matches whole numbers with an expression that takes memory."""

_TOKEN = re.compile(
    r"""
      \#[^\n]*
    | (?P<string>
          \"{3}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"{3,5}
        | '{3}[^']*+(?:'(?!'')[^']*+)*+'{3,5}
      )
    | (?P<broken>\"{3}|'{3})
    | \"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+\"
    | '[^'\n]*+'
    | (?P<open>[\[{])
    | (?P<close>[]}])
    | (?P<dot>\.)
    | (?P<mark>[\n,=])
    | (?P<quote>["'])
    """,
    re.VERBOSE | re.DOTALL,
)


def shape_problem(text: str) -> str:
    """Why a text is no lock file, whatever it says, as the end of a sentence; "" for no reason."""
    if text.count("\n") > _MARKS:
        return "has too many lines"
    if any(len(line) > _LINE for line in text.split("\n")):
        return f"has a line of more than {_LINE} characters"
    depth = parts = brackets = marks = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "mark":
            marks += 1
            parts = 0
            if marks > _MARKS:
                return "has too many lines and values"
        elif kind == "open":
            depth += 1
            brackets += 1
            parts = 0
            if depth > _DEPTH:
                return f"is nested more than {_DEPTH} deep"
            if brackets > _BRACKETS:
                return "has too many tables and arrays"
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "dot":
            parts += 1
            if parts > _PARTS:
                return f"has a key of more than {_PARTS} parts"
        elif kind in ("broken", "quote"):
            return ""  # an unfinished string: the parser ends here and says so
    return ""

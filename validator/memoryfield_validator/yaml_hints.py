"""The usual causes of a block that does not parse, told from the line at fault (MF301)."""

from __future__ import annotations

import re

_KEY_AND_VALUE = re.compile(
    r"[ \t]*+(?:- )?(?P<key>[^\s:#'\"](?:[^:#]*[^\s:#])?)[ \t]*+:[ \t]++(?P<value>\S.*)"
)
_INDICATORS = {
    "@": "a plain value cannot begin with `@`",
    "`": "a plain value cannot begin with a backtick",
    "%": "a plain value cannot begin with `%`",
    "*": "`*` begins an alias",
    "&": "`&` begins an anchor",
    "!": "`!` begins a tag",
    "[": "`[` begins a list",
    "{": "`{` begins a mapping",
    "|": "`|` begins a block of lines",
    ">": "`>` begins a folded block",
}
_NO_BLANK = re.compile(r"[ ]*([A-Za-z_][A-Za-z0-9_-]*):[^\s/]")
_ANYTHING = (
    "write each field on a line of its own as `key: value`, all keys in the same column, and quote "
    "values that hold more than plain words"
)
_PLACEHOLDER = re.compile(r"\{\{|\{%|<%|\$\{")
_QUOTED = re.compile(r"""(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")\s*(?:#.*)?""")


def hint_at(text: str, line: int) -> str:
    """What to do about frontmatter that does not parse.

    Arguments:
        text: the text of the page.
        line: the line at which the parser stopped, from 1.
    """
    lines = text.split("\n", line)[:line]
    here = lines[-1].removesuffix("\r")
    before = lines[-2].removesuffix("\r") if line > 2 else ""
    return _hint_for_line(here) or _hint_for_pair(before, here) or _ANYTHING


def _hint_for_pair(before: str, here: str) -> str | None:
    """The usual causes that show at the line after the one at fault, or between the two."""
    for line in (here, before):
        if glued := _NO_BLANK.match(line):
            return f"put a blank after the colon of `{glued[1]}`"
    if _indent(here) > _indent(before) and _KEY_AND_VALUE.match(here):
        return "begin all keys in the same column"
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _hint_for_line(line: str) -> str | None:
    """What to do about a line of YAML that does not parse, or None if no usual cause is seen."""
    if line.lstrip(" ").startswith("\t"):
        return "indent with blanks: YAML does not allow tabs there"
    if "\r" in line:
        return "end each line with LF or CRLF: a CR alone ends none"
    if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
        return "resolve the merge conflict"
    match = _KEY_AND_VALUE.match(line)
    if match is None or match["key"] == "<<" or _QUOTED.fullmatch(match["value"]):
        return None
    key, value = match["key"], match["value"]
    if _PLACEHOLDER.search(value[:4]):
        return f"fill in the template's placeholder, or quote the value of `{key}`"
    if value[0] in "'\"":
        return f"the value of `{key}` begins with a quote: close it, and double the quotes within"
    if value[0] in _INDICATORS:
        return f"quote the value of `{key}`: {_INDICATORS[value[0]]}"
    if ": " in value or value.endswith(":"):
        return f"quote the value of `{key}`: it holds `: `"
    return None

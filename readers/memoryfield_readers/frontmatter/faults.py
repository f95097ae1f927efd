"""Why a block is refused, in words for its author, and where that stands (MF301, MF312)."""

from __future__ import annotations

from itertools import islice
from typing import Final

import yaml

MAX_DEPTH: Final = 32

_PLAIN_WORDS = {
    "mapping values are not allowed in this context": "a `: ` within an unquoted value",
    "found character that cannot start any token": "no plain value can begin with this character",
    "could not find expected ':'": "this is no `key: value`",
    "did not find expected key": "a key is expected here",
    "did not find expected '-' indicator": "a list item `-` is expected here",
    "did not find expected ',' or ']'": "the list that begins with `[` is not closed",
    "did not find expected ',' or '}'": "the mapping that begins with `{` is not closed",
    "block sequence entries are not allowed in this context": "a list item cannot stand here",
    "found a tab character that violates indentation": "a tab cannot be used to indent",
    "did not find expected alphabetic or numeric character": "a name is expected after `*` or `&`",
    "found unexpected end of stream": "what is opened here is never closed",
    "did not find expected <document start>": "what stands here is no part of what is before it",
}
"""What libyaml says most often, as an author would say it."""


class BlockFault(Exception):
    """The block breaks a rule, at an offset within it."""

    def __init__(self, rule: str, message: str, offset: int) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.offset = offset


def syntax_fault(error: yaml.MarkedYAMLError, block: str) -> BlockFault:
    """The parser's error as ours; what is left open is shown where it opens."""
    problem = error.problem or "not valid YAML"
    mark = error.problem_mark
    offset = mark.index if mark else 0
    if "maximum nesting depth" in problem:  # the scanner looks further ahead than our own bound
        return too_deep(_offset_of_depth(block[:offset], offset))
    open_at_end = offset >= len(block.rstrip())
    if error.context_mark is not None and (open_at_end or "could not find expected" in problem):
        offset = error.context_mark.index
    if problem not in _PLAIN_WORDS and error.context:
        problem = f"{error.context}, {problem}"
    return BlockFault("MF301", _PLAIN_WORDS.get(problem, problem), offset)


def too_deep(offset: int) -> BlockFault:
    """The fault of a block that is nested deeper than the standard allows."""
    return BlockFault("MF312", f"nested more than {MAX_DEPTH} levels deep", offset)


def forbidden_character(block: str, offset: int) -> BlockFault:
    """The fault of a character that YAML does not allow."""
    code = ord(block[offset])
    return BlockFault("MF301", f"the character U+{code:04X} is not allowed in YAML", offset)


def reader_fault(error: yaml.reader.ReaderError, block: str) -> BlockFault:
    """The fault of a character at which the parser stopped; libyaml counts in bytes."""
    offset = -1
    if isinstance(error.character, int):
        offset = block.find(chr(error.character))
    return forbidden_character(block, offset if offset >= 0 else len(block) - 1)


def lone_carriage_return(block: str) -> int:
    """The offset of the first CR that no LF follows, or -1."""
    offset = block.find("\r")
    while offset >= 0 and block[offset + 1 : offset + 2] == "\n":
        offset = block.find("\r", offset + 1)
    return offset


def _offset_of_depth(before: str, otherwise: int) -> int:
    """Where brackets, which alone nest so deep within a line, go one level too far."""
    openings = [at for at, character in enumerate(before) if character in "[{"]
    outer = 1 if openings and before[: openings[0]].strip() else 0
    return next(islice(openings, MAX_DEPTH - outer, None), otherwise)

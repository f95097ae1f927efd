"""What a plain YAML 1.1 scalar stands for: the types of the YAML 1.1 repository.

The single letters `y` and `n` are strings here, as in the parsers in common use. Timestamps keep
their source text: a reader hands out what the author wrote, never a re-formatted instant.
"""

from __future__ import annotations

import math
import re
from typing import Any

STR = "str"
INT = "int"
FLOAT = "float"
BOOL = "bool"
NULL = "null"
TIMESTAMP = "timestamp"
BINARY = "binary"
MERGE = "merge"
SEQ = "seq"
MAP = "map"

MOST_INTEGER_DIGITS = 640
"""Digits of an integer that JSON is to carry; more than these no Python is sure to print."""

WORDS: dict[str, tuple[str, bool | str | None]] = {
    spelling: (tag, value)
    for words, tag, value in (
        (("yes", "true", "on"), BOOL, True),
        (("no", "false", "off"), BOOL, False),
        (("null",), NULL, None),
    )
    for word in words
    for spelling in (word, word.capitalize(), word.upper())
} | {"~": (NULL, None), "": (NULL, None), "<<": (MERGE, "<<")}
"""Plain scalars that are no strings, numbers and timestamps aside."""

_INT = re.compile(
    r"""[-+]?(?:
        0b(?P<bin>[01_]+)
      | 0x(?P<hex>[0-9a-fA-F_]+)
      | (?P<oct>0[0-7_]+)
      | (?P<sixty>[1-9][0-9_]*(?::[0-5]?[0-9])+)
      | (?P<dec>0|[1-9][0-9_]*)
    )""",
    re.VERBOSE,
)
_FLOAT = re.compile(
    r"""\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
      | [-+]?(?:
        [0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?
      | (?P<sixty>[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)
      | \.(?P<inf>inf|Inf|INF)
    )""",
    re.VERBOSE,
)
_NAN = frozenset({".nan", ".NaN", ".NAN"})
_TIMESTAMP = re.compile(
    r"""[0-9]{4}-[0-9]{2}-[0-9]{2}
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}
        (?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
        (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?""",
    re.VERBOSE,
)
NUMBER_START = frozenset("-+.0123456789")
"""First characters of numbers and timestamps."""
_TOO_LONG_INTEGER = 10**MOST_INTEGER_DIGITS

Resolved = tuple[str, Any]


def resolve_plain(text: str) -> Resolved:
    """The type and value that YAML 1.1 gives to a plain scalar.

    Arguments:
        text: the scalar as the parser folded it.

    Returns:
        A pair of the type's short name ("str", "int", …) and the value. A value with no place in
        JSON (NaN, infinities, integers of more than 640 digits) and a timestamp is its own text.
    """
    if text[:1] in NUMBER_START:
        return _resolve_number(text)
    return WORDS.get(text) or (STR, text)


def as_explicit(tag: str, text: str) -> Resolved | None:
    """The value of a scalar whose type is given by an explicit tag, or None if it does not fit."""
    if tag in (STR, BINARY, MERGE, "value"):
        return tag, text
    found, value = resolve_plain(text)
    if found == tag:
        return tag, value
    if tag == FLOAT and found == INT:
        return FLOAT, value
    return None


def is_json(tag: str, value: object) -> bool:
    """Whether JSON can carry the scalar as what it is (MF313); timestamps count as text."""
    if tag in (INT, FLOAT):
        return not isinstance(value, str)
    return tag != BINARY


def _resolve_number(text: str) -> Resolved:
    if match := _INT.fullmatch(text):
        return INT, _integer(text, match)
    if match := _FLOAT.fullmatch(text):
        return FLOAT, _float(text, match)
    if _TIMESTAMP.fullmatch(text):
        return TIMESTAMP, text
    if text in _NAN:
        return FLOAT, text
    return STR, text


def _integer(text: str, match: re.Match[str]) -> int | str:
    kind = match.lastgroup or "dec"
    digits = match[kind].replace("_", "")
    base = {"bin": 2, "oct": 8, "hex": 16}.get(kind, 10)
    if base == 10 and len(digits) > MOST_INTEGER_DIGITS:
        return text
    try:
        value = _base_60(digits) if kind == "sixty" else int(digits, base)
    except ValueError:  # only underscores
        return text
    if value >= _TOO_LONG_INTEGER:
        return text
    return -value if text[0] == "-" else value


def _base_60(digits: str) -> int:
    value = 0
    for part in digits.split(":"):
        value = value * 60 + int(part)
    return value


def _float_base_60(digits: str) -> float:
    """Summed from the right, part by part, as other parsers do it: that decides the last bit.

    Raises:
        OverflowError: it is beyond what a float can be.
    """
    value = 0.0
    weight = 1
    for part in reversed(("0" + digits.lstrip("0:")).split(":")):
        value += float(part) * weight
        weight *= 60
    return value


def _float(text: str, match: re.Match[str]) -> float | str:
    if match["inf"]:
        return text
    plain = text.replace("_", "").lstrip("+-")
    try:
        value = _float_base_60(plain) if match["sixty"] else float(plain)
    except OverflowError:
        return text
    if math.isinf(value):
        return text
    return -value if text[0] == "-" else value

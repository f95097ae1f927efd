"""A result as a line of JSON, and back: what stands in a file may have been written by anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memoryfield_readers import as_unicode

from ..values import KINDS, Row
from .keys import key_of

VERSION = 1
"""The version of the form of a row."""

MOST_LINE_BYTES = 8 * 1024 * 1024
"""A line that is longer is no result; a worker gives less than that."""

_MOST_DEPTH = 32
_MOST_COUNT = 2**63 - 1
_MOST_SECONDS = 1e12
_KEY = re.compile(r"[0-9a-f]{64}")
_ARCHIVE_PIN = re.compile(r"sha256:[0-9a-f]{64}")
_FIELD_PIN = re.compile(r"field-sha256:[0-9a-f]{64}")
_MOST_EXIT_CODE = 255


class NoRow(Exception):
    """A line is no result: it says why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A result as it was read.

    Attributes:
        row: what it says.
        key: by what it is known again.
    """

    row: Row
    key: str


def row_facts(row: Row, mark: str) -> dict[str, Any]:
    """A row as JSON carries it (schema "fleet-row").

    Arguments:
        row: "done" or "failed".
        mark: the fingerprint of its job.
    """
    location = as_unicode(row.location)
    version = None if row.version is None else as_unicode(row.version)
    return {
        "version": VERSION,
        "job": row.job,
        "location": location,
        "field_version": version,
        "key": key_of(mark, location, version),
        "state": row.state,
        "attempts": row.attempts,
        "seconds": round(row.seconds, 3),
        "pages": row.pages,
        "bytes": row.size,
        "field_pin": row.field_pin,
        "archive_pin": row.archive_pin,
        "result": None if row.result is None else dict(row.result),
        "error": None if row.error is None else _told(row.error),
    }


def _told(error: Mapping[str, Any]) -> dict[str, Any]:
    """What stood in the way, in texts that any encoding of Unicode carries."""
    return {
        name: as_unicode(value) if isinstance(value, str) else value
        for name, value in error.items()
    }


def line_of(row: Row, mark: str) -> tuple[Row, bytes]:
    """A row as a line of pure ASCII, with its line feed; and the row that the line says.

    A result that is too long for a line could not be read again: the row is a failure then.
    """
    line = _dumped(row, mark)
    if len(line) <= MOST_LINE_BYTES:
        return row, line
    error = {
        "kind": "LimitExceeded",
        "message": f"its result has {len(line):,} bytes, more than {MOST_LINE_BYTES:,}",
        "hint": "do this field alone",
        "exit_code": 3,
    }
    failed = replace(row, state="failed", result=None, error=error)
    return failed, _dumped(failed, mark)


def _dumped(row: Row, mark: str) -> bytes:
    text = json.dumps(row_facts(row, mark), separators=(",", ":"), allow_nan=False)
    return text.encode("ascii") + b"\n"


def read_line(line: bytes) -> Kept:
    """What a line of results says.

    Arguments:
        line: with its line feed or without.

    Raises:
        NoRow: it is no row of this version, in any way.
    """
    if len(line) > MOST_LINE_BYTES:
        raise NoRow("it is too long")
    try:
        facts = json.loads(line, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise NoRow("it is no JSON text") from error
    if not isinstance(facts, dict):
        raise NoRow("it is no JSON object")
    if _int(facts.get("version")) != VERSION:
        raise NoRow("it is of another version of this form")
    if facts.keys() != _CHECKS.keys():
        raise NoRow("it has not the keys of a result")
    for name, fits in _CHECKS.items():
        if not fits(facts[name]):
            raise NoRow(f"its {name} is none")
    if (facts["state"] == "done") == (facts["result"] is None) or (facts["state"] == "failed") == (
        facts["error"] is None
    ):
        raise NoRow("it has not what its state demands")
    return Kept(_row(facts), facts["key"])


def _row(facts: Mapping[str, Any]) -> Row:
    return Row(
        job=facts["job"],
        location=facts["location"],
        version=facts["field_version"],
        state=facts["state"],
        attempts=facts["attempts"],
        seconds=float(facts["seconds"]),
        pages=facts["pages"],
        size=facts["bytes"],
        field_pin=facts["field_pin"],
        archive_pin=facts["archive_pin"],
        result=facts["result"],
        error=facts["error"],
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _int(value: Any) -> int | None:
    return value if type(value) is int else None


def is_text(value: Any) -> bool:
    """Whether a value is a text that can be written as UTF-8."""
    if not isinstance(value, str):
        return False
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 0 that 63 bits hold."""
    return type(value) is int and 0 <= value <= _MOST_COUNT


def _is_location(value: Any) -> bool:
    return is_text(value) and value != ""


def _is_duration(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= _MOST_SECONDS


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and _is_shallow(value)


def _is_shallow(value: Any) -> bool:
    """Whether values are not nested so deep that who walks through them would fail."""
    layer = [value]
    for _ in range(_MOST_DEPTH):
        inner: list[Any] = []
        for each in layer:
            if isinstance(each, dict):
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
        if not inner:
            return True
        layer = inner
    return False


def _is_error(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"kind", "message", "hint", "exit_code"}
        and is_text(value["kind"])
        and value["kind"] != ""
        and is_text(value["message"])
        and (value["hint"] is None or is_text(value["hint"]))
        and is_count(value["exit_code"])
        and value["exit_code"] <= _MOST_EXIT_CODE
    )


def _or_null(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "version": is_count,
    "job": lambda value: value in KINDS,
    "location": _is_location,
    "field_version": _or_null(is_text),
    "key": _matches(_KEY),
    "state": lambda value: value in ("done", "failed"),
    "attempts": is_count,
    "seconds": _is_duration,
    "pages": _or_null(is_count),
    "bytes": _or_null(is_count),
    "field_pin": _or_null(_matches(_FIELD_PIN)),
    "archive_pin": _or_null(_matches(_ARCHIVE_PIN)),
    "result": _or_null(_is_result),
    "error": _or_null(_is_error),
}
"""What each key of a row must be."""

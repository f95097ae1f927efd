"""What comes of one try, as the text that comes back; what it says is checked before it counts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from memoryfield_readers import (
    AccessDenied,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
    as_unicode,
    visible,
)

from ..values import Job, Row, State, Target

LONGEST_ANSWER = 4 * 1024 * 1024
"""Characters of an answer; results are cut long before."""

_LONGEST_MESSAGE = 2_000
_PINS = {
    "field_pin": re.compile("field-sha256:[0-9a-f]{64}"),
    "archive_pin": re.compile("sha256:[0-9a-f]{64}"),
    "version": re.compile("(?s).*"),
}
_STATES = ("done", "failed", "same")
_ERROR = {"kind": str, "message": str, "hint": str | None, "exit_code": int}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one try.

    Attributes:
        row: as it is if no try follows.
        passing: whether it failed for a reason that may pass.
        busy: for how many seconds whoever was asked wants to be left alone, 0.0 if that is not
            known; None if that is not the reason.
    """

    row: Row
    passing: bool = False
    busy: float | None = None


def failed(
    job: Job, target: Target, facts: Mapping[str, Any], *, passing: bool, seconds: float = 0.0
) -> Answer:
    """The answer where there is no result.

    Arguments:
        job: what was asked.
        target: of which field.
        facts: of the error, as `error_facts` and `trouble` give them.
        passing: whether it may go better the next time.
        seconds: how long it took.
    """
    row = Row(job.kind, target.location, target.version, "failed", seconds=seconds, error=facts)
    return Answer(row, passing)


def trouble(kind: str, message: str, hint: str | None = None) -> dict[str, Any]:
    """The facts of what is the fault of no field."""
    return {"kind": kind, "message": message, "hint": hint, "exit_code": 4}


def error_facts(error: MemoryfieldError) -> dict[str, Any]:
    """The facts of an error."""
    message = f"{error.entry}: {error.message}" if error.entry else error.message
    hint = None if error.hint is None else _short(error.hint)
    kind = type(error).__name__
    return {"kind": kind, "message": _short(message), "hint": hint, "exit_code": error.exit_code}


def may_pass(error: MemoryfieldError) -> bool:
    """Whether another try makes sense: what is absent or denied stays so."""
    return isinstance(error, SourceUnavailable) and not isinstance(error, NotFound | AccessDenied)


def answer_text(answer: Answer) -> str:
    """An answer as JSON, pure ASCII and on one line."""
    facts = {"row": asdict(answer.row), "passing": answer.passing, "busy": answer.busy}
    return json.dumps(facts, allow_nan=False)


def read_answer(text: object, job: Job, target: Target) -> Answer:
    """The answer of a text that came from a worker, to what it was asked.

    A text that is no answer is one that failed.
    """
    facts = _object(text)
    row = facts.get("row")
    if not isinstance(row, dict) or not _is_row(row, job, target):
        said = trouble("BadAnswer", "what came from the worker is no answer to what it was asked")
        return failed(job, target, said, passing=False)
    busy = facts.get("busy")
    return Answer(
        Row(
            job.kind,
            target.location,
            row["version"],
            cast("State", row["state"]),
            1,
            float(row["seconds"]),
            row["pages"],
            row["size"],
            row["field_pin"],
            row["archive_pin"],
            row["result"],
            row["error"],
        ),
        facts.get("passing") is True,
        float(cast("float", busy)) if _is_amount(busy) else None,
    )


def _object(text: object) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > LONGEST_ANSWER:
        return {}
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _is_row(row: dict[str, Any], job: Job, target: Target) -> bool:
    state, result, error = row.get("state"), row.get("result"), row.get("error")
    return (
        row.get("job") == job.kind
        and row.get("location") == target.location
        and state in _STATES
        and _is_amount(row.get("seconds"))
        and all(name in row and _is_text_of(row[name], form) for name, form in _PINS.items())
        and all(name in row and _is_count(row[name]) for name in ("pages", "size"))
        and (isinstance(result, dict) if state == "done" else result is None)
        and (_is_error(error) if state == "failed" else error is None)
    )


def _is_error(error: object) -> bool:
    return (
        isinstance(error, dict)
        and error.keys() == _ERROR.keys()
        and all(isinstance(error[name], kind) for name, kind in _ERROR.items())
        and error["exit_code"] in range(1, 6)
    )


def _is_text_of(value: object, form: re.Pattern[str]) -> bool:
    return value is None or (isinstance(value, str) and form.fullmatch(value) is not None)


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def _is_amount(value: object) -> bool:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return good and math.isfinite(cast("float", value)) and cast("float", value) >= 0


def _short(text: str) -> str:
    text = visible(as_unicode(text))
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"

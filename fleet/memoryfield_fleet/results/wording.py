"""What a run comes to, in the words that the page and the terminal share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_A_WHILE = 0.05
"""Seconds."""

_UNITS = ("kB", "MB", "GB", "TB")
_LEVEL_WORDS = {
    "error": ("error", "errors"),
    "warning": ("warning", "warnings"),
    "info": ("note", "notes"),
}


def headline(facts: Mapping[str, Any]) -> str:
    """The one line that says how it went.

    Arguments:
        facts: schema "fleet-totals".
    """
    fields = facts["fields"]
    parts = [counted(fields["all"], "field")]
    verdicts = facts["verdicts"]
    if verdicts is None:
        parts += [f"{count_text(fields['done'])} done"]
    else:
        good, bad = _verdict_words(facts["job"])
        parts += [f"{count_text(verdicts['valid'])} {good}"]
        parts += [f"{count_text(verdicts['invalid'])} {bad}"] if verdicts["invalid"] else []
    if fields["failed"]:
        parts += [f"{count_text(fields['failed'])} failed"]
    text = f"{parts[0]}: {', '.join(parts[1:])}"
    return text if facts["complete"] else f"{text}; broken off before its end"


def summary(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is said of all fields together: a name and a text each.

    Arguments:
        facts: schema "fleet-totals".
    """
    fields, findings, built = facts["fields"], facts["findings"], facts["index"]
    if fields["reused"]:
        yield "Known before", counted(fields["reused"], "field")
    if findings is not None:
        said = [
            f"{count_text(findings[level])} {words[findings[level] != 1]}"
            for level, words in _LEVEL_WORDS.items()
        ]
        yield "Findings", ", ".join(said)
    yield "Pages", f"{count_text(facts['pages'])} ({bytes_text(facts['bytes'])})"
    if built is not None:
        said = [
            f"{count_text(built['embedded'])} embedded",
            f"{count_text(built['cached'])} embedded before",
            f"{count_text(built['reused'])} as they were",
            f"{count_text(built['failed'])} failed",
        ]
        yield "Vectors", ", ".join(said)
    yield "Began", facts["started"]
    yield "Took", duration_text(facts["seconds"])


MOST_FINDINGS = "Most findings, errors first"
"""What is said above the fields with most findings."""


def slowest(facts: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The slowest fields that took a while: among those that took none, there is no order."""
    return [row for row in facts["slowest"] if row["seconds"] >= _A_WHILE]


def counted(count: int, what: str) -> str:
    """How many of something, in words."""
    return f"{count_text(count)} {what if count == 1 else what + 's'}"


def count_text(count: int) -> str:
    """A number with its thousands told apart."""
    return f"{count:,}"


def bytes_text(size: int) -> str:
    """A size in bytes, in the unit that suits it."""
    if size < 1000:
        return f"{size} bytes" if size != 1 else "1 byte"
    amount = float(size)
    for unit in _UNITS:
        amount /= 1000
        if amount < 999.95 or unit == _UNITS[-1]:
            return f"{amount:,.1f} {unit}"
    raise AssertionError("the last unit suits everything")


def duration_text(seconds: float) -> str:
    """A time in seconds, in the units that suit it."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _verdict_words(job: str) -> tuple[str, str]:
    """What a field is called in which no error was found, and one in which some were."""
    return ("without errors", "with errors") if job == "audit" else ("valid", "invalid")

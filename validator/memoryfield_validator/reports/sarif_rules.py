"""The requirements as rules of SARIF: what code scanning shows beside a result."""

from __future__ import annotations

import re
from typing import Any

from memoryfield_spec import Level, Requirement, catalogue

SARIF_LEVELS: dict[Level, str] = {"error": "error", "warning": "warning", "info": "note"}

_SEVERITIES: dict[Level, str] = {
    "error": "error",
    "warning": "warning",
    "info": "recommendation",
}
_WORD = re.compile("[A-Za-z0-9]+")
_FENCE = re.compile("`{3,}")

_BY_GUESS = frozenset({"MF205", "MF401"})
"""Requirements that are judged by what pages usually look like, besides the content review."""


def rules() -> list[dict[str, Any]]:
    """A rule for each requirement, in the order of the catalogue."""
    return [_rule(requirement) for requirement in catalogue().values()]


def _rule(requirement: Requirement) -> dict[str, Any]:
    guessed = requirement.id in _BY_GUESS or requirement.section == "content-review"
    return {
        "id": requirement.id,
        "name": _name(requirement.title),
        "shortDescription": {"text": requirement.title},
        "fullDescription": {"text": f"{requirement.statement} {requirement.why}"},
        "help": {"text": _text(requirement), "markdown": _markdown(requirement)},
        "defaultConfiguration": {"level": SARIF_LEVELS[requirement.level]},
        "properties": {
            "tags": ["memoryfield", requirement.section, requirement.origin],
            "precision": "medium" if guessed else "very-high",
            "problem.severity": _SEVERITIES[requirement.level],
        },
    }


def _name(title: str) -> str:
    """A title as one word, as names of rules are: "No key twice" is `NoKeyTwice`."""
    return "".join(word[0].upper() + word[1:] for word in _WORD.findall(title))


def _text(requirement: Requirement) -> str:
    return "\n\n".join(
        [
            requirement.statement,
            requirement.why,
            f"Good:\n{requirement.good.rstrip()}",
            f"Bad:\n{requirement.bad.rstrip()}",
            requirement.hint,
        ]
    )


def _markdown(requirement: Requirement) -> str:
    return "\n\n".join(
        [
            requirement.statement,
            requirement.why,
            f"Good:\n\n{_fenced(requirement.good)}",
            f"Bad:\n\n{_fenced(requirement.bad)}",
            requirement.hint,
        ]
    )


def _fenced(example: str) -> str:
    """An example as a block of code, whose fence is longer than any in it."""
    longest = max(map(len, _FENCE.findall(example)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{example.rstrip()}\n{fence}"

"""Questions to a held field, and answers as JSON (MF704, MF705)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from memoryfield_readers import EmbedderUnavailable, as_unicode

from ..answers import json_bytes, json_text
from .targets import BadTarget

if TYPE_CHECKING:
    from memoryfield_index.searching import Answer

    from ..fields import HeldField

MOST_QUESTION: Final = 2000
MOST_RESULTS: Final = 100
_MOST_FRONTMATTER: Final = 8192
_MOST_TEXT: Final = 1000
_KEPT = ("title", "summary", "uuid")


def wish(query: Mapping[str, str]) -> tuple[str, int]:
    """The question in a query, and how many results are wanted at most.

    Without `k` there are as many as there may be: each page that matches is to be found (MF705).

    Raises:
        BadTarget: the question is too long, or `k` is no number.
    """
    question = query.get("q", "")
    if len(question) > MOST_QUESTION:
        raise BadTarget(f"the question has more than {MOST_QUESTION} characters")
    text = query.get("k", str(MOST_RESULTS))
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise BadTarget("k is no number from 1 to 100")
    return question, min(int(text), MOST_RESULTS)


def ask(held: HeldField, question: str, most: int) -> Answer:
    """Search a field; by its words where what makes vectors cannot be had (MF705)."""
    from memoryfield_index.searching import Asked

    try:
        return held.search(question, Asked(most=most))
    except EmbedderUnavailable:
        return held.search(question, Asked(how="lexical", most=most))


def answer_json(held: HeldField, question: str, answer: Answer) -> bytes:
    """The answer as MF704 has it; no path of this machine is told."""
    results = []
    for hit in answer.hits:
        result = hit.as_result()
        del result["location"]
        result["field"] = held.name
        result["pin"] = held.pin
        result["sha256"] = hit.page.sha256
        result["frontmatter"] = _short(result["frontmatter"])
        results.append(result)
    return json_bytes({
        "version": 1,
        "query": as_unicode(question),
        "field": held.name,
        "pin": held.pin,
        "ranking": answer.how,
        "results": results,
    })  # fmt: skip


def _short(frontmatter: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A frontmatter, or what is most needed of one that is very long."""
    if frontmatter is None or len(json_text(frontmatter)) <= _MOST_FRONTMATTER:
        return frontmatter
    kept = {name: frontmatter.get(name) for name in _KEPT}
    return {name: value[:_MOST_TEXT] for name, value in kept.items() if isinstance(value, str)}

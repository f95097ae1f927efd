"""What is no answer: bounds beyond which a page is not shown, so that an answer can be empty.

All were measured with the questions of `eval/quality.py`; docs/searching.md shows the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryfield_spec.models import models

from .lexical import Worded

ANYTHING = 2.0
"""The largest cosine distance there is: nothing is cut off."""

LEAST_COVERAGE = 0.3
"""Words alone: a page that says less of what the question says is no answer to it."""

STRONG_COVERAGE = 0.5
"""Beside a model: only what says half of the question may speak against the model's judgement."""


def cut_off(model: str | None) -> float:
    """The cosine distance beyond which a page is no answer, if that was measured for a model."""
    known = models().get(model or "")
    return ANYTHING if known is None or not known.cut_off else known.cut_off


def fitting(ranking: Sequence[Worded], least: float) -> list[Worded]:
    """The pages that say enough of a question, and all that MF705 finds; the order is kept."""
    return [each for each in ranking if each.literal or each.coverage >= least]


def first(ranking: Sequence[Worded], most: int) -> list[Worded]:
    """So many pages at most, those that MF705 finds before others; the order is kept."""
    if len(ranking) <= most:
        return list(ranking)
    by_right = sorted(ranking, key=lambda each: not each.literal)[:most]
    chosen = {each.number for each in by_right}
    return [each for each in ranking if each.number in chosen]

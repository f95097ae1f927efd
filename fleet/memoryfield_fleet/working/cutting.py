"""Results within bounds: what is left out is counted, so that totals are right."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

MOST_RESULT = 1024 * 1024
"""Characters of a result as JSON."""

_RULES = "rules"
"""Of findings that are left out it is said how many each rule has."""


def within_bounds(result: Mapping[str, Any], most: int = MOST_RESULT) -> dict[str, Any]:
    """A result that is no longer than it may be: the ends of its longest lists are left out.

    Arguments:
        result: as JSON carries it.
        most: characters, what is said of what is left out aside.
    """
    cut = dict(result)
    if len(json.dumps(cut)) <= most:
        return cut
    lists = {name: value for name, value in cut.items() if isinstance(value, list)}
    rest = most - len(json.dumps({**cut, **{name: [] for name in lists}}))
    left_out: dict[str, Any] = {}
    # A short list is kept whole, if it is at all possible: it is not what makes the result long.
    for place, name in enumerate(sorted(lists, key=lambda name: len(lists[name]))):
        kept, used = _first(lists[name], max(0, rest) // (len(lists) - place))
        rest -= used
        cut[name] = kept
        if gone := lists[name][len(kept) :]:
            left_out[name] = len(gone)
            if name == "findings":
                left_out[_RULES] = dict(Counter(each["rule"] for each in gone))
    return {**cut, "left_out": left_out} if left_out else cut


def _first(items: list[Any], most: int) -> tuple[list[Any], int]:
    """The first of some items, and how many characters they take."""
    used = 0
    for count, item in enumerate(items):
        length = len(json.dumps(item)) + 2
        if used + length > most:
            return items[:count], used
        used += length
    return items, used

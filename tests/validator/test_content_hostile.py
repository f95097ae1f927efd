"""A review takes time in proportion to the page, whatever the page holds."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from memoryfield_validator.content_review.active_html import active_html
from memoryfield_validator.content_review.host_names import look_alikes
from memoryfield_validator.content_review.invisible import described, invisible_runs
from memoryfield_validator.content_review.patterns import LISTS, Pattern, passages, pattern_list

PATTERNS = [pattern for name in LISTS for pattern in pattern_list(name).patterns]
MOST_REPEATS = 4000
SHORT = 24 * 1024
TIMES_AS_LONG = 4
"""A page so many times as long takes so many times as long, or, by the square, 16 times."""

HOSTILE = {
    "invisible": ("\ufe0f\u200d", "\U0001f3f4\U000e0067", "a\u200d"),
    "active_html": ('<a x="', "<a x='", "<a b=\"' ", "<!--", "<!-->", "<a\n\n", "[x](data:x)\n"),
    "host_names": ("http://\u0430", "http://xn--a.", "a://x.", "%://%41"),
    "model_orders": ("ignore all previous ", "do not tell the user ", "system: ", "never "),
    "data_exits": (
        "](https://a?b=",
        "curl ",
        "zip ",
        "find ",
        "curl -d ",
        "cat a | ",
        "send the your memory ",
    ),
    "secrets": (
        "://a:b",
        "-----BEGIN PRIVATE " + "KEY-----\n",
        "password='a1",
        "eyJaaaaaaaaaa.",
        "\u2009ghp_\u0301",
        "\x1b[1\x00",
    ),
}
_TOKEN = re.compile(
    r"\\.|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|\(\?P<\w+>|\(\?<?[!=:]|\(\?-?[a-z]+:"
    r"|(?P<repeat>[*+?]|\{[0-9]*,?[0-9]*\})[+?]?|.",
    re.DOTALL,
)


def _repeats(pattern: str) -> Iterator[float]:
    """The most times that each repeat in a pattern goes round; literals and classes are none."""
    for token in _TOKEN.finditer(pattern):
        repeat = token["repeat"]
        if repeat in ("*", "+"):
            yield float("inf")
        elif repeat and repeat != "?":
            yield float(repeat[1:-1].rpartition(",")[2] or "inf")


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_no_repeat_is_without_a_bound(pattern: Pattern) -> None:
    """So that a match, tried at one place, looks at a bounded part of the text."""
    assert all(most <= MOST_REPEATS for most in _repeats(pattern.regex.pattern))


@pytest.mark.parametrize(
    ("pattern", "repeats"),
    [
        (r"a(?:b(?=c*))?", [float("inf")]),
        (r"a{1,3}+(b|c{0,2}?)d{4}", [3, 2, 4]),
        (r"a{2,}b++", [float("inf"), float("inf")]),
        (r"[a*{3,}\]+](?P<x>b)\*\+(?<!c)(?-i:d)[]+]", []),
    ],
)
def test_bounds_are_seen(pattern: str, repeats: list[float]) -> None:
    """A repeat without one is told, however deep it stands, and what only looks like one is not."""
    assert re.compile(pattern)
    assert list(_repeats(pattern)) == repeats


def _review(what: str, text: str) -> None:
    if what in LISTS:
        passages(text, pattern_list(what))
    elif what == "invisible":
        for run in invisible_runs(text):
            described(run)
    elif what == "active_html":
        active_html(text, 0)
    else:
        list(look_alikes(text))


def _least_time(what: str, text: str) -> float:
    """The processor time of the quickest of some runs."""
    times = []
    for _ in range(3):
        start = time.process_time_ns()
        _review(what, text)
        times.append(time.process_time_ns() - start)
    return min(times)


@pytest.mark.parametrize(
    ("what", "unit"), [(what, unit) for what, units in HOSTILE.items() for unit in units]
)
def test_time_grows_with_the_length_alone(what: str, unit: str) -> None:
    """A page four times as long takes less than eight times as long, in the best of two trials."""
    short = unit * (SHORT // len(unit))
    ratios = (_least_time(what, short * TIMES_AS_LONG) / _least_time(what, short) for _ in range(2))
    assert any(ratio < 2 * TIMES_AS_LONG for ratio in ratios)

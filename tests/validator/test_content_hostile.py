"""A review takes time in proportion to the page, whatever the page holds."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from memoryfield_validator.content_review.patterns import LISTS, Pattern, pattern_list

PATTERNS = [pattern for name in LISTS for pattern in pattern_list(name).patterns]
MOST_REPEATS = 4000

HOSTILE = {
    "invisible": ("\ufe0f\u200d", "\U0001f3f4\U000e0067", "a\u200d"),
    "active_html": ('<a x="', "<a x='", "<a b=\"' ", "<!--", "<!-->", "<a\n\n", "[x](data:x)\n"),
    "host_names": ("http://\u0430", "http://xn--a.", "a://x.", "%://%41"),
    "model_orders": ("ignore all previous ", "do not tell the user ", "system: ", "never "),
    "data_exits": ("](https://a?b=", "curl -d ", "cat a | ", "send the your memory "),
    "secrets": ("://a:b", "-----BEGIN PRIVATE " + "KEY-----\n", "password='a1", "eyJaaaaaaaaaa."),
}
CHILD = """
import sys
from memoryfield_validator.content_review import active_html, host_names, invisible, patterns

what, unit = sys.argv[1], sys.argv[2].encode("ascii").decode("unicode_escape")
text = unit * (2**18 // len(unit))
if what in patterns.LISTS:
    patterns.passages(text, patterns.pattern_list(what))
elif what == "invisible":
    [invisible.described(run) for run in invisible.invisible_runs(text)]
elif what == "active_html":
    active_html.active_html(text, 0)
else:
    list(host_names.look_alikes(text))
"""


def _repeats(parsed: Any) -> Iterator[int]:
    """The most times that each repeat in a pattern goes round."""
    for code, argument in parsed:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield int(argument[1])
        yield from _in_argument(argument)


def _in_argument(argument: Any) -> Iterator[int]:
    if isinstance(argument, parser.SubPattern):
        yield from _repeats(argument)
    elif isinstance(argument, list | tuple):
        for each in argument:
            yield from _in_argument(each)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_no_repeat_is_without_a_bound(pattern: Pattern) -> None:
    """So that a match, tried at one place, looks at a bounded part of the text."""
    parsed = parser.parse(pattern.regex.pattern, pattern.regex.flags)
    assert all(most <= MOST_REPEATS for most in _repeats(parsed))


def test_bounds_are_seen() -> None:
    """A repeat without one is told, however deep it stands."""
    assert max(_repeats(parser.parse(r"a(?:b(?=c*))?"))) > MOST_REPEATS
    assert list(_repeats(parser.parse(r"a{1,3}+(b|c{0,2}?)"))) == [3, 2]
    assert re.match("a{1,3}+", "aa")


@pytest.mark.parametrize(
    ("what", "unit"), [(what, unit) for what, units in HOSTILE.items() for unit in units]
)
def test_a_long_page_is_reviewed_in_the_end(what: str, unit: str) -> None:
    """Where time grew with the square of the length, this would take hours."""
    written = unit.encode("unicode_escape").decode("ascii")
    subprocess.run([sys.executable, "-c", CHILD, what, written], check=True, timeout=300)

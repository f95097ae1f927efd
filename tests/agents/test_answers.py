"""JSON that no page can break out of."""

from __future__ import annotations

import json
import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_agents.answers import json_bytes, json_text

TEXTS = st.text(st.characters(exclude_categories=()), max_size=60)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.dates()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def as_unicode(text: str) -> str:
    """A text with U+FFFD for each lone surrogate."""
    return "".join("\ufffd" if 0xD800 <= ord(each) < 0xE000 else each for each in text)


@settings(max_examples=60)
@given(TEXTS)
def test_any_text_comes_back(text: str) -> None:
    assert json.loads(json_text(text)) == as_unicode(text)


@settings(max_examples=60)
@given(VALUES)
def test_any_value_is_one_line_of_ascii_without_markup(value: object) -> None:
    """Whatever a page, its frontmatter or a client puts there."""
    data = json_bytes(value)
    assert data.endswith(b"\n")
    text = data[:-1].decode("ascii")
    assert not {*text} & {"<", ">", "&", "\n", "\r", "\x00", "\x1b"}
    json.loads(text, parse_constant=pytest.fail)  # no NaN, no Infinity


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, None),
        (-math.inf, None),
        (10**4000, None),
        (-(2**63), -(2**63)),
        (0.1, 0.1),
        (date(2026, 1, 2), "2026-01-02"),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        ({10**5000: 1}, {"None": 1}),
        (("a", ["b"]), ["a", ["b"]]),
        ("</script><!--", "</script><!--"),
        ("\u2028\u2029\x00\x7f", "\u2028\u2029\x00\x7f"),
        ("a\udc80b", "a\ufffdb"),
        (True, True),
    ],
    ids=[
        "nan", "inf", "long", "int", "float", "date", "keys", "long-key", "tuple", "markup",
        "lines", "surrogate", "bool",
    ],
)  # fmt: skip
def test_what_json_cannot_carry(value: object, expected: object) -> None:
    assert json.loads(json_text(value)) == expected


def test_what_is_nested_without_end_is_cut_off() -> None:
    endless: list[object] = ["a"]
    endless.append(endless)
    depth = 0
    found = json.loads(json_text(endless))
    while found is not None:
        assert found[0] == "a"
        found = found[1]
        depth += 1
    assert depth == 100

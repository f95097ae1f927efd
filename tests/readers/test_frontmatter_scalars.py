"""Plain scalars mean what PyYAML's safe loader, the parser in common use, makes of them."""

from __future__ import annotations

import datetime
import math
from typing import Any

import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.readers.examples import examples

from memoryfield_readers import FrontmatterState, read_frontmatter
from memoryfield_readers.frontmatter import Scalar
from memoryfield_readers.frontmatter.scalars import resolve_plain

_REFUSED = object()


def _by_pyyaml(block: str) -> Any:
    """What the safe loader makes of the field `a`, or _REFUSED where it makes nothing of it."""
    try:
        loaded = yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, OverflowError):
        return _REFUSED
    return loaded["a"] if isinstance(loaded, dict) and loaded.keys() == {"a"} else _REFUSED


_NUMBER = r"[-+]?(0x|0b|0o|0)?[0-9a-fA-F_]{1,8}(:[0-5]?[0-9]){0,3}(\.[0-9_]{0,6})?"
_FLOAT = r"[-+]?[0-9_]{0,6}\.[0-9_]{0,6}([eE][-+]?[0-9]{1,3})?"
_TIME = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9:.]{4,10}(Z|[-+][0-9:]{1,5})?)?"
_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf")

_shapes = st.one_of(
    st.text("0123456789_.:+-eExXobBaAfFinINTZ ~=<", max_size=14),
    *(st.from_regex(form, fullmatch=True) for form in (_NUMBER, _FLOAT, _TIME)),
    st.sampled_from([form(word) for word in _WORDS for form in (str, str.upper, str.title)]),
    st.text(max_size=12),
)


@examples(500)
@given(_shapes)
@example("-.5")
@example("0_")
@example("+0_0")
@example("-0")
@example("08")
@example("1:53:56.61")
@example("0:3:20:20.17861")
@example("190:20:30")
@example("685.230_15e+03")
@example("._1")
@example("+.inf")
@example("+.nan")
@example("0b1_0")
@example("1e3")
@example("1.e+3")
@example("0:0.")
def test_a_plain_scalar_is_what_pyyaml_makes_of_it(text: str) -> None:
    """Strings, numbers, truth values and null are equal in value and type; times are their text."""
    assume(not text.strip().startswith("!"))  # that is a tag
    block = f"a: {text}\n"
    theirs = _by_pyyaml(block)
    assume(theirs is not _REFUSED)
    found = read_frontmatter(f"---\n{block}---\n")
    assume(
        found.state is FrontmatterState.PARSED or "\r" not in block
    )  # a lone CR is ours to refuse
    assert found.state is FrontmatterState.PARSED, found.error
    node, ours = found.nodes["a"], found.fields["a"]
    if isinstance(theirs, list | dict):
        return
    assert isinstance(node, Scalar)
    if isinstance(theirs, datetime.date):
        assert (node.tag, ours) == ("timestamp", node.text)
    elif isinstance(theirs, float) and not math.isfinite(theirs):
        assert (node.tag, ours) == ("float", node.text)
    else:
        assert (type(ours), ours) == (type(theirs), theirs)
        assert node.tag == {type(None): "null"}.get(type(theirs), type(theirs).__name__)


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("012", "int", 10),
        ("NO", "bool", False),
        ("1:30", "int", 90),
        ("1_000", "int", 1000),
        ("12:30:00", "int", 45_000),
        ("1.10", "float", 1.1),
        ("0x1F", "int", 31),
        ("0b11", "int", 3),
        ("-0b11", "int", -3),
        ("-1:30", "int", -90),
        ("2026", "int", 2026),
        ("on", "bool", True),
        ("Off", "bool", False),
        ("", "null", None),
        ("~", "null", None),
        ("Null", "null", None),
        ("y", "str", "y"),
        ("N", "str", "N"),
        ("yES", "str", "yES"),
        ("1e3", "str", "1e3"),
        ("08", "str", "08"),
        ("0o17", "str", "0o17"),
        ("1.0.0", "str", "1.0.0"),
        ("=", "str", "="),
        ("<<", "merge", "<<"),
        ("1" + ":00" * 150 + ".5", "float", 60.0**150),
        ("1" + ":00" * 180 + ".5", "float", "1" + ":00" * 180 + ".5"),
        ("2026-04-05", "timestamp", "2026-04-05"),
        ("2026-4-5", "str", "2026-4-5"),
        ("2026-4-5 1:02:03", "timestamp", "2026-4-5 1:02:03"),
        ("2026-04-05T01:02:03.5+01:30", "timestamp", "2026-04-05T01:02:03.5+01:30"),
        ("2026-04-05T01:02Z", "str", "2026-04-05T01:02Z"),
        ("2026-04-05T01:02:03z", "str", "2026-04-05T01:02:03z"),
        ("2026-W10-1", "str", "2026-W10-1"),
        ("١٢", "str", "١٢"),
    ],
)
def test_the_types_of_yaml(text: str, tag: str, value: Any) -> None:
    """YAML 1.1 has more spellings of numbers and truth values than people know."""
    assert resolve_plain(text) == (tag, value)
    assert type(resolve_plain(text)[1]) is type(value)


@examples(300)
@given(st.text("0123456789_:.+-", min_size=1, max_size=400), st.integers(0, 300))
def test_long_numbers_are_no_trouble(digits: str, times: int) -> None:
    """Numbers of any length are resolved, without an error and to something JSON can carry."""
    _, value = resolve_plain(digits * times)
    assert isinstance(value, str | int | float | None)
    assert not isinstance(value, float) or math.isfinite(value)

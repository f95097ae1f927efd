"""What the values of a block are: JSON always, with the place and source text of each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memoryfield_readers import Frontmatter, FrontmatterState, read_frontmatter
from memoryfield_readers.frontmatter import Mapping, Scalar, Sequence


def _parsed(block: str) -> Frontmatter:
    found = read_frontmatter(f"---\n{block}---\n")
    assert found.state is FrontmatterState.PARSED, found.error
    json.dumps(found.fields, allow_nan=False)
    return found


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("2026-04-05", "2026-04-05"),
        ("2026-04-05T01:02:03Z", "2026-04-05T01:02:03Z"),
        ("2026-04-05 01:02:03.50 +1", "2026-04-05 01:02:03.50 +1"),
        ("2026-02-30", "2026-02-30"),
        ("2026-01-01T00:00:00+99:00", "2026-01-01T00:00:00+99:00"),
        (".nan", ".nan"),
        ("-.INF", "-.INF"),
        ("1.0e+400", "1.0e+400"),
        ("9" * 4301, "9" * 4301),
        ("0x" + "f" * 4000, "0x" + "f" * 4000),
        ("0b_", "0b_"),
        ("!!binary aGk=", "aGk="),
    ],
)
def test_what_json_has_not_is_its_source_text(source: str, text: str) -> None:
    """Dates, NaN, infinities, huge integers and binary are handed out as they were written."""
    assert _parsed(f"a: {source}\n").fields == {"a": text}


def test_the_longest_integer() -> None:
    """An integer of 640 digits is one; no Python is sure to write more."""
    assert _parsed("a: " + "9" * 640 + "\n").fields == {"a": int("9" * 640)}


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("1: a\n", {"1": "a"}),
        ("true: a\n", {"true": "a"}),
        ("0x10: a\n", {"0x10": "a"}),
        ("2026-01-01: a\n", {"2026-01-01": "a"}),
        ("~: a\n", {"~": "a"}),
        ("? \n: a\n", {"": "a"}),
        ("? [b, 1]\n: a\n", {"[b, 1]": "a"}),
        ("? {c: d}\n: a\n", {"{c: d}": "a"}),
        ("=: a\n", {"=": "a"}),
    ],
)
def test_keys_are_text(block: str, fields: dict[str, Any]) -> None:
    """A key that is no string is its source text, a collection its JSON; and it is told (MF313)."""
    found = _parsed(block)
    assert found.fields == fields
    if block[0] != "=":
        assert len(list(found.not_json())) == 1


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("b: &b {x: 1, y: 2}\nc: {<<: *b, y: 3}\n", {"b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3}}),
        ("b: &b {x: 1}\nc:\n  y: 3\n  <<: *b\n", {"b": {"x": 1}, "c": {"y": 3, "x": 1}}),
        ("<<: {a: 1}\nb: 2\n", {"a": 1, "b": 2}),
        ("<<: [{a: 1}, {a: 2, b: 3}]\n", {"a": 1, "b": 3}),
        ("<<: {<<: {a: 1}, b: 2}\n", {"a": 1, "b": 2}),
        ("<<: []\na: 1\n", {"a": 1}),
        ("'<<': x\n", {"<<": "x"}),
        ("a: <<\n", {"a": "<<"}),
    ],
)
def test_merge_keys(block: str, fields: dict[str, Any]) -> None:
    """Merged keys stand behind own ones, and earlier mappings before later ones."""
    assert _parsed(block).fields == fields


def test_the_last_of_two_equal_keys_counts() -> None:
    """YAML keeps the last; both places are known (MF311)."""
    found = _parsed("uuid: a\nb: 1\nuuid: c\n")
    assert found.fields == {"uuid": "c", "b": 1}
    [collision] = found.key_collisions()
    assert (collision.earlier.start, collision.key.start) == (0, 13)


@pytest.mark.parametrize(
    ("block", "count"),
    [
        ("a: 1\nb: 2\n", 0),
        ("a: 1\na: 1\n", 1),
        ("a: 1\n'a': 1\n", 1),
        ("a: 1\na: 2\na: 3\n", 2),
        ("{1: a, true: b}\n", 1),
        ("{1: a, 1.0: b, '1': c}\n", 2),
        ("{1: a, 0x1: b}\n", 1),
        ("{0: a, false: b, no: c}\n", 2),
        ("{true: a, yes: b}\n", 1),
        ("{'true': a, yes: b}\n", 0),
        ("{null: a, ~: b}\n", 1),
        ("{2026-01-01: a, '2026-01-01': b}\n", 1),
        ("? [a]\n: 1\n? [a]\n: 2\n", 1),
        ("? {a: 1, b: 2}\n: 1\n? {b: 2, a: 1}\n: 2\n", 0),
        ("x: {a: 1, a: 2}\ny: [{b: 1, b: 2}]\n", 2),
        ("x: &x {a: 1, a: 2}\ny: *x\n", 1),
        ("? {a: 1}\n: 1\n? {a: 1}\n: 2\n", 1),
        ("<<: {a: 1}\n<<: {b: 1}\na: 2\n", 0),
    ],
)
def test_keys_that_collide(block: str, count: int) -> None:
    """Keys are the same if equal as values (so are 1, 1.0 and true) or as JSON writes them."""
    assert len(list(_parsed(block).key_collisions())) == count


@pytest.mark.parametrize(
    ("block", "starts"),
    [
        ("a: text\nb: [1, 2.5, true, null]\nc: 2026-01-01\n", []),
        ("a: .nan\nb: 1\nc: -.inf\n", [3, 16]),
        ("a: !!binary aGk=\n", [3]),
        ("a: {1: x, b: {true: y}}\n", [4, 14]),
        ("? [k]\n: .nan\n", [2, 8]),
        ("a: &a .nan\nb: *a\n", [3]),
        ("<<: {a: 1}\n", []),
        ("a: " + "9" * 4301 + "\n", [3]),
    ],
)
def test_what_json_cannot_carry(block: str, starts: list[int]) -> None:
    """Each value or key that JSON has no form for is told once, with its place and a reason."""
    found = list(_parsed(block).not_json())
    assert [each.node.start for each in found] == starts
    assert all(each.reason for each in found)


@pytest.mark.parametrize("width", ["", "é", "日本", "\U0001f600\U0001f600", "e\u0301"], ids=ascii)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_every_scalar_knows_its_source(width: str, newline: str) -> None:
    """Start and end are code points of the block, quotes, anchors and tags included."""
    lines = [f"{width}k: plain {width} text", f"q: 'qu{width}oted'", f'd: "d{width}"', "n: 012",
             f"a: &anchor x{width}", f"t: !!str y{width}", f"l: [{width}z, 'w']",
             f"e: '{width}'"]  # fmt: skip
    block = newline.join(lines) + newline
    found = read_frontmatter(f"---{newline}{block}---{newline}")
    assert found.source == block
    sources = {
        name: found.source[node.start : node.end]
        for name, node in found.nodes.items()
        if isinstance(node, Scalar)
    }
    assert sources == {
        f"{width}k": f"plain {width} text", "q": f"'qu{width}oted'", "d": f'"d{width}"',
        "n": "012", "a": f"&anchor x{width}", "t": f"!!str y{width}", "e": f"'{width}'",
    }  # fmt: skip
    items = found.nodes["l"]
    assert isinstance(items, Sequence)
    assert [block[item.start : item.end] for item in items.items] == [f"{width}z", "'w'"]
    assert block[items.start : items.end] == f"[{width}z, 'w']"


def test_scalars_know_style_tag_and_anchor() -> None:
    """Quoted and plain scalars, anchors and types are told apart."""
    found = _parsed("a: 'x'\nb: \"x\"\nc: x\nd: |\n  x\ne: >\n  x\nf: &n 12\ng: '12'\nh: ! 12\n")
    scalars = [node for node in found.nodes.values() if isinstance(node, Scalar)]
    assert [scalar.style for scalar in scalars] == ["'", '"', "", "|", ">", "", "'", ""]
    assert [scalar.tag for scalar in scalars[5:]] == ["int", "str", "str"]
    assert [scalar.anchor for scalar in scalars[4:6]] == [None, "n"]
    assert isinstance(found.tree, Mapping)

"""The bounds of a block (MF312): depth, aliases, size and tags, each judged before it costs."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from memoryfield_readers import Frontmatter, FrontmatterState, read_frontmatter

PARSED = FrontmatterState.PARSED


def _read(block: str) -> Frontmatter:
    return read_frontmatter(f"---\n{block}---\nbody\n")


def _refused(block: str, says: str) -> tuple[int, int]:
    """The place at which a block goes beyond a bound."""
    found = _read(block)
    assert found.state is FrontmatterState.BROKEN
    assert found.error is not None
    assert found.error.rule == "MF312", found.error
    assert says in found.error.message
    assert found.fields == {}
    return found.error.position


def _flow(depth: int) -> str:
    """A mapping of this depth, in brackets."""
    return "a: " + "[" * (depth - 1) + "]" * (depth - 1) + "\n"


def _braces(depth: int) -> str:
    return "{a: " * depth + "1" + "}" * depth + "\n"


def _block(depth: int) -> str:
    """A mapping of this depth, by indentation."""
    return "".join(f"{' ' * level}a:\n" for level in range(depth - 1)) + " " * depth + "a: 1\n"


def _items(depth: int) -> str:
    """A mapping of this depth, by hyphens."""
    return "a:\n" + "- " * (depth - 1) + "x\n"


@pytest.mark.parametrize("form", [_flow, _braces, _block, _items])
def test_depth(form: object) -> None:
    """32 levels are read, 33 are not, in flow and in block form; the mapping itself is one."""
    assert callable(form)
    assert _read(form(32)).state is PARSED
    _refused(form(33), "nested more than 32 levels deep")


def test_depth_has_its_place() -> None:
    """The place is that of the collection that is one too deep."""
    assert _refused(_flow(33), "nested") == (2, 3 + 32)
    assert _refused(_block(33), "nested") == (34, 34)


@pytest.mark.parametrize("form", [_flow, _braces, _items])
@pytest.mark.parametrize("depth", [100, 1000, 10_000])
def test_any_depth_has_one_verdict(form: object, depth: int) -> None:
    """A thousand brackets are as many too many as 33: no recursion, no other error."""
    assert callable(form)
    _refused(form(depth), "nested more than 32 levels deep")


@pytest.mark.parametrize("opening", ["[", "{", "{a: ", "- ", "? ", "[[", "[{a: "])
def test_brackets_that_are_never_closed(opening: str) -> None:
    """Openings without end are refused, whichever bound or rule of syntax they meet first."""
    for count in (33, 1000, 10_000):
        found = _read("a: " + opening * count + "\n")
        assert found.state is FrontmatterState.BROKEN
        assert found.error is not None
        assert found.error.rule in ("MF301", "MF312")


def _aliases(count: int) -> str:
    return "a: &a 1\nb: [" + ", ".join(["*a"] * count) + "]\n"


def test_aliases() -> None:
    """100 aliases are read, 101 are not."""
    assert _read(_aliases(100)).fields["b"] == [1] * 100
    assert _refused(_aliases(101), "more than 100 aliases") == (3, 5 + 4 * 100)


def test_aliases_count_as_what_they_stand_for() -> None:
    """An alias of something that holds n aliases counts n + 1."""
    block = "a: &a 1\nb: &b [*a, *a, *a, *a]\nc: [{}]\n"
    assert _read(block.format(", ".join(["*b"] * 19))).state is PARSED  # 4 + 19 * 5 = 99
    assert _refused(block.format(", ".join(["*b"] * 20)), "more than 100") == (4, 5 + 4 * 19)
    assert _read(block.format(", ".join(["*b"] * 19 + ["*a"]))).state is PARSED  # 100
    _refused(block.format(", ".join(["*b"] * 19 + ["*a"] * 2)), "more than 100")


def test_aliases_count_toward_depth() -> None:
    """An alias is as deep as what it stands for."""
    for depth, state in ((30, PARSED), (31, FrontmatterState.BROKEN)):
        deep = "&a " + "[" * depth + "]" * depth
        assert _read(f"a: {deep}\nb: [*a]\n").state is state
    chain = "a0: &a0 []\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 14))
    assert _read(chain).state is PARSED  # 13 * 14 / 2 = 91 aliases


def _bomb(width: int, levels: int, form: str = "[{}]") -> str:
    """Each level is a collection of so many aliases of the one before."""
    lines = ["a0: &a0 x\n"]
    for level in range(1, levels + 1):
        items = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} {form.format(items)}\n")
    return "".join(lines)


def _merge_bomb() -> str:
    lines = ["a0: &a0 {x: 1}\n"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 30)]
    return "".join(lines)


@pytest.mark.parametrize(
    "block",
    [_bomb(9, 9), _bomb(2, 30), _bomb(60, 2), _merge_bomb(),
     "a: &a [x, x]\nb: {c: &b [*a, *a], d: &c [*b, *b], e: [" + "*c, " * 50 + "]}\n"],
    ids=["nine of nine", "two of thirty", "sixty of two", "merges", "within one mapping"],
)  # fmt: skip
def test_alias_bombs_cost_nothing(block: str) -> None:
    """A few hundred bytes that would explode when expanded are refused, in hardly any memory."""
    tracemalloc.start()
    try:
        _refused(block, "more than 100 aliases")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_the_largest_block_of_aliases_is_still_json() -> None:
    """What is let through can be written as JSON: no more than 100 times the block."""
    text = "x" * 60_000
    found = _read(f"a: &a {text}\nb: [{', '.join(['*a'] * 100)}]\n")
    assert len(json.dumps(found.fields)) < 101 * 61_000


@pytest.mark.parametrize(
    "block",
    ["a: &a [*a]\n", "a: &a {b: *a}\n", "a: &a [[[*a]]]\n", "&a a: *a\nb: &b {? *b : 1}\n",
     "&top\na: *top\n", "a: &a\n  <<: *a\n"],
)  # fmt: skip
def test_an_alias_that_contains_itself(block: str) -> None:
    """A recursive alias has no end, and is refused where it stands."""
    _refused(block, "contains itself")


def test_aliases_that_are_no_harm() -> None:
    """Anchors may be used, used again and set anew."""
    block = "a: &a {x: 1}\nb: *a\nc: &a 2\nd: *a\n? &k key\n: *k\n"
    assert _read(block).fields == {"a": {"x": 1}, "b": {"x": 1}, "c": 2, "d": 2, "key": "key"}


@pytest.mark.parametrize("letter", ["x", "é", "日", "\U0001f600"])
def test_size(letter: str) -> None:
    """65,536 bytes are read, one more is not; bytes are counted, not characters."""
    room = 65_536 - len("a: \n")
    fits = letter * (room // len(letter.encode()))
    fits += "x" * (room - len(fits.encode()))
    assert _read(f"a: {fits}\n").fields == {"a": fits}
    assert _refused(f"a: {fits}x\n", "over 65536 bytes") == (2, 1)


def test_size_comes_before_everything() -> None:
    """A block that is too large is not parsed at all, whatever else is wrong with it."""
    _refused("a: [\r\x00" + "x" * 65_536 + "\n", "over 65536 bytes")


@pytest.mark.parametrize(
    ("block", "column", "tag"),
    [
        ("a: !x y\n", 4, "!x"),
        ("a: !x\n", 4, "!x"),
        ("a: !!x y\n", 4, "!!x"),
        ("a: !!python/object/apply:os.system [x]\n", 4, "!!python/object/apply:os.system"),
        ("a: !!python/name:os.system x\n", 4, "!!python/name:os.system"),
        ("a: !<tag:example.org,2026:x> y\n", 4, "tag:example.org,2026:x"),
        ("a: !ruby/object:X {}\n", 4, "!ruby/object:X"),
        ("a: [1, !x {}]\n", 8, "!x"),
        ("!x {a: 1}\n", 1, "!x"),
        ("? !x a\n: 1\n", 3, "!x"),
    ],
)
def test_custom_tags(block: str, column: int, tag: str) -> None:
    """A tag that is none of YAML 1.1's own is refused, and nothing is made of it."""
    assert _refused(block, f"the tag {tag} is not one of") == (2, column)


@pytest.mark.parametrize("tag", ["!%ED%A0%80", "!%FF", "!%C0%80", "!!%80", "!<%ED%BF%BF>"])
def test_tags_that_are_no_text(tag: str) -> None:
    """Escapes in a tag that are not UTF-8 break the block, not the program."""
    found = _read(f"a: {tag} x\n")
    assert found.error is not None
    assert found.error.rule in ("MF301", "MF312")


def test_a_prefix_that_is_no_text() -> None:
    """Nor do those that a directive hides."""
    _refused("%TAG ! x%ED%A0%80\n--- {a: !b c}\n", "not valid UTF-8")


def test_tags_of_yaml() -> None:
    """The tags of the YAML 1.1 repository are read, whether short or long."""
    assert _read("a: !!float 3\nb: !!int 0x10\n").fields == {"a": 3, "b": 16}
    block = (
        "a: !!str 1\nb: !!int '3'\nc: !!float 3.5\nd: !!timestamp 2026-01-01\ne: !!null ''\n"
        "f: !!bool yes\ng: !!binary aGk=\nh: !!seq [1]\ni: !!map {x: 1}\nj: !!set {x, y}\n"
        "k: !!omap [x: 1]\nl: !!pairs [x: 1, x: 2]\nm: !<tag:yaml.org,2002:str> 2\n"
    )
    assert _read(block).fields == {
        "a": "1", "b": 3, "c": 3.5, "d": "2026-01-01", "e": None, "f": True, "g": "aGk=",
        "h": [1], "i": {"x": 1}, "j": {"x": None, "y": None}, "k": [{"x": 1}],
        "l": [{"x": 1}, {"x": 2}], "m": "2",
    }  # fmt: skip

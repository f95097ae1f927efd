"""Blocks that are no YAML: broken, with the rule, the line and the column of the fault."""

from __future__ import annotations

import pytest

from memoryfield_readers import FrontmatterState, read_frontmatter

# Each case: the block, then line and column in the page, and a part of the message.
MF301_CASES: dict[str, tuple[str, int, int, str]] = {
    "a colon and a blank in a value": (
        "title: Foo: bar\n",
        2,
        11,
        "a `: ` within an unquoted value",
    ),
    "the same, lines below": ("a: 1\nb: 2\nc: Foo: bar\n", 4, 7, "a `: ` within an unquoted value"),
    "an at sign": ("title: @x\n", 2, 8, "no plain value can begin with this"),
    "a back quote": ("title: `x`\n", 2, 8, "no plain value can begin with this"),
    "a per cent sign": ("title: 100\nb: %x\n", 3, 4, "no plain value can begin with this"),
    "an asterisk": ("title: *x\n", 2, 8, "the alias *x names no anchor"),
    "emphasis": ("title: *x* y\n", 2, 10, "a name is expected after `*`"),
    "text after a bracket": ("title: [WIP] x\n", 2, 14, "a key is expected here"),
    "text after a placeholder": ("title: {{ t }} x\n", 2, 16, "a key is expected here"),
    "text after a quoted string": ("x: 'a' b\n", 2, 8, "a key is expected here"),
    "an open quote": ("a: 1\nb: 'c\n", 3, 4, "what is opened here is never closed"),
    "an open double quote": ('a: "b\n', 2, 4, "what is opened here is never closed"),
    "an open bracket": ("a: [b\n", 2, 4, "the list that begins with `[` is not closed"),
    "an open brace": ("a: {b\n", 2, 4, "the mapping that begins with `{` is not closed"),
    "a tab for indentation": ("\ta: 1\n", 2, 1, "no plain value can begin with this"),
    "a line without a colon": ("a: 1\nb\nc: 2\n", 3, 1, "this is no `key: value`"),
    "less indentation": ("  a: 1\n b: 2\n", 3, 2, "no part of what is before it"),
    "more indentation": ("a: 1\n  b: 2\n", 3, 4, "a `: ` within an unquoted value"),
    "a list, then a key": ("- a\nb: 1\n", 3, 1, "a list item `-` is expected here"),
    "a list item in a value": ("a: - b\n", 2, 4, "a list item cannot stand here"),
    "a block scalar with a word": ("a: |x\n", 2, 5, "expected comment or line break"),
    "a bad escape": ('a: "\\q"\n', 2, 5, "unknown escape character"),
    "half a surrogate": ('a: "\\ud800"\n', 2, 7, "invalid Unicode character escape code"),
    "an unknown alias": ("a: &x 1\nb: *y\n", 3, 4, "the alias *y names no anchor"),
    "a second document": ("a: 1\n--- {b: 2}\n", 3, 1, "a second document begins here"),
    "two directives": ("%YAML 1.1\n%YAML 1.1\n--- {a: 1}\n", 3, 1, "duplicate %YAML"),
    "another YAML": ("%YAML 2.0\n--- {a: 1}\n", 2, 1, "incompatible YAML document"),
    "a lone CR": ("title: a\rb: c\n", 2, 9, "a carriage return without a line feed"),
    "a lone CR in CRLF": ("a: 1\r\nb: 2\r\r\n", 3, 5, "a carriage return without a line feed"),
    "a lone CR in quotes": ("a: 'b\rc'\n", 2, 6, "a carriage return without a line feed"),
    "NUL": ("a: ok\n\x00\n", 3, 1, "U+0000"),
    "a vertical tab": ("a: \x0b\n", 2, 4, "U+000B"),
    "escape": ("a: '\x1b[2J'\n", 2, 5, "U+001B"),
    "DEL": ("a: x\x7f\n", 2, 5, "U+007F"),
    "C1": ("a: 1\nb: \x9b\n", 3, 4, "U+009B"),
    "a non-character": ("a: \ufffe\n", 2, 4, "U+FFFE"),
    "a byte-order mark": ("\ufeffa: 1\n", 2, 1, "U+FEFF"),
    "a surrogate": ("a: 1\nbc: \ud800\n", 3, 5, "U+D800"),
    "a merge of a string": ("<<: x\n", 2, 5, "a merge key `<<` needs a mapping"),
    "a merge of nothing": ("a:\n  <<:\n", 3, 6, "a merge key `<<` needs a mapping"),
    "a merge of numbers": ("<<: [{a: 1}, 2]\n", 2, 14, "a merge key `<<` needs a mapping"),
    "a word as a number": ("a: !!int x\n", 2, 4, "'x' cannot be read as !!int"),
    "a word as a truth value": ("a: 1\nb: !!bool maybe\n", 3, 4, "cannot be read as !!bool"),
    "a word as a time": ("a: !!timestamp today\n", 2, 4, "cannot be read as !!timestamp"),
    "a word as null": ("a: !!null nothing\n", 2, 4, "cannot be read as !!null"),
    "a mapping as a list": ("a: !!seq {b: 1}\n", 2, 4, "a mapping cannot be read as !!seq"),
    "a list as a mapping": ("a: !!map [b]\n", 2, 4, "a sequence cannot be read as !!map"),
    "a list as text": ("a: !!str [b]\n", 2, 4, "a sequence cannot be read as !!str"),
    "text as a list": ("a: !!seq b\n", 2, 4, "'b' cannot be read as !!seq"),
}

# Characters of any width before a fault count as one column each.
WIDTHS = {
    "ASCII": "abc",
    "two bytes": "äöü",
    "three bytes": "日本語",
    "four bytes": "\U0001f600\U0001f601\U0001f602",
    "combined": "e\u0301x",
}


def _broken(text: str) -> tuple[str, int, int, str]:
    found = read_frontmatter(text)
    assert found.state is FrontmatterState.BROKEN
    assert found.error is not None
    assert found.fields == {}
    return (found.error.rule, *found.error.position, found.error.message)


@pytest.mark.parametrize(("block", "line", "column", "says"), MF301_CASES.values(), ids=MF301_CASES)
def test_the_fault_has_its_place(block: str, line: int, column: int, says: str) -> None:
    """Rule, line and column are right, counted in the page, and the message tells what is wrong."""
    text = f"---\n{block}---\nbody\n"
    rule, *place, message = _broken(text)
    assert (rule, *place) == ("MF301", line, column)
    assert says in message
    assert text[read_frontmatter(text).body_offset :] == "body\n"


@pytest.mark.parametrize(("block", "line", "column", "says"), MF301_CASES.values(), ids=MF301_CASES)
def test_the_fault_has_its_place_with_crlf(block: str, line: int, column: int, says: str) -> None:
    """CRLF in place of LF moves no fault."""
    crlf = block.replace("\r\n", "\n").replace("\n", "\r\n")
    rule, *place, _ = _broken(f"---\r\n{crlf}---\r\nbody\r\n")
    assert (rule, *place) == ("MF301", line, column)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("fault", ["'open", "@x", "*x", "\x00", "!!int x", "b: c"])
def test_columns_are_code_points(width: str, fault: str) -> None:
    """A column counts code points: not bytes, not UTF-16 units, not what is seen."""
    plain = _broken(f"---\nabc: 1\nabc: {fault}\n---\n")
    wide = _broken(f"---\n{width}: 1\n{width}: {fault}\n---\n")
    assert wide == plain


def test_every_message_is_one_line() -> None:
    """A message holds no line end and no control character, whatever the block holds."""
    for block, *_ in MF301_CASES.values():
        assert _broken(f"---\n{block}---\n")[3].isprintable()


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("title: &x bar\n", "bar"),
        ("title: C# tips # note\n", "C# tips"),
        ("title: a #b\n", "a"),
        ("title: a#b\n", "a#b"),
        ("title: ! 12\n", "12"),
        ("title: [WIP]\n", ["WIP"]),
        ("title: {{ name }}\n", {"{ name }": None}),
        ("title: ''\n", ""),
        ("title: |\n", ""),
        ('title: "a\\tb\\u00e9\\x41\\U0001F600"\n', "a\tb\xe9A\U0001f600"),
        ("title: 'it''s'\n", "it's"),
        ("title: a\n\n  b\n", "a\nb"),
        ("title:\n  a\n", "a"),
        ("title:\ta\n", "a"),
        ("? title\n: a\n", "a"),
    ],
)
def test_what_yaml_makes_of_it_silently(block: str, value: object) -> None:
    """What a parser takes without a word is what the fields hold; the validator warns."""
    assert read_frontmatter(f"---\n{block}---\n").fields == {"title": value}

"""Where a frontmatter block begins and ends, and which of three states it is in."""

from __future__ import annotations

from typing import Any

import pytest

from memoryfield_readers import FrontmatterState, Position, read_frontmatter

ABSENT, PARSED, BROKEN = FrontmatterState

# Each case: the text, its fields, its body.
PARSED_CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "the usual": ("---\ntitle: a\n---\nbody\n", {"title": "a"}, "body\n"),
    "rules in the body": (
        "---\ntitle: a\n---\nx\n---\ny: z\n", {"title": "a"}, "x\n---\ny: z\n",
    ),
    "a block in the body": ("---\na: 1\n---\n---\nb: 2\n---\n", {"a": 1}, "---\nb: 2\n---\n"),
    "closed by dots": ("---\na: 1\n...\nbody", {"a": 1}, "body"),
    "dots, then a rule": ("---\na: 1\n...\n---\nbody", {"a": 1}, "---\nbody"),
    "a rule, then dots": ("---\na: 1\n---\n...\nbody", {"a": 1}, "...\nbody"),
    "blanks after the rules": ("--- \t \na: 1\n---\t\nbody", {"a": 1}, "body"),
    "blanks after the dots": ("---\na: 1\n... \nbody", {"a": 1}, "body"),
    "CRLF": ("---\r\na: 1\r\nb: x\r\n---\r\nbody\r\n", {"a": 1, "b": "x"}, "body\r\n"),
    "CRLF, then LF": ("---\r\na: 1\n---\nbody", {"a": 1}, "body"),
    "LF, then CRLF": ("---\na: 1\r\n---\r\nbody", {"a": 1}, "body"),
    "closed at the end of the file": ("---\na: 1\n---", {"a": 1}, ""),
    "closed by dots at the end": ("---\na: 1\n...", {"a": 1}, ""),
    "closed by blanks at the end": ("---\na: 1\n---  ", {"a": 1}, ""),
    "empty": ("---\n---\nbody", {}, "body"),
    "empty, at the end": ("---\n---", {}, ""),
    "empty, CRLF": ("---\r\n---\r\nbody", {}, "body"),
    "empty, closed by dots": ("---\n...\nbody", {}, "body"),
    "an empty line": ("---\n\n---\nbody", {}, "body"),
    "blanks": ("---\n  \n\t\n \t\n---\nbody", {}, "body"),
    "a comment": ("---\n# nothing yet\n---\nbody", {}, "body"),
    "an empty body line": ("---\na: 1\n---\n\nbody", {"a": 1}, "\nbody"),
    "an indented rule": ("---\na: |\n  ---\n  b\n---\nc", {"a": "---\nb\n"}, "c"),
    "an indented rule in plain text": ("---\na: 1\n ---\n---\n", {"a": "1 ---"}, ""),
    "a rule with words": ("---\na: x\n ---b\n---\n", {"a": "x ---b"}, ""),
    "a key without value": ("---\na:\n---\n", {"a": None}, ""),
    "flow style": ("---\n{a: 1, 'b': [x, \"y\"]}\n---\n", {"a": 1, "b": ["x", "y"]}, ""),
    "a document start": ("---\n--- {a: 1}\n---\n", {"a": 1}, ""),
    "a directive": ("---\n%YAML 1.1\n--- {a: 1}\n---\n", {"a": 1}, ""),
    "several lines in one value": (
        "---\ntitle: A title that goes\n  on for\n  long\nb: 1\n---\n",
        {"title": "A title that goes on for long", "b": 1}, "",
    ),
    "a folded value": ("---\na: >-\n  b\n  c\n---\n", {"a": "b c"}, ""),
    "YAML's other line ends": ("---\na: x\u2028b: y\x85c: z\u2029d: 1\n---\n",
                               {"a": "x", "b": "y", "c": "z", "d": 1}, ""),
    "any characters": ("---\na: Z\xfcrich \U0001f600\n---\n", {"a": "Z\xfcrich \U0001f600"}, ""),
}  # fmt: skip

# Each case: the text, and whether it begins with a rule that could be taken for frontmatter.
ABSENT_CASES: dict[str, tuple[str, bool]] = {
    "nothing": ("", False),
    "a body alone": ("# A page\n", False),
    "prose between rules": ("---\n\nSome prose here.\n\n---\nmore\n", True),
    "a list between rules": ("---\n- a\n- b\n---\nx", True),
    "a quoted string between rules": ('---\n"a: b"\n---\n', True),
    "a number between rules": ("---\n42\n---\n", True),
    "an alias of YAML's null between rules": ("---\n~\n---\n", True),
    "a rule alone": ("---", True),
    "a rule and a line feed": ("---\n", True),
    "a rule and blanks": ("--- \t", True),
    "a rule and CRLF": ("---\r\n", True),
    "a rule, then prose": ("---\nSome prose.\n", True),
    "a rule, then a heading": ("---\n\n# Heading\n", True),
    "a rule, then a URL": ("---\nhttps://example.org\n", True),
    "a rule, then no key": ("---\ntitle:a\n", True),
    "a rule, then a key with a dot": ("---\na.b: 1\n", True),
    "a rule, then a key of other letters": ("---\n\xe9: 1\n", True),
    "a rule, then an indented key": ("---\n title: a\n", True),
    "a rule, then a quoted key": ('---\n"title": a\n', True),
    "a rule, then a list item": ("---\n- title: a\n", True),
    "a closing rule with words": ("---\nprose\n--- x\n", True),
    "four hyphens": ("----\na: 1\n---\n", False),
    "two hyphens": ("--\na: 1\n---\n", False),
    "an indented rule": (" ---\na: 1\n---\n", False),
    "words after the rule": ("---yaml\na: 1\n---\n", False),
    "words after the rule and a blank": ("--- yaml\na: 1\n---\n", False),
    "an empty line first": ("\n---\na: 1\n---\n", False),
    "a blank first": (" \n---\na: 1\n---\n", False),
    "a second byte-order mark": ("\ufeff---\na: 1\n---\n", False),
    "a no-break space after the rule": ("---\xa0\na: 1\n---\n", False),
    "a form feed after the rule": ("---\x0c\na: 1\n---\n", False),
    "a lone CR after the rule": ("---\ra: 1\r---\r", False),
    "dots for a beginning": ("...\na: 1\n---\n", False),
    "pluses": ("+++\na = 1\n+++\n", False),
    "another line end": ("---\u2028a: 1\u2028---\u2028", False),
}

# Never closed, but a key follows: the whole text is body.
UNCLOSED_CASES = (
    "---\ntitle: a\n",
    "---\ntitle: a",
    "---\ntitle:\n",
    "---\ntitle:",
    "---\ntitle : a\n",
    "---\r\ntitle: a\r\nb\r\n",
    "---\n\n  \n# comment\n  # comment\ntitle: a\nprose\n",
    "---\n_a-B9: x\n",
    "---\nprose: with a colon\n",
    "---\ntitle: a\n ---\n",
    "---\ntitle: a\n---b\n",
    "---\ntitle: a\n----\n",
    "---\ntitle: a\n--\n",
    "---\ntitle: a\n....\n",
    "---\ntitle: a\n---\r",
    "---\ntitle: a\u2028---\u2028",
)


@pytest.mark.parametrize(("text", "fields", "body"), PARSED_CASES.values(), ids=PARSED_CASES)
def test_parsed(text: str, fields: dict[str, Any], body: str) -> None:
    """A block that holds a mapping, or nothing, is parsed; the rest is body."""
    found = read_frontmatter(text)
    assert (found.state, found.error, found.rule_taken) == (PARSED, None, False)
    assert found.fields == fields
    assert text[found.body_offset :] == body
    assert text[found.offset :].startswith(found.source)


@pytest.mark.parametrize(("text", "rule"), ABSENT_CASES.values(), ids=ABSENT_CASES)
def test_absent(text: str, rule: bool) -> None:
    """Without a block, or where it is a Markdown rule, the whole text is body."""
    found = read_frontmatter(text)
    assert (found.state, found.error, found.rule_taken) == (ABSENT, None, rule)
    assert (found.fields, found.body_offset, found.source) == ({}, 0, "")


@pytest.mark.parametrize("text", UNCLOSED_CASES, ids=ascii)
def test_never_closed(text: str) -> None:
    """A block that is opened, begins with a key and is never closed is broken, and all body."""
    found = read_frontmatter(text)
    assert found.state is BROKEN
    assert found.error is not None
    assert (found.error.rule, found.error.position) == ("MF301", Position(1, 1))
    assert (found.fields, found.body_offset) == ({}, 0)


def test_a_broken_block_still_has_a_body() -> None:
    """A closed block that cannot be parsed leaves the body as it is."""
    text = "---\ntitle: Foo: bar\n---\nbody\n---\n"
    found = read_frontmatter(text)
    assert (found.state, found.fields) == (BROKEN, {})
    assert text[found.body_offset :] == "body\n---\n"


def test_missing_and_odd_fields_are_no_error() -> None:
    """A reader gives None for what is missing, and text only for a string with something in it."""
    found = read_frontmatter("---\ntitle: ' '\nsummary: 12\nuuid: x\nother: {a: [1]}\n---\n")
    assert found.fields.get("nothing") is None
    assert found.fields.get("other") == {"a": [1]}
    assert [found.text(name) for name in ("title", "summary", "uuid", "created")] == [
        None, None, "x", None,
    ]  # fmt: skip

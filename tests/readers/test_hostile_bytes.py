"""A page of any bytes and a block of any text: read, judged and shown without an error."""

from __future__ import annotations

import json

from hypothesis import event, given
from hypothesis import strategies as st
from tests.readers.examples import examples

from memoryfield_readers import (
    Entry,
    EntryKind,
    FrontmatterState,
    Page,
    read_frontmatter,
    shown,
    visible,
    visible_lines,
)

STATES = frozenset(FrontmatterState)


def _check_page(raw: bytes) -> None:
    page = Page("a.md", raw, Entry("a.md", EntryKind.FILE, len(raw)))
    found = page.frontmatter
    assert found.state in STATES
    assert (found.state is FrontmatterState.BROKEN) == (found.error is not None)
    assert page.text.endswith(page.body)
    assert page.text[found.offset :].startswith(found.source)
    json.dumps(found.fields, allow_nan=False)
    assert page.title
    lines = page.text.split("\n")
    if found.error is not None:
        line, column = found.error.position
        assert 1 <= line <= len(lines)
        assert 1 <= column <= len(lines[line - 1]) + 1
        assert found.error.rule in ("MF202", "MF301", "MF312")
    if found.state is FrontmatterState.PARSED:
        list(found.key_collisions())
        list(found.not_json())
        for node in found.nodes.values():
            assert 0 <= node.start <= node.end <= len(found.source)


_yaml_pieces = st.sampled_from(
    ["---\n", "...\n", "a: ", "b: ", "- ", "? ", ": ", "\n", "  ", "\t", "[", "]", "{", "}", ", ",
     "&a ", "*a", "!!str ", "!x ", "!<x> ", "!%E9", "'", '"', "\\", "|\n", ">-\n", "#",
     "%YAML 1.1\n", "%TAG ! x\n", "<<: ", "=", "~", "1", "0x_", "1:30", "2026-01-01", ".nan",
     "\r", "\r\n", "\ufeff", "\x85", "\u2028",
     "\0", "\x7f", "\ud800", "é", "\U0001f600", "@", "`", "x" * 200]
)  # fmt: skip
_yaml_like = st.lists(_yaml_pieces, max_size=30).map("".join)


@examples(600)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.binary(max_size=100).map(lambda raw: b"---\n" + raw + b"\n---\n"),
    )
)
def test_any_bytes_are_a_page(raw: bytes) -> None:
    """A page of any bytes has text, body, a state and a title, and every place is in it."""
    _check_page(raw)


@examples(1200)
@given(st.one_of(_yaml_like, st.text(max_size=80)))
def test_any_text_is_a_block(text: str) -> None:
    """A block of any text is absent, parsed or broken, never an error; its fields are JSON."""
    if text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text):
        _check_page(f"---\n{text}\n---\nbody".encode())
    found = read_frontmatter(f"---\n{text}\n---\nbody")
    assert found.state in STATES
    event(found.state.value)


@examples(500)
@given(st.text(st.characters()))
def test_any_text_can_be_shown(text: str) -> None:
    """Text made visible holds nothing that moves a cursor, hides, or cannot be written."""
    for escaped in (visible(text), shown(text), visible_lines(text).replace("\r\n", "\n")):
        escaped.encode()
        assert not any(
            (letter < " " and letter not in "\n\t") or letter in "\x7f\u202e\u200b\ufeff"
            for letter in escaped
        )
    assert "\n" not in visible(text)
    assert len(shown(text)) <= 1500

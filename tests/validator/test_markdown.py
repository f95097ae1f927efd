"""Setting code aside moves nothing, and links are found where they stand."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryfield_readers.markdown.code import without_code, without_fenced_code
from memoryfield_readers.markdown.links import Link, link_candidates, links
from memoryfield_readers.markdown.targets import OUTSIDE, relative_target

PIECES = st.sampled_from(
    [
        "`", "``", "```", "````", "~~~", "~~~~", "\\", "\n", "\n\n", "\r\n", "> ", "- ", "1. ",
        "  ", "a", "é🍳", "[a](b.md)", "[", "]", "](", "(", ")", "<", ">", '"', "'", "x",
        "[r]: c.md", "[^1]: d", "&amp;", "\t", "---",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("```\r\n[a](b.md)\r\n```\r\n")
@example("```")
@example("`\n\n`")
def test_code_is_blanked_in_place(text: str) -> None:
    """The text keeps its length and its line feeds; what is not kept is a blank."""
    for outcome in (without_code(text), without_fenced_code(text)):
        assert len(outcome) == len(text)
        assert all(
            after == before or (after == " " and before != "\n")
            for before, after in zip(text, outcome, strict=True)
        )


@given(TEXTS)
def test_text_without_code_is_left_alone(text: str) -> None:
    """Where there are no backticks, tildes, comments and indented lines, nothing is code."""
    plain = re.sub("^[ \t]+", "", re.sub("[`~<]", "", text), flags=re.MULTILINE)
    assert without_code(plain) == plain


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("[a](\n<b.md>)")
def test_links_stand_at_their_targets(text: str) -> None:
    """The offset is that of the target's source, the bracket that of the `]` before it."""
    candidates = list(link_candidates(text))
    for link in candidates:
        assert text[link.bracket] == "]"
        assert link.bracket < link.offset <= len(text)
        escape = r"\\([!-/:-@\[-`{-~])|&amp;"
        source = re.sub(escape, lambda match: match[1] or "&", text[link.offset :])
        assert source.startswith(link.target)
    found = list(links(text))
    assert [link for link in candidates if link in found] == found
    prose = without_code(text)
    assert all(prose[link.bracket] == "]" for link in found)


def by_the_letter(paragraph: str) -> str:
    """Code spans as CommonMark says it, character by character."""
    outcome, at = "", 0
    while at < len(paragraph):
        run = re.compile("`*").match(paragraph, at)
        ticks = run[0] if run else ""
        ends = [
            other.end()
            for other in re.finditer("`+", paragraph)
            if ticks and other.start() > at and other[0] == ticks
        ]
        if paragraph[at] == "\\":
            step, kept = 2, True
        elif ends:
            step, kept = ends[0] - at, False
        else:
            step, kept = len(ticks) or 1, True
        piece = paragraph[at : at + step]
        outcome += piece if kept else " " * len(piece)
        at += step
    return outcome


@settings(max_examples=500, deadline=None)
@given(st.text("a`` \\", max_size=25))
@example("\\``a` ``")
@example("`a\\``b`")
def test_code_spans_are_those_of_commonmark(paragraph: str) -> None:
    """A run of backticks that is not escaped opens code up to the next run of its length."""
    if "```" not in paragraph:
        assert without_code(f"x {paragraph}") == f"x {by_the_letter(paragraph)}"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[a](b.md) [c](<d e.md> 'x')\n\n[f]: g.md", ["b.md", "d e.md", "g.md"]),
        ("[a](b\\_c.md) [a](b&#95;c.md) [a](b&lowbar;c.md)", ["b_c.md"] * 3),
        ("[a](b&lowbarc.md)", ["b&lowbarc.md"]),
        ("[a]() [b](<>)", [""]),
        ("[a](" + "(" * 3 + ")" * 3 + ")", []),
        ("[a](b.md) " * 3, ["b.md"] * 3),
        ("x](b.md) [a](c.md) y](d.md)", ["c.md"]),
        ("> ```\n> code\n\nlater [h](hh.md)\n", ["hh.md"]),
        ("> > ```\n> [x](dq.md)", ["dq.md"]),
        ("- a\n\n  ```\n  [q](q.md)\n\n[after](after.md)", ["after.md"]),
        ("- x\n- ```\n- [a](n3.md)", ["n3.md"]),
        ("- ```\n  [a](b.md)\n  ```\n  [c](d.md)", ["d.md"]),
        ("x\n\n    ```\n[w](4.md)\n", ["4.md"]),
        ("- [l]: ld.md", ["ld.md"]),
        ("[ ]: e2.md", []),
        ('[x]: d.md "t" junk', []),
        ("[a [b](c.md) d](e.md)", ["c.md", "e.md"]),
        ("\\\\\\[a](b.md) \\\\[a](c.md)", ["c.md"]),
    ],
)  # fmt: skip
def test_targets_of_links(text: str, targets: list[str]) -> None:
    """Targets are those of CommonMark, with escapes and references resolved once."""
    assert [link.target for link in links(text)] == targets


def test_link_is_where_it_says() -> None:
    """A link carries target, place, bracket and kind."""
    assert list(links("é [a](<b c.md>)\n\n[r]:\nx.md")) == [
        Link("b c.md", 7, 13, 4, inline=True),
        Link("x.md", 22, 26, 19, inline=False),
    ]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("a.md", "a.md"),
        ("a.md#x?y", "a.md"),
        ("a.md?x#y", "a.md"),
        ("a%20b.md", "a b.md"),
        ("a%2520b.md", "a%20b.md"),
        ("%C3%A9.md", "é.md"),
        ("%ff.md", "\ufffd.md"),
        ("a%3Fb.md", "a?b.md"),
        ("./a.md", "a.md"),
        ("x/../a.md", "a.md"),
        ("x//y/./a.md", "x/y/a.md"),
        ("x%2Fa.md", "x/a.md"),
        ("a.md/", "a.md"),
        ("a.md/..", ""),
        (".", ""),
        ("..", OUTSIDE),
        ("../a.md", OUTSIDE),
        ("x/../../a.md", OUTSIDE),
        ("%2e%2e/a.md", OUTSIDE),
        ("...", "..."),
        ("é:a.md", "é:a.md"),
        ("1:a.md", "1:a.md"),
        ("a b:c.md", "a b:c.md"),
        ("x/y:z.md", "x/y:z.md"),
        ("", None),
        ("#x", None),
        ("?x", None),
        ("/a.md", None),
        ("//host/a.md", None),
        ("https://example.com/a.md", None),
        ("mailto:a.md", None),
        ("C:a.md", None),
        ("a+b-c.d:e", None),
    ],
)
def test_relative_targets(target: str, path: str | None) -> None:
    """A relative target is cut, decoded once and resolved; all others are nobody's business."""
    assert relative_target(target) == path


@given(st.text(max_size=30))
def test_resolved_targets_are_plain(target: str) -> None:
    """What a target resolves to has no component that is empty or made of dots."""
    path = relative_target(target)
    if path not in (None, "", OUTSIDE):
        assert path is not None
        assert not {"", ".", ".."} & set(path.split("/")) or "/" not in path

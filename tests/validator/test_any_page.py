"""No page makes the validator raise, and every report is what the standard says it is."""

from __future__ import annotations

import string

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.validator.fields import page, report_on
from tests.validator.schemas import assert_fits_schema

from memoryfield_readers import visible
from memoryfield_validator import Report

NAMES = st.sampled_from(["a.md", "index.md", "listing.md"])
LINE_ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r", "\u2028", "\x85", " \n", "\t\n"])
YAML = st.sampled_from(
    [
        "title", "uuid", "summary", "created", "updated", "x", ": ", ":", "- ", "? ", "[", "]", "{",
        "}", ", ", "'", '"', "|", ">", "#", " # ", "&x ", "*x", "!", "!!", "!!int ", "!!str ",
        "<<: ", "%", "@", "`", "---", "...", "\n", "\n  ", "\t", "~", "no", "012", "1:30", ".nan",
        ".inf", "2026-02-30", "2026-03-01T09:00:00Z", "0x", "1_0", "\\x1b", "\\", "{{x}}", "é",
        "🍳", "!!binary ", "!!timestamp ", "6aa615f0-486f-48a7-a210-ba4f5ff18c8b", "\ufeff", "\x1b",
        "\0",
    ]
)  # fmt: skip
MARKDOWN = st.sampled_from(
    [
        "[", "]", "(", ")", "](", "[a](b.md)", "![i](p.png)", "[x]: y.md", "[^1]: z", "[[", "]:",
        "<", ">", "> ", "`", "``", "```", "~~~", "\\", "\\`", "\\[", "&amp;", "&#0;", "&#x110000;",
        "%2e", "%", "../", "/", "#", "?", "\n", "\n\n", "\r\n", "    ", "\t", "- ", "1. ", "'t'",
        '"t"', "(t)", "a.md", "listing.md", "x-y.md", "http://", "https://x", "://", "via:",
        "## Sources", "<<<<<<< a", "|||||||", "---", "=======", "é", "🍳", "\u2028", "\x00",
        "\x1b[2J", "\u202e",
    ]
)  # fmt: skip


def check(report: Report, name: str, content: bytes) -> None:
    """A report fits its schema; its places are in the page, and its texts fit a terminal."""
    assert_fits_schema(report)
    text = content.decode(errors="replace").removeprefix("\ufeff")
    lines = [len(line) for line in text.split("\n")]
    for finding in report.findings:
        assert visible(finding.message) == finding.message
        assert finding.hint is not None
        assert visible(finding.hint) == finding.hint
        if finding.line is not None and finding.column is not None:
            assert finding.file == name
            assert finding.line <= len(lines)
            assert finding.column <= lines[finding.line - 1] + 1


def judge(name: str, content: str | bytes) -> None:
    """Validate a field that has the page beside another one."""
    raw = content if isinstance(content, bytes) else content.encode()
    check(report_on({name: raw, "x-y.md": page(number=1)}), name, raw)


@settings(max_examples=150, deadline=None)
@given(NAMES, st.binary(max_size=300))
@example("a.md", b"---\n\xff")
@example("a.md", b"\xef\xbb")
@example("index.md", b"\xef\xbb\xbf---")
@example("listing.md", b"---\r\n---\r\n\x00\xff")
def test_any_bytes_are_judged(name: str, content: bytes) -> None:
    """Whatever bytes a page has, there is a report."""
    judge(name, content)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), LINE_ENDS)
def test_any_text_between_delimiters_is_judged(block: str, end: str) -> None:
    """Whatever stands in a block, there is a report."""
    judge("a.md", f"---{end}{block}{end}---{end}https://example.com/{end}")


@settings(max_examples=200, deadline=None)
@given(st.lists(YAML, max_size=30).map("".join), LINE_ENDS)
@example("title: &x [*x]", "\n")
@example("uuid: 5", "\n")
@example("created: {<<: 1}", "\n")
@example("x: !<%0A%1B%FF> y", "\n")
@example('title: !!binary "\\x1b"', "\n")
@example("? [? [a]: b]", "\n")
def test_pieces_of_yaml_are_judged(block: str, end: str) -> None:
    """Whatever pieces of YAML stand in a block, there is a report."""
    judge("a.md", f"---{end}{block}{end}---{end}https://example.com/{end}")


KEYS = st.sampled_from(
    ["title", "uuid", "summary", "created", "updated", "x", "1", "true", "~", "<<"]
)
SCALARS = (
    YAML | st.text(string.printable, max_size=12) | st.integers().map(str) | st.dates().map(str)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(KEYS, st.sampled_from(["", "'", '"']), SCALARS), max_size=8))
def test_fields_of_any_value_are_judged(fields: list[tuple[str, str, str]]) -> None:
    """Whatever values the defined fields have, quoted or not, there is a report."""
    judge("a.md", page(more="".join(f"{key}: {mark}{text}{mark}\n" for key, mark, text in fields)))


@settings(max_examples=300, deadline=None)
@given(NAMES, st.lists(MARKDOWN, max_size=25).map("".join))
@example("a.md", "[a](b.md\n\n)")
@example("a.md", "[x](\\")
@example("a.md", "[a](&#x110000;)[b](&#xD800;)")
@example("a.md", "[a](%ff%00)")
def test_pieces_of_markdown_are_judged(name: str, body: str) -> None:
    """Whatever a body is made of, there is a report."""
    judge(name, page(body))
    judge(name, body)

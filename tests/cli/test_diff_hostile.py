"""`memoryfield diff` on fields that are made to take over a terminal, a log or a comment."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.cli.command import GOOD, call, folder, spawn
from tests.cli.harmless import assert_harmless
from tests.cli.hostile_fields import hostile_archive, hostile_folder
from tests.validator.comparing_fields import compared
from tests.validator.reporting import HOSTILE

from memoryfield_cli.comparison_output import (
    MOST_MARKDOWN,
    comparison_json,
    comparison_markdown,
    comparison_text,
)
from memoryfield_spec import schema
from memoryfield_validator import Finding
from memoryfield_validator.comparing import Change, Comparison, Effort, PageDiff, Side, Version

GITHUB_MOST = 65_536
"""Characters of a comment."""

HASH = "0" * 64
PIN = f"field-sha256:{HASH}"
PARTS = {"heading_open", "heading_close", "table_open", "table_close", "thead_open", "thead_close",
         "tbody_open", "tbody_close", "tr_open", "tr_close", "th_open", "th_close", "td_open",
         "td_close", "paragraph_open", "paragraph_close", "inline", "fence"}  # fmt: skip


def parsed(text: str) -> list[Token]:
    """The parts of a comparison as Markdown, which are those it may have, with plain text alone."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for token in tokens:
        assert token.type in PARTS, token
        kinds = {child.type for child in token.children or []}
        assert kinds <= {"text", "text_special", "strong_open", "strong_close"}, token
    return tokens


def page_change(before: bytes, after: bytes, name: str = "a.md") -> Change:
    """A page that changed, of any name."""
    diff = PageDiff.of(name, name, before, after, Effort())
    old, new = Version(HASH, len(before)), Version(HASH, len(after))
    return Change("changed", "page", name, old, new, diff=diff)


def comparison(
    *changes: Change, location: str = "x", findings: tuple[Finding, ...] = ()
) -> Comparison:
    """Two fields that differ so."""
    side = Side(location, None, PIN, 1)
    return Comparison(side, replace(side, digest=None), changes, findings)


RUNS = {
    "text": (["--format", "text"], "utf-8"),
    "text in ASCII": (["--words"], "ascii"),
    "names alone": (["--stat"], "utf-8"),
    "json": (["--format", "json", "--words"], "utf-8"),
    "markdown": (["--format", "markdown"], "utf-8"),
}


@pytest.mark.parametrize("name", RUNS)
def test_field_in_every_form(name: str, tmp_path: Path) -> None:
    """Whatever names and pages hold is shown escaped, whether it comes or goes."""
    options, encoding = RUNS[name]
    before, after = hostile_folder(tmp_path), hostile_archive(tmp_path)
    folder(before, {"nul.md": GOOD, "listing.md": b"x\n"})
    for arguments in ([before, after], [after, before]):
        if encoding == "ascii":  # told by the environment, as it is to a process
            done = spawn("diff", *options, *arguments, env={"PYTHONIOENCODING": encoding})
        else:
            done = call("diff", *options, *arguments, encoding=encoding)
        assert (done.code, done.stderr) == (1, b"")
        assert_harmless(done.stdout, encoding)
        if name == "json":
            validator = Draft202012Validator(schema("comparison"))
            assert list(validator.iter_errors(json.loads(done.stdout))) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_takes_effect(text: str) -> None:
    """No name, location, message, note or line is Markdown, HTML or an escape; JSON is JSON."""
    text = f"a{text}b {text} c"
    finding = Finding("MF803", "warning", text, 1, 1, text, text)
    raw = text.encode("utf-8", "surrogateescape")
    made = comparison(
        page_change(b"x\n", raw + b"\n" + raw, text),
        replace(page_change(b"", raw), diff=None, note=text),
        Change("renamed", "page", text, Version(HASH, None), Version(HASH, 1), text, text),
        location=text,
        findings=(finding,),
    )
    parsed(comparison_markdown(made))
    parsed(comparison_markdown(made, words=True))
    for shown in (comparison_text(made, words=words) for words in (False, True)):
        assert_harmless(shown.encode())
        for line in shown.splitlines()[10:-1]:
            assert not line or line.startswith(
                (" ", "+", "-", "!", "@@", "\\", "diff", "rena", "ch")
            )
    answer = comparison_json(made, words=True)
    assert answer.isascii()
    assert list(Draft202012Validator(schema("comparison")).iter_errors(json.loads(answer))) == []


FENCES = [
    "```",
    "````",
    "~~~",
    "   ```",
    "\t```",
    "> ```",
    "```diff",
    "`" * 50,
    "</details>",
    "<!--",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*FENCES, "", " ", "text"]), max_size=8), st.booleans())
def test_page_stays_in_its_fence(lines: list[str], words: bool) -> None:
    """However a page closes a fence, all of it stands in the one that it has."""
    after = "\n".join(lines).encode()
    text = comparison_markdown(comparison(page_change(b"```\n", after)), words=words)
    fences = [token for token in parsed(text) if token.type == "fence"]
    assert len(fences) == 1
    assert fences[0].content in comparison_text(
        comparison(page_change(b"```\n", after)), words=words
    )


def test_a_comment_has_room() -> None:
    """However much differs, a comment takes it; what is new stands first."""
    long = "`@#|\U0001f373" * 400
    finding = Finding("MF803", "warning", long, 1, 1, long, long)
    pages = [page_change(b"", f"{long}\n".encode() * 50, f"{n}{long}") for n in range(300)]
    text = comparison_markdown(comparison(*pages, location=long, findings=(finding,) * 500))
    assert len(text) <= len(text.encode()) < GITHUB_MOST
    parsed(text)
    assert text.index("| new |") < text.index("| change |")
    assert "\nThere are 4" in text
    assert "findings more." in text
    assert "\n! there are more lines, for which there is no room\n" in text
    assert text.endswith(" pages more differ, and are not shown: there is no room.\n")
    short = comparison_markdown(comparison(page_change(b"a\n", b"b\n")))
    assert "more" not in short


@pytest.mark.parametrize("after", ["`" * 200_000, "```\n" * 30_000], ids=["one", "many"])
def test_backquotes_have_room(after: str) -> None:
    """A fence that must be long leaves room for itself."""
    text = comparison_markdown(
        comparison(*[page_change(b"", after.encode(), f"{n}.md") for n in range(5)])
    )
    assert len(text) < MOST_MARKDOWN + 5_000 < GITHUB_MOST
    parsed(text)


def test_a_page_says_nothing_of_itself() -> None:
    """What is said of lines begins as no line of a page does."""
    imitations = (
        b"! MF802 warning 1:1 x\n@@ -1,1 +1,1 @@\ndiff --git a/a.md b/a.md\n\\ No newline\n"
    )
    made = compared({"a.md": b"a\n" + imitations}, {"a.md": b"b\n" + imitations})
    lines = comparison_text(made, words=False).splitlines()
    assert lines[-5:-2] == [
        " ! MF802 warning 1:1 x",
        " @@ -1,1 +1,1 @@",
        " diff --git a/a.md b/a.md",
    ]
    assert sum(line.startswith("@@") for line in lines) == 1

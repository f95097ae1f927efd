"""`memoryfield diff` never shows two lines that differ as if they were the same."""

from __future__ import annotations

import re
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import call, folder, spawn
from tests.validator.comparing_fields import NEEDS_PATCH, compared, only, patched

from memoryfield_cli.comparison_output import comparison_markdown, comparison_text
from memoryfield_cli.escaping import Escaping
from memoryfield_readers.lock import LOCK_VARIABLE

LITERAL, REAL = b"\\x1b[31m red\n", b"\x1b[31m red\n"
MARK = re.compile(r"^! (\d+) lines? (?:is|are) shown escaped: ", re.MULTILINE)
STATED = "has characters that are shown escaped"
PATCH = ("patch", "--strip=1", "--silent", "--force", "--no-backup-if-mismatch")

PARTS = [b"a", b" ", b"\t", b"\\", b"x1b", b"\\x1b", b"\\r", b"u{200b}", b"\\u{85}", b"\\x85",
         b"+}", b"[-", b"::", b"##[", "é\N{NO-BREAK SPACE}🍳".encode(), b"! MF802",
         b"\x1b", b"\r", b"\x00", b"\xff", b"\x85", b"\xc2\x85", "\u200b\u202e".encode(),
         b"\xc2\xad", b"\xad", b"\x0c", "\u2028".encode(), "\ufeff".encode()]  # fmt: skip
HARMLESS = PARTS[:16]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, and no lock file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(LOCK_VARIABLE, raising=False)
    folder(tmp_path / "x", {"p.md": b"a\n"})
    folder(tmp_path / "y", {"p.md": b"a\n" + LITERAL + REAL})
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--words"], ["--format", "markdown"]], ids=str)
def test_an_escape_that_is_typed_out_is_another_line(options: list[str]) -> None:
    """It looks different from what is shown escaped, and a mark says that something is."""
    out = call("diff", *options, "x", "y").out
    literal, real = (line for line in out.splitlines() if "red" in line)
    assert literal.replace(r"\\x1b", r"\x1b") == real != literal
    assert [int(count) for count in MARK.findall(out)] == [2 if "--words" in options else 1]


def test_where_no_lines_are_shown() -> None:
    """The names alone and the summary of a comment say that a page has such characters."""
    stat = call("diff", "--stat", "x", "y").out
    assert f"  changed  p.md  +2 -0\n           ! {STATED}\n" in stat
    assert f"| p.md  +2 -0; {STATED} |" in call("diff", "--format", "markdown", "x", "y").out
    folder(Path("y"), {"p.md": b"a\n" + LITERAL})
    for options in (["--stat"], [], ["--format", "markdown"]):
        out = call("diff", *options, "x", "y").out
        assert "escaped" not in out
    assert "\n+\\x1b[31m red\n" in call("diff", "x", "y").out


def test_json_has_the_text_as_it_is() -> None:
    """Programs are given no escapes but those of JSON."""
    (change,) = call("diff", "--format", "json", "x", "y").json["changes"]
    assert change["diff"].endswith("@@ -1,1 +1,3 @@\n a\n+\\x1b[31m red\n+\x1b[31m red\n")


@NEEDS_PATCH
def test_patch_refuses_what_is_marked() -> None:
    """The mark stands within the hunk, so that no escape is ever written into a page."""
    done = call("diff", "x", "y")
    with pytest.raises(AssertionError, match="malformed patch"):
        patched({"p.md": b"a\n"}, done.stdout, *PATCH)


LINE = st.lists(st.sampled_from(HARMLESS), max_size=4).map(b"".join)
HOSTILE_LINE = st.lists(st.sampled_from(PARTS), max_size=4).map(b"".join)
PAGE = st.builds(
    lambda lines, odd, end: b"\n".join([*lines, *odd]) + end,
    st.lists(LINE, max_size=8),
    st.lists(HOSTILE_LINE, max_size=1),
    st.sampled_from([b"\n", b""]),
)
FIELD = st.dictionaries(st.sampled_from(["a.md", "b c.md", "é.md"]), PAGE, max_size=3)


@NEEDS_PATCH
@settings(max_examples=80, deadline=None)
@given(FIELD, FIELD)
def test_what_is_not_marked_is_a_patch(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Where no line begins with an exclamation mark, `patch` gives the very bytes after."""
    text = comparison_text(compared(before, after), words=False)
    if before != after and not re.search("^!", text, re.MULTILINE):
        assert patched(before, text.encode(), *PATCH) == after


@settings(max_examples=300, deadline=None)
@given(HOSTILE_LINE, HOSTILE_LINE, st.sampled_from(["utf-8", "ascii"]), st.booleans())
def test_no_two_lines_look_the_same(
    one: bytes, other: bytes, encoding: str, on_github: bool
) -> None:
    """Within a page that is marked, each line can be told; without a mark it is itself."""
    escaping = Escaping(encoding)
    lines = [line.decode("utf-8", "surrogateescape") for line in (one, other)]
    with mock.patch("memoryfield_cli.output.on_github", return_value=on_github):
        shown = [escaping.escaped(line) for line in lines]
        plain = [line for line in lines if escaping.is_plain(line)]
        assert all(map(escaping.is_plain, shown))
    assert (shown[0] == shown[1]) == (one == other)
    for line in plain:
        assert line.encode(encoding) in (one, other)
        assert escaping.escaped(line) == line.replace("\\", r"\\")


@settings(max_examples=100, deadline=None)
@given(st.lists(HOSTILE_LINE, min_size=1, max_size=6))
def test_marks_count_what_is_escaped(lines: list[bytes]) -> None:
    """Each page says how many of its lines are not shown as they are, in both forms."""
    made = compared({"a.md": b""}, {"a.md": b"".join(line + b"\n" for line in lines)}, audit=False)
    diff = only(made).diff
    shown = 0 if only(made).note or diff is None else diff.added
    plain = Escaping().is_plain
    odd = sum(not plain(line.decode("utf-8", "surrogateescape")) for line in lines[:shown])
    for text in (comparison_text(made, words=False), comparison_markdown(made)):
        assert list(map(int, MARK.findall(text))) == ([odd] if odd else [])


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_other_encodings(encoding: str) -> None:
    """Where the answer is not written in UTF-8, what is not ASCII would be other bytes."""
    folder(Path("y"), {"p.md": "a\ncaf\u00e9\n\\u{e9}\n".encode()})
    done = spawn("diff", "x", "y", env={"PYTHONIOENCODING": encoding})
    if encoding == "utf-8":
        assert "\n+caf\u00e9\n+\\u{e9}\n".encode() in done.stdout
    else:
        assert b"\n! 1 line is shown escaped: " in done.stdout
        assert b"\n+caf\\u{e9}\n+\\\\u{e9}\n" in done.stdout


def test_on_github() -> None:
    """What is changed lest the runner obeys it is escaped, and marked."""
    folder(Path("y"), {"p.md": b"a\n ::error::x\n : :error::x\n##[group]\n", "##[q.md": b"a\n"})
    out = call("diff", "x", "y", env={"GITHUB_ACTIONS": "true"}).out
    assert "\n! 2 lines are shown escaped: " in out
    assert "\n+ \\x3a:error::x\n+ : :error::x\n+#\\x23[group]\n" in out
    assert "\n! the name is not shown as it is\n" in out


def test_a_line_that_is_cut_is_marked() -> None:
    """In a comment a long line ends in a sign that it could have itself."""
    folder(Path("y"), {"p.md": b"b" * 2000 + b"\n" + "c\u2026\n".encode()})
    out = call("diff", "--format", "markdown", "x", "y").out
    assert "b\u2026\n! this line goes on, for which there is no room\n+c\u2026\n" in out

"""A proposal as a diff: what `git apply` makes of it is what is proposed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validator.fields import BODY, Files, page, pages, write_files
from tests.validator.fixes_fields import changed, proposal_for

from memoryfield_readers import visible_lines
from memoryfield_validator.fixes import Proposal, Rename, Rewrite, diff, patch
from memoryfield_validator.fixes.line_changes import line_changes

NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

_MANY_LINES = "".join(f"Line {number}.\n\n" for number in range(30))

FIELDS: dict[str, Files] = {
    "quotes": {"a.md": page(title="a: b", created="2026-03-01T09:00:00Z")},
    "a block": {"a.md": BODY},
    "CRLF": {"a.md": page(title="no", uuid=None).replace("\n", "\r\n")},
    "mixed line ends": {"a.md": page("a\r\nb\n", title="no").replace("no\n", "no\r\n")},
    "no line end at the end": {"a.md": page("no line end", title="no")},
    "one line without an end": {"a.md": "no line end"},
    "a block that ends the file": {"a.md": "---\ntitle: no\n---"},
    "a byte-order mark": {"a.md": "\ufeff" + page()},
    "a name": {"A b.md": page(), "b.md": page("[x](A%20b.md)\n" + BODY, number=1)},
    "a name and more": {"Crème.md": page(title="no"), 'q"t\t\n.md': page(number=1)},
    "a name like an option": {"-x.md": page(title="no")},
    "far apart": {
        "A.md": page(),
        "b.md": page("[x](A.md)\n" + _MANY_LINES + "[x](A.md)", number=1),
    },
    "a listing": {
        **pages(4),
        "listing.md": page("- page-1.md\n- c.md\n- page-3.md\n\n" + BODY, number=9),
    },
    "a listing without an end": {**pages(4), "listing.md": page("https://example.com/", number=9)},
    "not UTF-8": {"b.md": page().encode() + b"\xff[x](A.md)\xfe", "A.md": page(number=1)},
    "control characters": {"a.md": page("\x1b[31m\x00\x0c\u2028" + BODY, title="no")},
}

SECONDS = 120
"""After so long git hangs; it takes a fraction of it."""

each_field = pytest.mark.parametrize("name", FIELDS)


def git_apply(data: bytes, folder: Path) -> None:
    """Let git change a folder that is in no repository."""
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=folder,
        input=data,
        check=True,
        timeout=SECONDS,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )


@NEEDS_GIT
@each_field
def test_git_makes_of_a_patch_what_is_proposed(name: str, tmp_path: Path) -> None:
    """`git apply` changes exactly these bytes and names."""
    files = FIELDS[name]
    proposal = proposal_for(files)
    assert proposal.changes
    folder = write_files(tmp_path / "field", files)
    git_apply(patch(proposal), folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == changed(files, proposal)


@each_field
def test_text_for_a_terminal_is_the_patch_made_visible(name: str) -> None:
    """Nothing in it moves the cursor; where all is plain text it is the patch itself."""
    proposal = proposal_for(FIELDS[name])
    text = diff(proposal)
    assert text == visible_lines(text)
    if name not in ("a byte-order mark", "not UTF-8", "control characters"):
        assert text.encode() == patch(proposal)


def test_lines_around_a_change_are_shown() -> None:
    """The text is a unified diff in git's style, with three lines around each change."""
    assert diff(proposal_for({"a.md": page(title="no")})) == (
        "diff --git a/a.md b/a.md\n"
        "--- a/a.md\n"
        "+++ b/a.md\n"
        "@@ -1,5 +1,5 @@\n"
        " ---\n"
        "-title: no\n"
        "+title: 'no'\n"
        " created: '2026-03-01T09:00:00Z'\n"
        " updated: '2026-08-22T14:30:00Z'\n"
        " uuid: 0b5f1f2e-7f0e-4d0c-9a55-000000000000\n"
    )


def test_a_new_name_is_a_header() -> None:
    """A page that only gets another name has no lines to show."""
    assert diff(Proposal((Rename("A b.md", "a-b.md"),))) == (
        "diff --git a/A b.md b/a-b.md\nrename from A b.md\nrename to a-b.md\n"
    )


def test_nothing_to_do_is_no_text() -> None:
    """Where nothing is proposed the text is empty."""
    assert diff(Proposal()) == ""


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d"]), max_size=12)


@settings(max_examples=250, deadline=None)
@given(LINES, LINES)
def test_line_changes_lead_from_one_version_to_the_other(
    before: list[bytes], after: list[bytes]
) -> None:
    """What is between the changes is the same, and each change replaces what it says."""
    made: list[bytes] = []
    done = 0
    for start, end, new_start, new_end in line_changes(before, after):
        assert done <= start <= end
        made += before[done:start]
        assert len(made) == new_start
        made += after[new_start:new_end]
        done = end
    assert made + before[done:] == after


@NEEDS_GIT
@settings(max_examples=25, deadline=None)
@given(LINES, LINES)
def test_git_takes_any_rewrite(before: list[bytes], after: list[bytes]) -> None:
    """A patch from any lines to any others is one that git understands."""
    old, new = b"".join(before), b"".join(after)
    if old == new or not old or not new:  # a page never comes or goes
        return
    with TemporaryDirectory() as scratch:
        page = Path(scratch) / "a.md"
        page.write_bytes(old)
        git_apply(patch(Proposal((Rewrite("a.md", old, new),))), Path(scratch))
        assert page.read_bytes() == new

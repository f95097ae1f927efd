"""What a name says: page names, debris, roles; and names made fit to be shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.readers.examples import examples

from memoryfield_readers import (
    Entry,
    EntryKind,
    is_debris,
    is_lfs_pointer,
    is_page_name,
    name_key,
    shown,
    topmost_debris,
    visible,
    visible_lines,
)
from memoryfield_readers.entry import entries_in_order, names_in_order

PAGE_NAMES = (
    "a.md",
    "1.md",
    "a-b.md",
    "a--b.md",
    "index.md",
    "a1-2b.md",
    "con.md",
    f"{'x' * 200}.md",
)
OTHER_NAMES = (
    "", ".md", "-.md", "-a.md", "a-.md", "A.md", "a_b.md", "a b.md", "a.b.md", "é.md", "a.md\n",
    "\na.md", "a.MD", "a.md ", "a", "a.mdx", "./a.md", "d/a.md", "a.md\x00", "a\u200b.md",
    "\u0661.md", "\uff41.md",
)  # fmt: skip
DEBRIS = (
    ".DS_Store", "desktop.ini", "Thumbs.db", "__MACOSX", ".x.md", "._a.md", ".", "..", ".git",
    "a.md~", "~", "a.sync-conflict-20260101-120000-ABC.md", ".sync-conflict-",
)  # fmt: skip
NO_DEBRIS = (
    "a.md", "", "desktop.ini.md", "Desktop.ini", "thumbs.db", "__macosx", "~a.md", "a~.md", "a.",
    "a.sync-conflict.md", "sync-conflict-1.md", "__MACOSX.md",
)  # fmt: skip


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_a_page_name(name: str) -> None:
    """Lower-case ASCII letters, digits and hyphens, with a letter or digit at both ends (MF201)."""
    assert is_page_name(name)


@pytest.mark.parametrize("name", OTHER_NAMES, ids=ascii)
def test_no_page_name(name: str) -> None:
    """Anything else is none, also with a line feed at its end."""
    assert not is_page_name(name)


@pytest.mark.parametrize("name", DEBRIS)
def test_debris(name: str) -> None:
    """What file managers, editors and sync clients leave is debris (MF104)."""
    assert is_debris(name)


@pytest.mark.parametrize("name", NO_DEBRIS)
def test_no_debris(name: str) -> None:
    """Names that only resemble debris are not."""
    assert not is_debris(name)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("a.md", None),
        ("log/a.md", None),
        (".x", ".x"),
        ("__MACOSX/._a.md", "__MACOSX/"),
        ("log/.cache/x/y", "log/.cache/"),
        ("log/a.md~", "log/a.md~"),
        (".git/config", ".git/"),
        (".cache/", ".cache/"),
        ("log/", None),
    ],
)
def test_the_topmost_debris(path: str, part: str | None) -> None:
    """A path is debris if any part of it is; what is told is the topmost part."""
    assert topmost_debris(path) == part


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain text", "plain text"),
        ("Zürich 日本 \U0001f600", "Zürich 日本 \U0001f600"),
        ("a\tb\nc\rd", r"a\tb\nc\rd"),
        ("\x1b[31m\x07\x00\x7f\x9b", r"\x1b[31m\x07\x00\x7f\x9b"),
        ("\u202egnp.md", r"\u{202e}gnp.md"),
        ("a\u200bb\ufeff\u2028\u2066", r"a\u{200b}b\u{feff}\u{2028}\u{2066}"),
        ("\U000e0041", r"\u{e0041}"),
        ("caf\udce9", r"caf\xe9"),
        ("\ud800", r"\u{d800}"),
        ("a\xa0b", "a\xa0b"),
    ],
    ids=ascii,
)
def test_text_is_made_visible(text: str, escaped: str) -> None:
    """Control, invisible and direction-changing characters are written out; the rest is kept."""
    assert visible(text) == escaped
    assert shown(text) == f"`{escaped}`"


def test_lines_are_kept_in_a_body() -> None:
    """In several lines, tabs and line ends stay; a lone CR, which would overwrite, does not."""
    assert visible_lines("a\tb\r\nc\nd\re\x1b\u202e") == "a\tb\r\nc\nd\\re\\x1b\\u{202e}"


def test_long_text_is_cut() -> None:
    """A name in a message has 120 characters at most, and says that it was cut."""
    assert shown("x" * 120) == f"`{'x' * 120}`"
    assert shown("x" * 121) == f"`{'x' * 119}…`"


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", True),
        (b"version https://git-lfs.github.com/spec/v2\n", True),
        (b"version https://git-lfs.github.com/spec/v1" + b" " * 1023, False),
        (b" version https://git-lfs.github.com/spec/v1\n", False),
        (b"", False),
    ],
)
def test_a_git_lfs_pointer(data: bytes, pointer: bool) -> None:
    """A short file that begins as a pointer is one (MF108)."""
    assert is_lfs_pointer(data) == pointer


@examples(100)
@given(st.lists(st.text("aé\udc80\udcff\ue000\uffff\U0001f600/", max_size=4), unique=True))
def test_names_are_in_the_order_of_their_bytes(names: list[str]) -> None:
    """Whatever characters they have, lone surrogates of bytes that are no UTF-8 among them."""
    expected = sorted(names, key=name_key)
    assert names_in_order(names) == expected
    assert [each.path for each in entries_in_order(Entry(n, EntryKind.FILE) for n in names)] == (
        expected
    )

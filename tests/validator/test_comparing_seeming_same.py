"""Lines that differ, and do not look it."""

from __future__ import annotations

import unicodedata
from unittest import mock

import pytest
from tests.validator.comparing_fields import compared, only

from memoryfield_validator.comparing import seeming_same as looks
from memoryfield_validator.comparing.seeming_same import Looking, seeming_same
from memoryfield_validator.unified import LineChange, lines_of


def remarks(before: str, after: str) -> list[tuple[int | None, str]]:
    """What is said of the lines of a page."""
    found = only(compared({"a.md": before}, {"a.md": after})).remarks
    return [(line, message) for line, message in found]


ALIKE = "differs only in characters that look alike"
FORM = "differs only in the Unicode form of characters"
SEEMING = {
    "Cyrillic": ("pay alice", "pay \u0430lice", f"{ALIKE}: U+0430 for U+0061 in column 5"),
    "back again": ("pay \u0430lice", "pay alice", f"{ALIKE}: U+0061 for U+0430 in column 5"),
    "Greek capital": ("BOB", "\u0392OB", f"{ALIKE}: U+0392 for U+0042 in column 1"),
    "two scripts": ("\u0430", "\u03b1", f"{ALIKE}: U+03B1 for U+0430 in column 1"),
    "mathematical": ("sum", "s\U0001d42em", f"{ALIKE}: U+1D42E for U+0075 in column 2"),
    "full width": ("a/b", "a\uff0fb", f"{ALIKE}: U+FF0F for U+002F in column 2"),
    "ligature": ("file", "\ufb01le", ALIKE),
    "digit": ("v10", "vl0", f"{ALIKE}: U+006C for U+0031 in column 2"),
    "Cyrillic and a bar": ("\u0406", "|", f"{ALIKE}: U+007C for U+0406 in column 1"),
    "dash": ("rm -rf", "rm \u2013rf", f"{ALIKE}: U+2013 for U+002D in column 4"),
    "decomposed": ("caf\u00e9 x", "cafe\u0301 x", FORM),
    "Kelvin": ("3 K", "3 \u212a", f"{FORM}: U+212A for U+004B in column 3"),
    "no-break space": (
        "a b",
        "a\u00a0b",
        "differs only in blanks: U+00A0 for U+0020 in column 2",
    ),
    "tab": ("  a", "\ta", "differs only in blanks"),
    "at the end": ("a", "a  ", "differs only in blanks"),
    "Braille": ("a bc", "a\u2800bc", "differs only in blanks: U+2800 for U+0020 in column 2"),
    "all": (
        "\u00e9 a b",
        "e\u0301 \u0430  b",
        "differs only in characters that look alike and the Unicode form of characters and blanks",
    ),
}


@pytest.mark.parametrize("name", SEEMING)
def test_seeming_same(name: str) -> None:
    """What a person would not see is said of the line, and nothing of others."""
    before, after, message = SEEMING[name]
    around = "top\n{}\nend\n"
    found = remarks(around.format(before), around.format(after + "\nnew"))
    assert found == [(2, f"line 2 {message}")]


DIFFERENT = {
    "a word": ("pay alice", "pay alicia"),
    "a superscript": ("x2", "x\u00b2"),
    "a case": ("Bob", "bob"),
    "Cyrillic that does not look it": ("d", "\u0434"),
    "an accent": ("cafe", "caf\u00e9"),
    "a line end": ("a\r\nb", "a\nc"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str) -> None:
    """Nothing is said of lines that a person can tell."""
    before, after = DIFFERENT[name]
    assert remarks(f"{before}\nx\n", f"{after}\nx\n") == []


def test_one_look_for_all_forms() -> None:
    """All the ways in which a letter can be written look as that letter does."""
    for letter in "\u00e9\u0439\u1e09":
        forms = {unicodedata.normalize(form, letter) for form in ("NFC", "NFD", "NFKD")}
        assert len({looks._look(form) for form in forms}) == 1


def test_blanks_of_lines_in_a_row() -> None:
    """Lines that were indented anew are told together; look-alike ones one by one."""
    before = "a\n b\nc\nfoo bar\nbar foo\n"
    after = "  a\n  b\n  c\nfo\u043e bar\nb\u0430r foo\n"
    assert remarks(before, after) == [
        (3, "lines 1 to 3 differ only in blanks"),
        (4, f"line 4 {ALIKE}: U+043E for U+006F in column 3"),
        (5, f"line 5 {ALIKE}: U+0430 for U+0061 in column 2"),
    ]


def test_only_changed_pages_have_remarks() -> None:
    """Text that comes or goes replaces nothing."""
    assert remarks("a\n", "a\n\u0430\n") == []
    (change,) = compared({"a.md": "x\n"}, {"a.md": "x\n", "b.md": "\u0445\n"}).changes
    assert change.remarks == ()


def test_it_is_bounded() -> None:
    """A page that is full of it is told in short, and what is too large is not looked at."""
    before = "".join(f"{number} alice\n" for number in range(300))
    found = remarks(before, before.replace("a", "\u0430"))
    assert len(found) == looks.MOST_REMARKS + 1
    assert found[-1] == (None, "there are more lines that differ and look the same")
    told = "too much differs to tell which lines look the same"
    with mock.patch.object(looks, "MOST_TEXT", 10):
        assert remarks(before, before.replace("a", "\u0430")) == [(None, told)]
    looking = Looking(10)
    old, new = lines_of(b"abcd\n"), lines_of(b"abc\n")
    assert seeming_same(old, new, [LineChange(0, 1, 0, 1)], looking) == ()
    assert looking.left == 1

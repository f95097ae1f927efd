"""The report for people: exactly what is printed, and nothing that a page could smuggle in."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Literal

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.validator.fields import NAME, Files, archive, page, write_files

from memoryfield_readers import Field, SourceUnavailable, inspect_field
from memoryfield_validator import Finding, Report, checked, validate
from memoryfield_validator.reports import print_text

SOURCE = "\nhttps://example.com\n"
HINT = "Correct the link, or add the file it names to the root of the field."


def printed(field: Field, *, width: int = 80, color: bool = False) -> str:
    """What is printed about a field on a console of some width."""
    out = io.StringIO()
    kind: Literal["standard"] | None = "standard" if color else None
    print_text(
        checked(validate(field), field),
        Console(file=out, width=width, color_system=kind, force_terminal=color),
    )
    return out.getvalue()


def text_on(files: Files, *, width: int = 80, color: bool = False) -> str:
    """What is printed about files in an archive."""
    with inspect_field(archive(files), name=NAME) as field:
        return printed(field, width=width, color=color)


def excerpt(body: str) -> tuple[str, str]:
    """The line and the caret under it for the first dead link in a body."""
    lines = text_on({"a.md": page(body + SOURCE)}).splitlines()
    at = next(n for n, line in enumerate(lines) if "warning MF209" in line)
    return lines[at + 1], lines[at + 2]


def test_small_field_is_printed_exactly(tmp_path: Path) -> None:
    """Each finding has its place, its line with a caret, and its hint; the verdict comes last."""
    files = {"a.md": page("[b](B.md)" + SOURCE, title="no"), "b.md": page(number=1), ".x": ""}
    location = write_files(tmp_path / "field", files)
    with inspect_field(location) as field:
        pin = field.digest()
        text = printed(field)
    assert text == (
        f"{location}/.x info MF104 `.x` is debris, which readers ignore\n"
        "       hint: Delete the debris, or leave it out when packing.\n"
        f"{location}/a.md:2:8 error MF305 `title` must be text, but YAML 1.1 reads `no` as the "
        "truth value false\n"
        "     2 | title: no\n"
        "       |        ^\n"
        "       hint: quote it: title: 'no'\n"
        f"{location}/a.md:7:5 warning MF209 there is no `B.md` in the field\n"
        "     7 | [b](B.md)\n"
        "       |     ^\n"
        "       hint: did you mean `b.md`?\n"
        f"{location}: invalid, 2 pages, 1 error, 1 warning, 1 info, {pin}\n"
    )


def test_clean_field_is_one_line() -> None:
    """Where there is nothing to say, the verdict and the pin are all."""
    with inspect_field(archive({"a.md": page()}), name=NAME) as field:
        assert printed(field) == f"{NAME}: valid, 1 page, nothing to report, {field.digest()}\n"


def test_field_without_a_pin_shows_none() -> None:
    """Counts are in words and numbers; what is not there is not printed."""
    with inspect_field(b"", name=NAME) as field:
        text = printed(field)
    assert text.splitlines()[0] == f"{NAME} error MF601 the file is empty (0 bytes)"
    assert text.splitlines()[-1] == f"{NAME}: invalid, 0 pages, 1 error"


def test_folder_with_a_slash_gives_paths_that_open(tmp_path: Path) -> None:
    """A path in the report is one that an editor finds, however the location was written."""
    write_files(tmp_path / "field", {"a.md": page(title="no")})
    with inspect_field(f"{tmp_path}/field//") as field:
        path = printed(field).split(":")[0]
    assert path == f"{tmp_path}/field/a.md"
    assert Path(path).is_file()


def test_escape_sequences_and_directions_are_shown(tmp_path: Path) -> None:
    """Nothing from a field, be it name, title, text or message, reaches the terminal as it is."""
    hostile = "\x1b[2J\x9b31m\u202e\u2066\u200b\ufeff\U000e0041\r"
    files = {
        f"{hostile}.md": page(f"{hostile}\x00[{hostile}](<{hostile}.png>)\x00"),
        f"{hostile}.md~": "",
        "a.md": page(more="x: !<%1B%5D0;x%07> y\n"),
        "b.md": page(title=f"{hostile[8:11]} # {hostile[8:11]}", number=1),
        "c.md": page(title=f"[{hostile[8:11]}]", number=2, more='? !!binary "\\e[2J"\n: x\n'),
    }
    with inspect_field(write_files(tmp_path / f"field{hostile}", files)) as field:
        assert {one.rule for one in validate(field).findings} >= {
            "MF104", "MF201", "MF208", "MF209", "MF305", "MF312", "MF313"
        }  # fmt: skip
        text = printed(field)
    invisible = "\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f"
    assert not re.search(f"[\x00-\x09\x0b-\x1f\x7f-\x9f{invisible}]", text)
    for escape in (r"\x1b[2J", r"\x9b31m", r"\u{202e}", r"\u{2066}", r"\u{200b}", r"\u{e0041}"):
        assert escape in text
    assert r"\x1b]0;x\x07" in text


def test_colour_changes_nothing_but_colour() -> None:
    """With colour the text is the same, and the only sequences are those that colour it."""
    files: Files = {"a.md": page("\x1b[31m[x](x.md)", title="no"), "b.md": page(number=1)}
    colored = text_on(files, color=True)
    assert colored != text_on(files)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text_on(files)


def test_markup_is_text() -> None:
    """Square brackets and emoji names of a page are printed as they are, not obeyed."""
    body = "[x](x[bold].md) [red]x[/red] [/] [link=https://evil.example]x[/link] :smile: \\[bold]"
    text = text_on({"a.md": page(body), "[b]:x:[b].md": page(number=1)})
    assert f"     7 | {body}\n" in text
    assert "`x[bold].md`" in text
    assert f"{NAME}/[b]:x:[b].md error MF201" in text


@pytest.mark.parametrize("width", [20, 80, 1000])
def test_lines_are_never_wrapped(width: int) -> None:
    """A line of the report is one line on every console, so that it can be searched."""
    files = {"a.md": page("x " * 20 + "[x](x.md)" + SOURCE, title="no")}
    assert text_on(files, width=width) == text_on(files, width=5000)


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("", ""),
        ("abc ", "abc "),
        ("x\t", "x    "),
        ("a\tb\t", "a    b    "),
        ("鍋", "鍋"),
        ("🍳鍋é", "🍳鍋é"),
        ("e\u0301", "e\u0301"),
        ("\x1b", "\\x1b"),
        ("\u202e鍋\t", "\\u{202e}鍋    "),
        ("x\x85y\u2028", "x\\x85y\\u{2028}"),
    ],
)
def test_caret_stands_under_the_character(before: str, shown: str) -> None:
    """Tabs, wide, combining and escaped characters before it do not move the caret away."""
    line, caret = excerpt(f"{before}[x](x.md)")
    assert line == f"     7 | {shown}[x](x.md)"
    assert caret == "       | " + " " * (cell_len(shown) + 4) + "^"
    assert cell_len(line[: line.index("x.md")]) == len(caret) - 1


def test_line_end_is_no_part_of_the_line() -> None:
    """The CR of CRLF is not shown; one within a line is."""
    files = {"a.md": page("a\rb [x](x.md)\n" + SOURCE).replace("\n", "\r\n")}
    assert "     7 | a\\rb [x](x.md)\n" in text_on(files)


def test_long_lines_are_cut_around_the_caret() -> None:
    """Sixty characters before it and a hundred from it on are shown, and where it is cut."""
    line, caret = excerpt("a" * 80 + "b" * 56 + "[x](x.md)" + "c" * 96 + "d" * 50)
    assert line == "     7 | …" + "b" * 56 + "[x](x.md)" + "c" * 95 + "…"
    assert caret == "       | " + " " * 61 + "^"


def test_lines_that_just_fit_are_not_cut() -> None:
    """A line with no more than that on either side is shown whole."""
    body = "b" * 56 + "[x](x.md)" + "c" * 95
    line, caret = excerpt(body)
    assert line == f"     7 | {body}"
    assert caret == "       | " + " " * 60 + "^"


def test_column_behind_the_line_is_shown_there() -> None:
    """A finding at the end of a line has its caret behind the last character."""
    content = page("x" * (8192 - len(page(""))) + SOURCE)
    line, caret = text_on({"a.md": content}).splitlines()[1:3]
    assert line.endswith("x" * 60)
    assert len(caret) == len(line) + 1


def test_page_that_cannot_be_read_again_has_no_excerpt() -> None:
    """Where the source has gone away, or the line is not there, the finding is printed without."""

    class Gone:
        archive_name = None
        location = resolved = "field"
        notes = ()

        def page(self, name: str) -> object:
            if name == "a.md":
                raise SourceUnavailable("gone")
            return type("Short", (), {"text": "one line"})()

    findings = tuple(
        Finding("MF209", "warning", name, line, 1, "a message")
        for name, line in (("a.md", 1), ("b.md", 1), ("b.md", 2))
    )
    out = io.StringIO()
    report = Report("field", None, 1, findings)
    print_text(checked(report, Gone()), Console(file=out, width=80))  # type: ignore[arg-type]
    assert out.getvalue() == (
        "field/a.md:1:1 warning MF209 a message\n"
        "field/b.md:1:1 warning MF209 a message\n"
        "     1 | one line\n"
        "       | ^\n"
        "field/b.md:2:1 warning MF209 a message\n"
        "field: valid, 1 page, 3 warnings\n"
    )

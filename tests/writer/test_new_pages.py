"""A page is made from a title, a name, a text, or all of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validator.fields import report_on

from memoryfield_readers import InvalidBatch, is_page_name, read_frontmatter
from memoryfield_writer.new_pages import name_for, new_page

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
STATED = "'2026-12-01T12:00:00Z'"


def made(name: str = "steel-woks.md", **given: str) -> str:
    """The text of a new page; its random UUID is shown as one."""
    page = new_page(name, NOW, **given)
    assert page.name == name
    assert isinstance(page.text, bytes)
    return re.sub(r"(?<=^uuid: )[0-9a-f-]{36}", "UUID", page.text.decode(), flags=re.MULTILINE)


def block(*lines: str) -> str:
    given = "".join(f"{line}\n" for line in lines)
    return f"---\n{given}uuid: UUID\ncreated: {STATED}\nupdated: {STATED}\n---\n"


def test_a_name_alone() -> None:
    """The title is the name in words, and the heading of the page."""
    assert made() == block("title: Steel woks") + "# Steel woks\n"


def test_title_summary_and_text() -> None:
    """Each where it belongs."""
    page = made(title="Woks: of steel", summary="It's  so.", text="Two millimetres do.\n")
    assert page == (
        block("title: 'Woks: of steel'", "summary: 'It''s so.'")
        + "# Woks: of steel\n\nTwo millimetres do.\n"
    )


def test_the_heading_of_the_text_is_the_title() -> None:
    """It is not written twice."""
    assert made(text="# Iron\r\n\r\nText\r\n") == (
        block("title: Iron") + "# Iron\n\nText\n"
    ).replace("\n", "\r\n")
    assert made(title="Steel", text="# Iron\n") == block("title: Steel") + "# Iron\n"


def test_a_text_with_a_block_is_kept() -> None:
    """It gets what it lacks; what is said beside it would be said twice."""
    assert made(text="---\ntitle: x\n---\nText\n") == block("title: x") + "Text\n"
    with pytest.raises(InvalidBatch, match="block of its own"):
        new_page("a.md", NOW, text="---\ntitle: x\n---\n", summary="y")
    broken = "---\ntitle: a: b\n---\nText\n"
    assert made(text=broken) == broken


@pytest.mark.parametrize("title", ["", " \n", "a\x00b", "a\u202eb", "\x1b[2J"])
def test_what_is_no_line_of_text(title: str) -> None:
    """Such a title or summary is refused."""
    with pytest.raises(InvalidBatch, match="the title"):
        new_page("a.md", NOW, title=title)
    with pytest.raises(InvalidBatch, match="the summary"):
        new_page("a.md", NOW, summary=title)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Carbon fibre woks", "carbon-fibre-woks.md"),
        ("Größe & Gewicht (2. Fassung)", "grosse-gewicht-2-fassung.md"),
        ("Page", "page.md"),
        ("Pans - large -- and small", "pans-large-and-small.md"),
        ("notes.md and more", "notes-md-and-more.md"),
        ("a.markdown", "a-markdown.md"),
        ("x" * 300, "x" * 100 + ".md"),
    ],
)
def test_names(title: str, name: str) -> None:
    """Each is one that a page may have everywhere."""
    assert name_for(title) == name
    assert is_page_name(name)


@pytest.mark.parametrize("title", ["", "...", "\u9244\u934b", "\u202e"])
def test_titles_that_make_no_name(title: str) -> None:
    """Nothing is made up for them."""
    with pytest.raises(InvalidBatch, match="no page can be named"):
        name_for(title)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=60))
def test_any_title(title: str, summary: str, text: str) -> None:
    """Whatever is given, the page says it, and nothing is wrong with its frontmatter."""
    try:
        page = new_page("a.md", NOW, title=title, summary=summary, text=text)
    except InvalidBatch:
        return
    assert isinstance(page.text, bytes)
    fields = read_frontmatter(page.text.decode()).fields
    assert fields["title"] == " ".join(title.split())
    assert fields["summary"] == " ".join(summary.split())
    found = {each.rule for each in report_on({"a.md": page.text}).findings}
    assert not {rule for rule in found if rule.startswith("MF3")}

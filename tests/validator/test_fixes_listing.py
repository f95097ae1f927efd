"""A listing is made complete and true by whole lines, in the style that it has (MF402)."""

from __future__ import annotations

import pytest
from tests.validator.fields import Files, page, pages, uuid
from tests.validator.fixes_fields import assert_clean, fixable, mend, report_of

_SEE = "\n\nhttps://example.com/\n"


def titled(*names: str) -> Files:
    """Pages with titles that are made from their names."""
    return {
        name: page(title=name.removesuffix(".md").replace("-", " ").title(), number=n)
        for n, name in enumerate(names, start=1)
    }


def listing_after(body: str, files: Files, end: str = "\n") -> str:
    """The body of a listing after it has been mended; its block is never touched."""
    text = page(body, number=99, more="# a comment\n").replace("\n", end)
    mended = mend({**files, "listing.md": text}, lambda finding: finding.rule == "MF402")
    after = mended.page("listing.md").decode()
    head = text.removesuffix(body.replace("\n", end))
    assert after.startswith(head)
    left = [f for f in mended.after.findings if f.rule == "MF402" and f.fixable]
    assert left == []
    assert {change.name for change in mended.proposal.rewrites} <= {"listing.md"}
    return after.removeprefix(head).replace(end, "\n")


ADDED = [
    ("- [A](a.md)\n", "- [A](a.md)\n- [B](b.md)\n- [C C](c-c.md)\n"),
    ("* [A](./a.md)\n\nMore.\n", "* [A](./a.md)\n* [B](./b.md)\n* [C C](./c-c.md)\n\nMore.\n"),
    ("1. a.md\n", "1. a.md\n2. b.md\n3. c-c.md\n"),
    ("1) x\n2) a.md: steel\n", "1) x\n2) a.md: steel\n3) b.md\n4) c-c.md\n"),
    ("1. a.md\n1. b.md\n", "1. a.md\n1. b.md\n1. c-c.md\n"),
    ("+ `a.md` - steel\n", "+ `a.md` - steel\n+ `b.md`\n+ `c-c.md`\n"),
    ("- **a.md**\n", "- **a.md**\n- **b.md**\n- **c-c.md**\n"),
    ("- [a.md](a.md)\n", "- [a.md](a.md)\n- [b.md](b.md)\n- [c-c.md](c-c.md)\n"),
    ("- [`a.md`](a.md)\n", "- [`a.md`](a.md)\n- [`b.md`](b.md)\n- [`c-c.md`](c-c.md)\n"),
    ("- [ ] [A](a.md)\n", "- [ ] [A](a.md)\n- [ ] [B](b.md)\n- [ ] [C C](c-c.md)\n"),
    ("a.md\nText.\n", "a.md\nb.md\nc-c.md\nText.\n"),
    (
        "| Page | On |\n| --- | --- |\n| [A](a.md) | x |\n\nMore.\n",
        "| Page | On |\n| --- | --- |\n| [A](a.md) | x |\n"
        "| [B](b.md) |\n| [C C](c-c.md) |\n\nMore.\n",
    ),
    (
        "  - [A](a.md)\n    on steel\n    - [x](https://example.com/)\n  - other\n",
        "  - [A](a.md)\n    on steel\n    - [x](https://example.com/)\n"
        "  - [B](b.md)\n  - [C C](c-c.md)\n  - other\n",
    ),
    ("See a.md.\n", "See a.md.\n\n- [B](b.md)\n- [C C](c-c.md)\n"),
    ("See a.md.\n\n", "See a.md.\n\n- [B](b.md)\n- [C C](c-c.md)\n"),
    ("- [A](a.md)", "- [A](a.md)\n- [B](b.md)\n- [C C](c-c.md)"),
    ("See a.md.", "See a.md.\n\n- [B](b.md)\n- [C C](c-c.md)"),
    ("```\n- [B](b.md)\n```\n- a.md\n", "```\n- [B](b.md)\n```\n- a.md\n- b.md\n- c-c.md\n"),
]


@pytest.mark.parametrize(("before", "after"), ADDED, ids=[before for before, _ in ADDED])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_pages_that_are_missing_get_a_line(before: str, after: str, end: str) -> None:
    """After the last entry and in its style, or as a list at the end of the page."""
    assert listing_after(before, titled("a.md", "b.md", "c-c.md"), end) == after


REMOVED = [
    ("- [A](a.md)\n- [X](x.md)\n- [B](b.md)\n", "- [A](a.md)\n- [B](b.md)\n"),
    ("- a.md\n- x.md: gone\n- b.md\n- `x.md`\n", "- a.md\n- b.md\n"),
    ("a.md\nx.md\nb.md\n", "a.md\nb.md\n"),
    ("- a.md b.md\n- [x.md](x.md#y)", "- a.md b.md\n"),
    (
        "| Page |\n| --- |\n| a.md |\n| x.md |\n| b.md |\n",
        "| Page |\n| --- |\n| a.md |\n| b.md |\n",
    ),
    ("1. a.md\n2. x.md\n3. b.md\n", "1. a.md\n3. b.md\n"),
    ("- a.md\n- x.md\n\n- b.md\n", "- a.md\n\n- b.md\n"),
    ("- a.md\n- x.md\n  - y.md\n    - z.md\n- b.md\n", "- a.md\n- b.md\n"),
    ("- a.md\n- b.md\n- x.md\n\n  - y.md\n", "- a.md\n- b.md\n\n"),
    ("- a.md\n- b.md\n\n- x.md\n[y](y.md)\n", "- a.md\n- b.md\n\n"),
]


@pytest.mark.parametrize(("before", "after"), REMOVED, ids=[before for before, _ in REMOVED])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_pages_that_are_gone_go(before: str, after: str, end: str) -> None:
    """A line that only names a page which is not there goes whole, and no other."""
    assert listing_after(before, titled("a.md", "b.md"), end) == after


KEPT = [
    "See x.md for more.\n",
    "- as x.md says\n",
    "- x.md, https://example.com/\n",
    "- x.md and a.md\n",
    "- x.md y.md\n",
    "- x.md\n  is gone\n",
    "- x.md\nis gone\n",
    "- x.md\n  - and more\n",
    "- x.md\n\n  More of it.\n",
    "x.md\n====\n",
    "| x.md |\n| --- |\n| y |\n",
    "[x]: x.md\n",
    "- x.md\n\nSee x.md.\n",
    "- [a.md](x.md)\n",
    "- x.md <!-- y -->\n",
    "- x.md\n  - y.md\n\nSee y.md.\n",
    "    - [A](a.md)\n    - x.md\n\ny x.md\n",
]


@pytest.mark.parametrize("body", KEPT)
def test_lines_that_say_more_are_kept(body: str) -> None:
    """Where a name stands in what is more than an entry, nothing of it is touched."""
    text = page("- [A](a.md)\n- [B](b.md)\n\n" + body, number=9)
    report = report_of({**titled("a.md", "b.md"), "listing.md": text})
    assert [finding for finding in report.findings if finding.rule == "MF402"]
    assert [finding for finding in fixable(report) if finding.rule == "MF402"] == []


def test_lines_come_and_go_at_once() -> None:
    """All else is kept: comments, descriptions, what the list says besides."""
    body = "# Pages\n\nIntro.\n\n- [A](a.md): on steel <!-- x.md -->\n- [X](x.md)\n- other\n" + _SEE
    assert listing_after(body, titled("a.md", "b.md")) == body.replace(
        "- [X](x.md)\n", "- [B](b.md)\n"
    )


@pytest.mark.parametrize("title", ["See x.md", "[x]", "a](b", "`", "https://x", "<b>", "*", "a\\"])
def test_titles_that_mean_something_in_markdown(title: str) -> None:
    """A title that is more than words to Markdown is not put into a line; the name is."""
    quoted = "'" + title.replace("'", "''") + "'"
    files: Files = {"a.md": page(), "b-c.md": page(title=quoted, number=1)}
    assert listing_after("- [A](a.md)\n", files) == "- [A](a.md)\n- [B c](b-c.md)\n"


def test_titles_and_names_are_those_after_mending() -> None:
    """A page that gets its name or its title in the same run is listed with these."""
    files: Files = {
        "a.md": page(),
        "B b.md": page("# On steel\n" + _SEE, title=None, number=1),
        "listing.md": page("- [A](a.md)\n- [B](<B b.md>)\n- [Gone](c.md)\n" + _SEE, number=2),
        "d.md": page(title="Foo: bar", number=3),
        "e.md": "# Heading\n" + _SEE,
    }
    mended = mend(files)
    assert_clean(mended)
    assert mended.page("listing.md").decode() == page(
        "- [A](a.md)\n- [B](<b-b.md>)\n- [Foo: bar](d.md)\n- [Heading](e.md)\n" + _SEE, number=2
    )


def test_names_that_break_the_rule_are_linked() -> None:
    """A page whose name has no better one can be listed by a link alone."""
    files: Files = {"a.md": page(), "鍋 1.md": page(number=1)}
    after = listing_after("- a.md\n", files)
    assert after == "- a.md\n- [Steel](%E9%8D%8B%201.md)\n"


def test_a_listing_that_cannot_be_mended_is_said_to_be_none() -> None:
    """Where a line would be in code that is never closed, or the page is not UTF-8."""
    for body in ("```\n", "- x\n\n```\nb.md\n"):
        report = report_of({**titled("a.md"), "listing.md": page(body + _SEE, number=9)})
        assert [f.fixable for f in report.findings if f.rule == "MF402"] == [False]
    raw = page(_SEE, number=9).encode() + b"\xff"
    report = report_of({**titled("a.md"), "listing.md": raw})
    assert [f.fixable for f in report.findings if f.rule == "MF402"] == [False]


def test_more_names_than_are_told() -> None:
    """All lines go, also those beyond the findings that are told one by one."""
    body = "".join(f"- gone-{n}.md\n" for n in range(150)) + "- a.md\n"
    assert listing_after(body + _SEE, titled("a.md")) == "- a.md\n" + _SEE


def test_a_listing_of_its_own_alone() -> None:
    """`index.md` and the listing itself need no line."""
    files: Files = {"index.md": page(), "listing.md": page(_SEE, number=1)}
    assert mend(files).proposal.changes == ()
    assert uuid(1).encode() in mend({**files, **pages(1, first=2)}).page("listing.md")

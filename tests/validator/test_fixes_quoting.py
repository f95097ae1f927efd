"""Values that lack quotes get them, where that is the one right answer (MF301, MF304, MF305)."""

from __future__ import annotations

import pytest
from tests.validator.fields import BODY, page
from tests.validator.fixes_fields import fixable, mend, mended_text, proposal_for, report_of

from memoryfield_readers import Page, read_frontmatter
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_validator.fixes import Proposal, page_fixes
from memoryfield_validator.fixes.quoting import quoted


def rules_left(text: str) -> list[str]:
    """The rules that a page breaks and that nothing mends, nor is said to."""
    mended = mend({"a.md": text})
    assert fixable(mended.before) == []
    assert not mended.proposal.changes
    return [finding.rule for finding in mended.after.findings]


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-01", "2026-03-01T09:00:00Z", "2026-03-01 09:00:00", "2026-3-1 9:00:00.50 +2",
        "2026-02-30",
    ],
)  # fmt: skip
def test_dates_are_quoted_as_they_are_written(value: str) -> None:
    """The instant keeps its text, and the comment and the blanks after it stay."""
    text = page(created=f" {value}  \t# as told by Ann").replace("\n", "\r\n")
    assert mended_text(text) == text.replace(value, f"'{value}'")


@pytest.mark.parametrize(
    "value",
    ["no", "2026", "1.10", "12:30:00", "0x1F", "012", "1_000", "Yes", "<<", ".nan", "2026-03-01"],
)
@pytest.mark.parametrize("field", ["title", "summary"])
def test_strings_that_yaml_misreads_are_quoted_as_they_are_written(field: str, value: str) -> None:
    """Not what YAML made of the value is written, but what stands there."""
    title = None if field == "title" else "Steel"
    text = page(more=f"{field}:  {value} # yes\n", title=title)
    assert mended_text(text) == text.replace(f"  {value} #", f"  '{value}' #")


def test_several_values_in_a_flow_mapping() -> None:
    """Each value is quoted where it stands, also if they stand in one line."""
    text = (
        f"---\n{{title: no, uuid: '{'0' * 36}', created: 2026-03-01, updated: 2026-03-02}}\n---\n"
    )
    assert mended_text(text) == text.replace("no", "'no'").replace(
        "2026-03-01", "'2026-03-01'"
    ).replace("2026-03-02", "'2026-03-02'")


@pytest.mark.parametrize(
    "block",
    [
        "title: ~", "title:", "title: null", "title: !!int 12", "title: &x 12",
        "x: &x 12\ntitle: *x", "x: &x {title: no}\n<<: *x", "title: [no]", "title: {a: b}",
        "title: 2026-03-01\n  12:00:00", "title: C# # tips",
    ],
)  # fmt: skip
def test_values_that_have_no_one_answer(block: str) -> None:
    """Nothing is proposed for no value, for one with a tag or an anchor, or written elsewhere."""
    assert "MF305" in rules_left(page(title=None, more=f"{block}\n"))


@pytest.mark.parametrize(
    "block",
    ["d: &d 2026-03-01\ncreated: *d", "created: &d 2026-03-01", "created: !!timestamp 2026-03-01"],
)
def test_dates_that_have_no_one_answer(block: str) -> None:
    """Quotes would swallow an anchor or a tag, and an alias is written elsewhere."""
    assert rules_left(page(created=None, more=f"{block}\n"))[0] == "MF304"


@pytest.mark.parametrize("value", ["12", "2026", "2026-01-01"])
def test_what_is_no_uuid_is_none_in_quotes(value: str) -> None:
    """A number is no UUID, however it is written."""
    assert rules_left(page(uuid=value)) == ["MF305"]


def test_of_two_equal_keys_the_last_counts() -> None:
    """The value that readers see is mended, the other one is left."""
    text = page(title="no", more="title: yes\n")
    assert "title: no\n" in mended_text(text)
    assert "title: 'yes'\n" in mended_text(text)


@pytest.mark.parametrize(
    "value",
    [
        "Foo: bar", "Foo bar:", "a: b: c", "it's: so", "@home", "`code` and: more", "%d heads",
        "*x", "*bold* words", "& x", "[WIP] x", "[a] (b)", "{a} b", "| x", "> x", "a:\tb",
        'the "x": y', "C#: a language", "é: ü", "https://example.com: a site",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_values_that_break_a_block_are_quoted_whole(value: str, end: str) -> None:
    """The whole value is quoted; the blanks after it and all other lines stay."""
    text = page(title=f"{value} \t", more="tags: [a, b]  # c\n").replace("\n", end)
    after = mended_text(text)
    assert after == text.replace(value, quoted(value), 1)
    assert read_frontmatter(after).fields["title"] == value


def test_each_line_at_fault_is_mended() -> None:
    """Also where several lines break the block, and what they hid is mended then."""
    text = page(title="a: b", created="2026-03-01T09:00:00Z", more="summary: `x`: y\nx: @z\n")
    assert mended_text(text) == page(
        title="'a: b'", created="'2026-03-01T09:00:00Z'", more="summary: '`x`: y'\nx: '@z'\n"
    )


@pytest.mark.parametrize(
    "block",
    [
        "title: a: b # c",  # a comment may be meant
        "title: {{ title }}: x",  # a placeholder may want to be filled in
        "title: {% x %}",
        "title: a\n  b: c",  # it goes over two lines
        "title: a: b\n  c",
        "title: 'a: b",  # a quote is left open
        'title: "a" b',
        "tags: [a, b",  # a list was meant
        "tags: [a: b: c]",
        "x: &x 1\ntitle: *y",  # another anchor may be meant
        "x:\n  title: a: b",  # it is not at the top
        "- title: a: b",
        "title: a: b\n\tx: y",  # another line breaks it, too
        "title: a: b\nx: !y z",
        "title: a: b\nx: 'y",
        "title: a: b\x07",
        'x: "a\ntitle: b: c\ny: d\\q"',  # it is part of another value
        'x: "a\ntitle: b: c\nd"\ny: e: f',
    ],
)
def test_blocks_that_have_no_one_answer(block: str) -> None:
    """A block is left as it is where quotes may not be what is meant, or do not mend it."""
    report = report_of({"a.md": f"---\n{block}\n---\n{BODY}"})
    assert {"MF301", "MF312"} & {finding.rule for finding in report.findings}
    assert fixable(report) == []


def test_a_line_within_another_value_is_no_line_of_the_block() -> None:
    """A value in quotes may hold what looks like a line at fault: nothing of it is touched."""
    text = page(title=None, more='summary: "a\n\n title: b: c"\ntitle: d: e\n')
    assert mended_text(text) == text.replace("d: e", "'d: e'")


def test_a_block_that_would_be_too_large() -> None:
    """Where quotes would take a block beyond its bound, it is left."""
    filler = f"x: '{'y' * 65_000}'\n"
    text = page(title="a: b", more=filler)
    assert fixable(report_of({"a.md": text})) == []
    assert fixable(report_of({"a.md": page(title="no", more=filler)})) == []
    assert mended_text(page(title="no", more=filler.replace("y" * 5000, "")))


def test_a_byte_order_mark_is_taken_off_whole() -> None:
    """Also where there are several, which hid the block."""
    assert mended_text("\ufeff" + page()) == page()
    assert mended_text("\ufeff\ufeff\ufeff" + page(title="no")) == page(title="'no'")


def test_a_byte_order_mark_that_is_not_asked_for_stays() -> None:
    """Only what is wanted is mended: the mark stays where it is."""
    mended = mend({"a.md": "\ufeff" + page(title="no")}, lambda found: found.rule == "MF305")
    assert mended.page().decode() == "\ufeff" + page(title="'no'")
    assert [finding.rule for finding in mended.proposal.findings] == ["MF305"]


def test_findings_that_are_not_wanted_are_left() -> None:
    """Of two values only the one is quoted whose finding is wanted."""
    text = page(title="no", more="summary: yes\n")
    mended = mend({"a.md": text}, lambda found: found.line == 6)
    assert mended.page().decode() == text.replace("yes", "'yes'")


def test_quotes_within_a_value_are_doubled() -> None:
    """A value reads back as it was."""
    text = "'it''s' \\n \" x"
    raw = f"---\ntitle: {quoted(text)}\n---\n".encode()
    read = Page("a.md", raw, Entry("a.md", EntryKind.FILE, len(raw)))
    assert read.frontmatter.fields == {"title": text}


def test_a_step_that_changes_another_field_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a step does: a field that no finding speaks of says what it said."""
    text = page(title="no", more="summary: A pan.\n")
    meddling = (frozenset({"MF305"}), lambda *_: page(title="'no'", more="x: y\n").encode())
    monkeypatch.setattr(page_fixes, "_STEPS", (meddling,))
    assert proposal_for({"a.md": text}) == Proposal()

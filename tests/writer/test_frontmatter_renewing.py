"""An edit keeps `uuid` and `created` and renews `updated`, and no other byte changes (MF909)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.validator.fields import BODY, page, uuid
from tests.validator.test_fixes_any_page import LINE_ENDS, LINES

from memoryfield_readers import FrontmatterState, read_frontmatter
from memoryfield_writer.frontmatter import renewed

NOW = datetime(2026, 12, 1, 12, 0, 0, 999_999, tzinfo=UTC)
STATED = "2026-12-01T12:00:00Z"
OLD = page()


def renewed_text(before: str, after: str, now: datetime = NOW) -> str:
    return renewed(before.encode(), after.encode(), now).decode()


def block(lines: str, body: str = BODY) -> str:
    return f"---\n{lines}---\n{body}"


def test_one_line_changes() -> None:
    """The value of `updated`, and nothing else."""
    after = OLD + "One line more.\n"
    assert renewed_text(OLD, after) == after.replace("2026-08-22T14:30:00Z", STATED)


def test_what_is_as_it_was_is_no_edit() -> None:
    """It stays as it is to the byte."""
    assert renewed_text(OLD, OLD) == OLD


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("updated: 2026-01-01", f"updated: '{STATED}'"),
        ('updated: "2026-01-01"  # of the plant', f"updated: '{STATED}'  # of the plant"),
        ("updated :   '2026-01-01'  ", f"updated :   '{STATED}'  "),
        ("updated:", f"updated: '{STATED}'"),
        ("updated: # never", f"updated: '{STATED}' # never"),
        ("updated: !!str 2026-01-01", f"updated: '{STATED}'"),
        ("? updated\n: 2026-01-01", f"? updated\n: '{STATED}'"),
        ("'updated': soon", f"'updated': '{STATED}'"),
        ("updated:\n  2026-01-01", f"updated:\n  '{STATED}'"),
        (
            "{updated: 2026-01-01, title: x, uuid: y, created: z}",
            f"{{updated: '{STATED}', title: x, uuid: y, created: z}}",
        ),
        (
            "updated: 2026-01-01\nx: 1\nupdated: 2026-01-02",
            f"updated: 2026-01-01\nx: 1\nupdated: '{STATED}'",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_value_alone_changes(line: str, wanted: str, end: str, mark: str) -> None:
    """Key, place, blanks, comment, line ends and byte-order mark are kept."""
    before = mark + block(f"a: 1\n{line}\nz: 2\n" if line[0] != "{" else f"{line}\n")
    after = (before + "More.\n").replace("\n", end)
    expected = (before.replace(line, wanted) + "More.\n").replace("\n", end)
    assert renewed_text(before.replace("\n", end), after) == expected


@pytest.mark.parametrize(
    "lines",
    [
        "updated: &a 2026-01-01\nx: *a\n",
        "x: &a 2026-01-01\nupdated: *a\n",
        "updated: >-\n  2026-01-01\n",
        "updated: 'on two\n  lines'\n",
        "updated: [2026-01-01]\n",
        "b: &b {updated: 2026-01-01}\n<<: *b\n",
        "updated: a: b\n",
    ],
)
def test_what_has_no_right_answer_stays(lines: str) -> None:
    """A value that others name, that stands elsewhere or on several lines; a broken block."""
    before = block(lines)
    assert renewed_text(before, before + "More.\n") == before + "More.\n"


def test_updated_on_purpose_stays() -> None:
    """Who writes another `updated` means it."""
    after = OLD.replace("2026-08-22T14:30:00Z", "2026-09-01T00:00:00Z")
    assert renewed_text(OLD, after) == after
    assert renewed_text(block("title: x\n"), after) == after


def test_missing_lines_are_put_back() -> None:
    """`uuid` and `created` of the old page, and `updated`, at the end of the block."""
    after = block("title: Iron\nsummary: New.\n", "New.\n")
    wanted = (
        f"title: Iron\nsummary: New.\nuuid: {uuid()}\ncreated: '2026-03-01T09:00:00Z'\n"
        f"updated: '{STATED}'\n"
    )
    assert renewed_text(OLD, after) == block(wanted, "New.\n")


def test_nothing_is_made_up() -> None:
    """A page that never had `uuid` and `created` gets none by an edit."""
    before, after = block("title: x\n"), block("title: y\n")
    assert renewed_text(before, after) == block(f"title: y\nupdated: '{STATED}'\n")
    assert renewed_text("Text\n", "Other text\n") == "Other text\n"


def test_uuid_and_created_on_purpose_stay() -> None:
    """Also where they are empty now."""
    after = page(number=7, created="'2020-01-01T00:00:00Z'", updated=f"'{STATED}'")
    assert renewed_text(OLD, after) == after
    emptied = block(f"uuid:\ncreated:\nupdated: '{STATED}'\n")
    assert renewed_text(OLD, emptied) == emptied


def test_a_text_without_a_block_keeps_the_whole_block() -> None:
    """Each field, comment and blank of it, in the line ends of the text; `updated` is renewed."""
    lines = "# who\ntitle: Steel\nsummary: Hard.\ntags: [a,  b]\nupdated: 2026-01-01  # by hand\n"
    wanted = lines.replace("2026-01-01", f"'{STATED}'")
    before = block(lines)
    assert renewed_text(before, "# Iron\n") == block(wanted, "# Iron\n")
    assert renewed_text("\ufeff" + before.replace("\n", "\r\n"), "Iron\n") == block(
        wanted, "Iron\n"
    )
    windows = renewed_text(before, "# Iron\r\n")
    assert windows == block(wanted, "# Iron\n").replace("\n", "\r\n")
    assert renewed_text("---\ntitle: x\n---", "Iron\n") == block(
        f"title: x\nupdated: '{STATED}'\n", "Iron\n"
    )
    assert renewed_text(block("title: a: b\n"), "Iron\n") == "Iron\n"


@pytest.mark.parametrize("text", ["", " \n", "+++\nx = 1\n+++\nText\n", "title: x\n\nText\n"])
def test_no_block_where_one_may_be_meant(text: str) -> None:
    """Or where there is no text."""
    assert renewed_text(OLD, text) == text


def test_odd_values_are_not_taken_over() -> None:
    """A `created` that is no date, or a text of several lines, would be a fault we make."""
    before = block("uuid: >\n  a\n\n  b\ncreated: soon\ntitle: x\n")
    after = renewed_text(before, block("title: x\n", "New.\n"))
    assert after == block(f"title: x\nupdated: '{STATED}'\n", "New.\n")
    quoted = renewed_text(block("uuid: '12'\n"), block("title: x\n"))
    assert "uuid: '12'\n" in quoted


def test_updated_is_never_before_created() -> None:
    """A page made by a clock that runs ahead is changed in the second it was made (MF310)."""
    before = page(created="'2030-01-01T00:00:00+02:00'", updated="'2030-01-01T00:00:00+02:00'")
    assert "updated: '2029-12-31T22:00:00Z'" in renewed_text(before, before + "More.\n")
    cut = before.replace("created: '2030-01-01T00:00:00+02:00'\n", "")
    after = renewed_text(before, cut)
    assert "created: '2030-01-01T00:00:00+02:00'\n" in after
    assert "updated: '2029-12-31T22:00:00Z'\n" in after


def test_bytes_that_are_no_text_stay() -> None:
    """On either side."""
    assert renewed(OLD.encode(), b"\xff", NOW) == b"\xff"
    after = renewed(b"\xff", block("title: x\n").encode(), NOW).decode()
    assert after == block(f"title: x\nupdated: '{STATED}'\n")


def check(before: str, after: str) -> None:
    """Nothing changes but that one value and lines at the end of the block; once is enough."""
    result = renewed_text(before, after)
    assert renewed_text(before, result) == result
    if result == after:
        return
    old = read_frontmatter(after.removeprefix("\ufeff"))
    new = read_frontmatter(result.removeprefix("\ufeff"))
    assert new.state is FrontmatterState.PARSED
    if old.state is FrontmatterState.ABSENT:
        assert result.endswith(after.removeprefix("\ufeff"))
        return
    body = after.removeprefix("\ufeff")[old.body_offset :]
    assert result.endswith(body)
    kept = {name: value for name, value in old.fields.items() if name != "updated"}
    assert {name: new.fields[name] for name in kept} == kept
    lines, results = after.split("\n"), result.split("\n")
    differing = [
        number
        for number, (one, other) in enumerate(zip(lines, results, strict=False))
        if one != other
    ]
    if len(lines) == len(results):
        assert len(differing) == 1
        [number] = differing
        assert STATED in results[number] or "updated: '" in results[number]
        assert results[number].endswith("\r") == lines[number].endswith("\r")
    assert new.fields["updated"] == old.fields.get("updated") or str(
        new.fields["updated"]
    ).endswith("Z")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(LINES, max_size=5),
    st.lists(LINES, max_size=5),
    LINE_ENDS,
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["updated: 2026-01-01", "updated:", "x: 1", "updated: '2026-01-01' # c"]),
)
@example([], ["{title: no}"], "\r\n", "\ufeff", "x: 1")
def test_any_blocks(old: list[str], new: list[str], end: str, mark: str, line: str) -> None:
    """Whatever stands in the two, with and without the same `updated` in both."""
    before = "\n".join(["---", line, *old, "---", BODY])
    after = mark + "\n".join(["---", *new, line, "---", BODY, "More."]).replace("\n", end)
    check(before, after)
    check(OLD, after)
    check(before, mark + "# A heading\n")

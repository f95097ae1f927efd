"""A new page gets the fields that it lacks, and keeps every byte that it has."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.validator.fields import BODY, page, report_on
from tests.validator.test_any_page import MARKDOWN, YAML
from tests.validator.test_fixes_any_page import LINE_ENDS, LINES

from memoryfield_readers import FrontmatterState, read_frontmatter
from memoryfield_writer.frontmatter import filled

NOW = datetime(2026, 12, 1, 12, 0, 0, 999_999, tzinfo=UTC)
STATED = "2026-12-01T12:00:00Z"
FIELDS = ("title", "uuid", "created", "updated")
ADDED = re.compile(
    r" *(?:title: .+|uuid: [0-9a-f-]{36}|(?:created|updated): '[0-9]{4}-[0-9TZ:-]+')\r?\n"
)


def filled_text(text: str, name: str = "steel-woks.md", now: datetime = NOW) -> str:
    """A text filled in, with the random UUID that it may have got shown as one."""
    after = filled(text.encode(), name, now).decode()
    return re.sub(r"(?<=^uuid: )[0-9a-f-]{36}", "UUID", after, flags=re.MULTILINE)


def test_a_text_gets_a_block() -> None:
    """The title is that of its heading, and both times are now."""
    block = f"---\ntitle: Steel\nuuid: UUID\ncreated: '{STATED}'\nupdated: '{STATED}'\n---\n"
    assert filled_text("# Steel\n\nText\n") == f"{block}# Steel\n\nText\n"


def test_without_a_heading_the_name_is_the_title() -> None:
    """In words."""
    assert "title: Steel woks\n" in filled_text("Text\n")


def test_a_title_that_yaml_would_misread_is_quoted() -> None:
    """So that it is text to everyone."""
    assert "title: 'no'\n" in filled_text("# no\n")
    assert "title: 'It''s: so'\n" in filled_text("# It's: so\n")


@pytest.mark.parametrize("missing", FIELDS)
def test_what_is_missing_is_added_at_the_end(missing: str) -> None:
    """What is there is not touched, in whatever order and form."""
    lines = {
        "title": "title:   Iron # mine",
        "uuid": "uuid: 0B5F1F2E-7F0E-4D0C-9A55-000000000000",
        "created": "created: '2026-12-01T12:00:00Z'",
        "updated": "updated: '2026-12-01T12:00:00Z'",
    }
    text = "---\nx: [1,\n  2]\n" + "".join(f"{lines[n]}\n" for n in FIELDS if n != missing)
    wanted = {"title": "Steel woks", "uuid": "UUID"}.get(missing, f"'{STATED}'")
    assert filled_text(f"{text}---\n{BODY}") == f"{text}{missing}: {wanted}\n---\n{BODY}"


def test_a_new_uuid_each_time() -> None:
    """Two pages never get one."""
    assert filled(b"# A\n", "a.md", NOW) != filled(b"# A\n", "a.md", NOW)


def test_nothing_missing_nothing_changed() -> None:
    """Byte for byte."""
    raw = page().encode()
    assert filled(raw, "a.md", NOW) == raw


def test_times_are_in_order_with_what_the_page_states() -> None:
    """A page made in the future was not changed before, one changed in the past not made later."""
    later = filled_text("---\ncreated: '2030-01-01T00:00:00.5Z'\n---\nText\n")
    assert "updated: '2030-01-01T00:00:01Z'\n" in later
    earlier = filled_text("---\nupdated: '2020-01-01T00:00:00Z'\n---\nText\n")
    assert "created: '2020-01-01T00:00:00Z'\n" in earlier


def test_time_is_in_utc() -> None:
    """Whatever zone the clock is in."""
    berlin = NOW.astimezone(timezone(timedelta(hours=1)))
    assert f"created: '{STATED}'\n" in filled_text("Text\n", now=berlin)
    assert "created: '1969-12-31T23:59:59Z'" in filled_text(
        "Text\n", now=datetime(1969, 12, 31, 23, 59, 59, 5, tzinfo=UTC)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\n",
        "---\ntitle: a: b\n---\nText\n",
        "---\ntitle: never closed\n",
        "+++\ntitle = 'TOML'\n+++\nText\n",
        "title: no rule\n---\nText\n",
        "---\n- a list\n---\nText\n",
        "---\n{title: flow}\n---\nText\n",
    ],
)
def test_where_there_is_no_right_answer_nothing_is_done(text: str) -> None:
    """A broken block, one in another form, one that takes no line, no text."""
    assert filled_text(text) == text


def test_bytes_that_are_no_text_stay() -> None:
    """MF202 is told of them, and nothing is made worse."""
    assert filled(b"\xff\xfe", "a.md", NOW) == b"\xff\xfe"


def check(text: str) -> None:
    """The page has what it had, and lines of whole fields beside; a second time adds none."""
    before = text.encode()
    after = filled(before, "a.md", NOW)
    assert filled(after, "a.md", NOW) == after
    if after == before:
        return
    old = read_frontmatter(text.removeprefix("\ufeff"))
    new = read_frontmatter(after.decode().removeprefix("\ufeff"))
    assert new.state is FrontmatterState.PARSED
    assert set(FIELDS) <= set(new.nodes)
    assert {name: new.fields[name] for name in old.fields} == old.fields
    rest = after.decode()
    at = len(text.removeprefix("\ufeff")) - old.offset - len(old.source)
    end = len(rest) - at  # of the block, or of the text's beginning where it had none
    if old.state is FrontmatterState.PARSED:
        start = len(text) - at
        assert rest[:start] == text[:start]
        assert rest[end:] == text[start:]
        assert ADDED.sub("", rest[start:end]) == ""
    else:
        assert rest.endswith(text.removeprefix("\ufeff"))
    assert report_on({"a.md": after}).verdict == report_on({"a.md": before}).verdict


@settings(max_examples=120, deadline=None)
@given(st.lists(LINES, max_size=6), LINE_ENDS, st.sampled_from(["", "\ufeff"]))
@example(["title: a"], "\r\n", "\ufeff")
def test_any_block(lines: list[str], end: str, mark: str) -> None:
    """Whatever lines stand in it."""
    check(mark + "\n".join(["---", *lines, "---", BODY]).replace("\n", end))


@settings(max_examples=80, deadline=None)
@given(st.lists(YAML | MARKDOWN, max_size=12).map("".join))
def test_any_text(text: str) -> None:
    """With a block, without one, or with what looks like one."""
    check(text)
    check(f"---\n{text}\n---\nText\n")

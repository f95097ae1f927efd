"""Fields and blocks that are missing are added, and no line that is there is changed."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.validator.fields import BODY, archive, page, uuid, write_files
from tests.validator.fixes_fields import fixable, mend, mended_text, numbered_uuids, report_of

from memoryfield_readers import Field, Page, inspect_field, read_frontmatter
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_validator import Report, validate
from memoryfield_validator.fixes import apply, births_in, propose
from memoryfield_validator.fixes.missing_fields import field_splices
from memoryfield_validator.fixes.titles import title_for, title_from_name

NOW = 1_772_355_600  # 2026-03-01T09:00:00Z
THEN = "'2026-03-01T09:00:00Z'"


def folder_of(tmp_path: Path, text: str, *, seconds: int = NOW, name: str = "a.md") -> Path:
    """A folder with one page that was last changed at some time."""
    folder = write_files(tmp_path / "field", {name: text})
    os.utime(folder / name, ns=(seconds * 10**9, seconds * 10**9 + 999_999_999))
    return folder


def mended_on_disk(folder: Path, born: datetime | None = None, name: str = "a.md") -> str:
    """The text of a page after its folder has been mended."""
    with inspect_field(folder) as field:
        proposal = propose(
            field,
            validate(field),
            judge=validate,
            born=lambda _: born,
            new_uuid=numbered_uuids(),
        )
    apply(proposal, folder)
    return (folder / name).read_bytes().decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_fields_are_added_at_the_end_of_the_block(end: str, tmp_path: Path) -> None:
    """In the order of the standard, after all that is there, in the line ends of the page."""
    text = f"---\n# a comment\nx: |\n  a\n\nuuid: '{uuid()}'\n\n---\n# Steel\n\n{BODY}"
    added = f"title: Steel\ncreated: {THEN}\nupdated: {THEN}\n"
    wanted = text.replace("\n\n---\n", f"\n\n{added}---\n")
    folder = folder_of(tmp_path, text.replace("\n", end))
    assert mended_on_disk(folder) == wanted.replace("\n", end)


def test_a_block_is_put_before_the_text(tmp_path: Path) -> None:
    """A page without one gets a block of four fields, and keeps its text and its missing end."""
    folder = folder_of(tmp_path, "# On *steel*\r\n\r\nSource: a book", name="on-steel.md")
    assert mended_on_disk(folder, name="on-steel.md") == (
        "---\r\ntitle: On steel\r\nuuid: 00000000-0000-4000-8000-000000000001\r\n"
        f"created: {THEN}\r\nupdated: {THEN}\r\n---\r\n# On *steel*\r\n\r\nSource: a book"
    )


@pytest.mark.parametrize(
    "text",
    [
        "", "\n \n", "---\n\nProse.\n\n---\n", "\n---\ntitle: x\n---\n", "+++\nx = 1\n+++\n",
        "title: Steel\n\nText.\n", "----\n", "---\rtitle: x\r---\r", "\x00---\ntitle: x\n---\n",
    ],
)  # fmt: skip
def test_no_block_where_one_may_be_meant(text: str) -> None:
    """A rule, a block in the wrong place or in another form, and nothing at all are left alone."""
    report = report_of({"a.md": text})
    assert "MF204" in {finding.rule for finding in report.findings}
    assert fixable(report) == []


@pytest.mark.parametrize(
    "block",
    ["{x: 1}", "!!map\nx: 1", "x: 1\n\t", "? - a\n: b", "x: 1\ny: 'a\n\n b'", "&a\nx: 1", "  x: 1"],
)
def test_blocks_of_any_form(block: str) -> None:
    """A field is added only if it is then one more field and all others are what they were."""
    text = f"---\n{block}\n---\n{BODY}"
    mended = mend({"a.md": text})
    after = mended.page().decode()
    if not fixable(mended.before):
        assert after == text
        return
    fields = read_frontmatter(text).fields
    added = read_frontmatter(after).fields
    assert {name: added[name] for name in fields} == fields
    assert {"title", "uuid", "created", "updated"} <= set(added)
    assert after.startswith(text.removesuffix(f"---\n{BODY}"))
    assert after.endswith(f"---\n{BODY}")


def test_keys_that_are_indented_get_one_like_them() -> None:
    """A new field stands in the column of the others."""
    text = f"---\n  title: Steel\n  uuid: {uuid()}\n  created: {THEN}\n---\n{BODY}"
    assert "\n  updated: '" in mended_text(text)


def test_a_mapping_in_braces_takes_no_line() -> None:
    """It has no line for a field of its own."""
    report = report_of({"a.md": f"---\n{{x: 1}}\n---\n{BODY}"})
    assert [finding.rule for finding in report.findings] == ["MF303"] * 4
    assert fixable(report) == []


@pytest.mark.parametrize(
    ("born", "created"),
    [
        (None, THEN),
        (datetime(2025, 12, 31, 23, 0, 0, 700, UTC), "'2025-12-31T23:00:00Z'"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2))), "'2025-12-31T22:00:00Z'"),
        (datetime(2026, 8, 1, tzinfo=UTC), THEN),
    ],
)
def test_created_is_the_earlier_of_birth_and_change(
    born: datetime | None, created: str, tmp_path: Path
) -> None:
    """What was copied is born after it was last changed; `updated` is the last change."""
    folder = folder_of(tmp_path, page(created=None, updated=None))
    fields = read_frontmatter(mended_on_disk(folder, born)).fields
    assert (repr(fields["created"]), repr(fields["updated"])) == (created, THEN)


@pytest.mark.parametrize(
    ("field", "stated", "other"),
    [
        ("created", "2026-08-01T00:00:00+02:00", "2026-07-31T22:00:00Z"),
        ("created", "2026-08-01T00:00:00.25Z", "2026-08-01T00:00:01Z"),
        ("created", "2026-08-01", "2026-08-01T00:00:00Z"),
        ("created", "2026-08-01T10:00:00", "2026-08-01T10:00:00Z"),
        ("created", "2025-01-01T00:00:00Z", "2026-03-01T09:00:00Z"),
        ("created", "9999-12-31T23:59:59-12:00", "2026-03-01T09:00:00Z"),
        ("updated", "2025-01-01T00:00:00.75Z", "2025-01-01T00:00:00Z"),
        ("updated", "2026-08-01T00:00:00Z", "2026-03-01T09:00:00Z"),
        ("updated", "yesterday", "2026-03-01T09:00:00Z"),
    ],
)
def test_times_are_in_order_with_the_one_that_is_stated(
    field: str, stated: str, other: str, tmp_path: Path
) -> None:
    """What a page says of itself counts for more than its file's time (MF310)."""
    missing = {"created": "updated", "updated": "created"}[field]
    text = page(created=None, updated=None, more=f"{field}: '{stated}'\n")
    folder = folder_of(tmp_path, text)
    fields = read_frontmatter(mended_on_disk(folder)).fields
    assert (fields[field], fields[missing]) == (stated, other)


@pytest.mark.parametrize("seconds", [0, 1, 253_402_300_799])
def test_times_at_the_ends_of_the_calendar(seconds: int) -> None:
    """A time is written with all its digits, whatever a file system says."""
    text = page(created=None)
    entry = Entry("a.md", EntryKind.FILE, len(text), seconds * 10**9)
    (splice,) = field_splices(Page("a.md", text.encode(), entry), ["created"], lambda _: None, str)
    assert read_frontmatter(f"---\n{splice.text}---\n").fields["created"][4] == "-"


@pytest.mark.parametrize(
    ("seconds", "born"),
    [
        (NOW + 0.5, datetime(2026, 3, 1, 9, 0, 0, 500_000, UTC)),
        (0.0, None),
        (-5.0, None),
        (1e20, None),
        (None, None),
    ],
)
def test_birth_of_a_file(
    seconds: float | None, born: datetime | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known where the system keeps it, and it is a time that a calendar has."""
    status = SimpleNamespace() if seconds is None else SimpleNamespace(st_birthtime=seconds)
    monkeypatch.setattr(os, "stat", lambda path: status)
    assert births_in(tmp_path)("a.md") == born


def test_birth_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A file that is gone by now has no birth that is known."""
    assert births_in(tmp_path)("a.md") is None


def title_of(body: str, name: str = "carbon-fibre-woks.md") -> str:
    """The title that a page with some body gets."""
    raw = body.encode()
    return title_for(Page(name, raw, Entry(name, EntryKind.FILE, len(raw))))


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Steel\n", "Steel"),
        ("Text.\n\n## Steel woks ##\n\n# More\n", "Steel woks"),
        ("   ###\tSteel\r\n", "Steel"),
        ("# C#\n", "C#"),
        ("# `no` is *not* **bold** or _it_, snake_case\n", "no is not bold or it, snake_case"),
        ("# `*args` and [a link](b.md), ![x](y.png) \\*\n", "*args and a link, x *"),
        ("Steel\n=====\n", "Steel"),
        ("Text.\r\n\r\nSteel\r\n---\r\n", "Steel"),
        ("```\n# code\n```\n# Steel\n", "Steel"),
        ("<!--\n# comment\n-->\n# Steel <!-- x -->\n", "Steel"),
        ("    # code\n", "Carbon fibre woks"),
        ("#Steel\n", "Carbon fibre woks"),
        ("# \n#\n", "Carbon fibre woks"),
        ("# ###\n", "Carbon fibre woks"),
        ("- Steel\n---\n", "Carbon fibre woks"),
        ("Two\nlines\n---\n", "Carbon fibre woks"),
        ("", "Carbon fibre woks"),
        ("# \x1b[31mSteel\u2028\x00 a\n", "[31mSteel a"),
        (f"# {'word ' * 100}\n", ("word " * 40).strip()),
        (f"# {'x' * 3000}\n", "x" * 200),
    ],
)
def test_title_is_the_first_heading_or_the_name(body: str, title: str) -> None:
    """A heading outside of code and comments, without its Markdown, in one line of any length."""
    assert title_of(body) == title


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("carbon-fibre-woks.md", "Carbon fibre woks"),
        ("a.md", "A"),
        ("7-zip.md", "7 zip"),
        ("Crème_brûlée.md", "Crème brûlée"),
        ("\udcff.md", "Page"),
        ("---.md", "Page"),
    ],
)
def test_a_name_in_words(name: str, title: str) -> None:
    """Hyphens are blanks, and the first letter is a capital."""
    assert title_from_name(name) == title


@pytest.mark.parametrize(
    "heading",
    ["no", "12:30:00", "a: b", "it's", "# x", "2026", "y", "[x]", "{x}", "é", "- x", "NULL"],
)
def test_titles_are_text_to_every_parser(heading: str) -> None:
    """A title is quoted unless it is surely read as the text it is."""
    text = mended_text(page(f"# {heading}\n\nhttps://example.com/\n", title=None))
    assert read_frontmatter(text).fields["title"] == heading
    line = next(line for line in text.split("\n") if line.startswith("title: "))
    assert line.startswith("title: '")


def test_uuids_are_new_ones() -> None:
    """Each page gets a random one of its own (RFC 9562, version 4)."""
    files = {name: page(uuid=None) for name in ("a.md", "b.md")}
    made = []
    with inspect_field(archive(files)) as field:
        for change in propose(field, validate(field), judge=validate).rewrites:
            made.append(read_frontmatter(change.after.decode()).fields["uuid"])
    assert len(set(made)) == 2
    assert all(value[14] == "4" for value in made)


def test_judging_is_left_to_the_caller() -> None:
    """Only what the judge finds and the caller wants is mended, in the draft as in the field."""

    def judge(field: Field) -> Report:
        return validate(field, select=["MF301", "MF304"])

    text = page(title="a: b", created="2026-03-01", uuid=None)
    with inspect_field(archive({"a.md": text})) as field:
        proposal = propose(field, judge(field), judge=judge)
    assert [finding.rule for finding in proposal.findings] == ["MF301", "MF304"]
    (rewrite,) = proposal.rewrites
    assert rewrite.after.decode() == page(title="'a: b'", created="'2026-03-01'", uuid=None)

"""Two fields compared: what is told of pages, attachments and indexes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from unittest import mock

import pytest
from tests.validator.comparing_fields import compared, only, told
from tests.validator.fields import BODY, Files, archive, page, uuid, write_files

from memoryfield_readers import DEFAULT_LIMITS, LimitExceeded, PinMismatch, open_field
from memoryfield_validator.comparing import Version, compare, comparing

FIELD: Files = {"a.md": page(number=1), "b.md": page(number=2), "data.csv": "1,2\n"}


def test_the_same() -> None:
    """A field and another copy of it do not differ, and have one pin."""
    found = compared(FIELD, {name: FIELD[name] for name in reversed(list(FIELD))})
    assert found.same
    assert (found.changes, found.findings) == ((), ())
    assert found.before.digest == found.after.digest
    assert (found.before.pages, found.before.location) == (2, "before.zip")


def test_kinds_of_change() -> None:
    """Pages come first, then attachments, then indexes, in the order of their names."""
    before = {**FIELD, "c.md": "c\n", "m.sqlite3": "1", "old.csv": ""}
    after = {
        "a.md": page(number=1),
        "b.md": "b\n",
        "d.md": "d\n",
        "data.csv": "1,3\n",
        "n.sqlite3": "",
    }
    found = compared(before, after)
    assert not found.same
    assert [(each.kind, each.part, each.name) for each in found.changes] == [
        ("changed", "page", "b.md"),
        ("removed", "page", "c.md"),
        ("added", "page", "d.md"),
        ("changed", "attachment", "data.csv"),
        ("removed", "attachment", "old.csv"),
        ("removed", "index", "m.sqlite3"),
        ("added", "index", "n.sqlite3"),
    ]


def test_versions() -> None:
    """Each change has the hash and the size of both versions; only pages have lines."""
    found = only(compared(FIELD, {**FIELD, "data.csv": "1,3"}))
    expected = [Version(hashlib.sha256(data).hexdigest(), len(data)) for data in (b"1,2\n", b"1,3")]
    assert [found.before, found.after] == expected
    assert (found.diff, found.note) == (None, None)


def test_an_index_is_no_part_of_the_pin() -> None:
    """Fields that differ in an index differ, and have one pin all the same."""
    found = compared({**FIELD, "m.sqlite3": "1"}, {**FIELD, "m.sqlite3": "2"})
    assert told(found) == [("changed", "m.sqlite3", None)]
    assert found.before.digest == found.after.digest


def test_empty_fields(tmp_path: Path) -> None:
    """A field without files has no pin, and can be compared."""
    with open_field(write_files(tmp_path / "a", {})) as old:
        assert compare(old, old).same
        with open_field(archive(FIELD)) as new:
            found = compare(old, new)
    assert found.before.digest is None
    assert [each.kind for each in found.changes] == ["added"] * 3


RENAMED: dict[str, tuple[Files, Files, list[tuple[str, str, str | None]]]] = {
    "another name": ({"a.md": page()}, {"b.md": page()}, [("renamed", "b.md", "a.md")]),
    "and other bytes": ({"a.md": page()}, {"b.md": page("x\n")}, [("renamed", "b.md", "a.md")]),
    "a uuid in capitals": (
        {"a.md": page(uuid=uuid(1).upper())},
        {"b.md": page(uuid=uuid(1))},
        [("renamed", "b.md", "a.md")],
    ),
    "another uuid": (
        {"a.md": page(number=1)},
        {"b.md": page(number=2)},
        [("removed", "a.md", None), ("added", "b.md", None)],
    ),
    "no uuid": (
        {"a.md": BODY},
        {"b.md": BODY},
        [("removed", "a.md", None), ("added", "b.md", None)],
    ),
    "a uuid twice before": (
        {"a.md": page(), "c.md": page()},
        {"b.md": page()},
        [("removed", "a.md", None), ("added", "b.md", None), ("removed", "c.md", None)],
    ),
    "a uuid twice after": (
        {"a.md": page()},
        {"b.md": page(), "c.md": page("x\n")},
        [("removed", "a.md", None), ("added", "b.md", None), ("added", "c.md", None)],
    ),
    "a uuid that a page has that stays": (
        {"a.md": page(), "c.md": page()},
        {"b.md": page(), "c.md": page()},
        [("removed", "a.md", None), ("added", "b.md", None)],
    ),
    "a uuid that another page takes": (
        {"a.md": page(), "c.md": BODY},
        {"b.md": page(), "c.md": page()},
        [("removed", "a.md", None), ("added", "b.md", None), ("changed", "c.md", None)],
    ),
    "a uuid that another page had": (
        {"a.md": page(), "c.md": page()},
        {"b.md": page(), "c.md": BODY},
        [("removed", "a.md", None), ("added", "b.md", None), ("changed", "c.md", None)],
    ),
    "two pages": (
        {"a.md": page(number=1), "b.md": page(number=2)},
        {"c.md": page(number=2), "d.md": page(number=1)},
        [("renamed", "c.md", "b.md"), ("renamed", "d.md", "a.md")],
    ),
}


@pytest.mark.parametrize("name", RENAMED)
def test_renamed(name: str) -> None:
    """A page was renamed if its uuid is in one page alone of each field, and the name is not."""
    before, after, expected = RENAMED[name]
    assert told(compared(before, after)) == expected


def test_uuid_of_a_change() -> None:
    """A change names the uuid that the page states now; of one that is gone, the one it stated."""
    found = compared(
        {"a.md": page(number=1), "b.md": page(number=2)}, {"a.md": page(number=3), "c.md": BODY}
    )
    assert [each.uuid for each in found.changes] == [uuid(3), uuid(2), None]


SAME_TEXT = {
    "LF to CRLF": ("a\nb\n", "a\r\nb\r\n", "only line ends changed from 2 LF to 2 CRLF"),
    "mixed": ("a\r\nb\n", "a\nb\n", "only line ends changed from 1 CRLF and 1 LF to 2 LF"),
    "other places": ("a\r\nb\n", "a\nb\r\n", "only line ends changed places"),
    "CR": ("a\nb\n", "a\rb\n", "only line ends changed from 2 LF to 1 LF and 1 CR"),
    "a mark added": ("a\n", "\ufeffa\n", "only a byte-order mark was added at the beginning"),
    "a mark removed": ("\ufeffa\n", "a\n", "only a byte-order mark was removed at the beginning"),
    "an end added": ("a\nb", "a\nb\n", "only the line end at the end was added"),
    "an end removed": ("a\r\n", "a", "only the line end at the end was removed"),
    "all": (
        "a\nb",
        "\ufeffa\r\nb\r\n",
        "only a byte-order mark was added at the beginning and the line end at the end was added "
        "and line ends changed from 1 LF to 1 CRLF",
    ),
    "a blank line": ("a\n", "a\n\n", None),
    "a blank": ("a\n", "a \n", None),
    "a mark elsewhere": ("a\n", "a\ufeff\n", None),
    "something else too": ("a\nb\n", "a\r\nc\r\n", None),
    "nothing left": ("\n", "", "only the line end at the end was removed"),
}


@pytest.mark.parametrize("name", SAME_TEXT)
def test_bytes_that_change_no_text(name: str) -> None:
    """Where only line ends or a byte-order mark changed, exactly that is told."""
    before, after, note = SAME_TEXT[name]
    found = only(compared({"a.md": before}, {"a.md": after}))
    assert (found.kind, found.note) == ("changed", note)
    assert found.diff is not None


def test_page_over_the_limit() -> None:
    """A page that is too large to be read is compared by its hash, and that is said."""
    limits = DEFAULT_LIMITS.with_settings(["page-bytes=1000"])
    large = {"a.md": page(uuid=uuid(1)) + "x" * 1000}
    found = only(compared({"a.md": page()}, large, limits=limits))
    assert (found.kind, found.diff, found.uuid) == ("changed", None, None)
    assert found.note is not None
    assert found.note.startswith("neither shown nor reviewed: ")
    found = only(compared(large, {"a.md": "a\n"}, limits=limits))
    assert found.note is not None
    assert found.note.startswith("what it was cannot be shown: ")


def test_too_much_to_show() -> None:
    """What is over the bounds is counted, not shown; what is within them still is."""
    before, after = {"a.md": "a\n" * 30, "b.md": "b\n"}, {"a.md": "c\n" * 20, "b.md": "c\n"}
    with mock.patch.object(comparing, "MOST_LINES_OF_PAGE", 49):
        large, small = compared(before, after).changes
    assert (large.diff, large.note) == (None, "too large to show: 30 lines became 20")
    assert small.diff is not None
    for bound, most in (("MOST_LINES", 51), ("MOST_KEPT", 103)):
        with mock.patch.object(comparing, bound, most):
            large, small = compared(before, after).changes
        assert large.diff is not None
        assert small.note == "too large to show: 1 line became 1"


def test_progress() -> None:
    """Whoever waits is told of each page that was looked at."""
    seen: list[str] = []
    with open_field(archive(FIELD)) as old, open_field(archive({"a.md": "a\n"})) as new:
        compare(old, new, progress=seen.append)
    assert seen == ["a.md", "b.md"]


def test_watch() -> None:
    """Whoever draws bars is told how far hashing and comparing are."""
    seen: list[tuple[str, int, int]] = []
    with open_field(archive(FIELD)) as old, open_field(archive({"a.md": "a\n"})) as new:
        compare(old, new, watch=lambda *step: seen.append(step))
    assert seen == [
        *(("files", done, 3) for done in (1, 2, 3)),
        ("files", 1, 1),
        ("pages", 1, 2),
        ("pages", 2, 2),
    ]


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """A field that cannot be read whole is not compared."""
    limits = DEFAULT_LIMITS.with_settings(["file-bytes=10"])
    path = write_files(tmp_path / "a", FIELD)
    with (
        open_field(path, limits=limits) as old,
        open_field(archive({"a.md": "a\n"})) as new,
        pytest.raises(LimitExceeded),
    ):
        compare(old, new)


class TestKnownHashes:
    """A lock file has the hashes of the field before, of which not all is to be had any more."""

    def test_same_pages_are_not_read(self, tmp_path: Path) -> None:
        """Of the field before no page is read that is the same."""
        path = write_files(tmp_path / "a", FIELD)
        with open_field(archive(FIELD)) as new, open_field(path) as old:
            known = new.manifest().hashes
            for file in path.iterdir():
                file.unlink()
            found = compare(old, new, known=known)
        assert found.same
        assert found.before.digest == found.after.digest

    def test_lost_pages_are_told_by_their_hashes(self, tmp_path: Path) -> None:
        """A page that is not to be had any more is no error; all its findings count as new."""
        after = {"a.md": page("<script>\n", number=1), "c.md": page(number=2)}
        with open_field(archive(after)) as new, open_field(archive(FIELD)) as old:
            known = old.manifest().hashes
            lost = PinMismatch("is not what was pinned")
            with mock.patch.object(old, "page", side_effect=lost) as page_of:
                found = compare(old, new, known=known)
        assert told(found) == [
            ("changed", "a.md", None),
            ("removed", "b.md", None),
            ("added", "c.md", None),
            ("removed", "data.csv", None),
        ]
        assert found.changes[0].before is not None
        assert found.changes[0].before.sha256 == known["a.md"]
        assert [each.note for each in found.changes[:2]] == [
            "what it was cannot be shown: it is not to be had any more"
        ] * 2
        assert [each.is_lost for each in found.changes] == [True, True, False, False]
        assert found.notes == (
            "what was locked is not here any more (no copy, and the source has moved on): only "
            "names and hashes are shown",
        )
        assert [each.rule for each in found.findings] == ["MF805"]
        assert page_of.call_count == 3

    def test_nothing_is_asked_for_in_vain_for_long(self) -> None:
        """After a few pages that are not to be had, no more are asked for."""
        before = {f"{number}.md": f"{number}\n" for number in range(50)}
        with open_field(archive({"a.md": "a\n"})) as new, open_field(archive(before)) as old:
            known = old.manifest().hashes
            with mock.patch.object(old, "page", side_effect=PinMismatch("gone")) as page_of:
                found = compare(old, new, known=known)
        assert page_of.call_count == 3
        assert {each.note for each in found.changes[:-1]} == {
            "what it was cannot be shown: it is not to be had any more"
        }

"""A lock file keeps all that it was given, is written one way, and is changed in one step."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.readers.locks import (
    ARCHIVE_PIN,
    COMMIT,
    FILES,
    PIN,
    A,
    B,
    entry,
    hash_of,
    lock_of,
    locked,
    parsed,
    refused,
    toml,
    unhurried,
)

from memoryfield_readers import (
    Limits,
    LocationError,
    LockFileError,
    MemoryfieldError,
    open_field,
    parse_pin,
)
from memoryfield_readers.lock import (
    LOCK_NAME,
    STATE_VARIABLE,
    LockedField,
    LockFile,
    lock_field,
    parse_lock,
    read_lock,
    render_lock,
)
from memoryfield_readers.lock.differing import difference
from memoryfield_readers.lock.lines import IN_MANIFEST, INDEXES, hashes_of, name_problem
from memoryfield_spec import standard
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

FULL = locked(
    "full",
    location="github://owner/repo/notes@main",
    resolved=f"github://owner/repo/notes@{COMMIT}",
    indexes={"m.sqlite3": "7" * 64},
    rest={"reviewed-by": "me", "audit": {"level": 2}},
)
ARCHIVE = locked(
    "archive.v2",
    location="https://example.org/a.memoryfield.zip",
    archive_pin=parse_pin(ARCHIVE_PIN),
    archive_size=194,
)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))


def test_text_of_a_lock_file() -> None:
    """Fields by name, keys in one order, a line of a manifest in a line, unknown keys last."""
    assert (
        render_lock(lock_of(FULL, ARCHIVE))
        == f"""\
# Written by `memoryfield lock`, which also checks it: do not edit the lines of a manifest.
version = 1

[fields."archive.v2"]
location = "https://example.org/a.memoryfield.zip"
archive_pin = "{ARCHIVE_PIN}"
field_pin = "{PIN}"
bytes = 4
archive_bytes = 194
manifest = [
    "{A}",
    "{B}",
]

[fields.full]
location = "github://owner/repo/notes@main"
resolved = "github://owner/repo/notes@{COMMIT}"
field_pin = "{PIN}"
bytes = 4
manifest = [
    "{A}",
    "{B}",
]
indexes = [
    "{"7" * 64}  m.sqlite3",
]
reviewed-by = "me"

[fields.full.audit]
level = 2
"""
    )


def test_example_of_the_standard() -> None:
    """The lock file in SPEC.md is read, and written as it stands there below a comment."""
    found = re.search(r"```toml\n(.*?version = 1.*?)```", standard(), re.DOTALL)
    assert found is not None
    lock = parsed(found[1].encode())
    assert render_lock(lock).partition("\n")[2] == found[1]
    assert lock.field("letters").size == 4


def test_text_says_all(tmp_path: Path) -> None:
    """What was written is what is read, to the last key."""
    lock = lock_of(FULL, ARCHIVE, locked(), path=tmp_path / LOCK_NAME)
    lock.path.write_text(render_lock(lock), encoding="utf-8")
    assert read_lock(lock.path) == lock


NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)
PAGES = st.text(min_size=1, max_size=12).map("{}.md".format)
HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.booleans(),
        INTEGERS,
        st.floats(allow_nan=False),
        st.text(st.characters(exclude_categories=["Cs"])),
        st.dates(),
        st.datetimes(timezones=st.sampled_from([None, datetime.UTC])),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map("x{}".format)


@st.composite
def entries(draw: st.DrawFn) -> LockedField:
    names = draw(st.lists(PAGES, min_size=1, max_size=5, unique=True))
    good = [name for name in names if not name_problem(name, IN_MANIFEST)] or ["a.md"]
    manifest = {name: draw(HASHES).encode() for name in good}
    return locked(
        draw(NAMES),
        manifest,
        location="./"
        + draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))),
        size=draw(st.integers(0, 2**63 - 1)),
        rest=draw(st.dictionaries(KEYS, VALUES, max_size=3)),
    )


@unhurried
@given(
    st.lists(entries(), max_size=3, unique_by=lambda each: each.name),
    st.dictionaries(KEYS, VALUES, max_size=2),
)
def test_any_lock_file_survives(fields: list[LockedField], rest: dict[str, Any]) -> None:
    """Whatever can be locked, and whatever else stands in the file, is read as it was written."""
    lock = LockFile(Path("/lock") / LOCK_NAME, {each.name: each for each in fields}, rest)
    text = render_lock(lock)
    again = parse_lock(text.encode(), lock.path)
    assert again == lock
    assert render_lock(again) == text


@pytest.mark.parametrize("value", [7, "text", [1, [2]], {"a": {"b": 1}}, [{"a": 1}], 1.5, True])
def test_unknown_keys_stay(value: object) -> None:
    """What this version does not know is written again, at the top and within a field."""
    lock = parsed(toml(entry(later=value), later=value))
    assert lock.rest == {"later": value}
    assert lock.field("notes").rest == {"later": value}
    again = tomllib.loads(render_lock(lock.with_field(locked("other"))))
    assert again["later"] == again["fields"]["notes"]["later"] == value


@pytest.mark.parametrize("version", [2, 3, 2**63 - 1])
def test_newer_version_is_refused(version: int) -> None:
    """A lock file of a later format is refused, and the way out is named."""
    error = refused(toml({"shape": "unknown"}, version=version))
    assert isinstance(error, LockFileError)
    assert error.exit_code == 2
    assert "was written by a newer version" in error.message
    assert error.hint == "update memoryfield-kit"


@pytest.mark.parametrize("version", [0, -1, 1.0, True, "1", [1]])
def test_version_that_is_none(version: object) -> None:
    """Only the number 1 is the version that is known."""
    assert "`version`" in refused(toml(entry(), version=version)).message


def test_small_change_is_a_small_diff() -> None:
    """A page that changes changes its line and the pin, and no other line."""
    before = render_lock(lock_of(FULL, locked())).splitlines()
    after = render_lock(lock_of(FULL, locked(files=FILES | {"b.md": b"c\n"}))).splitlines()
    assert len(before) == len(after)
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert [line.split()[-1].strip('",') for line in changed][1:] == ["b.md"]
    assert changed[0].startswith("field_pin = ")


def test_field_by_name() -> None:
    """A field that is not there is a wrong name, and near ones are named."""
    lock = lock_of(locked("notes"), locked("letters"))
    assert lock.field("notes").name == "notes"
    with pytest.raises(LocationError) as found:
        lock.field("nots")
    assert found.value.exit_code == 2
    assert found.value.hint == "did you mean `notes`?"
    assert set(lock.without("notes").fields) == {"letters"}
    with pytest.raises(LocationError):
        lock.without("zzz")


def test_entry_of_a_folder(tmp_path: Path) -> None:
    """Hashes, sizes and pin are those of the field; side files of an index are left out."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, data in {**FILES, "x.csv": b"1\n", "m.sqlite3": b"m", "m.sqlite3-wal": b"w"}.items():
        (folder / name).write_bytes(data)
    (folder / ".DS_Store").write_bytes(b"x")
    with open_field(folder) as field:
        made = lock_field("notes", "notes", field)
        assert str(made.field_pin) == field.digest()
    expected = locked(files=FILES | {"x.csv": b"1\n"}, indexes={"m.sqlite3": hash_of(b"m")})
    assert made == expected


def test_entry_of_an_archive(tmp_path: Path) -> None:
    """An archive has its own pin and size beside those of the field."""
    data = zip_bytes(*(ZipEntry(name, content) for name, content in FILES.items()))
    (tmp_path / "notes.memoryfield.zip").write_bytes(data)
    with open_field(tmp_path / "notes.memoryfield.zip") as field:
        made = lock_field("notes", "notes.memoryfield.zip", field)
    pin = parse_pin(f"sha256:{hash_of(data)}")
    assert (made.archive_pin, made.archive_size) == (pin, len(data))
    assert (str(made.field_pin), made.size) == (PIN, 4)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a\tb.md", "control character"),
        ("a\nb.md", "control character"),
        ("a\\b.md", "backslash"),
        ("\udcff.md", "not UTF-8"),
        ("\x85.csv", "control character"),
    ],
    ids=["tab", "line-feed", "backslash", "no-utf-8", "nel"],
)
def test_names_that_no_line_holds(name: str, why: str, tmp_path: Path) -> None:
    """A field with such a name cannot be locked, and the file is named."""
    (tmp_path / "a.md").write_bytes(b"a\n")
    (tmp_path / name).write_bytes(b"b\n")
    with open_field(tmp_path) as field, pytest.raises(LockFileError) as found:
        lock_field("notes", "notes", field)
    assert why in found.value.message
    assert (found.value.entry, found.value.exit_code) == (name, 2)


@pytest.mark.parametrize("name", ["", "-a", ".a", "a b", "../x", "a/b", "@a", "ä", "a" * 65, "a\n"])
def test_names_of_fields(name: str, tmp_path: Path) -> None:
    """A name is plain ASCII of a fixed form, so that it can never be a path or an option."""
    (tmp_path / "a.md").write_bytes(b"a\n")
    with open_field(tmp_path) as field, pytest.raises(LocationError):
        lock_field(name, "notes", field)


def test_lines_round_trip() -> None:
    """Names in any script, with blanks and quotes, stand in lines as they are."""
    names = ["Z.md", "a b.md", 'q".md', "x.csv", "été.md", "日本.md"]
    lines = [f"{'0' * 64}  {name}" for name in names]
    assert list(hashes_of(lines, IN_MANIFEST)) == names
    assert hashes_of([f"{'0' * 64}  m.sqlite3"], INDEXES) == {"m.sqlite3": "0" * 64}


def test_difference_in_words() -> None:
    """What differs is told by kind and name."""
    before = locked(files={"a.md": b"1", "b.md": b"1", "c.csv": b"1", "d.md": b"1"})
    after = locked(
        files={"a.md": b"2", "b.md": b"2", "d.md": b"1", "e.md": b"1"},
        indexes={"m.sqlite3": "7" * 64},
    )
    found = difference(before, after)
    assert str(found) == (
        "2 pages changed: `a.md`, `b.md`; 1 page added: `e.md`; 1 attachment removed: `c.csv`; "
        "1 index changed: `m.sqlite3`"
    )
    assert found
    assert not found.same_content
    assert not difference(before, before)
    packed = difference(
        before,
        locked(
            files={"a.md": b"1", "b.md": b"1", "c.csv": b"1", "d.md": b"1"},
            archive_pin=parse_pin(ARCHIVE_PIN),
            archive_size=1,
        ),
    )
    assert packed
    assert packed.same_content
    assert "packed anew" in str(packed)


def test_long_differences_are_cut() -> None:
    """A message names the first of many."""
    after = locked(files={f"p{n}.md": b"1" for n in range(100, 150)})
    words = str(difference(locked(), after))
    assert words.startswith("50 pages added: `p100.md`, ")
    assert "`p109.md` and 40 more" in words
    assert "p110" not in words


def test_limit_of_entries() -> None:
    """A field with more files than the limits allow is refused, with the way to raise them."""
    data = toml(entry())
    with pytest.raises(MemoryfieldError) as found:
        parse_lock(data, Path(LOCK_NAME), limits=Limits(entries=1))
    assert found.value.exit_code == 3
    assert "--limit entries=" in (found.value.hint or "")
    assert parse_lock(data, Path(LOCK_NAME), limits=Limits(entries=2)).fields


def test_reading_again_sees_what_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was parsed once counts for the same bytes in the same place, and for nothing else."""
    here = tmp_path / LOCK_NAME
    here.write_bytes(toml(entry()))
    first = read_lock(here)
    assert read_lock(here) is first
    with pytest.raises(MemoryfieldError):
        read_lock(here, limits=Limits(entries=1))
    here.write_bytes(toml(entry()).replace(b"version = 1", b"version = 1\nmore = 2"))
    assert read_lock(here).rest == {"more": 2}
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / LOCK_NAME).write_bytes(toml(entry()))
        monkeypatch.chdir(tmp_path / name)
        assert read_lock(Path(LOCK_NAME)).path == tmp_path / name / LOCK_NAME

"""The journal of a batch: what was written is read, and nothing else is taken for one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryfield_readers import LimitExceeded
from memoryfield_readers import journal as module
from memoryfield_readers.journal import (
    Before,
    InvalidJournal,
    Journal,
    JournalFile,
    is_journal_path,
    journal_bytes,
    parse_journal,
)

SHA256 = hashlib.sha256(b"x").hexdigest()
BEFORE = Before(2**60 + 1, 3, 1_700_000_000_123_456_789)
PUT = JournalFile("a.md", "new-0", "old-0", SHA256, BEFORE)
ADDED = JournalFile("sub/b.md", "new-1", None, SHA256, None)
GONE = JournalFile("c.md", None, "old-2", None, BEFORE)
BACK = JournalFile("d.md", "old-3", None, SHA256, BEFORE)
JOURNAL = Journal(2**63 + 7, (PUT, ADDED, GONE, BACK))


def sealed(*lines: Any) -> bytes:
    """Lines with the end that they need, as somebody else could write them."""
    parts = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    body = b"".join(part + b"\n" for part in parts)
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


def head(count: Any = 1, **other: Any) -> dict[str, Any]:
    """The first line."""
    return {"version": 1, "folder": 5, "count": count} | other


def file(**other: Any) -> dict[str, Any]:
    """A line for a file that is replaced."""
    before = {"inode": 1, "size": 2, "mtime_ns": 3}
    line = {"path": "a.md", "new": "new-0", "old": "old-0", "sha256": SHA256, "before": before}
    return line | other


def test_what_was_written_is_read() -> None:
    """Numbers above 2**53 included."""
    assert parse_journal(journal_bytes(JOURNAL)) == JOURNAL
    assert parse_journal(sealed(head(), file())).files[0].path == "a.md"


_NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=[]), min_size=1, max_size=8
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join).filter(is_journal_path)


@given(st.lists(_PATHS, max_size=5, unique=True), st.integers(-(2**63), 2**63))
def test_any_path_comes_back(paths: list[str], mtime_ns: int) -> None:
    """Bytes of a name that are no UTF-8 and control characters, too."""
    before = Before(1, 0, mtime_ns)
    files = [JournalFile(path, f"new-{n}", None, SHA256, before) for n, path in enumerate(paths)]
    journal = Journal(0, tuple(files))
    data = journal_bytes(journal)
    assert data.isascii()
    assert parse_journal(data) == journal


def test_every_beginning_of_one_is_torn() -> None:
    """Only the whole of it is one."""
    data = journal_bytes(JOURNAL)
    for length in range(len(data)):
        with pytest.raises(InvalidJournal):
            parse_journal(data[:length])


def test_every_byte_counts() -> None:
    """A byte that is another, one that is missing, one that is too many: no journal."""
    data = journal_bytes(JOURNAL)
    for at in range(len(data)):
        for other in (bytes([data[at] ^ 1]), b"", data[at : at + 1] * 2):
            changed = data[:at] + other + data[at + 1 :]
            with pytest.raises(InvalidJournal):
                parse_journal(changed)


@given(st.binary(max_size=300))
def test_any_bytes_are_no_journal(data: bytes) -> None:
    """Whatever the bytes: they are refused with one kind of error."""
    with pytest.raises(InvalidJournal):
        parse_journal(data)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
))  # fmt: skip
def test_any_value_in_place_of_one_is_refused(value: Any) -> None:
    """With a right hash at the end, as a stranger can make one."""
    for lines in (
        (value, file()),
        (head(), value),
        *((head(), file(**{key: value})) for key in ("path", "new", "old", "sha256", "before")),
    ):
        try:
            journal = parse_journal(sealed(*lines))
        except InvalidJournal:
            continue
        assert parse_journal(journal_bytes(journal)) == journal  # it happened to be a good one


HOSTILE: dict[str, tuple[Any, ...]] = {
    "no lines": (),
    "another version": (head(version=2), file()),
    "a version that is true": (head(version=True), file()),
    "a folder that is a float": (head(folder=5.0), file()),
    "a negative folder": (head(folder=-1), file()),
    "an endless number": (b'{"version":1,"count":1,"folder":' + b"9" * 5000 + b"}", file()),
    "NaN": (b'{"version":1,"count":1,"folder":NaN}', file()),
    "fewer files than it says": (head(2), file()),
    "more files than it says": (head(0), file()),
    "a key more": (head(more=1), file()),
    "a key more in a file": (head(), file(more=1)),
    "a key twice": (head(), json.dumps(file())[:-1].encode() + b',"path":"b.md"}'),
    "a list": (head(), [1]),
    "deep": (head(), b"[" * 60_000),
    "a long line": (head(), file(path="a" * 70_000)),
    "no ASCII": (head(), json.dumps(file(path="é"), ensure_ascii=False).encode()),
    "up": (head(), file(path="../x")),
    "up in the middle": (head(), file(path="a/../../x")),
    "absolute": (head(), file(path="/etc/passwd")),
    "here": (head(), file(path=".")),
    "empty": (head(), file(path="")),
    "a slash at the end": (head(), file(path="a/")),
    "two slashes": (head(), file(path="a//b")),
    "NUL": (head(), file(path="a\0")),
    "half a character": (head(), file(path="\ud800")),
    "too long a path": (head(), file(path="a" * 4097)),
    "the staging folder": (head(), file(path=".memoryfield/new-0")),
    "the staging folder in capitals": (head(), file(path=".MemoryField/x")),
    "the repository": (head(), file(path=".git/config")),
    "staged above": (head(), file(new="../new-0")),
    "staged elsewhere": (head(), file(new="new-0/x")),
    "another staged name": (head(), file(new="journal")),
    "a staged name with a line feed": (head(), file(new="new-0\n")),
    "a staged name in other digits": (head(), file(new="new-\u0661")),
    "no hash": (head(), file(sha256=None)),
    "a hash of what goes": (head(), file(new=None)),
    "a hash in capitals": (head(), file(sha256=SHA256.upper())),
    "a hash that is short": (head(), file(sha256=SHA256[1:])),
    "what was not there goes": (head(), file(new=None, sha256=None, old=None, before=None)),
    "what was not there is kept": (head(), file(before=None)),
    "an inode that is true": (head(), file(before={"inode": True, "size": 2, "mtime_ns": 3})),
    "a negative size": (head(), file(before={"inode": 1, "size": -2, "mtime_ns": 3})),
    "before has too little": (head(), file(before={"inode": 1})),
    "a path twice": (head(2), file(), file(new="new-1", old="old-1")),
    "staged twice": (head(2), file(), file(path="b.md", old="old-1")),
    "kept twice": (head(2), file(), file(path="b.md", new="new-1")),
    "staged and kept": (head(), file(old="new-0")),
}


@pytest.mark.parametrize("lines", HOSTILE.values(), ids=HOSTILE)
def test_what_no_writer_of_ours_writes_is_refused(lines: tuple[Any, ...]) -> None:
    """Though its hash is right."""
    with pytest.raises(InvalidJournal) as caught:
        parse_journal(sealed(*lines))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "other",
    [
        replace(PUT, path="../x"),
        replace(PUT, new="x"),
        replace(PUT, sha256=None),
        ADDED,
        replace(ADDED, path="x", new="new-9", old="old-9"),
    ],
    ids=["path", "staged", "hash", "twice", "kept"],
)
def test_what_would_be_refused_is_not_written(other: JournalFile) -> None:
    """The writer hears of it before anything counts."""
    with pytest.raises(InvalidJournal):
        journal_bytes(Journal(1, (ADDED, other)))


def test_too_many_files() -> None:
    """Neither written nor read, and soon told."""
    files = tuple(JournalFile(f"{n}", f"new-{n}", None, SHA256, None) for n in range(100_000))
    with pytest.raises(LimitExceeded) as caught:
        journal_bytes(Journal(1, files))
    assert "100000 files" in caught.value.message
    lines = (b'{"path":"%d","new":"new-%d"}' % (n, n) for n in range(100_000))
    with pytest.raises(InvalidJournal, match="more than 65536 files"):
        parse_journal(sealed(head(100_000), *lines))


def test_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """16 MiB are the most, also of one line."""
    with pytest.raises(InvalidJournal, match="more than 16777216 bytes"):
        parse_journal(b"x" * (16 * 1024 * 1024) + b"\n")
    with pytest.raises(InvalidJournal):
        parse_journal(b"[" * (16 * 1024 * 1024 - 1) + b"\n")
    monkeypatch.setattr(module, "MOST_JOURNAL_BYTES", 500)
    with pytest.raises(LimitExceeded):
        journal_bytes(JOURNAL)

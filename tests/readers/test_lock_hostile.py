"""A lock file from anywhere is read or refused: at once, in one of our words, without a crash."""

from __future__ import annotations

import copy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.readers.locks import ARCHIVE_PIN, PIN, A, B, entry, parsed, refused, toml, unhurried
from tests.readers.memory import forget_peak, peak

from memoryfield_readers import LockFileError, Manifest, PinMismatch
from memoryfield_readers.lock import read_lock
from memoryfield_readers.lock.reading import MOST_BYTES
from memoryfield_readers.lock.toml_shape import shape_problem
from memoryfield_spec import schema

ZERO = "0" * 64
SCHEMA = Draft202012Validator(schema("lock"))

BYTES: dict[str, bytes] = {
    "empty": b"",
    "no-utf-8": b"version = 1\n# \xff\n",
    "utf-16": "version = 1\n".encode("utf-16"),
    "bom": b"\xef\xbb\xbf" + toml(entry()),
    "nul": b"version = 1\n\x00",
    "html": b"<!DOCTYPE html><html></html>",
    "json": b'{"version": 1}',
    "cut": toml(entry())[:-10],
    "version-twice": b"version = 1\nversion = 1\n",
    "field-twice": toml(entry()) + b"[fields.notes]\n",
    "key-twice": toml(entry()) + b"bytes = 4\n",
    "fields-as-text": b'version = 1\nfields = "x"\n',
    "fields-as-array": b"version = 1\n[[fields]]\na = 1\n",
    "field-as-number": b"version = 1\n[fields]\nnotes = 1\n",
    "huge-version": b"version = 0x" + b"f" * 60_000 + b"\n",
    "huge-number": toml(entry()) + b"x = 0x" + b"f" * 60_000 + b"\n",
    "many-digits": toml(entry()) + b"x = " + b"1" * 60_000 + b"\n",
    "over-64-bits": toml(entry()) + b"x = [{a = 9223372036854775808}]\n",
    "no-version": b"[fields]\n",
}
"""Lock files that cannot be read, byte by byte."""


@pytest.mark.parametrize("kind", sorted(BYTES))
def test_bytes_that_are_none(kind: str) -> None:
    """What is no lock file is refused as wrong usage, in one printable line."""
    error = refused(BYTES[kind])
    assert isinstance(error, LockFileError)
    assert error.exit_code == 2
    assert str(error).isprintable()
    assert len(str(error)) < 500


def test_byte_order_mark_is_named() -> None:
    """What some editors add is told apart from a file that is no TOML."""
    assert "byte order mark" in refused(BYTES["bom"]).message


def test_crlf_line_ends() -> None:
    """A lock file that git has given CRLF says the same."""
    assert parsed(toml(entry()).replace(b"\n", b"\r\n")) == parsed(toml(entry()))


def pin_of(*lines: str) -> str:
    """The pin that goes with the lines of a manifest, whatever they say."""
    hashes = {line[66:]: line[:64] for line in lines}
    return Manifest(hashes).digest


NAMES = {
    "climbs": "../x.md", "below": "a/b.md", "absolute": "/a.md", "backslash": "a\\b.md",
    "dots": "..", "dot": ".", "crlf": "a.md\r", "line-feed": "a.md\nb.md", "nul": "a\0.md",
    "escape": "\x1b[2J.md", "nel": "a\x85.md", "empty": "", "debris": ".a.md", "backup": "a.md~",
    "system": "Thumbs.db", "conflict": "a.sync-conflict-1.md", "index": "m.sqlite3",
    "side-file": "m.sqlite3-wal", "long": "a" * 1025,
}  # fmt: skip
"""Names that stand in no manifest of a lock file."""


@pytest.mark.parametrize("kind", sorted(NAMES))
def test_names_that_lead_elsewhere(kind: str) -> None:
    """No name is used as a path, and none is that of something else than a page or attachment.

    The pin is right for the lines, so that it is the name that is refused.
    """
    line = f"{ZERO}  {NAMES[kind]}"
    table = entry(manifest=[line], field_pin=pin_of(line))
    error = refused(toml(table))
    assert isinstance(error, LockFileError)
    assert error.message.startswith("fields.notes.manifest is no list of files: line 1")
    assert str(error).isprintable()
    assert not SCHEMA.is_valid(tomllib.loads(toml(table).decode()))


@pytest.mark.parametrize(
    "name", ["a.md", "../m.sqlite3", "a/m.sqlite3", ".m.sqlite3", "m.sqlite3~", "m.sqlite"]
)
def test_indexes_that_are_none(name: str) -> None:
    """What stands among the indexes has the name of one, and leads nowhere else."""
    table = entry(indexes=[f"{ZERO}  {name}"])
    assert "fields.notes.indexes is no list of files" in refused(toml(table)).message
    assert not SCHEMA.is_valid(tomllib.loads(toml(table).decode()))


LINES: dict[str, list[Any]] = {
    "twice": [A, A],
    "unsorted": [B, A],
    "other-hash-again": [A, f"{ZERO}  a.md"],
    "one-blank": [A.replace("  ", " ")],
    "binary-mark": [A.replace("  ", " *")],
    "upper-case": [A[:64].upper() + A[64:]],
    "short-hash": [A[1:]],
    "escaped": ["\\" + A],
    "trailing-line-feed": [A + "\n"],
    "blank-in-front": [" " + A],
    "no-text": [1],
    "nested": [[A]],
    "none": [],
    "empty-line": [""],
}


@pytest.mark.parametrize("kind", sorted(LINES))
def test_lines_that_are_none(kind: str) -> None:
    """A manifest has its lines in one form and order, each name once."""
    error = refused(toml(entry(manifest=LINES[kind])))
    assert isinstance(error, LockFileError)
    assert error.message.startswith("fields.notes.manifest ")


CHANGES: dict[str, dict[str, Any]] = {
    "no-location": {"location": None},
    "empty-location": {"location": ""},
    "location-as-array": {"location": ["notes"]},
    "empty-resolved": {"resolved": ""},
    "no-pin": {"field_pin": None},
    "archive-pin-as-field-pin": {"field_pin": ARCHIVE_PIN},
    "pin-in-capitals": {"field_pin": PIN[:13] + PIN[13:].upper()},
    "pin-with-line-feed": {"field_pin": PIN + "\n"},
    "short-pin": {"field_pin": PIN[:-1]},
    "field-pin-as-archive-pin": {"archive_pin": PIN, "archive_bytes": 1},
    "archive-pin-alone": {"archive_pin": ARCHIVE_PIN},
    "archive-bytes-alone": {"archive_bytes": 1},
    "no-bytes": {"bytes": None},
    "negative-bytes": {"bytes": -1},
    "bytes-as-text": {"bytes": "4"},
    "bytes-as-bool": {"bytes": True},
    "no-manifest": {"manifest": None},
    "manifest-as-text": {"manifest": A},
    "manifest-as-table": {"manifest": {"a.md": ZERO}},
    "indexes-as-text": {"indexes": "m.sqlite3"},
}
"""Entries that the schema refuses."""


@pytest.mark.parametrize("kind", sorted(CHANGES))
def test_entries_that_are_none(kind: str) -> None:
    """Reader and schema refuse the same, and the reader names the key."""
    data = toml(entry(**CHANGES[kind]))
    error = refused(data)
    assert isinstance(error, LockFileError)
    assert error.message.startswith("fields.notes.")
    assert "restore the file from version control" in (error.hint or "")
    assert not SCHEMA.is_valid(tomllib.loads(data.decode()))


def test_entry_that_is_good() -> None:
    """What all the others were made from is taken by both."""
    full = entry(
        archive_pin=ARCHIVE_PIN, archive_bytes=1, indexes=[f"{ZERO}  m.sqlite3"], other={"a": 1}
    )
    assert parsed(toml(full)).field("notes").indexes == {"m.sqlite3": ZERO}
    assert SCHEMA.is_valid(tomllib.loads(toml(full).decode()))


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "-a", "@a", "a b", "a\n", "ä", "a" * 65])
def test_names_of_fields_that_are_none(name: str) -> None:
    """The name of a field becomes a file name: it can be no path."""
    data = tomli_w.dumps({"version": 1, "fields": {name: entry()}}).encode()
    assert "is no name of a field" in refused(data).message
    assert not SCHEMA.is_valid(tomllib.loads(data.decode()))


@pytest.mark.parametrize(
    "changes",
    [
        {"field_pin": "field-sha256:" + ZERO},
        {"manifest": [A]},
        {"manifest": [A, B.replace("b.md", "c.md")]},
        {"manifest": [A, f"{ZERO}  b.md"]},
    ],
    ids=["pin", "line-dropped", "renamed", "hash"],
)
def test_manifest_that_is_not_of_its_pin(changes: dict[str, Any]) -> None:
    """What is in itself a contradiction is a mismatch, and the field is named."""
    error = refused(toml(entry(**changes)))
    assert isinstance(error, PinMismatch)
    assert error.exit_code == 3
    assert error.message.startswith("fields.notes is damaged")
    assert error.expected != error.actual
    assert error.hint


MEASURED = """
import sys
from pathlib import Path
from tests.readers.memory import peak
from memoryfield_readers import MemoryfieldError
from memoryfield_readers.lock.reading import parse_lock
data = eval(sys.argv[1])
try:
    parse_lock(data, Path("x.lock"))
except MemoryfieldError as error:
    print(error.exit_code, error)
print(peak() // 1024**2, file=sys.stderr)
"""

LARGE = {
    "dotted-key": ("b'a' + b'.a' * 8_000_000 + b'=1'", "line of more than"),
    "dotted-over-lines": ("b'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r=1'", "parts"),
    "dotted-table": ("b'[' + b'a.' * 20_000 + b'a]'", "parts"),
    "nested-arrays": ("b'a=' + b'[' * 20_000", "nested"),
    "nested-over-lines": ("b'a=' + b'[\\n' * 500_000", "nested"),
    "nested-tables": ("b'a=' + b'{a=' * 20_000", "nested"),
    "digits": ("b'a=' + b'1' * 16_000_000", "line of more than"),
    "blanks": ("b' ' * 16_000_000", "line of more than"),
    "lines": ("b'\\n' * 16_000_000", "too many lines"),
    "tables": ("b''.join(b'[a%d]\\n' % n for n in range(500_000))", "too many tables"),
    "values": ("b''.join(b'a%d=1\\n' % n for n in range(500_000))", "too many lines and values"),
    "unfinished": ('b\'a="""\' + b\'\\\\\\\\"""x\\n\' * 500_000', "is no TOML"),
    "too-large": ("b'#' * (16 * 1024 * 1024 + 1)", "more than 16777216 bytes"),
}
"""What would take a parser hours, or all memory, and what is said of it."""


@pytest.mark.parametrize("kind", sorted(LARGE))
def test_files_that_would_take_for_ever(kind: str) -> None:
    """Large and deep files are refused with little memory; a parser alone would not end."""
    made, said = LARGE[kind]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, made],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("2 x.lock: ")
    assert said in done.stdout
    assert int(done.stderr) < 300


def test_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """Of a file without end no more is read than a lock file may have."""
    path = tmp_path / "x.lock"
    with open(path, "wb") as file:
        file.truncate(8 * 1024 * MOST_BYTES)
    rest = forget_peak()
    with pytest.raises(LockFileError, match="has more than"):
        read_lock(path)
    assert peak() - rest < 100 * 1024**2


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SHALLOW = st.recursive(
    TEXTS | st.integers(-100, 100),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@unhurried
@given(st.dictionaries(TEXTS, SHALLOW, max_size=4), st.booleans())
def test_look_at_the_shape_refuses_no_small_file(table: dict[str, Any], lines: bool) -> None:
    """Quotes, brackets, dots and comments within texts and keys are not taken for what they are."""
    assert shape_problem(tomli_w.dumps(table, multiline_strings=lines)) == ""


@unhurried
@given(
    st.dictionaries(TEXTS, SHALLOW, max_size=4), st.booleans(), st.text("'\"#[{=. ab", max_size=9)
)
def test_look_at_the_shape_sees_all_of_a_file(
    table: dict[str, Any], lines: bool, comment: str
) -> None:
    """What is nested too deep is seen, whatever texts and comments stand before it."""
    before = tomli_w.dumps(table, multiline_strings=lines) + f"#{comment}\n"
    assert "nested" in shape_problem(f"{before}z = {'[' * 17}{']' * 17}\n")
    assert shape_problem(f"{before}z = {'[' * 16}{']' * 16}\n") == ""


@unhurried
@given(st.data())
def test_bytes_that_flip(data: st.DataObject) -> None:
    """A lock file with some bytes changed is read, or refused in our own words; never used wrongly.

    Where the entry is still there, its manifest is the one of its pin.
    """
    raw = bytearray(toml(entry(archive_pin=ARCHIVE_PIN, archive_bytes=1, x="y"), more=[1]))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = list(parsed(bytes(raw)).fields.values())
    except (LockFileError, PinMismatch):
        found = []
    for each in found:
        assert each.manifest.digest == str(each.field_pin)


JUNK = st.sampled_from(
    [None, "", "x", "../x", 0, -1, 1.5, True, [], [""], ["x"], {}, {"a": 1}, 2**63, PIN, f"{A}\n",
     ARCHIVE_PIN, [A], [B], [A, B, "x"]]
)  # fmt: skip


@unhurried
@given(
    st.dictionaries(
        st.sampled_from([*entry(), "resolved", "archive_pin", "archive_bytes", "indexes", "other"]),
        JUNK,
        max_size=3,
    )
)
def test_reader_takes_nothing_that_the_schema_refuses(changes: dict[str, Any]) -> None:
    """The schema says less than the reader checks, and never more."""
    table = {"version": 1, "fields": {"notes": entry(**copy.deepcopy(changes))}}
    data = tomli_w.dumps(table).encode()
    if not SCHEMA.is_valid(tomllib.loads(data.decode())):
        assert refused(data).exit_code in (2, 3)


def test_schema_describes_what_the_reader_knows() -> None:
    """Each key of the schema is one that the reader checks: another type of it is refused."""
    properties = schema("lock")["$defs"]["field"]["properties"]
    errors = {key: refused(toml(entry(**{key: 1.5}))) for key in properties}
    assert {error.exit_code for error in errors.values()} == {2}
    assert parsed(toml(entry(unknown=1.5))).field("notes").rest == {"unknown": 1.5}

"""An edited archive: what is unchanged stays byte for byte, the canonical form stays canonical."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.writer.archives import (
    FILES,
    WRITERS,
    after_plan,
    canonical,
    contents,
    edited,
    image_of,
    plan_of,
    raw,
    written_by_zipfile,
    written_with_all_there_is,
)

from memoryfield_readers import (
    ArchiveImage,
    ImageEntry,
    Limits,
    Manifest,
    UnsafeArchive,
    open_field,
)
from memoryfield_readers.canonical_archive import is_canonical
from memoryfield_readers.canonical_archive.records import (
    EntryHeader,
    central_record,
    end_records,
    local_record,
    moved_record,
)
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes
from memoryfield_writer.archives.building import Run, build_edited, laid_out
from memoryfield_writer.archives.canonical import write_canonical
from memoryfield_writer.plan import Plan, Put

KNOWN = {
    "a.md": b"---\ntitle: A\n---\n",
    "b.md": b"",
}
FOUR_GIB = 1 << 32

NAMES = st.sampled_from(["a.md", "b.md", "c.md", "d.png", "\u00e9.md", "\u00e4.txt", "z.sqlite3"])
FIELDS = st.dictionaries(NAMES, st.binary(max_size=40), min_size=1)


def test_known_bytes() -> None:
    """Every byte of a small archive, as the standard has it."""
    assert canonical({"a.md": b"x"}) == (
        b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0\x83\x16\xdc\x8c\1\0\0\0\1\0\0\0\4\0\0\0a.mdx"
        b"PK\x01\x02\x14\3\x14\0\0\0\0\0\0\0\x21\0\x83\x16\xdc\x8c\1\0\0\0\1\0\0\0\4\0\0\0"
        b"\0\0\0\0\0\0\0\0\xa4\x81\0\0\0\0a.md"
        b"PK\x05\x06\0\0\0\0\1\0\1\0\x32\0\0\0\x23\0\0\0\0\0"
    )


@given(FIELDS)
def test_any_field_is_packed_strictly(files: dict[str, bytes]) -> None:
    """A strict reader takes it, and it is recognised."""
    data = canonical(files)
    assert contents(data) == files
    assert is_canonical(image_of(data))
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == files


@given(FIELDS, FIELDS, st.sets(NAMES))
def test_canonical_stays_canonical(
    files: dict[str, bytes], puts: dict[str, bytes], removes: set[str]
) -> None:
    """The edited archive is the archive of the edited field, byte for byte."""
    plan = plan_of(files, puts, sorted(removes & files.keys()))
    after = after_plan(files, plan.puts, plan.removes)
    assert edited(canonical(files), plan) == canonical(after)


@pytest.mark.parametrize("writer", [name for name in WRITERS if name != "canonical"])
@pytest.mark.parametrize(
    ("puts", "removes"),
    [
        ({"b.md": b"# B, changed\n"}, ()),
        ({"new.md": b"# New\n"}, ()),
        ({}, ("a.md",)),
        ({"a.md": b"x" * 5000, "new.md": b"n", "y.png": b""}, ("index.md",)),
        ({"a.md": b"", "b.md": b"", "index.md": b"", "map.png": b""}, ()),
    ],
    ids=["replace", "add", "remove", "several", "all"],
)
def test_what_is_unchanged_stays(
    writer: str, puts: dict[str, bytes], removes: tuple[str, ...], tmp_path: Path
) -> None:
    """Local headers, data, descriptors and records but for the offset; order, and comment."""
    data = WRITERS[writer](tmp_path)
    before = image_of(data)
    files = contents(data)
    plan = plan_of(files, puts, removes)
    made = edited(data, plan)
    after = image_of(made)
    assert contents(made) == after_plan(files, plan.puts, plan.removes)
    assert after.comment == before.comment
    then = {entry.path: raw(data, entry) for entry in before.entries}
    now = {entry.path: raw(made, entry) for entry in after.entries}
    touched = {*puts, *removes}
    for path in then.keys() - touched:
        assert now[path] == then[path]
    order = [entry.path for entry in before.entries if entry.path not in removes]
    assert [entry.path for entry in after.entries] == order + [
        path for path in puts if path not in order
    ]
    methods = {entry.path: entry.method for entry in before.entries}
    for entry in after.entries:
        if entry.path in puts and entry.path in methods:
            assert entry.method == methods[entry.path]
    with zipfile.ZipFile(io.BytesIO(made)) as opened:
        assert opened.testzip() is None


def test_new_entries_are_like_the_others() -> None:
    """Deflated where most are, with the time of the clock in UTC, and no extra fields."""
    now = datetime(2031, 2, 3, 4, 5, 7, tzinfo=UTC)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        image = image_of(written_by_zipfile(method))
        out = io.BytesIO()
        build_edited(image, plan_of(FILES, {"\u00fc.md": b"x" * 99}), out, now=now)
        with zipfile.ZipFile(out) as opened:
            found = opened.getinfo("\u00fc.md")
            assert opened.namelist()[-1] == "\u00fc.md"
        assert (found.compress_type, found.date_time) == (method, (2031, 2, 3, 4, 5, 6))
        assert (found.extra, found.comment, found.flag_bits) == (b"", b"", 0x800)
        assert found.external_attr >> 16 == 0o100644


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(2150, 1, 1, tzinfo=UTC), (2107, 12, 31, 23, 59, 58)),
    ],
    ids=["early", "late"],
)
def test_times_are_clamped(now: datetime, found: tuple[int, ...]) -> None:
    """What a clock says before 1980 or after 2107 no archive can hold."""
    out = io.BytesIO()
    build_edited(image_of(written_by_zipfile()), plan_of(FILES, {"n.md": b""}), out, now=now)
    with zipfile.ZipFile(out) as opened:
        assert opened.getinfo("n.md").date_time == found


def test_renamed_entries_stay_where_they_were() -> None:
    """With their time, their method and their attributes."""
    data = written_with_all_there_is()
    plan = plan_of(FILES, {"new.md": Put(FILES["a.md"], "a.md", moved=True)}, ("a.md",))
    made = edited(data, plan)
    before = {entry.path: entry for entry in image_of(data).entries}
    paths = [entry.path for entry in image_of(made).entries]
    assert paths == [path if path != "a.md" else "new.md" for path in before]
    now = next(entry for entry in image_of(made).entries if entry.path == "new.md")
    assert now.record[12:16] == before["a.md"].record[12:16]
    assert now.record[38:42] == before["a.md"].record[38:42]


def test_a_directory_in_another_order_keeps_it() -> None:
    """The order of the directory, and that of the entries, are each their own."""
    entries = [ZipEntry(name, name.encode()) for name in ("a.md", "b.md", "c.md", "d.md")]
    data = zip_bytes(*entries)
    records = [entry.record for entry in image_of(data).entries]
    at = image_of(data).directory_at
    mixed = data[:at] + b"".join(records[place] for place in (2, 0, 3, 1)) + data[-22:]
    plan = plan_of(contents(mixed), {"a.md": b"longer than it was", "e.md": b"e"}, ("c.md",))
    made = image_of(edited(mixed, plan))
    assert [entry.path for entry in made.entries] == ["a.md", "d.md", "b.md", "e.md"]
    in_file = sorted(made.entries, key=lambda entry: entry.start)
    assert [entry.path for entry in in_file] == ["a.md", "b.md", "d.md", "e.md"]


def test_what_no_reader_would_inflate_is_stored() -> None:
    """Two million zeros deflate too well."""
    data = zip_bytes(ZipEntry("a.md", b"a" * 99, DEFLATED), ZipEntry("z.bin", b"z" * 99, DEFLATED))
    plan = plan_of(contents(data), {"z.bin": bytes(2_000_000), "y.bin": bytes(1_000_000)})
    made = image_of(edited(data, plan))
    assert [(entry.path, entry.method) for entry in made.entries] == [
        ("a.md", 8), ("z.bin", 0), ("y.bin", 8),
    ]  # fmt: skip
    out = io.BytesIO()
    image = image_of(data)
    build_edited(image, plan_of(contents(data), {"y.bin": b"y" * 1_100_000}), out, ratio=2000)
    with open_field(out, limits=Limits(ratio=2000)) as field:
        assert field.content("y.bin") == b"y" * 1_100_000


def _variants() -> dict[str, bytes]:
    entries = {name: ZipEntry(name, KNOWN[name], attributes=0o100644 << 16) for name in KNOWN}
    for name, entry in entries.items():
        says = replace(entry.central, date=0x21)
        entries[name] = replace(entry, central=says, local=replace(entry.local, date=0x21))
    a, b = entries.values()
    return {
        "same": zip_bytes(a, b),
        "order": zip_bytes(b, a),
        "comment": zip_bytes(a, b, comment=b"x"),
        "debris": zip_bytes(replace(a, name=".a.md"), b),
        "folder": zip_bytes(replace(a, name="a/", content=b""), b),
        "nested": zip_bytes(replace(a, name="a/a.md"), b),
        "deflated": zip_bytes(replace(a, method=DEFLATED), b),
        "attributes": zip_bytes(replace(a, attributes=0o100600 << 16), b),
        "date": zip_bytes(replace(a, central=replace(a.central, date=0x22)), b),
        "extra": zip_bytes(replace(a, extra=b"\x55\x54\1\0x"), b),
        "local extra": zip_bytes(replace(a, local=replace(a.local, extra=b"\x55\x54\1\0x")), b),
        "version": zip_bytes(replace(a, central=replace(a.central, version=10)), b),
        "zip64": zip_bytes(replace(a, zip64=True), b),
    }


@pytest.mark.parametrize("what", list(_variants()))
def test_recognising(what: str) -> None:
    """One thing that is otherwise, and an archive is as any."""
    data = _variants()[what]
    assert is_canonical(image_of(data)) is (what == "same")
    assert (data == canonical(KNOWN)) is (what == "same")


def test_names_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="out of order"):
        write_canonical([("b.md", b""), ("a.md", b"")], io.BytesIO())


def test_names_that_no_archive_may_have() -> None:
    """They are for the reader to judge: it refuses them all."""
    for name in ("a\\b.md", "a\nb.md", "C:x.md", "..", "\udce4.md"):
        with pytest.raises(UnsafeArchive):
            contents(canonical({name: b"", "z.md": b""}))


def test_many_entries() -> None:
    """Beyond 65,534 entries the end record of zip64 counts them; edited, they stay canonical."""
    names = [f"{number:05}.md" for number in range(65_536)]
    data = canonical(dict.fromkeys(names, b""))
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.namelist() == names
    before = _far(0, *names)
    assert (before.size, is_canonical(before)) == (len(data), True)
    layout = laid_out(before, Plan({}, (names[0], names[1]), (), Manifest({})))
    assert layout.pieces[1:] == _directory_and_end(_far(0, *names[2:]))


def _far(size: int, *paths: str) -> ArchiveImage:
    """An image of an archive in the canonical form that is too large to be made here."""
    entries = []
    at = 0
    for path in paths:
        header = EntryHeader(path.encode(), 7, size, size)
        end = at + len(local_record(header)) + size
        record = central_record(header, at)
        entries.append(ImageEntry(path, False, 0, 7, size, size, at, end, record))
        at = end
    directory = sum(len(entry.record) for entry in entries)
    whole = at + directory + len(end_records(len(paths), directory, at))
    return ArchiveImage(tuple(entries), b"", whole, at, lambda offset, length: bytes(length))


@pytest.mark.parametrize(
    "size", [1000, FOUR_GIB // 2, FOUR_GIB - 2, FOUR_GIB - 1, FOUR_GIB, 9 << 32]
)
def test_sizes_and_offsets_beyond_four_gib(size: int) -> None:
    """zip64 comes and goes with the need for it, as if the archive were packed anew."""
    before = _far(size, "a.md", "b.md", "c.md", "d.md")
    assert is_canonical(before)
    layout = laid_out(before, Plan({}, ("b.md",), (), Manifest({})))
    assert layout.pieces[-2:] == _directory_and_end(_far(size, "a.md", "c.md", "d.md"))
    a, _, c, d = before.entries
    assert layout.pieces[:2] == (Run(a.start, a.end), Run(c.start, d.end))
    layout = laid_out(before, Plan({"0.md": Put(b"")}, (), (), Manifest({})))
    shift = len(local_record(EntryHeader(b"0.md", 0, 0, 0)))
    for entry, record in zip(before.entries, _records(layout.pieces[-2])[1:], strict=True):
        header = EntryHeader(entry.path.encode(), 7, size, size)
        assert record == central_record(header, entry.start + shift)


def _directory_and_end(image: ArchiveImage) -> tuple[bytes, bytes]:
    directory = b"".join(entry.record for entry in image.entries)
    return directory, end_records(len(image.entries), len(directory), image.directory_at)


def _records(directory: Run | bytes) -> list[bytes]:
    assert isinstance(directory, bytes)
    return [b"PK\x01\x02" + record for record in directory.split(b"PK\x01\x02")[1:]]


@pytest.mark.parametrize("size", [9, FOUR_GIB + 9])
@pytest.mark.parametrize("offset", [9, FOUR_GIB - 1, FOUR_GIB + 5])
@pytest.mark.parametrize("to", [3, FOUR_GIB - 2, FOUR_GIB - 1, FOUR_GIB * 3])
def test_moved_records_read_back(size: int, offset: int, to: int) -> None:
    """As `zipfile` reads them: only the offset is another one, extra fields and comments stay."""
    extra = struct.pack("<2HB", 0x5455, 1, 0) + b"\0"  # with padding
    header = EntryHeader(b"a.md", 1, size, size)
    plain = central_record(header, offset)
    zip64 = plain[46 + 4 :]
    record = b"".join((
        plain[:30], struct.pack("<2H", len(zip64) + len(extra), 2), plain[34:50], zip64, extra,
        b"hi",
    ))  # fmt: skip
    moved = moved_record(record, to)
    end = end_records(1, len(moved), 99)
    with zipfile.ZipFile(io.BytesIO(b"\0" * 99 + moved + end)) as opened:
        (info,) = opened.infolist()
    assert (info.header_offset, info.file_size, info.comment) == (to, size, b"hi")
    assert info.extra.endswith(extra)
    assert moved_record(moved, offset)[46:50] == b"a.md"


@settings(max_examples=30)
@given(
    st.sampled_from(sorted(WRITERS.keys() - {"zip"})),
    FIELDS,
    st.sets(st.sampled_from(sorted(FILES))),
)
def test_any_edit_of_any_archive(writer: str, puts: Mapping[str, bytes], removes: set[str]) -> None:
    """It gives what a dictionary gives, and debris and folders stay."""
    data = WRITERS[writer](Path())
    plan = plan_of(FILES, puts, sorted(removes - {"index.md"}))
    made = edited(data, plan)
    assert contents(made) == after_plan(FILES, plan.puts, plan.removes)
    with open_field(data) as before, open_field(made) as after:
        assert (before.debris, before.folders) == (after.debris, after.folders)
        assert after.manifest() == _pages_and_attachments(plan)


def _pages_and_attachments(plan: Plan) -> Manifest:
    hashes = {
        name: digest
        for name, digest in plan.manifest.hashes.items()
        if not name.endswith(".sqlite3")
    }
    return Manifest(hashes)


def test_pieces_of_the_old_archive_are_few() -> None:
    """What lies side by side goes over in one go."""
    files = {f"{number:03}.md": b"x" * number for number in range(300)}
    layout = laid_out(image_of(canonical(files)), plan_of(files, {"100.md": b"new"}))
    assert [type(piece) for piece in layout.pieces] == [Run, bytes, bytes, Run, bytes, bytes]
    assert hashlib.sha256(b"new").digest() == hashlib.sha256(layout.placed[0].entry.data).digest()

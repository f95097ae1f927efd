"""An archive of any bytes: refused, or the very archive that others see; never another error."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.readers.examples import examples

from memoryfield_readers import (
    DEFAULT_LIMITS,
    EntryKind,
    MemoryfieldError,
    inspect_field,
    open_field,
    visible,
)
from memoryfield_readers.sources.archive import ArchiveSource
from memoryfield_readers.sources.random_access import SeekableFile
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Descriptor,
    Zip64End,
    ZipEntry,
    zip_bytes,
)


def _by_zipfile(method: int, zip64: bool) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name in ("a.md", "é.md", "log/x.txt"):
            with archive.open(name, "w", force_zip64=zip64) as file:
                file.write(name.encode() * 20)
        archive.mkdir("empty")
        archive.comment = b"a comment"
    return target.getvalue()


_A = ZipEntry("a.md", b"# A\n" * 9, DEFLATED)
_B = ZipEntry("b.md", b"# B\n", descriptor=Descriptor.SIGNED)
_C = ZipEntry("c.md", b"", zip64=True, descriptor=Descriptor.BARE)
GOOD = (
    zip_bytes(_A, _B, _C),
    zip_bytes(_A, _B, zip64=Zip64End(), comment=b"comment"),
    zip_bytes(ZipEntry("in.zip", zip_bytes(_A, _B)), _C),
    zip_bytes(),
    _by_zipfile(zipfile.ZIP_STORED, zip64=False),
    _by_zipfile(zipfile.ZIP_DEFLATED, zip64=True),
)
_values = st.sampled_from([0, 1, 8, 0x7F, 0x80, 0xFF])
_words = st.sampled_from(
    [b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x07\x08",
     b"\xff" * 4, b"\xff" * 8, bytes(4), bytes(8), b"../", b"a.md", b"b.md", b"/", b"\\",
     b"\x01\x00\x10\x00", b"up"]
)  # fmt: skip


_MUTATIONS = ("flip", "set", "cut", "insert", "word", "number", "move", "splice")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good archive with a few bytes flipped, cut, put in, overwritten, moved or doubled."""
    data = bytearray(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(1, 3))):
        if not data:
            break
        at = draw(st.integers(0, len(data) - 1))
        kind = draw(
            st.sampled_from(["flip", "set", "cut", "insert", "word", "number", "move", "splice"])
        )
        if kind == "flip":
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "set":
            data[at] = draw(_values)
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 60))]
        elif kind == "insert":
            data[at:at] = draw(st.one_of(_words, st.binary(min_size=1, max_size=30)))
        elif kind == "word":
            word = draw(_words)
            data[at : at + len(word)] = word
        elif kind == "number" and at + 4 <= len(data):
            number = int.from_bytes(data[at : at + 4], "little") + draw(st.integers(-40, 40))
            data[at : at + 4] = struct.pack("<L", number % 2**32)
        elif kind == "move":
            count, to = draw(st.integers(1, 60)), draw(st.integers(0, len(data) - 1))
            piece = data[at : at + count]
            data[to:to] = piece
        else:
            other = draw(st.sampled_from(GOOD))
            data[at:] = other[draw(st.integers(0, len(other))) :]
    return bytes(data)


def _refusal(data: bytes) -> MemoryfieldError | None:
    """How a reader refuses an archive, or None where it opens it."""
    try:
        open_field(data).close()
    except MemoryfieldError as error:
        return error
    return None


def _review(data: bytes) -> None:
    """Inspect, read and judge everything; only errors of ours may come, and only from reading."""
    with inspect_field(data) as field:
        for name in (*field.pages, *field.attachments, *field.indexes):
            try:
                field.sha256(name)
            except MemoryfieldError as error:
                str(error).encode()
        for fault in (*field.faults, *field.damaged()):
            assert fault.rule.startswith("MF60")
            assert visible(fault.message) == fault.message
        list(field.nested())
        at_fault = any(fault.rule != "MF609" for fault in field.faults)
    refusal = _refusal(data)
    assert at_fault == (refusal is not None)
    assert refusal is None or refusal.exit_code == 3


def _as_zipfile_sees_it(data: bytes) -> dict[str, bytes | None]:
    """Every file by name, with None for one that cannot be read."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        seen: dict[str, bytes | None] = {}
        for info in files:
            try:
                seen[info.filename] = archive.read(info)
            except (zipfile.BadZipFile, zlib.error, EOFError, ValueError):
                seen[info.filename] = None
    assert len(seen) == len(files)
    return seen


def _as_we_see_it(data: bytes) -> dict[str, bytes | None]:
    """The same through our own source, debris and sub-directories included."""
    file = SeekableFile(io.BytesIO(data), owned=True)
    source = ArchiveSource(file, location="", archive_name="", name="", limits=DEFAULT_LIMITS)
    seen: dict[str, bytes | None] = {}
    for entry in {*source.root(), *source.nested()}:
        if entry.kind is EntryKind.FILE:
            try:
                seen[entry.path] = source.read(entry, DEFAULT_LIMITS.file_bytes)
            except MemoryfieldError:
                seen[entry.path] = None
    return seen


def _compare(data: bytes) -> str:
    """What we accept is what zipfile sees: the same names, and no bytes that it does not give."""
    with inspect_field(data) as field:
        if field.faults:
            return "refused" if _refusal(data) else "names that are not marked"
    ours, theirs = _as_we_see_it(data), _as_zipfile_sees_it(data)
    assert ours.keys() == theirs.keys()
    for name, content in ours.items():
        assert content in (None, theirs[name])
    return "accepted"


@examples(800)
@given(mutated())
def test_a_mutated_archive_is_refused_or_what_zipfile_sees(data: bytes) -> None:
    """A review never crashes, a reader only refuses; what it accepts, others see just so."""
    _review(data)
    event(_compare(data))


_almost = st.one_of(
    st.binary(max_size=300),
    st.binary(max_size=60).map(lambda raw: raw + zip_bytes()),
    st.lists(_words, max_size=20).map(lambda words: b"".join(words) + zip_bytes(_B)),
)


@examples(300)
@given(_almost)
def test_any_bytes_are_an_archive_or_refused(data: bytes) -> None:
    """Any bytes may be said to be an archive."""
    _review(data)
    event(_compare(data))


@pytest.mark.parametrize(
    "data", [GOOD[0], GOOD[1], zip_bytes(_B), GOOD[3]], ids=["all forms", "zip64", "small", "empty"]
)
def test_every_single_flipped_bit(data: bytes) -> None:
    """Each bit of an archive, flipped: refused, unreadable, or without any meaning to anyone.

    Of a larger one it is every third bit, or with MEMORYFIELD_CRASH_ALL=1 in the environment each.
    """
    few = len(data) < 150 or os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
    for at in range(0, len(data) * 8, 1 if few else 3):
        mutant = bytearray(data)
        mutant[at // 8] ^= 1 << at % 8
        _review(bytes(mutant))
        _compare(bytes(mutant))

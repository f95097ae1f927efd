"""The short way through a plain archive finds what the careful one finds, or leaves it to that."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from contextlib import closing

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.readers.examples import examples

from memoryfield_readers import DEFAULT_LIMITS, Entry, EntryKind, Limits, MemoryfieldError
from memoryfield_readers.sources.archive import ArchiveSource
from memoryfield_readers.sources.random_access import SeekableFile
from memoryfield_readers.sources.zip_content import AT_ONCE_BYTES
from memoryfield_readers.sources.zip_directory import read_directory
from memoryfield_readers.sources.zip_end import find_ending
from memoryfield_readers.sources.zip_plain import plain_members
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Descriptor,
    End,
    Header,
    Zip64End,
    ZipEntry,
    deflated,
    unicode_path,
    zip_bytes,
)

_FEW = Limits(entries=3, file_bytes=60, total_bytes=90, directory_bytes=200, ratio=2)
_LARGE = b"large\n" * 60_000


def _by_zipfile(method: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name in ("b.md", "a.md", "é.md", "data.csv", ".DS_Store", "m.sqlite3"):
            archive.writestr(zipfile.ZipInfo(name, (2027, 3, 4, 5, 6, 8)), name.encode() * 20)
    return target.getvalue()


PLAIN = {
    "one": zip_bytes(ZipEntry("a.md", b"# A\n")),
    "empty page": zip_bytes(ZipEntry("a.md"), ZipEntry("b.md", b"", DEFLATED)),
    "both methods": zip_bytes(ZipEntry("a.md", b"# A\n" * 9, DEFLATED), ZipEntry("b.md", b"# B\n")),
    "a comment": zip_bytes(ZipEntry("a.md", b"a\n"), comment=b"comment"),
    "zip64 end": zip_bytes(ZipEntry("a.md", b"a\n"), zip64=Zip64End()),
    "an archive inside": zip_bytes(ZipEntry("in.zip", zip_bytes(ZipEntry("a.md", b"a\n")))),
    "a large one": zip_bytes(
        ZipEntry("a.md", b"a\n"), ZipEntry("large.bin", _LARGE), ZipEntry("z.md", b"z\n")
    ),
    "several windows": zip_bytes(
        *(ZipEntry(f"{n}.bin", bytes([n]) * (n * 9_000), n % 2 * DEFLATED) for n in range(1, 28))
    ),
    "zipfile stored": _by_zipfile(zipfile.ZIP_STORED),
    "zipfile deflated": _by_zipfile(zipfile.ZIP_DEFLATED),
}
_SMALL = [data for data in PLAIN.values() if len(data) < 10_000]


def _file(data: bytes) -> SeekableFile:
    return SeekableFile(io.BytesIO(data), owned=True)


def _is_plain(data: bytes, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether the short way is taken."""
    file = _file(data)
    ending = find_ending(file)
    records = file.read_at(ending.start, ending.size)
    return plain_members(file, ending, records, limits) is not None


def _compare(data: bytes) -> str:
    """Both ways find the same members and faults, also within narrow limits."""
    seen = ""
    for limits in (DEFAULT_LIMITS, _FEW):
        found = read_directory(_file(data), limits)
        assert found == read_directory(_file(data), limits, careful=True)
        if not seen:
            whole = not found.faults and found.members
            seen = "refused" if not whole else "plain" if _is_plain(data) else "careful"
    _compare_contents(data)
    return seen


def _source(data: bytes) -> ArchiveSource:
    return ArchiveSource(_file(data), location="", archive_name="", name="", limits=DEFAULT_LIMITS)


def _told(error: MemoryfieldError) -> str:
    return f"{type(error).__name__}: {error}"


def _outcome(read: object, entry: Entry) -> bytes | str:
    try:
        got = read(entry)  # type: ignore[operator]
        return got if isinstance(got, bytes) else b"".join(got)
    except MemoryfieldError as error:
        return _told(error)


def _compare_contents(data: bytes) -> None:
    """An entry read in one go is what it is in pieces, and so are its hash and its fault."""
    source = _source(data)
    entries = [e for e in {*source.root(), *source.nested()} if e.kind is EntryKind.FILE]
    together = source.sha256s(entries)
    for entry in entries:
        in_pieces = _outcome(source.chunks, entry)
        assert in_pieces == _outcome(lambda each: source.read(each, 10**9), entry)
        if isinstance(in_pieces, str):
            assert entry.path not in together
            with pytest.raises(MemoryfieldError) as caught:
                source.sha256(entry)
            assert _told(caught.value) == in_pieces
        else:
            digest = hashlib.sha256(in_pieces).hexdigest()
            assert source.sha256(entry) == digest
            assert together.get(entry.path, digest) == digest


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_archive_takes_the_short_way(name: str) -> None:
    """What most programs write is plain, and found to be what the careful way finds."""
    assert _is_plain(PLAIN[name])
    assert _compare(PLAIN[name]) == "plain"


def test_all_small_entries_are_hashed_together() -> None:
    """Whatever lies between them, and wherever what is read together ends."""
    for data in PLAIN.values():
        with closing(_source(data)) as source:
            entries = [entry for entry in source.root() if entry.size <= AT_ONCE_BYTES]
            assert source.sha256s(source.root()).keys() == {entry.path for entry in entries}


_A, _B = ZipEntry("a.md", b"# A\n" * 5, DEFLATED), ZipEntry("b.md", b"# B\n")
_EXTRA = struct.pack("<2H5s", 0x5455, 5, bytes(5))


@pytest.mark.parametrize(
    "data",
    [
        zip_bytes(),
        zip_bytes(ZipEntry("log/a.md", b"a\n")),
        zip_bytes(ZipEntry("log/")),
        zip_bytes(ZipEntry("a.md", b"a\n", extra=_EXTRA)),
        zip_bytes(ZipEntry("a.md", b"a\n", local=Header(extra=_EXTRA))),
        zip_bytes(ZipEntry("a.md", b"a\n", central=Header(extra=_EXTRA))),
        zip_bytes(ZipEntry("a.md", b"a\n", central=Header(comment=b"comment"))),
        zip_bytes(ZipEntry("a.md", b"a\n", descriptor=Descriptor.SIGNED)),
        zip_bytes(ZipEntry("a.md", b"a\n", zip64=True)),
        zip_bytes(ZipEntry("a.md", b"a\n", local=Header(version=10))),
        zip_bytes(ZipEntry("a.md", b"a\n", local=Header(time=1))),
        zip_bytes(ZipEntry("a.md", b"a\n", central=Header(disk=0xFFFF))),
        zip_bytes(ZipEntry(b"\xff.md", b"a\n")),
        zip_bytes(ZipEntry("ab:c.md", b"a\n")),
    ],
    ids=[
        "no entries", "a folder implied", "a folder", "extra fields", "one local", "one central",
        "a comment", "a descriptor", "zip64", "another local version", "another local time",
        "an unknown disk", "a name not marked", "a colon",
    ],
)  # fmt: skip
def test_what_is_harmless_but_not_plain_is_judged_with_care(data: bytes) -> None:
    """Nothing is refused for not being plain."""
    assert not _is_plain(data)
    _compare(data)
    found = read_directory(_file(data), DEFAULT_LIMITS)
    assert {fault.rule for fault in found.faults} <= {"MF609"}


@pytest.mark.parametrize(
    "names",
    [("a.md", "a.md"), ("..",), (".",), ("",), ("a\\b.md",), ("a\n.md",), ("\x85.md",), ("C:a.md",),
     ("a.md", "a.md/"), ("/a.md",)],
)  # fmt: skip
def test_a_name_at_fault_is_never_plain(names: tuple[str, ...]) -> None:
    """Names that stand for two things or lead elsewhere are the careful way's."""
    data = zip_bytes(*map(ZipEntry, names))
    assert not _is_plain(data)
    assert _compare(data) == "refused"


@pytest.mark.parametrize("off", [1, 0, -1], ids=["enough", "just enough", "one too few"])
@pytest.mark.parametrize(
    "exact",
    [{"entries": 2}, {"file_bytes": 20}, {"total_bytes": 24}, {"directory_bytes": 2 * 50}],
    ids=lambda exact: next(iter(exact)),
)
def test_limits_are_met_or_not_alike(exact: dict[str, int], off: int) -> None:
    """What is well within a limit is plain; what is not is the careful way's to tell."""
    [(name, value)] = exact.items()
    limits, data = Limits(**{name: value + off}), zip_bytes(_A, _B)
    found = read_directory(_file(data), limits)
    assert found == read_directory(_file(data), limits, careful=True)
    assert [fault.rule for fault in found.faults] == ["MF607"] * (off < 0)
    assert off < 1 or _is_plain(data, limits)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_another_number_of_entries_than_announced(count: int) -> None:
    """More or fewer records than the end record says, also where they point into the file."""
    again = ZipEntry("c.md", written=False, central=Header(offset=0))
    data = zip_bytes(_A, _B, again, end=End(entries=count, entries_here=count))
    assert _compare(data) == "refused"
    if count != 2:
        data = zip_bytes(_A, _B, end=End(entries=count, entries_here=count))
        assert _compare(data) == "refused"


def _reordered() -> bytes:
    """Two entries whose central directory names them the other way round."""
    data = bytearray(zip_bytes(_A, _B))
    start = data.index(b"PK\x01\x02")
    middle = data.index(b"PK\x01\x02", start + 4)
    end = data.index(b"PK\x05\x06")
    data[start:end] = data[middle:end] + data[start:middle]
    return bytes(data)


def test_entries_in_another_order_are_judged_with_care() -> None:
    """The order of the directory is kept, whatever that of the file is."""
    data = _reordered()
    assert not _is_plain(data)
    assert _compare(data) == "careful"
    members = read_directory(_file(data), DEFAULT_LIMITS).members
    assert [member.path for member in members] == ["b.md", "a.md"]


_FIELDS: dict[str, tuple[object, ...]] = {
    "signature": (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", bytes(4)),
    "version": (0, 10, 45, 46, 63, 0x0314, 0xFF2D),
    "flags": (0, 1, 2, 6, 8, 0x20, 0x40, 0x800, 0x808, 0x2000, 0x8000),
    "method": (0, 1, 8, 9, 12, 93),
    "time": (0, 1, 0xBF7D, 0xFFFF),
    "date": (0, 0x21, 0x5A21, 0x5A5F, 0xFFFF),
    "crc": (0, 1, 0xFFFFFFFF),
    "compressed": (0, 1, 4, 5, 26, 200, 0xFFFFFFFF),
    "size": (0, 1, 4, 5, 20, 61, 2**21, 0xFFFFFFFF),
    "name": ("a.md", "b.md", "c.md", "é.md", "a", "..", "", b"\xff", "a/b.md"),
    "extra": (_EXTRA, bytes(3), b"\xff" * 4, unicode_path("x.md"), bytes(30)),
    "comment": (b"c", b"PK\x01\x02", bytes(46)),
    "disk": (1, 0xFFFF),
    "attributes": (
        8,
        0x10,
        0x20,
        0x80A40000,
        0xA1FF0000,
        0x41ED0010,
        0x11A40000,
        0xC0000000,
        0x00001FFF,
    ),
    "offset": (0, 1, 30, 34, 38, 60, 68, 0xFFFFFFFF),
}
_LOCAL_FIELDS = sorted(_FIELDS.keys() - {"comment", "disk", "attributes", "offset"})
_NAMES = st.sampled_from(["a.md", "b.md", "c.md", "A.md", "é.md", "._a", "x y.png", "ä/b.md"])


def _says(field: str, value: object) -> Header:
    return Header(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "field"),
    [("central", field) for field in _FIELDS]
    + [(where, field) for field in _LOCAL_FIELDS for where in ("local", "both")],
)
def test_every_lie_is_found_out_alike(where: str, field: str) -> None:
    """Each value in each field, in one header or in both, of a stored and of a deflated entry."""
    for value in _FIELDS[field]:
        lie, none = _says(field, value), Header()
        local, central = (none if where == "central" else lie), (none if where == "local" else lie)
        odd = [
            ZipEntry("a.md", content, method, local=local, central=central)
            for content in (b"# A\n", b"")
            for method in (0, DEFLATED)
        ]
        for entry in odd:
            _compare(zip_bytes(entry))
            _compare(zip_bytes(_B, entry, ZipEntry("z.md", b"z\n")))


@st.composite
def _lie(draw: st.DrawFn, fields: list[str]) -> Header:
    """A header that says another thing than the truth in one place."""
    field = draw(st.sampled_from(fields))
    return _says(field, draw(st.sampled_from(_FIELDS[field])))


@st.composite
def lying(draw: st.DrawFn) -> bytes:
    """An archive that is plain but for a lie or two."""
    names = draw(st.lists(_NAMES, min_size=1, max_size=4, unique=draw(st.booleans())))
    entries = []
    for name in names:
        content = draw(st.sampled_from([b"", b"# A\n", b"# A\n" * 5, b"x" * 70]))
        entry = ZipEntry(name, content, draw(st.sampled_from([0, DEFLATED])))
        kind = draw(st.sampled_from(["", "", "", "local", "central", "both", "data", "gap"]))
        if kind == "data":
            data = draw(st.sampled_from([b"", b"\x03\x00", deflated(content) + b"x", b"\xff" * 4]))
            entry = ZipEntry(name, content, entry.method, data=data)
        elif kind == "gap":
            entry = ZipEntry(name, content, entry.method, gap=b"gap")
        elif kind:
            lie = draw(_lie(_LOCAL_FIELDS if kind != "central" else sorted(_FIELDS)))
            entry = ZipEntry(
                name, content, entry.method,
                local=lie if kind != "central" else Header(),
                central=lie if kind != "local" else Header(),
            )  # fmt: skip
        entries.append(entry)
    odd = draw(st.sampled_from(["", "", "", "prefix", "directory", "end", "count", "suffix"]))
    count = draw(st.integers(0, 5))
    return zip_bytes(
        *entries,
        prefix=b"pre" if odd == "prefix" else b"",
        count_prefix=draw(st.booleans()),
        before_directory=b"gap" if odd == "directory" else b"",
        before_end=b"gap" if odd == "end" else b"",
        suffix=b"suffix" if odd == "suffix" else b"",
        end=End(entries=count, entries_here=count) if odd == "count" else None,
        zip64=draw(st.sampled_from([None, None, Zip64End()])),
    )


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A plain archive of which a few bytes were flipped, set, cut, put in or swapped."""
    data = bytearray(draw(st.sampled_from(_SMALL)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(["flip", "set", "cut", "insert", "swap", "number"]))
        if kind == "flip":
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "set":
            data[at] = draw(st.sampled_from([0, 1, 8, 0x2F, 0x5C, 0x7F, 0x80, 0xFF]))
        elif kind == "cut" and len(data) > 30:
            del data[at : at + draw(st.integers(1, 20))]
        elif kind == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=20))
        elif kind == "swap":
            to, count = draw(st.integers(0, len(data) - 1)), draw(st.integers(1, 46))
            data[at : at + count], data[to : to + count] = (
                data[to : to + count], data[at : at + count],
            )  # fmt: skip
        elif at + 4 <= len(data):
            number = int.from_bytes(data[at : at + 4], "little") + draw(st.integers(-40, 40))
            data[at : at + 4] = struct.pack("<L", number % 2**32)
    return bytes(data)


@examples(300)
@given(lying())
def test_an_archive_that_lies_is_found_out_alike(data: bytes) -> None:
    """Each field of each header may lie: both ways find the same."""
    event(_compare(data))


@examples(300)
@given(mutated())
def test_a_mutated_archive_is_judged_alike(data: bytes) -> None:
    """Whatever bytes are changed, both ways find the same."""
    event(_compare(data))


@pytest.mark.parametrize("name", ["both methods", "one", "zip64 end"])
def test_every_flipped_bit_is_judged_alike(name: str) -> None:
    """Each bit of a plain archive, flipped."""
    for at in range(len(PLAIN[name]) * 8):
        mutant = bytearray(PLAIN[name])
        mutant[at // 8] ^= 1 << at % 8
        _compare(bytes(mutant))

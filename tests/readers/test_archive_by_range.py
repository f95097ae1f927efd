"""An archive elsewhere: the end, the directory, then what is read, and each byte asked for once."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from contextlib import closing

import pytest

from memoryfield_readers import (
    DEFAULT_LIMITS,
    EntryKind,
    Field,
    LimitExceeded,
    Limits,
    SourceChanged,
    SourceUnavailable,
    UnsafeArchive,
    open_field,
)
from memoryfield_readers.sources.archive import ArchiveSource
from memoryfield_readers.transfer.ranged import Tail
from memoryfield_readers.transfer.ranged_file import GAP_BYTES, TAIL_BYTES, RangedFile
from memoryfield_readers.transfer.sink import Sink
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Header,
    ZipEntry,
    unicode_path,
    zip_bytes,
)


class Far:
    """Bytes as if they were elsewhere; every request is counted."""

    at_once = 2
    came_from: str | None = None
    resolved: str | None = None
    notes: tuple[str, ...] = ()

    def __init__(self, data: bytes, *, ranges: bool = True, good_requests: int = 10**6) -> None:
        self.data = data
        self.asked: list[tuple[int, int]] = []
        self.closed = False
        self._ranges = ranges
        self._good = good_requests

    def tail(self, most: int, whole: Sink) -> Tail:
        size = len(self.data)
        start = max(0, size - most) if self._ranges else 0
        self.asked.append((start, size))
        if self._ranges:
            return Tail(size, self.data[start:])
        whole.write(self.data)
        return Tail(size, b"", whole=True)

    def save(self, start: int, end: int, sink: Sink) -> None:
        self.asked.append((start, end))
        if len(self.asked) > self._good:
            raise SourceUnavailable("the connection broke")
        half = (start + end) // 2
        sink.write(self.data[start:half])
        sink.restart()
        sink.write(self.data[start:half])
        sink.write(self.data[half:end])

    def close(self) -> None:
        self.closed = True

    @property
    def taken(self) -> int:
        """How many bytes were asked for in all."""
        return sum(end - start for start, end in self.asked)


def _noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def _field(far: Far, limits: Limits = DEFAULT_LIMITS) -> Field:
    file = RangedFile(far, limits)
    source = ArchiveSource(
        file, location="far.zip", archive_name="far.zip", name="far", limits=limits,
        strict=file.is_whole,
    )  # fmt: skip
    return Field(source, limits)


PAGES = {f"p{n:04}.md": _noise(2000, n) for n in range(400)}


@pytest.fixture(scope="module")
def large() -> bytes:
    """An archive of 400 pages, far larger than what is asked for first."""
    return zip_bytes(*(ZipEntry(name, data) for name, data in PAGES.items()))


def test_one_page_takes_the_tail_the_rest_of_the_directory_and_the_page() -> None:
    """Three requests at most, and no more bytes than directory, page and end record."""
    entries = [ZipEntry(f"page-{n:05}.md", b"%05d\n" % n) for n in range(10_000)]
    data = zip_bytes(*entries)
    far = Far(data)
    with _field(far) as field:
        assert len(field.pages) == 10_000
        assert field.page("page-07777.md").raw == b"07777\n"
    directory = 10_000 * (46 + 13) + 22
    page = 30 + 13 + 6
    assert len(far.asked) == 3
    assert far.taken == directory + page


def test_a_small_archive_takes_one_request_and_is_checked_whole() -> None:
    """What fits into the first request is all here, and is refused as on this machine."""
    far = Far(zip_bytes(ZipEntry("a.md", b"a\n")))
    with _field(far) as field:
        assert field.page("a.md").raw == b"a\n"
    assert len(far.asked) == 1
    bad = zip_bytes(ZipEntry("a.md", b"a\n", local=Header(name=b"b.md")))
    with _field(Far(bad)) as field:
        assert [fault.rule for fault in field.faults] == ["MF606"]


def test_nothing_is_asked_for_twice(large: bytes) -> None:
    """A page that was read, its hash, and the pin of the field ask for no byte again."""
    far = Far(large)
    with _field(far) as field:
        field.page("p0007.md")
        field.page("p0007.md")
        field.sha256("p0007.md")
        digest = field.digest()
        again = field.digest()
    with open_field(large) as local:
        assert digest == again == local.digest()
    assert far.taken <= len(large) + GAP_BYTES


def test_all_pages_take_few_requests(large: bytes) -> None:
    """Neighbours come in one request: all pages of an archive cost about one download."""
    far = Far(large)
    with _field(far) as field:
        pages = field.read(field.pages)
    assert {page.name: page.raw for page in pages} == PAGES
    assert len(far.asked) <= 3
    assert far.taken <= len(large) * 1.05


def test_pages_far_apart_are_asked_for_alone(large: bytes) -> None:
    """What lies between two pages is not fetched where it is much."""
    far = Far(large)
    with _field(far) as field:
        before = far.taken
        field.read(["p0000.md", "p0200.md"])
    assert far.taken - before == 2 * (2000 + 30 + 8)


def test_without_ranges_the_archive_comes_once(large: bytes) -> None:
    """It is spooled in the first request, and checked whole."""
    far = Far(large, ranges=False)
    with _field(far) as field:
        field.read(field.pages)
        field.archive_digest()
    assert far.asked == [(0, len(large))]


def test_the_archive_pin_is_that_of_the_bytes(large: bytes) -> None:
    """It is made of the archive as it stands elsewhere, all of which is fetched and checked."""
    with _field(Far(large)) as field, open_field(large) as local:
        assert field.archive_digest() == local.archive_digest()


def _with_bad_header(*, at: int) -> bytes:
    entries = [ZipEntry(name, data) for name, data in PAGES.items()]
    name = entries[at].name
    entries[at] = ZipEntry(name, PAGES[str(name)], local=Header(name=b"evil1.md"))
    return zip_bytes(*entries)


def test_a_local_header_is_checked_when_its_entry_is_read() -> None:
    """A header that names another file: that page is refused, the others are read (MF606)."""
    with _field(Far(_with_bad_header(at=5))) as field:
        assert field.faults == ()
        assert field.page("p0004.md").raw == PAGES["p0004.md"]
        with pytest.raises(UnsafeArchive) as caught:
            field.page("p0005.md")
        assert caught.value.entry == "p0005.md"
        with pytest.raises(UnsafeArchive):
            field.archive_digest()


def test_another_name_in_the_directory_is_seen_at_once() -> None:
    """What the directory alone tells is a fault before anything is read, of debris too (MF606)."""
    other = Header(extra=unicode_path("index.md", b".debris"))
    entries = [ZipEntry(name, data) for name, data in PAGES.items()]
    with _field(Far(zip_bytes(*entries, ZipEntry(".debris", central=other)))) as field:
        assert [(fault.rule, fault.entry) for fault in field.faults] == [("MF606", ".debris")]


def test_a_page_of_a_damaged_archive_is_not_handed_out(large: bytes) -> None:
    """A flipped bit is seen by the CRC of the entry (MF601)."""
    at = large.index(PAGES["p0003.md"]) + 100
    with _field(Far(large[:at] + bytes([large[at] ^ 1]) + large[at + 1 :])) as field:
        assert field.page("p0002.md").raw == PAGES["p0002.md"]
        with pytest.raises(UnsafeArchive):
            field.page("p0003.md")


def test_deflated_entries_are_inflated_with_bounds() -> None:
    """What a page inflates to is bounded by what the directory says."""
    entries = [ZipEntry(f"p{n}.md", _noise(50_000, n), DEFLATED) for n in range(4)]
    data = zip_bytes(*entries)
    with _field(Far(data)) as field:
        assert field.page("p2.md").raw == _noise(50_000, 2)


def test_a_span_that_is_too_long_is_not_fetched() -> None:
    """Bytes that no honest entry has are not asked for, whatever its size is said to be."""
    padded = b"".join(b"\x00\x00\x00\xff\xff" for _ in range(80_000)) + _deflated(b"a\n")
    entry = ZipEntry("a.md", b"a\n", DEFLATED, data=padded)
    data = zip_bytes(entry, ZipEntry("b.md", b"b\n"))
    limits = DEFAULT_LIMITS.with_settings(["file-bytes=1000"])
    far = Far(data)
    with _field(far, limits) as field, pytest.raises(LimitExceeded):
        field.page("a.md")
    assert far.taken <= TAIL_BYTES


def test_spans_that_are_too_long_together_are_not_fetched() -> None:
    """Entries that say to hold little, in many bytes each, do not fill the disk either."""
    padded = b"".join(b"\x00\x00\x00\xff\xff" for _ in range(60_000)) + _deflated(b"a\n")
    entries = [ZipEntry(f"p{n}.md", b"a\n", DEFLATED, data=padded) for n in range(10)]
    settings = ["file-bytes=100000", "total-bytes=400000", "directory-bytes=50000", "entries=100"]
    limits = DEFAULT_LIMITS.with_settings(settings)
    far = Far(zip_bytes(*entries))
    with _field(far, limits) as field, pytest.raises(LimitExceeded) as caught:
        field.read(field.pages)
    assert far.taken <= TAIL_BYTES
    assert caught.value.location == "far.zip"
    with _field(far, limits) as field:
        assert field.page("p0.md").raw == b"a\n"
        with pytest.raises(LimitExceeded):
            [field.page(name) for name in field.pages]
    assert far.taken <= 2 * TAIL_BYTES + limits.archive_bytes


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def test_a_read_that_breaks_off_says_what_had_come(large: bytes) -> None:
    """The error names how many files had come and which had not; what had come stays."""
    names = ["p0000.md", "p0150.md", "p0390.md"]
    far = Far(large, good_requests=2)
    with _field(far) as field:
        with pytest.raises(SourceUnavailable) as caught:
            field.read(names)
        error = caught.value
        assert set(error.got) | set(error.missing) == set(names)
        assert error.missing
        assert "of 3 files had come, not `p0" in str(error)
        for name in error.got:
            assert field.page(name).raw == PAGES[name]


def test_an_answer_of_another_length_is_an_error(large: bytes) -> None:
    """More or fewer bytes than were asked for are never taken for them."""

    class Short(Far):
        def save(self, start: int, end: int, sink: Sink) -> None:
            sink.write(self.data[start : end - 1])

    class Long(Far):
        def save(self, start: int, end: int, sink: Sink) -> None:
            sink.write(self.data[start : end + 1])

    with _field(Short(large)) as field, pytest.raises(SourceChanged):
        field.page("p0000.md")
    with _field(Long(large)) as field, pytest.raises(LimitExceeded):
        field.page("p0000.md")


def test_a_whole_archive_beyond_the_limits_is_not_fetched(large: bytes) -> None:
    """What is larger than any archive within the limits is refused before it comes."""
    limits = DEFAULT_LIMITS.with_settings(["total-bytes=1000", "directory-bytes=100", "entries=1"])
    with (
        closing(RangedFile(far := Far(large), limits)) as file,
        pytest.raises(LimitExceeded),
    ):
        file.bring_all()
    assert len(far.asked) == 1
    with pytest.raises(LimitExceeded):
        RangedFile(far := Far(large, ranges=False), limits)
    assert far.closed


@pytest.mark.parametrize(
    "spans",
    [[(0, 10), (5, 20)], [(40_000, 40_001), (0, 1)], [(90_000, 100_000)], [(0, 100_000)], []],
    ids=str,
)
def test_spans_are_brought_whatever_their_order(spans: Sequence[tuple[int, int]]) -> None:
    """Overlapping, distant, repeated and empty spans all give the bytes that stand there."""
    data = _noise(100_000)
    with closing(RangedFile(Far(data), DEFAULT_LIMITS)) as file:
        file.bring([*spans, *spans])
        for start, end in spans:
            assert file.has((start, end))
            assert file.read_at(start, end - start) == data[start:end]
        assert file.read_at(99_990, 100) == data[99_990:]
        assert file.read_at(200_000, 5) == b""


def test_folders_are_told_as_on_this_machine() -> None:
    """What lies in sub-directories is listed the same however the archive is read."""
    data = zip_bytes(
        ZipEntry("a.md", b"a\n"), ZipEntry("sub/"), ZipEntry("sub/b.md", _noise(90_000)),
        ZipEntry("__MACOSX/._a.md", b"x"), ZipEntry("c/d/e.txt", b""),
    )  # fmt: skip
    with _field(Far(data)) as far, open_field(data) as near:
        assert (far.pages, far.folders, far.debris) == (near.pages, near.folders, near.debris)
        assert list(far.nested()) == list(near.nested())
        assert all(entry.kind is not EntryKind.UNREADABLE for entry in far.nested())

"""A folder elsewhere: listed once, each file fetched once, and a read that breaks off says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock

import pytest

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    Entry,
    EntryKind,
    Field,
    LimitExceeded,
    Limits,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.sink import Sink

FILES = {f"p{n:02}.md": b"%d\n" % n * (n + 1) for n in range(30)} | {"pan.png": b"\x89PNG"}


class FakeStore:
    """Files in memory as if they were elsewhere; what is asked for is counted."""

    resolved: str | None = "far@1"
    notes: tuple[str, ...] = ("found by magic",)

    def __init__(
        self,
        files: dict[str, bytes] = FILES,
        *,
        sizes: bool = True,
        at_once: int = 4,
        together: frozenset[str] = frozenset(),
        failing: Callable[[str], Exception | None] = lambda name: None,
        listing: Exception | None = None,
    ) -> None:
        self.at_once = at_once
        self.asked: list[str] = []
        self.closed = 0
        self._files = files
        self._sizes = sizes
        self._together = together
        self._failing = failing
        self._listing_error = listing
        self._lock = Lock()

    def listing(self) -> Sequence[Entry]:
        if self._listing_error is not None:
            raise self._listing_error
        return [
            Entry(name, EntryKind.FILE, len(data) if self._sizes else 0)
            for name, data in reversed(self._files.items())
        ]

    def save(self, entry: Entry, sink: Sink) -> Entry:
        with self._lock:
            self.asked.append(entry.path)
        error = self._failing(entry.path)
        if error is not None:
            sink.write(self._files[entry.path][:1])
            raise error
        sink.write(b"not this")
        sink.restart()
        for at in range(0, len(self._files[entry.path]), 7):
            sink.write(self._files[entry.path][at : at + 7])
        return entry._replace(modified_ns=10**18)

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        wanted = [entry for entry in entries if entry.path in self._together]
        if wanted:
            self.asked.append("together")
        for entry in wanted:
            sink(entry).write(self._files[entry.path])
            yield entry

    def dated(self, entry: Entry) -> Entry:
        return entry._replace(modified_ns=5)

    def close(self) -> None:
        self.closed += 1


def _field(store: FakeStore, limits: Limits = DEFAULT_LIMITS) -> Field:
    return Field(RemoteSource(store, location="far", name="far", limits=limits), limits)


def test_a_field_elsewhere_is_read_like_any_other() -> None:
    """Pages, attachments, sizes and times come as the transport has them."""
    with _field(store := FakeStore()) as field:
        assert field.pages == tuple(sorted(FILES)[:-1])
        assert field.attachments == ("pan.png",)
        assert field.resolved == "far@1"
        assert field.notes == ("found by magic",)
        assert field.page("p03.md").raw == FILES["p03.md"]
        assert field.entry("p03.md").modified_ns == 10**18
        assert field.entry("p04.md").modified_ns is None
        assert field.entry("p04.md", dated=True).modified_ns == 5
    assert store.closed == 1


@pytest.mark.parametrize("sizes", [True, False])
def test_each_file_is_asked_for_once(sizes: bool) -> None:
    """Reading, hashing and reading again ask once, also where the listing has no sizes."""
    with _field(store := FakeStore(sizes=sizes)) as field:
        pages = field.read(["p02.md", "p01.md"])
        field.digest()
        field.read(field.pages)
        assert field.entry("p02.md").size == len(FILES["p02.md"])
        assert [page.name for page in pages] == ["p02.md", "p01.md"]
    assert sorted(store.asked) == sorted(FILES)


def test_files_are_fetched_side_by_side() -> None:
    """As many at a time as the transport allows: each waits until all four are there."""
    barrier = Barrier(4, timeout=20)

    def meet(name: str) -> None:
        barrier.wait()

    names = ["p00.md", "p01.md", "p02.md", "p03.md"]
    with _field(FakeStore(at_once=4, failing=meet)) as field:
        assert [page.name for page in field.read(names)] == names


def test_what_comes_together_is_not_asked_for_alone() -> None:
    """The rest is asked for one by one."""
    together = frozenset(list(FILES)[:20])
    with _field(store := FakeStore(together=together)) as field:
        field.digest()
    assert store.asked[0] == "together"
    assert sorted(store.asked[1:]) == sorted(set(FILES) - together)


def test_one_file_that_fails_is_told_when_it_is_read() -> None:
    """The others are read; the failure is remembered, and is that of the file."""

    def failing(name: str) -> Exception | None:
        return AccessDenied("is not for you") if name == "p05.md" else None

    with _field(store := FakeStore(failing=failing)) as field:
        field.prepare_all()
        assert field.page("p06.md").raw == FILES["p06.md"]
        with pytest.raises(AccessDenied) as caught:
            field.page("p05.md")
    assert str(caught.value) == "far: p05.md: is not for you"
    assert store.asked.count("p05.md") == 1


def test_a_failure_that_is_told_again_and_again_does_not_grow() -> None:
    """A server that lives long, and is asked for a bad page each second, holds one error of it."""
    store = FakeStore(failing=lambda name: AccessDenied("no") if name == "p03.md" else None)
    with _field(store) as field:
        field.prepare_all()
        lengths = set()
        for _ in range(3):
            with pytest.raises(AccessDenied) as caught:
                field.page("p03.md")
            lengths.add(len(caught.traceback))
        assert len(lengths) == 1


def test_a_source_that_dies_is_not_asked_for_every_file() -> None:
    """The error names what had come and what had not; nothing that was cut is handed out."""
    answered: list[str] = []
    lock = Lock()

    def failing(name: str) -> Exception | None:
        with lock:
            if len(answered) < 10:
                answered.append(name)
                return None
        return SourceUnavailable("cannot be reached")

    with _field(store := FakeStore(at_once=1, failing=failing)) as field:
        with pytest.raises(SourceUnavailable) as caught:
            field.read(field.pages)
        error = caught.value
        assert sorted(error.got) == sorted(answered)
        assert sorted((*error.got, *error.missing)) == list(field.pages)
        assert "10 of 30 files had come, not `p" in str(error)
        assert "and 15 more" in str(error)
        assert len(store.asked) < 20
        for name in error.got:
            assert field.page(name).raw == FILES[name]


def test_a_page_that_two_threads_ask_for_is_one_page() -> None:
    """Both are given what came first, which is counted once, whatever comes to the other."""
    both = Barrier(2)

    class Changing(FakeStore):
        def save(self, entry: Entry, sink: Sink) -> Entry:
            with self._lock:
                self.asked.append(entry.path)
                sink.write(b"%d" % len(self.asked))
            both.wait(20)
            return entry

    limits = DEFAULT_LIMITS.with_settings(["total-bytes=1"])
    with (
        _field(Changing({"a.md": b"?"}, sizes=False), limits) as field,
        ThreadPoolExecutor(2) as pool,
    ):
        one, other = pool.map(lambda _: field.page("a.md").raw, range(2))
        assert one == other == field.page("a.md").raw


def test_more_bytes_than_the_limits_allow_are_not_fetched() -> None:
    """All files together, also where no size was known before."""
    limits = DEFAULT_LIMITS.with_settings(["total-bytes=100"])
    with _field(FakeStore(sizes=False, at_once=1), limits) as field:
        with pytest.raises(LimitExceeded) as caught:
            field.read(field.pages)
        assert "in all" in str(caught.value)
    with _field(store := FakeStore(), limits) as field:
        with pytest.raises(LimitExceeded, match="in all"):
            field.prepare_all()
        assert store.asked == []
        assert field.page("p03.md").raw == FILES["p03.md"]


def test_bytes_that_come_in_vain_have_an_end() -> None:
    """Files that are too large by themselves, one after the other, do not fill the disk."""
    files = {f"p{n}.md": bytes(5000) for n in range(40)}
    limits = DEFAULT_LIMITS.with_settings(["file-bytes=1000", "total-bytes=5000"])
    store = FakeStore(files, sizes=False, at_once=2)
    with _field(store, limits) as field:
        with pytest.raises(LimitExceeded, match="in all"):
            field.prepare_all()
        asked = len(store.asked)
        assert asked < 15
        for name in field.pages:
            with pytest.raises(LimitExceeded):
                field.page(name)
        assert len(store.asked) == asked


def test_a_file_larger_than_its_limit_is_told_alone() -> None:
    """Also where the listing has no size: no more is taken than the limit."""
    limits = DEFAULT_LIMITS.with_settings(["file-bytes=20"])
    for sizes in (True, False):
        with _field(store := FakeStore(sizes=sizes), limits) as field:
            field.prepare_all()
            assert field.page("p00.md").raw == b"0\n"
            with pytest.raises(LimitExceeded) as caught:
                field.page("p29.md")
            assert caught.value.entry == "p29.md"
            assert ("p29.md" in store.asked) is not sizes


def test_another_size_than_listed_is_a_change() -> None:
    """A file that is cut, or has grown, is never handed out as the one that was listed."""

    class Grown(FakeStore):
        def save(self, entry: Entry, sink: Sink) -> Entry:
            sink.write(b"grown")
            return entry._replace(size=5)

    with _field(Grown({"a.md": b"a", "b.md": b"grown"})) as field:
        field.prepare_all()
        with pytest.raises(SourceChanged):
            field.page("a.md")
        assert field.page("b.md").raw == b"grown"


def test_a_listing_that_fails_closes_the_store() -> None:
    """Nothing stays open."""
    store = FakeStore(listing=NotFound("does not exist"))
    with pytest.raises(NotFound):
        _field(store)
    assert store.closed == 1


def test_too_many_files_are_a_fault() -> None:
    """A listing beyond the limits is a fault of the field, as of a folder here (MF607)."""
    with _field(FakeStore(listing=LimitExceeded("more than 3 entries"))) as field:
        assert [fault.rule for fault in field.faults] == ["MF607"]


def test_a_file_is_not_asked_for_by_a_name_that_was_not_listed() -> None:
    """Only what was listed reaches the transport."""
    with _field(store := FakeStore()) as field, pytest.raises(NotFound):
        field.read(["p01.md", "../p01.md"])
    assert store.asked == []

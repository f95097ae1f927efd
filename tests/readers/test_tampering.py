"""Whatever is changed of a field that is pinned or locked: nothing of it is handed out."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest
from tests.readers.locked_fields import AT, attempt, contents, lock_place
from tests.readers.places import PLACES, Place, packed, place
from tests.readers.servers.http_parts import Reply, Request, Served, answer

from memoryfield_readers import Field, MemoryfieldError, PinMismatch, SourceChanged, open_field
from memoryfield_validator.conformance.raw_zip import DEFLATED, Header, ZipEntry, zip_bytes

INDEX = "v.sqlite3"
FILES: dict[str, bytes] = {
    "a.md": b"a\n",
    "b.md": b"bb\n" * 6,
    "pan.png": bytes(range(200, 208)),
    INDEX: b"vectors",
}
COVERED = {name: data for name, data in FILES.items() if name != INDEX}
"""What a field pin covers."""

OLD: dict[str, bytes] = {**FILES, "a.md": b"A\n"}
"""The version before: it was good once."""

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
OFTEN = {
    "folder": 1, "archive": 1, "memory": 3, "memory-archive": 7, "served": 3, "archive-by-http": 7,
}  # fmt: skip
"""Where each byte is flipped, or one in few; in other places every so many bytes.

With MEMORYFIELD_CRASH_ALL=1 in the environment, it is each byte in all of these.
"""

ARCHIVES = [name for name in PLACES if "archive" in name or "release" in name]
"""Where an archive carries the field."""

FOLDERS = [name for name in PLACES if name not in ARCHIVES]
CHEAP_ARCHIVES = ["archive", "memory-archive", "archive-by-http", "served-with-archive"]

OF_COMMITS = {"git", "git-archive", "git-by-http", "github", "github-archive"}
"""Where the lock names a commit, which is what it was whatever is pushed after it."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A place whose field is pinned in every way, and what it held then.

    Attributes:
        name: what the place is called.
        place: the place.
        archive: the archive that carried it, if one does.
        ways: how it is opened so that it is proved, by name.
    """

    name: str
    place: Place
    archive: bytes
    ways: Mapping[str, Callable[[], Field]]

    @property
    def step(self) -> int:
        """Each so-manieth byte is flipped."""
        often = OFTEN.get(self.name, 97)
        return 1 if ALL and self.name in OFTEN else often

    @property
    def is_of_commit(self) -> bool:
        """Whether the lock names a commit."""
        return self.name in OF_COMMITS


@pytest.fixture(scope="module", params=PLACES)
def pinned(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pinned]:
    """A field at one of the places."""
    root = tmp_path_factory.mktemp("pinned")
    (root / "place").mkdir()
    with (
        place(request.param, root / "place", FILES) as at,
        pytest.MonkeyPatch.context() as patch,
    ):
        locked = lock_place(at, root, patch)

        def field() -> Field:
            return at.open(pin=str(locked.field_pin))

        def archive() -> Field:
            return at.open(pin=str(locked.archive_pin))

        def lock() -> Field:
            return open_field(AT, cache=None, storage_options=at.options)

        ways = {"field pin": field, "lock": lock}
        if locked.archive_pin is not None:
            ways["archive pin"] = archive
        assert at.carries_archive is (request.param in ARCHIVES)
        yield Pinned(request.param, at, packed(FILES), ways)


def flipped(data: bytes, at: int) -> bytes:
    """The bytes with one bit of one of them turned."""
    return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def refused(opened: Callable[[], Field]) -> PinMismatch:
    """The error of a field of which nothing is handed out."""
    found = attempt(opened)
    assert isinstance(found, PinMismatch), found
    assert found.exit_code == 3
    assert found.location
    assert found.diagnosis
    return found


def caught(pinned: Pinned) -> dict[str, PinMismatch]:
    """The errors of all ways to open it; a locked commit is read, though the branch has moved."""
    errors = {}
    for way, opened in pinned.ways.items():
        if way == "lock" and pinned.is_of_commit:
            assert attempt(opened) == FILES
        else:
            errors[way] = refused(opened)
    return errors


class TestEachByte:
    """One byte of a field is another one."""

    @pytest.mark.parametrize("pinned", FOLDERS, indirect=True)
    def test_of_each_file(self, pinned: Pinned) -> None:
        """A page, an attachment, an index: the lock names it, the field pin is not the same."""
        for name, data in FILES.items():
            for at in range(0, len(data), pinned.step):
                pinned.place.put_files({**FILES, name: flipped(data, at)})
                if not pinned.is_of_commit:
                    error = refused(pinned.ways["lock"])
                    assert error.entry == name
                    assert error.size == len(data)
                if name == INDEX:
                    assert attempt(pinned.ways["field pin"]) == COVERED
                else:
                    refused(pinned.ways["field pin"])

    @pytest.mark.parametrize("pinned", ARCHIVES, indirect=True)
    def test_of_the_archive(self, pinned: Pinned) -> None:
        """Headers, data, directory, end: no other byte than the pinned ones is handed out."""
        for at in range(0, len(pinned.archive), pinned.step):
            bad = flipped(pinned.archive, at)
            pinned.place.put_archive(bad)
            of = None if _is_the_same(bad) else _entry_at(at)
            if "archive pin" in pinned.ways:
                error = refused(pinned.ways["archive pin"])
                assert of in (None, error.entry)
            ways = [("field pin", COVERED), ("lock", FILES)]
            for way, whole in ways if pinned.name in CHEAP_ARCHIVES[:2] else ways[at % 2 :][:1]:
                found = attempt(pinned.ways[way])
                if isinstance(found, MemoryfieldError):
                    assert found.exit_code == 3, found
                    assert of in (None, found.entry) or (of == INDEX and way == "field pin")
                else:  # it is what says nothing of the content, as a time does
                    assert found == whole

    @pytest.mark.parametrize(
        "pinned",
        [n for n in ARCHIVES if n not in (*OF_COMMITS, "served-with-archive")],
        indirect=True,
    )
    def test_of_the_archive_as_a_whole(self, pinned: Pinned) -> None:
        """Also where only parts of a locked archive are read, asking for its pin tells."""
        for at in range(0, len(pinned.archive), 7 * pinned.step):
            pinned.place.put_archive(flipped(pinned.archive, at))
            with pytest.raises(PinMismatch), pinned.ways["lock"]() as field:
                field.archive_digest()


def _is_the_same(archive: bytes) -> bool:
    """Whether what is packed is the same: in compressed data not every bit has a meaning."""
    return attempt(lambda: open_field(archive)) == FILES


def _entry_at(offset: int) -> str | None:
    """The entry whose data stand at an offset of the archive; None for what is beside these."""
    archive = packed(FILES)
    start = 0
    for name, content in FILES.items():
        end = start + len(zip_bytes(ZipEntry(name, content, DEFLATED)).partition(b"PK\x01\x02")[0])
        if start + 30 + len(name) <= offset < end:
            assert archive[start : start + 4] == b"PK\x03\x04"
            return name
        start = end
    return None


CHANGES: dict[str, dict[str, bytes]] = {
    "two pages swapped": {**FILES, "a.md": FILES["b.md"], "b.md": FILES["a.md"]},
    "a page dropped": {name: data for name, data in FILES.items() if name != "a.md"},
    "a page added": {**FILES, "c.md": b"more\n"},
    "an attachment added": {**FILES, "run.sh": b"#!/bin/sh\n"},
    "a page renamed": {"c.md" if name == "a.md" else name: FILES[name] for name in FILES},
    "an older version": OLD,
    "a page emptied": {**FILES, "a.md": b""},
    "all gone but an index": {INDEX: FILES[INDEX]},
}


# Each asks S3 a dozen times, where a field is listed and read as in other places.
SAID_BY_OTHERS = ("an attachment added", "an older version", "a page emptied", "all gone but")


@pytest.mark.parametrize("change", CHANGES)
def test_other_pages(pinned: Pinned, change: str) -> None:
    """Swapped, dropped, added, renamed, replayed: caught in every place, however it is pinned."""
    if pinned.name.startswith("s3") and change.startswith(SAID_BY_OTHERS):
        return
    pinned.place.put(CHANGES[change])
    served = pinned.place.server is not None and not pinned.place.carries_archive
    if served and change.endswith("added"):
        # Nobody asks the server what there is: what was locked is read, and no more.
        assert attempt(pinned.ways["lock"]) == FILES
        refused(pinned.ways["field pin"])
    elif served:
        refused(pinned.ways["field pin"])
        found = attempt(pinned.ways["lock"])
        assert isinstance(found, MemoryfieldError)  # what is not there is NotFound
    else:
        caught(pinned)


def test_what_was_pinned_is_handed_out(pinned: Pinned) -> None:
    """All of it, by each pin and by the lock; a vector index only where something covers it."""
    pinned.place.put(FILES)
    for way, opened in pinned.ways.items():
        with opened() as field:
            assert contents(field) == (COVERED if way == "field pin" else FILES)
            told = [note for note in field.notes if INDEX in note]
            assert bool(told) is (way == "field pin")
            assert field.sha256("a.md") == field.manifest().hashes["a.md"]
            assert list(field.damaged()) == []


@pytest.mark.parametrize("pinned", CHEAP_ARCHIVES[2:], indirect=True)
def test_a_good_archive_first_and_a_bad_one_then(pinned: Pinned) -> None:
    """The server changes its mind between two requests, and says that nothing has changed."""
    server = pinned.place.server
    assert server is not None
    noise = random.Random(5).randbytes(60_000)
    good = {**FILES, "b.md": noise, "c.md": noise[::-1]}
    body, bad = packed(good), packed({**good, "a.md": b"Z\n"})
    assert len(body) == len(bad) > 100_000  # so that one request does not bring all of it
    with open_field(packed(good)) as field:
        pins = {"field": field.digest(), "archive": field.archive_digest()}
    path = "/woks/memoryfield.zip" if not pinned.place.is_archive else "/woks.memoryfield.zip"
    for kind, pin in pins.items():
        if kind == "archive" and not pinned.place.is_archive:
            continue
        for etag in ('"1"', None):
            answers = iter([body])
            server.answers[path] = _changing(answers, bad, etag)
            error = attempt(lambda pin=pin: pinned.place.open(pin=pin))  # type: ignore[misc]
            assert isinstance(error, PinMismatch), error
            del server.answers[path]


def _changing(first: Iterator[bytes], then: bytes, etag: str | None) -> Callable[[Request], Reply]:
    def reply(request: Request) -> Reply:
        return answer(request, Served(next(first, then), etag=etag, modified=None))

    return reply


def test_a_good_page_first_and_a_bad_one_then(pinned: Pinned) -> None:
    """A field that is open hands out what was proved, however its place changes meanwhile."""
    pinned.place.put(FILES)
    bad = {**FILES, "a.md": b"Z\n", "pan.png": b"y" * 8, INDEX: b"Vectors"}
    for opened in pinned.ways.values():
        with opened() as field:
            assert field.page("b.md").raw == FILES["b.md"]
            pinned.place.put(bad)
            for name in ("b.md", "a.md", "pan.png", *field.indexes):
                for read in (_by_page, _by_read, _by_chunks, _by_hash):
                    found = read(field, name)
                    assert found in (None, FILES[name])
            pinned.place.put(FILES)


def _by_page(field: Field, name: str) -> bytes | None:
    return _tried(lambda: field.page(name).raw) if name.endswith(".md") else None


def _by_read(field: Field, name: str) -> bytes | None:
    return _tried(lambda: field.read([name])[0].raw) if name.endswith(".md") else None


def _by_chunks(field: Field, name: str) -> bytes | None:
    return _tried(lambda: b"".join(field.chunks(name)))


def _by_hash(field: Field, name: str) -> bytes | None:
    _tried(lambda: field.sha256(name).encode())
    return None


def _tried(read: Callable[[], bytes]) -> bytes | None:
    """What is read; None where it is refused, as what it is: a mismatch, or a change."""
    try:
        return read()
    except (PinMismatch, SourceChanged):
        return None


TWICE: dict[str, list[ZipEntry]] = {
    "the bad one first": [ZipEntry("a.md", b"Z\n"), ZipEntry("a.md", FILES["a.md"])],
    "the bad one last": [ZipEntry("a.md", FILES["a.md"]), ZipEntry("a.md", b"Z\n")],
    "another name for machines": [
        ZipEntry("a.md", b"Z\n", central=Header(name="b.md")), ZipEntry("a.md", FILES["a.md"]),
    ],
    "under a folder": [ZipEntry("./a.md", b"Z\n")],
}  # fmt: skip


@pytest.mark.parametrize("pinned", CHEAP_ARCHIVES, indirect=True)
@pytest.mark.parametrize("kind", TWICE)
def test_a_page_that_is_there_twice(pinned: Pinned, kind: str) -> None:
    """An archive that two readers would read in two ways is none of those that were pinned."""
    rest = [ZipEntry(name, FILES[name]) for name in FILES if name != "a.md"]
    pinned.place.put_archive(zip_bytes(*TWICE[kind], *rest))
    assert set(caught(pinned)) == set(pinned.ways)

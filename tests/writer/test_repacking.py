"""An archive gets the form that is the same everywhere, in its place or elsewhere."""

from __future__ import annotations

import hashlib
import os
from itertools import count
from pathlib import Path

import pytest
from tests.writer.archives import FILES, WRITERS, canonical, contents
from tests.writer.stepping import At, Stepping, every_crash, fail_at

from memoryfield_readers import (
    Limits,
    LocationError,
    LockTimeout,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
    UnsafeArchive,
    WriteConflict,
    open_field,
)
from memoryfield_readers.holding import held_field
from memoryfield_validator.conformance.raw_zip import Header, ZipEntry, zip_bytes
from memoryfield_writer.repacking import repack

NAME = "x.memoryfield.zip"
BYTES = canonical(FILES)
WRAPPED = zip_bytes(
    ZipEntry("my field/"),
    *(ZipEntry(f"my field/{name}", content) for name, content in FILES.items()),
    ZipEntry("my field/sub/deep.md", b"deep"),
    ZipEntry("__MACOSX/._a.md", b"debris"),
    ZipEntry("other/a.md", b"# Another\n"),
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("writer", sorted(WRITERS))
def test_in_its_place(writer: str, place: Path) -> None:
    """Whoever wrote it: the pages are the same, the bytes those of the canonical form."""
    data = WRITERS[writer](place)
    (place / NAME).write_bytes(data)
    (place / NAME).chmod(0o600)
    with open_field(NAME) as field:
        digest = field.digest()
        left_out = len(field.debris) + len(field.folders)
    packed = repack(NAME)
    after = canonical(contents(data))
    assert (place / NAME).read_bytes() == after
    assert (packed.digest, packed.left_out, str(packed.path)) == (digest, left_out, NAME)
    assert packed.unchanged is (writer == "canonical")
    assert (place / NAME).stat().st_mode & 0o777 == 0o600
    line = f"{hashlib.sha256(after).hexdigest()}  {NAME}\n"
    assert (place / f"{NAME}.sha256").read_text() == line
    before = (place / NAME).stat()
    assert repack(NAME).unchanged
    assert (place / NAME).stat() == before


def test_elsewhere(place: Path) -> None:
    """The archive itself stays; what is there stays, too, unless it may go."""
    old = WRITERS["all-there-is"](place)
    (place / NAME).write_bytes(old)
    packed = repack(place / NAME, "new.zip", checksum=False)
    assert (place / "new.zip").read_bytes() == BYTES
    assert (place / NAME).read_bytes() == old
    assert packed.archive_pin == f"sha256:{hashlib.sha256(BYTES).hexdigest()}"
    (place / "new.zip").write_bytes(b"mine")
    with pytest.raises(WriteConflict):
        repack(NAME, "new.zip")
    assert not repack(NAME, "new.zip", replace=True).unchanged
    assert (place / "new.zip").read_bytes() == BYTES


def test_its_own_place_by_another_name(place: Path) -> None:
    """Then it needs no leave, and a link stays one."""
    (place / NAME).write_bytes(WRITERS["zipfile"](place))
    (place / "l.zip").symlink_to(NAME)
    repack(NAME, "l.zip", checksum=False)
    assert (place / NAME).read_bytes() == BYTES
    assert (place / "l.zip").is_symlink()


def test_indexes_are_kept_or_dropped(place: Path) -> None:
    files = {**FILES, "x.sqlite3": b"index"}
    (place / NAME).write_bytes(canonical(files))
    assert repack(NAME).unchanged
    assert repack(NAME, indexes=False).entries == len(FILES)
    assert contents(place / NAME) == FILES


@pytest.mark.parametrize("root", ["my field", "my field/"])
def test_unwrapped(root: str, place: Path) -> None:
    """What lies beside the folder is left out; what lies deeper, too."""
    (place / NAME).write_bytes(WRAPPED)
    packed = repack(NAME, root=root)
    assert (place / NAME).read_bytes() == BYTES
    assert packed.left_out == 1
    with open_field(NAME) as field:
        assert packed.digest == field.digest()


def test_wrapped_without_root(place: Path) -> None:
    """It is refused, and the hint has the folder with most pages."""
    (place / NAME).write_bytes(WRAPPED)
    for target in (None, "new.zip"):
        with pytest.raises(LocationError) as raised:
            repack(NAME, target)
        assert "--root 'my field'" in str(raised.value.hint)
        assert raised.value.location == NAME
    with pytest.raises(NotFound) as missing:
        repack(NAME, root="a.md")
    assert "my field" in str(missing.value.hint)
    assert (place / NAME).read_bytes() == WRAPPED
    assert os.listdir(place) == [NAME]


def test_what_is_only_warned_about_is_mended(place: Path) -> None:
    """A name that is not marked as UTF-8 is, afterwards."""
    loose = zip_bytes(
        ZipEntry("a.md", b"a"),
        ZipEntry("\u00e4.md".encode(), b"b", local=Header(flags=0), central=Header(flags=0)),
    )
    (place / NAME).write_bytes(loose)
    with open_field(NAME) as field:
        assert [fault.rule for fault in field.faults] == ["MF609"]
    repack(NAME)
    with open_field(NAME) as field:
        assert (field.faults, field.pages) == ((), ("a.md", "\u00e4.md"))


@pytest.mark.parametrize(
    "data",
    [
        zip_bytes(ZipEntry("a.md", b"1"), ZipEntry("a.md", b"2")),
        zip_bytes(ZipEntry("a.md", b"1"), ZipEntry("../b.md", b"2")),
        zip_bytes(ZipEntry("a.md", b"1"), suffix=b"x"),
        zip_bytes(ZipEntry("a.md", b"1", central=Header(crc=7), local=Header(crc=7))),
        b"<html>",
        b"",
    ],
    ids=["MF604", "MF603", "MF606", "MF601 CRC", "HTML", "empty"],
)
def test_unsafe_archives_are_refused(data: bytes, place: Path) -> None:
    (place / NAME).write_bytes(data)
    for target in (None, "new.zip"):
        with pytest.raises(UnsafeArchive) as raised:
            repack(NAME, target)
        assert raised.value.location == NAME
    assert (place / NAME).read_bytes() == data
    assert os.listdir(place) == [NAME]


def test_what_is_no_archive_here(place: Path) -> None:
    (place / "folder").mkdir()
    for location, error in (
        ("folder", LocationError),
        ("missing.zip", NotFound),
        ("https://example.org/x.zip", LocationError),
    ):
        with pytest.raises(error):
            repack(location)


def test_under_the_lock(place: Path) -> None:
    (place / NAME).write_bytes(WRAPPED)
    with held_field(place / NAME, wait=1, location="x"), pytest.raises(LockTimeout):
        repack(NAME, root="my field", wait=0)


def test_changed_by_who_asks_for_no_lock(place: Path) -> None:
    (place / NAME).write_bytes(WRAPPED)

    def come(number: int, name: str) -> None:
        if name == "fsync":
            (place / NAME).write_bytes(b"theirs")

    with Stepping(come), pytest.raises((WriteConflict, SourceUnavailable)):
        repack(NAME, root="my field")
    assert (place / NAME).read_bytes() == b"theirs"
    assert os.listdir(place) == [NAME]


def test_limits_hold(place: Path) -> None:
    (place / NAME).write_bytes(BYTES)
    with pytest.raises(UnsafeArchive, match="MF607"):
        repack(NAME, limits=Limits(entries=2))


def test_an_error_at_every_step(place: Path) -> None:
    """The archive is the old one, or it is said to be written."""
    for nth in count(1):
        (place / NAME).write_bytes(WRAPPED)
        (place / f"{NAME}.sha256").unlink(missing_ok=True)
        words = ""
        with Stepping(_failing(nth)) as stepping:
            try:
                repack(NAME, root="my field")
            except MemoryfieldError as error:
                words = str(error)
        assert not list(place.glob(".*"))
        there = (place / NAME).read_bytes()
        assert there == (WRAPPED if words and "is written" not in words else BYTES), (nth, words)
        if len(stepping.taken) < nth:
            break
    assert nth > 10


def _failing(nth: int) -> At:
    return fail_at(nth, 28)


def test_killed_at_every_step(place: Path) -> None:
    """The archive is the old or the new one; to do it again does what is left to do."""

    def prepare(at: Path) -> None:
        at.mkdir()
        (at / NAME).write_bytes(WRAPPED)

    def check(at: Path, nth: int, done: bool) -> None:
        there = (at / NAME).read_bytes()
        assert there in (WRAPPED, BYTES)
        repack(at / NAME, root="my field" if there == WRAPPED else None)
        assert (at / NAME).read_bytes() == BYTES
        assert sorted(os.listdir(at)) == [NAME, f"{NAME}.sha256"]

    assert (
        every_crash(place, prepare, lambda at: void(repack(at / NAME, root="my field")), check)
        >= 10
    )


@pytest.mark.parametrize("root", [None, "my field"])
def test_packed_half_way(root: str | None, place: Path) -> None:
    """A journal says that it may be neither before nor after: readers tell it, and it stays."""
    above = "" if root is None else f"{root}/"
    files = {**FILES, ".memoryfield/journal": b"any", ".memoryfield/new-0": b"# New\n"}
    data = zip_bytes(*(ZipEntry(above + name, content) for name, content in files.items()))
    (place / NAME).write_bytes(data)
    for target in (None, "other.zip"):
        with pytest.raises(WriteConflict, match="when it was packed"):
            repack(NAME, target, root=root)
    assert os.listdir(place) == [NAME]
    assert (place / NAME).read_bytes() == data
    with open_field(NAME) as field:
        assert [("when it was packed" in note) for note in field.notes] == [True] * (root is None)


def void(_: object) -> None:
    """Nothing."""

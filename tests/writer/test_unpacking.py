"""A field is unpacked whole or not at all, and nothing of a person's goes for that."""

from __future__ import annotations

import errno
import io
import os
import stat
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.writer.archives import FILES, WRITERS, canonical, contents
from tests.writer.stepping import Stepping, every_crash, fail_at, raise_at

from memoryfield_readers import (
    AccessDenied,
    EmptyField,
    LocationError,
    MemoryfieldError,
    NotFound,
    PageError,
    SourceUnavailable,
    UnsafeArchive,
    WriteConflict,
    memory_field,
    open_field,
)
from memoryfield_validator.conformance.raw_zip import Header, ZipEntry, zip_bytes
from memoryfield_writer.unpacking import Unpacked, unpack

NAME = "x.memoryfield.zip"
BYTES = canonical(FILES)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with an archive."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_bytes(BYTES)
    return tmp_path


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("writer", sorted(WRITERS))
def test_unpacked(writer: str, place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Pages and attachments, and nothing else; with the times of the entries."""
    data = WRITERS[writer](tmp_path_factory.mktemp("made"))
    (place / NAME).write_bytes(data)
    before = os.umask(0o027)
    try:
        unpacked = unpack(NAME, "out")
    finally:
        os.umask(before)
    assert files_in(place / "out") == contents(data)
    with open_field("out") as there, open_field(NAME) as field:
        assert unpacked == Unpacked(Path("out"), field.digest(), len(contents(data)))
        assert there.digest() == field.digest()
        for name, entry in field.entries.items():
            assert there.entries[name].modified_ns == entry.modified_ns
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (place / "out").iterdir()}
    assert modes == {0o640}
    assert sorted(os.listdir(place)) == ["out", NAME]


@pytest.mark.parametrize("source", ["path", "bytes", "file", "folder"])
def test_from_what_can_be_opened(source: str, place: Path) -> None:
    unpack(NAME, "folder")
    location: Any = {"path": place / NAME, "bytes": BYTES, "file": io.BytesIO(BYTES)}.get(
        source, "folder"
    )
    assert unpack(location, place / "out").files == len(FILES)
    assert files_in(place / "out") == FILES


def test_indexes(place: Path) -> None:
    """They come along unless they are not wanted."""
    data = canonical({**FILES, "x.sqlite3": b"index", "x.sqlite3-wal": b"log"})
    assert unpack(data, "with").files == len(FILES) + 1
    assert unpack(data, "without", indexes=False).files == len(FILES)
    assert files_in(place / "without") == FILES


def test_into_an_empty_folder(place: Path) -> None:
    """It keeps its mode; a link to it stays a link."""
    (place / "real").mkdir(mode=0o700)
    (place / "out").symlink_to("real")
    unpack(NAME, "out")
    assert (place / "out").is_symlink()
    assert files_in(place / "real") == FILES
    assert stat.S_IMODE((place / "real").stat().st_mode) == 0o700


def test_what_is_there_stays(place: Path) -> None:
    """A file, a folder that holds anything, the working directory; a place that there is not."""
    (place / "file").write_bytes(b"mine")
    (place / "full").mkdir()
    (place / "full" / ".hidden").write_bytes(b"mine")
    for folder, error in (
        ("file", WriteConflict),
        ("full", WriteConflict),
        (NAME, WriteConflict),
        ("missing/out", NotFound),
        ("file/out", NotFound),
    ):
        with pytest.raises(error):
            unpack(NAME, folder)
    assert (place / "file").read_bytes() == b"mine"
    assert os.listdir(place / "full") == [".hidden"]
    assert sorted(os.listdir(place)) == ["file", "full", NAME]


def test_the_working_directory_is_not_replaced(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "out").mkdir()
    monkeypatch.chdir(place / "out")
    with pytest.raises(LocationError):
        unpack(place / NAME, ".")
    assert unpack(place / NAME, "inside").files == len(FILES)


def test_what_comes_meanwhile_stays(place: Path) -> None:
    """Also in a folder that was empty."""
    for there in (False, True):
        folder = place / f"out-{there}"
        if there:
            folder.mkdir()

        def come(number: int, name: str, folder: Path = folder) -> None:
            if name == "rename":
                folder.mkdir(exist_ok=True)
                (folder / "mine.txt").write_bytes(b"mine")

        with Stepping(come), pytest.raises(WriteConflict, match="meanwhile"):
            unpack(NAME, folder)
        assert os.listdir(folder) == ["mine.txt"]
        assert not list(place.glob(".*"))


HOSTILE = {
    "up": ZipEntry("../evil.md", b"x"),
    "absolute": ZipEntry("/tmp/evil.md", b"x"),
    "windows": ZipEntry("..\\evil.md", b"x"),
    "link": ZipEntry("l.md", b"a.md", attributes=0o120777 << 16),
    "twice": ZipEntry("a.md", b"other"),
    "crc": ZipEntry("c.md", b"x", local=Header(crc=7), central=Header(crc=7)),
    "setuid": ZipEntry("s.md", b"x", attributes=0o104777 << 16),
}


@pytest.mark.parametrize("what", sorted(HOSTILE))
def test_hostile_archives(what: str, place: Path) -> None:
    """Nothing is written, in the folder or out of it; and modes are nobody's but ours."""
    data = zip_bytes(ZipEntry("a.md", b"a"), HOSTILE[what])
    if what == "setuid":
        unpack(data, "out")
        assert stat.S_IMODE((place / "out" / "s.md").stat().st_mode) & ~0o644 == 0
        return
    with pytest.raises(UnsafeArchive):
        unpack(data, "out")
    assert os.listdir(place) == [NAME]


def test_fields_that_cannot_be_unpacked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a page, with a FIFO, with names that lead elsewhere."""
    (place / "pipes").mkdir()
    os.mkfifo(place / "pipes" / "a.md")
    for data, error in ((zip_bytes(), EmptyField), ("pipes", PageError)):
        with pytest.raises(error):
            unpack(data, "out")
    assert sorted(os.listdir(place)) == ["pipes", NAME]
    for name in ("a\\b.md", "b\0.md"):
        hostile = memory_field({name: b"", "a.md": b""})
        monkeypatch.setattr(
            "memoryfield_writer.unpacking.open_field", lambda *_, hostile=hostile, **__: hostile
        )
        with pytest.raises(SourceUnavailable, match="cannot be the name"):
            unpack("x", "out")
    assert sorted(os.listdir(place)) == ["pipes", NAME]


def test_names_that_are_one_here(place: Path) -> None:
    """Where case makes no difference, one of two would be written over the other."""
    real = os.open

    def ignoring_case(path: Any, flags: int, *others: Any, **named: Any) -> int:
        if flags & os.O_CREAT and isinstance(path, str) and path.endswith(".md"):
            path = path.lower()
        return real(path, flags, *others, **named)

    data = canonical({"A.md": b"1", "a.md": b"2"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", ignoring_case)
        patch.setattr(os, "supports_dir_fd", os.supports_dir_fd | {ignoring_case})
        with pytest.raises(SourceUnavailable, match="file exists"):
            unpack(data, "out")
    assert os.listdir(place) == [NAME]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("there", [False, True], ids=["new", "empty"])
def test_an_error_at_every_step(number: int, there: bool, place: Path) -> None:
    """All of it or nothing, and nothing beside; all of it once the folder has its name."""
    for nth in count(1):
        out = place / f"out-{nth}"
        if there:
            out.mkdir()
        failed = False
        with Stepping(fail_at(nth, number)) as stepping:
            try:
                unpack(NAME, out)
            except MemoryfieldError as error:
                failed = True
                assert isinstance(error, AccessDenied) == (number == errno.EACCES)  # noqa: PT017
        found = files_in(out) if out.exists() else None
        is_nothing = failed and "rename" not in stepping.taken[: nth - 1]
        assert found == (({} if there else None) if is_nothing else FILES), stepping.taken
        assert not list(place.glob(".*"))
        if len(stepping.taken) < nth:
            break
    assert nth > 2 * len(FILES)


def test_interrupted_at_every_step(place: Path) -> None:
    nth, raised = 0, True
    while raised:
        nth += 1
        out = place / f"out-{nth}"
        raised = False
        try:
            with Stepping(raise_at(nth, KeyboardInterrupt)):
                unpack(NAME, out)
        except KeyboardInterrupt:
            raised = True
        assert not out.exists() or files_in(out) == FILES
        assert not list(place.glob(".*"))


def test_killed_at_every_step(place: Path) -> None:
    """The folder is there whole or not at all; doing it again takes away what was left."""

    def check(at: Path, nth: int, done: bool) -> None:
        if (at / "out").exists():
            assert files_in(at / "out") == FILES
            return
        unpack(BYTES, at / "out")
        assert os.listdir(at) == ["out"]

    def act(at: Path) -> None:
        unpack(BYTES, at / "out")

    assert every_crash(place, Path.mkdir, act, check) >= 20

"""The same field is the same archive on every machine; what is there already stays."""

from __future__ import annotations

import errno
import hashlib
import io
import os
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import KNOWN, KNOWN_PIN
from tests.writer.archives import FILES, canonical, contents, field_in
from tests.writer.stepping import Stepping, fail_at, raise_at

import memoryfield_writer.packing
from memoryfield_readers import (
    AccessDenied,
    EmptyField,
    Field,
    LimitExceeded,
    Limits,
    LocationError,
    LockTimeout,
    MemoryfieldError,
    NotFound,
    PageError,
    SourceChanged,
    SourceUnavailable,
    UnsafeArchive,
    WriteConflict,
    open_field,
)
from memoryfield_readers.holding import held_field
from memoryfield_writer.packing import Packed, pack

KNOWN_ARCHIVE = "sha256:45c0f2506b8745f2ec522425f9599914a29be4e1960f59e823f1e20173b753c1"
"""The known answer of the standard for the two pages of its worked example."""

NAME = "field.memoryfield.zip"
BYTES = canonical(FILES)
SHA256 = hashlib.sha256(BYTES).hexdigest()
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a field."""
    field_in(tmp_path / "field", FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_packed(place: Path) -> None:
    """Named after the field, with all that is to be known of it, and a checksum."""
    with open_field("field") as field:
        digest = field.digest()
    packed = pack("field/")
    assert packed == Packed(Path(NAME), f"sha256:{SHA256}", digest, 5, len(BYTES), 0, False)
    assert (place / NAME).read_bytes() == BYTES
    assert (place / f"{NAME}.sha256").read_text() == f"{SHA256}  {NAME}\n"
    assert {path.name for path in place.iterdir()} == {"field", NAME, f"{NAME}.sha256"}
    before = (place / NAME).stat()
    assert pack("field").unchanged
    assert (place / NAME).stat() == before


def test_the_known_answer(place: Path) -> None:
    """That of the standard, byte for byte."""
    field_in(place / "known", KNOWN)
    packed = pack("known")
    assert (packed.bytes, packed.archive_pin, packed.digest) == (194, KNOWN_ARCHIVE, KNOWN_PIN)


def test_debris_and_folders_are_left_out(place: Path) -> None:
    """And counted; vector indexes come in if they are wanted, without what SQLite leaves."""
    for name in (".DS_Store", "x.sqlite3", "x.sqlite3-shm", "a.md~"):
        (place / "field" / name).write_bytes(b"x")
    (place / "field" / "sub").mkdir()
    (place / "field" / "sub" / "deep.md").write_bytes(b"x")
    (place / "field" / "x.sqlite3-wal").write_bytes(b"")
    packed = pack("field")
    assert (packed.left_out, packed.entries) == (3, 5)
    packed = pack("field", "with.zip", indexes=True)
    assert (packed.left_out, packed.entries) == (5, 6)
    assert contents(place / "with.zip") == {**FILES, "x.sqlite3": b"x"}
    (place / "field" / "x.sqlite3-wal").write_bytes(b"not yet in the index")
    with pytest.raises(SourceUnavailable, match="has not finished"):
        pack("field", "other.zip", indexes=True)


@pytest.mark.parametrize("source", ["archive", "path", "bytes", "file"])
def test_from_what_can_be_opened(source: str, place: Path) -> None:
    """An archive is packed anew, as a folder is."""
    (place / "old.zip").write_bytes(canonical(FILES))
    location: Any = {
        "archive": "old.zip",
        "path": place / "old.zip",
        "bytes": BYTES,
        "file": io.BytesIO(BYTES),
    }[source]
    assert pack(location, place / "new.zip").archive_pin == f"sha256:{SHA256}"
    if source == "bytes":
        with pytest.raises(LocationError):
            pack(location)


def test_links_are_packed_as_what_they_lead_to(place: Path) -> None:
    (place / "field" / "l.md").symlink_to("a.md")
    pack("field")
    assert contents(place / NAME)["l.md"] == FILES["a.md"]


def test_another_file_stays(place: Path) -> None:
    """Unless it may go; then the new one has its mode."""
    (place / NAME).write_bytes(b"mine")
    (place / NAME).chmod(0o600)
    with pytest.raises(WriteConflict, match="another file"):
        pack("field")
    assert (place / NAME).read_bytes() == b"mine"
    assert not (place / f"{NAME}.sha256").exists()
    assert not pack("field", replace=True).unchanged
    assert (place / NAME).read_bytes() == BYTES
    assert (place / NAME).stat().st_mode & 0o777 == 0o600


def test_who_came_meanwhile_stays(place: Path) -> None:
    """There is no moment in which a file could be written over unseen."""

    def come(number: int, name: str) -> None:
        if name == "fsync":
            (place / NAME).write_bytes(b"mine")

    with Stepping(come), pytest.raises(WriteConflict):
        pack("field")
    assert (place / NAME).read_bytes() == b"mine"


def test_who_was_quicker_with_the_same(place: Path) -> None:
    """Is no reason to complain."""

    def come(number: int, name: str) -> None:
        if name == "fsync":
            (place / NAME).write_bytes(BYTES)

    with Stepping(come):
        assert pack("field").unchanged
    assert (place / NAME).read_bytes() == BYTES


def test_a_name_that_is_none_of_an_archive(place: Path) -> None:
    """No reader would take it for a field; `.zip` alone is enough."""
    with pytest.raises(LocationError) as found:
        pack("field", "x.txt")
    assert ".memoryfield.zip" in (found.value.hint or "")
    assert pack("field", "x.zip").path == "x.zip"


def test_what_is_replaced_is_locked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of it that is under way is waited for."""
    monkeypatch.setattr("memoryfield_writer.archives.delivering.DEFAULT_WAIT", 0.01)
    (place / NAME).write_bytes(b"mine")
    with held_field(place / NAME, wait=1, location="x"), pytest.raises(LockTimeout):
        pack("field", replace=True)
    assert (place / NAME).read_bytes() == b"mine"


def test_a_link_stays_a_link(place: Path) -> None:
    (place / "elsewhere").mkdir()
    (place / "l.zip").symlink_to("elsewhere/real.zip")
    pack("field", "l.zip")
    assert (place / "l.zip").is_symlink()
    assert (place / "elsewhere" / "real.zip").read_bytes() == BYTES
    assert (place / "elsewhere" / "real.zip.sha256").exists()


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("field/x.zip", LocationError),
        ("field/sub/x.zip", LocationError),
        ("linked/x.zip", LocationError),
        ("missing/x.zip", NotFound),
        ("field", LocationError),
        ("https://example.org/x.zip", LocationError),
        ("s3://bucket/prefix/", LocationError),
    ],
)
def test_places_where_none_can_be(target: str, error: type[MemoryfieldError], place: Path) -> None:
    """Nothing is written there, nor beside."""
    (place / "field" / "sub").mkdir()
    (place / "linked").symlink_to("field")
    before = sorted(place.rglob("*"))
    with pytest.raises(error):
        pack("field", target)
    assert sorted(place.rglob("*")) == before


def test_not_over_itself(place: Path) -> None:
    (place / NAME).write_bytes(BYTES)
    (place / "l.zip").symlink_to(NAME)
    for target in (NAME, "l.zip"):
        with pytest.raises(LocationError) as raised:
            pack(NAME, target, replace=True)
        assert "repack" in str(raised.value.hint)


def test_in_the_folder_itself(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive would be an attachment the next time."""
    monkeypatch.chdir(place / "field")
    with pytest.raises(LocationError) as raised:
        pack(".")
    assert "-o ../" in str(raised.value.hint)
    assert pack(".", "../x.zip").entries == 5


def test_fields_that_cannot_be_packed(place: Path) -> None:
    """Irregular entries, no entries, names that no archive may have, too much of all."""
    field_in(place / "empty", {})
    field_in(place / "back\\slash", {"a\\b.md": b"x"})
    field_in(place / "irregular", {"a.md": b"x"})
    os.mkfifo(place / "irregular" / "b.md")
    for name, limits, error in (
        ("empty", Limits(), EmptyField),
        ("back\\slash", Limits(), UnsafeArchive),
        ("irregular", Limits(), PageError),
        ("field", Limits(directory_bytes=100), LimitExceeded),
    ):
        with pytest.raises(error):
            pack(name, "x.zip", limits=limits)
    assert not list(place.glob("*.zip"))
    assert not list(place.glob(".*"))


@pytest.mark.parametrize("change", ["edited", "added", "removed", "before"])
def test_changed_while_it_is_packed(
    change: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What belongs together, or nothing."""
    real = Field.content

    def content(self: Field, name: str) -> bytes:
        data = real(self, name) if change != "before" else b""
        if name == "b.md":
            page = place / "field" / ("c.md" if change == "added" else "a.md")
            if change == "removed":
                page.unlink()
            else:
                page.write_bytes(b"# Z\n")
                os.utime(page, ns=(7, 7))
        return data if change != "before" else real(self, name)

    monkeypatch.setattr(Field, "content", content)
    with pytest.raises(SourceChanged):
        pack("field")
    assert {path.name for path in place.iterdir()} == {"field"}


def test_a_name_too_long_for_a_checksum(place: Path) -> None:
    """That is found out before the archive is there."""
    name = "x" * 251 + ".zip"
    with pytest.raises(SourceUnavailable, match="name too long"):
        pack("field", name)
    assert not (place / name).exists()
    assert pack("field", name, checksum=False).entries == len(FILES)
    assert os.listdir(place) in (["field", name], [name, "field"])


def test_checksums_are_written_anew(place: Path) -> None:
    """One that is stale is; what only has its name stays."""
    check = place / f"{NAME}.sha256"
    check.write_text(f"{'0' * 64}  {NAME}\n")
    pack("field")
    assert check.read_text() == f"{SHA256}  {NAME}\n"
    check.write_text("my notes\n")
    (place / NAME).unlink()
    with pytest.raises(WriteConflict, match="no checksum"):
        pack("field", replace=True)
    assert not (place / NAME).exists()
    assert check.read_text() == "my notes\n"
    pack("field", checksum=False)


@pytest.mark.parametrize("replace", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_an_error_at_every_step(number: int, replace: bool, place: Path) -> None:
    """Nothing half, nothing beside; an archive that is there without its checksum is said to be."""
    old = b"mine" if replace else None

    def start() -> None:
        for path in place.glob("*.zip*"):
            path.unlink()
        if old is not None:
            (place / NAME).write_bytes(old)

    nth, done = 0, False
    while not done:
        nth += 1
        start()
        taken: list[str] = []
        try:
            with Stepping(fail_at(nth, number)) as stepping:
                taken = stepping.taken
                pack("field", replace=replace)
            done = len(taken) < nth
        except MemoryfieldError as error:
            words = str(error)
            denied = isinstance(error, AccessDenied)
        else:
            words, denied = "", False
        there = (place / NAME).read_bytes() if (place / NAME).exists() else None
        assert there in (old, BYTES)
        assert not list(place.glob(".*"))
        if words:
            assert (there == BYTES) == ("is written" in words), (nth, words)
            assert denied == (number == errno.EACCES) or "is written" in words
        else:
            assert there == BYTES


def test_interrupted_at_every_step(place: Path) -> None:
    steps = Stepping(lambda number, name: None)
    with steps:
        pack("field")
    for nth in range(1, len(steps.taken) + 1):
        for path in place.glob("*.zip*"):
            path.unlink()
        with Stepping(raise_at(nth, KeyboardInterrupt)), pytest.raises(KeyboardInterrupt):
            pack("field")
        assert not list(place.glob(".*"))


def test_the_source_is_judged_by_what_was_listed() -> None:
    """A name of a lock file that is no folder is not taken for one of the same name."""
    assert memoryfield_writer.packing._folder_of("x", _Named("@x")) is None  # type: ignore[arg-type]


class _Named:
    archive_name = None

    def __init__(self, location: str) -> None:
        self.location = location

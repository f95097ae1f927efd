"""An archive that is edited in its place: the old one or the new one, whatever happens."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.unprivileged import without_rights
from tests.writer.archives import FILES, WRITERS, canonical, contents, edited, plan_of
from tests.writer.stepping import At, Stepping, fail_at, raise_at

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    LimitExceeded,
    Limits,
    LockTimeout,
    NotFound,
    SourceUnavailable,
    UnsafeArchive,
    WriteConflict,
)
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes
from memoryfield_writer.plan import Plan
from memoryfield_writer.targets.archive_file import ArchiveTarget
from memoryfield_writer.targets.target import Persisted

NAME = "x.memoryfield.zip"
PLAN = plan_of(FILES, {"b.md": b"# B, new\n", "new.md": b"# New\n"}, ("index.md",))
OLD = canonical(FILES)
NEW = edited(OLD, PLAN)
WORST = frozenset({"open", "write", "copy_file_range", "fsync", "fchmod", "replace"})
"""The calls whose failure must be told; others are done as far as they can be."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An archive in a folder of its own."""
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / NAME).write_bytes(OLD)
    return folder


def target(place: Path, limits: Limits = DEFAULT_LIMITS, name: str = NAME) -> ArchiveTarget:
    return ArchiveTarget(place / name, f"shown/{name}", limits)


def persist(place: Path, plan: Plan = PLAN, *, name: str = NAME) -> Persisted:
    with target(place, name=name).held(5, None) as held:
        return held.persist(plan)


def steps_of(place: Path) -> list[str]:
    """The calls that an edit makes; the archive is put back."""
    with Stepping(lambda number, name: None) as stepping:
        persist(place)
    (place / NAME).write_bytes(OLD)
    return stepping.taken


def test_edited_in_its_place(place: Path) -> None:
    """The pin is that of the new bytes; nothing else is in the folder."""
    persisted = persist(place)
    assert (place / NAME).read_bytes() == NEW
    assert persisted == (f"sha256:{hashlib.sha256(NEW).hexdigest()}", ())
    assert os.listdir(place) == [NAME]


@pytest.mark.parametrize("writer", sorted(WRITERS))
def test_as_built_in_memory(writer: str, place: Path, tmp_path: Path) -> None:
    """Copying within the system gives what reading and writing gives."""
    data = WRITERS[writer](tmp_path)
    files = contents(data)
    plan = plan_of(files, {"b.md": b"# Other\n"}, ("a.md",))
    (place / NAME).write_bytes(data)
    persist(place, plan)
    times = (place / NAME).read_bytes()
    assert contents(times) == contents(edited(data, plan))
    if writer == "canonical":
        assert times == edited(data, plan)


@pytest.mark.parametrize("number", [errno.EXDEV, errno.ENOSYS, None], ids=["exdev", "enosys", "0"])
@pytest.mark.parametrize("first", [0, 10])
def test_where_the_system_cannot_copy(
    number: int | None, first: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is read and written, also where it broke off in the middle."""

    def copy(source: int, to: int, count: int, at: int) -> int:
        nonlocal first
        if first:
            done, first = os.write(to, os.pread(source, first, at)), 0
            return done
        if number is None:
            return 0
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "copy_file_range", copy, raising=False)
    persist(place)
    assert (place / NAME).read_bytes() == NEW


def test_nothing_to_do_writes_nothing(place: Path) -> None:
    before = (place / NAME).stat()
    with Stepping(lambda number, name: None) as stepping:
        persisted = persist(place, plan_of(FILES))
    assert persisted.archive_pin == f"sha256:{hashlib.sha256(OLD).hexdigest()}"
    assert set(stepping.taken) <= {"open"}  # that of the lock
    assert (place / NAME).stat() == before


def test_what_the_file_had_is_kept(place: Path) -> None:
    """Mode and extended attributes; until it is whole nobody else reads the new one."""
    archive = place / NAME
    archive.chmod(0o640)
    label = None
    if hasattr(os, "setxattr"):
        try:
            os.setxattr(archive, "user.label", b"mine")
            label = "user.label"
        except OSError:
            pass
    modes = []

    def look(number: int, name: str) -> None:
        if name == "write":
            modes.append([path.stat().st_mode & 0o777 for path in place.glob(".*.new")])

    with Stepping(look):
        persist(place)
    assert stat.S_IMODE(archive.stat().st_mode) == 0o640
    assert {mode for each in modes for mode in each} == {0o600}
    if label is not None:
        assert os.getxattr(archive, label) == b"mine"


def test_a_link_stays_a_link(place: Path, tmp_path: Path) -> None:
    """What it leads to is edited; the field has the name of the link."""
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "y.memoryfield.zip"
    link.symlink_to(place / NAME)
    with ArchiveTarget(link, "y", DEFAULT_LIMITS).held(5, None) as held:
        assert (held.field.name, held.field.location) == ("y", "y")
        held.persist(PLAN)
    assert link.is_symlink()
    assert (place / NAME).read_bytes() == NEW
    assert os.listdir(link.parent) == [link.name]


def test_a_name_as_long_as_may_be(place: Path) -> None:
    """What is made beside it has a shorter one."""
    name = "x" * 251 + ".zip"
    os.rename(place / NAME, place / name)
    persist(place, name=name)
    assert (place / name).read_bytes() == NEW
    assert os.listdir(place) == [name]


def test_a_checksum_beside_is_told_of(place: Path) -> None:
    """It is of the archive as it was, and who made it knows how to write it anew."""
    (place / f"{NAME}.sha256").write_text("x")
    assert "sha256` is of the archive as it was" in persist(place).notes[0]


KINDS: dict[str, Callable[[int], At]] = {
    "ENOSPC": lambda nth: fail_at(nth, errno.ENOSPC),
    "ENOSPC from there on": lambda nth: fail_at(
        nth, errno.ENOSPC, ever_after=True, only=frozenset({"open", "write", "copy_file_range"})
    ),
    "EIO": lambda nth: fail_at(nth, errno.EIO),
    "EACCES": lambda nth: fail_at(nth, errno.EACCES),
    "EROFS": lambda nth: fail_at(nth, errno.EROFS),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_error_at_every_step(kind: str, place: Path) -> None:
    """The old archive is there and nothing else, and the error says what is the matter."""
    steps = steps_of(place)
    swap = steps.index("replace") + 1
    for nth, name in enumerate(steps, start=1):
        try:
            with Stepping(KINDS[kind](nth)):
                notes = persist(place).notes
        except SourceUnavailable as error:
            denied = kind in ("EACCES", "EROFS")
            found = (isinstance(error, AccessDenied), error.location, nth <= swap)
            assert found == (denied, f"shown/{NAME}", True)
            assert (place / NAME).read_bytes() == OLD
        else:
            assert nth > swap or name not in WORST or kind == "ENOSPC from there on"
            assert (place / NAME).read_bytes() == NEW
            if nth > swap and name == "fsync" and "from there on" not in kind:
                assert "does not confirm" in notes[0]
        assert os.listdir(place) == [NAME], (nth, name)
        (place / NAME).write_bytes(OLD)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_interrupted_at_every_step(error: type[BaseException], place: Path) -> None:
    """Before the swap the old one is there, after it the new one; never anything beside."""
    steps = steps_of(place)
    swap = steps.index("replace") + 1
    for nth in range(1, len(steps) + 1):
        with pytest.raises(error), Stepping(raise_at(nth, error)):
            persist(place)
        assert (place / NAME).read_bytes() == (OLD if nth <= swap else NEW)
        assert os.listdir(place) == [NAME]
        (place / NAME).write_bytes(OLD)


def test_what_another_one_is_making_stays(place: Path) -> None:
    """What is held by its maker is not taken for left."""
    if sys.platform == "win32":
        pytest.skip("nothing is held there")
    import fcntl

    theirs, left, other = (place / f".{name}.{'0' * 16}.new" for name in (NAME, "-", "y.zip"))
    left = place / f".{NAME}.{'1' * 16}.new"
    for path in (theirs, left, other):
        path.write_bytes(b"x")
    with theirs.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        persist(place)
        assert sorted(os.listdir(place)) == sorted([NAME, theirs.name, other.name])


@pytest.mark.parametrize(
    "change",
    [
        lambda archive: archive.write_bytes(OLD + b""),
        lambda archive: archive.unlink(),
        lambda archive: os.replace(archive.with_name("other"), archive),
        lambda archive: os.utime(archive, ns=(1, 1)),
    ],
    ids=["written", "removed", "replaced", "touched"],
)
def test_changed_by_who_asks_for_no_lock(
    change: Callable[[Path], object], place: Path, tmp_path: Path
) -> None:
    """Then it is not replaced, whatever it holds now."""
    (place / "other").write_bytes(OLD)
    os.utime(place / NAME, ns=(2, 2))
    with target(place).held(5, None) as held:
        change(place / NAME)
        with pytest.raises(WriteConflict) as raised:
            held.persist(PLAN)
    assert raised.value.location == f"shown/{NAME}"
    assert NEW not in [path.read_bytes() for path in place.iterdir()]
    assert not list(place.glob(".*"))


def test_written_wrongly(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that keeps other bytes is found out before the swap, wherever they are."""
    real = os.pread
    for at in range(len(NEW)):

        def pread(descriptor: int, length: int, offset: int, at: int = at) -> bytes:
            data = bytearray(real(descriptor, length, offset))
            if offset <= at < offset + len(data):
                data[at - offset] ^= 1
            return bytes(data)

        monkeypatch.setattr(os, "pread", pread)
        if at % 37 == 0:  # each is one whole edit
            with pytest.raises(SourceUnavailable, match="not what was written"):
                persist(place)
    assert (place / NAME).read_bytes() == OLD
    assert os.listdir(place) == [NAME]


def _refused_where_read_only(place: Path) -> None:
    (place / NAME).write_bytes(OLD)
    for path, mode in ((place / NAME, 0o444), (place, 0o555)):
        before = path.stat().st_mode
        path.chmod(mode)
        with Stepping(lambda number, name: None) as steps, pytest.raises(AccessDenied):
            persist(place)
        path.chmod(before)
        assert not {"write", "copy_file_range"} & set(steps.taken)
    assert (place / NAME).read_bytes() == OLD


def test_read_only() -> None:
    """A file or a folder that may not be written is refused before anything is."""
    without_rights(_refused_where_read_only)


def test_one_at_a_time(place: Path) -> None:
    with target(place).held(5, None), pytest.raises(LockTimeout), target(place).held(0, None):
        pass
    persist(place)


def test_what_no_reader_would_take_is_not_written(place: Path) -> None:
    """Too many entries, or a name that no archive may have."""
    for plan, limits, error in (
        (plan_of(FILES, {"new.md": b""}), Limits(entries=5), LimitExceeded),
        (plan_of(FILES, {"C:x.png": b""}), DEFAULT_LIMITS, UnsafeArchive),
    ):
        with target(place, limits).held(5, None) as held, pytest.raises(error) as raised:
            held.persist(plan)
        assert raised.value.location == f"shown/{NAME}"
    assert (place / NAME).read_bytes() == OLD
    assert os.listdir(place) == [NAME]


def test_refused_as_readers_do(place: Path) -> None:
    """What is not safe, and what is not there; the file is let be."""
    unsafe = zip_bytes(ZipEntry("a.md", b"1"), ZipEntry("a.md", b"2"))
    (place / NAME).write_bytes(unsafe)
    for opening in (lambda: target(place).held(5, None), lambda: target(place).seen()):
        with pytest.raises(UnsafeArchive) as raised, opening():
            pass
        assert raised.value.location == f"shown/{NAME}"
    (place / NAME).unlink()
    for opening in (lambda: target(place).held(5, None), lambda: target(place).seen()):
        with pytest.raises(NotFound), opening():
            pass


def test_seen_without_a_lock(place: Path) -> None:
    """Also while another one writes, and without the right to."""
    (place / NAME).chmod(0o444)
    with target(place).held(5, None), target(place).seen() as field:
        assert field.pages == ("a.md", "b.md", "index.md")
        assert field.location == f"shown/{NAME}"


def test_the_field_is_closed_with_the_lock(place: Path) -> None:
    """Its descriptor may be another file's by then."""
    with target(place).held(5, None) as held:
        field = held.field
    with (place / NAME).open("rb"), pytest.raises(SourceUnavailable):
        field.page("a.md")

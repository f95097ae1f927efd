"""One writer a field: other threads and processes wait, and nothing is left behind."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.readers import holding_child
from tests.readers.unprivileged import without_rights

from memoryfield_readers import (
    AccessDenied,
    LockTimeout,
    MemoryfieldError,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers import holding as module
from memoryfield_readers.exchange import exchange
from memoryfield_readers.holding import Hold, held_field

CHILD = holding_child.__file__


@pytest.fixture(params=["folder", "archive"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder, or a file, with a number in it."""
    if request.param == "folder":
        (tmp_path / "f").mkdir()
        (tmp_path / "f" / "number").write_text("0")
        return tmp_path / "f"
    (tmp_path / "f.zip").write_text("0")
    return tmp_path / "f.zip"


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system on which a field itself cannot be locked."""
    monkeypatch.setattr(module, "_flock", lambda descriptor, location: None)


def hold(path: Path, wait: float = 0.0) -> None:
    """Hold a field for a moment."""
    with held_field(path, wait=wait, location="the field"):
        pass


def number_in(path: Path) -> str:
    """The number in a field."""
    return (path / "number" if path.is_dir() else path).read_text()


@contextmanager
def holder(action: str, path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that holds a field; and the number of the child that it forked."""
    command = [sys.executable, CHILD, action, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said, child = process.stdout.readline().split()
            assert said == "held"
            yield process, int(child)
        finally:
            process.kill()


def test_what_is_held_is_open(place: Path, tmp_path: Path) -> None:
    """The descriptor is the field's own, and is closed in the end; nothing was made."""
    before = sorted(tmp_path.rglob("*"))
    with held_field(place, wait=0, location="x") as held:
        assert held.descriptor is not None
        assert held.is_folder == place.is_dir()
        assert held.lock_file is None
        assert os.path.samestat(os.fstat(held.descriptor), place.stat())
        assert not os.get_inheritable(held.descriptor)
        assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(held.descriptor)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_second_one_waits_in_vain(place: Path) -> None:
    """It hears for how long it waited, and what to do; afterwards the field is free."""
    with held_field(place, wait=0, location="x"):
        for wait, words in ((0, "writing to it; nothing"), (0.05, "more than 0.05 seconds;")):
            with pytest.raises(LockTimeout, match=words) as caught:
                hold(place, wait)
            assert (caught.value.location, caught.value.exit_code) == ("the field", 4)
            assert "--wait" in (caught.value.hint or "")
    hold(place)


def test_links_lead_to_the_one_field(place: Path, tmp_path: Path) -> None:
    """Whoever comes by another path finds it held."""
    alias = tmp_path / "alias"
    alias.symlink_to(place.name)
    with held_field(alias, wait=0, location="x") as held:
        assert held.path == place.resolve()
        with pytest.raises(LockTimeout):
            hold(place)


@pytest.mark.usefixtures("no_flock")
def test_where_fields_cannot_be_locked_a_file_beside_them_is(place: Path, tmp_path: Path) -> None:
    """It stays there, hidden and outside of the field, and holds the same."""
    lock_file = tmp_path / f".{place.name}.memoryfield-lock"
    for _ in range(2):
        with held_field(place, wait=0, location="x") as held:
            assert held.lock_file == lock_file
            assert held.descriptor is not None
            with pytest.raises(LockTimeout):
                hold(place, 0.02)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(held.descriptor)
        assert sorted(tmp_path.iterdir()) == [lock_file, place]


@pytest.mark.usefixtures("no_flock")
def test_a_lock_file_that_is_none_is_refused(place: Path, tmp_path: Path) -> None:
    """A link of that name may lead anywhere: what it leads to is not touched."""
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / f".{place.name}.memoryfield-lock").symlink_to("precious")
    with pytest.raises(SourceUnavailable, match="cannot be locked"):
        hold(place)
    assert (tmp_path / "precious").read_bytes() == b"precious"


@pytest.mark.usefixtures("no_flock")
def test_a_long_name_has_a_lock_file_too(tmp_path: Path) -> None:
    """Though its name and the ending are more than a name may have."""
    path = tmp_path / ("a" * 255)
    path.mkdir()
    with held_field(path, wait=0, location="x"), pytest.raises(LockTimeout):
        hold(path)


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EIO])
def test_what_the_system_says_decides(
    number: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are no such locks there is another way; a fault is told."""
    import fcntl

    real = fcntl.flock

    def flock(descriptor: int, operation: int) -> None:
        if os.path.samestat(os.fstat(descriptor), place.stat()):
            raise OSError(number, os.strerror(number))
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    if number == errno.EIO:
        with pytest.raises(SourceUnavailable, match="input/output error"):
            hold(place)
        return
    with held_field(place, wait=0, location="x") as held:
        assert held.lock_file is not None


@pytest.mark.parametrize("beside", [False, True], ids=["itself", "beside"])
def test_threads_wait_for_each_other(
    beside: bool, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads of one process count as processes do."""
    if beside:
        monkeypatch.setattr(module, "_flock", lambda descriptor, location: None)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            holding_child.count(place, 10)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, number_in(place)) == ([], "40")


def test_processes_wait_for_each_other(place: Path, tmp_path: Path) -> None:
    """Eight of them count, and none counts what another did, though archives are replaced."""
    subprocess.run([sys.executable, CHILD, "crowd", str(place), "15"], check=True)
    assert number_in(place) == "120"
    assert list(tmp_path.iterdir()) == [place]


def test_one_that_is_killed_holds_nothing(place: Path) -> None:
    """The next one comes in at once."""
    with holder("hold", place) as (process, _):
        with pytest.raises(LockTimeout):
            hold(place)
        process.kill()
        process.wait()
        hold(place)


def test_what_a_killed_one_forked_still_holds(place: Path) -> None:
    """As documented: the lock is with whoever has the open file."""
    with holder("fork", place) as (process, child):
        process.kill()
        process.wait()
        try:
            with pytest.raises(LockTimeout):
                hold(place)
        finally:
            os.kill(child, 9)
        hold(place, 30)


def test_what_is_forked_while_it_is_held_does_not_keep_it(place: Path) -> None:
    """Who held it lets go for both."""
    reader, writer = os.pipe()
    with held_field(place, wait=0, location="x"):
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
    try:
        hold(place)
    finally:
        os.close(reader)
        os.close(writer)
        os.waitpid(child, 0)


def while_waiting(path: Path, change: Callable[[], None]) -> Hold:
    """The hold of one who waits while a field is changed by who has it."""
    found: list[Hold | BaseException] = []
    looked = threading.Event()

    def work() -> None:
        try:
            with held_field(path, wait=30, location="the field") as held:
                found.append(held)
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=work)
    real = module._flock

    def flock(descriptor: int, location: str) -> bool | None:
        had = real(descriptor, location)
        if threading.current_thread() is thread and not had:
            looked.set()
        return had

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_flock", flock)
        with held_field(path, wait=0, location="the field"):
            thread.start()
            assert looked.wait(30)
            change()
        thread.join()
    [outcome] = found
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def test_who_waited_gets_the_new_file(place: Path) -> None:
    """What was waited for is not there any more: its successor is held."""

    def change() -> None:
        place.rename(place.with_name("old"))
        if place.with_name("old").is_dir():
            place.mkdir()
        else:
            place.write_text("1")

    while_waiting(place, change)


def _other_kind(path: Path) -> None:
    other = path.with_name("other")
    if path.is_dir():
        other.write_bytes(b"")
    else:
        other.mkdir()
    _put(other, path)


def _fifo(path: Path) -> None:
    other = path.with_name("other")
    os.mkfifo(other)
    _put(other, path)


def _moved(path: Path) -> None:
    path.rename(path.with_name("old"))


def _circle(path: Path) -> None:
    other = path.with_name("other")
    other.symlink_to(path.name)
    _put(other, path)


def _put(other: Path, path: Path) -> None:
    """Put something in a place in which there is always something, where the system can do that."""
    if not exchange(other, path):
        path.rename(path.with_name("old"))
        other.rename(path)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (_moved, NotFound),
        (_other_kind, SourceChanged),
        (_fifo, SourceUnavailable),
        (_circle, SourceUnavailable),
    ],
)
def test_who_waited_for_what_is_gone(
    change: Callable[[Path], None], kind: type[MemoryfieldError], place: Path
) -> None:
    """It is told, and does not hang."""
    with pytest.raises(kind) as caught:
        while_waiting(place, lambda: change(place))
    assert isinstance(caught.value, NotFound) == (kind is NotFound)


def test_a_wait_is_told_of_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, with the name of the field and for how long it may last."""
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.01)
    told: list[str] = []
    with (
        held_field(place, wait=0, location="x"),
        pytest.raises(LockTimeout),
        held_field(place, wait=0.2, location="my field", waiting=told.append),
    ):
        pass
    [line] = told
    assert "`my field`" in line
    assert "0.2 seconds" in line


def test_what_is_no_field_is_not_held(tmp_path: Path) -> None:
    """Nothing, a link to nowhere, a FIFO, a device: told at once."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("gone")
    for name, kind in (("gone", NotFound), ("link", NotFound), ("pipe", SourceUnavailable)):
        with pytest.raises(kind):
            hold(tmp_path / name)
    with pytest.raises(SourceUnavailable, match="neither a folder nor a file"):
        hold(Path(os.devnull))


def test_what_may_not_be_written_is_not_held() -> None:
    """An archive that may not be written; a folder that may not be opened."""

    def work(folder: Path) -> None:
        (folder / "a.zip").write_bytes(b"x")
        (folder / "a.zip").chmod(0o444)
        (folder / "closed").mkdir(mode=0o300)
        for name in ("a.zip", "closed"):
            with pytest.raises(AccessDenied, match="may not be written"):
                hold(folder / name)

    without_rights(work)


def test_a_lock_file_that_may_not_be_made_is_told() -> None:
    """Where one is needed, and the folder around the field is not ours."""

    def work(folder: Path) -> None:
        (folder / "around").mkdir()
        (folder / "around" / "f").mkdir()
        (folder / "around").chmod(0o500)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_flock", lambda descriptor, location: None)
            with pytest.raises(AccessDenied, match="cannot be locked"):
                hold(folder / "around" / "f")

    without_rights(work)

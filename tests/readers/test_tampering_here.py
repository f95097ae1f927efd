"""Fields on this machine that change between the proof and the reading, or hold what is no page."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.locked_fields import AT, attempt, contents, lock_location
from tests.readers.places import packed

from memoryfield_readers import (
    Field,
    MemoryfieldError,
    PinMismatch,
    UnsafeArchive,
    inspect_field,
    open_field,
)
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

FILES: dict[str, bytes] = {
    "a.md": b"a\n",
    "b.md": b"bb\n" * 6,
    "pan.png": bytes(range(200, 208)),
    "v.sqlite3": b"vectors",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is locked."""
    folder = tmp_path / "woks"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    lock_location(str(folder), lambda: open_field(folder), tmp_path, monkeypatch)
    return folder


def ways_to(location: Path) -> dict[str, Callable[[], Field]]:
    """How a folder is opened by its field pin as it is now, and by its lock."""
    with open_field(location) as field:
        pin = field.digest()
    return {
        "field pin": lambda: open_field(location, pin=pin),
        "lock": lambda: open_field(AT, cache=None),
    }


def _mismatch(read: Callable[[], object]) -> PinMismatch:
    with pytest.raises(PinMismatch) as caught:
        read()
    assert caught.value.exit_code == 3
    return caught.value


@pytest.mark.parametrize("way", ["field pin", "lock"])
def test_a_file_that_is_written_over_after_the_proof(folder: Path, way: str) -> None:
    """The new bytes are never handed out, whichever way they are asked for, and it is named."""
    with ways_to(folder)[way]() as field:
        contents(field)
        for name, data in FILES.items():
            with open(folder / name, "r+b") as file:  # the same file, as large as before
                file.write(b"Z")
            if name not in field.entries:
                assert name == "v.sqlite3"
                assert way == "field pin"
                continue
            reads: list[Callable[[], object]] = [lambda n=name: b"".join(field.chunks(n))]  # type: ignore[misc]
            if name.endswith(".md"):
                reads += [
                    lambda n=name: field.page(n),  # type: ignore[misc]
                    lambda n=name: field.read(["b.md", n]),  # type: ignore[misc]
                ]
            for read in reads:
                error = _mismatch(read)
                assert error.entry == name
            (folder / name).write_bytes(data)
            assert b"".join(field.chunks(name)) == data


@pytest.mark.parametrize("way", ["field pin", "lock"])
def test_the_hashes_are_of_what_was_proved(folder: Path, way: str) -> None:
    """`sha256`, `manifest` and `digest` never tell of other bytes than those that were pinned."""
    opened = ways_to(folder)[way]
    (folder / "a.md").write_bytes(b"A\n")
    if way == "field pin":
        assert isinstance(attempt(opened), PinMismatch)
        return
    with opened() as field:
        for ask in (lambda: field.sha256("a.md"), field.manifest, field.digest):
            assert _mismatch(ask).entry == "a.md"
        assert field.page("b.md").raw == FILES["b.md"]


def test_an_archive_that_is_written_over_after_the_proof(tmp_path: Path) -> None:
    """By its archive pin it is read from a copy, with the old bytes; else each entry is proved."""
    path = tmp_path / "woks.memoryfield.zip"
    path.write_bytes(packed(FILES))
    other = packed({name: bytes(len(data)) for name, data in FILES.items()})
    with open_field(path) as field:
        field_pin, archive_pin = field.digest(), field.archive_digest()
    assert archive_pin is not None
    for pins in (archive_pin, [archive_pin, field_pin]):
        path.write_bytes(packed(FILES))
        with open_field(path, pin=pins) as field:
            path.write_bytes(other)
            expected = {n: d for n, d in FILES.items() if n in field.entries}
            assert contents(field) == expected
            assert field.archive_digest() == archive_pin
            assert list(field.damaged()) == []
    path.write_bytes(packed(FILES))
    with open_field(path, pin=field_pin) as field:
        path.write_bytes(other)
        for name in FILES.keys() & field.entries.keys():
            assert _mismatch(lambda n=name: b"".join(field.chunks(n))).entry == name  # type: ignore[misc]


def test_bytes_that_change_after_the_proof() -> None:
    """An archive in memory is copied, too, by whatever it is handed over."""
    raw = bytearray(packed(FILES))
    with open_field(bytes(raw)) as field:
        pin = field.archive_digest()
    for given in (raw, memoryview(raw)):
        with open_field(given, pin=pin) as field:
            raw[:] = bytes(len(raw))
            assert contents(field) == FILES
        raw[:] = packed(FILES)
    raw[40] ^= 1
    assert isinstance(attempt(lambda: open_field(raw, pin=pin)), PinMismatch)


def _link_inside(path: Path) -> None:
    path.symlink_to("b.md")


def _link_outside(path: Path) -> None:
    outside = path.parent.parent / path.name
    outside.write_bytes(FILES[path.name])  # the right bytes, even so
    path.symlink_to(outside)


def _link_to_nowhere(path: Path) -> None:
    path.symlink_to("gone.md")


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.mkdir()
    (path / "a.md").write_bytes(FILES["a.md"])


def _socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # the whole path may be too long for a socket
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


NO_PAGES = [_link_inside, _link_outside, _link_to_nowhere, _fifo, _directory, _socket]


@pytest.mark.parametrize("put", NO_PAGES, ids=lambda put: put.__name__.strip("_"))
@pytest.mark.parametrize("name", ["a.md", "pan.png"])
@pytest.mark.parametrize("way", ["field pin", "lock"])
def test_what_stands_in_place_of_a_page(
    folder: Path, put: Callable[[Path], None], name: str, way: str
) -> None:
    """It is refused when the field is opened, or later, and nothing waits for it."""
    opened = ways_to(folder)[way]
    with opened() as field:
        field.manifest()
        (folder / name).unlink()
        put(folder / name)
        with pytest.raises(MemoryfieldError):
            b"".join(field.chunks(name))
    error = attempt(opened)
    assert isinstance(error, PinMismatch), error
    if way == "lock":
        assert error.entry == name


def test_the_validator_is_shown_nothing_else(folder: Path) -> None:
    """Also a field that is opened for review is the one that was pinned, or none."""
    with open_field(folder) as field:
        pin = field.digest()
    with inspect_field(folder, pin=pin) as field:
        assert field.digest() == pin
    (folder / "a.md").write_bytes(b"A\n")
    with pytest.raises(PinMismatch):
        inspect_field(folder, pin=pin)
    with pytest.raises(PinMismatch), inspect_field(AT, cache=None) as field:
        field.page("a.md")


def test_an_unsafe_archive_is_refused_whatever_its_pin(tmp_path: Path) -> None:
    """A pin proves that it is the same one, not that it is safe."""
    path = tmp_path / "x.memoryfield.zip"
    path.write_bytes(zip_bytes(ZipEntry("../evil.md", b"x"), ZipEntry("a.md", b"a\n")))
    with inspect_field(path) as field:
        pins = [str(field.archive_digest()), field.digest()]
    for pin in (*pins, pins):
        with pytest.raises(UnsafeArchive):
            open_field(path, pin=pin)


@pytest.mark.parametrize("archive", [False, True], ids=["folder", "archive"])
def test_any_byte_of_a_large_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: bool
) -> None:
    """A sample of the bytes of three hundred pages."""
    noise = random.Random(7)
    files = {f"p{n:03}.md": noise.randbytes(noise.randrange(1, 4000)) for n in range(300)}
    location = tmp_path / ("large.memoryfield.zip" if archive else "large")
    if archive:
        location.write_bytes(packed(files))
    else:
        location.mkdir()
        for name, data in files.items():
            (location / name).write_bytes(data)
    locked = lock_location(str(location), lambda: open_field(location), tmp_path, monkeypatch)
    pins = [str(locked.archive_pin or locked.field_pin)]
    dice = random.Random(11)
    for name in dice.sample(sorted(files), 4):
        data = files[name]
        path = location if archive else location / name
        whole = path.read_bytes()
        at = dice.randrange(len(data)) + (whole.index(data) if archive else 0)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 128]) + whole[at + 1 :])
        error = _mismatch(lambda: open_field(location, pin=pins))
        assert error.entry == (name if archive else None)
        with pytest.raises(PinMismatch) as caught, open_field(AT, cache=None) as field:
            field.read(field.pages)
        assert caught.value.entry == name
        path.write_bytes(whole)
    with open_field(location, pin=pins) as field, open_field(AT, cache=None) as locked_field:
        assert contents(field) == contents(locked_field) == files

"""Fields are written to a folder whole, or not at all, and nothing of a person's goes for that."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.readers import fields_to_fetch
from tests.readers.fetching_fields import noise, pages
from tests.readers.fields_to_fetch import (
    EXPECTED,
    changed,
    error_of,
    fetch,
    tree,
)
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers import LocationError, PinMismatch, SourceUnavailable, WriteConflict
from memoryfield_readers.beside import beside, clean, put_in_place
from memoryfield_readers.exchange import exchange
from memoryfield_readers.fetching import Fetching
from memoryfield_readers.lock import LockFile
from memoryfield_readers.manifest import Manifest
from memoryfield_readers.pins.pin import parse_pin

state, server, here = fields_to_fetch.state, fields_to_fetch.server, fields_to_fetch.here
lock, how = fields_to_fetch.lock, fields_to_fetch.how


def test_fields_are_written_as_they_are(lock: LockFile, how: Fetching, tmp_path: Path) -> None:
    """Archives byte by byte, others as folders; with the modes that other files have."""
    out = tmp_path / "deep" / "out"
    before = os.umask(0o022)
    try:
        found = fetch(lock, replace(how, out=out))
    finally:
        os.umask(before)
    assert {each.error for each in found.values()} == {None}
    assert tree(out) == EXPECTED
    assert found["small"].path == out / "small.memoryfield.zip"
    assert found["folder"].path == out / "folder"
    modes = {path.stat().st_mode & 0o777 for path in out.rglob("*") if path.is_file()}
    assert modes == {0o644}
    assert {(out / name).stat().st_mode & 0o777 for name in ("folder", "plain")} == {0o755}


def test_what_is_there_already_is_let_be(lock: LockFile, how: Fetching, tmp_path: Path) -> None:
    out = replace(how, out=tmp_path / "out")
    fetch(lock, out)
    (tmp_path / "out" / "folder" / ".DS_Store").write_bytes(b"debris")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    found = fetch(lock, out)
    assert {each.error for each in found.values()} == {None}
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before


@pytest.mark.parametrize("name", ["small", "folder"])
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_something_else_is_replaced_only_if_that_is_wanted(
    lock: LockFile, how: Fetching, tmp_path: Path, name: str, kind: str
) -> None:
    out = tmp_path / "out"
    target = out / {"small": "small.memoryfield.zip", "folder": "folder"}[name]
    out.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious.md").write_bytes(b"precious\n")
    if kind == "file":
        target.write_bytes(b"mine\n")
    elif kind == "folder":
        target.mkdir()
        (target / "page-1.md").write_bytes(b"mine\n")
    else:
        target.symlink_to(elsewhere)
    before = tree(out)
    error = error_of(lock, replace(how, out=out), name)
    assert isinstance(error, WriteConflict)
    assert error.exit_code == 5
    assert tree(out) == before
    found = fetch(lock, replace(how, out=out, replace=True), name)[name]
    assert found.error is None
    assert tree(out) == {k: v for k, v in EXPECTED.items() if k.startswith(f"{target.name}")}
    assert os.listdir(out) == [target.name]
    assert tree(elsewhere) == {"precious.md": b"precious\n"}


def test_a_folder_that_is_more_than_a_field_is_never_replaced(
    lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    """A lock file may call a field `src`: what a person has there does not go for that."""
    out = tmp_path / "out"
    (out / "folder" / "deep").mkdir(parents=True)
    (out / "folder" / "deep" / "work.py").write_bytes(b"mine\n")
    error = error_of(lock, replace(how, out=out, replace=True), "folder")
    assert isinstance(error, WriteConflict)
    assert tree(out) == {"folder/deep/work.py": b"mine\n"}


def test_what_a_killed_run_left_is_taken_away(
    lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    """And nothing else that begins with a dot, nor what another field's run has left."""
    out = tmp_path / "out"
    left = f".folder.{'0' * 16}.new"
    (out / left).mkdir(parents=True)
    (out / left / "page-1.md").write_bytes(b"half")
    (out / f".small.memoryfield.zip.{'a' * 16}.new").write_bytes(b"half")
    (out / ".folder.mine.new").mkdir()
    fetch(lock, replace(how, out=out), "folder")
    assert sorted(os.listdir(out)) == [
        ".folder.mine.new",
        f".small.memoryfield.zip.{'a' * 16}.new",
        "folder",
    ]
    fetch(lock, replace(how, out=out), "small")
    assert sorted(os.listdir(out)) == [".folder.mine.new", "folder", "small.memoryfield.zip"]


def test_a_folder_that_was_moved_aside_comes_back(
    lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    """Where a run was killed between the two steps that some systems need."""
    out = tmp_path / "out"
    aside = out / f".folder.{'0' * 16}.old"
    aside.mkdir(parents=True)
    (aside / "page-1.md").write_bytes(b"mine\n")
    error = error_of(lock, replace(how, out=out), "folder")
    assert isinstance(error, WriteConflict)
    assert tree(out) == {"folder/page-1.md": b"mine\n"}


def test_what_is_being_made_is_not_taken_away(tmp_path: Path) -> None:
    """A second run that makes the same leaves the first one's alone, as long as that lives."""
    target = tmp_path / "folder"
    for folder in (True, False):
        with beside(target, folder=folder) as made:
            clean(target)
            assert made.exists()
        assert not os.listdir(tmp_path)


@pytest.mark.parametrize("kind", ["folder", "file", "nothing"])
@pytest.mark.parametrize("new", ["folder", "file"])
@pytest.mark.parametrize("at_once", [True, False], ids=["at-once", "in-two-steps"])
def test_what_was_made_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, new: str, at_once: bool
) -> None:
    """Whatever stood there; also where two names cannot be exchanged."""
    if not at_once:
        monkeypatch.setattr("memoryfield_readers.beside.exchange", lambda *names: False)
    target = tmp_path / "place"
    if kind == "folder":
        target.mkdir()
        (target / "old.md").write_bytes(b"old\n")
    elif kind == "file":
        target.write_bytes(b"old\n")
    with beside(target, folder=new == "folder") as made:
        (made / "new.md" if new == "folder" else made).write_bytes(b"new\n")
        put_in_place(made, target)
    assert os.listdir(tmp_path) == ["place"]
    assert (target / "new.md" if new == "folder" else target).read_bytes() == b"new\n"


def test_what_cannot_take_the_place_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryfield_readers.beside.exchange", lambda *names: False)
    target = tmp_path / "place"
    target.mkdir()
    (target / "old.md").write_bytes(b"old\n")
    with pytest.raises(OSError, match="made"):
        put_in_place(tmp_path / "never-made", target)
    assert tree(tmp_path) == {"place/old.md": b"old\n"}


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="names are not exchanged here")
def test_a_folder_is_there_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is replaced in one step, not moved aside first, where the file system can do that."""
    target, other = tmp_path / "place", tmp_path / "other"
    target.mkdir()
    other.mkdir()
    if not exchange(other, target):
        pytest.skip("this file system cannot exchange names")

    def moved(*names: object) -> None:
        raise AssertionError("it was moved aside")

    with beside(target, folder=True) as made:
        (made / "new.md").write_bytes(b"new\n")
        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", moved)
            put_in_place(made, target)
    assert tree(target) == {"new.md": b"new\n"}


def test_offline_an_archive_is_written_only_if_it_is_here_itself(
    lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    """Its pages alone, of which the cache may have each, make no archive of those bytes."""
    for data in pages("small").values():
        how.cache.put([data])
    offline = replace(how, offline=True)
    for each in (offline, replace(offline, out=tmp_path / "out")):
        error = error_of(lock, each, "small")
        assert isinstance(error, SourceUnavailable)
        assert "the archive itself is not in the cache" in error.message
    assert not (tmp_path / "out").exists()


def test_a_mismatch_writes_nothing(
    server: FaultyHttp, lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    server.files["/folder/page-7.md"] = b"# Page 8\n"
    server.files["/small.memoryfield.zip"] = noise(5)
    out = tmp_path / "out"
    for name in ("folder", "small"):
        assert isinstance(error_of(lock, replace(how, out=out), name), PinMismatch)
    assert not out.exists()


@pytest.mark.parametrize("name", ["..", "a/b", ".hidden", "", "a\\b", "x" * 65])
def test_a_name_leads_nowhere_else(
    lock: LockFile, how: Fetching, tmp_path: Path, name: str
) -> None:
    """The lock file is checked when it is read; this is the second check."""
    hostile = replace(lock, fields={name: replace(lock.field("folder"), name=name)})
    out = tmp_path / "out"
    error = error_of(hostile, replace(how, out=out), name)
    assert isinstance(error, LocationError)
    assert not out.exists()


@pytest.mark.parametrize("page", ["../evil.md", "a/evil.md", "evil\0.md"])
def test_a_page_leads_nowhere_else(
    lock: LockFile, how: Fetching, tmp_path: Path, page: str
) -> None:
    """Likewise: a page of such a name is not even asked for, whatever the manifest says."""
    digest = hashlib.sha256(b"evil\n").hexdigest()
    how.cache.put([b"evil\n"])
    manifest = Manifest.of({page: digest})
    hostile = changed(lock, "folder", manifest=manifest, field_pin=parse_pin(manifest.digest))
    out = tmp_path / "out"
    for offline in (True, False):
        error = error_of(hostile, replace(how, out=out, offline=offline), "folder")
        assert isinstance(error, SourceUnavailable | PinMismatch)
    assert not (tmp_path / "evil.md").exists()
    assert not out.exists()

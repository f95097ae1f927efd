"""A name means a field or a path, never a guess; and who may be trusted with a location."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.readers.locks import ARCHIVE_PIN, COMMIT, entry, lock_of, locked, toml

from memoryfield_readers import (
    LocationError,
    LockFileError,
    MemoryfieldError,
    NotFound,
    PinMismatch,
    open_field,
)
from memoryfield_readers.lock import (
    LOCK_NAME,
    LOCK_VARIABLE,
    STATE_VARIABLE,
    LockFile,
    find_lock,
    is_trusted,
    location_of,
    lock_or_here,
    locked_field,
    remember,
    render_lock,
    stored_location,
)
from memoryfield_readers.lock.typed import remember_typed

BROKEN = {
    "no-toml": b"version = 1\n[fields.notes",
    "newer": toml(entry(), version=2),
    "other-pin": toml(entry(field_pin="field-sha256:" + "0" * 64)),
}
"""Lock files that cannot be read."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the tests run, with a folder of its own for what is remembered."""
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    monkeypatch.delenv(LOCK_VARIABLE, raising=False)
    return root


def write(folder: Path, *names: str) -> LockFile:
    """A lock file in a folder, with fields of these names."""
    lock = lock_of(*map(locked, names), path=folder / LOCK_NAME)
    lock.path.write_text(render_lock(lock), encoding="utf-8")
    return lock


def test_nearest_lock_file_counts(here: Path) -> None:
    """The lock file in a folder, else the one in the nearest folder above it."""
    deep = here / "a" / "b"
    deep.mkdir(parents=True)
    assert find_lock(deep) is None
    write(here)
    assert find_lock(deep) == find_lock() == here / LOCK_NAME
    write(here / "a")
    assert find_lock(deep) == here / "a" / LOCK_NAME


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_search_ends_with_the_repository(kind: str, here: Path) -> None:
    """Above a folder that holds `.git` nothing is looked for; in a worktree that is a file."""
    write(here)
    inner = here / "inner"
    deep = inner / "deep"
    deep.mkdir(parents=True)
    if kind == "folder":
        (inner / ".git").mkdir()
    else:
        (inner / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert find_lock(deep) is None
    write(inner)
    assert find_lock(deep) == inner / LOCK_NAME


def test_variable_names_the_lock_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable wins, also over a file that is here, and if there is none of its name."""
    write(here, "notes")
    monkeypatch.setenv(LOCK_VARIABLE, "other.lock")
    assert find_lock() == here / "other.lock"
    with pytest.raises(LockFileError, match="there is no such lock file"):
        locked_field("@notes")
    monkeypatch.setenv(LOCK_VARIABLE, "")
    assert find_lock() == here / LOCK_NAME


def test_lock_file_that_could_be_made(here: Path) -> None:
    """Where there is no lock file, one is made in the folder in which the command runs."""
    assert lock_or_here() == here / LOCK_NAME
    deep = here / "deep"
    deep.mkdir()
    write(here)
    os.chdir(deep)
    assert lock_or_here() == here / LOCK_NAME


def test_folder_that_is_gone(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the program runs in a folder that was removed, what it names there is not there."""
    folder = here / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert find_lock() is None
    assert locked_field("notes") is None
    with pytest.raises(LocationError, match=r"no memoryfields\.lock here"):
        locked_field("@notes")
    with pytest.raises(NotFound):
        open_field("notes")
    for relative in (lock_or_here, lambda: stored_location("notes", here / LOCK_NAME)):
        with pytest.raises(NotFound) as found:
            relative()
        assert found.value.exit_code == 4
    monkeypatch.setenv(LOCK_VARIABLE, LOCK_NAME)
    assert find_lock() is None
    monkeypatch.setenv(LOCK_VARIABLE, str(here / LOCK_NAME))
    assert find_lock() == lock_or_here() == here / LOCK_NAME


def test_names_of_the_lock_file(here: Path) -> None:
    """`NAME` and `@NAME` are the field; what has a slash or a colon never is."""
    write(here, "notes")
    for text in ("notes", "@notes"):
        found = locked_field(text)
        assert found is not None
        assert (found[0].path, found[1].name) == (here / LOCK_NAME, "notes")
    for text in ("./notes", "notes/", "/notes", "s3://notes", "other", "", "-", "a b", "@a/notes"):
        assert locked_field(text) is None


@pytest.mark.parametrize("kind", ["folder", "file", "broken link"])
def test_name_of_both_a_path_and_a_field(kind: str, here: Path) -> None:
    """Neither is guessed: the two ways of writing it are named."""
    write(here, "notes")
    if kind == "folder":
        (here / "notes").mkdir()
    elif kind == "file":
        (here / "notes").write_bytes(b"")
    else:
        (here / "notes").symlink_to("nowhere")
    with pytest.raises(LocationError) as found:
        locked_field("notes")
    assert found.value.exit_code == 2
    assert found.value.hint == "write ./notes or @notes"
    assert locked_field("./notes") is None
    assert locked_field("@notes") is not None


def test_marked_name_must_be_there(here: Path) -> None:
    """`@NAME` is never a location, whatever is missing."""
    with pytest.raises(LocationError, match=f"no {LOCK_NAME} here or above"):
        locked_field("@notes")
    write(here, "notes")
    with pytest.raises(LocationError) as found:
        locked_field("@note")
    assert found.value.hint == "did you mean `notes`?"
    for text in ("@", "@@notes", "@-x", "@a b", "@\udcff"):
        with pytest.raises(LocationError, match="names no field"):
            locked_field(text)


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_broken_lock_file_hides_no_path(kind: str, here: Path) -> None:
    """What exists stays what it is; what does not may be a field, so that the error is told."""
    (here / LOCK_NAME).write_bytes(BROKEN[kind])
    (here / "notes").mkdir()
    assert locked_field("notes") is None
    assert locked_field("./notes") is None
    for text in ("@notes", "letters"):
        with pytest.raises((LockFileError, PinMismatch)):
            locked_field(text)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
def test_lock_file_that_is_no_file(here: Path) -> None:
    """A FIFO or a folder in its place is refused, and nothing hangs."""
    os.mkfifo(here / LOCK_NAME)
    with pytest.raises(LockFileError, match="is no regular file"):
        locked_field("@notes")
    (here / LOCK_NAME).unlink()
    (here / LOCK_NAME).mkdir()
    with pytest.raises(LockFileError):
        locked_field("@notes")


def stored(text: str, folder: Path) -> str:
    return stored_location(text, folder / LOCK_NAME)


def test_paths_as_they_are_kept(here: Path, tmp_path: Path) -> None:
    """Below the folder of the lock file a path is relative, with slashes; elsewhere absolute."""
    (here / "a" / "b").mkdir(parents=True)
    assert stored("a/b", here) == "a/b"
    assert stored("./a/./b/", here) == "a/b"
    assert stored(str(here / "a"), here) == "a"
    assert stored((here / "a").as_uri(), here) == "a"
    assert stored("..", here / "a" / "b") == str(tmp_path)
    assert stored("a", here / "a" / "b") == str(here / "a")
    assert stored("new.memoryfield.zip", here) == "new.memoryfield.zip"
    os.chdir(here / "a")
    assert stored("b", here) == "a/b"


def test_path_that_begins_as_a_url_does(here: Path) -> None:
    """A colon in a name makes no URL of it."""
    (here / "ab:c").mkdir()
    assert stored("ab:c", here) == "./ab:c"
    lock = lock_of(locked(location="./ab:c"), path=here / LOCK_NAME)
    assert location_of(lock, lock.field("notes")) == str(here / "ab:c")


def test_link_that_leads_out(here: Path, tmp_path: Path) -> None:
    """What only a link puts below the folder is not below it."""
    (tmp_path / "outside").mkdir()
    (here / "link").symlink_to(tmp_path / "outside")
    assert stored("link", here) == str(here / "link")
    lock = lock_of(locked(location="link"), path=here / LOCK_NAME)
    assert not is_trusted(lock, lock.field("notes"))


def test_folder_of_the_lock_file_itself(here: Path) -> None:
    """A lock file within a field would be a part of it, and change its pin."""
    for text in (".", str(here), "../repository"):
        with pytest.raises(LocationError) as found:
            stored(text, here)
        assert found.value.hint is not None
        assert "--lock-file" in found.value.hint


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://example.org/field", "https://example.org/field/"),
        ("https://example.org/a.zip", "https://example.org/a.zip"),
        ("s3://bucket/prefix", "s3://bucket/prefix/"),
        ("s3://bucket/a.zip?versionId=x%2Fy", "s3://bucket/a.zip?versionId=x%2Fy"),
        ("github://owner/repo/notes@main", "github://owner/repo/notes@main"),
        ("https://github.com/o/r/tree/main/notes", "https://github.com/o/r/tree/main/notes"),
        ("https://github.com/o/r/tree/main/notes?tab=x", "https://github.com/o/r/tree/main/notes"),
        ("git+https://host/r.git@v1#notes", "git+https://host/r.git@v1#notes"),
        ("git+file:///srv/r.git@v1#notes", "git+file:///srv/r.git@v1#notes"),
        ("gs://bucket/notes", "gs://bucket/notes"),
    ],
)
def test_urls_as_they_are_kept(typed: str, kept: str, here: Path) -> None:
    """A URL is kept as messages show it, and what is kept means the same."""
    assert stored(typed, here) == kept
    assert stored(kept, here) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "https://example.org/a.zip?which=1",
        "memory://a.zip?x=1",
        "-",
        "@notes",
        "https://user:pass@example.org/a.zip",
        "https://example.org/a.zip?token=abc",
        "https://example.org/" + "a" * 4096,
        "",
    ],
    ids=["query", "fsspec-query", "stdin", "field", "password", "token", "long", "empty"],
)
def test_locations_that_are_not_kept(typed: str, here: Path) -> None:
    """What could not be found again by what may be kept of it is refused, and says no secret."""
    with pytest.raises(LocationError) as found:
        stored(typed, here)
    assert "pass" not in f"{found.value} {found.value.hint}".replace(
        "MEMORYFIELD_HTTP_PASSWORD", ""
    ).replace("password", "")
    assert "abc" not in str(found.value)


def test_path_that_is_not_utf_8(here: Path) -> None:
    """Such a path can stand in no lock file."""
    with pytest.raises(LocationError, match="not UTF-8"):
        stored("\udcff", here)


@pytest.mark.parametrize(
    "typed",
    [
        "http://example.org/n\udce9/", "git+file:///srv/repo@main#n\udce9", "s3://bucket/n\udce9/",
        "github://owner/repo/n\udce9",
    ],
    ids=["http", "git", "s3", "github"],
)  # fmt: skip
def test_url_that_is_not_utf_8(typed: str, here: Path) -> None:
    """It is refused before anybody is asked: what a terminal gave can be written in another way."""
    with pytest.raises(LocationError, match="UTF-8"):
        stored_location(typed, here / LOCK_NAME)


def test_what_is_opened(here: Path) -> None:
    """The commit that was locked is opened, or what stands at the location now."""
    lock = lock_of(
        locked("path", location="a/b"),
        locked("git", location="github://o/r@main", resolved=f"github://o/r@{COMMIT}"),
        path=here / LOCK_NAME,
    )
    assert location_of(lock, lock.field("path")) == str(here / "a" / "b")
    assert location_of(lock, lock.field("git")) == f"github://o/r@{COMMIT}"
    assert location_of(lock, lock.field("git"), resolved=False) == "github://o/r@main"


@pytest.mark.parametrize(
    "location",
    ["/etc", "..", "../other", "a/../..", "http://127.0.0.1:8000/", "git+file:///srv/repo"],
)
def test_what_someone_else_names(location: str, here: Path) -> None:
    """A location is trusted once a person has typed just it on this machine."""
    lock = lock_of(locked(location=location), path=here / LOCK_NAME)
    field = lock.field("notes")
    assert not is_trusted(lock, field)
    assert remember(location + "x")
    assert not is_trusted(lock, field)
    assert remember(location)
    assert remember(location)
    assert is_trusted(lock, field)


@pytest.mark.parametrize("location", ["notes", "./a/b", "a/../b", "x.zip"])
def test_what_lies_beside_the_lock_file(location: str, here: Path) -> None:
    """What came together with the lock file needs no word of a person, and none is kept."""
    lock = lock_of(locked(location=location), path=here / LOCK_NAME)
    assert is_trusted(lock, lock.field("notes"))
    assert remember_typed(lock, lock.field("notes"))
    assert not Path(os.environ[STATE_VARIABLE]).exists()


def test_what_is_remembered_tells_nobody(here: Path) -> None:
    """No location stands in the file, and nobody else may read it."""
    remember("https://secret.example/notes/")
    (file,) = Path(os.environ[STATE_VARIABLE]).iterdir()
    assert b"secret" not in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0


def test_state_that_cannot_be_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered then, and nothing fails."""
    (here / "file").write_bytes(b"")
    monkeypatch.setenv(STATE_VARIABLE, str(here / "file" / "state"))
    assert not remember("/elsewhere")
    lock = lock_of(locked(location="/elsewhere"), path=here / LOCK_NAME)
    assert not is_trusted(lock, lock.field("notes"))
    assert not remember_typed(lock, lock.field("notes"))


def test_state_that_is_damaged(here: Path) -> None:
    """A file that is no list of hashes is none, and what is added to it counts."""
    folder = Path(os.environ[STATE_VARIABLE])
    assert remember("/a")
    (file,) = folder.iterdir()
    file.write_bytes(b"\xff\x00 garbage\n" * 100)
    assert remember("/b")
    lock = lock_of(locked(location="/b"), path=here / LOCK_NAME)
    assert is_trusted(lock, lock.field("notes"))


def test_error_is_one_of_ours(here: Path) -> None:
    """All that goes wrong with a name ends in an exit code of the command."""
    (here / LOCK_NAME).write_bytes(toml(entry(archive_pin=ARCHIVE_PIN)))
    with pytest.raises(MemoryfieldError) as found:
        locked_field("@notes")
    assert found.value.exit_code == 2

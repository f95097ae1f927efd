"""What the tests of git sources share: opening one, and reading all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.readers.servers.git_repository import git

from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_readers.limits import DEFAULT_LIMITS, Limits
from memoryfield_readers.locations import parse_location
from memoryfield_readers.locations.values import GitLocation
from memoryfield_readers.sources.git import GitFolder
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

PATIENT = TransferOptions(timeout=30.0, retries=0)


def located(text: str) -> GitLocation:
    """A location of git, taken apart."""
    location = parse_location(text)
    assert isinstance(location, GitLocation)
    return location


def here(repository: Path, ref: str = "", folder: str = "") -> str:
    """The location of a folder of a repository on this machine."""
    return (
        f"git+file://{repository}" + (f"@{ref}" if ref else "") + (f"#{folder}" if folder else "")
    )


@contextmanager
def git_folder(
    text: str, options: TransferOptions = PATIENT, limits: Limits = DEFAULT_LIMITS
) -> Iterator[GitFolder]:
    """A folder of a repository, as long as it is read."""
    folder = GitFolder(located(text), options, limits)
    try:
        yield folder
    finally:
        folder.close()


def contents(folder: GitFolder, entries: Sequence[Entry] | None = None) -> dict[str, bytes]:
    """The bytes of files, all of them if none are named, by path."""
    files = [e for e in entries or folder.listing() if e.kind is EntryKind.FILE]
    sinks: dict[str, MemorySink] = {}

    def sink(entry: Entry) -> MemorySink:
        sinks[entry.path] = MemorySink(1_000_000)
        return sinks[entry.path]

    return {entry.path: sinks[entry.path].data for entry in folder.save_many(files, sink)}


def commit_read(text: str, options: TransferOptions = PATIENT) -> str:
    """The commit that a location is resolved to."""
    with git_folder(text, options) as folder:
        assert folder.resolved is not None
        commit = folder.resolved.partition("@")[2].partition("#")[0]
        assert folder.notes == ()
        return commit


def all_of(repository: Path) -> dict[str, bytes]:
    """The contents, after the dates were asked for as well."""
    with git_folder(here(repository)) as folder:
        entries = folder.listing()
        assert all(folder.dated(entry).modified for entry in entries)
        return contents(folder, entries)


def loosen(repository: Path) -> None:
    """Unpack all objects, so that each is a file of its own."""
    packs = repository / ".git/objects/pack"
    for pack in list(packs.glob("*.pack")):
        data = pack.read_bytes()
        for part in packs.iterdir():
            part.chmod(0o600)
            part.unlink()
        git(repository, "unpack-objects", "-q", stdin=data)


def object_file(repository: Path, name: str) -> Path:
    """Where a loose object is kept."""
    return repository / ".git/objects" / name[:2] / name[2:]

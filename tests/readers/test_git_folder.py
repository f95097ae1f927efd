"""A folder of a repository on this machine: the same entries and bytes as a checkout of it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from tests.readers.git_fields import PATIENT, commit_read, contents, git_folder, here, located
from tests.readers.servers.git_repository import (
    Commit,
    Content,
    Link,
    Script,
    Submodule,
    check_out,
    git,
    make_repository,
)
from tests.readers.unprivileged import NOBODY

from memoryfield_readers import LimitExceeded, Limits, LocationError, NotFound, SourceUnavailable
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_readers.errors import AccessDenied
from memoryfield_readers.git.tree import TreeEntry, parse_record, tree_of
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.source import Source
from memoryfield_readers.sources.git import GitBlob, GitFolder
from memoryfield_readers.sources.local import LocalSource
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"

ZOO: dict[str, Content | None] = {
    "plain.md": b"# Plain\n",
    "script.md": Script(b"#!/bin/sh\n"),
    "empty.md": b"",
    "crlf.md": b"a\r\nb\n",
    "index.sqlite3": POINTER,
    ".hidden": b"debris",
    ".obsidian/app.json": b"{}",
    "folder/page.md": b"# Below\n",
    "folder/deeper/page.md": b"# Deeper\n",
    "folder/.cache/left.md": b"debris",
    "folder/.cache/more/left.md": b"debris",
    "folder/link.md": Link(b"page.md"),
    "folder/submodule": Submodule(),
    "submodule": Submodule(),
    "to-file.md": Link(b"plain.md"),
    "to-below.md": Link(b"./folder//deeper/../page.md"),
    "to-link.md": Link(b"to-below.md"),
    "to-folder.md": Link(b"folder"),
    "to-submodule.md": Link(b"submodule"),
    "into-submodule.md": Link(b"submodule/x.md"),
    "to-nothing.md": Link(b"missing.md"),
    "through-file.md": Link(b"plain.md/x"),
    "file-as-folder.md": Link(b"plain.md/"),
    "through-link.md": Link(b"folder/link.md"),
    "out.md": Link(b"../outside.md"),
    "out-and-in.md": Link(b"../checkout/plain.md"),
    "absolute.md": Link(b"/etc/hostname"),
    "circle.md": Link(b"circle.md"),
    "long-way.md": Link(b"./" * 101 + b"plain.md"),
    "umlaut-\u00e4.md": b"# \xc3\xa4\n",
    "bytes-\udcff\n.md": b"not UTF-8",
    "to-bytes.md": Link(b"bytes-\xff\n.md"),
    "quote\"'$(x) *.md": b"odd",
    "-rf.md": b"no option",
    "/".join(f"d{depth}" for depth in range(64)) + "/last.md": b"at the last level",
    "/".join(f"d{depth}" for depth in range(65)) + "/too-deep.md": b"below it",
}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository with everything that a tree can hold."""
    return make_repository(tmp_path_factory.mktemp("zoo") / "zoo.git", [Commit(ZOO)])


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository of two commits on `main`."""
    first = Commit({"a.md": b"old\n", "docs/b.md": b"b\n"})
    path = tmp_path_factory.mktemp("small") / "small.git"
    return make_repository(path, [first, Commit({"a.md": b"new\n"})])


@pytest.fixture
def small(made_once: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(made_once, tmp_path / "small.git"))


def undated(entries: object) -> list[Entry]:
    """Entries without the times of a checkout, in order."""
    assert isinstance(entries, tuple | list)
    return sorted(entry._replace(modified_ns=None) for entry in entries)


def remote(text: str) -> RemoteSource:
    """A folder of a repository as the source that a field stands on."""
    store = GitFolder(located(text), PATIENT, DEFAULT_LIMITS)
    return RemoteSource(store, location=text, name="field", limits=DEFAULT_LIMITS)


def read_all(source: Source) -> dict[str, bytes]:
    """The bytes of all files at the root and below."""
    entries = [*source.root(), *source.nested()]
    files = [entry for entry in entries if entry.kind is EntryKind.FILE]
    return {entry.path: source.read(entry, 100_000) for entry in files}


def test_a_tree_is_listed_and_read_as_its_checkout(zoo: Path, tmp_path: Path) -> None:
    """Same paths, kinds, sizes, words and bytes, whatever is in the tree."""
    checkout = LocalSource(check_out(zoo, tmp_path / "checkout"), "checkout", DEFAULT_LIMITS)
    tree = remote(here(zoo))
    try:
        assert undated(list(tree.root())) == undated(list(checkout.root()))
        assert undated(list(tree.nested())) == undated(list(checkout.nested()))
        found = read_all(tree)
        assert found == read_all(checkout)
        assert found["to-link.md"] == b"# Below\n"
        assert found["index.sqlite3"] == POINTER
    finally:
        tree.close()
        checkout.close()


def test_a_folder_of_a_tree_is_as_that_of_its_checkout(zoo: Path, tmp_path: Path) -> None:
    """The field's folder is the root that no link leaves."""
    path = check_out(zoo, tmp_path / "checkout") / "folder"
    checkout = LocalSource(path, "checkout", DEFAULT_LIMITS)
    tree = remote(here(zoo, "main", "folder"))
    try:
        assert undated(list(tree.root())) == undated(list(checkout.root()))
        assert read_all(tree) == read_all(checkout)
    finally:
        tree.close()
        checkout.close()


def test_one_file_is_read_as_many_are(zoo: Path) -> None:
    """`save` and `save_many` give the same bytes."""
    with git_folder(here(zoo)) as folder:
        entries = folder.listing()
        many = contents(folder, entries)
        assert len(many) == 18
        for entry in entries:
            if entry.kind is EntryKind.FILE:
                sink = MemorySink(10_000)
                assert folder.save(entry, sink) == entry
                assert sink.data == many[entry.path]


def test_what_is_no_file_of_the_listing_is_not_read(zoo: Path) -> None:
    """Neither a path that was never listed nor a link that leads out."""
    with git_folder(here(zoo)) as folder:
        folder.listing()
        for path in ("never.md", "out.md", "submodule", "HEAD"):
            with pytest.raises(NotFound):
                folder.save(Entry(path, EntryKind.FILE), MemorySink(10))


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_both_formats_of_objects_are_read(tmp_path: Path, algorithm: str) -> None:
    """Names of objects have 40 or 64 digits; both are proved."""
    path = tmp_path / "r"
    repository = make_repository(path, [Commit({"a.md": b"# A\n"})], algorithm=algorithm)
    with git_folder(here(repository)) as folder:
        assert contents(folder) == {"a.md": b"# A\n"}
        entry = folder.dated(folder.listing()[0])
        assert entry.modified_ns == 1_700_000_000_000_000_000
        assert folder.resolved == here(repository, git(repository, "rev-parse", "main"))


@pytest.mark.parametrize(
    ("folder", "problem"),
    [
        ("missing", "there is no `missing`"),
        ("folder/missing", "there is no"),
        ("plain.md", "is a file at this commit"),
        ("to-folder.md", "is a link at this commit"),
        ("to-folder.md/deeper", "there is no"),
        ("submodule", "is a submodule at this commit"),
        ("*", "there is no"),
        (":(glob)**", "there is no"),
    ],
)
def test_what_is_no_folder_is_not_found(zoo: Path, folder: str, problem: str) -> None:
    """A folder's name is taken as it is, and no link is followed to it."""
    with git_folder(here(zoo, "main", folder)) as found, pytest.raises(NotFound) as caught:
        found.listing()
    assert problem in caught.value.message


def test_a_working_clone_is_read_at_the_ref(small: Path, tmp_path: Path) -> None:
    """What is in its folder, or staged, does not matter."""
    clone = check_out(small, tmp_path / "clone")
    (clone / "a.md").write_bytes(b"changed")
    (clone / "new.md").write_bytes(b"new")
    git(clone, "add", "new.md")
    with git_folder(here(clone)) as folder:
        assert contents(folder) == {"a.md": b"new\n", "docs/b.md": b"b\n"}


def states(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Mode, time and size of everything below a folder."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        found[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_size)
    return found


def test_nothing_is_written_and_no_owner_is_asked_for(small: Path) -> None:
    """A repository of somebody else, without the right to write, is read and stays as it is."""
    for path in [small, *small.rglob("*")]:
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
    before = states(small)
    with git_folder(here(small)) as folder:
        assert contents(folder)["a.md"] == b"new\n"
        assert folder.dated(folder.listing()[0]).modified_ns is not None
    assert states(small) == before


def test_nothing_temporary_is_left(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither after reading nor after an error; closing twice does no harm."""
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    with git_folder(here(small)) as folder:
        folder.listing()
        assert len(list(room.iterdir())) == 1
        folder.close()
    with pytest.raises(NotFound):
        commit_read(here(small, "missing"))
    assert list(room.iterdir()) == []
    assert (small / "objects").is_dir()


def test_without_git_the_error_says_so(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is the only thing that is missing."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SourceUnavailable, match="git is not installed") as caught:
        commit_read(here(small))
    assert "install git" in (caught.value.hint or "")


def test_too_many_entries_are_not_taken(small: Path) -> None:
    """Two files are one too many."""
    one = Limits(entries=1)
    with git_folder(here(small), limits=one) as folder, pytest.raises(LimitExceeded) as caught:
        folder.listing()
    assert caught.value.message == "more than 1 entries"


def test_what_lies_in_debris_does_not_count(tmp_path: Path) -> None:
    """As in a folder on disk; but not without end."""
    files = {"a.md": b"1", **{f".cache/{number}": b"" for number in range(20)}}
    repository = make_repository(tmp_path / "r", [Commit(files)])
    with git_folder(here(repository), limits=Limits(entries=2)) as folder:
        assert {entry.path for entry in folder.listing()} == {"a.md", ".cache"}
    endless = {f".cache/{'n' * 4000}/{number}": b"1" for number in range(300)}
    long = make_repository(tmp_path / "long", [Commit(endless)])
    with git_folder(here(long), limits=Limits(entries=2)) as folder, pytest.raises(LimitExceeded):
        folder.listing()


def test_a_batch_that_was_committed_half_way_is_told(tmp_path: Path) -> None:
    """Its journal was committed as well; nobody can tell what the pages should be."""
    commit = Commit({"a.md": b"1", ".memoryfield/journal": b"any"})
    with git_folder(here(make_repository(tmp_path / "r", [commit]))) as folder:
        assert folder.listing() and "under way" in folder.notes[0]  # noqa: PT018


def test_a_tree_that_explodes_is_cut_off(tmp_path: Path) -> None:
    """A few trees that name each other ten times have more paths than anyone can take."""
    repository = make_repository(tmp_path / "r", [])
    blob = git(repository, "hash-object", "-w", "--stdin", stdin=b"x")
    record = f"100644 blob {blob}\t%d"
    for _ in range(4):
        lines = "\n".join(record % number for number in range(10))
        record = f"040000 tree {git(repository, 'mktree', stdin=lines.encode())}\t%d"
    git(repository, "update-ref", "refs/heads/main", git(
        repository, "commit-tree", record.split()[2], "-m", "bomb"
    ))  # fmt: skip
    few = Limits(entries=1000)
    with git_folder(here(repository), limits=few) as folder, pytest.raises(LimitExceeded):
        folder.listing()


def test_a_file_beyond_the_limit_is_refused_and_the_others_are_read(small: Path) -> None:
    """One by one as well as together."""
    with git_folder(here(small), limits=Limits(file_bytes=3)) as folder:
        entries = folder.listing()
        assert contents(folder, entries) == {"docs/b.md": b"b\n"}
        with pytest.raises(LimitExceeded, match="4 bytes, over the limit of 3"):
            folder.save(entries[0], MemorySink(100))


def test_a_sink_that_takes_no_more_leaves_the_next_file_whole(small: Path) -> None:
    """The stream of contents is begun anew, wherever it was broken off."""
    with git_folder(here(small)) as folder:
        entries = folder.listing()
        with pytest.raises(LimitExceeded):
            folder.save(entries[0], MemorySink(2))
        assert contents(folder, entries) == {"a.md": b"new\n", "docs/b.md": b"b\n"}


def test_an_archive_in_a_tree_comes_whole(small: Path, tmp_path: Path) -> None:
    """There are no ranges: the end of it is all of it, and a part can be had again."""
    data = bytes(range(256)) * 2000
    path = make_repository(tmp_path / "r", [Commit({"x/f.zip": data, "l.zip": Link(b"x/f.zip")})])
    blob = GitBlob(located(here(path, "main", "x/f.zip")), PATIENT, DEFAULT_LIMITS)
    try:
        whole, part = MemorySink(len(data)), MemorySink(300_000)
        tail = blob.tail(100, whole)
        blob.save(100_000, 400_000, part)
        assert (tail.size, tail.data, tail.whole, whole.data) == (len(data), b"", True, data)
        assert part.data == data[100_000:400_000]
        with pytest.raises(LimitExceeded):
            blob.tail(100, MemorySink(1000))
    finally:
        blob.close()
    for missing in ("x/g.zip", "l.zip"):
        with pytest.raises(NotFound):
            GitBlob(located(here(path, "main", missing)), PATIENT, DEFAULT_LIMITS)


def test_a_location_from_someone_else_names_nothing_here(small: Path) -> None:
    """Whoever opens it does so with their own rights."""
    with pytest.raises(AccessDenied):
        commit_read(here(small), TransferOptions(public_only=True))


def test_an_option_that_git_does_not_have_is_refused(small: Path) -> None:
    """A slip in its name is told, not passed over."""
    with pytest.raises(LocationError, match="git has no option 'dept'"):
        commit_read(here(small), TransferOptions.of({"dept": 1}))


def test_after_it_was_closed_nothing_is_read(small: Path) -> None:
    """An error of ours, and nothing is begun anew."""
    with git_folder(here(small)) as folder:
        entries = folder.listing()
    with pytest.raises(SourceUnavailable, match="git cannot be run"):
        folder.save(entries[0], MemorySink(100))


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"100644 blob 12\ta.md",
        b"100644 blob " + b"0" * 40 + b" 3 a.md",
        b"100644 blob " + b"0" * 40 + b" 3\t",
        b"100644 blob " + b"0" * 40 + b" " + b"9" * 19 + b"\ta.md",
        b"100644 blob " + b"0" * 50 + b" 3\ta.md",
        b"100644 blob " + b"0" * 40 + b" BAD\ta.md",
        b"10x644 blob " + b"0" * 40 + b" 3\ta.md",
    ],
    ids=["empty", "short id", "no tab", "no path", "size", "odd id", "missing", "mode"],
)
def test_a_record_that_is_none_is_an_error(record: bytes) -> None:
    """What git says is not believed to be in its form."""
    with pytest.raises(SourceUnavailable):
        parse_record(record, "x")


@pytest.mark.parametrize(
    "paths",
    [
        ("good.md", "../up.md"),
        ("good.md", "a/../b.md"),
        ("good.md", "/absolute.md"),
        ("good.md", "a//b.md"),
        ("good.md", ".git/config"),
        ("good.md", "a/.GIT/config"),
        ("good.md", "back\\slash.md"),
        ("good.md", "n" * 4097),
        ("good.md", "twice.md", "twice.md"),
        ("good.md", "both", "both/x.md"),
    ],
    ids=lambda paths: paths[-1][:12],
)
def test_paths_that_no_checkout_has_are_left_out_and_told(paths: tuple[str, ...]) -> None:
    """A forged tree can say anything; what it says is never used as a path."""
    tree = tree_of(TreeEntry(path, 0o100644, "0" * 40, 1) for path in paths)
    left = {"good.md", "both/x.md"} & set(paths)
    assert set(tree.entries) == left
    assert tree.left_out == 1
    assert tree.notes[0].startswith("left out 1 path that is unsafe or ambiguous, such as `")

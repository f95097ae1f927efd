"""A repository that is damaged or none: an error of ours, and never other bytes than were kept."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.readers.git_fields import (
    PATIENT,
    all_of,
    contents,
    git_folder,
    here,
    located,
    loosen,
    object_file,
)
from tests.readers.servers.git_repository import Commit, git, make_repository

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.entry import Entry
from memoryfield_readers.git.contents import Contents
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitFolder
from memoryfield_readers.transfer.sink import MemorySink

PAGES = {"a.md": b"# A\n", "b.md": b"# B\n"}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working clone's repository, of two commits, with loose objects and a pack."""
    path = tmp_path_factory.mktemp("made") / "r"
    make_repository(path, [Commit({"a.md": b"old", "b.md": b"# B\n"}), Commit(PAGES)], bare=False)
    return path


@pytest.fixture
def repository(made_once: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(made_once, tmp_path / "r"))


def read_one_by_one(repository: Path) -> None:
    """Read each file by itself, so that what is wrong with it is raised."""
    with git_folder(here(repository)) as folder:
        for entry in folder.listing():
            folder.save(entry, MemorySink(100))


def test_settings_that_are_none_do_not_matter(repository: Path) -> None:
    """The repository is read as far as its objects allow."""
    (repository / ".git/config").write_bytes(b"[extensions\nobjectformat = \x00sha256; [[[")
    assert all_of(repository) == PAGES


@pytest.mark.parametrize("word", ["sha256", "md5", "-x", "a\\nb"])
def test_a_format_that_it_does_not_have_is_an_error(repository: Path, word: str) -> None:
    """Or is passed over, if it is no word; git is never told anything else."""
    with open(repository / ".git/config", "a") as settings:
        settings.write(
            f"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = {word}\n"
        )
    if word.isalnum():
        with pytest.raises(SourceUnavailable):
            all_of(repository)
    else:
        assert all_of(repository) == PAGES


@pytest.mark.parametrize(
    "text", [b"", b"ref: ../../secret\n", b"ref: /etc/passwd\n", b"\0", b"x" * 9999]
)
def test_a_head_that_is_none_leads_nowhere(repository: Path, text: bytes) -> None:
    """The other refs can be read all the same."""
    (repository / ".git/HEAD").write_bytes(text)
    with pytest.raises(SourceUnavailable, match="there is no commit `HEAD`"):
        all_of(repository)
    with git_folder(here(repository, "main")) as folder:
        assert contents(folder) == PAGES


@pytest.mark.parametrize("kind", ["folder", "file", "empty"])
def test_what_is_no_repository_is_an_error(tmp_path: Path, kind: str) -> None:
    """Whatever stands at the path, and not taken for an absent one."""
    path = tmp_path / "x"
    if kind == "file":
        path.write_bytes(b"")
    else:
        path.mkdir()
        if kind == "folder":
            (path / "objects").mkdir()
    with pytest.raises(SourceUnavailable, match="there is no git repository here") as caught:
        all_of(path)
    assert type(caught.value) is SourceUnavailable


def test_a_forged_blob_is_found_by_its_hash(repository: Path) -> None:
    """Git itself hands out whatever stands in an object's place."""
    loosen(repository)
    a, b = (git(repository, "rev-parse", f"HEAD:{name}") for name in PAGES)
    forged = object_file(repository, a)
    forged.chmod(0o600)
    shutil.copy(object_file(repository, b), forged)
    with git_folder(here(repository)) as folder:
        entries = folder.listing()
        assert contents(folder, entries) == {}  # neither of those that were asked for at once
        with pytest.raises(SourceUnavailable, match="other bytes for this file than their hash"):
            folder.save(entries[0], MemorySink(100))
        assert folder.save(entries[1], MemorySink(100)) == entries[1]


@pytest.mark.parametrize("harm", ["missing", "cut", "garbage"])
@pytest.mark.parametrize("what", ["HEAD:a.md", "HEAD^{tree}", "HEAD"])
def test_a_damaged_repository_is_an_error(repository: Path, what: str, harm: str) -> None:
    """One of ours, whatever is damaged and however; never that there is no such thing."""
    loosen(repository)
    file = object_file(repository, git(repository, "rev-parse", what))
    file.chmod(0o600)
    data = file.read_bytes()
    if harm == "missing":
        file.unlink()
    else:
        file.write_bytes(data[:-9] if harm == "cut" else b"garbage")
    with pytest.raises(SourceUnavailable) as caught:
        read_one_by_one(repository)
    assert type(caught.value) is SourceUnavailable


@pytest.mark.parametrize("ref", ["main", "v1", "refs/heads/main"])
def test_objects_that_are_borrowed_are_missing_not_absent(tmp_path: Path, ref: str) -> None:
    """A clone that has the branches, and another repository's objects by a link."""
    whole = make_repository(tmp_path / "r", [Commit(PAGES)])
    git(whole, "tag", "v1")
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(whole), "borrower")
    with pytest.raises(SourceUnavailable, match=f"it lacks the commit of `{ref}`") as caught:
        GitFolder(located(here(tmp_path / "borrower", ref)), PATIENT, DEFAULT_LIMITS)
    assert type(caught.value) is SourceUnavailable
    assert "borrows" in (caught.value.hint or "")


def test_files_are_not_asked_for_in_vain_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing comes, each group of files may take the whole time-out."""
    files = {f"{number}.md": b"%d" % number for number in range(288)}
    repository = make_repository(tmp_path / "r", [Commit(files)])
    outcomes = iter("--+-+++++" + "+---")  # of each group of 32, and of a second reading

    def saved(*_: object) -> None:
        if next(outcomes) == "-":
            raise SourceUnavailable("git was ended: it took more than 30 seconds")

    monkeypatch.setattr(Contents, "save", saved)
    with git_folder(here(repository)) as folder:
        entries = folder.listing()
        assert len(contents(folder, entries)) == 6 * 32
        assert len(contents(folder, entries)) == 32
    assert list(outcomes) == []


def test_a_file_that_is_no_blob_is_not_served(tmp_path: Path) -> None:
    """A tree that calls a commit a file."""
    repository = make_repository(tmp_path / "r", [Commit(PAGES)])
    commit = git(repository, "rev-parse", "HEAD")
    tree = git(
        repository, "hash-object", "-t", "tree", "-w", "--literally", "--stdin",
        stdin=b"100644 x.md\0" + bytes.fromhex(commit),
    )  # fmt: skip
    forged = git(repository, "commit-tree", tree, "-m", "x")
    with git_folder(here(repository, forged)) as folder:
        (entry,) = folder.listing()
        with pytest.raises(SourceUnavailable, match="lacks the contents of this file"):
            folder.save(entry, MemorySink(1000))


def test_one_file_at_a_time_is_asked_of_git_by_threads(repository: Path) -> None:
    """`save` may be called from any thread, and after the stream was broken off."""
    with git_folder(here(repository), PATIENT) as folder:
        entries = folder.listing() * 20

        def read(entry: Entry) -> bool:
            sink = MemorySink(100)
            folder.save(entry, sink)
            return sink.data == PAGES[entry.path]

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(read, entries))

"""A folder of a repository on GitHub: what is listed and read, from which commit, at what cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.readers.servers.git_repository import (
    FIRST_SECOND,
    Commit,
    Content,
    Link,
    Script,
    Submodule,
    check_out,
    git,
    make_repository,
)
from tests.readers.servers.github_api import GitHubServer, forget_tokens, options_for, place

from memoryfield_readers import Entry, EntryKind, LimitExceeded, Limits, NotFound
from memoryfield_readers.git.tree import TreeEntry
from memoryfield_readers.github.together import is_worth_it
from memoryfield_readers.github.trees import Folder
from memoryfield_readers.locations.values import GitHubLocation
from memoryfield_readers.source import Source
from memoryfield_readers.sources.github import GitHubFolder
from memoryfield_readers.sources.local import LocalSource
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.sink import MemorySink
from memoryfield_validator import Request, check

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"

FILES: dict[str, Content] = {
    ".gitattributes": b"hidden.md export-ignore\nchanged.md export-subst\n",
    "a.md": b"# a\n",
    "changed.md": b"# $Format:%H$\n",
    "crlf.md": b"# c\r\n",
    "empty.md": b"",
    "hidden.md": b"# hidden\n",
    "m.sqlite3": POINTER,
    "run.sh": Script(b"#!/bin/sh\n"),
    "sp ace #%@.md": b"# odd\n",
    "\u00e9\U0001f600.md": b"# letters\n",
    "log/2026.md": b"# log\n",
    "log/deep/x.bin": bytes(range(256)),
    "log/link.md": Link(b"../a.md"),
    "other": Submodule(),
    ".cache/x.md": b"# x\n",
    "l-file.md": Link(b"a.md"),
    "l-far.md": Link(b"log/./deep/../2026.md"),
    "l-link.md": Link(b"l-file.md"),
    "l-through.md": Link(b"log/link.md"),
    "l-folder.md": Link(b"log"),
    "l-submodule.md": Link(b"other"),
    "l-nowhere.md": Link(b"none.md"),
    "l-out.md": Link(b"../field/a.md"),
    "l-absolute.md": Link(b"/etc/hostname"),
    "l-circle.md": Link(b"l-circle.md"),
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files above, at the root and in a folder."""
    path = tmp_path_factory.mktemp("github") / "field.git"
    nested: dict[str, Content | None] = {f"docs/field/{name}": FILES[name] for name in FILES}
    commits = [
        Commit({"a.md": b"# old\n", "docs/field/a.md": b"# old\n"}),
        Commit({**FILES, **nested}),
    ]
    return make_repository(path, commits)


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_tokens(monkeypatch, tmp_path)


@pytest.fixture
def server(repository: Path) -> Iterator[GitHubServer]:
    with GitHubServer(repository) as made:
        yield made


def folder_at(
    server: GitHubServer, location: GitHubLocation, limits: Limits | None = None
) -> GitHubFolder:
    return GitHubFolder(location, options_for(server), limits or Limits())


def source_at(server: GitHubServer, location: GitHubLocation) -> RemoteSource:
    return RemoteSource(
        folder_at(server, location), location=location.shown, name="field", limits=Limits()
    )


def files_of(source: Source) -> list[Entry]:
    return [entry for entry in source.root() if entry.kind is EntryKind.FILE]


def _undated(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entry._replace(modified_ns=None) for entry in entries)


@pytest.mark.parametrize("path", ["", "docs/field"])
def test_the_same_as_a_checkout(path: str, server: GitHubServer, tmp_path: Path) -> None:
    """Entries, kinds, sizes, reasons, targets and bytes, also of what archives lack or change."""
    checkout = check_out(Path(str(server.repository)), tmp_path / "checkout")
    with (
        closing(LocalSource(checkout / path, "local", Limits())) as local,
        closing(source_at(server, place(path))) as remote,
    ):
        assert _undated(remote.root()) == _undated(local.root())
        assert _undated(list(remote.nested())) == _undated(list(local.nested()))
        entries = files_of(local)
        remote.prepare([*entries, *(e for e in local.nested() if e.kind is EntryKind.FILE)])
        for entry in (*entries, *local.nested()):
            if entry.kind is EntryKind.FILE:
                assert remote.read(entry, 10_000) == local.read(entry, 10_000)
    assert len(entries) > 10


def test_a_whole_field_takes_three_requests(tmp_path: Path) -> None:
    """The commit, its tree, and one archive of it, however many pages there are."""
    pages: dict[str, Content | None] = {f"p{n}.md": b"# %d\n" % n for n in range(50)}
    path = make_repository(tmp_path / "r.git", [Commit(pages)])
    with GitHubServer(path) as server, closing(source_at(server, place())) as source:
        entries = files_of(source)
        source.prepare(entries)
        assert [source.read(entry, 99) for entry in entries] == [
            pages[entry.path] for entry in entries
        ]
        commit, tree = git(path, "rev-parse", "main", "main^{tree}").split()
        assert server.asked == ["commits/HEAD", f"git/trees/{tree}", f"tarball/{commit}"]
        assert [request.path for request in server.codeload.asked()] == [f"/{commit}"]


def test_one_page_takes_three_requests(server: GitHubServer) -> None:
    """The commit, its tree, and the blob."""
    with closing(folder_at(server, place("docs/field", "main"))) as folder:
        entry = next(entry for entry in folder.listing() if entry.path == "a.md")
        server.api.requests.clear()  # those for the targets of the links of this field
        sink = MemorySink(100)
        assert folder.save(entry, sink) == entry
        assert sink.data == b"# a\n"
        assert server.asked == [f"git/blobs/{git(server.repository, 'rev-parse', 'main:a.md')}"]


@pytest.mark.parametrize("count", [8, 9])
def test_a_few_files_are_asked_for_one_by_one(count: int, server: GitHubServer) -> None:
    """Up to eight: an archive of the whole commit is more bytes, and one request more."""
    with closing(source_at(server, place())) as source:
        plain = [e for e in files_of(source) if not e.leads_to and e.path > "a"]
        server.api.requests.clear()
        source.prepare([*plain, *(e for e in files_of(source) if e.leads_to)][:count])
        kinds = [asked.rpartition("/")[0] for asked in server.asked]
        assert kinds.count("tarball") == (count > 8)
        assert kinds.count("git/blobs") == (8 if count == 8 else 2)  # two are not in the archive


_MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("whole", "files", "size", "left", "worth"),
    [
        (20 * _MIB, 9, 100, 5000, True),
        (20 * _MIB, 8, 100, 5000, False),
        (40 * _MIB, 100, 100, 5000, False),
        (40 * _MIB, 100, 100_000, 5000, True),
        (40 * _MIB, 100, 100, 57, True),
        (40 * _MIB, 100, 100, None, False),
        (200 * _MIB, 100, 100, 57, False),
        (None, 100, 100, 57, False),
    ],
    ids=["small", "few", "much-else", "little-else", "no-requests", "unknown-left", "too-large",
         "unknown-size"],
)  # fmt: skip
def test_the_archive_is_asked_for_where_it_is_worth_it(
    whole: int | None, files: int, size: int, left: int | None, worth: bool
) -> None:
    """For more than a few files of a commit that is not far larger, or as the only way left."""
    blobs = [TreeEntry(str(number), 0o100644, "0" * 40, size) for number in range(files)]
    assert is_worth_it(Folder((), whole, 0), blobs, left, 100 * _MIB) is worth


def test_all_is_read_from_one_commit(tmp_path: Path) -> None:
    """A branch that moves between opening, listing and reading changes nothing."""
    before: dict[str, Content | None] = {f"p{n}.md": b"# before\n" for n in range(12)}
    commits = [Commit(before), Commit(dict.fromkeys(before, b"# after\n"), branch="next")]
    path = make_repository(tmp_path / "r.git", commits)
    with GitHubServer(path) as server, closing(folder_at(server, place(ref="main"))) as folder:
        first = git(path, "rev-parse", "main")
        git(path, "update-ref", "refs/heads/main", "next")
        source = RemoteSource(folder, location="x", name="x", limits=Limits())
        source.prepare(files_of(source)[:10])
        read = {source.read(entry, 99) for entry in files_of(source)}
        assert read == {b"# before\n"}
        assert source.resolved == f"github://owner/field@{first}"
        assert source.notes == (f"commit {first}",)
        source.close()


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("none", "`none` is not in the commit"),
        ("docs/fie", "`docs/fie` is not in the commit"),
        ("a.md", "`a.md` is there as a file"),
        ("l-folder.md", "`l-folder.md` is there as a link"),
        ("other", "`other` is there as a submodule, another repository"),
    ],
    ids=["none", "beginning", "file", "link", "submodule"],
)
def test_what_is_no_folder_is_absent(path: str, problem: str, server: GitHubServer) -> None:
    """The message says what is there in its place."""
    with closing(folder_at(server, place(path))) as folder:
        with pytest.raises(NotFound) as caught:
            folder.listing()
        assert caught.value.message == problem


def test_a_pointer_of_lfs_is_told(server: GitHubServer) -> None:
    """An index whose content is elsewhere is read as it stands (MF108)."""
    options = {"api_url": server.api.base, "timeout": 20}
    report = check("github://owner/field/docs/field", Request(storage_options=options)).report
    assert report is not None
    assert [each.file for each in report.findings if each.rule == "MF108"] == ["m.sqlite3"]


def test_a_list_that_is_cut_off_is_asked_for_folder_by_folder(server: GitHubServer) -> None:
    """One request for each folder on the way, and one for the field, which must be whole."""
    with closing(folder_at(server, place("docs/field"))) as whole:
        expected = whole.listing()
    server.rules.most_entries = len(FILES) + 5
    server.api.requests.clear()
    with closing(folder_at(server, place("docs/field"))) as folder:
        assert folder.listing() == expected
        trees = git(server.repository, "rev-parse", "main^{tree}", "main:docs", "main:docs/field")
        root, docs, field = trees.split()
        wanted = [f"git/trees/{tree}" for tree in (root, root, docs, field)]
        assert [asked for asked in server.asked if "trees" in asked] == wanted
        files = [entry for entry in expected if entry.kind is EntryKind.FILE]
        assert list(folder.save_many(files, lambda entry: MemorySink(1))) == []


@pytest.mark.parametrize("path", ["", "docs/field"])
def test_a_list_that_stays_cut_off_is_no_field(path: str, server: GitHubServer) -> None:
    """Never a part of one."""
    server.rules.most_entries = 5
    with closing(folder_at(server, place(path))) as folder:
        with pytest.raises(LimitExceeded, match="cuts the list of files off") as caught:
            folder.listing()
        assert caught.value.location == place(path).shown


def test_a_field_has_no_more_entries_than_the_limit(server: GitHubServer) -> None:
    """A folder is counted by what is in it, not by what is in the repository."""
    count = 0
    for most in (1000, 0):
        with closing(folder_at(server, place("docs/field"), Limits(entries=most or count))) as it:
            count = len(it.listing())
    with closing(folder_at(server, place("docs/field"), Limits(entries=count - 1))) as folder:
        with pytest.raises(LimitExceeded, match=f"more than {count - 1} entries") as caught:
            folder.listing()
        assert "--limit entries=" in str(caught.value.hint)


def test_many_links_are_read_out_of_one_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the number of requests does not grow with them; where it would, there is an end."""
    monkeypatch.setattr("memoryfield_readers.sources.github._MOST_LINKS", 10)
    links: dict[str, Content | None] = {f"l{n}.md": Link(b"a.md") for n in range(20)}
    path = make_repository(tmp_path / "r.git", [Commit({"a.md": b"# a\n", **links})])
    with GitHubServer(path) as server, closing(folder_at(server, place())) as folder:
        assert [entry.leads_to for entry in folder.listing()].count("a.md") == 20
        assert len(server.asked) == 3
        server.rules.tarball = b"none"
        with pytest.raises(LimitExceeded, match="more than 10 symbolic links"):
            folder_at(server, place()).listing()


def test_the_date_of_a_page_is_that_of_its_last_commit(server: GitHubServer) -> None:
    """The committer's; one request a page, once; that of a link is the one of its file."""
    with closing(folder_at(server, place("docs/field"))) as folder:
        entries = {entry.path: entry for entry in folder.listing()}
        assert all(entry.modified_ns is None for entry in entries.values())
        server.api.requests.clear()
        for name in ("a.md", "l-file.md", "sp ace #%@.md", "a.md"):
            dated = folder.dated(entries[name])
            assert dated.modified_ns == (FIRST_SECOND + 60) * 1_000_000_000
        assert len(server.asked) == 2
        assert folder.dated(Entry("none.md", EntryKind.FILE)).modified_ns is None


def test_a_repository_that_was_renamed_is_found(server: GitHubServer) -> None:
    """The redirect is followed once; all else goes to where it led."""
    location = place("docs/field", owner="owner", repo="old-name")
    with closing(source_at(server, location)) as source:
        source.prepare(files_of(source))
        starts = [request.path.split("/")[1] for request in server.api.asked()]
        assert starts[:2] == ["repos", "repositories"]
        assert set(starts[2:]) == {"repositories"}

"""Answers that are not what GitHub says: nothing of them is believed that cannot be proved."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.readers.servers import faults
from tests.readers.servers.git_repository import Commit, Content, git, make_repository
from tests.readers.servers.github_api import GitHubServer, forget_tokens, options_for, place
from tests.readers.servers.http_parts import Reply

from memoryfield_readers import EntryKind, LimitExceeded, Limits, NotFound, SourceUnavailable
from memoryfield_readers.sources.github import GitHubFolder
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.sink import MemorySink

PAGES: dict[str, Content | None] = {f"p{n}.md": b"# %d\n" % n for n in range(10)}
ID = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("github") / "field.git"
    return make_repository(path, [Commit(PAGES)])


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_tokens(monkeypatch, tmp_path)


@pytest.fixture
def server(repository: Path) -> Iterator[GitHubServer]:
    with GitHubServer(repository) as made:
        yield made


def _folder(server: GitHubServer, ref: str | None = None, **settings: Any) -> GitHubFolder:
    location = place(ref=ref, **settings)
    return GitHubFolder(location, options_for(server, retries=0), Limits(entries=100))


def _read_all(server: GitHubServer) -> dict[str, bytes]:
    source = RemoteSource(_folder(server), location="x", name="x", limits=Limits())
    with closing(source):
        source.prepare(source.root())
        return {entry.path: source.read(entry, 99) for entry in source.root()}


def _says(server: GitHubServer, path: str, values: Any) -> None:
    body = values if isinstance(values, bytes) else json.dumps(values).encode()
    server.api.answers[f"/repos/owner/field/{path}"] = lambda request: Reply(200, {}, body)


@pytest.mark.parametrize(
    "values",
    [[], {}, None, "x", 5, {"sha": ID}, {"sha": 5, "commit": {"tree": {"sha": ID}}},
     {"sha": ID, "commit": {"tree": []}}, {"sha": ID, "commit": {"tree": {"sha": "../" + ID}}},
     {"sha": ID.upper(), "commit": {"tree": {"sha": ID}}}, b"", b"<html>log in</html>",
     b"[" * 100_000, b'{"sha": ' + b"9" * 10_000 + b"}", b"\xff\xfe{}"],
    ids=["list", "nothing", "null", "text", "number", "no-tree", "no-id", "odd-tree", "path-id",
         "upper", "empty", "html", "deep", "long-number", "utf-16"],
)  # fmt: skip
def test_what_is_no_commit_is_not_taken_for_one(values: Any, server: GitHubServer) -> None:
    """One error, that says so, whatever it is."""
    _says(server, "commits/main", values)
    with pytest.raises(SourceUnavailable, match="GitHub's answer is not usable") as caught:
        _folder(server, "main")
    assert type(caught.value) is SourceUnavailable


def test_a_login_page_is_no_answer(server: GitHubServer) -> None:
    """As an Enterprise server shows one to whom it does not know."""
    server.api.fail("*", faults.login_page)
    with pytest.raises(SourceUnavailable, match="it is no JSON"):
        _folder(server)


def test_another_commit_than_asked_for_is_refused(server: GitHubServer) -> None:
    """A pinned commit is that one or none."""
    _says(server, f"commits/{ID}", {"sha": "f" * 40, "commit": {"tree": {"sha": ID}}})
    with pytest.raises(SourceUnavailable, match="another commit"):
        _folder(server, ID)


@pytest.mark.parametrize(
    "values",
    [[], {}, {"tree": []}, {"tree": {}, "truncated": False}, {"tree": [5], "truncated": False},
     {"tree": [], "truncated": "no"},
     {"tree": [{"path": "a", "mode": "100644", "sha": ID}], "truncated": False},
     {"tree": [{"path": "a", "mode": "100644", "sha": ID, "size": -1}], "truncated": False},
     {"tree": [{"path": "a", "mode": "100644", "sha": ID, "size": True}], "truncated": False},
     {"tree": [{"path": "a", "mode": "0x1ff", "sha": ID, "size": 1}], "truncated": False},
     {"tree": [{"path": "a", "mode": "100644", "sha": "x", "size": 1}], "truncated": False},
     {"tree": [{"path": "\ud800", "mode": "100644", "sha": ID, "size": 1}], "truncated": False}],
    ids=["list", "nothing", "unsaid", "no-list", "number", "odd-truncated", "no-size", "negative",
         "bool", "mode", "id", "half-a-pair"],
)  # fmt: skip
def test_what_is_no_tree_is_not_taken_for_one(values: Any, server: GitHubServer) -> None:
    """A list of which it is not said that it is whole is none, too."""
    tree = git(server.repository, "rev-parse", "main^{tree}")
    _says(server, f"git/trees/{tree}", values)
    unusable = pytest.raises(SourceUnavailable, match="GitHub's answer is not usable")
    with closing(_folder(server)) as folder, unusable:
        folder.listing()


def _entry(path: str, mode: str = "100644", size: int = 1) -> dict[str, Any]:
    return {"path": path, "mode": mode, "sha": ID, "size": size}


def test_paths_that_lead_elsewhere_are_left_out(server: GitHubServer) -> None:
    """Said with a count and an example, and nothing of them is ever asked for."""
    bad = ["../a.md", "/a.md", "a/../b.md", "a\\b.md", "a\0.md", "", ".git/config", "x//y.md"]
    listed = [_entry(path) for path in [*bad, "good.md", "twice.md", "twice.md"]]
    tree = git(server.repository, "rev-parse", "main^{tree}")
    _says(server, f"git/trees/{tree}", {"tree": listed, "truncated": False})
    with closing(_folder(server)) as folder:
        assert [entry.path for entry in folder.listing()] == ["good.md"]
        assert folder.notes[-1] == (
            f"left out {len(bad) + 1} paths that are unsafe or ambiguous, such as `../a.md`"
        )


def test_a_list_without_end_is_not_read_to_it(server: GitHubServer) -> None:
    """It is taken for one that is cut off."""
    tree = git(server.repository, "rev-parse", "main^{tree}")
    _says(server, f"git/trees/{tree}", b"[" + b" " * 13 * 1024 * 1024)
    cut_off = pytest.raises(LimitExceeded, match="cuts the list of files off")
    with closing(_folder(server)) as folder, cut_off:
        folder.listing()


def test_branches_without_end_are_not_all_read(server: GitHubServer) -> None:
    """A page always names a next one."""
    reply = Reply(200, {"Link": '<http://127.0.0.1/>; rel="next"'}, b"[]")
    server.api.answers["*"] = lambda request: reply
    with pytest.raises(LimitExceeded, match="a list of more than 20 pages"):
        _folder(server, ref_and_path="main/docs")
    assert len(server.asked) == 20


def test_the_longest_of_several_branches_is_it(server: GitHubServer) -> None:
    """Git has no branch below another one, but an answer may."""
    names = ["main", "main/a/b", "main/a", "main/a/bc"]
    listed = [{"ref": f"refs/heads/{name}"} for name in names]
    _says(server, "git/matching-refs/heads/main", listed)
    with pytest.raises(NotFound):
        _folder(server, ref_and_path="main/a/b/c")
    assert server.asked[-1] == "commits/heads/main/a/b"


@pytest.mark.parametrize("values", [{}, [5, {"ref": 5}, {"ref": "refs/heads/"}]], ids=str)
def test_what_are_no_branches_are_none(values: Any, server: GitHubServer) -> None:
    """Nothing in them is taken for a name."""
    server.api.answers["*"] = lambda request: Reply(200, {}, json.dumps(values).encode())
    with pytest.raises(SourceUnavailable, match=r"no list|no branch or tag"):
        _folder(server, ref_and_path="main/docs")


@pytest.mark.parametrize("forged", [b"# x\n", b"", b"# 12\n", b"# 1"], ids=repr)
def test_a_forged_blob_is_found_out(forged: bytes, server: GitHubServer) -> None:
    """By the hash that the tree has of it; the entry is named."""
    blob = git(server.repository, "rev-parse", "main:p1.md")
    server.rules.forged[blob] = forged
    with closing(_folder(server)) as folder:
        entry = next(entry for entry in folder.listing() if entry.path == "p1.md")
        with pytest.raises(SourceUnavailable, match="not the bytes that the commit has") as caught:
            folder.save(entry, MemorySink(99))
        assert caught.value.entry == "p1.md"


def _tarball(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"owner-field/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


_GOOD = {name: data for name, data in PAGES.items() if isinstance(data, bytes)}


@pytest.mark.parametrize(
    ("tarball", "blobs"),
    [
        (_tarball({**_GOOD, "p1.md": b"# x\n", "p2.md": b"# longer\n"}), 2),
        (_tarball({"p1.md": b"# x\n", "../p1.md": b"# y\n", "p1.md/../p1.md": b"# z\n"}), 10),
        (_tarball({**_GOOD, "more.md": b"x" * 100_000}), 0),
        (_tarball({name: _GOOD[name] for name in list(_GOOD)[:4]}), 6),
        (_tarball(_GOOD)[:-8], 0),
        (gzip.compress(bytes(64 * 1024 * 1024), 9), 10),
        (b"<html>log in</html>", 10),
        (b"", 10),
    ],
    ids=["others", "only-others", "more", "fewer", "end-missing", "bomb", "html", "empty"],
)
def test_a_forged_archive_does_no_harm(tarball: bytes, blobs: int, server: GitHubServer) -> None:
    """What it has is proved file by file; what it lacks is asked for as a blob."""
    server.rules.tarball = tarball
    assert _read_all(server) == _GOOD
    assert sum(asked.startswith("git/blobs/") for asked in server.asked) == blobs


def test_an_archive_without_end_is_not_spooled_to_it(server: GitHubServer) -> None:
    """Nothing that is larger than the commit can be the archive of it."""
    server.rules.tarball = bytes(30 * 1024 * 1024)
    assert _read_all(server) == _GOOD
    assert server.codeload.asked()[0].sent < 20 * 1024 * 1024


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2011-04-14T16:00:49Z", 1_302_796_849_000_000_000),
        ("2011-04-14T18:00:49+02:00", 1_302_796_849_000_000_000),
        ("1969-12-31T23:59:59Z", -1_000_000_000),
        ("9999-12-31T23:59:59Z", 253_402_300_799_000_000_000),
        ("yesterday", None), ("", None), (5, None), ("2011-02-30T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", -62_135_647_200_000_000_000),
    ],
    ids=["utc", "offset", "before-1970", "last", "words", "empty", "number", "no-day", "first"],
)  # fmt: skip
def test_a_date_is_one_or_is_not_known(
    date: Any, expected: int | None, server: GitHubServer
) -> None:
    """Whoever makes a commit can date it as they like."""
    _says(server, "commits", [{"commit": {"committer": {"date": date}}}])
    with closing(_folder(server)) as folder:
        entry = folder.dated(folder.listing()[0])
        assert entry.modified_ns == expected
        assert entry.modified is None or entry.modified.year > 0


def test_what_is_not_in_the_listing_is_not_asked_for(server: GitHubServer) -> None:
    """An entry of another field, say."""
    with closing(_folder(server)) as folder:
        entry = folder.listing()[0]._replace(path="none.md")
        assert entry.kind is EntryKind.FILE
        with pytest.raises(NotFound):
            folder.save(entry, MemorySink(9))
    assert len(server.asked) == 2

"""Archives on GitHub: files of releases, read by range, and files of a commit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.readers.servers import faults
from tests.readers.servers.git_repository import Commit, Content, Link, git, make_repository
from tests.readers.servers.github_api import GitHubServer, forget_tokens, options_for, place

from memoryfield_readers import LimitExceeded, Limits, NotFound, SourceChanged, SourceUnavailable
from memoryfield_readers.sources.github import GitHubFolder, github_archive
from memoryfield_readers.transfer.ranged_file import RangedFile
from memoryfield_readers.transfer.sink import MemorySink

TOKEN = "ghp_the-one-token"
NAME = "x.memoryfield.zip"


def _archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(100):
            archive.writestr(f"p{number}.md", b"# %d\n" % number + bytes(5000))
    return file.getvalue()


ARCHIVE = _archive()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("github") / "field.git"
    files: dict[str, Content | None] = {f"dist/out/{NAME}": ARCHIVE, "y.zip": ARCHIVE[:-1]}
    files["link.zip"] = Link(b"y.zip")
    return make_repository(path, [Commit(files)])


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_tokens(monkeypatch, tmp_path)


@pytest.fixture
def server(repository: Path) -> Iterator[GitHubServer]:
    with GitHubServer(repository) as made:
        made.rules.token = TOKEN
        made.releases["v/1"] = {"a.txt": b"a", "b.txt": b"b", NAME: ARCHIVE}
        yield made


def _release_file(server: GitHubServer, name: str = NAME, tag: str = "v/1") -> RangedFile:
    location = place(name, release=tag, is_archive=True)
    return RangedFile(github_archive(location, options_for(server, retries=0)), Limits())


@pytest.mark.parametrize("page", [100, 2, 1])
def test_a_release_file_is_read_by_range(page: int, server: GitHubServer) -> None:
    """One request for the release, one for the asset; ranges come from where it led."""
    server.rules.page = page
    with closing(_release_file(server)) as file:
        assert file.size == len(ARCHIVE)
        assert file.read_at(100, 50) == ARCHIVE[100:150]
        assert file.read_at(200_000, 50) == ARCHIVE[200_000:200_050]
    if page == 100:
        assert server.asked == ["releases/tags/v/1", "releases/assets/2"]
    assert all("range" in request.headers for request in server.files.asked())
    assert sum(request.sent for request in server.files.asked()) < len(ARCHIVE) / 2


def test_what_a_person_should_know_of_it(server: GitHubServer) -> None:
    """Which asset it is: another file of the same name is another one."""
    location = place(NAME, release="v/1", is_archive=True)
    with closing(github_archive(location, options_for(server))) as archive:
        archive.tail(100, MemorySink(0))
        assert archive.notes[0] == "asset 2 of the release `v/1`"
        assert archive.resolved is None


def test_a_private_release_is_read_with_the_token(
    server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which goes to the API alone; the signed address is enough for the bytes."""
    server.rules.is_private = True
    with pytest.raises(NotFound) as caught:
        _release_file(server)
    assert "GITHUB_TOKEN" in str(caught.value.hint)
    monkeypatch.setenv("GITHUB_API_URL", server.api.base)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with closing(_release_file(server)) as file:
        assert file.read_at(0, 4) == b"PK\x03\x04"
    assert all("authorization" not in request.headers for request in server.files.asked())


def test_a_signed_address_that_expires_is_asked_for_anew(server: GitHubServer) -> None:
    """The API gives a fresh one."""
    with closing(_release_file(server)) as file:
        server.files.fail("*", faults.status(403))
        assert file.read_at(0, 4) == b"PK\x03\x04"
    assert server.asked.count("releases/assets/2") == 2


def test_a_release_file_that_is_replaced_is_noticed(server: GitHubServer) -> None:
    """Never bytes of two files."""
    with closing(_release_file(server)) as file:
        server.releases["v/1"][NAME] = ARCHIVE.replace(b"# 1\n", b"# 9\n")
        with pytest.raises(SourceChanged):
            file.read_at(0, 4)


@pytest.mark.parametrize(
    ("name", "tag", "message"),
    [
        (NAME, "v2", "not found, or private (404): the release `v2`"),
        ("z.zip", "v/1", "the release `v/1` has no file `z.zip`"),
    ],
    ids=["release", "file"],
)
def test_no_such_release_file(name: str, tag: str, message: str, server: GitHubServer) -> None:
    """The message says what is not there, and the hint what is."""
    with pytest.raises(NotFound) as caught:
        _release_file(server, name, tag)
    assert caught.value.message == message
    if tag == "v/1":
        assert caught.value.hint == f"it has `a.txt`, `b.txt`, `{NAME}`"


def test_a_used_up_limit_stops_reading_by_range_too(server: GitHubServer) -> None:
    """With the same words as anywhere."""
    server.rules.limit = 1
    with pytest.raises(SourceUnavailable, match="until 2030-01-01 00:00:00 UTC"):
        _release_file(server)


def test_an_archive_of_a_commit_comes_whole(server: GitHubServer) -> None:
    """One request for the commit, one for each folder on the way, one for the bytes."""
    path = f"dist/out/{NAME}"
    location = place(path, "main", is_archive=True)
    with closing(github_archive(location, options_for(server))) as archive:
        commit = git(server.repository, "rev-parse", "main")
        assert archive.resolved == f"github://owner/field/{path}@{commit}"
        assert archive.notes == (f"commit {commit}",)
        whole = MemorySink(len(ARCHIVE))
        assert archive.tail(100, whole) == (len(ARCHIVE), b"", True)
        assert whole.data == ARCHIVE
        assert len(server.asked) == 5
        part = MemorySink(50)
        archive.save(100, 150, part)
        assert part.data == ARCHIVE[100:150]


def test_no_path_is_cut_where_it_is_too_deep(tmp_path: Path) -> None:
    """What has the same name higher up is another file, and another folder."""
    files: dict[str, Content | None] = {
        "d/" * 64 + "x.zip": b"another", "d/" * 66 + "x.zip": b"wanted"
    }  # fmt: skip
    repository = make_repository(tmp_path / "r.git", [Commit(files)])
    too_deep = "more than 64 levels deep"
    with GitHubServer(repository) as server:
        with pytest.raises(LimitExceeded, match=too_deep):
            github_archive(place("d/" * 66 + "x.zip"), options_for(server))
        server.rules.most_entries = 10
        folder = GitHubFolder(place("d/" * 65 + "d"), options_for(server), Limits())
        with closing(folder), pytest.raises(LimitExceeded, match=too_deep):
            folder.listing()


def test_an_archive_of_the_browser(server: GitHubServer) -> None:
    """Whose ref is found by asking."""
    location = place(ref_and_path=f"main/dist/out/{NAME}", is_archive=True)
    with closing(RangedFile(github_archive(location, options_for(server)), Limits())) as file:
        assert file.is_whole
        assert file.read_at(0, file.size) == ARCHIVE


def test_an_archive_of_a_commit_is_proved(server: GitHubServer) -> None:
    """By the hash that the tree has of it."""
    blob = git(server.repository, "rev-parse", "main:y.zip")
    server.rules.forged[blob] = ARCHIVE
    others = pytest.raises(SourceUnavailable, match="not the bytes that the commit has")
    with closing(github_archive(place("y.zip"), options_for(server))) as archive, others:
        archive.tail(100, MemorySink(len(ARCHIVE)))


def test_an_archive_of_a_commit_is_no_larger_than_the_limit(server: GitHubServer) -> None:
    """It is not even fetched to its end."""
    too_large = pytest.raises(LimitExceeded)
    with closing(github_archive(place("y.zip"), options_for(server))) as archive, too_large:
        archive.tail(100, MemorySink(1000))


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("z.zip", "`z.zip` is not in the commit"),
        ("dist", "`dist` is there as a folder"),
        ("link.zip", "`link.zip` is there as a link"),
        ("y.zip/z.zip", "`y.zip/z.zip` is there as a file"),
        ("none/z.zip", "`none/z.zip` is not in the commit"),
    ],
    ids=["none", "folder", "link", "below-a-file", "no-folder"],
)
def test_what_is_no_archive_in_the_commit(path: str, problem: str, server: GitHubServer) -> None:
    """The message says what is there in its place."""
    with pytest.raises(NotFound) as caught:
        github_archive(place(path), options_for(server))
    assert caught.value.message == problem

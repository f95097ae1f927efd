"""A folder of a repository behind smart HTTP: fetched once, bounded, no credential told."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.readers.git_fields import PATIENT, commit_read, contents, git_folder, located
from tests.readers.servers.git_http import GitServer, git_server
from tests.readers.servers.git_repository import FIRST_SECOND, Commit, git, make_repository
from tests.readers.servers.tls import authority

from memoryfield_readers import LimitExceeded, Limits, NotFound, SourceUnavailable
from memoryfield_readers.errors import AccessDenied, MemoryfieldError
from memoryfield_readers.git.command import clean_environment
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitBlob, GitFolder
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

SECRET = "correct-horse"
PAGES = {"a.md": b"# A\n", "docs/b.md": b"# B\n"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the repository `r.git`, of three commits on `main`."""
    root = tmp_path_factory.mktemp("served")
    first = Commit({"a.md": b"old", "docs/b.md": b"# B\n", "gone.md": b"x" * 1000})
    commits = [first, Commit({"gone.md": None}), Commit({"a.md": b"# A\n"})]
    repository = make_repository(root / "r.git", commits)
    git(repository, "branch", "topic/one", "main~1")
    git(repository, "update-ref", "refs/heads/+plus", "main~1")
    git(repository, "tag", "-a", "-m", "x", "heavy", "main~1")
    git(repository, "tag", "a-tree", "main^{tree}")
    return root


@pytest.fixture
def server(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitServer]:
    """It serves that folder; the user has an empty home, and no proxy."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")  # dropped, as all variables for git are
    with git_server(root) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, server: GitServer) -> Path:
    """The user's home."""
    return tmp_path / "home"


def at(server: GitServer, ref: str = "", folder: str = "", name: str = "r.git") -> str:
    """The location of a folder of a repository that is served."""
    location = f"git+{server.url}/{name}" + (f"@{ref}" if ref else "")
    return location + (f"#{folder}" if folder else "")


def error_at(text: str, options: TransferOptions = PATIENT) -> MemoryfieldError:
    """What is raised where a location is opened."""
    with pytest.raises(MemoryfieldError) as caught:
        GitFolder(located(text), options, DEFAULT_LIMITS)
    assert caught.value.location == text
    assert caught.value.__cause__ is None
    return caught.value


def test_a_repository_elsewhere_is_fetched_once(server: GitServer, root: Path) -> None:
    """One commit, in three requests; listing and reading it takes no more, its dates two more."""
    with git_folder(at(server, "main")) as folder:
        entries = folder.listing()
        assert contents(folder, entries) == PAGES
        assert server.requests == [
            "GET /r.git/info/refs", "POST /r.git/git-upload-pack", "POST /r.git/git-upload-pack",
        ]  # fmt: skip
        assert folder.resolved == at(server, git(root / "r.git", "rev-parse", "main"))
        times = {entry.path: folder.dated(entry).modified_ns for entry in entries}
        assert times == {
            "a.md": (FIRST_SECOND + 120) * 10**9,
            "docs/b.md": FIRST_SECOND * 10**9,
        }
        assert len(server.requests) <= 6
    assert server.authorizations == []


def test_each_way_to_name_a_commit_leads_to_it(server: GitServer, root: Path) -> None:
    """Branches with slashes, tags of tags, whole ids, and the default branch."""
    newest, middle, _ = git(root / "r.git", "rev-list", "main").split()
    for ref in ("topic/one", "heavy", "+plus", middle):
        assert commit_read(at(server, ref)) == middle, ref
    assert commit_read(at(server)) == newest


def test_a_folder_and_an_archive_of_it(server: GitServer) -> None:
    """As of a repository on this machine."""
    with git_folder(at(server, "main", "docs")) as folder:
        assert contents(folder) == {"b.md": b"# B\n"}
    blob = GitBlob(located(at(server, "main", "docs/b.md")), PATIENT, DEFAULT_LIMITS)
    sink = MemorySink(100)
    assert blob.tail(10, sink).size == 4
    blob.close()
    assert sink.data == b"# B\n"


@pytest.mark.parametrize("whole_id", [True, False])
def test_the_newer_format_of_objects(server: GitServer, root: Path, whole_id: bool) -> None:
    """Names of 64 digits; the first fetch may have to find out."""
    repository = root / f"r256-{whole_id}.git"
    make_repository(repository, [Commit({"a.md": b"# A\n"})], algorithm="sha256")
    commit = git(repository, "rev-parse", "main")
    ref = commit if whole_id else "main"
    with git_folder(at(server, ref, name=repository.name)) as folder:
        entries = folder.listing()
        assert contents(folder, entries) == {"a.md": b"# A\n"}
        assert folder.dated(entries[0]).modified_ns == FIRST_SECOND * 10**9
        assert commit in (folder.resolved or "")


@pytest.mark.parametrize(
    ("ref", "kind", "message", "hint"),
    [
        ("missing", NotFound, "there is no branch or tag `missing`", "git ls-remote"),
        ("abc1234", NotFound, "there is no branch or tag `abc1234`", "by its whole id alone"),
        ("a-tree", NotFound, "there is no commit", "list what there is"),
        ("0" * 40, SourceUnavailable, "does not hand it out", "name the branch or tag"),
    ],
)
def test_a_commit_that_cannot_be_had(
    server: GitServer, ref: str, kind: type[MemoryfieldError], message: str, hint: str
) -> None:
    """Absent is told from not handed out, and each says what to do."""
    error = error_at(at(server, ref))
    assert type(error) is kind
    assert message in error.message
    assert hint in (error.hint or "")


def test_a_repository_that_is_not_there(server: GitServer) -> None:
    """Absent: the server says 404, or that it is gone."""
    error = error_at(at(server, "main", name="missing.git"))
    assert (type(error), error.message) == (NotFound, "there is no such repository")
    server.failures += [410]
    error = error_at(at(server, "main"))
    assert (type(error), error.message) == (NotFound, "there is no such repository")


def test_what_is_no_repository_is_not_absent(server: GitServer, root: Path) -> None:
    """An empty answer with 200 names no branch, nor does an empty repository."""
    make_repository(root / "empty.git", [])
    server.failures += [200] * 9
    for name in ("r.git", "empty.git"):
        error = error_at(at(server, "main", name=name))
        assert type(error) is SourceUnavailable
        assert error.message == "it is no git repository, or one without any branch"
        assert "git ls-remote" in (error.hint or "")
        server.failures.clear()


@pytest.mark.parametrize("status", [401, 403])
def test_a_repository_that_is_not_given_to_us(server: GitServer, status: int) -> None:
    """Forbidden is not absent, nobody is asked for a password, and nothing is tried again."""
    server.failures += [status] * 9
    error = error_at(at(server, "main"), TransferOptions(timeout=30, retries=4))
    assert type(error) is AccessDenied
    assert len(server.requests) == 1


def test_a_server_that_is_busy_is_asked_again(server: GitServer) -> None:
    """As often as is said, and then the error is one that may pass."""
    server.failures += [503, 502]
    assert len(commit_read(at(server), TransferOptions(timeout=30, retries=2))) == 40
    server.failures += [503]
    error = error_at(at(server), PATIENT)
    assert type(error) is SourceUnavailable
    assert "503" in error.message


def let_in(server: GitServer, home: Path) -> None:
    """Ask for a password, and give it to the user."""
    server.password = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    (home / ".netrc").write_text(f"machine 127.0.0.1 login ada password {SECRET}\n")
    (home / ".netrc").chmod(0o600)


def test_credentials_of_the_user_are_used_and_never_told(server: GitServer, home: Path) -> None:
    """From ~/.netrc, as git has it."""
    let_in(server, home)
    with git_folder(at(server, "main")) as folder:
        assert contents(folder) == PAGES
        assert SECRET not in f"{folder.resolved} {folder.notes}"
    assert server.authorizations
    server.failures += [403] * 2
    error = error_at(at(server, "main"))
    assert SECRET not in f"{error} {error.hint}"


def test_a_credential_helper_of_the_user_is_asked(server: GitServer, home: Path) -> None:
    """The user's own settings for the network count."""
    let_in(server, home)
    (home / ".netrc").unlink()
    helper = f"!f() {{ echo username=ada; echo password={SECRET}; }}; f"
    git(home, "config", "--file", ".gitconfig", "credential.helper", helper)
    assert len(commit_read(at(server))) == 40
    with pytest.raises(AccessDenied):
        commit_read(at(server), TransferOptions(timeout=30, anon=True))


def test_without_credentials_none_are_given(server: GitServer, home: Path) -> None:
    """`anon` means that neither files nor helpers are asked."""
    let_in(server, home)
    error = error_at(at(server, "main"), TransferOptions(timeout=30, retries=0, anon=True))
    assert type(error) is AccessDenied
    assert server.authorizations == []


def test_without_credentials_the_systems_settings_give_none_either(
    server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even those for this one server, which win over what is said of all."""
    settings = tmp_path / "gitconfig"
    header = f"Authorization: Basic {SECRET}"
    git(tmp_path, "config", "--file", str(settings), f"http.{server.url}/.extraHeader", header)

    def with_system(folder: Path) -> dict[str, str]:
        return clean_environment(folder) | {"GIT_CONFIG_SYSTEM": str(settings)}

    monkeypatch.setattr("memoryfield_readers.git.remote.clean_environment", with_system)
    commit_read(at(server, "main"))
    assert SECRET in server.authorizations[0]
    server.authorizations.clear()
    commit_read(at(server, "main"), TransferOptions(timeout=30, anon=True))
    assert server.authorizations == []


def test_settings_of_the_user_lead_to_no_other_transport(
    server: GitServer, home: Path, tmp_path: Path
) -> None:
    """What was typed is what is asked, and no hook is run."""
    witness = tmp_path / "witness"
    for name in ("reference-transaction", "post-checkout"):
        hook = home / name
        hook.write_text(f"#!/bin/sh\ntouch '{witness}'\n")
        hook.chmod(0o755)
    for name, value in (
        ("url.ssh://git@127.0.0.1:1/.insteadOf", f"{server.url}/"),
        ("core.sshCommand", f"touch '{witness}'"),
        ("core.hooksPath", str(home)),
        ("fetch.fsckObjects", "true"),
        ("remote.memoryfield.uploadpack", f"touch '{witness}'"),
    ):
        git(home, "config", "--file", ".gitconfig", name, value)
    with git_folder(at(server, "main")) as folder:
        assert contents(folder) == PAGES
    assert not witness.exists()


def test_a_redirect_to_another_transport_is_not_followed(server: GitServer, root: Path) -> None:
    """Only to where the web is."""
    server.redirect_to = f"file://{root}"
    error = error_at(at(server, "main"))
    assert type(error) is SourceUnavailable
    assert '"file"' in error.message


def test_credentials_do_not_follow_to_another_host(
    server: GitServer, home: Path, root: Path
) -> None:
    """The one that is led to is a stranger."""
    let_in(server, home)
    with git_server(root) as other:
        server.redirect_to = other.url.replace("127.0.0.1", "localhost")
        with git_folder(at(server, "main")) as folder:
            assert contents(folder) == PAGES
        assert server.authorizations
        assert other.requests
        assert other.authorizations == []


def test_settings_outside_of_the_home_count_too(
    server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """$XDG_CONFIG_HOME is where git looks for them, but not with `anon`."""
    server.password = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    (tmp_path / "xdg/git").mkdir(parents=True)
    header = f"Authorization: Basic {server.password}"
    git(tmp_path, "config", "--file", "xdg/git/config", "http.extraHeader", header)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert len(commit_read(at(server))) == 40
    with pytest.raises(AccessDenied):
        commit_read(at(server), TransferOptions(timeout=30, anon=True))


@pytest.mark.parametrize("filters", [True, False])
def test_dates_need_no_contents_of_old_files(
    server: GitServer, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: bool
) -> None:
    """Where the server can leave them out; where it cannot, they come, and the dates are right."""
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    git(root / "r.git", "config", "uploadpack.allowFilter", str(filters).lower())
    old = git(root / "r.git", "rev-parse", "main~2:gone.md")
    with git_folder(at(server, "main")) as folder:
        times = [folder.dated(entry).modified_ns for entry in folder.listing()]
        assert times == [(FIRST_SECOND + 120) * 10**9, FIRST_SECOND * 10**9]
        (fetched,) = room.iterdir()
        objects = git(fetched, "cat-file", "--batch-all-objects", "--batch-check", GIT_DIR=".")
        assert (old in objects) is not filters


def test_https_is_not_left_for_http(server: GitServer, home: Path, root: Path) -> None:
    """With certificates that the user trusts; a redirect to http:// is refused."""
    made = authority(home)
    with git_server(root, made.context) as safe:
        assert "certificate" in error_at(at(safe, "main")).message
        git(home, "config", "--file", ".gitconfig", "http.sslCAInfo", str(made.ca_file))
        with git_folder(at(safe, "main")) as folder:
            assert contents(folder) == PAGES
        safe.redirect_to = server.url
        error = error_at(at(safe, "main"))
        assert type(error) is SourceUnavailable
        assert '"http"' in error.message  # the protocol, not the URL
    assert server.requests == []


def test_a_server_that_stays_silent_is_not_waited_for(server: GitServer) -> None:
    """The whole transfer has a time, and what git started ends with it."""
    server.silent = True
    error = error_at(at(server), TransferOptions(timeout=0.5, retries=2))
    assert type(error) is SourceUnavailable
    assert error.message == "git was ended: it took more than 0.5 seconds"
    assert "--timeout" in (error.hint or "")
    assert len(server.requests) == 1  # that would take as long again, and as many times


def test_a_server_that_stops_in_the_middle_is_not_waited_for(
    server: GitServer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much it gave before, which allows a transfer that goes on more time."""
    large = make_repository(root / "random.git", [Commit({"x.bin": Random(1).randbytes(800_000)})])
    server.stalls = True
    monkeypatch.setattr("memoryfield_readers.git.remote.ceil", lambda timeout: int(timeout / 30))
    location = at(server, git(large, "rev-parse", "main"), name="random.git")
    error = error_at(location)
    assert type(error) is SourceUnavailable
    assert "too slow" in error.message
    assert "--timeout" in (error.hint or "")


def test_more_than_is_wanted_is_not_fetched(server: GitServer, root: Path) -> None:
    """Four times what all files of a field may have together."""
    data = b"".join(number.to_bytes(4, "big") * 3 for number in range(30_000))
    large = make_repository(root / "large.git", [Commit({"large.bin": data})])
    packed = sum(path.stat().st_size for path in large.glob("objects/*/*"))
    few = Limits(total_bytes=packed // 8)
    location = located(at(server, "main", name="large.git"))
    with pytest.raises(LimitExceeded, match=r"git fetched more than \d+ bytes") as caught:
        GitFolder(location, PATIENT, few)
    assert "--limit total-bytes=" in (caught.value.hint or "")
    GitFolder(location, PATIENT, Limits(total_bytes=packed)).close()


def test_nothing_temporary_is_left(
    server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither after reading, nor when it could not be fetched."""
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    with git_folder(at(server, "main")) as folder:
        folder.dated(folder.listing()[0])
        assert len(list(room.iterdir())) == 1
    error_at(at(server, "missing"))
    assert list(room.iterdir()) == []

"""What GitHub refuses, and why: limits, rights, and where the token goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.readers.servers import faults
from tests.readers.servers.git_repository import Commit, Content, git, make_repository
from tests.readers.servers.github_api import GitHubServer, forget_tokens, options_for, place
from tests.readers.servers.http_parts import Reply

from memoryfield_readers import (
    AccessDenied,
    Entry,
    LimitExceeded,
    Limits,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
)
from memoryfield_readers.sources.github import GitHubFolder, github_archive
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.sink import MemorySink

TOKEN = "ghp_the-one-token"
PAGES: dict[str, Content | None] = {f"p{n}.md": b"# %d\n" % n for n in range(10)}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("github") / "field.git"
    return make_repository(path, [Commit(PAGES), Commit({"few/a.md": b"# a\n", "few/b.md": b"#"})])


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_tokens(monkeypatch, tmp_path)


@pytest.fixture
def server(repository: Path) -> Iterator[GitHubServer]:
    with GitHubServer(repository) as made:
        made.rules.token = TOKEN
        made.releases["v1"] = {"x.zip": b"PK" * 500}
        yield made


@pytest.fixture
def with_token(server: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> GitHubServer:
    """The stand-in, with the token in the environment that belongs to it."""
    monkeypatch.setenv("GITHUB_API_URL", server.api.base)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    return server


def _opened(server: GitHubServer, path: str = "", **settings: object) -> RemoteSource:
    folder = GitHubFolder(place(path), options_for(server, **settings), Limits())
    return RemoteSource(folder, location=place(path).shown, name="field", limits=Limits())


def _read_all(server: GitHubServer, path: str = "", **settings: object) -> list[bytes]:
    with closing(_opened(server, path, **settings)) as source:
        source.prepare(source.root())
        return [source.read(entry, 99) for entry in source.root() if "." in entry.path]


def _caught(work: Callable[[], object]) -> MemoryfieldError:
    with pytest.raises(MemoryfieldError) as caught:
        work()
    error = caught.value
    told = f"{error}{error.hint}{error.__cause__}{error.__context__}"
    assert TOKEN not in told
    assert "SIGNED" not in told
    assert error.location == place(error.location.partition("field/")[2]).shown  # type: ignore[union-attr]
    return error


def test_a_used_up_limit_says_until_when(server: GitHubServer) -> None:
    """And what to do about it: without a token there are 60 requests an hour."""
    server.rules.limit = 0
    error = _caught(lambda: _opened(server))
    assert type(error) is SourceUnavailable
    assert error.message == (
        "GitHub takes no more requests without a token until 2030-01-01 00:00:00 UTC: "
        "its rate limit is used up (403)"
    )
    assert error.hint == "set GITHUB_TOKEN, which raises the limit, or wait until then"
    assert len(server.asked) == 1


def test_a_token_raises_the_limit(with_token: GitHubServer) -> None:
    """The one of the environment is sent for the API that the environment names."""
    with_token.rules.limit = 0
    assert len(_read_all(with_token)) == 10


def test_with_a_token_the_hint_is_to_wait(with_token: GitHubServer) -> None:
    """There is no other token that would help."""
    for status in (429, 403):
        with_token.api.fail("*", faults.status(status, X_RateLimit_Remaining="0"))
        error = _caught(lambda: _opened(with_token))
        assert type(error) is SourceUnavailable
        assert error.message.startswith("GitHub takes no more requests")
        assert "GITHUB_TOKEN" not in str(error.hint)


def test_a_field_is_never_read_in_part(server: GitHubServer) -> None:
    """What did not come is an error when it is read, however often; what came is there."""
    server.rules.limit = 3
    with closing(_opened(server, "few")) as source:
        source.prepare(source.root())
        known = {entry.path: source._failed.get(entry.path) for entry in source.root()}
        failed = [error for error in known.values() if error is not None]
        assert [type(error) for error in failed] == [SourceUnavailable]
        assert "until 2030-01-01" in failed[0].message
        for entry in source.root():
            if known[entry.path] is None:
                assert source.read(entry, 99)
                continue
            with pytest.raises(SourceUnavailable) as caught:
                source.read(entry, 99)
            assert caught.value.entry == entry.path


def test_the_last_requests_are_not_spent_on_single_files(
    server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there are fewer left than files are wanted, one archive brings them all."""
    monkeypatch.setattr("memoryfield_readers.github.together._SMALL_BYTES", 0)
    monkeypatch.setattr("memoryfield_readers.github.together._TIMES_WANTED", 0)
    server.rules.limit = 9
    assert len(_read_all(server)) == 10
    assert server.asked[-1].startswith("tarball/")


def test_a_short_wait_is_kept(server: GitHubServer) -> None:
    """Limits on requests at once say how long; then it goes on."""
    server.rules.waits = [0, 0]
    assert len(_read_all(server, retries=2)) == 10


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (429, {}, b""),
        (403, {"Retry-After": "3600"}, b""),
        (403, {"X-RateLimit-Remaining": "0"}, b""),
        (403, {}, b'{"message": "You have exceeded a secondary rate limit."}'),
        (403, {"Retry-After": "soon", "X-RateLimit-Reset": "9" * 11}, b"API Rate Limit exceeded"),
    ],
    ids=["status", "wait", "remaining", "words", "odd-numbers"],
)
def test_every_kind_of_limit_is_one(
    status: int, headers: dict[str, str], body: bytes, server: GitHubServer
) -> None:
    """However GitHub says it: that is no lack of rights, and no absence."""
    server.api.answers["*"] = lambda request: Reply(status, dict(headers), body)
    error = _caught(lambda: _opened(server))
    assert type(error) is SourceUnavailable
    assert error.message.endswith(f": its rate limit is used up ({status})")
    assert len(server.asked) == 1


@pytest.mark.parametrize("waits", [[3600], [0, 0]], ids=["long", "often"])
def test_a_wait_that_is_too_long_is_an_error(waits: list[int], server: GitHubServer) -> None:
    """Too long, or asked for too often; the message says until when."""
    server.rules.waits = waits
    error = _caught(lambda: _opened(server, retries=1))
    assert type(error) is SourceUnavailable
    assert " UTC: its rate limit is used up (403)" in error.message


def test_a_private_repository_may_need_a_token(server: GitHubServer) -> None:
    """GitHub says the same of it as of none at all."""
    server.rules.is_private = True
    error = _caught(lambda: _opened(server))
    assert type(error) is NotFound
    assert error.message == "not found, or private (404): `HEAD`"
    assert error.hint == "if it is private, set GITHUB_TOKEN to a token that may read it"


def test_a_private_repository_is_read_with_a_token(with_token: GitHubServer) -> None:
    """The archive's host gets a signed address, not the token."""
    with_token.rules.is_private = True
    assert len(_read_all(with_token)) == 10
    sent = [request.headers.get("authorization") for request in with_token.api.asked()]
    assert set(sent) == {f"Bearer {TOKEN}"}
    assert [r.headers.get("authorization") for r in with_token.codeload.asked()] == [None]
    assert [r.query for r in with_token.codeload.asked()] == ["token=SIGNED"]


def test_the_token_may_be_the_wrong_one(with_token: GitHubServer) -> None:
    """Then it is named, and said to be so."""
    with_token.rules.token = "another"
    error = _caught(lambda: _opened(with_token))
    assert type(error) is AccessDenied
    assert error.message == "GitHub does not accept the token (401)"
    assert error.hint == "renew the one from GITHUB_TOKEN, or read without one with --anon"


def test_the_token_may_lack_rights(with_token: GitHubServer) -> None:
    """To the repository, as for one that is not there; or by the rules of an organisation."""
    error = _caught(lambda: github_archive(
        place("x.zip", owner="someone"), options_for(with_token)
    ))  # fmt: skip
    assert type(error) is NotFound
    assert error.hint is not None
    assert error.hint.startswith("if it is private, the token from GITHUB_TOKEN")
    with_token.api.fail("*", faults.status(403, X_GitHub_SSO="required; url=https://x/SIGNED"))
    error = _caught(lambda: _opened(with_token))
    assert type(error) is AccessDenied
    assert "single sign-on" in str(error.hint)


def test_anonymous_means_without_the_token(with_token: GitHubServer) -> None:
    """Also where there is one."""
    assert len(_read_all(with_token, anon=True)) == 10
    assert all("authorization" not in request.headers for request in with_token.api.asked())
    with_token.rules.limit = 0
    error = _caught(lambda: _opened(with_token, anon=True))
    assert error.message.startswith("GitHub takes no more requests without a token until 2030")


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, AccessDenied, "GitHub refuses this (401)"),
        (403, AccessDenied, "GitHub refuses this (403)"),
        (404, NotFound, "not found, or private (404): `HEAD`"),
        (409, SourceUnavailable, "the repository is empty, or is just being made (409)"),
        (410, NotFound, "not found, or private (410): `HEAD`"),
        (422, SourceUnavailable, "GitHub cannot answer this now (422): `HEAD`"),
        (451, AccessDenied, "blocked for legal reasons (451)"),
    ],
)
def test_only_what_is_absent_is_not_found(
    status: int, kind: type[MemoryfieldError], said: str, server: GitHubServer
) -> None:
    """A refusal for another reason never reads like a field that is gone."""
    server.api.answers["*"] = lambda request: Reply(status, {}, b"{}")
    error = _caught(lambda: _opened(server))
    assert (type(error), error.message) == (kind, said)


@pytest.mark.parametrize("status", [500, 502, 418], ids=str)
def test_a_server_in_trouble_is_unavailable(status: int, server: GitHubServer) -> None:
    """Not absent, and nothing of the query or a header is told."""
    server.api.answers["*"] = lambda request: Reply(status, {}, b"{}")
    assert type(_caught(lambda: _opened(server, retries=0))) is SourceUnavailable


def test_the_archive_of_another_host_may_be_out_of_reach(server: GitHubServer) -> None:
    """What is forbidden there is asked for file by file."""
    server.codeload.fail("*", faults.status(403))
    assert len(_read_all(server)) == 10
    assert sum(asked.startswith("git/blobs/") for asked in server.asked) == 10


def test_an_archive_that_breaks_off_is_an_error(server: GitHubServer) -> None:
    """A host in trouble is not asked for every file one by one."""
    server.codeload.fail("*", faults.reset_after(100), times=None)
    error = _caught(lambda: _read_all(server, retries=0))
    assert type(error) is SourceUnavailable
    assert not any(asked.startswith("git/blobs/") for asked in server.asked)


def test_an_option_of_another_transport_is_refused(server: GitHubServer) -> None:
    """A misspelt option would else do nothing, silently."""
    with pytest.raises(LocationError, match="GitHub has no option 'api-url'"):
        GitHubFolder(place(), options_for(server, **{"api-url": "x"}), Limits())


def test_the_token_is_nowhere_but_in_the_header(with_token: GitHubServer) -> None:
    """Not in what a person is shown of a source, or a debugger of an object."""
    with closing(_opened(with_token)) as source:
        folder = source._store
        assert isinstance(folder, GitHubFolder)
        held = [vars(folder), vars(folder._api)]
        told = [source.resolved, *source.notes, repr(source), repr(folder), *held]
        assert TOKEN not in "".join(map(str, told))
        assert TOKEN not in "".join(request.path for request in with_token.api.asked())


def test_one_file_is_named_that_cannot_be_had(server: GitHubServer) -> None:
    """A blob that is gone is that entry's error."""
    with closing(GitHubFolder(place("few"), options_for(server), Limits())) as folder:
        entry = folder.listing()[0]
        blob = git(server.repository, "rev-parse", f"main:few/{entry.path}")
        server.api.fail(f"/repos/owner/field/git/blobs/{blob}", faults.status(404))
        with pytest.raises(NotFound) as caught:
            folder.save(Entry(*entry), MemorySink(99))
        assert caught.value.entry == entry.path


def test_a_refusal_that_is_longer_than_the_file_is_one(server: GitHubServer) -> None:
    """Its text is no content, however small the file is."""
    with closing(GitHubFolder(place("few"), options_for(server), Limits())) as folder:
        entry = folder.listing()[0]
        refused = Reply(429, {"X-RateLimit-Remaining": "0"}, b"x" * 10_000)
        server.api.answers["*"] = lambda request: refused
        with pytest.raises(SourceUnavailable, match="rate limit is used up"):
            folder.save(entry, MemorySink(2))
        server.api.answers["*"] = lambda request: Reply(200, {}, b"x" * 10_000)
        with pytest.raises(LimitExceeded):
            folder.save(entry, MemorySink(2))
        server.api.answers["*"] = lambda request: Reply(200, {}, b"x" * 100_000_000)
        with pytest.raises(LimitExceeded):
            folder.save(entry, MemorySink(2))
        assert server.api.asked()[-1].sent < 50_000_000

"""Refs of a repository on GitHub: which commit they mean, and how they are told from paths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.readers.servers.git_repository import Commit, git, make_repository
from tests.readers.servers.github_api import GitHubServer, forget_tokens, options_for, place

from memoryfield_readers import Limits, LocationError, NotFound, unwatched
from memoryfield_readers.elsewhere import remote_source
from memoryfield_readers.locations.github_urls import parse_github
from memoryfield_readers.sources.github import GitHubFolder, github_archive


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Branches and tags with slashes, odd characters, and one name for two of them."""
    path = tmp_path_factory.mktemp("github") / "field.git"
    branches = ["main", "feature/x", "feature-y", "v1", "odd#%25/\u00e9"]
    commits = [
        Commit({"a.md": b"# %d\n" % number}, parents=(number - 1,) if number else (), branch=name)
        for number, name in enumerate(branches)
    ]
    make_repository(path, commits)
    git(path, "tag", "v1", "feature-y")
    git(path, "tag", "-a", "-m", "two", "rel/2.0", "main")
    git(path, "tag", "rel-2", "main")
    return path


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forget_tokens(monkeypatch, tmp_path)


@pytest.fixture
def server(repository: Path) -> Iterator[GitHubServer]:
    with GitHubServer(repository) as made:
        yield made


def _folder_at(
    server: GitHubServer, path: str = "", ref: str | None = None, **settings: Any
) -> GitHubFolder:
    return GitHubFolder(place(path, ref, **settings), options_for(server), Limits())


@pytest.mark.parametrize(
    ("ref", "meant", "asked"),
    [
        (None, "main", "HEAD"),
        ("main", "main", "main"),
        ("feature/x", "feature/x", "feature/x"),
        ("odd#%25/\u00e9", "odd#%25/\u00e9", "odd%23%2525/%C3%A9"),
        ("rel/2.0", "main", "rel/2.0"),
        ("heads/v1", "refs/heads/v1", "heads/v1"),
        ("tags/v1", "refs/tags/v1", "tags/v1"),
    ],
    ids=["default", "branch", "slash", "odd", "annotated-tag", "branch-of-two", "tag-of-two"],
)
def test_any_ref_means_its_commit(
    ref: str | None, meant: str, asked: str, server: GitHubServer
) -> None:
    """Branches with slashes and odd characters, tags of both kinds, and the one of both names."""
    commit = git(server.repository, "rev-parse", f"{meant}^{{commit}}")
    with closing(_folder_at(server, "docs/field", ref)) as folder:
        assert folder.resolved == f"github://owner/field/docs/field@{commit}"
        assert server.asked[0] == f"commits/{asked}"


@pytest.mark.parametrize(
    ("host", "path", "said"),
    [
        ("", "", "github://owner/field"),
        ("", "sp ace/#%@/\u00e9", "github://owner/field/sp%20ace/%23%25%40/%C3%A9"),
        ("ghe.example:8443", "docs", "github://ghe.example:8443/owner/field/docs"),
    ],
    ids=["root", "odd", "enterprise"],
)
def test_the_commit_is_a_location_too(
    host: str, path: str, said: str, server: GitHubServer
) -> None:
    """It leads to the same folder of the same commit, whatever becomes of the branch."""
    commit = git(server.repository, "rev-parse", "main")
    with closing(_folder_at(server, path, "main", host=host)) as folder:
        assert folder.resolved == f"{said}@{commit}"
        again = parse_github(folder.resolved)
        assert (again.host, again.path, again.ref) == (host, path, commit)


@pytest.mark.parametrize("digits", [40, 9])
def test_a_commit_is_a_ref(digits: int, server: GitHubServer) -> None:
    """Whole or shortened."""
    commit = git(server.repository, "rev-parse", "feature-y")
    with closing(_folder_at(server, ref=commit[:digits])) as folder:
        assert folder.resolved == f"github://owner/field@{commit}"


def test_no_such_ref(server: GitHubServer) -> None:
    """It is absent, and the message names it."""
    with pytest.raises(NotFound, match=r"no branch, tag or commit \(422\): `nowhere`"):
        _folder_at(server, ref="nowhere")


@pytest.mark.parametrize(
    "ref",
    ["..", "../../../user", "a/../../../x", "./a", "/user", "a//b", "main~1", "a b", "-a", "a\n"],
    ids=ascii,
)
def test_what_is_no_ref_is_never_asked_for(ref: str, server: GitHubServer) -> None:
    """With the token, another part of the API would answer."""
    with pytest.raises(LocationError, match="is no branch, tag or commit id"):
        _folder_at(server, ref=ref)
    with pytest.raises(LocationError, match="is no branch, tag or commit id"):
        github_archive(place("x.zip", release=ref, is_archive=True), options_for(server))
    assert server.asked == []


@pytest.mark.parametrize(
    ("text", "ref", "path", "requests"),
    [
        ("main", "refs/heads/main", "", 1),
        ("main/docs/field", "refs/heads/main", "docs/field", 1),
        ("feature/x/docs/field", "refs/heads/feature/x", "docs/field", 1),
        ("feature-y/docs", "refs/heads/feature-y", "docs", 1),
        ("v1/docs", "refs/heads/v1", "docs", 1),
        ("refs/tags/v1/docs", "refs/tags/v1", "docs", 1),
        ("refs/heads/v1/docs", "refs/heads/v1", "docs", 1),
        ("rel/2.0/docs/field", "refs/tags/rel/2.0", "docs/field", 2),
        ("HEAD/docs", "HEAD", "docs", 0),
        ("odd#%25/\u00e9/docs", "refs/heads/odd#%25/\u00e9", "docs", 1),
    ],
    ids=["branch", "path", "slash", "same-beginning", "both", "said-tag", "said-branch", "tag",
         "head", "odd"],
)  # fmt: skip
@pytest.mark.parametrize("page", [100, 1], ids=["one-page", "pages"])
def test_ref_and_path_of_the_browser_are_told_apart(
    text: str, ref: str, path: str, requests: int, page: int, server: GitHubServer
) -> None:
    """By asking: the longest branch that ends at a slash, then the longest such tag."""
    server.rules.page = page
    commit = git(server.repository, "rev-parse", f"{ref}^{{commit}}")
    with closing(_folder_at(server, ref_and_path=text)) as folder:
        assert folder.resolved == f"github://owner/field{'/' if path else ''}{path}@{commit}"
        if page == 100:
            assert len(server.asked) == requests + 1


@pytest.mark.parametrize("text", ["feature/x", "main"])
def test_a_field_is_never_called_by_its_ref(text: str, server: GitHubServer) -> None:
    """At the root its name is that of the repository, also by the address of a browser."""
    location = place(ref_and_path=text)
    with closing(
        remote_source(location, options_for(server), Limits(), unwatched, whole=False)
    ) as source:
        assert source.name == "field"


@pytest.mark.parametrize("digits", [40, 9])
def test_a_commit_of_the_browser_is_known(digits: int, server: GitHubServer) -> None:
    """A whole id takes no request to be told from the path."""
    commit = git(server.repository, "rev-parse", "main")
    with closing(_folder_at(server, ref_and_path=f"{commit[:digits]}/docs/field")) as folder:
        assert folder.resolved == f"github://owner/field/docs/field@{commit}"
        assert len(server.asked) == (1 if digits == 40 else 3)


@pytest.mark.parametrize("text", ["feature/z", "feature/xy", "feature", "mai", "refs/tags/main"])
def test_no_ref_at_the_beginning(text: str, server: GitHubServer) -> None:
    """Nothing is guessed: a name that begins alike is another one."""
    with pytest.raises(NotFound, match=r"no branch or tag is at the beginning of `"):
        _folder_at(server, ref_and_path=text)

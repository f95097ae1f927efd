"""Which commit a ref leads to: every way to name one, and none to say anything else to git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.readers.git_fields import PATIENT, commit_read, contents, git_folder, here, located
from tests.readers.servers.git_repository import Commit, git, make_repository

from memoryfield_readers import LocationError, NotFound, SourceUnavailable
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitFolder


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


def test_each_way_to_name_a_commit_leads_to_it(small: Path) -> None:
    """Branches with slashes, both kinds of tags, whole and short ids, and none at all."""
    newest, oldest = git(small, "rev-list", "main").split()
    git(small, "branch", "topic/with/slashes", oldest)
    git(small, "tag", "light", oldest)
    git(small, "tag", "-a", "-m", "x", "heavy", oldest)
    git(small, "tag", "-a", "-m", "x", "of-a-tag", "heavy")
    git(small, "update-ref", "refs/heads/+plus", oldest)
    git(small, "pack-refs", "--all")
    git(small, "branch", "loose", oldest)
    for ref in ("topic/with/slashes", "light", "heavy", "of-a-tag", "+plus", "loose", oldest):
        assert commit_read(here(small, ref)) == oldest, ref
    for ref in ("", "HEAD", "main", "heads/main", "refs/heads/main", newest, newest[:9]):
        assert commit_read(here(small, ref)) == newest, ref


def test_the_resolved_location_reads_the_same(small: Path) -> None:
    """What a lock file keeps: the commit in place of the ref, and the folder as it was."""
    with git_folder(here(small, "main", "docs")) as folder:
        found = contents(folder)
        resolved = folder.resolved
    assert resolved == here(small, git(small, "rev-parse", "main"), "docs")
    git(small, "update-ref", "refs/heads/main", "main~1")
    with git_folder(resolved) as folder:
        assert contents(folder) == found == {"b.md": b"b\n"}


@pytest.mark.parametrize(
    "ref",
    [
        "--output=x", "-x", "main..main", "main~1", "main^", "main^{tree}", ":/commit", "main:a.md",
        "@{-1}", "main@{1}", "@", "a b", "a\nb", "a*", "a?", "a[b", "a\\b", ".", "a/.b", "a//b",
        "/a", "a/", "a.", "\udcff", "a" * 1001,
    ],
    ids=lambda ref: ascii(ref[:12]),
)  # fmt: skip
def test_what_is_no_ref_never_reaches_git(small: Path, ref: str) -> None:
    """Options, ranges, searches and paths are refused before git is run."""
    location = located(here(small))
    odd = type(location)("shown", location.repository, True, ref)
    with pytest.raises(LocationError) as caught:
        GitFolder(odd, PATIENT, DEFAULT_LIMITS)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("ref", ["missing", "0" * 40, "abcdef", "a-tree", "a-blob", "FETCH_HEAD"])
def test_a_ref_that_leads_to_no_commit_is_not_found(small: Path, ref: str) -> None:
    """Also a tag of something else than a commit."""
    git(small, "tag", "a-tree", "main^{tree}")
    git(small, "tag", "a-blob", "main:a.md")
    with pytest.raises(NotFound, match="there is no commit"):
        commit_read(here(small, ref))


def test_an_id_that_is_cut_too_short_is_ambiguous(tmp_path: Path) -> None:
    """These two commits have the same first eight digits: neither is chosen."""
    commits = [
        Commit({"a.md": b"1"}, (), 41_326, "one"),
        Commit({"a.md": b"1"}, (), 30_113, "two"),
    ]
    repository = make_repository(tmp_path / "r", commits)
    one, two = git(repository, "rev-parse", "one", "two").split()
    assert (one[:8], two[:8]) == ("f08d20ce", "f08d20ce")
    with pytest.raises(SourceUnavailable, match="more than one object begins with") as caught:
        commit_read(here(repository, "f08d20ce"))
    assert type(caught.value) is SourceUnavailable
    assert commit_read(here(repository, one[:12])) == one


def test_a_repository_without_commits_has_no_head(tmp_path: Path) -> None:
    """A repository that was only begun."""
    repository = make_repository(tmp_path / "r", [])
    with pytest.raises(NotFound, match="there is no commit `HEAD`"):
        commit_read(here(repository))

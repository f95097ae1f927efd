"""The time of a page: that of the last commit that touched it, as `git log` tells it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.readers.git_fields import git_folder, here
from tests.readers.servers.git_repository import (
    FIRST_SECOND,
    Commit,
    Content,
    Link,
    Submodule,
    git,
    make_repository,
)

from memoryfield_readers.git import dates
from memoryfield_readers.git.dates import LastChanges


def told(text: str) -> dict[str, int | None]:
    """Seconds since 1970 of each file, by its path."""
    found = {}
    with git_folder(text) as folder:
        for entry in folder.listing():
            dated = folder.dated(entry)
            assert dated._replace(modified_ns=None) == entry
            assert dated.modified is None or dated.modified.microsecond == 0
            modified = dated.modified_ns
            found[entry.path] = modified if modified is None else modified // 1_000_000_000
    return found


def as_git_log_tells(repository: Path, folder: str = "") -> dict[str, int | None]:
    """The same by one `git log -1` for each file."""
    tree = f"main:{folder}" if folder else "main"
    names = git(repository, "ls-tree", "-r", "--name-only", tree).splitlines()
    prefix = f"{folder}/" if folder else ""
    return {
        name: int(git(repository, "log", "-1", "--format=%ct", "main", "--", prefix + name))
        for name in names
    }


def tangled(seed: int) -> list[Commit]:
    """A history with branches and merges that take one side, the other, both, or neither."""
    choose = random.Random(seed)
    names = [f"docs/{letter}.md" for letter in "abcd"] + ["other.md"]
    trees: list[dict[str, bytes]] = []
    commits: list[Commit] = []
    for number in range(24):
        recent = list(range(max(0, number - 5), number))
        count = min(len(recent), choose.choice([1, 1, 2, 2, 3]))
        parents = tuple(sorted(choose.sample(recent, count), reverse=True))
        tree = dict(trees[parents[0]]) if parents else dict.fromkeys(names, b"0")
        for name in choose.sample(names, choose.choice([0, 1, 2])):
            tree[name] = choose.choice([b"0", b"1", b"2"])
        for name in names:
            if len(parents) > 1 and choose.random() < 0.5:
                tree[name] = trees[choose.choice(parents)][name]
        before = trees[parents[0]] if parents else {}
        files: dict[str, Content | None] = {
            name: data for name, data in tree.items() if before.get(name) != data
        }
        # Clocks go wrong: a commit may be older than what it grew out of.
        seconds = FIRST_SECOND + 60 * number - choose.choice([0, 0, 0, 500])
        commits.append(Commit(files, parents, seconds))
        trees.append(tree)
    return commits


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_dates_are_those_of_git_log(tmp_path: Path, seed: int) -> None:
    """Through every merge, whichever side it took."""
    repository = make_repository(tmp_path / "r.git", tangled(seed))
    expected = as_git_log_tells(repository)
    assert len(set(expected.values())) >= 2
    assert told(here(repository)) == expected
    below = told(here(repository, "main", "docs"))
    assert below == {name: expected[f"docs/{name}"] for name in ("a.md", "b.md", "c.md", "d.md")}


def test_what_did_not_change_a_file_does_not_date_it(tmp_path: Path) -> None:
    """A file that came again, changed its mode alone, moved, or is a link; and none of a folder."""
    commits = [
        Commit({"again.md": b"1", "moved.md": b"2", "to.md": Link(b"d/x.md"), "d/x.md": b"3"}),
        Commit({"again.md": None, "moved.md": None, "now.md": b"2", "sub": Submodule()}),
        Commit({"again.md": b"1", "quote\"\n\udcff.md": b"4"}),
        Commit({"d/x.md": b"5"}),
        Commit({}),
    ]  # fmt: skip
    repository = make_repository(tmp_path / "r.git", commits)
    minutes = {
        path: None if seconds is None else (seconds - FIRST_SECOND) // 60
        for path, seconds in told(here(repository)).items()
    }
    assert minutes == {
        "again.md": 2,
        "now.md": 1,
        "to.md": 3,  # as on disk, the time is that of the file it leads to
        "d/x.md": 3,
        "sub": None,
        "quote\"\n\udcff.md": 2,
    }  # fmt: skip


def test_history_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files are dated, and none unless one is asked for."""
    walks: list[str] = []
    walk = dates.last_changes

    def counted(*given: Any) -> LastChanges:
        walks.append("once")
        return walk(*given)

    monkeypatch.setattr("memoryfield_readers.sources.git.last_changes", counted)
    repository = make_repository(tmp_path / "r.git", tangled(5))
    with git_folder(here(repository)) as folder:
        entries = folder.listing()
        assert walks == []
        assert all(folder.dated(entry).modified for entry in entries)
        assert walks == ["once"]
        assert folder.notes == ()  # all is known


def test_what_a_shallow_clone_does_not_know_has_no_date(tmp_path: Path) -> None:
    """At the commit where it begins every file would seem new."""
    commits = [Commit({"old.md": b"1", "new.md": b"1"}), Commit({}), Commit({"new.md": b"2"})]
    whole = make_repository(tmp_path / "r.git", commits)
    clone = tmp_path / "clone.git"
    git(tmp_path, "clone", "-q", "--bare", "--depth=2", f"file://{whole}", str(clone))
    assert told(here(clone)) == {"old.md": None, "new.md": FIRST_SECOND + 120}
    with git_folder(here(clone)) as folder:
        entries = folder.listing()
        before = folder.notes
        for entry in entries:
            folder.dated(entry)
        (note,) = folder.notes
    assert before == ()
    assert f"is cut off at commit {git(clone, 'rev-parse', 'main~1')}: dates before" in note


def test_a_shallow_clone_that_knows_all_dates_has_no_note(tmp_path: Path) -> None:
    """What is cut off concerns nobody."""
    commits = [Commit({"a.md": b"1"}), Commit({"a.md": b"2"})]
    whole = make_repository(tmp_path / "r.git", [Commit({}), *commits])
    clone = tmp_path / "clone.git"
    git(tmp_path, "clone", "-q", "--bare", "--depth=2", f"file://{whole}", str(clone))
    with git_folder(here(clone)) as folder:
        assert folder.dated(folder.listing()[0]).modified_ns == (FIRST_SECOND + 120) * 10**9
        assert folder.notes == ()


def test_a_history_that_is_cut_off_at_several_commits_names_one(tmp_path: Path) -> None:
    """They may be as many as there are commits."""
    forks = [Commit({"a.md": b"1"}, ()), Commit({"b.md": b"1"}, ())]
    merge = Commit({"a.md": b"1", "b.md": b"1"}, (0, 1))
    repository = make_repository(tmp_path / "r.git", [*forks, merge])
    beginnings = git(repository, "rev-parse", "main^1", "main^2").split()
    (repository / "shallow").write_text("".join(f"{commit}\n" for commit in beginnings))
    with git_folder(here(repository)) as folder:
        assert [folder.dated(entry).modified for entry in folder.listing()] == [None, None]
        (note,) = folder.notes
    assert any(f"commit {commit} and 1 more: dates" in note for commit in beginnings)


def test_a_history_that_is_too_long_leaves_old_files_undated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rather than none at all."""
    monkeypatch.setattr(dates, "MOST_COMMITS", 2)
    commits = [Commit({"old.md": b"1"}), Commit({"new.md": b"1"}), Commit({"x.md": b"2"})]
    repository = make_repository(tmp_path / "r.git", commits)
    with git_folder(here(repository)) as folder:
        folder.dated(folder.listing()[0])
        assert folder.notes == ("dates of what changed more than 2 commits ago are not known",)
    found = told(here(repository))
    assert found == {"old.md": None, "new.md": FIRST_SECOND + 60, "x.md": FIRST_SECOND + 120}


@pytest.mark.parametrize("seconds", [0, 1, 9_999_999_999_999, 18_446_744_073_709_551_615])
def test_no_date_of_a_commit_is_too_odd(tmp_path: Path, seconds: int) -> None:
    """What no calendar holds is clamped when it is shown."""
    repository = make_repository(tmp_path / "r.git", [Commit({"a.md": b"1"}, seconds=1)])
    text = git(repository, "cat-file", "commit", "main")
    forged = text.replace("> 1 +0000", f"> {seconds} +0000") + "\n"
    commit = git(
        repository, "hash-object", "-t", "commit", "-w", "--literally", "--stdin",
        stdin=forged.encode(),
    )  # fmt: skip
    with git_folder(here(repository, commit)) as folder:
        modified = folder.dated(folder.listing()[0]).modified
    assert modified is not None
    assert modified.year in (1970, 9999)

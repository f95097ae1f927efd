"""A hostile repository: nothing it names is run, nothing outside of it is read, nothing hangs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
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
from tests.readers.kernel_watch import kernel_watch
from tests.readers.servers.git_repository import (
    Commit,
    Link,
    git,
    make_repository,
    surroundings,
)

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.git import dates, running
from memoryfield_readers.git.command import words_of
from memoryfield_readers.git.tree import TreeEntry, tree_of
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitFolder
from memoryfield_readers.transfer.options import TransferOptions

MIB = 1024 * 1024
HASTY = TransferOptions(timeout=0.3, retries=0)
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


def test_nothing_that_its_settings_name_is_run(repository: Path, tmp_path: Path) -> None:
    """Programs, hooks, filters and helpers; plain git does run one of them."""
    witness = tmp_path / "witness"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho run >> '{witness}'\nexit 1\n")
    trap.chmod(0o755)
    signed = git(repository, "cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n"
    )
    commit = git(
        repository, "hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{signed}\n".encode()
    )
    git(repository, "update-ref", "HEAD", commit)
    settings = repository / ".git/config"
    names = (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.editor",
        "core.gitProxy", "core.alternateRefsCommand", "gpg.program", "diff.external",
        "diff.trap.command", "diff.trap.textconv", "filter.trap.smudge", "filter.trap.process",
        "credential.helper", "uploadpack.packObjectsHook", "pager.log", "pager.cat-file",
    )  # fmt: skip
    for name in names:
        git(repository, "config", name, str(trap))
    for name, value in (
        ("log.showSignature", "true"), ("core.hooksPath", str(tmp_path)),
        ("extensions.partialClone", "origin"), ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{trap}"), ("protocol.ext.allow", "always"),
        ("core.attributesFile", "attributes"), ("alias.cat-file", f"!{trap}"),
    ):  # fmt: skip
        git(repository, "config", "--add", name, value)
    hooks = repository / ".git/hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        shutil.copy(trap, hooks / name)
    info = repository / ".git/info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("* diff=trap filter=trap\n")
    before = settings.read_bytes()

    assert all_of(repository) == PAGES
    with git_folder(here(repository)) as folder, pytest.raises(SourceUnavailable):
        loosen_one_away(repository, folder.listing)
    assert not witness.exists()
    assert settings.read_bytes() == before
    subprocess.run(
        ["git", "log", "-1"],
        cwd=repository,
        env=surroundings(tmp_path),
        capture_output=True,
        check=False,
    )
    assert witness.exists()


def loosen_one_away(repository: Path, work: Callable[[], object]) -> None:
    """Do a work while an object is missing that a promisor could be asked for."""
    loosen(repository)
    object_file(repository, git(repository, "rev-parse", "HEAD^{tree}")).unlink()
    work()


@pytest.mark.parametrize("target", ["/etc/passwd", "../../secret", "/dev/zero"])
def test_what_its_settings_include_is_not_read(
    repository: Path, tmp_path: Path, target: str
) -> None:
    """Neither included nor shown in a message."""
    (tmp_path / "secret").write_text("[password] = hunter2\n")
    with open(repository / ".git/config", "a") as settings:
        settings.write(f"[include]\n\tpath = {target}\n[extensions]\n\tnoop = true\n")
    with kernel_watch(tmp_path / "secret") as watch:
        assert all_of(repository) == PAGES
        assert not watch.was_touched()


def test_objects_of_another_repository_are_not_borrowed(tmp_path: Path) -> None:
    """An alternate leads out of the repository, so that what it has is missing."""
    secret = make_repository(tmp_path / "secret", [Commit({"secret.md": b"secret"})])
    commit = git(secret, "rev-parse", "HEAD")
    hostile = make_repository(tmp_path / "hostile", [Commit(PAGES)])
    (hostile / "objects/info").mkdir(exist_ok=True)
    (hostile / "objects/info/alternates").write_text(f"{secret}/objects\n")
    assert git(hostile, "show", f"{commit}:secret.md") == "secret"
    with kernel_watch(secret / "objects") as watch:
        with pytest.raises(SourceUnavailable):
            GitFolder(located(here(hostile, commit)), PATIENT, DEFAULT_LIMITS)
        assert not watch.was_touched()


def test_replacements_and_grafts_change_nothing(repository: Path) -> None:
    """The commit that is named is the one that is read, with the history it was made with."""
    newest, oldest = git(repository, "rev-list", "HEAD").split()
    git(repository, "replace", "HEAD:a.md", "HEAD~1:a.md")
    git(repository, "replace", newest, oldest)
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/grafts").write_text(f"{newest}\n")
    with git_folder(here(repository, newest)) as folder:
        entries = folder.listing()
        assert contents(folder, entries) == PAGES
        times = [folder.dated(entry).modified_ns or 0 for entry in entries]
        assert times[0] - times[1] == 60_000_000_000


def link_away(path: Path) -> None:
    """Put a link in place of something, to the same thing elsewhere."""
    elsewhere = path.parents[2] / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def pipe(path: Path) -> None:
    """Put a FIFO in place of something."""
    if path.exists():
        path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("HEAD", link_away), ("config", link_away), ("refs", link_away), ("objects", link_away),
        ("HEAD", pipe), ("config", pipe), ("packed-refs", pipe), ("shallow", pipe),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)  # fmt: skip
def test_a_repository_that_leads_out_is_refused(
    repository: Path, name: str, change: Callable[[Path], None]
) -> None:
    """A link in it could lead to another one's objects, and a FIFO would be waited for."""
    change(repository / ".git" / name)
    with pytest.raises(SourceUnavailable, match=f"`{name}` of the repository is not what git"):
        all_of(repository)


@pytest.mark.parametrize("name", ["pack", "pack/pack-x.pack", "00", "ab/x"])
def test_objects_that_lead_out_are_not_read(repository: Path, name: str) -> None:
    """Whole folders of objects, or single ones."""
    path = repository / ".git/objects" / name
    path.parent.mkdir(exist_ok=True)
    if name == "pack":
        path.rename(repository / "pack")
        path.symlink_to(repository / "pack")
    else:
        path.symlink_to("/etc")
    if name == "00":  # no folder of objects, but none that was needed
        assert all_of(repository) == PAGES
    else:
        with pytest.raises(SourceUnavailable, match="may lead elsewhere"):
            all_of(repository)


def gitfile(path: Path, target: Path) -> None:
    path.write_text(f"gitdir: {target}\n")


def symlink(path: Path, target: Path) -> None:
    path.symlink_to(target)


@pytest.mark.parametrize("make", [gitfile, symlink])
def test_a_git_directory_elsewhere_is_not_entered(
    repository: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    """A work tree's `.git` may name any repository of this machine."""
    tree = tmp_path / "tree"
    tree.mkdir()
    make(tree / ".git", repository / ".git")
    with pytest.raises(SourceUnavailable, match="leads to a repository elsewhere") as caught:
        all_of(tree)
    assert "name that repository itself" in (caught.value.hint or "")


def test_a_common_directory_elsewhere_is_not_used(repository: Path, tmp_path: Path) -> None:
    """Only what stands in the repository's own folder counts."""
    secret = make_repository(tmp_path / "secret", [Commit({"secret.md": b"secret"})])
    (repository / ".git/commondir").write_text(f"{secret}\n")
    assert all_of(repository) == PAGES


def test_a_branch_that_is_a_fifo_is_not_waited_for(repository: Path) -> None:
    """Git would open it; it is ended when its time is over."""
    os.mkfifo(repository / ".git/refs/heads/pipe")
    with pytest.raises(SourceUnavailable, match=r"git was ended: it took more than 0\.3 seconds"):
        GitFolder(located(here(repository, "pipe")), HASTY, DEFAULT_LIMITS)


@pytest.mark.skipif(sys.platform != "linux", reason="no other system bounds memory")
def test_a_branch_that_never_ends_takes_no_more_than_its_memory(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git reads what a link in place of a branch leads to."""
    monkeypatch.setattr(running, "MOST_MEMORY", 64 * 1024 * 1024)
    (repository / ".git/refs/heads/endless").symlink_to("/dev/zero")
    with pytest.raises(SourceUnavailable, match="Out of memory") as caught:
        GitFolder(located(here(repository, "endless")), PATIENT, DEFAULT_LIMITS)
    assert type(caught.value) is SourceUnavailable


@pytest.mark.parametrize("bound", ["MOST_MEMORY", "MOST_CHANGES"])
def test_a_history_that_explodes_is_left(
    repository: Path, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five trees that name each other ten times are a hundred thousand paths, all of them gone."""
    monkeypatch.setattr(running, "MOST_MEMORY", (16 if bound == "MOST_MEMORY" else 512) * MIB)
    monkeypatch.setattr(dates, "MOST_CHANGES", 10_000)
    kind, name = "blob", git(repository, "rev-parse", "HEAD:a.md")
    for _ in range(5):
        mode = "100644" if kind == "blob" else "040000"
        listed = "".join(f"{mode} {kind} {name}\t{number}\n" for number in range(10))
        kind, name = "tree", git(repository, "mktree", stdin=listed.encode())
    large = git(repository, "commit-tree", "-m", "x", name)
    small = git(repository, "commit-tree", "-m", "x", "-p", large, "HEAD^{tree}")
    with git_folder(here(repository, small)) as folder:
        entries = folder.listing()
        assert contents(folder, entries) == PAGES
        said = "memory" if bound == "MOST_MEMORY" else "changes more paths than are looked at"
        with pytest.raises(SourceUnavailable, match=said):
            folder.dated(entries[0])


def test_a_path_of_absurd_length_is_an_error(repository: Path) -> None:
    """Wherever it stands in what git lists."""
    listed = f"100644 blob {git(repository, 'rev-parse', 'HEAD:a.md')}\t{'n' * 20_000}\n"
    tree = git(repository, "mktree", stdin=listed.encode())
    commit = git(repository, "commit-tree", "-m", "x", tree)
    absurd = pytest.raises(SourceUnavailable, match="absurd length")
    with git_folder(here(repository, commit)) as folder, absurd:
        folder.listing()


def test_paths_that_are_left_out_take_no_memory() -> None:
    """One of them is told; there may be as many as the limits allow, each of them long."""
    paths = (f"{number}/../{'n' * 10_000}" for number in range(1000))
    tracemalloc.start()
    try:
        tree = tree_of(TreeEntry(path, 0o100644) for path in paths)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert tree.notes[0].startswith("left out 1000 paths that are unsafe or ambiguous, such as `0/")


def test_links_that_no_system_could_make_lead_nowhere(tmp_path: Path) -> None:
    """Targets that are empty, hold a NUL, or are longer than any path."""
    targets = (b"", b"a.md\0x", b"./" * 2100 + b"a.md")
    links = {f"link-{number}.md": Link(target) for number, target in enumerate(targets)}
    repository = make_repository(tmp_path / "r", [Commit({"a.md": b"1", **links})])
    with git_folder(here(repository)) as folder:
        problems = {e.path: e.problem for e in folder.listing() if e.path != "a.md"}
    assert problems == dict.fromkeys(links, "a link to nowhere")


def test_the_callers_variables_for_git_are_dropped(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are meant for another repository: a hook has them, for one."""
    trace = tmp_path / "trace"
    for name, value in {
        "GIT_DIR": str(tmp_path), "GIT_WORK_TREE": str(tmp_path), "GIT_INDEX_FILE": "x",
        "GIT_OBJECT_DIRECTORY": str(tmp_path), "GIT_NAMESPACE": "x", "GIT_TRACE": str(trace),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "x",
        "GIT_CONFIG_PARAMETERS": "'core.bare=x'", "GIT_EXEC_PATH": str(tmp_path),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert all_of(repository) == PAGES
    assert not trace.exists()


def test_where_no_links_can_be_made_the_objects_are_copied(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for some users of Windows."""

    def refuse(place: Path, target: Path) -> None:
        raise OSError(1314, "a required privilege is not held by the client")

    monkeypatch.setattr("pathlib.Path.symlink_to", refuse)
    git(repository, "pack-refs", "--all")
    assert all_of(repository) == PAGES


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"fatal: bad\n", "bad"),
        (b"warning: x\nerror: first\nfatal: second\n", "error: first; second"),
        (b"something\nelse\n", "else"),
        (b"", ""),
        (b"fatal: unable to access 'https://me:pw@h.example/x?token=t': 500\n",
         "unable to access 'https://h.example/x': 500"),
        (b"fatal: \x1b[2Jx\xff\n", "\\x1b[2Jx\ufffd"),
        (b"fatal: " + b"y" * 1000, "y" * 299 + "…"),
    ],
    ids=["one", "two", "last", "none", "credential", "terminal", "long"],
)  # fmt: skip
def test_what_git_says_is_fit_to_be_shown(said: bytes, words: str) -> None:
    """One line of no great length, without credentials and control characters."""
    assert words_of(said) == words

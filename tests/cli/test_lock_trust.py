"""What a person typed, where that cannot be remembered, and homes that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import KNOWN, call, folder
from tests.cli.lock_command import begin, fields, lock

from memoryfield_readers.cache import Cache


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the command runs; beside it is a field."""
    folder(tmp_path / "outside", KNOWN)
    return begin(tmp_path, monkeypatch)


@pytest.fixture
def forgetful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing can be remembered."""
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "file"))


@pytest.mark.usefixtures("forgetful")
def test_what_was_just_typed_is_trusted(tmp_path: Path) -> None:
    """For this run it is, whether it is new in the lock file or not; a note says what comes."""
    for _ in range(2):
        done = call("fetch", f"o={tmp_path / 'outside'}")
        assert done.code == 0, done.err
        assert done.out.startswith("o  ")
        assert done.err.count("could not be remembered") == 1
    assert fields()["o"]["location"] == str(tmp_path / "outside")


@pytest.mark.usefixtures("forgetful")
def test_what_was_typed_before_is_not(tmp_path: Path) -> None:
    """Who types another location, or a name alone, makes none of the lock file trusted."""
    folder(tmp_path / "other", KNOWN)
    assert lock("add", "o", str(tmp_path / "outside")).code == 0
    assert call("fetch", "o").code == 2
    done = call("fetch", f"other={tmp_path / 'other'}", "o")
    assert done.code == 2
    assert "o: " in done.err
    assert call("fetch", "--locked", f"o={tmp_path / 'outside'}").code == 0


def test_refusal_says_which_command_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lock("add", "o", str(tmp_path / "outside")).code == 0
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "of-another"))
    for command in (["lock", "check"], ["lock", "update"], ["fetch"], ["read", "@o", "a.md"]):
        done = call(*command)
        assert (done.code, "a\n" in done.out) == (2, False)
        assert "`memoryfield fetch o=LOCATION`" in done.err
    assert lock("check").err.startswith("memoryfield: o: ")


def test_link_that_leads_out_is_called_one(tmp_path: Path, here: Path) -> None:
    """What looks as if it lay beside the lock file is said to be a link, and how to lock it."""
    folder(here / "n", KNOWN)
    assert lock("add", "n", "n").code == 0
    (here / "n").rename(tmp_path / "moved")
    (here / "n").symlink_to(tmp_path / "moved")
    done = lock("check")
    assert done.code == 2
    assert "n: n: is a link, or lies below one, that leads out of the folder" in done.err
    assert "`memoryfield lock remove n`" in done.err


@pytest.mark.parametrize("command", ["lock add", "fetch"])
def test_no_home_is_made(
    command: str, tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the home is not there, nothing is made in its place, and a note names the settings."""
    folder(here / "f", KNOWN)
    for name in ("MEMORYFIELD_CACHE_DIR", "MEMORYFIELD_STATE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    out = str(tmp_path / "out")
    asked = ["add", "f", "f"] if command == "lock add" else [f"f={tmp_path / 'outside'}"]
    done = call(command.split()[0], *asked, *([] if command == "lock add" else ["--out", out]))
    assert done.code == 0, done.err
    assert "MEMORYFIELD_CACHE_DIR" in done.err
    assert ("MEMORYFIELD_STATE_DIR" in done.err) is (command == "fetch")
    assert not (tmp_path / "none").exists()


def test_a_tilde_is_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell would have it, where none has been asked: in YAML, or in a service's settings."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", "~/cache")
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", "~/state")
    assert Cache.default().path == home / "cache"
    assert lock("add", "o", str(tmp_path / "outside")).code == 0
    assert (home / "state" / "typed-locations").exists()

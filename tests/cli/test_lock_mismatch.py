"""Fields of a lock file whose source is something else now: exit 3, and nothing on stdout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import KNOWN, KNOWN_PIN, archive, call, folder
from tests.cli.lock_command import LOCK, begin, lock
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers.lock import remember

LOGIN = b"<!DOCTYPE html><html><body>Log in</body></html>"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the command runs, with an archive and a folder that are locked."""
    root = begin(tmp_path, monkeypatch)
    archive(root / "z.zip", KNOWN)
    folder(root / "notes", KNOWN)
    assert lock("add", "z", "z.zip").code == 0
    assert lock("add", "n", "notes").code == 0
    return root


@pytest.fixture
def unpacked(here: Path) -> Path:
    """The same, where a folder of the same pages has taken the place of the archive."""
    (here / "z.zip").unlink()
    folder(here / "z.zip", KNOWN)
    return here


COMMANDS = {
    "verify": ["verify", "@z"],
    "read": ["read", "@z", "a.md"],
    "info": ["info", "@z"],
    "ls": ["ls", "--long", "@z"],
    "digest": ["digest", "@z"],
    "snapshot": ["snapshot", "@z"],
}


@pytest.mark.usefixtures("unpacked")
@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_archive_that_became_a_folder(command: str) -> None:
    """The archive is pinned, and is there no more: pages of the same bytes are not it."""
    done = call(*COMMANDS[command])
    assert (done.code, done.out) == (3, "")
    assert "there is no archive any more" in done.err
    assert "`memoryfield lock update z`" in done.err


@pytest.mark.usefixtures("unpacked")
def test_archive_that_became_a_folder_is_checked() -> None:
    done = lock("check", "z")
    assert (done.code, done.out) == (3, "z: there is no archive any more\n")
    assert call("fetch", "z").code == 3


def test_archive_that_became_a_served_field(here: Path) -> None:
    """A location that can be none of an archive proves no archive pin, whatever its pages are."""
    with FaultyHttp({"/w/a.md": KNOWN["a.md"], "/w/b.md": KNOWN["b.md"]}) as server:
        text = (here / LOCK).read_text().replace('"z.zip"', f'"{server.url("/w/")}"')
        (here / LOCK).write_text(text)
        assert remember(server.url("/w/"))
        done = call("read", "@z", "a.md")
    assert (done.code, done.out) == (3, "")


def test_pin_of_an_archive_for_a_folder() -> None:
    """What is a folder as it stands here is refused as wrong usage, as before."""
    done = call("verify", "./notes", "--pin", "sha256:" + "0" * 64)
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("command", ["info", "ls --long", "digest", "read --raw"])
def test_changed_page_leaves_stdout_empty(command: str, here: Path) -> None:
    (here / "notes" / "b.md").write_bytes(b"longer than it was\n")
    pages = ["a.md", "b.md"] if command.startswith("read") else []
    done = call(*command.split(), "@n", *pages)
    assert (done.code, done.out) == (3, "")
    assert "`memoryfield diff @n`" in done.err


def test_empty_field(here: Path) -> None:
    """Nothing is found, which is exit 1, whoever asks; of what was locked all pages are gone."""
    (here / "empty").mkdir()
    assert lock("add", "e", "empty").code == 1
    assert call("pin", "empty").code == 1
    for path in (here / "notes").iterdir():
        path.unlink()
    done = lock("check", "n")
    assert (done.code, done.out) == (3, "")
    assert "n: " in done.err
    assert "no page and no attachment" in done.err


@pytest.fixture
def server(here: Path) -> Iterator[FaultyHttp]:
    """A server with the archive."""
    with FaultyHttp({"/x.zip": (here / "z.zip").read_bytes()}) as running:
        yield running


@pytest.mark.parametrize(
    ("data", "diagnosis", "hint"),
    [
        pytest.param(LOGIN, "an HTML page", "in a browser", id="login"),
        pytest.param(b"", "empty", "fetch it again", id="empty"),
    ],
)
def test_what_came_in_the_place_of_an_archive(
    data: bytes, diagnosis: str, hint: str, server: FaultyHttp, here: Path
) -> None:
    """`check` compares with a pin, as `fetch` does: it says the same, and names the field."""
    assert lock("add", "x", server.url("/x.zip")).code == 0
    server.files["/x.zip"] = data
    (here / "z.zip").write_bytes(data)
    for name in ("x", "z"):
        for command in (["lock", "check", name], ["fetch", name]):
            done = call(*command)
            assert done.code == 3, done.err
            assert done.err.startswith(f"memoryfield: {name}: ")
            assert "is not what was pinned" in done.err
            assert diagnosis in done.err
            assert hint in done.err


def test_proved_bytes_leave_no_doubts(here: Path) -> None:
    """A server without versions may be deceived by a change, but not where a hash tells."""
    silent = faults.with_headers(**{"ETag": None, "Last-Modified": None})
    with FaultyHttp({"/x.zip": (here / "z.zip").read_bytes()}) as running:
        running.fail("*", silent, times=None)
        location = running.url("/x.zip")
        assert "gives no version" in call("read", location, "a.md").err
        for pin in call("pin", location).out.split():
            done = call("read", location, "a.md", "--pin", pin)
            assert (done.code, "no version" in done.err) == (0, False)
        assert lock("add", "x", location).code == 0
        assert call("read", "@x", "a.md").err == ""


def test_both_pins_that_were_proved_are_printed(here: Path) -> None:
    field_pin, archive_pin = call("pin", "z.zip").out.split()
    assert field_pin == KNOWN_PIN
    both = f"verified {field_pin}\nverified {archive_pin}\n"
    assert call("verify", "z.zip", "--pin", archive_pin).out == both
    assert call("verify", "@z").out == both
    assert call("verify", "z.zip", "--pin", field_pin).out == f"verified {field_pin}\n"
    assert call("verify", "@n").out == f"verified {field_pin}\n"


def test_digits_of_the_other_pin(here: Path) -> None:
    """Whoever mixes up what stands before the digits is told so."""
    field_pin, archive_pin = call("pin", "z.zip").out.split()
    for wrong, right in (
        (f"field-{archive_pin}", archive_pin),
        (field_pin.removeprefix("field-"), field_pin),
    ):
        done = call("verify", "z.zip", "--pin", wrong)
        assert done.code == 3
        assert "this is its other pin" in done.err
        assert f": {right}; expected" in done.err


def test_damaged_archive_in_the_cache(here: Path, tmp_path: Path) -> None:
    """The message is about the archive, with the entry that is damaged, whichever was asked for."""
    assert call("fetch", "z").code == 0
    (path,) = (
        each for each in (tmp_path / "cache" / "v1" / "objects").rglob("*") if each.is_file()
    )
    whole = path.read_bytes()
    at = whole.index(b"b.md") + len(b"b.md")
    path.chmod(0o600)
    path.write_bytes(whole[:at] + b"!" + whole[at + 1 :])
    (here / "z.zip").unlink()
    text = (here / LOCK).read_text().replace('"z.zip"', '"https://example.org/z.zip"')
    (here / LOCK).write_text(text)
    done = call("read", "--offline", "@z", "a.md")
    assert (done.code, done.out) == (3, "")
    assert "b.md: the archive in the cache " in done.err

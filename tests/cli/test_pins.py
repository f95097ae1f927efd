"""`--pin` on every command that reads, `pin`, `verify`, names of the lock file, and `--offline`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, FAULTY, GOOD, Outcome, archive, call, folder, spawn
from tests.readers.locked_fields import lock_location
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import python_index

from memoryfield_readers import DEFAULT_LIMITS, Manifest, open_field, parse_pin
from memoryfield_readers.lock import LOCK_NAME, LockFile, render_lock

FILES = {"woks.md": GOOD, "heat.csv": b"1,2\n"}
COMMANDS: dict[str, tuple[str, ...]] = {
    "info": (),
    "ls": ("--long", "--all"),
    "read": ("woks.md",),
    "digest": (),
    "validate": (),
    "audit": (),
    "verify": (),
    "snapshot": (),
}
"""The commands that read one location, with what follows it."""

OTHER = "0" * 64


def run(command: str, location: str | Path, *options: str) -> Outcome:
    return call(command, location, *COMMANDS[command], *options)


@pytest.fixture
def woks(tmp_path: Path) -> Path:
    """A folder of locations of one field."""
    folder(tmp_path / "woks", FILES)
    archive(tmp_path / "woks.memoryfield.zip", FILES)
    return tmp_path


def pins(location: Path) -> list[str]:
    return call("pin", location).out.split()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["woks", "woks.memoryfield.zip"])
class TestPinOption:
    """`--pin` is on every command that reads."""

    def test_what_was_pinned(self, command: str, name: str, woks: Path) -> None:
        """It is read as without a pin: the same answer and exit code, by one pin or by both."""
        found = pins(woks / name)
        assert [pin.partition(":")[0] for pin in found] == (
            ["field-sha256", "sha256"] if "." in name else ["field-sha256"]
        )
        plain = run(command, woks / name) if command != "verify" else None
        for pin in [[each] for each in found] + [found]:
            options = [option for each in pin for option in ("--pin", each)]
            done = run(command, woks / name, *options)
            assert (done.code, done.stderr) == (0, b"")
            if plain is not None:
                assert done.stdout == plain.stdout

    def test_another_field(self, command: str, name: str, woks: Path) -> None:
        """It exits with 3, says why on stderr, and prints nothing of what is there."""
        kinds = ["field-sha256", "sha256"] if "." in name else ["field-sha256"]
        for kind in kinds:
            pin = f"{kind}:{OTHER}"
            done = run(command, woks / name, "--pin", pin)
            assert done.code == 3
            assert b"Carbon" not in done.stdout
            assert b"woks.md" not in done.stdout
            assert pin in done.err.replace("\n", "")
            assert "is not what was pinned" in done.err

    def test_wrong_usage(self, command: str, name: str, woks: Path) -> None:
        """What is no pin, two that differ, and one of an archive for a folder exit with 2."""
        wrong = [["sha256:12"], [""], [f"field-sha256:{OTHER}", f"field-sha256:1{OTHER[1:]}"]]
        if "." not in name:
            wrong.append([f"sha256:{OTHER}"])
        for texts in wrong:
            options = [option for text in texts for option in ("--pin", text)]
            done = run(command, woks / name, *options)
            assert done.code == 2
            assert b"woks.md" not in done.stdout
            assert "pin" in done.err


def test_a_page_that_is_another_one_is_not_printed(
    woks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One page of a locked field was changed: no other is shown beside it, by any command."""
    folder(woks / "two", {"a.md": GOOD, "b.md": GOOD})
    lock_location(str(woks / "two"), lambda: open_field(woks / "two"), woks, monkeypatch)
    (woks / "two" / "b.md").write_bytes(FAULTY)
    for command, *rest in (
        ["read", "@woks", "a.md", "b.md"], ["read", "@woks", "b.md", "gone.md"],
        ["read", "--format", "json", "@woks", "a.md", "b.md"], ["ls", "--long", "@woks"],
        ["ls", "--format", "json", "@woks"], ["digest", "@woks"], ["verify", "@woks"],
        ["validate", "@woks"], ["audit", "@woks"],
    ):  # fmt: skip
        done = call(command, *rest)
        assert done.code == 3, (command, rest, done)
        assert "Carbon" not in done.out, (command, rest)
        assert "b.md" in done.err
    assert call("read", "@woks", "a.md").code == 0


class TestVerify:
    """`verify` reads all of it, and says so or what is wrong."""

    def test_as_text(self, woks: Path) -> None:
        """One line that names the pin."""
        (pin,) = pins(woks / "woks")
        done = call("verify", woks / "woks", "--pin", pin)
        assert (done.code, done.out, done.err) == (0, f"verified {pin}\n", "")

    def test_a_lock_file_beyond_the_usual_limits(
        self, woks: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What --limit allows, it allows for the lock file, too, in which the name is looked up."""
        location = str(woks / "woks")
        locked = lock_location(location, lambda: open_field(location), woks, monkeypatch)
        path = woks / LOCK_NAME
        large = {f"{number}.md": OTHER for number in range(DEFAULT_LIMITS.entries + 1)}
        many = Manifest.of(large)
        other = replace(locked, name="large", manifest=many, field_pin=parse_pin(many.digest))
        path.write_text(render_lock(LockFile(path, {"large": other, locked.name: locked})))
        assert call("verify", "@woks").code == 3
        done = call("verify", "@woks", "--limit", f"entries={len(large)}")
        assert (done.code, done.out) == (0, f"verified {locked.field_pin}\n")

    def test_as_json(self, woks: Path) -> None:
        """The same keys for each kind of answer, and the complaint on stderr even so."""
        location = woks / "woks.memoryfield.zip"
        field_pin, archive_pin = pins(location)
        done = call("verify", "--format", "json", location, "--pin", archive_pin)
        assert done.code == 0
        assert done.json == {
            "version": 1,
            "location": str(location),
            "verified": True,
            "digest": field_pin,
            "archive_pin": archive_pin,
        }
        size = location.stat().st_size
        done = call("verify", "--format", "json", location, "--pin", f"sha256:{OTHER}")
        assert done.code == 3
        assert done.json == {
            "version": 1,
            "location": str(location),
            "verified": False,
            "entry": None,
            "expected": f"sha256:{OTHER}",
            "actual": archive_pin,
            "bytes": size,
            "url": None,
            "diagnosis": "its content is another",
        }
        assert "is not what was pinned" in done.err

    def test_nothing_to_match(self, woks: Path) -> None:
        """Without a pin, and without a lock that has one, there is nothing to say."""
        done = call("verify", woks / "woks")
        assert (done.code, done.stdout) == (2, b"")
        assert "--pin" in done.err
        assert call("verify", woks / "gone", "--pin", f"field-sha256:{OTHER}").code == 4

    def test_an_archive_on_stdin(self, woks: Path) -> None:
        """Its bytes are hashed as those of a file are."""
        _, pin = pins(woks / "woks.memoryfield.zip")
        for given, code in ((pin, 0), (f"sha256:{OTHER}", 3)):
            with (woks / "woks.memoryfield.zip").open("rb") as file:
                done = subprocess.run(
                    [COMMAND, "verify", "-", "--pin", given],
                    stdin=file,
                    capture_output=True,
                    check=False,
                )
            assert done.returncode == code


class TestPin:
    """`pin` prints what to give to `--pin` later."""

    def test_as_json(self, woks: Path) -> None:
        """Both pins; null where there is no archive."""
        (pin,) = pins(woks / "woks")
        done = call("pin", "--format", "json", woks / "woks")
        assert done.json == {
            "version": 1, "location": str(woks / "woks"), "digest": pin, "archive_pin": None,
        }  # fmt: skip
        packed = call("pin", "--format", "json", woks / "woks.memoryfield.zip").json
        assert [packed["digest"], packed["archive_pin"]] == pins(woks / "woks.memoryfield.zip")

    def test_nothing_to_pin(self, woks: Path) -> None:
        """An empty folder has none, what is not there neither, and it is not taken for one."""
        done = call("pin", folder(woks / "empty", {}))
        assert (done.code, done.stdout) == (1, b"")
        assert call("pin", woks / "gone").code == 4
        assert call("pin", "-h").code == 0


class TestNames:
    """A field of the lock file is named wherever a location is."""

    @pytest.fixture
    def named(self, woks: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The lock file has the archive as `woks`; the command runs beside no path of that name."""
        location = woks / "woks.memoryfield.zip"
        lock_location(str(location), lambda: open_field(location), woks, monkeypatch)
        monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(woks / "cache"))
        monkeypatch.chdir(folder(woks / "elsewhere", {}))
        return location

    @pytest.mark.parametrize("command", COMMANDS)
    @pytest.mark.parametrize("name", ["woks", "@woks"])
    def test_on_every_command(self, command: str, name: str, named: Path) -> None:
        """With a mark or without, its pin given or not; a change is a mismatch."""
        assert run(command, name).code == 0
        for pin in pins(named):
            assert run(command, name, "--pin", pin).code == 0
        assert run(command, name, "--pin", f"sha256:{OTHER}").code == 3
        named.write_bytes(named.read_bytes()[:-1] + b"\x01")
        assert run(command, name).code == 3

    def test_pin_prints_that_of_the_lock(self, named: Path) -> None:
        """It is proved first."""
        assert call("pin", "@woks").out.split() == pins(named)

    def test_a_name_that_nobody_has(self, named: Path) -> None:
        """It is wrong usage with the mark, and a path that is not there without."""
        done = call("info", "@wok")
        assert done.code == 2
        assert "woks" in done.err
        assert call("info", "wok").code == 4

    def test_both_a_path_and_a_name(self, named: Path) -> None:
        """Nobody guesses; both can be said."""
        folder(Path("woks"), {"other.md": GOOD})
        done = call("ls", "woks")
        assert done.code == 2
        assert "./woks" in done.err
        assert call("ls", "./woks").out == "other.md\n"
        assert call("ls", "@woks").out == "woks.md\n"


class TestOffline:
    """`--offline` asks nobody."""

    @pytest.fixture
    def server(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyHttp]:
        """A server whose field is locked."""
        names = {f"/woks/{name}": data for name, data in FILES.items()}
        with FaultyHttp(names) as server:
            server.files["/woks/"] = Served(python_index("/woks/", [*FILES]), "text/html")
            monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
            at = server.url("/woks/")
            lock_location(at, lambda: open_field(at), tmp_path, monkeypatch)
            server.requests.clear()
            yield server

    def test_before_and_after_it_was_fetched(self, server: FaultyHttp) -> None:
        """It exits with 4 and says what to do; once that is done, every command works."""
        for command in COMMANDS:
            done = run(command, "@woks", "--offline")
            if command != "validate" and command != "audit":
                assert done.code == 4, command
            assert done.code != 0
            assert "nothing may be fetched" in done.out + done.err
        assert server.asked() == []
        assert call("fetch", "--retries", "0").code == 0
        plain = {command: run(command, "@woks") for command in COMMANDS}
        server.requests.clear()
        for command in COMMANDS:
            done = run(command, "@woks", "--offline")
            assert (done.code, done.stdout) == (0, plain[command].stdout)
        assert server.asked() == []

    def test_what_is_not_locked(self, server: FaultyHttp, woks: Path) -> None:
        """A folder here is read, a server elsewhere is not asked."""
        (pin,) = pins(woks / "woks")
        for command in COMMANDS:
            assert run(command, woks / "woks", "--offline", "--pin", pin).code == 0
            done = run(command, server.url("/woks/"), "--offline", "--pin", pin)
            assert done.code == 4
        assert server.asked() == []


def test_a_process_of_its_own(woks: Path) -> None:
    """The installed command does as the one in this process."""
    (pin,) = pins(woks / "woks")
    assert spawn("read", woks / "woks", "woks.md", "--raw", "--pin", pin).stdout == GOOD
    done = spawn("read", woks / "woks", "woks.md", "--raw", "--pin", f"field-sha256:{OTHER}")
    assert (done.code, done.stdout) == (3, b"")

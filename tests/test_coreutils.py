"""A pin is what a person can make with coreutils alone, and prove with them."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cli.command import archive, call, folder
from tests.cli.coreutils import needs_coreutils, shell

pytestmark = needs_coreutils

BY_HAND = "export LC_ALL=C; sha256sum -- * | sha256sum | cut -c 1-64"

FIELDS: Mapping[str, Mapping[str, bytes]] = {
    "plain": {"a.md": b"a\n", "b.md": b"", "a-b.md": b"\r\n"},
    "other letters": {"\u00e9t\u00e9.md": b"s", "\u65e5\u672c.md": b"j", "e\u0301.md": b"e"},
    "blanks": {" a.md": b"1", "a b.md": b"2", "a .md": b"3", "a\tb.md": b"4"},
    "backslashes": {"a\\b.md": b"1", "\\.md": b"2", "\\n.md": b"3", "plain.md": b"4"},
    "line feeds": {"a\nb.md": b"1", "\n.md": b"2", "plain.md": b"3"},
    "hyphens": {"-a.md": b"1", "--check.md": b"2", "+.md": b"3"},
    "no UTF-8": {os.fsdecode(b"\xff.md"): b"1", "a.md": b"2"},
    "attachments": {"a.md": b"1", "heat.csv": b"2", "Makefile": b"3"},
}


@pytest.fixture(params=FIELDS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of a field whose names are of one kind."""
    return folder(tmp_path / "field", FIELDS[request.param])


def test_the_pin_by_hand(path: Path) -> None:
    """What coreutils print is the pin, and the command takes it; after a change it does not."""
    pin = f"field-sha256:{shell(BY_HAND, path).decode().strip()}"
    assert call("pin", path).out == f"{pin}\n"
    assert call("verify", path, "--pin", pin).code == 0
    name = next(path.iterdir())
    name.write_bytes(name.read_bytes() + b".")
    assert call("verify", path, "--pin", pin).code == 3


def test_the_manifest_is_a_list_of_checksums(path: Path) -> None:
    """`sha256sum --check` takes the lines as they are, and finds the file that was changed."""
    (path.parent / "sums").write_bytes(_manifest(path))
    check = ["sha256sum", "--check", "--quiet", "--strict", "../sums"]
    done = subprocess.run(check, cwd=path, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    name = next(path.iterdir())
    name.write_bytes(name.read_bytes() + b".")
    done = subprocess.run(check, cwd=path, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stdout.count(b"FAILED") == 1


def _manifest(path: Path) -> bytes:
    done = call("digest", "--manifest", path)
    assert done.code == 0
    return done.stdout


def test_the_archive_pin_by_hand(tmp_path: Path) -> None:
    """`sha256sum FILE` prints the archive pin, and `pin` prints it behind the field pin."""
    files = {"a.md": b"a\n", "heat.csv": b"1,2\n"}
    archive(tmp_path / "x.memoryfield.zip", files)
    digest = shell("sha256sum x.memoryfield.zip", tmp_path).decode()[:64]
    assert digest == hashlib.sha256((tmp_path / "x.memoryfield.zip").read_bytes()).hexdigest()
    lines = call("pin", tmp_path / "x.memoryfield.zip").out.splitlines()
    by_hand = shell(BY_HAND, folder(tmp_path / "field", files)).decode().strip()
    assert lines == [f"field-sha256:{by_hand}", f"sha256:{digest}"]
    for pin in lines:
        assert call("verify", tmp_path / "x.memoryfield.zip", "--pin", pin).code == 0

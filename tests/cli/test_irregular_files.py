"""FIFOs, sockets and links among the pages: named, never followed, never waited for."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command import GOOD, call, folder, spawn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as each:
            each.bind(path.name)
    finally:
        os.chdir(here)


def link_out(path: Path) -> None:
    outside = path.parent.parent / "outside.md"
    outside.write_bytes(b"top secret\n")
    path.symlink_to("../outside.md")


def absolute_link(path: Path) -> None:
    path.symlink_to(path.with_name("woks.md"))


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere.md")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_a_folder(path: Path) -> None:
    path.with_name("below").mkdir()
    path.symlink_to("below")


def link_to_a_fifo(path: Path) -> None:
    os.mkfifo(path.with_name(".pipe"))
    path.symlink_to(".pipe")


IRREGULAR: dict[Callable[[Path], None], str] = {
    fifo: "is a FIFO (named pipe)",
    unix_socket: "is a socket",
    link_out: "is a link that leaves the field's folder",
    absolute_link: "is a link that leaves the field's folder",
    link_to_nowhere: "is a link to nowhere",
    link_to_itself: "is a link that leads in a circle",
    link_to_a_folder: "is a link to a folder",
    link_to_a_fifo: "is a link to a FIFO (named pipe)",
}


class Case(NamedTuple):
    """A field of one good page with an `x.md` beside it, and what is to be said of that."""

    field: Path
    says: str


@pytest.fixture(params=IRREGULAR, ids=lambda make: make.__name__)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    """One case for each kind of file that is none."""
    path = folder(tmp_path / "field", {"woks.md": GOOD})
    request.param(path / "x.md")
    return Case(path, IRREGULAR[request.param])


def test_validate_reports_it_and_goes_on(case: Case) -> None:
    """It is MF105 and exit code 1; the field has no pin; nothing hangs."""
    run = spawn if case.says.endswith("FIFO (named pipe)") else call
    done = run("validate", "--format", "json", case.field)
    assert done.code == 1
    assert done.err == ""
    report = done.json
    assert (report["verdict"], report["pages"], report["digest"]) == ("invalid", 1, None)
    errors = [f for f in report["findings"] if f["level"] == "error"]
    assert [(f["rule"], f["file"]) for f in errors] == [("MF105", "x.md")]
    assert errors[0]["message"] == f"`x.md` {case.says}"


@pytest.mark.parametrize("command", [["digest"], ["digest", "--manifest"], ["info"]])
def test_there_is_no_pin(command: list[str], case: Case) -> None:
    """A pin that left the file out would prove too little, so there is none."""
    done = call(*command, case.field)
    assert done.code == 4
    assert b"sha256" not in done.stdout
    assert (done.stdout == b"") == (command != ["info"])
    assert done.err == f"memoryfield: {case.field}: x.md: {case.says}\n"


def test_it_cannot_be_read(case: Case) -> None:
    """`read` names it and prints the page beside it, and nothing from outside."""
    done = call("read", "--raw", case.field, "x.md", "woks.md")
    assert (done.code, done.stdout) == (4, GOOD)
    assert done.err == f"memoryfield: {case.field}: x.md: {case.says}\n"


def test_ls_does_not_pass_it_over(case: Case) -> None:
    """`ls` lists the pages, says which one cannot be read, and exits with 4 (MF901)."""
    done = call("ls", case.field)
    assert (done.code, done.out) == (4, "woks.md\n")
    assert done.err == f"memoryfield: {case.field}: x.md: {case.says}\n"
    entries = call("ls", "--all", "--format", "json", case.field).json["entries"]
    rows = {row["name"]: row["role"] for row in entries}
    assert rows["x.md"] == "irregular"
    assert rows["woks.md"] == "page"


def test_link_within_the_folder_is_the_page_it_leads_to(tmp_path: Path) -> None:
    """A relative link to a regular file below the root is followed."""
    path = folder(tmp_path / "field", {"woks.md": GOOD})
    (path / "x.md").symlink_to("./woks.md")
    assert call("read", "--raw", path, "x.md").stdout == GOOD
    assert call("digest", path).code == 0
    assert call("ls", path).out == "woks.md\nx.md\n"


def test_folder_named_as_a_page_is_a_folder(tmp_path: Path) -> None:
    """A sub-directory called `x.md` is no part of the field and in nobody's way."""
    path = folder(tmp_path / "field", {"woks.md": GOOD})
    pin = call("digest", path).out
    (path / "x.md").mkdir()
    assert call("digest", path).out == pin
    assert call("validate", path).code == 0
    assert call("read", path, "x.md").code == 4


def test_a_device_is_no_location() -> None:
    """Reading a device as an archive might never end."""
    done = spawn("digest", "/dev/zero")
    assert done.code == 2
    assert done.err == "memoryfield: /dev/zero: is neither a folder nor a file\n"


@pytest.mark.parametrize("command", [["digest"], ["digest", "--manifest"], ["ls"]])
def test_folder_of_nothing_else_is_not_empty(command: list[str], tmp_path: Path) -> None:
    """Where the only page is a FIFO, it is not that there is none: it cannot be had."""
    path = folder(tmp_path / "field", {})
    os.mkfifo(path / "x.md")
    done = call(*command, path)
    assert (done.code, done.stdout) == (4, b"")
    assert done.err == f"memoryfield: {path}: x.md: is a FIFO (named pipe)\n"

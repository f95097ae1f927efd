"""`init`, `new`, `write`, `rm` and `mv`: one step of a batch each."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command import (
    COMMAND,
    GOOD,
    KNOWN,
    KNOWN_PIN,
    SECONDS,
    Outcome,
    archive,
    call,
    folder,
    neutral_environment,
)
from tests.cli.harmless import assert_harmless
from tests.cli.hostile_fields import ALL

from memoryfield_spec import schema

PAGES = {"woks.md": GOOD, **KNOWN, "plan.txt": b"An attachment.\n"}
LOCATIONS = ["field", "field.memoryfield.zip"]
STAMPED = r"uuid: [0-9a-f-]{36}\ncreated: '([0-9TZ:-]+)'\nupdated: '\1'\n---\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a field as a folder and as an archive."""
    folder(tmp_path / "field", PAGES)
    archive(tmp_path / "field.memoryfield.zip", PAGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def raw(location: str, name: str) -> bytes:
    """The bytes of a page."""
    done = call("read", "--raw", location, name)
    assert done.code == 0, done.err
    return done.stdout


def pin(location: str) -> str:
    return call("digest", location).out.strip()


def refused(done: Outcome, code: int, says: str) -> None:
    """Nothing is answered, and one line says why, perhaps with one on where the help is."""
    assert (done.code, done.out) == (code, ""), (done.out, done.err)
    lines = done.err.splitlines()
    assert len(lines) == 1 or lines[1].startswith("memoryfield: see `memoryfield "), done.err
    assert says in lines[0], done.err


@pytest.mark.parametrize("location", ["new", "new/", "Carbon fibre_woks", "new.memoryfield.zip"])
def test_init(location: str) -> None:
    """A field that is good, with one page, and its pin is told."""
    done = call("init", location)
    assert (done.code, done.err, done.out) == (0, "", f"{pin(location)}\n")
    assert call("ls", location).out == "index.md\n"
    report = call("validate", "--ignore", "MF205", "--format", "json", location).json
    assert report["findings"] == []
    title = "Carbon fibre woks" if "_" in location else "New"
    assert re.fullmatch(
        rf"---\ntitle: {title}\n{STAMPED}# {title}\n", raw(location, "index.md").decode()
    )


def test_init_as_json() -> None:
    """One closed object; the title is what was given."""
    done = call("init", "--format", "json", "x.zip", "--title", "Woks: all")
    pins = call("pin", "--format", "json", "x.zip").json
    assert done.json == {**pins, "page": "index.md"}
    assert b"title: 'Woks: all'\n" in raw("x.zip", "index.md")


def test_init_takes_an_empty_folder(place: Path) -> None:
    """Also one in which there is nothing but what every reader ignores."""
    folder(place / "empty", {})
    assert call("init", "empty").code == 0
    folder(place / "repository" / ".git", {"HEAD": b"x"})
    assert call("init", "repository").code == 0


def test_init_refuses_what_is_there(place: Path) -> None:
    """Whatever it is, it stays."""
    (place / "file").write_bytes(b"x")
    folder(place / "nested" / "sub", {})
    for location in ("field", "field.memoryfield.zip", "file", "nested"):
        refused(call("init", location), 5, "there is something already")
    refused(call("init", "missing/new"), 4, "cannot be")
    refused(call("init", "missing/new.zip"), 4, "missing")
    refused(call("init", "new", "--title", "\x1b[2J"), 2, "the title")
    refused(call("init", "-"), 2, "stdin")
    refused(call("init", "https://example.org/x"), 2, "")
    assert {path.name for path in place.iterdir()} == {"field", *LOCATIONS, "file", "nested"}


@pytest.mark.parametrize("location", LOCATIONS)
def test_new(location: str) -> None:
    """The name is made from the title, and printed."""
    done = call("new", location, "Steel woks", "--summary", "Which steel: it's told.")
    assert (done.code, done.out) == (0, "steel-woks.md\n"), done.err
    assert re.fullmatch(
        r"---\ntitle: Steel woks\nsummary: 'Which steel: it''s told\.'\n"
        rf"{STAMPED}# Steel woks\n",
        raw(location, "steel-woks.md").decode(),
    )


def test_new_with_a_text() -> None:
    """As an option, or on stdin; the title is that of its heading."""
    assert call("new", "field", "x.md", "--text", "# An X\n").out == "x.md\n"
    assert b"title: An X\n" in raw("field", "x.md")
    assert call("new", "field", "Y and Z", "--text", "-", stdin=b"Text.\r\n").out == "y-and-z.md\n"
    assert raw("field", "y-and-z.md").endswith(b"---\r\n# Y and Z\r\n\r\nText.\r\n")
    assert call("new", "field", "q.md", "--title", "A question", "--text", "Why?").code == 0
    assert raw("field", "q.md").endswith(b"---\n# A question\n\nWhy?")


def test_new_as_json() -> None:
    """The answer is that of `apply`; a dry run makes no page."""
    done = call("new", "--format", "json", "--dry-run", "field", "X")
    Draft202012Validator(schema("applied")).validate(done.json)
    assert [change["name"] for change in done.json["changes"]] == ["x.md"]
    assert not Path("field/x.md").exists()


def test_new_refuses() -> None:
    """A name that is taken, a title that makes no name, a text that is none."""
    refused(call("new", "field", "Woks"), 5, "woks.md")
    refused(call("new", "field", "\u9244\u934b"), 2, "--title")
    refused(call("new", "field", "X", "--title", "Y"), 2, "--title goes with")
    refused(call("new", "field", "x.md", "--summary", " "), 2, "the summary is empty")
    refused(call("new", "field", "X y.md"), 5, "X y.md")
    refused(call("new", "missing", "X"), 4, "memoryfield init")
    refused(call("new", "field", "x.md", "--text", "-", stdin=b"\xff\xfe"), 5, "MF202")
    refused(
        call("new", "--limit", "page-bytes=4", "field", "x.md", "--text", "-", stdin=b"12345"),
        5,
        "field: x.md: would have more than 4 bytes, over the limit of 4 (MF607)",
    )


@pytest.mark.parametrize("location", LOCATIONS)
def test_write_adds_and_replaces(location: str) -> None:
    """A page keeps what it was, and gets what it lacks; an attachment is what comes."""
    done = call("write", location, "new.md", stdin=b"# New\n")
    assert done.out.splitlines() == ["added new.md", pin(location)]
    assert re.fullmatch(rf"---\ntitle: New\n{STAMPED}# New\n", raw(location, "new.md").decode())
    done = call("write", location, "woks.md", stdin=b"# Other woks\n")
    assert done.out.splitlines() == ["changed woks.md", pin(location)], done.err
    text = raw(location, "woks.md").decode()
    assert text.startswith("---\ntitle: Carbon Fibre Woks\ncreated: '2026-03-01T09:00:00Z'\n")
    assert "\nuuid: 6aa615f0-" in text
    assert "\nsummary: Thermal properties" in text
    assert call("write", location, "plan.txt", stdin=b"\xff\x00\r\n").code == 0
    manifest = call("digest", "--manifest", location).out
    assert f"{hashlib.sha256(bytes([255, 0, 13, 10])).hexdigest()}  plan.txt\n" in manifest


@pytest.mark.parametrize("location", LOCATIONS)
def test_write_exactly(location: str) -> None:
    """Without a stamp, a page is what comes."""
    for name in ("new.md", "woks.md"):
        assert call("write", "--no-stamp", location, name, stdin=b"# X\r\nY").code == 0
        assert raw(location, name) == b"# X\r\nY"


def test_write_the_same_again() -> None:
    """Nothing changes: neither the page nor its time."""
    before = os.stat("field/woks.md").st_mtime_ns
    done = call("write", "field", "woks.md", stdin=GOOD)
    assert (done.code, done.out) == (0, f"{pin('field')}\n")
    assert os.stat("field/woks.md").st_mtime_ns == before


def test_write_if_it_is_still_that_file() -> None:
    """Compare and swap: whoever writes second is told."""
    known = hashlib.sha256(KNOWN["a.md"]).hexdigest()
    hashed = ("--if-sha256", known.upper())
    assert call("write", *hashed, "field", "a.md", stdin=b"1\n").code == 0
    refused(call("write", *hashed, "field", "a.md", stdin=b"2\n"), 5, known)
    assert raw("field", "a.md").endswith(b"1\n")
    refused(call("write", *hashed, "field", "new.md", stdin=b"2\n"), 5, "new.md")
    refused(call("write", "--if-sha256", "12", "field", "a.md", stdin=b"2\n"), 2, "64 hex")
    refused(call("write", "--expect", KNOWN_PIN, "field", "a.md", stdin=b"2\n"), 5, KNOWN_PIN)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_change_that_stdout_cannot_tell() -> None:
    """Stderr tells it, as the exit code speaks of stdout alone; not where nothing is written."""
    for options, is_told in ((["--dry-run"], False), ([], True)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [COMMAND, "new", *options, "field", "X"],
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 4
        assert (b"field: the batch is applied; stdout cannot" in done.stderr) is is_told
    assert raw("field", "x.md").endswith(b"# X\n")


def test_an_entry_that_is_no_file() -> None:
    """Nothing can be changed, and what can be done about it is said."""
    os.symlink("nowhere", "field/bad.md")
    refused(call("rm", "field", "bad.md"), 4, "remove it yourself, with `rm`")


def test_write_refuses() -> None:
    """A name that none may have, what is too large, no stdin."""
    refused(call("write", "field", "A b.md", stdin=b"x\n"), 5, "A b.md")
    refused(call("write", "field", "../x.md", stdin=b"x\n"), 5, "../x.md")
    refused(call("write", "field", ".hidden", stdin=b"x\n"), 5, ".hidden")
    refused(call("write", "--limit", "file-bytes=3", "field", "x.txt", stdin=b"1234"), 5, "x.txt")
    refused(call("write", "-", "x.md", stdin=b"x"), 2, "stdin")
    for name in ("woks.md", "plan.txt"):
        refused(call("write", "field", name, stdin=b""), 2, "nothing came on stdin")
    assert sorted(os.listdir("field")) == sorted(PAGES)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_write_on_a_terminal() -> None:
    """Who types is told how to end."""
    keyboard, screen = os.openpty()
    os.write(keyboard, b"# Typed\n\x04")
    done = subprocess.run(
        [COMMAND, "write", "field", "typed.md"],
        stdin=screen,
        capture_output=True,
        env=neutral_environment(),
        timeout=SECONDS,
        check=False,
    )
    os.close(screen)
    os.close(keyboard)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(b"memoryfield: type the page, end with Ctrl-D\n")
    assert raw("field", "typed.md").endswith(b"# Typed\n")


@pytest.mark.parametrize("location", LOCATIONS)
def test_rm(location: str) -> None:
    """All that are named, pages and attachments."""
    done = call("rm", location, "b.md", "plan.txt", "b.md")
    assert done.out.splitlines() == ["removed b.md", "removed plan.txt", pin(location)], done.err
    assert call("ls", location).out.split() == ["a.md", "woks.md"]


def test_rm_refuses() -> None:
    """One that is not there keeps all others, too; so does the last page."""
    refused(call("rm", "field", "a.md", "z.md"), 5, "z.md")
    refused(call("rm", "field", "a.md", "b.md", "woks.md"), 5, "no page would be left")
    refused(call("rm", "field"), 2, "NAME")
    assert sorted(os.listdir("field")) == sorted(PAGES)


LINKING = {
    "woks.md": GOOD,
    "linking.md": b"[a](a.md#x) ![p](./plan.txt) `[a](a.md)`\r\n\r\n[r]: <a.md> 'A'\r\n",
    "a.md": b"# A\n\n[itself](a.md)\n",
    "plan.txt": b"x",
}


@pytest.fixture(params=LOCATIONS)
def linked(request: pytest.FixtureRequest, place: Path) -> str:
    """A field whose pages link to each other."""
    if request.param == "field":
        folder(place / "linked", LINKING)
        return "linked"
    archive(place / "linked.zip", LINKING)
    return "linked.zip"


def test_mv(linked: str) -> None:
    """The file has another name; links that lead nowhere then are told."""
    done = call("mv", linked, "a.md", "b.md")
    assert done.out.splitlines() == ["renamed a.md -> b.md", pin(linked)], done.err
    assert raw(linked, "b.md") == LINKING["a.md"]
    assert raw(linked, "linking.md") == LINKING["linking.md"]
    assert re.findall(r"(\S+) warning MF209 there is no `a.md`", done.err) == [
        "b.md:3:10",
        "linking.md:1:5",
        "linking.md:3:7",
    ]


def test_rm_tells_of_links(linked: str) -> None:
    """Those of other pages that lead nowhere then."""
    done = call("rm", linked, "a.md", "plan.txt", "--dry-run", "--format", "json")
    found = [(each["file"], each["line"], each["column"]) for each in done.json["findings"]]
    assert found == [("linking.md", 1, 5), ("linking.md", 1, 18), ("linking.md", 3, 7)]


def test_mv_with_links(linked: str) -> None:
    """Their targets are changed in the same step, and no other byte."""
    done = call("mv", "--links", linked, "a.md", "b.md")
    assert done.out.splitlines() == [
        "renamed a.md -> b.md (changed)",
        "changed linking.md",
        pin(linked),
    ], done.err
    assert raw(linked, "b.md") == b"# A\n\n[itself](b.md)\n"
    changed = b"[a](b.md#x) ![p](./plan.txt) `[a](a.md)`\r\n\r\n[r]: <b.md> 'A'\r\n"
    assert raw(linked, "linking.md") == changed
    done = call("mv", "--links", linked, "plan.txt", "the plan (1).txt")
    assert done.code == 0, done.err
    assert raw(linked, "linking.md") == changed.replace(b"plan.txt", b"the%20plan%20%281%29.txt")
    assert "MF209" not in done.err


def test_mv_refuses(linked: str) -> None:
    """A name that is taken, or that none may have, or no file."""
    before = pin(linked)
    for links in ([], ["--links"]):
        refused(call("mv", *links, linked, "a.md", "woks.md"), 5, "woks.md")
        refused(call("mv", *links, linked, "a.md", "A.md"), 5, "A.md")
        refused(call("mv", *links, linked, "z.md", "y.md"), 5, "z.md")
    refused(call("mv", linked, "a.md"), 2, "NEW")
    assert pin(linked) == before


@pytest.mark.parametrize(
    "arguments",
    [["new", "X"], ["write", "x.md"], ["rm", "a.md"], ["mv", "a.md", "x.md"], ["edit", "a.md"]],
    ids=lambda arguments: arguments[0],
)
def test_where_none_can_write(arguments: list[str]) -> None:
    """Locations that are read only are refused alike."""
    name, *rest = arguments
    for location in ("https://example.org/x.zip", "github://owner/repo", "@notes", "-"):
        done = call(name, location, *rest, stdin=b"x\n", env={"EDITOR": "false"})
        refused(done, 2, "")
    refused(call(name, "missing", *rest, stdin=b"x\n", env={"EDITOR": "false"}), 4, "missing")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_hostile_names_are_shown_escaped(place: Path) -> None:
    """Also of the field, and of what is refused."""
    location, name = f"field {ALL}", f"a{ALL}.md"
    folder(place / location, {name: KNOWN["b.md"], "woks.md": GOOD})
    for arguments in (
        ["new", ALL],
        ["new", f"X {ALL}"],
        ["new", name],
        ["write", name],
        ["write", f"x{ALL}"],
        ["rm", f"b{ALL}"],
        ["mv", name, f"b{ALL}.md"],
        ["mv", "--links", name, "good.md", "--dry-run"],
        ["rm", name],
    ):
        done = call(arguments[0], location, *arguments[1:], stdin=b"x\n")
        assert_harmless(done.stdout + done.stderr)
        assert "Traceback" not in done.err
    assert call("ls", location).out == "woks.md\n"

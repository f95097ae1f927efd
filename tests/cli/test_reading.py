"""`read`, `ls` and `info` show a field to people."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, GOOD, KNOWN, KNOWN_PIN, archive, call, folder, spawn

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

FILES = {
    "index.md": b"---\ntitle: Woks\n---\nAbout woks.\n",
    "woks.md": GOOD,
    "no-end.md": b"no line end",
    "crlf.md": b"one\r\ntwo\r\n",
    "heat.csv": b"1\n",
    "model.sqlite3": b"SQLite format 3\x00",
    ".DS_Store": b"",
}


@pytest.fixture(params=["folder", "archive"])
def field(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A field with something of everything."""
    if request.param == "archive":
        return archive(tmp_path / "woks.memoryfield.zip", FILES)
    path = folder(tmp_path / "woks", FILES)
    for name in FILES:
        os.utime(path / name, (1_767_225_600, 1_767_225_600))  # 2026-01-01T00:00:00Z
    return path


def test_one_page_is_printed_as_it_is(field: Path) -> None:
    """Without a heading, and with a line end where the page has none."""
    assert call("read", field, "woks.md").stdout == GOOD
    assert call("read", field, "no-end.md").stdout == b"no line end\n"
    assert call("read", field, "crlf.md").stdout == b"one\r\ntwo\r\n"


def test_several_pages_keep_their_order(field: Path) -> None:
    """Each under its name, in the order asked for, as often as asked for."""
    done = call("read", field, "no-end.md", "index.md", "no-end.md")
    assert (done.code, done.err) == (0, "")
    assert done.stdout == (
        b"==> no-end.md <==\nno line end\n"
        b"==> index.md <==\n" + FILES["index.md"] + b"==> no-end.md <==\nno line end\n"
    )


def test_raw_pages_follow_each_other(field: Path) -> None:
    """`--raw` adds nothing, neither headings nor line ends."""
    done = spawn("read", "--raw", field, "no-end.md", "crlf.md", "no-end.md")
    assert done.stdout == b"no line endone\r\ntwo\r\nno line end"


def test_missing_page_is_reported_and_the_others_are_printed(field: Path) -> None:
    """A page that is not there is 4, whatever stands around it."""
    done = call("read", field, "xyz.md", "crlf.md", "q.md")
    assert done.code == 4
    assert done.stdout == b"==> crlf.md <==\none\r\ntwo\r\n"
    assert done.err.splitlines() == [
        f"memoryfield: {field}: there is no page `xyz.md`",
        f"memoryfield: {field}: there is no page `q.md`",
    ]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("woks", "`woks.md`"),
        ("wok.md", "`woks.md`"),
        ("index", "`index.md`"),
        ("Index.md", "`index.md`"),
    ],
)
def test_hint_for_a_name_that_is_nearly_right(asked: str, meant: str, field: Path) -> None:
    """The likely page is named, first of all the one that lacks but `.md`."""
    done = call("read", field, asked)
    assert (done.code, done.stdout) == (4, b"")
    assert f"there is no page `{asked}` (did you mean {meant}" in done.err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("heat.csv", "is an attachment, not a page"),
        ("model.sqlite3", "is a vector index, not a page"),
        (".DS_Store", "there is no page"),
        ("../woks.md", "there is no page"),
        ("./woks.md", "there is no page"),
        ("/etc/passwd", "there is no page"),
        ("", "there is no page"),
    ],
)
def test_only_pages_are_read(name: str, says: str, field: Path) -> None:
    """Nothing but the name of a page that was listed is ever opened."""
    done = call("read", field, name)
    assert (done.code, done.stdout) == (4, b"")
    assert says in done.err


def test_entry_that_lies_is_refused(tmp_path: Path) -> None:
    """A page whose CRC does not hold is 3; no byte of it is printed, but those of others are."""
    path = tmp_path / "x.memoryfield.zip"
    data = zip_bytes(ZipEntry("a.md", b"one two\n"), ZipEntry("b.md", b"b\n"))
    path.write_bytes(data.replace(b"one two", b"one TWO"))
    for options in ([], ["--raw"]):
        done = call("read", *options, path, "a.md", "b.md")
        assert done.code == 3
        assert b"one" not in done.stdout
        assert done.stdout.endswith(b"b\n")
        assert "MF601" in done.err
    for command in ("digest", "info"):
        assert call(command, path).code == 3
    report = call("validate", "--format", "json", path)
    assert (report.code, report.json["digest"]) == (1, None)
    assert ("MF601", "a.md") in {(f["rule"], f["file"]) for f in report.json["findings"]}


def test_ls_lists_pages_in_the_order_of_their_bytes(field: Path, tmp_path: Path) -> None:
    """Names alone, one a line; no locale has a say."""
    assert call("ls", field).out == "crlf.md\nindex.md\nno-end.md\nwoks.md\n"
    names = ["B.md", "a-b.md", "a.md", "ab.md", "z.md", "\u00e9.md"]
    other = folder(tmp_path / "names", dict.fromkeys(reversed(names), b""))
    done = spawn("ls", other, env={"LC_ALL": "en_US.UTF-8"})
    assert done.out.split() == names


def test_ls_long_shows_size_time_and_title(field: Path) -> None:
    """The title is that of the frontmatter, or else the name."""
    lines = call("ls", "--long", field).out.splitlines()
    size = f"{len(FILES['index.md']):>9}"
    assert lines[1] == f"{size}  2026-01-01T00:00:00Z  index.md  Woks"
    assert lines[2].endswith("  no-end.md  no-end")


def test_ls_all_says_what_each_is(field: Path) -> None:
    """What is no page is marked, so that nobody takes it for one."""
    lines = call("ls", "--all", "--long", field).out.splitlines()
    assert [line.split()[-1] for line in lines[4:]] == ["(attachment)", "(index)", "(debris)"]
    assert call("ls", "--all", field).out.split()[4:] == ["heat.csv", "model.sqlite3", ".DS_Store"]


def test_ls_all_of_a_folder_without_pages(tmp_path: Path) -> None:
    """With `--all`, something is found where there is anything at all."""
    path = folder(tmp_path / "field", {"heat.csv": b""})
    assert call("ls", path).code == 1
    assert call("ls", "--all", path).code == 0


def test_info_shows_what_there_is(field: Path) -> None:
    """Name, kind, title, numbers and pins; what there is not is left out."""
    lines = dict(line.split(maxsplit=1) for line in call("info", field).out.splitlines())
    assert lines["name"] == "woks"
    assert lines["location"] == str(field)
    assert lines["title"] == "Woks"
    assert (lines["pages"], lines["attachments"], lines["indexes"], lines["debris"]) == tuple(
        "4111"
    )
    assert ("archive" in lines) == (field.suffix == ".zip")
    numbered = call("info", "--format", "json", field).json
    assert lines["bytes"] == f"{numbered['bytes']:,}"


def test_info_without_an_introduction(places: Path) -> None:
    """A field needs no `index.md`, and one that cannot be parsed stops nothing."""
    assert "title" not in call("info", places / "known").out


def test_info_of_a_broken_introduction(tmp_path: Path) -> None:
    """A title that cannot be read is no title."""
    path = folder(tmp_path / "field", KNOWN | {"index.md": b"---\ntitle: [\n---\n"})
    done = call("info", path)
    assert done.code == 0
    assert "title        index\n" in done.out


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (["digest"], f"{KNOWN_PIN}\n"),
        (["ls"], "a.md\nb.md\n"),
        (["read", "--raw"], "b\n"),
        (["info", "--format", "json"], '"kind": "archive"'),
    ],
    ids=["digest", "ls", "read", "info"],
)
def test_an_archive_on_stdin(command: list[str], answer: str, places: Path) -> None:
    """The location "-" is what is piped in, for every command."""
    pages = ["b.md"] if command[0] == "read" else []
    with (places / "known.memoryfield.zip").open("rb") as file:
        done = subprocess.run(
            [COMMAND, *command, "-", *pages], stdin=file, capture_output=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert answer in done.stdout.decode()

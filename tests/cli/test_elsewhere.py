"""The commands on fields that live elsewhere: the same answers, and errors a person understands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import FAULTY, GOOD, KNOWN, KNOWN_PIN, call
from tests.cli.terminal import on_a_terminal
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.git_repository import Commit, git, make_repository
from tests.readers.servers.s3_server import s3_server
from tests.readers.servers.s3_world import KEYS, no_aws

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

QUICK = ("--retries", "0", "--timeout", "20")


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with the known field: served by its listing, and as an archive."""
    listing = b"[a](a.md)\n\n[b](b.md)\n"
    files = {f"/known/{name}": data for name, data in KNOWN.items()}
    archive = zip_bytes(*(ZipEntry(name, data) for name, data in KNOWN.items()))
    with FaultyHttp(
        {
            **files,
            "/listed/listing.md": listing,
            "/listed/a.md": b"a\n",
            "/listed/b.md": b"b\n",
            "/known.memoryfield.zip": archive,
        }
    ) as made:
        yield made


def test_an_archive_elsewhere(server: FaultyHttp) -> None:
    """`digest`, `ls`, `read`, `info` and `validate` answer as for the file."""
    url = server.url("/known.memoryfield.zip")
    assert call("digest", *QUICK, url).out == f"{KNOWN_PIN}\n"
    assert call("ls", *QUICK, url).out == "a.md\nb.md\n"
    assert call("read", *QUICK, "--raw", url, "b.md", "a.md").out == "b\na\n"
    info = call("info", *QUICK, "--format", "json", url).json
    assert (info["name"], info["kind"], info["digest"]) == ("known", "archive", KNOWN_PIN)
    assert info["archive_pin"].startswith("sha256:")
    report = call("validate", *QUICK, "--format", "json", url)
    assert (report.code, report.json["digest"], report.json["location"]) == (0, KNOWN_PIN, url)


def test_a_served_field_says_how_it_was_found(server: FaultyHttp) -> None:
    """By its listing attachments cannot be seen: a note says so, and stdout is the answer alone."""
    url = server.url("/listed/")
    done = call("ls", *QUICK, url)
    assert (done.code, done.out) == (0, "a.md\nb.md\nlisting.md\n")
    assert done.err.startswith(f"memoryfield: {url}: ")
    assert "listing.md" in done.err
    assert "attachments" in done.err
    checked = call("validate", *QUICK, "--format", "json", url)
    assert json.loads(checked.out)["pages"] == 3
    assert "attachments" in checked.err
    info = call("info", *QUICK, "--format", "json", url).json
    assert (info["kind"], info["pages"], info["bytes"]) == ("directory", 3, 25)


def test_a_served_archive_is_named(server: FaultyHttp) -> None:
    """A field that is read from the archive beside its pages says so, also where that is bad."""
    url = server.url("/woks/")
    server.files["/woks/memoryfield.zip"] = server.files["/known.memoryfield.zip"]
    done = call("digest", *QUICK, url)
    assert (done.code, done.out) == (0, f"{KNOWN_PIN}\n")
    assert done.err == f"memoryfield: {url}: read as {url}memoryfield.zip\n"
    server.files["/woks/memoryfield.zip"] = b"no archive"
    bad = call("digest", *QUICK, url)
    assert bad.code == 3
    assert bad.err.startswith(f"memoryfield: {url}memoryfield.zip: no readable archive, MF601")


def test_long_listings_show_what_reading_tells(server: FaultyHttp) -> None:
    """Sizes and times that HTTP has only in its answers stand in `ls --long`."""
    rows = call("ls", *QUICK, "--format", "json", server.url("/listed/")).json["entries"]
    assert [(row["name"], row["size"]) for row in rows[:2]] == [("a.md", 2), ("b.md", 2)]
    assert all(row["modified"].endswith("Z") for row in rows)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits of a field in a folder."""
    first = Commit({f"notes/{name}": data for name, data in KNOWN.items()}, seconds=1_700_000_000)
    second = Commit({"notes/c.md": GOOD}, seconds=1_700_000_100)
    return make_repository(tmp_path / "repo", [first, second])


def test_the_commit_is_resolved_and_shown(repository: Path) -> None:
    """stderr and `info` name the commit that was read; a full commit needs no word."""
    commit = git(repository, "rev-parse", "main")
    location = f"git+file://{repository}@main#notes"
    resolved = f"git+file://{repository}@{commit}#notes"
    done = call("ls", location)
    assert (done.code, done.out) == (0, "a.md\nb.md\nc.md\n")
    assert done.err == f"memoryfield: {location}: read as {resolved}\n"
    assert call("ls", resolved).err == ""
    assert call("info", "--format", "json", location).json["resolved"] == resolved
    before = git(repository, "rev-parse", "main~1")
    older = call("digest", f"git+file://{repository}@{before}#notes")
    assert older.out == f"{KNOWN_PIN}\n"
    assert f"read as {resolved}" in call("validate", location).err


def test_the_commit_of_an_archive_is_shown_too(tmp_path: Path) -> None:
    """An archive is read at a commit, which is told; an error of its size says where."""
    archive = zip_bytes(*(ZipEntry(name, data) for name, data in KNOWN.items()))
    path = make_repository(tmp_path / "repo", [Commit({"x.memoryfield.zip": archive})])
    location = f"git+file://{path}#x.memoryfield.zip"
    commit = git(path, "rev-parse", "main")
    done = call("digest", location)
    assert done.out == f"{KNOWN_PIN}\n"
    assert done.err.startswith(f"memoryfield: {location}: read as git+file://{path}@{commit}#x")
    limits = [f"--limit={name}=1" for name in ("total-bytes", "directory-bytes", "entries")]
    refused = call("digest", *limits, location)
    assert refused.code == 3
    assert refused.err.startswith(f"memoryfield: {location}: more than 131 bytes")


def test_what_is_known_of_no_version_is_told(server: FaultyHttp) -> None:
    """What a server does not say of an archive reaches the person who reads it."""
    silent = faults.with_headers(**{"ETag": None, "Last-Modified": None})
    server.fail("*", silent, times=None)
    done = call("validate", *QUICK, server.url("/known.memoryfield.zip"))
    assert done.code == 0
    assert "the server gives no version" in done.err


def test_dates_of_commits_are_there_on_demand(repository: Path) -> None:
    """`ls --dates` asks for the last commit that touched each page."""
    rows = call("ls", "--format", "json", "--dates", f"git+file://{repository}@main#notes").json[
        "entries"
    ]
    assert [row["modified"] for row in rows] == [
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:15:00Z",
    ]


def test_a_bucket_by_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endpoint by option, credentials by environment; without them, the hint names `--anon`."""
    with no_aws():
        store = s3_server()
        bucket = store.bucket()
        for name, data in KNOWN.items():
            store.put(bucket, f"woks/{name}", data)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS["key"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["secret"])
        option = ("--option", f"endpoint_url={store.url}", "--option", "region=us-east-1")
        assert call("digest", *option, f"s3://{bucket}/woks/").out == f"{KNOWN_PIN}\n"
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        refused = call("digest", *option, *QUICK, f"s3://{bucket}/woks/")
        assert refused.code == 4
        assert "--anon" in refused.err
        assert call("digest", *option, "--anon", f"s3://{bucket}/woks/").code in (0, 4)


FAILURES = {
    "not there": (faults.status(404), 4, "404"),
    "forbidden": (faults.status(403), 4, "403"),
    "busy": (faults.status(503), 4, "503"),
    "a login page": (faults.login_page, 4, "HTML"),
    "a loop": (faults.redirect("/known.memoryfield.zip"), 4, "redirect"),
    "cut short": (faults.cut(20), 4, "20"),
}


@pytest.mark.parametrize("case", FAILURES)
@pytest.mark.parametrize("command", ["ls", "validate"])
def test_what_fails_is_one_line_and_exit_4(case: str, command: str, server: FaultyHttp) -> None:
    """The line names the location and what was seen; nothing is on stdout but the report."""
    fault, code, word = FAILURES[case]
    server.fail("*", fault, times=None)
    url = server.url("/known.memoryfield.zip")
    done = call(command, *QUICK, "--format", "json", url)
    assert done.code == code
    assert word in done.err
    assert done.err.startswith(f"memoryfield: {url}: ")
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_what_a_server_refuses_of_a_field_is_named(server: FaultyHttp) -> None:
    """The folder opens in a browser; it is the archive in it that was asked for first."""
    server.fail("/listed/memoryfield.zip", faults.status(403), times=None)
    url = server.url("/listed/")
    assert call("ls", *QUICK, url).err.startswith(f"memoryfield: {url}: memoryfield.zip: 403 ")


def test_a_silent_server_is_given_up(server: FaultyHttp) -> None:
    """`--timeout` is how long an answer may take to begin."""
    server.fail("*", faults.silence, times=None)
    url = server.url("/known.memoryfield.zip")
    done = call("ls", "--timeout", "0.3", "--retries", "0", url)
    assert (done.code, done.out) == (4, "")
    assert "0.3" in done.err


def test_retries_bring_what_fails_once(server: FaultyHttp) -> None:
    """A failure that passes is not noticed."""
    server.fail("/known.memoryfield.zip", faults.status(503, **{"Retry-After": "0"}), times=2)
    done = call("digest", "--retries", "2", server.url("/known.memoryfield.zip"))
    assert (done.code, done.out, done.err) == (0, f"{KNOWN_PIN}\n", "")


WRONG = {
    "no equals sign": ["--option", "endpoint_url"],
    "no name": ["--option", "=1"],
    "an option that HTTP has not": ["--option", "endpoint_url=http://127.0.0.1"],
    "a time that is none": ["--timeout", "0"],
    "fewer than no retries": ["--retries", "-1"],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_are_wrong_usage(case: str, server: FaultyHttp) -> None:
    """They exit with 2 before anything is asked."""
    done = call("ls", *WRONG[case], server.url("/known.memoryfield.zip"))
    assert (done.code, done.out) == (2, "")
    assert server.asked() == []


def test_what_is_elsewhere_cannot_be_mended(server: FaultyHttp) -> None:
    """`--fix` writes into folders of this machine alone, and asks nobody."""
    done = call("validate", "--fix", server.url("/known/"))
    assert done.code == 2
    assert "folder" in done.err
    assert server.asked() == []


@pytest.mark.parametrize("form", ["text", "jsonl", "sarif", "junit", "github"])
def test_every_report_names_a_location_elsewhere(form: str, server: FaultyHttp) -> None:
    """A finding in a field elsewhere is told in every format, with the location as given."""
    server.files["/bad.memoryfield.zip"] = zip_bytes(ZipEntry("a.md", FAULTY))
    url = server.url("/bad.memoryfield.zip")
    done = call("validate", *QUICK, "--format", form, url)
    assert done.code == 1
    assert "MF304" in done.out
    assert url in done.out.replace("%3A", ":")


def test_fields_elsewhere_are_checked_in_several_processes(server: FaultyHttp) -> None:
    """Options cross to the processes, and one location that fails keeps no other from it."""
    urls = [server.url("/known.memoryfield.zip"), server.url("/gone.zip"), server.url("/listed/")]
    done = call("validate", "--jobs", "2", *QUICK, "--format", "json", *urls)
    assert done.code == 4
    assert [report["location"] for report in done.json["reports"]] == [urls[0], urls[2]]
    assert f"{urls[1]}: " in done.err


def test_a_server_that_dies_leaves_what_had_come(server: FaultyHttp) -> None:
    """`read` prints the pages that came, and one line says how many did not."""
    names = [f"p{n}.md" for n in range(40)]
    server.files |= {f"/many/{name}": name.encode() + b"\n" for name in names}
    server.files["/many/listing.md"] = "\n".join(f"[x]({n})" for n in names).encode()
    server.fail("*", faults.reset, times=None, after=20)
    done = call("read", *QUICK, "--raw", server.url("/many/"), *names)
    printed = done.out.splitlines()
    assert done.code == 4
    assert 0 < len(printed) < 40
    assert set(printed) <= set(names)
    told, _ = done.err.splitlines()  # the other one says how the pages were found
    assert f"; {len(printed)} of 40 files had come" in told
    server.mend()
    server.fail("*", faults.reset, times=None, after=20)
    rows = call("ls", *QUICK, "--format", "json", server.url("/many/"))
    assert rows.code == 4
    entries = rows.json["entries"]
    assert len(entries) == 41
    assert 0 < sum(entry["title"] is not None for entry in entries) < 41


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_long_transfer_shows_a_bar(server: FaultyHttp) -> None:
    """On a terminal, files that come one after the other are counted; the bar leaves nothing."""
    names = [f"p{n}.md" for n in range(40)]
    server.files |= {f"/many/{name}": b"x\n" for name in names}
    server.files["/many/listing.md"] = "\n".join(f"[x]({n})" for n in names).encode()
    seen = on_a_terminal("digest", *QUICK, server.url("/many/"))
    assert b"Fetching" in seen
    assert b"field-sha256:" in seen.rpartition(b"\x1b[?25h")[2]

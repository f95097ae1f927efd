"""What a location's text says: which transport and where, and never a credential."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryfield_readers import LocationError
from memoryfield_readers.locations import (
    FsspecLocation,
    GitHubLocation,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
    parse_location,
)
from memoryfield_readers.locations.foreign import require_shareable


def _http(url: str, name: str, *, archive: bool = False, shown: str | None = None) -> HttpLocation:
    return HttpLocation(shown or url, url, archive, name)


def _github(text: str, **parts: Any) -> GitHubLocation:
    host = "github.com" if text.startswith(HUB) else ""
    return GitHubLocation(text, **{"host": host, "owner": "o", "repo": "r", **parts})


WEB = "https://host.example"
HUB = "https://github.com/o/r"

READ: dict[str, ParsedLocation] = {
    "woks": LocalLocation("woks", Path("woks")),
    "C:woks": LocalLocation("C:woks", Path("C:woks")),
    f"{WEB}/woks": _http(f"{WEB}/woks/", "woks"),
    f"{WEB}/a/woks/": _http(f"{WEB}/a/woks/", "woks"),
    WEB: _http(f"{WEB}/", "host.example"),
    f"{WEB}:8080/": _http(f"{WEB}:8080/", "host.example"),
    f"{WEB}/x.memoryfield.zip": _http(
        f"{WEB}/x.memoryfield.zip", "x.memoryfield.zip", archive=True
    ),
    f"{WEB}/x.ZIP": _http(f"{WEB}/x.ZIP", "x.ZIP", archive=True),
    f"{WEB}/a%20b.zip": _http(f"{WEB}/a%20b.zip", "a b.zip", archive=True),
    f"{WEB}/x.zip?download=1": _http(
        f"{WEB}/x.zip?download=1", "x.zip", archive=True, shown=f"{WEB}/x.zip?…"
    ),
    "s3://bucket": S3Location("s3://bucket/", "bucket", "", False),
    "s3://bucket/a/b": S3Location("s3://bucket/a/b/", "bucket", "a/b/", False),
    "s3://bucket/a b#?/": S3Location("s3://bucket/a b#?/", "bucket", "a b#?/", False),
    "s3://bucket/x.zip": S3Location("s3://bucket/x.zip", "bucket", "x.zip", True),
    "s3://bucket/x.zip?versionId=3/L4": S3Location(
        "s3://bucket/x.zip?versionId=3/L4", "bucket", "x.zip", True, "3/L4"
    ),
    "s3://bucket/x.zip?versionId=a%2Bb": S3Location(
        "s3://bucket/x.zip?versionId=a%2Bb", "bucket", "x.zip", True, "a+b"
    ),
    "simplecache::https://host.example/x.zip": FsspecLocation(
        "simplecache::https://host.example/x.zip",
        "simplecache::https://host.example/x.zip",
        True,
        "x.zip",
    ),
    "github://o/r": _github("github://o/r"),
    "github://o/r.git": _github("github://o/r.git"),
    "github://o/r/sub/dir@main": _github("github://o/r/sub/dir@main", path="sub/dir", ref="main"),
    "github://o/r@feature/x@2": _github("github://o/r@feature/x@2", ref="feature/x@2"),
    "github://o/r/a%40b@v1": _github("github://o/r/a%40b@v1", path="a@b", ref="v1"),
    "github://ghe.example/o/r@v1": _github(
        "github://ghe.example/o/r@v1", host="ghe.example", ref="v1"
    ),
    "github://o/r/x.zip": _github("github://o/r/x.zip", path="x.zip", is_archive=True),
    HUB: _github(HUB),
    f"{HUB}/": _github(f"{HUB}/"),
    f"{HUB}/tree/feature/x/sub": _github(f"{HUB}/tree/feature/x/sub", ref_and_path="feature/x/sub"),
    f"{HUB}/blob/main/x.zip": _github(
        f"{HUB}/blob/main/x.zip", ref_and_path="main/x.zip", is_archive=True
    ),
    f"{HUB}/releases/download/v1%2F2/x.memoryfield.zip": _github(
        f"{HUB}/releases/download/v1%2F2/x.memoryfield.zip",
        path="x.memoryfield.zip",
        release="v1/2",
        is_archive=True,
    ),
    "git+file:///a/repo": GitLocation("git+file:///a/repo", "/a/repo", True),
    "git+file:///a/repo@feature/x#sub/dir": GitLocation(
        "git+file:///a/repo@feature/x#sub/dir", "/a/repo", True, "feature/x", "sub/dir"
    ),
    "git+https://host.example/o/r.git@v1#x.zip": GitLocation(
        "git+https://host.example/o/r.git@v1#x.zip",
        "https://host.example/o/r.git",
        False,
        "v1",
        "x.zip",
        True,
    ),
    "memory://a/woks": FsspecLocation("memory://a/woks", "memory://a/woks", False, "woks"),
    "gs://bucket/x.zip": FsspecLocation("gs://bucket/x.zip", "gs://bucket/x.zip", True, "x.zip"),
    "sftp://me@host/woks/": FsspecLocation(
        "sftp://host/woks/", "sftp://me@host/woks/", False, "woks"
    ),
    "dir::zip://*::file:///a.zip": FsspecLocation(
        "dir::zip://*::file:///a.zip", "dir::zip://*::file:///a.zip", False, "dir"
    ),
}


@pytest.mark.parametrize("text", READ)
def test_what_a_text_says(text: str) -> None:
    """Each kind of location is taken apart without asking anyone."""
    assert parse_location(text) == READ[text]


REFUSED = {
    "a user": "https://secret@host.example/woks.zip",
    "a password": "https://me:secret@host.example/woks.zip",
    "a password with an @": "https://me:sec:ret@secret@host.example/woks.zip",
    "a password with a slash": "https://me:sec/ret@host.example/woks.zip",
    "a password with a hash": "https://me:sec#ret@host.example/woks.zip",
    "a token": f"{WEB}/woks.zip?token=secret",
    "an access token": f"{WEB}/woks.zip?a=1&access_token=secret",
    "a signature": f"{WEB}/woks.zip?a=1&X-Amz-Signature=secret#x",
    "a shared signature": f"{WEB}/woks.zip?sv=1&sig=secret",
    "a fragment": f"{WEB}/woks.zip#token=secret",
    "a query of a folder": f"{WEB}/woks/?x=secret",
    "something before a host": "me:secret@host.example:woks.zip",
    "an S3 key": "s3://AKIA:secret@bucket/x.zip",
    "an S3 text": "s3:me:secret@woks",
    "an S3 signature": "s3://bucket/x.zip?X-Amz-Signature=secret",
    "a GitHub token": "github://secret@o/r",
    "a GitHub user": "github://me:secret@github.com/o/r",
    "a GitHub query": "github://o/r?token=secret",
    "a git user": "git+https://me:secret@host.example/r.git",
    "a git token": "git+https://secret@host.example/r.git@main",
    "a git query": "git+https://host.example/r.git?token=secret",
    "a store's password": "sftp://me:secret@host/woks",
    "a store's password after an address": "sftp://me@corp.example:secret@host/woks",
    "a chain's password": "simplecache::sftp://me:secret@host/woks",
    "an unknown scheme": "gopher://me:secret@host/",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_credentials_never_reach_a_message(text: str) -> None:
    """A text that may hold a credential is wrong usage, and no part of that is repeated."""
    with pytest.raises(LocationError) as caught:
        parse_location(text)
    assert caught.value.exit_code == 2
    assert "sec" not in f"{caught.value} {caught.value.hint}"
    assert caught.value.__cause__ is None


NONE = {
    "no host": "https:///woks/",
    "a port that is none": f"{WEB}:x/woks/",
    "a blank": f"{WEB}/a b.zip",
    "a line feed": f"{WEB}/a\nb.zip",
    "a backslash": f"{WEB}/a\\b.zip",
    "a page": f"{WEB}/field/index.md",
    "no bucket": "s3://",
    "a version of a folder": "s3://bucket/a/?versionId=1",
    "no repository": "github://o",
    "a path upwards": "github://o/r/../s",
    "a repository upwards": "github://o/...git",
    "no repository's name": "github://o/..git",
    "an encoded path upwards": "github://o/r/%2e%2e/s",
    "an encoded slash upwards": "github://o/r/a%2f..%2f..",
    "no ref": "github://o/r@",
    "into .git": "git+file:///repo@main#.git/hooks",
    "a relative repository": "git+file://repo",
    "a repository elsewhere": "git+file://host/repo",
    "ssh": "git+ssh://git@host/r.git",
    "a folder upwards": "git+file:///repo#../x",
    "a file of GitHub": f"{HUB}/blob/main/a.md",
    "an archive that GitHub makes": f"{HUB}/archive/refs/tags/v1.zip",
    "another page of GitHub": f"{HUB}/issues/3",
    "a chain of nothing": "dir::",
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_what_is_no_location(text: str) -> None:
    """What names nothing that could be read is wrong usage, and the message is one line."""
    with pytest.raises(LocationError) as caught:
        parse_location(text)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_a_page_and_a_made_archive_get_the_way_out() -> None:
    """Who pastes the address of a page or of a made archive is told what to give instead."""
    for text, hint in (
        (f"{WEB}/field/index.md", f"give the folder: {WEB}/field/"),
        (f"{HUB}/archive/refs/tags/v1.zip", "give github://o/r@v1"),
        (f"{HUB}/blob/main/notes/a.md", f"give the folder: {HUB}/tree/main/notes"),
    ):
        with pytest.raises(LocationError) as caught:
            parse_location(text)
        assert caught.value.hint == hint


def test_an_enterprise_host_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person copies from the browser of an Enterprise server is known by its host."""
    text = "https://ghe.example/o/r/tree/main"
    assert isinstance(parse_location(text), HttpLocation)
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://ghe.example")
    assert parse_location(text) == _github(text, host="ghe.example", ref_and_path="main")
    monkeypatch.setenv("GITHUB_SERVER_URL", "http://[")
    assert isinstance(parse_location(text), HttpLocation)


FOREIGN_REFUSED = [
    "/etc",
    "file:///etc/hostname",
    "git+file:///repo",
    "simplecache::file:///etc/hostname",
    "zip://*::https://host.example/a.zip",
    "memory://woks",
    "sftp://host/woks",
    "http://localhost/woks/",
    "http://LOCALHOST./woks/",
    "http://127.0.0.1/woks/",
    "http://127.1/woks/",
    "http://2130706433/woks/",
    "http://0x7f000001/woks/",
    "http://[::1]/woks/",
    "http://[::ffff:127.0.0.1]/woks/",
    "http://[2002:7f00:1::1]/woks/",
    "http://[64:ff9b::7f00:1]/woks/",
    "http://169.254.169.254/latest/",
    "http://10.0.0.1/woks/",
    "http://router.local/x.zip",
    "http://intranet/x.zip",
    "git+http://127.0.0.1/r.git",
    "github://127.0.0.1/o/r",
]


@pytest.mark.parametrize("text", FOREIGN_REFUSED)
def test_what_may_not_come_from_someone_else(text: str) -> None:
    """A lock file or a page names no path, chain, or host of this machine or its network."""
    with pytest.raises(LocationError) as caught:
        require_shareable(parse_location(text))
    assert "comes from someone else" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "https://host.example/woks/",
        "https://93.184.215.14/x.zip",
        "s3://bucket/woks/",
        "github://o/r@main",
        "git+https://host.example/r.git",
        "gs://bucket/woks/",
    ],
)
def test_what_may_come_from_someone_else(text: str) -> None:
    """Public places may be named by anyone."""
    require_shareable(parse_location(text))

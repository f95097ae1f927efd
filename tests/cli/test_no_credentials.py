"""No credential reaches a message, a report or an exception, however a transfer ends."""

from __future__ import annotations

import base64
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.cli.command import KNOWN, Outcome, call
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp
from tests.readers.servers.git_http import git_server
from tests.readers.servers.git_repository import Commit, make_repository
from tests.readers.servers.github_api import GitHubServer
from tests.readers.servers.s3_server import s3_server
from tests.readers.servers.s3_world import no_aws, s3_world

from memoryfield_readers import MemoryfieldError, open_field
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

SECRET = "hunter2hunter2hunter2"
ARCHIVE = zip_bytes(*(ZipEntry(name, data) for name, data in KNOWN.items()))
QUICK = ("--retries", "1", "--timeout", "20")
COMMANDS = (("info",), ("digest", "--format", "json"), ("validate", "--format", "sarif"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose netrc has the secret, for this machine."""
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_URL", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GH_CONFIG_DIR", str(tmp_path / "none"))
    return tmp_path


def _all_of(done: Outcome) -> str:
    return (done.stdout + done.stderr).decode()


def _said(*arguments: str) -> str:
    """All that the commands say, and what Python says of the error with all of its causes."""
    said = "".join(_all_of(call(*command, *QUICK, *arguments)) for command in COMMANDS)
    assert said
    return said


def _raised(location: str, **options: object) -> str:
    try:
        open_field(location, storage_options={"retries": 0, "timeout": 20, **options}).close()
    except MemoryfieldError as error:
        shown = "".join(traceback.format_exception(error))
        return f"{shown} {error!r} {error.hint} {error.__dict__}"
    return ""


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server that wants the secret."""
    with FaultyHttp({"/x.memoryfield.zip": ARCHIVE}) as made:
        yield made


HTTP_ENDINGS: dict[str, list[Fault]] = {
    "let in": [],
    "wrong": [faults.status(401)],
    "forbidden": [faults.status(403)],
    "broken": [faults.status(500)],
    "reset": [faults.reset],
    "garbage": [faults.garbage],
    "cut": [faults.cut(10)],
    "sent on with a signature": [faults.redirect(f"/gone.zip?X-Amz-Signature={SECRET}")],
    "sent on to a user": [faults.redirect(f"http://me:{SECRET}@127.0.0.1:1/x.zip")],
    "sent on to nobody": [faults.redirect(f"http://127.0.0.1:1/x.zip?sig={SECRET}")],
    "sent on to no scheme": [faults.redirect(f"ftp://127.0.0.1/{SECRET}?sig={SECRET}")],
    "a login page with it": [faults.redirect(f"/login?password={SECRET}")],
}


@pytest.mark.parametrize("ending", HTTP_ENDINGS)
def test_of_http(ending: str, server: FaultyHttp) -> None:
    """Basic credentials are sent, and no ending of the transfer shows them."""
    for fault in HTTP_ENDINGS[ending]:
        server.fail("/x.memoryfield.zip", fault, times=None)
    url = server.url("/x.memoryfield.zip")
    assert SECRET not in _said(url).replace(f"ftp://127.0.0.1/{SECRET}", "")
    assert SECRET not in _raised(url).replace(f"ftp://127.0.0.1/{SECRET}", "")
    sent = {request.headers.get("authorization") for request in server.asked()}
    assert "Basic bWU6aHVudGVyMmh1bnRlcjJodW50ZXIy" in sent


@pytest.mark.parametrize("ending", ["let in", "missing", "forbidden", "unreachable"])
def test_of_s3(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of the environment and of options show in nothing that S3 answers."""
    with no_aws():
        store = s3_server()
        bucket = store.bucket()
        store.put(bucket, "woks/a.md", b"a\n")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", f"AKIA{SECRET}")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        monkeypatch.setenv("AWS_SESSION_TOKEN", SECRET)
        url = "http://127.0.0.1:1" if ending == "unreachable" else store.url
        place = {"missing": f"s3://{bucket}/gone/", "forbidden": f"s3://{bucket}-2/"}
        location = place.get(ending, f"s3://{bucket}/woks/")
        option = ("--option", f"endpoint_url={url}", "--option", "region=us-east-1")
        assert SECRET not in _said(*option, location)
        assert SECRET not in _raised(
            location, endpoint_url=url, key=f"AKIA{SECRET}", secret=SECRET, token=SECRET
        )


@pytest.mark.parametrize("ending", ["let in", "refused", "rate-limited", "broken"])
def test_of_github(ending: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token goes to the API alone, and shows in no answer."""
    repository = make_repository(home / "repo", [Commit(KNOWN)])
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    with GitHubServer(repository) as github:
        monkeypatch.setenv("GITHUB_API_URL", github.api.base)
        endings = {
            "refused": faults.status(401),
            "rate-limited": faults.status(
                403, **{"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4102444800"}
            ),
            "broken": faults.status(500),
        }
        if ending in endings:
            github.api.fail("*", endings[ending], times=None)
        assert SECRET not in _said("github://owner/field@main")
        assert SECRET not in _raised("github://owner/field@main")
        assert any(SECRET in str(request.headers) for request in github.api.asked())
        others = (*github.codeload.asked(), *github.files.asked())
        assert not any(SECRET in str(request.headers) for request in others)


def test_of_git(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git says of a server that refuses does not show what the netrc holds."""
    make_repository(home / "repo.git", [Commit(KNOWN)])
    monkeypatch.setenv("HOME", str(home))
    (home / ".netrc").write_text((home / "netrc").read_text())
    with git_server(home) as server:
        server.password = "another"
        location = f"git+{server.url}/repo.git@main"
        assert SECRET not in _said(location)
        assert SECRET not in _raised(location)


def test_nothing_is_left_on_disk(server: FaultyHttp, home: Path) -> None:
    """No file that a read leaves behind holds the secret: it leaves none."""
    before = sorted(os.listdir(home))
    assert call("digest", server.url("/x.memoryfield.zip")).code == 0
    assert sorted(os.listdir(home)) == before


def _locked_and_fetched(home: Path, location: str, *options: str) -> str:
    """All that `lock add`, `fetch` and others say and leave, the names of files included.

    The secret must have been let in: the field is fetched.
    """
    place = home / "here"
    place.mkdir()
    said = ""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for name in ("CACHE", "STATE"):
            patch.setenv(f"MEMORYFIELD_{name}_DIR", str(home / name))
        patch.delenv("MEMORYFIELD_LOCK", raising=False)
        for command in (
            ("lock", "add", "x", location, *QUICK, *options),
            ("fetch", *QUICK, *options, "--format", "json", "--out", "out"),
            ("lock", "check", *QUICK, *options),
            ("lock", "show"),
            ("diff", "@x", *QUICK, *options),
            ("read", "--offline", "@x", "a.md"),
            ("cache", "info"),
        ):
            done = call(*command)
            assert done.code == 0, done.err
            said += _all_of(done)
    left = [path for name in ("here", "CACHE", "STATE") for path in (home / name).rglob("*")]
    files = [path for path in left if path.is_file()]
    assert {"memoryfields.lock", "typed-locations", "CACHEDIR.TAG"} <= {each.name for each in files}
    assert list((home / "CACHE").rglob("objects/*/*"))
    names = " ".join(str(path.relative_to(home)) for path in left)
    return said + names + "".join(path.read_bytes().decode("latin-1") for path in files)


def _is_clean(text: str) -> bool:
    """Whether neither the secret nor a form in which it travels is in a text."""
    basic = base64.b64encode(f"me:{SECRET}".encode()).decode()
    return not any(form in text for form in (SECRET, basic, SECRET.encode().hex(), quote(SECRET)))


@pytest.mark.parametrize("of", ["netrc", "environment"])
def test_lock_and_cache_of_http(
    of: str, server: FaultyHttp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is kept holds what let somebody in."""
    server.fail("*", faults.basic("me", SECRET), times=None)
    if of == "environment":
        monkeypatch.setenv("NETRC", str(home / "none"))
        for name, value in (("HOST", "127.0.0.1"), ("USER", "me"), ("PASSWORD", SECRET)):
            monkeypatch.setenv(f"MEMORYFIELD_HTTP_{name}", value)
    assert _is_clean(_locked_and_fetched(home, server.url("/x.memoryfield.zip")))


def test_lock_and_cache_of_s3(home: Path) -> None:
    """As of HTTP, for keys of the environment."""
    with s3_world() as world:
        world.patch.setenv("AWS_ACCESS_KEY_ID", f"AKIA{SECRET}")
        world.patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        bucket = world.server.bucket()
        for name, data in KNOWN.items():
            world.server.put(bucket, f"woks/{name}", data)
        options = ("--option", f"endpoint_url={world.gate.url}", "--option", "region=us-east-1")
        assert _is_clean(_locked_and_fetched(home, f"s3://{bucket}/woks/", *options))
        assert all(SECRET in str(asked.headers) for asked in world.gate.asked)


def test_lock_and_cache_of_github(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of HTTP, for a token that opens a private repository."""
    repository = make_repository(home / "repo", [Commit(KNOWN)])
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    with GitHubServer(repository) as github:
        github.rules.token, github.rules.is_private = SECRET, True
        monkeypatch.setenv("GITHUB_API_URL", github.api.base)
        assert _is_clean(_locked_and_fetched(home, "github://owner/field@main"))


def test_lock_and_cache_of_git(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of HTTP, for the netrc that git reads."""
    make_repository(home / "repo.git", [Commit(KNOWN)])
    monkeypatch.setenv("HOME", str(home))
    (home / ".netrc").write_text((home / "netrc").read_text())
    with git_server(home) as server:
        server.password = base64.b64encode(f"me:{SECRET}".encode()).decode()
        assert _is_clean(_locked_and_fetched(home, f"git+{server.url}/repo.git@main"))
        assert server.authorizations

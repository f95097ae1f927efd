"""What a person is told who gave the address of something that git cannot fetch from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.readers.git_fields import PATIENT, located
from tests.readers.servers.git_repository import Commit, git, make_repository

from memoryfield_readers.errors import MemoryfieldError, SourceUnavailable
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitFolder
from memoryfield_readers.transfer.options import TransferOptions

SECRET = "correct-horse"


@contextmanager
def web(root: Path) -> Iterator[str]:
    """The URL of a server of plain files, which sends the repository `login.git` elsewhere."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith("/login.git"):
                super().do_GET()
                return
            self.send_response(302)
            self.send_header("Location", f"http://{SECRET}@127.0.0.1:{port}/in?next={SECRET}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    port = server.server_port
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def error_at(text: str, options: TransferOptions = PATIENT) -> MemoryfieldError:
    """What is raised where a location is opened."""
    with pytest.raises(SourceUnavailable) as caught:
        GitFolder(located(text), options, DEFAULT_LIMITS)
    assert type(caught.value) is SourceUnavailable
    return caught.value


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("page.git", "it is no git repository", "`git ls-remote` on it"),
        ("plain.git", "plain file server", "clone the repository with git"),
        ("login.git", "the server redirects elsewhere", "in a browser"),
    ],
)
def test_what_is_wrong_with_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str, hint: str
) -> None:
    """A page of HTML, a repository as mere files, and a redirect to where one logs in."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (tmp_path / "page.git/info").mkdir(parents=True)
    (tmp_path / "page.git/info/refs").write_text("<html><body>Log in</body></html>\n")
    (tmp_path / "in").write_text("<html><body>Log in</body></html>\n")
    plain = make_repository(tmp_path / "plain.git", [Commit({"a.md": b"# A\n"})])
    git(plain, "update-server-info")
    with web(tmp_path) as url:
        error = error_at(f"git+{url}/{name}@main")
    assert message in error.message
    assert hint in (error.hint or "")
    assert SECRET not in f"{error} {error.hint}"
    assert "http" not in error.message


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        ("fatal: fetch-pack: invalid index-pack output", "may be full", "TMPDIR"),
        ("fatal: write error: No space left on device", "may be full", "TMPDIR"),
        ("fatal: pack is corrupted\nfatal: fetch-pack: invalid index-pack output", "pack is", ""),
        ("fatal: early EOF\nfatal: fetch-pack: invalid index-pack output", "early EOF", ""),
        ("error: RPC failed; curl 28 Operation too slow.", "too slow", "--timeout"),
        ("fatal: unable to access 'x': The requested URL returned error: 302", "redirects", "give"),
        ("fatal: protocol error: bad line length character: <htm", "no git repository", "address"),
        ("fatal: something new", "it cannot be fetched: something new", ""),
    ],
)
def test_what_git_says_is_made_plain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, message: str, hint: str
) -> None:
    """By a stand-in for git that cannot fetch; what is not known is told as git tells it."""
    stand_in = tmp_path / "git"
    stand_in.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{said}\nEND\nexit 128\n")
    stand_in.chmod(0o755)
    monkeypatch.setattr("memoryfield_readers.git.command.shutil.which", lambda _: str(stand_in))
    error = error_at("git+http://127.0.0.1:9/r.git@main")
    assert message in error.message
    assert hint in (error.hint or "")
    assert (error.hint is None) is (hint == "")

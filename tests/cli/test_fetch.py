"""`memoryfield fetch`: what it prints, what it writes, and what it exits with."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.cli.command import Argument, Outcome, call, spawn
from tests.cli.terminal import on_a_terminal
from tests.readers.fetching_fields import (
    damage,
    lock_of,
    noise,
    objects,
    packed,
    pages,
    serve,
    wrong_objects,
)
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers.cache import Cache, size_text
from memoryfield_readers.lock import read_lock

SMALL = packed(pages("small"))
LARGE = noise(100)
FOLDER_SIZE = size_text(sum(map(len, pages("folder").values())))


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    with FaultyHttp() as running:
        serve(running, {"small": SMALL, "large": LARGE}, "folder")
        yield running


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A person who has a cache and a lock file of their own."""
    return {
        "MEMORYFIELD_CACHE_DIR": str(tmp_path / "cache"),
        "MEMORYFIELD_STATE_DIR": str(tmp_path / "state"),
        "MEMORYFIELD_LOCK": str(tmp_path / "memoryfields.lock"),
    }


@pytest.fixture
def locked(
    server: FaultyHttp, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A lock file of three fields; what the server was asked for that is forgotten."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", env["MEMORYFIELD_STATE_DIR"])
    path = tmp_path / "memoryfields.lock"
    urls = {"small": "/small.memoryfield.zip", "large": "/large.memoryfield.zip"}
    lock_of(path, {n: server.url(u) for n, u in {**urls, "folder": "/folder/"}.items()})
    server.requests.clear()
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def _fetch(env: Mapping[str, str], *arguments: Argument) -> Outcome:
    return call("fetch", "--retries", "0", *arguments, env=env)


def test_each_field_is_a_line(locked: Path, env: dict[str, str], cache: Cache) -> None:
    done = _fetch(env)
    assert done.code == 0
    assert done.out.splitlines() == [
        f"folder  fetched  12 pages, {FOLDER_SIZE}",
        f"large   fetched  4 pages, {size_text(len(LARGE))}",
        f"small   fetched  12 pages, {size_text(len(SMALL))}",
    ]
    assert done.err == ""
    assert [line.split()[1] for line in _fetch(env).out.splitlines()] == ["cached"] * 3
    assert not wrong_objects(cache)


def test_as_json(locked: Path, env: dict[str, str], server: FaultyHttp, tmp_path: Path) -> None:
    """The same keys for each field, whatever became of it."""
    del server.files["/large.memoryfield.zip"]
    done = _fetch(env, "--format", "json", "--out", tmp_path / "out")
    assert done.code == 4
    lock = read_lock(locked)
    fields = {field["name"]: field for field in done.json["fields"]}
    assert done.json["version"] == 1
    assert list(fields) == ["folder", "large", "small"]
    assert fields["small"] == {
        "name": "small",
        "status": "fetched",
        "location": server.url("/small.memoryfield.zip"),
        "digest": str(lock.field("small").field_pin),
        "archive_pin": str(lock.field("small").archive_pin),
        "bytes": len(SMALL),
        "path": str(tmp_path / "out" / "small.memoryfield.zip"),
        "error": None,
    }
    assert fields["large"].keys() == fields["small"].keys()
    assert (fields["large"]["status"], fields["large"]["path"]) == ("failed", None)
    assert "404" in fields["large"]["error"]
    assert fields["folder"]["archive_pin"] is None
    assert fields["folder"]["path"] == str(tmp_path / "out" / "folder")


def test_fields_can_be_named(locked: Path, env: dict[str, str], server: FaultyHttp) -> None:
    done = _fetch(env, "small", "@folder")
    assert [line.split()[0] for line in done.out.splitlines()] == ["small", "folder"]
    assert not server.asked("/large.memoryfield.zip")


@pytest.mark.parametrize("name", ["smal", "@smal"])
def test_a_name_that_is_not_locked_is_wrong_usage(
    locked: Path, env: dict[str, str], server: FaultyHttp, name: str
) -> None:
    done = _fetch(env, "small", name)
    assert done.code == 2
    assert "smal" in done.err
    assert "`small`" in done.err
    assert not server.requests


@pytest.mark.parametrize("arguments", [(), ("--locked",), ("notes",), ("--locked", "notes")])
def test_without_a_lock_file_there_is_nothing_to_fetch(
    env: dict[str, str], arguments: tuple[str, ...]
) -> None:
    done = _fetch(env, *arguments)
    assert done.code == 2
    assert env["MEMORYFIELD_LOCK"] in done.err


def test_the_highest_exit_code_wins(locked: Path, env: dict[str, str], server: FaultyHttp) -> None:
    """All fields are tried; a mismatch is told as one, and by its name."""
    server.files["/small.memoryfield.zip"] = noise(5)
    done = _fetch(env)
    assert done.code == 3
    assert [line.split()[1] for line in done.out.splitlines()] == ["fetched", "fetched", "failed"]
    assert "small" in done.err
    assert str(read_lock(locked).field("small").archive_pin) in done.err
    del server.files["/large.memoryfield.zip"]
    assert _fetch({**env, "MEMORYFIELD_CACHE_DIR": env["MEMORYFIELD_CACHE_DIR"] + "2"}).code == 4


# --- what is asked for against what is locked


def test_the_same_location_may_be_said(
    locked: Path, env: dict[str, str], server: FaultyHttp
) -> None:
    before = locked.read_bytes()
    done = _fetch(env, "--locked", f"small={server.url('/small.memoryfield.zip')}")
    assert done.code == 0
    assert locked.read_bytes() == before


def test_a_location_of_this_network_is_trusted_once_it_is_typed(
    locked: Path, env: dict[str, str], server: FaultyHttp, tmp_path: Path
) -> None:
    """A lock file that came from elsewhere may name it, but is not believed for that."""
    env = {**env, "MEMORYFIELD_STATE_DIR": str(tmp_path / "of-another-person")}
    assert _fetch(env, "small").code == 2
    assert not server.requests
    assert _fetch(env, f"small={server.url('/small.memoryfield.zip')}").code == 0
    assert _fetch(env, "large").code == 2


@pytest.mark.parametrize("options", [(), ("--locked",), ("--offline",)])
def test_another_location_is_refused(
    locked: Path, env: dict[str, str], server: FaultyHttp, options: tuple[str, ...]
) -> None:
    """Both are named, and nobody is asked for anything, nor is the lock file changed."""
    before = locked.read_bytes()
    done = _fetch(env, *options, "folder", f"small={server.url('/large.memoryfield.zip')}")
    assert done.code == 3
    assert server.url("/small.memoryfield.zip") in done.err
    assert server.url("/large.memoryfield.zip") in done.err
    assert "lock update" in done.err
    assert not server.requests
    assert locked.read_bytes() == before


def test_what_is_not_locked_is_locked_and_fetched(
    locked: Path, env: dict[str, str], server: FaultyHttp
) -> None:
    server.files["/more.memoryfield.zip"] = more = packed(pages("more"))
    done = _fetch(env, f"more={server.url('/more.memoryfield.zip')}")
    assert done.code == 0
    assert done.out == f"more  fetched  12 pages, {size_text(len(more))}\n"
    assert str(locked) in done.err
    assert sum(each.sent for each in server.asked("/more.memoryfield.zip")) == len(more)
    assert read_lock(locked).field("more").archive_size == len(more)
    assert set(read_lock(locked).fields) == {"small", "large", "folder", "more"}
    server.files.clear()
    assert _fetch(env, "--offline", "more").out.split()[1] == "cached"


def test_the_first_field_makes_a_lock_file(env: dict[str, str], server: FaultyHttp) -> None:
    done = _fetch(env, f"small={server.url('/small.memoryfield.zip')}")
    assert done.code == 0
    assert list(read_lock(Path(env["MEMORYFIELD_LOCK"])).fields) == ["small"]


def test_locked_means_that_nothing_is_added(
    locked: Path, env: dict[str, str], server: FaultyHttp
) -> None:
    server.files["/more.memoryfield.zip"] = packed(pages("more"))
    before = locked.read_bytes()
    done = _fetch(env, "--locked", "small", f"more={server.url('/more.memoryfield.zip')}")
    assert done.code == 3
    assert "more" in done.err
    assert not server.requests
    assert locked.read_bytes() == before


def test_offline_nothing_is_added(locked: Path, env: dict[str, str], server: FaultyHttp) -> None:
    done = _fetch(env, "--offline", f"more={server.url('/more.memoryfield.zip')}")
    assert done.code == 4
    assert not server.requests


@pytest.mark.parametrize(
    "request_",
    ["=x", "small=", "a/b=x", ".x", "small=https://user:secret@h.example/x.zip", "--out="],
)
def test_what_means_nothing_is_wrong_usage(
    locked: Path, env: dict[str, str], server: FaultyHttp, request_: str
) -> None:
    done = _fetch(env, request_)
    assert done.code == 2
    assert "secret" not in done.err
    assert not server.requests


def test_two_places_for_one_field_are_wrong_usage(env: dict[str, str], server: FaultyHttp) -> None:
    done = _fetch(
        env,
        f"small={server.url('/small.memoryfield.zip')}",
        f"small={server.url('/large.memoryfield.zip')}",
    )
    assert done.code == 2
    assert not server.requests


def test_replace_needs_a_folder(locked: Path, env: dict[str, str]) -> None:
    assert _fetch(env, "--replace").code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_people_see_that_it_goes_on(
    locked: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar for each field, which is gone before the answer; a log gets none."""
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    screen = on_a_terminal("fetch", "--retries", "0")
    assert b"Fetching folder" in screen
    assert b"folder  fetched" in screen
    assert b"Fetching" not in on_a_terminal("fetch", "--retries", "0")


# --- damage, and no connection


def test_a_damaged_file_of_the_cache_is_named_offline_and_mended_online(
    locked: Path, env: dict[str, str], cache: Cache
) -> None:
    assert _fetch(env).code == 0
    for path in objects(cache.path):
        damage(path)
    done = _fetch(env, "--offline")
    assert done.code == 3
    assert done.out.splitlines() == ["folder  failed", "large   failed", "small   failed"]
    for name in ("folder", "large", "small"):
        assert f"memoryfield: {name}: " in done.err
    assert "page-0.md" in done.err
    mended = _fetch(env)
    assert mended.code == 0
    assert "damaged" in mended.err
    assert not wrong_objects(cache)


def test_offline_what_is_missing_is_named(
    locked: Path, env: dict[str, str], server: FaultyHttp
) -> None:
    assert _fetch(env, "small").code == 0
    server.requests.clear()
    done = _fetch(env, "--offline")
    assert done.code == 4
    assert [line.split()[:2] for line in done.out.splitlines()] == [
        ["folder", "failed"],
        ["large", "failed"],
        ["small", "cached"],
    ]
    assert "page-0.md: is not in the cache" in done.err
    assert "large.memoryfield.zip: the archive itself is not in the cache" in done.err
    assert not server.requests


_NO_SOCKETS = textwrap.dedent(
    """
    import socket
    import sys

    def refuse(*arguments, **named):
        raise AssertionError("a socket was made")

    socket.socket.__init__ = refuse
    socket.create_connection = socket.getaddrinfo = refuse
    from memoryfield_cli.start import run
    del sys.argv[0]
    run()
    """
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("fetch", "--offline"),
        ("fetch",),
        ("read", "--offline", "@folder", "page-3.md"),
        ("digest", "--offline", "@small"),
        ("ls", "--offline", "@large"),
    ],
    ids=["fetch-offline", "fetch", "read", "digest", "ls"],
)
def test_after_fetching_no_socket_is_made(
    locked: Path, env: dict[str, str], arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """In a process in which one could not be made without being noticed."""
    assert _fetch(env).code == 0
    script = tmp_path / "no_sockets.py"
    script.write_text(_NO_SOCKETS, encoding="utf-8")
    done = spawn(*arguments, env=env, before=[sys.executable, str(script)])
    assert (done.code, done.err) == (0, "")
    assert done.out


def test_a_home_that_cannot_be_written_is_told(
    locked: Path, env: dict[str, str], tmp_path: Path
) -> None:
    """There is no place to keep a field then, unless a folder is named."""
    (tmp_path / "file").write_bytes(b"")
    env = {**env, "MEMORYFIELD_CACHE_DIR": str(tmp_path / "file" / "cache")}
    done = _fetch(env)
    assert done.code == 4
    assert "MEMORYFIELD_CACHE_DIR" in done.err
    done = _fetch(env, "--out", tmp_path / "out")
    assert done.code == 0
    assert "cannot be written" in done.err
    assert (tmp_path / "out" / "small.memoryfield.zip").read_bytes() == SMALL


# --- written to a folder


def test_a_conflict_is_told_and_can_be_overruled(
    locked: Path, env: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (out / "folder").mkdir(parents=True)
    (out / "folder" / "mine.md").write_bytes(b"mine\n")
    done = _fetch(env, "--out", out)
    assert done.code == 5
    assert "--replace" in done.err
    assert [path.name for path in (out / "folder").iterdir()] == ["mine.md"]
    done = _fetch(env, "--out", out, "--replace")
    assert done.code == 0
    assert f"folder  cached   12 pages, {FOLDER_SIZE}, {out / 'folder'}" in done.out
    found = {path.name: path.read_bytes() for path in (out / "folder").iterdir()}
    assert found == pages("folder")
    assert {path.name for path in out.iterdir()} == {
        "folder",
        "small.memoryfield.zip",
        "large.memoryfield.zip",
    }


def test_a_mismatch_writes_nothing(
    locked: Path, env: dict[str, str], server: FaultyHttp, tmp_path: Path
) -> None:
    server.files["/small.memoryfield.zip"] = noise(5)
    server.files["/folder/page-3.md"] = b"another\n"
    done = _fetch(env, "--out", tmp_path / "out", "small", "folder")
    assert done.code == 3
    assert "page-3.md" in done.err
    assert not (tmp_path / "out").exists()

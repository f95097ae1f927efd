"""A field of a lock file is the field that was locked: from each place, and asking for no more."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.readers.locked_fields import AT, NAME, attempt, contents, lock_location, lock_place
from tests.readers.places import PLACES, Place, packed, place
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.s3_world import KEYS, s3_world

from memoryfield_readers import (
    Field,
    InvalidPin,
    LimitExceeded,
    Limits,
    LocationError,
    MemoryfieldError,
    NotFound,
    PinMismatch,
    SourceUnavailable,
    inspect_field,
    open_field,
    parse_pin,
)
from memoryfield_readers.cache import Cache
from memoryfield_readers.http import connection
from memoryfield_readers.lock import (
    LOCK_NAME,
    LOCK_VARIABLE,
    STATE_VARIABLE,
    LockFile,
    lock_field,
    render_lock,
)
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

FILES: dict[str, bytes] = {
    "index.md": b"---\ntitle: Woks\n---\nSee a.\n",
    "a.md": b"a\n",
    "Caf\u00e9 1.md": b"a name that breaks MF201\n",
    "empty.md": b"",
    "pan.png": bytes(range(256)),
    "notes~": b"debris\n",
    "log/2026.md": b"no page\n",
    "v.sqlite3": b"vectors",
}
COVERED = {name: data for name, data in FILES.items() if "/" not in name and name != "notes~"}
OTHER = {**FILES, "a.md": b"A\n", "later.md": b"added later\n"}


@pytest.fixture(scope="module", params=PLACES)
def at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place whose field is locked."""
    root = tmp_path_factory.mktemp("locked")
    (root / "place").mkdir()
    with (
        place(request.param, root / "place", FILES) as made,
        pytest.MonkeyPatch.context() as patch,
    ):
        lock_place(made, root, patch)
        yield made


def opened(at: Place, cache: Cache | None = None) -> Field:
    return open_field(AT, cache=cache, storage_options=at.options)


def test_it_is_what_the_field_is(at: Place, tmp_path: Path) -> None:
    """The same pages, attachments, indexes, names, sizes, times and pins, and nothing beside it."""
    with at.open() as plain, opened(at, Cache(tmp_path / "cache")) as locked:
        for each in ("name", "archive_name", "pages", "attachments", "indexes"):
            assert getattr(locked, each) == getattr(plain, each), each
        # A server's archive beside the pages is no commit: it is looked for each time.
        is_served = at.location.startswith("http://") and not at.is_archive
        assert locked.resolved == (None if is_served else plain.resolved)
        if "://" in at.location:
            assert locked.location == at.location
        else:
            assert Path(os.environ[LOCK_VARIABLE], "..", locked.location).resolve() == Path(
                at.location
            )
        assert locked.faults == ()
        assert (locked.debris, locked.folders, locked.irregular) == ((), (), ())
        assert list(locked.nested()) == []
        assert contents(locked) == contents(plain) == COVERED
        for name in COVERED:
            assert locked.entry(name).size == plain.entry(name).size == len(COVERED[name])
            assert locked.entry(name, dated=True) == plain.entry(name, dated=True)
        assert locked.manifest() == plain.manifest()
        assert locked.archive_digest() == plain.archive_digest()
        assert locked.archive_size == plain.archive_size
        with pytest.raises(NotFound):
            locked.page("later.md")


def test_it_is_the_commit_that_was_locked(at: Place) -> None:
    """Where there are commits, that one is read, though the branch has moved; else it is caught."""
    at.put(OTHER)
    found = attempt(lambda: opened(at))
    at.put(FILES)
    if "@main" in at.location:
        assert found == COVERED
        with opened(at) as field:
            assert field.resolved is not None
            assert "@main" not in field.resolved
    else:
        assert isinstance(found, PinMismatch)
        assert found.entry == ("a.md" if "later.md" not in str(found) else "later.md")


class TestAsking:
    """What a locked field asks for of a server."""

    @pytest.mark.parametrize("name", ["archive-by-http", "served-with-archive"])
    def test_one_page_of_an_archive(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It costs the same requests and the same bytes as one of a field that is not locked."""
        (tmp_path / "place").mkdir()
        noise = {f"p{n}.md": os.urandom(40_000) for n in range(8)}
        with place(name, tmp_path / "place", FILES) as at:
            at.put_archive(zip_bytes(*(ZipEntry(n, data) for n, data in noise.items())))
            lock_place(at, tmp_path, monkeypatch)
            costs = []
            ways: list[Callable[[], Field]] = [at.open, lambda: opened(at)]
            for open_it in ways:
                server = at.server
                assert server is not None
                before = len(server.asked())
                with open_it() as field:
                    assert field.page("p3.md").raw == noise["p3.md"]
                asked = server.asked()[before:]
                costs.append([(r.method, r.path, r.headers.get("range"), r.sent) for r in asked])
            assert costs[0] == costs[1]
            assert 1 < len(costs[0]) < 4
            assert sum(cost[3] for cost in costs[0]) < 200_000

    def test_only_what_the_cache_has_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One page that is missing is one request for it, and one to see where it comes from."""
        (tmp_path / "place").mkdir()
        cache = Cache(tmp_path / "cache")
        with place("served", tmp_path / "place", FILES) as at:
            lock_place(at, tmp_path, monkeypatch)
            server = at.server
            assert server is not None
            for name, data in COVERED.items():
                if name != "a.md":
                    cache.put((data,))
            before = len(server.asked())
            with opened(at, cache) as field:
                assert field.page("index.md").raw == COVERED["index.md"]
                assert field.entry("pan.png").size == 256
                assert len(server.asked()) == before
                assert contents(field) == COVERED
            asked = [request.path for request in server.asked()[before:]]
            assert asked == ["/woks/memoryfield.zip", "/woks/a.md"]

    def test_nobody_is_asked_before_a_file_is_wanted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Opening it, listing it, and closing it."""
        (tmp_path / "place").mkdir()
        with place("archive-by-http", tmp_path / "place", FILES) as at:
            lock_place(at, tmp_path, monkeypatch)
            server = at.server
            assert server is not None
            before = len(server.asked())
            with opened(at) as field:
                assert {*field.pages, *field.attachments, *field.indexes} == set(COVERED)
                assert field.entry("a.md").path == "a.md"
            assert len(server.asked()) == before

    def test_a_bucket_that_may_not_be_listed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The names are known, so that it is enough that each object may be read."""
        with s3_world() as world:
            bucket = world.server.bucket()
            for name, data in COVERED.items():
                world.server.put(bucket, f"woks/{name}", data)
            options = {"endpoint_url": world.gate.url, "retries": 0, **KEYS}
            at = f"s3://{bucket}/woks/"
            lock_location(
                at, lambda: open_field(at, storage_options=options), tmp_path, monkeypatch
            )
            world.gate.unlisted.add(bucket)
            with open_field(AT, cache=None, storage_options=options) as field:
                assert contents(field) == COVERED


class TestHostile:
    """A lock file of someone else names what this machine could read, and nobody else could."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A folder beside that of the lock file."""
        folder = tmp_path / "private"
        folder.mkdir()
        (folder / "a.md").write_bytes(b"a\n")
        (folder / "x.zip").write_bytes(packed({"a.md": b"a\n"}))
        return folder

    @staticmethod
    def _lock(
        location: str, root: Path, folder: Path, patch: pytest.MonkeyPatch, *, archive: bool = False
    ) -> None:
        """A lock file that names a location, with the right pins even so."""
        path = root / "repo" / LOCK_NAME
        path.parent.mkdir(exist_ok=True)
        patch.setenv(STATE_VARIABLE, str(root / "state"))
        patch.setenv(LOCK_VARIABLE, str(path))
        with open_field(folder / "x.zip" if archive else folder) as field:
            locked = lock_field(NAME, "placeholder", field)
        lock = LockFile(path, {NAME: replace(locked, location=location)})
        path.write_text(render_lock(lock), encoding="utf-8")

    @pytest.mark.parametrize(
        "text",
        [
            "/etc", "{folder}", "../private", "../private/x.zip", "inside", "inside/x.zip",
            "sub/../../private", "{folder}/../private", "git+file://{folder}", "memory://x/y",
            "http://127.0.0.1:{port}/woks/", "http://127.0.0.1:{port}/x.memoryfield.zip",
            "http://localhost:{port}/woks/", "http://[::1]:{port}/woks/", "http://2130706433:{port}/",
            "http://0x7f.1:{port}/woks/", "http://printer.local:{port}/woks/",
            "git+http://127.0.0.1:{port}/repo.git", "zip://a.md::http://127.0.0.1:{port}/x.zip",
            "sftp://127.0.0.1/woks/", "http://169.254.169.254/latest/meta-data/",
        ],
    )  # fmt: skip
    def test_a_place_that_nobody_typed_here(
        self, text: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is refused before anybody is asked, and the message says how to go on."""
        (tmp_path / "repo" / "sub").mkdir(parents=True)
        (tmp_path / "repo" / "inside").symlink_to(folder)
        with FaultyHttp({"/woks/a.md": b"a\n"}) as server:
            location = text.format(folder=folder, port=server.port)
            is_archive = location.endswith(".zip")
            self._lock(location, tmp_path, folder, monkeypatch, archive=is_archive)
            for offline in (False, True):
                with pytest.raises(LocationError) as caught:
                    open_field(AT, offline=offline, cache=Cache(tmp_path / "cache"))
                assert caught.value.exit_code == 2
                assert "comes from someone else" in caught.value.message
            assert server.asked() == []

    def test_a_folder_of_its_own(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What lies beside the lock file is read, from wherever the program runs."""
        self._lock("notes", tmp_path, folder, monkeypatch)
        (tmp_path / "repo" / "notes").mkdir()
        for path in folder.iterdir():
            (tmp_path / "repo" / "notes" / path.name).write_bytes(path.read_bytes())
        monkeypatch.chdir(folder)
        with open_field(AT, cache=None) as field:
            assert field.page("a.md").raw == b"a\n"
            assert field.location == "notes"

    def test_a_public_name_that_leads_here(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A server elsewhere is asked with the care for strangers: it leads to no address here."""
        monkeypatch.setenv("NO_PROXY", "*")
        with FaultyHttp({"/woks/a.md": b"a\n"}) as server:
            here = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port))]
            monkeypatch.setattr(connection, "getaddrinfo", lambda *_, **__: here)
            location = f"http://field.example:{server.port}/woks/"
            self._lock(location, tmp_path, folder, monkeypatch)
            with (
                open_field(AT, cache=None, storage_options={"retries": 0}) as field,
                pytest.raises(MemoryfieldError, match="not a public address"),
            ):
                field.page("a.md")
            assert server.asked() == []


class TestPins:
    """A pin beside the name of a locked field."""

    def test_it_must_be_that_of_the_lock(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The same pin is taken, another is a mismatch before anybody is asked."""
        (tmp_path / "place").mkdir()
        with place("archive-by-http", tmp_path / "place", FILES) as at:
            locked = lock_place(at, tmp_path, monkeypatch)
            pins = [str(locked.archive_pin), str(locked.field_pin)]
            server = at.server
            assert server is not None
            with open_field(AT, pin=pins, cache=None) as field:
                assert contents(field) == COVERED
            before = len(server.asked())
            for pin in pins:
                other = pin[:-1] + ("0" if pin[-1] != "0" else "1")
                with pytest.raises(PinMismatch) as caught:
                    open_field(AT, pin=other, cache=None)
                assert (caught.value.expected, caught.value.actual) == (other, pin)
            assert len(server.asked()) == before

    def test_a_lock_of_someone_else_that_has_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What the lock file says of a pinned archive is not believed before that was hashed."""
        (tmp_path / "place").mkdir()
        cache = Cache(tmp_path / "cache")
        for data in OTHER.values():
            cache.put((data,))
        with place("archive-by-http", tmp_path / "place", OTHER) as at:
            locked = lock_place(at, tmp_path, monkeypatch)
        pin = parse_pin("sha256:" + "5" * 64)
        path = tmp_path / LOCK_NAME
        lock = LockFile(path, {NAME: replace(locked, archive_pin=pin)})
        path.write_text(render_lock(lock), encoding="utf-8")
        with open_field(AT, cache=cache, offline=True) as field:
            assert field.page("a.md").raw == OTHER["a.md"]
        for open_any in (open_field, inspect_field):
            with pytest.raises(SourceUnavailable, match="not in the cache"):
                open_any(AT, pin=pin, cache=cache, offline=True)

    def test_an_archive_pin_for_a_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is wrong usage, as for any folder."""
        (tmp_path / "place").mkdir()
        with place("served", tmp_path / "place", FILES) as at:
            lock_place(at, tmp_path, monkeypatch)
            server = at.server
            assert server is not None
            before = len(server.asked())
            with pytest.raises(InvalidPin):
                open_field(AT, pin="sha256:" + "0" * 64, cache=None)
            assert len(server.asked()) == before


def test_limits_hold_for_locked_fields_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries, bytes of a page, bytes of a file: whatever the lock file says."""
    (tmp_path / "place").mkdir()
    with place("archive", tmp_path / "place", FILES) as at:
        lock_place(at, tmp_path, monkeypatch)
        with pytest.raises(LimitExceeded):
            open_field(AT, cache=None, limits=Limits(entries=3))
        with open_field(AT, cache=None, limits=Limits(page_bytes=10)) as field:
            assert field.page("a.md").raw == b"a\n"
            with pytest.raises(LimitExceeded) as caught:
                field.page("index.md")
            assert caught.value.entry == "index.md"


def test_a_server_that_moves_its_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked page that is gone is a mismatch, as in a folder; so is a log-in in its place."""
    (tmp_path / "place").mkdir()
    with place("served", tmp_path / "place", FILES) as at:
        lock_place(at, tmp_path, monkeypatch)
        assert at.server is not None
        del at.server.files["/woks/a.md"]
        login = b"<!DOCTYPE html><html><title>Sign in</title></html>"
        at.server.files["/woks/index.md"] = Served(login, "text/html")
        with opened(at) as field:
            with pytest.raises(PinMismatch, match=r"`a\.md` is missing"):
                field.page("a.md")
            with pytest.raises(PinMismatch, match="HTML") as caught:
                field.page("index.md")
            assert caught.value.entry == "index.md"
            assert field.page("empty.md").raw == b""


def test_a_server_that_has_nothing_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field that is gone is NotFound, unlike one of which a page was dropped."""
    (tmp_path / "place").mkdir()
    with place("served", tmp_path / "place", FILES) as at:
        lock_place(at, tmp_path, monkeypatch)
        assert at.server is not None
        at.server.files.clear()
        with opened(at) as field, pytest.raises(NotFound):
            field.page("a.md")

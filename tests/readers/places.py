"""The places a field may live at: each can be given any files, and other ones later on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.git_http import git_server
from tests.readers.servers.git_repository import Commit, add_commits, make_repository
from tests.readers.servers.github_api import GitHubServer
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import python_index
from tests.readers.servers.s3_server import s3_server
from tests.readers.servers.s3_world import KEYS, no_aws

from memoryfield_readers import DEFAULT_LIMITS, Field, Limits, open_field
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

Files: TypeAlias = Mapping[str, bytes]

ARCHIVE = "woks.memoryfield.zip"
"""What the archive is called where it is one to a person."""


def packed(files: Files) -> bytes:
    """An archive of some files."""
    return zip_bytes(*(ZipEntry(name, data, DEFLATED) for name, data in files.items()))


def pins_of(files: Mapping[str, bytes]) -> tuple[str, str]:
    """The field pin of some files, and the archive pin of the archive of them."""
    with open_field(packed(files)) as field:
        archive_pin = field.archive_digest()
        assert archive_pin is not None
        return field.digest(), archive_pin


class Place:
    """A field at a place, and how it is opened there.

    Attributes:
        location: what a person types.
        missing: the same place, but nothing is there.
        is_archive: whether the location is an archive.
        options: the storage options that lead to it.
        server: the server on loopback that gives its files, if it is one that can fail.
    """

    server: FaultyHttp | None = None

    def __init__(self, location: str, missing: str, **options: Any) -> None:
        self.location = location
        self.missing = missing
        self.is_archive = location.partition("@")[0].endswith(".zip") or location.endswith(".zip")
        self.options = {"timeout": 20, "retries": 0, **options}

    @property
    def carries_archive(self) -> bool:
        """Whether it is an archive that is read, whatever the location is to a person."""
        return self.is_archive

    def put(self, files: Files) -> None:
        """Let it hold these files, packed where an archive carries it, and no others."""
        if self.carries_archive:
            self.put_archive(packed(files))
        else:
            self.put_files(files)

    def put_files(self, files: Files) -> None:
        """Let it hold these files; where no archive carries it."""
        raise AssertionError(f"{self.location} is carried by an archive")

    def put_archive(self, data: bytes) -> None:
        """Let the archive have these bytes; where one carries it."""
        raise AssertionError(f"{self.location} is carried by no archive")

    def open(self, *, limits: Limits = DEFAULT_LIMITS, **named: Any) -> Field:
        """The field."""
        return open_field(self.location, limits=limits, storage_options=self.options, **named)

    def nested(self) -> set[str]:
        """What is seen in sub-directories."""
        with self.open() as field:
            return {entry.path for entry in field.nested()}


Build: TypeAlias = Callable[[Path], AbstractContextManager[Place]]
"""Makes a place that holds nothing yet, with the help of an empty folder."""


class _Folder(Place):
    def __init__(self, root: Path) -> None:
        super().__init__(str(root / "woks"), str(root / "gone"))
        self._root = root / "woks"
        self._root.mkdir()

    def put_files(self, files: Files) -> None:
        for path in self._root.rglob("*"):
            if path.is_file() and path.relative_to(self._root).as_posix() not in files:
                path.unlink()
        for name, data in files.items():
            path = self._root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@contextmanager
def _folder(root: Path) -> Iterator[Place]:
    yield _Folder(root)


class _Archive(Place):
    def __init__(self, root: Path) -> None:
        super().__init__(str(root / ARCHIVE), str(root / "gone.zip"))

    def put_archive(self, data: bytes) -> None:
        Path(self.location).write_bytes(data)


@contextmanager
def _archive(root: Path) -> Iterator[Place]:
    yield _Archive(root)


class _Served(Place):
    """A folder that a server lists."""

    server: FaultyHttp

    def __init__(self, server: FaultyHttp) -> None:
        super().__init__(server.url("/woks/"), server.url("/gone/"))
        self.server = server

    def put_files(self, files: Files) -> None:
        folders = {f"{name.partition('/')[0]}/" for name in files if "/" in name}
        names = [*(name for name in files if "/" not in name), *sorted(folders)]
        index = Served(python_index("/woks/", names), "text/html; charset=utf-8")
        served: dict[str, bytes | Served] = {f"/woks/{name}": files[name] for name in files}
        self.server.files = {**served, "/woks/": index}


@contextmanager
def _served(root: Path) -> Iterator[Place]:
    with FaultyHttp() as server:
        yield _Served(server)


class _ServedWithArchive(Place):
    """A folder whose archive the server has beside its pages."""

    server: FaultyHttp

    def __init__(self, server: FaultyHttp) -> None:
        super().__init__(server.url("/woks/"), server.url("/gone/"))
        self.server = server

    @property
    def carries_archive(self) -> bool:
        return True

    def put_archive(self, data: bytes) -> None:
        self.server.files = {"/woks/memoryfield.zip": data}


@contextmanager
def _served_with_archive(root: Path) -> Iterator[Place]:
    with FaultyHttp() as server:
        yield _ServedWithArchive(server)


class _ArchiveByHttp(Place):
    server: FaultyHttp

    def __init__(self, server: FaultyHttp) -> None:
        super().__init__(server.url(f"/{ARCHIVE}"), server.url("/gone.zip"))
        self.server = server

    def put_archive(self, data: bytes) -> None:
        self.server.files = {f"/{ARCHIVE}": data}


@contextmanager
def _archive_by_http(root: Path) -> Iterator[Place]:
    with FaultyHttp() as server:
        yield _ArchiveByHttp(server)


class _S3(Place):
    """A prefix of a bucket, or an archive in it; which one, its location says."""

    def __init__(self, bucket: str, key: str) -> None:
        gone = "gone.zip" if key == ARCHIVE else "all/gone/"
        super().__init__(
            f"s3://{bucket}/{key}", f"s3://{bucket}/{gone}", endpoint_url=s3_server().url, **KEYS
        )
        self._bucket = bucket
        self._key = key
        self._there: frozenset[str] = frozenset()

    def put_files(self, files: Files) -> None:
        for name in self._there - files.keys():
            s3_server().delete(self._bucket, self._key + name)
        for name, data in files.items():
            s3_server().put(self._bucket, self._key + name, data)
        self._there = frozenset(files)

    def put_archive(self, data: bytes) -> None:
        s3_server().put(self._bucket, self._key, data)


@contextmanager
def _s3_prefix(root: Path) -> Iterator[Place]:
    with no_aws():
        yield _S3(s3_server().bucket(), "all/woks/")


@contextmanager
def _s3_archive(root: Path) -> Iterator[Place]:
    with no_aws():
        yield _S3(s3_server().bucket(), ARCHIVE)


class _InRepository(Place):
    """A folder of a repository, or an archive in it, on a branch that moves with each change."""

    def __init__(self, repository: Path, location: str, missing: str, **options: Any) -> None:
        super().__init__(location, missing, **options)
        self._repository = repository

    def put_files(self, files: Files) -> None:
        self._commit({f"all/woks/{name}": data for name, data in files.items()})

    def put_archive(self, data: bytes) -> None:
        self._commit({"x.memoryfield.zip": data})

    def _commit(self, tree: Files) -> None:
        add_commits(self._repository, [Commit({**tree, "README.md": b"another page\n"})])


def _repository(root: Path) -> Path:
    return make_repository(root / "repo.git", [])


@contextmanager
def _git(root: Path) -> Iterator[Place]:
    repository = _repository(root)
    url = f"git+file://{repository}@main"
    yield _InRepository(repository, f"{url}#all/woks", f"{url}#all/gone")


@contextmanager
def _git_archive(root: Path) -> Iterator[Place]:
    repository = _repository(root)
    url = f"git+file://{repository}@main"
    yield _InRepository(repository, f"{url}#x.memoryfield.zip", f"{url}#gone.zip")


@contextmanager
def _git_by_http(root: Path) -> Iterator[Place]:
    repository = _repository(root)
    with git_server(root) as server:
        url = f"git+{server.url}/repo.git@main"
        yield _InRepository(repository, f"{url}#all/woks", f"{url}#all/gone")


@contextmanager
def _github(root: Path) -> Iterator[Place]:
    repository = _repository(root)
    with GitHubServer(repository) as server:
        url = "github://owner/field/all"
        options = {"api_url": server.api.base}
        yield _InRepository(repository, f"{url}/woks@main", f"{url}/gone@main", **options)


@contextmanager
def _github_archive(root: Path) -> Iterator[Place]:
    repository = _repository(root)
    with GitHubServer(repository) as server:
        url = "github://owner/field"
        here, gone = f"{url}/x.memoryfield.zip@main", f"{url}/gone.zip@main"
        yield _InRepository(repository, here, gone, api_url=server.api.base)


class _Release(Place):
    def __init__(self, server: GitHubServer) -> None:
        url = "https://github.com/owner/field/releases/download/v1"
        super().__init__(f"{url}/{ARCHIVE}", f"{url}/gone.zip", api_url=server.api.base)
        self._server = server

    def put_archive(self, data: bytes) -> None:
        self._server.releases["v1"] = {ARCHIVE: data}


@contextmanager
def _github_release(root: Path) -> Iterator[Place]:
    with GitHubServer(_repository(root)) as server:
        yield _Release(server)


class _Memory(Place):
    """The store of fsspec in the memory of this process."""

    def __init__(self, folder: str, *, archive: bool) -> None:
        import fsspec  # type: ignore[import-untyped]

        end = ".memoryfield.zip" if archive else ""
        super().__init__(
            f"memory:/{folder}/woks{end}", f"memory:/{folder}/gone{'.zip' if archive else ''}"
        )
        self._at = f"{folder}/woks{end}"
        self._store = fsspec.filesystem("memory")
        self._there: frozenset[str] = frozenset()

    def put_files(self, files: Files) -> None:
        for name in self._there - files.keys():
            self._store.rm_file(f"{self._at}/{name}")
        for name, data in files.items():
            self._store.pipe_file(f"{self._at}/{name}", data)
        self._there = frozenset(files)

    def put_archive(self, data: bytes) -> None:
        self._store.pipe_file(self._at, data)


@contextmanager
def _in_memory(root: Path, *, archive: bool) -> Iterator[Place]:
    import fsspec

    folder = f"/every-source-{root.name}"
    yield _Memory(folder, archive=archive)
    store = fsspec.filesystem("memory")
    if store.exists(folder):
        store.rm(folder, recursive=True)


@contextmanager
def _memory(root: Path) -> Iterator[Place]:
    with _in_memory(root, archive=False) as place:
        yield place


@contextmanager
def _memory_archive(root: Path) -> Iterator[Place]:
    with _in_memory(root, archive=True) as place:
        yield place


PLACES: dict[str, Build] = {
    "folder": _folder,
    "archive": _archive,
    "served": _served,
    "served-with-archive": _served_with_archive,
    "archive-by-http": _archive_by_http,
    "s3-prefix": _s3_prefix,
    "s3-archive": _s3_archive,
    "git": _git,
    "git-archive": _git_archive,
    "git-by-http": _git_by_http,
    "github": _github,
    "github-archive": _github_archive,
    "github-release": _github_release,
    "memory": _memory,
    "memory-archive": _memory_archive,
}


@contextmanager
def place(name: str, root: Path, files: Files) -> Iterator[Place]:
    """A field at one of the places, with nothing of GitHub in the environment.

    Arguments:
        name: which of `PLACES`.
        root: an empty folder.
        files: what it holds at first.
    """
    with pytest.MonkeyPatch.context() as patch:
        for each in ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_URL", "GITHUB_SERVER_URL"):
            patch.delenv(each, raising=False)
        patch.setenv("GH_CONFIG_DIR", "/none")
        with PLACES[name](root) as made:
            made.put(files)
            yield made

"""One contract for every source: the same pages, bytes, pin and errors, wherever a field lives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.git_http import git_server
from tests.readers.servers.git_repository import Commit, make_repository
from tests.readers.servers.github_api import GitHubServer
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import python_index
from tests.readers.servers.s3_server import S3Server, s3_server
from tests.readers.servers.s3_world import KEYS, no_aws

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Field,
    LimitExceeded,
    Limits,
    LocationError,
    NotFound,
    PageError,
    UnsafeArchive,
    inspect_field,
    open_field,
)
from memoryfield_validator import Finding, Report, Request, check, validate
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

INDEX = b"---\ntitle: Woks\nuuid: 6aa615f0-486f-48a7-a210-ba4f5ff18c8b\n---\nSee [a](a.md).\n"
FILES: dict[str, bytes] = {
    "index.md": INDEX,
    "a.md": b"a\n",
    "b.md": b"b\r\n" * 700,
    "Caf\u00e9 1.md": b"a name that breaks MF201\n",
    "empty.md": b"",
    "latin.md": b"caf\xe9\n",
    "pan.png": bytes(range(256)) * 40,
    "notes~": b"debris\n",
    "log/2026.md": b"no page\n",
}
PAGES = sorted((n for n in FILES if n.endswith(".md") and "/" not in n), key=str.encode)


class Place:
    """A field at a place, and how it is opened there.

    Attributes:
        location: what a person types.
        missing: the same place, but nothing is there.
        is_archive: whether the location is an archive.
        options: the storage options that lead to it.
    """

    def __init__(self, location: str, missing: str, **options: Any) -> None:
        self.location = location
        self.missing = missing
        self.is_archive = location.partition("@")[0].endswith(".zip") or location.endswith(".zip")
        self.options = {"timeout": 20, "retries": 0, **options}

    def open(self, *, limits: Limits = DEFAULT_LIMITS) -> Field:
        """The field."""
        return open_field(self.location, limits=limits, storage_options=self.options)

    def nested(self) -> set[str]:
        """What is seen in sub-directories."""
        with self.open() as field:
            return {entry.path for entry in field.nested()}


def _without(rules: set[str], report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule not in rules]


def _packed(files: Mapping[str, bytes]) -> bytes:
    return zip_bytes(*(ZipEntry(name, data, DEFLATED) for name, data in files.items()))


@contextmanager
def _folder(root: Path) -> Iterator[Place]:
    for name, data in FILES.items():
        path = root / "woks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    yield Place(str(root / "woks"), str(root / "gone"))


@contextmanager
def _archive(root: Path) -> Iterator[Place]:
    (root / "woks.memoryfield.zip").write_bytes(_packed(FILES))
    yield Place(str(root / "woks.memoryfield.zip"), str(root / "gone.zip"))


@contextmanager
def _served(root: Path) -> Iterator[Place]:
    root_names = [name for name in FILES if "/" not in name]
    files: dict[str, bytes] = {f"/woks/{name}": data for name, data in FILES.items()}
    with FaultyHttp(files) as server:
        page = python_index("/woks/", [*root_names, "log/"])
        server.files["/woks/"] = Served(page, "text/html; charset=utf-8")
        yield Place(server.url("/woks/"), server.url("/gone/"))


@contextmanager
def _served_with_archive(root: Path) -> Iterator[Place]:
    with FaultyHttp({"/woks/memoryfield.zip": _packed(FILES)}) as server:
        yield Place(server.url("/woks/"), server.url("/gone/"))


@contextmanager
def _archive_by_http(root: Path) -> Iterator[Place]:
    with FaultyHttp({"/woks.memoryfield.zip": _packed(FILES)}) as server:
        yield Place(server.url("/woks.memoryfield.zip"), server.url("/gone.zip"))


@contextmanager
def _bucket() -> Iterator[tuple[S3Server, str, dict[str, Any]]]:
    with no_aws():
        server = s3_server()
        yield server, server.bucket(), {"endpoint_url": server.url, **KEYS}


@contextmanager
def _s3_prefix(root: Path) -> Iterator[Place]:
    with _bucket() as (server, bucket, options):
        for name, data in FILES.items():
            server.put(bucket, f"all/woks/{name}", data)
        yield Place(f"s3://{bucket}/all/woks/", f"s3://{bucket}/all/gone/", **options)


@contextmanager
def _s3_archive(root: Path) -> Iterator[Place]:
    with _bucket() as (server, bucket, options):
        server.put(bucket, "woks.memoryfield.zip", _packed(FILES))
        yield Place(f"s3://{bucket}/woks.memoryfield.zip", f"s3://{bucket}/gone.zip", **options)


def _repository(root: Path) -> Path:
    tree = {f"all/woks/{name}": data for name, data in FILES.items()}
    tree |= {"README.md": b"another page\n", "x.memoryfield.zip": _packed(FILES)}
    return make_repository(root / "repo.git", [Commit(tree)])


@contextmanager
def _git(root: Path) -> Iterator[Place]:
    url = f"git+file://{_repository(root)}@main"
    yield Place(f"{url}#all/woks", f"{url}#all/gone")


@contextmanager
def _git_archive(root: Path) -> Iterator[Place]:
    url = f"git+file://{_repository(root)}@main"
    yield Place(f"{url}#x.memoryfield.zip", f"{url}#gone.zip")


@contextmanager
def _git_by_http(root: Path) -> Iterator[Place]:
    _repository(root)
    with git_server(root) as server:
        url = f"git+{server.url}/repo.git@main"
        yield Place(f"{url}#all/woks", f"{url}#all/gone")


@contextmanager
def _github(root: Path) -> Iterator[Place]:
    with GitHubServer(_repository(root)) as server:
        url = "github://owner/field/all"
        yield Place(f"{url}/woks@main", f"{url}/gone@main", api_url=server.api.base)


@contextmanager
def _github_archive(root: Path) -> Iterator[Place]:
    with GitHubServer(_repository(root)) as server:
        url = "github://owner/field"
        options = {"api_url": server.api.base}
        yield Place(f"{url}/x.memoryfield.zip@main", f"{url}/gone.zip@main", **options)


@contextmanager
def _github_release(root: Path) -> Iterator[Place]:
    with GitHubServer(_repository(root)) as server:
        server.releases["v1"] = {"woks.memoryfield.zip": _packed(FILES)}
        url = "https://github.com/owner/field/releases/download/v1"
        options = {"api_url": server.api.base}
        yield Place(f"{url}/woks.memoryfield.zip", f"{url}/gone.zip", **options)


@contextmanager
def _memory(root: Path) -> Iterator[Place]:
    import fsspec  # type: ignore[import-untyped]

    memory = fsspec.filesystem("memory")
    place = f"/every-source-{root.name}"
    for name, data in FILES.items():
        memory.pipe_file(f"{place}/woks/{name}", data)
    memory.pipe_file(f"{place}/woks.memoryfield.zip", _packed(FILES))
    try:
        yield Place(f"memory:/{place}/woks", f"memory:/{place}/gone")
    finally:
        memory.rm(place, recursive=True)


@contextmanager
def _memory_archive(root: Path) -> Iterator[Place]:
    with _memory(root) as place:
        yield Place(f"{place.location}.memoryfield.zip", f"{place.missing}.zip")


PLACES = {
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


@pytest.fixture(scope="module", params=PLACES)
def at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The field at one of the places, with nothing of GitHub in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_URL", "GITHUB_SERVER_URL"):
            patch.delenv(name, raising=False)
        patch.setenv("GH_CONFIG_DIR", "/none")
        with PLACES[request.param](tmp_path_factory.mktemp("place")) as place:
            yield place


class TestEverySource:
    """What every source keeps to."""

    def test_what_is_in_it(self, at: Place) -> None:
        """Pages, attachments and folders, in the order of their bytes; debris is none of them."""
        with at.open() as field:
            assert list(field.pages) == PAGES
            assert field.attachments == ("pan.png",)
            assert field.folders == ("log",)
            assert field.debris == ("notes~",)
            assert field.irregular == ()
            assert field.location == at.location
            assert (field.archive_name is not None) is at.is_archive

    def test_the_bytes_of_each_page(self, at: Place) -> None:
        """All together and one by one, in the order asked for, nothing decoded."""
        with at.open() as field:
            names = [*reversed(PAGES)]
            assert [(page.name, page.raw) for page in field.read(names)] == [
                (name, FILES[name]) for name in names
            ]
            assert b"".join(field.chunks("pan.png")) == FILES["pan.png"]
            assert field.entry("b.md").size == 2100
        with at.open() as field:
            assert field.page("index.md").frontmatter.text("title") == "Woks"

    def test_the_pin(self, at: Place) -> None:
        """The field pin is that of the same files in a folder."""
        with at.open() as field, open_field(_packed(FILES)) as packed:
            assert field.digest() == packed.digest()
            assert field.manifest() == packed.manifest()
            if at.is_archive:
                assert field.archive_digest() == packed.archive_digest()
            else:
                assert field.archive_digest() is None

    def test_the_findings(self, at: Place) -> None:
        """The validator finds the same in all of them.

        Debris aside, which only archives ship, and sub-directories of a server without an archive,
        which nobody looks into.
        """
        request = Request(storage_options=at.options)
        checked = check(at.location, request)
        assert checked.report is not None
        with inspect_field(_packed(FILES), name="x.memoryfield.zip") as packed:
            expected = validate(packed)
        unseen = {"MF104"} if "log/2026.md" in at.nested() else {"MF104", "MF102"}
        assert _without(unseen, checked.report) == _without(unseen, expected)
        assert checked.report.digest == expected.digest

    def test_what_is_no_page(self, at: Place) -> None:
        """An attachment, debris, a path and a name that nobody has are never handed out."""
        with at.open() as field:
            with pytest.raises(PageError):
                field.page("pan.png")
            for name in ("notes~", "log/2026.md", "gone.md", "../woks/a.md", ""):
                with pytest.raises(NotFound) as caught:
                    field.page(name)
                assert caught.value.exit_code == 4
            with pytest.raises(NotFound):
                field.read(["a.md", "gone.md"])

    def test_a_page_beyond_its_limit(self, at: Place) -> None:
        """It is refused, and the others are read."""
        with at.open(limits=DEFAULT_LIMITS.with_settings(["page-bytes=100"])) as field:
            with pytest.raises(LimitExceeded) as caught:
                field.page("b.md")
            assert caught.value.entry == "b.md"
            assert field.page("a.md").raw == b"a\n"

    def test_more_entries_than_the_limit(self, at: Place) -> None:
        """The field is refused (MF607)."""
        with pytest.raises((LimitExceeded, UnsafeArchive)), at.open(limits=Limits(entries=3)):
            pass

    def test_nothing_there(self, at: Place) -> None:
        """It is NotFound, which alone means "absent", and names the location."""
        with pytest.raises(NotFound) as caught:
            open_field(at.missing, storage_options=at.options).close()
        assert caught.value.location == at.missing

    def test_an_option_that_nobody_knows(self, at: Place) -> None:
        """It is wrong usage, and names the option; fsspec's own take what they are given."""
        if "://" not in at.location or at.location.startswith("memory:"):
            pytest.skip("whoever is asked here knows nothing of options, or takes any")
        with pytest.raises(LocationError) as caught:
            open_field(at.location, storage_options={**at.options, "bogus": 1}).close()
        assert "bogus" in f"{caught.value} {caught.value.hint}"

    def test_closing_twice(self, at: Place) -> None:
        """Nothing stays open, and what is closed can be closed."""
        field = at.open()
        field.close()
        field.close()

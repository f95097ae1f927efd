"""The same field from servers that no one here wrote."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.readers.http_fields import http_field, open_served
from tests.readers.servers.other_servers import NGINX, nginx_server, python_server

from memoryfield_readers import AccessDenied, NotFound, open_field

FILES = {
    "index.md": b"# A field\n",
    "a.md": b"a\n",
    "b.md": b"b\n",
    "Odd Name.md": b"odd\n",
    "100%.md": b"all\n",
    "é?#&.md": b"e\n",
    "html.md": b"<!DOCTYPE html>\nis how HTML begins\n",
    "data.csv": b"1,2\n",
    "sub/log.md": b"no page\n",
}

needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A field on disk."""
    made = tmp_path / "f"
    for name, data in FILES.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return made


@contextlib.contextmanager
def serving(server: str, folder: Path) -> Iterator[str]:
    """The URL at which a server serves the parent of a folder, and lists what it holds."""
    if server == "python":
        with python_server(folder.parent) as url:
            yield url
        return
    work = folder.parent.parent / f"{folder.parent.name}-nginx"
    work.mkdir()
    with nginx_server(folder.parent, work, autoindex=True) as url:
        yield url


@pytest.mark.parametrize("server", ["python", pytest.param("nginx", marks=needs_nginx)])
def test_an_index_of_theirs_shows_the_field(server: str, folder: Path) -> None:
    """Pages, attachments, folders, bytes, times and pin are those of the directory."""
    with serving(server, folder) as url:
        with open_served(url + "f/") as field, open_field(folder) as here:
            assert field.pages == here.pages
            assert field.attachments == here.attachments
            assert field.folders == here.folders == ("sub",)
            assert field.digest() == here.digest()
            modified = (folder / "a.md").stat().st_mtime_ns // 10**9 * 10**9
            assert field.page("a.md").entry.modified_ns == modified
        (folder / "listing.md").write_bytes(b"- [A](a.md)\n- `b.md`\n")
        with open_served(url + "f/") as field:
            assert field.pages == ("a.md", "b.md", "index.md", "listing.md")
            assert field.attachments == ()
        with http_field(url + "g/") as store, pytest.raises(NotFound):
            store.listing()


@needs_nginx
def test_a_server_that_lists_no_folders_says_forbidden(folder: Path, tmp_path: Path) -> None:
    """That is an error with a hint, not an empty field."""
    work = tmp_path / "nginx"
    work.mkdir()
    with (
        nginx_server(folder.parent, work, autoindex=False) as url,
        http_field(url + "f/") as store,
        pytest.raises(AccessDenied) as caught,
    ):
        store.listing()
    assert "no listing.md (404 Not Found)" in caught.value.message
    assert "let the server list the folder" in str(caught.value.hint)

"""What a server may say in place of a file, and where a redirect leads."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from tests.readers import http_objects
from tests.readers.http_objects import (
    BODY,
    END,
    LOCATION,
    MOST,
    OTHER,
    PATH,
    SIZE,
    opened,
    saved,
    sink,
)
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.other_servers import NGINX, nginx_server, python_server

from memoryfield_readers.errors import (
    AccessDenied,
    NotFound,
    PageError,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.http import HttpClient
from memoryfield_readers.http.http_object import HttpObject
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.ranged import Tail

server, file, known = http_objects.server, http_objects.file, http_objects.known


def test_nothing_is_absent_because_a_server_is_busy(server: FaultyHttp, known: HttpObject) -> None:
    """Each status keeps its kind of error."""
    for code, kind in (
        (404, NotFound), (410, NotFound), (401, AccessDenied), (403, AccessDenied),
        (429, SourceUnavailable), (500, SourceUnavailable), (503, SourceUnavailable),
    ):  # fmt: skip
        server.fail(PATH, faults.status(code))
        with pytest.raises(kind) as caught:
            saved(known, 0, 10)
        assert (type(caught.value), caught.value.location) == (kind, LOCATION)


# --- pages in HTML


def test_a_login_page_is_no_archive(server: FaultyHttp) -> None:
    """The message says HTML and where it came from, without what the query says."""
    server.fail(PATH, faults.redirect("/login?back=secret"))
    server.fail("/login", faults.login_page)
    with opened(server.url(PATH)) as file, pytest.raises(PageError, match="HTML page") as caught:
        file.tail(MOST, sink())
    assert server.url("/login") in caught.value.message
    assert "secret" not in f"{caught.value!r} {caught.value.hint}"


@pytest.mark.parametrize(
    "served",
    [
        Served(faults.LOGIN_PAGE, "text/html"),
        Served(faults.LOGIN_PAGE, "application/xhtml+xml; charset=x", ranges=False),
        Served(b"<!-- --><p>", "text/html", ranges=False),
        Served(b"\r\n <HTML>" + bytes(9000), "application/zip", ranges=False),
    ],
    ids=["in parts", "whole", "odd", "under another type"],
)
def test_html_is_told_by_its_type_or_its_start(server: FaultyHttp, served: Served) -> None:
    """Whether it comes whole or in parts."""
    server.files[PATH] = served
    with opened(server.url(PATH)) as file, pytest.raises(PageError, match="HTML page"):
        file.tail(MOST, sink())


def test_html_is_told_where_ends_are_asked_for_by_size(
    server: FaultyHttp, file: HttpObject
) -> None:
    """By its type, and as there is no end of an archive in it."""
    server.files[PATH] = Served(faults.LOGIN_PAGE, "text/html")
    server.fail(PATH, faults.status(501))
    with pytest.raises(PageError, match="HTML page"):
        file.tail(MOST, sink())


@pytest.mark.parametrize("ranges", [True, False], ids=["in parts", "whole"])
def test_an_archive_under_the_type_of_html_is_an_archive(
    server: FaultyHttp, file: HttpObject, ranges: bool
) -> None:
    """Servers that know no better say that of any file."""
    archive = b"PK\x03\x04" + bytes(100) + b"PK\x05\x06" + bytes(18)
    server.files[PATH] = Served(archive, "text/html", ranges=ranges)
    assert file.tail(MOST, sink()).size == len(archive)


# --- redirects


@pytest.fixture
def near(server: FaultyHttp) -> str:
    """A path that leads to the file by way of a signed one."""
    server.fail("/latest.zip", faults.redirect(f"{PATH}?signature=secret"), times=None)
    return server.url("/latest.zip")


def test_a_redirect_is_followed_once(server: FaultyHttp, near: str) -> None:
    """Later ranges go where it led, signature and all."""
    with opened(near) as file:
        file.tail(MOST, sink())
        assert saved(file, 0, 10) + saved(file, 10, 20) == BODY[:20]
    assert (len(server.asked("/latest.zip")), len(server.asked(PATH))) == (1, 3)
    assert {request.query for request in server.asked(PATH)} == {"signature=secret"}


@pytest.mark.parametrize("code", [403, 404], ids=str)
def test_an_address_that_expired_is_asked_for_anew(
    server: FaultyHttp, near: str, code: int
) -> None:
    """The file is still there, by way of the first address."""
    with opened(near) as file:
        file.tail(MOST, sink())
        server.mend()
        server.fail(PATH, faults.status(code), times=None)
        server.fail("/latest.zip", faults.redirect("/moved.zip?signature=other"))
        server.files["/moved.zip"] = BODY
        assert saved(file, 0, 10) == BODY[:10]
        assert saved(file, 10, 20) == BODY[10:20]
    counted = [len(server.asked(path)) for path in ("/latest.zip", PATH, "/moved.zip")]
    assert counted == [2, 2, 2]


def test_what_came_of_an_address_before_it_expired_is_forgotten(
    server: FaultyHttp, near: str
) -> None:
    """The bytes come anew, from the first."""
    with opened(near, retries=1) as file:
        file.tail(MOST, sink())
        server.fail(PATH, faults.cut(3))
        server.fail(PATH, faults.status(403))
        assert saved(file, 0, 10) == BODY[:10]
    assert len(server.asked(PATH)) == 4


def test_an_address_that_stays_forbidden_is_an_error(server: FaultyHttp, near: str) -> None:
    """It is gone back to the start once, not for ever."""
    with opened(near) as file:
        file.tail(MOST, sink())
        server.fail(PATH, faults.status(403), times=None)
        with pytest.raises(AccessDenied) as caught:
            saved(file, 0, 10)
    assert "secret" not in repr(caught.value) + str(caught.value.__context__)
    assert (len(server.asked("/latest.zip")), len(server.asked(PATH))) == (2, 3)


def test_an_address_that_leads_elsewhere_by_now_is_another_file(
    server: FaultyHttp, near: str
) -> None:
    """What is named latest has become another version meanwhile."""
    with opened(near) as file:
        file.tail(MOST, sink())
        server.files[PATH] = OTHER
        with pytest.raises(SourceChanged):
            saved(file, 0, 10)


# --- clients, and servers of others


def test_a_file_that_was_closed_is_not_read_on(known: HttpObject) -> None:
    """Its connections are gone, and none is made again."""
    known.close()
    with pytest.raises(SourceUnavailable, match="was closed"):
        saved(known, 0, 10)


def test_a_client_of_others_stays_open(server: FaultyHttp) -> None:
    """Who made it closes it; to close the file twice does no harm."""
    with contextlib.closing(HttpClient(TransferOptions(), location=LOCATION)) as client:
        file = HttpObject(server.url(PATH), TransferOptions(), location=LOCATION, client=client)
        assert file.tail(MOST, sink()).size == SIZE
        file.close()
        file.close()
        assert client.fetch(server.url(PATH), sink()).status == 200
    assert server.connections == 1


def test_the_server_of_python_gives_the_whole(tmp_path: Path) -> None:
    """It knows no ranges."""
    (tmp_path / "f.zip").write_bytes(BODY)
    whole = sink()
    with python_server(tmp_path) as url, opened(url + "f.zip") as file:
        assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert whole.data == BODY


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_nginx_gives_parts_of_one_version(tmp_path: Path) -> None:
    """Its ETag keeps the ranges together; a file that was replaced is another one."""
    served = tmp_path / "served"
    work = tmp_path / "work"
    served.mkdir()
    work.mkdir()
    (served / "f.zip").write_bytes(BODY)
    (served / "empty.zip").write_bytes(b"")
    with nginx_server(served, work, autoindex=False) as url:
        with opened(url + "f.zip") as file:
            assert file.tail(MOST, sink()) == Tail(SIZE, END)
            assert saved(file, 16, 80) == BODY[16:80]
            (served / "f.zip").write_bytes(OTHER * 2)
            with pytest.raises(SourceChanged):
                saved(file, 16, 80)
        with opened(url + "empty.zip") as file:
            assert file.tail(MOST, sink()).size == 0

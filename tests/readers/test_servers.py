"""The test servers are worth relying on: they answer as servers do that were written elsewhere."""

from __future__ import annotations

import http.client
import re
import ssl
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import INDEXES
from tests.readers.servers.other_servers import NGINX, nginx_server, python_server
from tests.readers.servers.tls import authority

BODY = bytes(range(256)) * 8

with_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")

_REQUESTS: tuple[Mapping[str, str], ...] = (
    {},
    {"Range": "bytes=0-0"},
    {"Range": "bytes=10-99"},
    {"Range": "bytes=2000-9999"},
    {"Range": "bytes=2000-"},
    {"Range": "bytes=-5"},
    {"Range": "bytes=-9999"},
    {"Range": "bytes=2048-"},
    {"Range": "lines=1-2"},
    {"Range": "bytes=0-9", "If-Range": "TAG"},
    {"Range": "bytes=0-9", "If-Range": "DATE"},
    {"Range": "bytes=0-9", "If-Range": '"other"'},
    {"Range": "bytes=0-9", "If-Range": "Wed, 01 Jan 2020 00:00:00 GMT"},
    {"If-None-Match": "TAG"},
    {"If-None-Match": '"other"'},
    {"If-Modified-Since": "DATE"},
    {"If-Match": "TAG"},
    {"If-Match": '"other"'},
    {"If-Unmodified-Since": "DATE"},
    {"If-Unmodified-Since": "Wed, 01 Jan 2020 00:00:00 GMT"},
)


def _answers(url: str) -> list[tuple[object, ...]]:
    """What a server says to each of the requests, as far as all servers should say the same."""
    parts = urlsplit(url)
    known = {"TAG": "", "DATE": ""}
    answers: list[tuple[object, ...]] = []
    for headers in _REQUESTS:
        # a new one each time: some close it after a 412, and do not say so
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        sent = {name: known.get(value, value) for name, value in headers.items()}
        connection.request("GET", parts.path, headers=sent)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        known["TAG"] = answer.headers["ETag"] or known["TAG"]
        known["DATE"] = answer.headers["Last-Modified"] or known["DATE"]
        span = answer.headers["Content-Range"]
        answers.append((headers, answer.status, span, body if answer.status < 300 else b""))
    return answers


@with_nginx
def test_ranges_and_conditions_are_answered_as_by_nginx(tmp_path: Path) -> None:
    """The same status, range and bytes for each request."""
    served, work = tmp_path / "served", tmp_path / "work"
    served.mkdir()
    work.mkdir()
    (served / "f.zip").write_bytes(BODY)
    with nginx_server(served, work, autoindex=False) as url:
        expected = _answers(url + "f.zip")
    with FaultyHttp({"/f.zip": BODY}) as server:
        assert _answers(server.url("/f.zip")) == expected


_NAMES = ["a b.md", "a&b.md", "ä.md", "folder/", "page.md", f"{'long' * 20}.md"]


def _links(page: bytes) -> set[str]:
    return set(re.findall(r'href="([^"]*)"', page.decode()))


def _folder(path: Path) -> Path:
    for name in _NAMES:
        if name.endswith("/"):
            (path / name).mkdir(parents=True)
        else:
            path.mkdir(exist_ok=True)
            (path / name).write_bytes(b"x")
    return path


def test_a_listing_in_the_manner_of_python_has_its_links(tmp_path: Path) -> None:
    """One for each name, encoded in the same way."""
    with python_server(_folder(tmp_path / "f")) as url, urllib.request.urlopen(url) as answer:
        assert _links(INDEXES["python"]("/", _NAMES)) == _links(answer.read())


@with_nginx
def test_a_listing_in_the_manner_of_nginx_has_its_links(tmp_path: Path) -> None:
    """One for each name and one for the parent."""
    work = tmp_path / "work"
    work.mkdir()
    folder = _folder(tmp_path / "f")
    with nginx_server(folder, work, autoindex=True) as url, urllib.request.urlopen(url) as answer:
        assert _links(INDEXES["nginx"]("/", _NAMES)) == _links(answer.read())


def test_tls_is_trusted_by_those_who_know_the_authority(tmp_path: Path) -> None:
    """And by no one else."""
    made = authority(tmp_path)
    with FaultyHttp({"/x": BODY}, tls=made.context) as server:
        known = ssl.create_default_context(cafile=str(made.ca_file))
        with urllib.request.urlopen(server.url("/x"), context=known) as answer:
            assert answer.read() == BODY
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(server.url("/x"))
    assert len(server.asked("/x")) == 1


def test_a_fault_comes_when_it_should_and_as_often_as_it_should() -> None:
    """After so many requests, so many times, in the order in which faults were named."""
    with FaultyHttp({"/x": Served(b"x"), "/y": b"y"}) as server:
        server.fail("/x", faults.as_status(299), after=1, times=2)
        server.fail("*", faults.as_status(298), after=3)
        got = []
        for path in "/x", "/x", "/y", "/x", "/x", "/x", "/y":
            with urllib.request.urlopen(server.url(path)) as answer:
                got.append(answer.status)
    assert got == [200, 299, 200, 299, 200, 298, 200]


def test_no_thread_outlives_a_server_whose_clients_still_wait() -> None:
    """Neither that of a silent connection, nor one that sends drop by drop."""
    before = threading.active_count()
    with FaultyHttp({"/x": BODY}) as server:
        server.fail("/x", faults.silence)
        server.fail("/x", faults.drip(60))
        connections = []
        for number in (1, 2):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            connections.append(connection)
            connection.request("GET", "/x")
            if number == 2:
                connection.getresponse()
            while len(server.asked()) < number:  # the silence is for the first of them
                time.sleep(0.01)
        assert threading.active_count() > before
    for connection in connections:
        connection.close()
    assert threading.active_count() == before

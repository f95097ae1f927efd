"""Whom the HTTP client talks to: whose certificates, which addresses, and by way of which proxy."""

from __future__ import annotations

import base64
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.readers.http_asking import SHORT, all_words, alone, asking
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Reply, Request
from tests.readers.servers.tls import Authority, authority

from memoryfield_readers.errors import SourceUnavailable
from memoryfield_readers.http import connection
from memoryfield_readers.http.addresses import is_loopback, is_public, may_be_public

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"# A page\n"


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with one page."""
    with FaultyHttp({"/a.md": PAGE}) as made:
        yield made


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority, made once: that is slow."""
    return authority(tmp_path_factory.mktemp("tls"), "localhost")


@pytest.fixture(scope="module")
def safe(trusted: Authority) -> Iterator[FaultyHttp]:
    """A server with TLS, whose certificate is for one of its names."""
    with FaultyHttp({"/a.md": PAGE}, tls=trusted.context, host="localhost") as made:
        yield made


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_certificates_of_ones_own_are_honoured(
    safe: FaultyHttp, trusted: Authority, alone: pytest.MonkeyPatch, name: str
) -> None:
    """Each of the variables that tools know names them."""
    alone.setenv(name, str(trusted.ca_file))
    with asking() as ask:
        assert ask.get(safe.url("/a.md")) == PAGE


def test_a_certificate_of_a_stranger_is_refused(safe: FaultyHttp) -> None:
    """It is not tried again, nothing is sent, and the hint names the variable."""
    before = len(safe.requests)
    with asking(retries=2) as ask:
        error = ask.error(safe.url("/a.md"))
        assert ask.waits == []
    assert type(error) is SourceUnavailable
    assert "certificate is not trusted" in error.message
    assert "REQUESTS_CA_BUNDLE" in str(error.hint)
    assert len(safe.requests) == before


def test_a_certificate_for_another_host_is_refused(
    safe: FaultyHttp, trusted: Authority, alone: pytest.MonkeyPatch
) -> None:
    """The name must be in it, whoever signed it."""
    alone.setenv("SSL_CERT_FILE", str(trusted.ca_file))
    with asking(retries=2) as ask:
        error = ask.error(safe.url("/a.md").replace("localhost", "127.0.0.1"))
        assert ask.waits == []
    assert "127.0.0.1" in error.message


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "nonsense"])
def test_certificates_that_cannot_be_used_are_an_error(
    safe: FaultyHttp, alone: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    """The variable is named: nobody would look for it."""
    path = tmp_path / "own.pem"
    if content is not None:
        path.write_text(content, encoding="ascii")
    alone.setenv("CURL_CA_BUNDLE", str(path))
    with asking(retries=2) as ask:
        assert "CURL_CA_BUNDLE" in ask.error(safe.url("/a.md")).message
        assert ask.waits == []


def test_a_server_without_tls_is_told_from_one_with(
    server: FaultyHttp, alone: pytest.MonkeyPatch
) -> None:
    """No certificate is to blame where there is no TLS."""
    with asking(retries=2) as ask:
        error = ask.error(server.url("/a.md").replace("http:", "https:"))
    assert type(error) is SourceUnavailable
    assert "TLS" in error.message
    assert "certificate" not in error.message


@pytest.mark.parametrize(
    ("code", "tries", "words"),
    [(socket.EAI_NONAME, 1, "no host named"), (socket.EAI_AGAIN, 3, "cannot be looked up now")],
)
def test_a_name_without_a_host(
    alone: pytest.MonkeyPatch, code: int, tries: int, words: str
) -> None:
    """No such name will not pass, no name server may; neither means that a page is absent."""
    asked: list[object] = []

    def fail(*args: Any, **named: Any) -> None:
        asked.append(args)
        raise socket.gaierror(code, "no")

    alone.setattr(connection, "getaddrinfo", fail)
    with asking(retries=2) as ask:
        error = ask.error("http://field.example/a.md?k=hidden")
    assert type(error) is SourceUnavailable
    assert words in error.message
    assert "hidden" not in all_words(error)
    assert len(asked) == tries


PUBLIC = ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"]
PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "0.1.2.3",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::1",
    "2001:0:a00:1:0:0:f5ff:fffe",
    "100::1",
    "4000::1",
    "localhost",
    "",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    """What the whole internet can reach is public, however it is wrapped."""
    assert is_public(address)
    assert may_be_public(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public(address: str) -> None:
    """This machine, its neighbours, and all that is set apart, however it is wrapped."""
    assert not is_public(address)
    assert may_be_public(address) == (address == "")


@pytest.mark.parametrize(
    "host",
    ["127.1", "2130706433", "0x7f.1", "017700000001", "0", "10.1", "localhost.", "a.LocalHost"],
)
def test_odd_spellings_of_addresses(host: str) -> None:
    """What a system takes for an address is seen for one, before and after it is asked."""
    assert not may_be_public(host)
    with asking(retries=2, public_only=True) as ask:
        assert "not a public address" in ask.error(f"http://{host}/a.md").message
        assert ask.waits == []


def test_names_and_what_is_this_machine() -> None:
    """A name may be public until it is looked up; only this machine's own names are loopback."""
    assert may_be_public("field.example")
    assert all(map(is_loopback, ["localhost", "127.9.9.9", "::1", "::ffff:127.0.0.1"]))
    assert not any(map(is_loopback, ["localhost.example", "10.0.0.1", "128.0.0.1", "mylocalhost"]))


def this_machine(host: str, *args: Any, **named: Any) -> Any:
    """A name server that knows one answer."""
    return socket.getaddrinfo("127.0.0.1", *args, **named)


def test_only_public_addresses_are_connected_to(
    server: FaultyHttp, alone: pytest.MonkeyPatch
) -> None:
    """A name that leads to this machine is refused before anything is sent."""
    alone.setattr(connection, "getaddrinfo", this_machine)
    with asking(retries=2, public_only=True) as ask:
        error = ask.error(f"http://field.example:{server.port}/a.md")
        assert ask.waits == []
    assert type(error) is SourceUnavailable
    assert "field.example is not a public address" in error.message
    with asking() as ask:
        assert ask.get(f"http://field.example:{server.port}/a.md") == PAGE
    assert server.connections == len(server.requests) == 1


@pytest.mark.parametrize("to", ["http://127.0.0.1:{port}/a.md", "http://inner.example:{port}/a.md"])
def test_a_redirect_to_what_is_not_public_is_refused(
    server: FaultyHttp, alone: pytest.MonkeyPatch, to: str
) -> None:
    """Neither an address nor a name leads further in than the first location did."""
    alone.setattr(connection, "getaddrinfo", this_machine)
    # the first host stands for one on the internet
    judged = iter([True, True, False])
    alone.setattr(connection, "is_public", lambda _: next(judged))
    server.fail("/old", faults.redirect(to.format(port=server.port)), times=None)
    with asking(retries=2, public_only=True) as ask:
        error = ask.error(f"http://outer.example:{server.port}/old")
    assert "not a public address" in error.message
    assert [each.path for each in server.requests] == ["/old"]


def through(request: Request) -> Reply:
    """What a proxy gives: where it was asked to go."""
    return Reply(200, {}, request.headers["host"].encode() + request.path.encode())


def test_a_proxy_of_the_environment_is_used(server: FaultyHttp, alone: pytest.MonkeyPatch) -> None:
    """With its credentials, which the server behind it never sees, and the query."""
    server.answers["*"] = through
    alone.setenv("HTTP_PROXY", server.base.replace("//", "//me:hidden@"))
    with asking() as ask:
        assert ask.get("http://field.example/b.md?x=1") == b"field.example/b.md"
    assert server.requests[0].query == "x=1"
    wanted = "Basic " + base64.b64encode(b"me:hidden").decode()
    assert server.requests[0].headers["proxy-authorization"] == wanted


def test_no_proxy_is_used_where_none_is_wanted(
    server: FaultyHttp, alone: pytest.MonkeyPatch
) -> None:
    """NO_PROXY names hosts that are asked directly."""
    alone.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    alone.setenv("NO_PROXY", "127.0.0.1")
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE


def test_https_goes_through_a_tunnel(server: FaultyHttp, alone: pytest.MonkeyPatch) -> None:
    """A proxy that makes none is named as the one who refuses, with its status."""
    alone.setenv("HTTPS_PROXY", server.base.replace("//", "//me:hidden@"))
    server.fail("*", faults.status(407), times=None)
    with asking(retries=2) as ask:
        error = ask.error("https://field.example/b.md?k=hidden")
        assert ask.waits == []
    assert "proxy" in error.message
    assert "407 Proxy Authentication Required" in error.message
    assert "HTTPS_PROXY" in str(error.hint)
    assert "hidden" not in all_words(error)
    assert [each.method for each in server.requests] == ["CONNECT"]


def tunnel(listener: socket.socket, seen: list[bytes]) -> None:
    """A proxy that makes one tunnel, and closes it when either side has had enough."""
    client, _ = listener.accept()
    with client:
        asked = client.recv(4096)
        seen.append(asked)
        port = int(asked.split()[1].rpartition(b":")[2])
        with socket.create_connection(("127.0.0.1", port)) as server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
            other = {client: server, server: client}
            while True:
                for ready in select.select(list(other), [], [])[0]:
                    data = ready.recv(65_536)
                    if not data:
                        return
                    other[ready].sendall(data)


def test_tls_is_spoken_through_a_tunnel(
    safe: FaultyHttp, trusted: Authority, alone: pytest.MonkeyPatch
) -> None:
    """The certificate is that of the server, which alone reads what is asked; time is kept."""
    alone.setenv("REQUESTS_CA_BUNDLE", str(trusted.ca_file))
    seen: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=tunnel, args=(listener, seen))
        thread.start()
        alone.setenv("HTTPS_PROXY", f"http://127.0.0.1:{listener.getsockname()[1]}")
        with asking(timeout=SHORT * 4) as ask:
            assert ask.get(safe.url("/a.md?k=hidden")) == PAGE
            assert ask.get(safe.url("/a.md?k=hidden")) == PAGE
            safe.fail("/a.md", faults.silence_after(3))
            assert "too slow" in ask.error(safe.url("/a.md")).message
        thread.join()
    assert len(seen) == 1
    assert seen[0].startswith(b"CONNECT localhost:")
    assert b"hidden" not in seen[0]


def test_a_proxy_that_is_not_there(alone: pytest.MonkeyPatch) -> None:
    """It is a connection that did not come about."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        alone.setenv("HTTP_PROXY", f"http://me:hidden@127.0.0.1:{closed.getsockname()[1]}")
    with asking(retries=1) as ask:
        error = ask.error("http://field.example/")
        assert len(ask.waits) == 1
    assert "no connection" in error.message
    assert "hidden" not in all_words(error)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "http://", "http://[::1", "gopher://x"])
def test_a_proxy_that_cannot_be_used(alone: pytest.MonkeyPatch, proxy: str) -> None:
    """Only proxies of HTTP can; anything else is an error of ours, not of a library."""
    alone.setenv("ALL_PROXY", proxy)
    with asking(retries=2) as ask:
        error = ask.error("http://field.example/")
        assert ask.waits == []
    assert "proxy" in error.message


def test_behind_a_proxy_the_name_is_looked_at(
    server: FaultyHttp, alone: pytest.MonkeyPatch
) -> None:
    """The proxy may stand on this machine, as its owner wants; where it is sent to may not."""
    server.answers["*"] = through
    alone.setenv("HTTP_PROXY", server.base)
    with asking(public_only=True) as ask:
        assert ask.get("http://field.example/b.md") == b"field.example/b.md"
        for host in ("127.1", "localhost", "[::1]", "169.254.169.254"):
            assert "not a public address" in ask.error(f"http://{host}/b.md").message
    assert len(server.requests) == 1

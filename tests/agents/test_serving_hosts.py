"""Who is answered: names of this server, pages of this server, people with a password."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send
from tests.agents.served import Server, folder, page, serving
from tests.cli.command import call

from memoryfield_agents.serving import Settings, running
from memoryfield_agents.serving.authentication import Users, credentials
from memoryfield_agents.serving.hosts import HostCheck, is_loopback
from memoryfield_agents.serving.passwords import PasswordHash, hashed, read_users
from memoryfield_agents.serving.replies import plain, send_reply
from memoryfield_cli.commands.serve import _log_to
from memoryfield_readers import AccessDenied, LocationError, NotFound, open_field

ROUTES = [
    "/", "/woks.md", "/memoryfield.zip", "/search?q=a", "/listing.json", "/healthz", "/nothing.md",
    "/-/style.css", "/../x",
]  # fmt: skip
PASSWORD = "pässword: with a colon"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("hosts") / "notes", {"woks.md": page("Woks")})


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    settings = Settings(follow_changes=False, allowed_hosts=frozenset({"notes.example"}))
    with serving(place, settings=settings) as found:
        yield found


@pytest.fixture(scope="module")
def guarded(place: Path) -> Iterator[Server]:
    users = {"ada": str(hashed(PASSWORD.encode())), "bob": str(hashed(b"b"))}
    with serving(place, settings=Settings(follow_changes=False, users=users)) as found:
        yield found


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example",
        "notes.example.evil", "localhost@evil.example", "", "[::1", "localhost:x", "10.0.0.1",
        "localhost, evil.example", "0x7f.1", "127.1",
    ],
)  # fmt: skip
def test_other_names_get_nothing(server: Server, route: str, host: str) -> None:
    """On any route: a name of a stranger can be made to point here (DNS rebinding)."""
    got = server.get(route, Host=host)
    assert got.status in (400, 403)
    assert b"Woks" not in got.body


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8000", "[::1]", "[::1]:80",
        "notes.example", "Notes.Example:443", "localhost.",
    ],
)  # fmt: skip
def test_our_names_are_answered(server: Server, host: str) -> None:
    """At any port, since a tunnel may end at another one."""
    assert server.get("/woks.md", Host=host).status == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8000", 200), ("https://localhost:8000", 200),
        ("http://LOCALHOST:8000", 200),
        ("http://evil.example", 403), ("null", 403), ("http://localhost:3000", 403),
        ("http://localhost", 403), ("file://", 403), ("http://localhost:8000.evil.example", 403),
        ("", 403),
    ],
)  # fmt: skip
@pytest.mark.parametrize("route", ["/woks.md", "/search?q=a", "/memoryfield.zip"])
def test_pages_of_other_sites_get_nothing(
    server: Server, route: str, origin: str, status: int
) -> None:
    """An origin is ours if it is that of the host that was asked."""
    got = server.get(route, Host="localhost:8000", Origin=origin)
    assert got.status == status
    assert "access-control-allow-origin" not in got.headers


@pytest.mark.parametrize(
    ("host", "reached", "status"),
    [
        ("10.1.2.3:8000", "10.1.2.3", 200), ("10.1.2.4:8000", "10.1.2.3", 403),
        ("[fe80::1]", "fe80:0::1", 200), ("intranet", "10.1.2.3", 403),
        ("0.0.0.0", "10.1.2.3", 403),
    ],
)  # fmt: skip
def test_the_address_that_was_reached_is_a_name(host: str, reached: str, status: int) -> None:
    """Nobody can make it point elsewhere; a name would have to be allowed."""
    seen: list[int] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        await send_reply(plain(200, "well"), scope, send)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        seen.extend([message["status"]] if "status" in message else [])

    scope = {
        "type": "http", "method": "GET", "server": (reached, 8000),
        "headers": [(b"host", host.encode())],
    }  # fmt: skip
    asyncio.run(HostCheck(inner)(scope, receive, send))
    assert seen == [status]


@pytest.mark.parametrize("route", ROUTES)
def test_without_a_password_nothing_is_told(guarded: Server, route: str) -> None:
    """401 asks for HTTP Basic (MF707); that the server lives is told to all."""
    got = guarded.get(route)
    if route == "/healthz":
        assert got.status == 200
        return
    assert got.status == 401
    assert got.headers["www-authenticate"] == 'Basic realm="memoryfield", charset="UTF-8"'
    assert b"Woks" not in got.body


def test_the_right_password_is_let_in(guarded: Server) -> None:
    """Each time, the second time from what is known; the log names the user."""
    for _ in range(2):
        assert guarded.get("/woks.md", Authorization=basic("ada", PASSWORD)).status == 200
    assert guarded.get("/woks.md", Authorization=basic("bob", "b")).status == 200
    assert ' "ada" "GET /woks.md' in guarded.told('"ada"')
    assert ' "bob" "GET /woks.md' in guarded.told('"bob"')


@pytest.mark.parametrize(
    "header",
    [
        basic("ada", "wrong"), basic("ada", ""), basic("eve", PASSWORD), basic("bob", PASSWORD),
        basic("ADA", PASSWORD), "Bearer x", "Basic", "Basic !!!!", "Basic " + "A" * 6000,
        "Basic YWRh",
        basic("ada", PASSWORD) + "x", "Basic /////w==",
    ],
    ids=range(12),
)  # fmt: skip
def test_others_are_not(guarded: Server, header: str) -> None:
    """Nor do malformed credentials make a fault."""
    assert guarded.get("/woks.md", Authorization=header).status == 401
    assert not any(line.startswith("fault") for line in guarded.log)


def test_our_reader_gives_its_credentials(
    guarded: Server, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From NETRC; without them, it is told that it may not."""
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    with pytest.raises(AccessDenied):
        open_field(guarded.url)
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login bob password b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with open_field(guarded.url) as served, open_field(str(place)) as source:
        assert served.digest() == source.digest()


def test_a_hash_can_be_made_and_read(tmp_path: Path) -> None:
    """By the command, from stdin; the password does not stand in it."""
    done = call("serve", "--hash-password", "ada", stdin="sesam öffne\n".encode())
    assert (done.code, done.err) == (0, "")
    file = tmp_path / "users"
    file.write_text(f"# who may read\n\n{done.out}")
    users = read_users(file)
    assert list(users) == ["ada"]
    assert "sesam" not in done.out
    known = Users(users)
    assert known.known(basic("ada", "sesam öffne")) is None
    assert known.check(basic("ada", "sesam öffne")) == "ada"
    assert known.known(basic("ada", "sesam öffne")) == "ada"
    assert known.check(basic("ada", "Sesam öffne")) is None


def test_a_stranger_takes_as_long_as_a_wrong_password() -> None:
    """Also where the hashes are more work than ours are."""
    users = Users({"ada": str(hashed(b"x")), "bob": f"scrypt$32768$8$1${'A' * 16}${'A' * 43}="})
    assert users._stranger.work == 32768 * 8
    assert users.check(basic("eve", "x")) is None


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("Notes.Example.", "notes.example"), ("[::1]", "::1"), ("10.0.0.1", "10.0.0.1"),
        ("http://x/", None), ("*", None), ("*.x", None), ("x:80", None), ("", None), (".", None),
        ("x y", None), ("x,y", None), ("x/y", None),
    ],
)  # fmt: skip
def test_what_can_be_allowed(name: str, fit: str | None) -> None:
    """What no request can be meant for is refused at start, and does not lie idle."""
    if fit is not None:
        assert running.allowed_hosts([name]) == {fit}
        return
    with pytest.raises(LocationError, match="no name of a host") as found:
        running.allowed_hosts([name])
    assert found.value.exit_code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is full")
def test_a_log_that_cannot_be_written() -> None:
    """It is no reason to stop serving."""
    with _log_to(Path("/dev/full")) as log:
        log("a line")


@pytest.mark.parametrize(
    "text",
    [
        "", "# nobody\n", "ada", "ada:secret", ":x", "ada:scrypt$1$2$3$4", "ada:md5$16384$8$1$a$b",
        "ada:scrypt$16385$8$1$AAAAAAAAAAAAAAAA$AAAA", "ada:scrypt$16384$8$1$????$????",
        "ada:scrypt$1073741824$8$1$AAAAAAAAAAAAAAAA$" + "A" * 43 + "=",
        "ada:scrypt$16384$8$999$AAAAAAAAAAAAAAAA$" + "A" * 43 + "=", "\udcff",
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_no_auth_file(tmp_path: Path, text: str) -> None:
    """It is refused at start, with the line, and nothing that would be endless work is taken."""
    file = tmp_path / "users"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(LocationError):
        read_users(file)


def test_users_stand_once(tmp_path: Path) -> None:
    """A user with two hashes has none."""
    file = tmp_path / "users"
    file.write_text(f"a:{hashed(b'x')}\na:{hashed(b'y')}\n")
    with pytest.raises(LocationError, match="twice"):
        read_users(file)
    with pytest.raises(NotFound):
        read_users(tmp_path / "none")


def test_credentials_and_hashes_are_parsed() -> None:
    """A colon ends the name, and not the password."""
    assert credentials(basic("ada", "a:b")) == ("ada", b"a:b")
    made = hashed(b"x")
    assert PasswordHash.parse(str(made)) == made
    assert made.fits(b"x")
    assert not made.fits(b"y")
    assert str(hashed(b"x")) != str(hashed(b"x"))


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False),
        ("::", False), ("10.0.0.1", False), ("example.org", False), ("", False),
    ],
)  # fmt: skip
def test_loopback(host: str, alone: bool) -> None:
    """Addresses that nobody else reaches."""
    assert is_loopback(host) == alone


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", ""])
def test_strangers_need_a_decision(place: Path, host: str) -> None:
    """Another host needs a password or consent; nothing is opened before."""
    done = call("serve", "--host", host, place)
    assert done.code == 2
    assert "--auth-file" in done.err
    assert "--public" in done.err

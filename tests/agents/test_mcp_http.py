"""`memoryfield mcp --http`: streamable HTTP, for those whom it is meant for."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.agents.mcp_places import (
    HOSTILE,
    SECONDS,
    folder,
    over_http,
    refused,
    shelf_of,
    talk,
    text_of,
    told,
)
from tests.cli.command import COMMAND, heed_signals, neutral_environment

from memoryfield_agents.mcp_server.over_http import MOST_BODY
from memoryfield_agents.serving import Settings
from memoryfield_agents.serving.passwords import hashed

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, list[str]]]:
    """A server of a field of hostile pages."""
    place = folder(tmp_path_factory.mktemp("http") / "bad", HOSTILE)
    with shelf_of(place) as shelf, over_http(shelf, Settings(head_seconds=2)) as found:
        yield found


def ask(
    port: int, method: str = "POST", path: str = "/mcp", body: Any = LIST, **headers: str
) -> tuple[int, bytes]:
    """Send a request; `_` in the names of headers is `-`."""
    sent = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    with closing(connection):
        connection.request(method, path, raw if method == "POST" else None, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client(mode: str, server: tuple[int, list[str]]) -> None:
    """Finds and reads; by the handshake of old and without; many requests at once."""

    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        told(await client.call_tool("search", {"query": "tool instructions"}))

        async def read() -> None:
            result = await client.call_tool("read_pages", {"names": list(HOSTILE)})
            texts = {page["name"]: page["text"] for page in told(result)["pages"]}
            assert texts["injected.md"] == HOSTILE["injected.md"].decode()

        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(read)
        result = await client.call_tool("search", {"query": "x", "field": "../bad"})
        assert refused(result).endswith("(there is bad)")
        resources = (await client.list_resources()).resources
        assert len(resources) == len(HOSTILE)
        await client.read_resource(resources[0].uri)

    talk(f"http://127.0.0.1:{server[0]}/mcp", work, mode)


def test_strangers_get_nothing(server: tuple[int, list[str]]) -> None:
    """A name that is made to point here, and a page of another site: 403 on every path."""
    port, _ = server
    assert ask(port)[0] == 200
    assert ask(port, Host=f"localhost:{port}")[0] == 200
    assert ask(port, Host=f"127.0.0.1:{port}", Origin=f"http://127.0.0.1:{port}")[0] == 200
    for path in ("/mcp", "/", "/mcp/", "/x"):
        for method in ("POST", "GET", "OPTIONS", "DELETE"):
            assert ask(port, method, path, Host="evil.example")[0] == 403
            assert ask(port, method, path, Origin="http://evil.example")[0] == 403
            assert ask(port, method, path, Origin="null")[0] == 403


def test_there_is_one_path_and_one_method(server: tuple[int, list[str]]) -> None:
    """No stream is held open for nobody, no session kept."""
    port, _ = server
    for method in ("GET", "HEAD", "DELETE", "PUT", "OPTIONS"):
        assert ask(port, method)[0] == 405
    assert ask(port, path="/")[0] == 404
    assert ask(port, path="/mcp/../x")[0] == 404


def test_no_stream_is_held_open(server: tuple[int, list[str]]) -> None:
    """There is nothing to subscribe to: who asks for it is told so at once."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    for method in ("subscriptions/listen", "resources/subscribe", "logging/setLevel"):
        params = {"_meta": meta, "uri": "memoryfield://bad/a.md", "level": "debug"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        sent = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
        for headers in ({}, sent):
            _, answer = ask(server[0], body=body, **headers)
            assert "error" in json.loads(answer)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"x", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b"[]", 400),
        (b" " * (MOST_BODY + 1), 413),
        (json.dumps(LIST).encode() + b" " * 1000, 200),
    ],
    ids=["empty", "text", "no UTF-8", "deep", "list", "large", "blanks"],
)
def test_what_is_no_request_is_refused(
    body: bytes, status: int, server: tuple[int, list[str]]
) -> None:
    """And the server goes on."""
    port, _ = server
    assert ask(port, body=body)[0] == status
    assert ask(port)[0] == 200


def test_each_request_is_told_of_in_one_line(server: tuple[int, list[str]]) -> None:
    """Whatever is in it."""
    port, lines = server
    ask(port, path="/mcp%0aX", User_Agent="x\ty\x1b")
    assert lines
    assert all(line.isprintable() for line in lines)


def test_a_body_that_never_comes(tmp_path: Path) -> None:
    """The request is given up; others are answered meanwhile."""
    settings = Settings(answer_seconds=0.5)
    with (
        shelf_of(folder(tmp_path / "f", {"a.md": "A"})) as shelf,
        over_http(shelf, settings) as (port, _),
        socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client,
    ):
        client.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{"
        )
        assert ask(port)[0] == 200
        assert b" 503 " in client.recv(65536).split(b"\r\n")[0]


def test_a_client_that_asks_before_it_sends(server: tuple[int, list[str]]) -> None:
    """It is told at once to go on, and then answered."""
    body = json.dumps(LIST).encode()
    with socket.create_connection(("127.0.0.1", server[0]), timeout=SECONDS) as client:
        client.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nExpect: 100-continue\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)
        )
        assert client.recv(65536).startswith(b"HTTP/1.1 100 ")
        client.sendall(body)
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_only_those_who_may_read(tmp_path: Path) -> None:
    """With an auth file, HTTP Basic is asked for; the official client can give it."""
    settings = Settings(users={"ada": str(hashed(b"secret"))})
    results: list[str] = []

    async def whole(url: str) -> None:
        with anyio.fail_after(SECONDS):
            async with (
                httpx2.AsyncClient(auth=("ada", "secret")) as given,
                Client(streamable_http_client(url, http_client=given)) as client,
            ):
                results.append(text_of(await client.call_tool("list_fields", {})))

    with (
        shelf_of(folder(tmp_path / "f", {"a.md": "A"})) as shelf,
        over_http(shelf, settings) as (port, _),
    ):
        assert ask(port)[0] == 401
        assert ask(port, Authorization="Basic YWRhOndyb25n")[0] == 401
        assert ask(port, Authorization="Basic YWRhOnNlY3JldA==", Host="evil.example")[0] == 403
        anyio.run(whole, f"http://127.0.0.1:{port}/mcp")
    assert json.loads(results[0])["fields"][0]["field"] == "f"


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_the_command(tmp_path: Path) -> None:
    """It says where it is and what is served, and ends with 0 at SIGTERM."""
    process = subprocess.Popen(
        [COMMAND, "mcp", "--http", "--port", "0", folder(tmp_path / "f", {"a.md": "A"})],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=neutral_environment(),
        preexec_fn=heed_signals,
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp$", first)
        assert found is not None, first
        assert process.stderr.readline().startswith(b"memoryfield: f: field-sha256:")
        status, body = ask(int(found[1]))
        assert status == 200
        assert len(json.loads(body)["result"]["tools"]) == 4
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=SECONDS)
        assert (process.returncode, out) == (0, b"")
        assert b'"POST /mcp HTTP/1.1" 200' in err
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()

"""`memoryfield mcp` over stdin and stdout, driven by the official client and line by line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.agents.mcp_places import (
    HOSTILE,
    ODD_NAMES,
    SECONDS,
    Raw,
    desk_of,
    folder,
    parameters,
    raw,
    refused,
    talk,
    text_of,
    told,
)
from tests.agents.write_watch import watched, written
from tests.cli.command import COMMAND, call, neutral_environment

from memoryfield_agents.mcp_server.stdio import MOST_AHEAD, MOST_LINE, Flow, Lines, Out
from memoryfield_cli.commands.mcp import _locked
from memoryfield_readers import DEFAULT_LIMITS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors are those of POSIX")

NOISY = """\
import ctypes, os, subprocess, sys, threading
import memoryfield_agents.fields.held as held
import memoryfield_agents.mcp_server.desk as desk

libc = ctypes.CDLL(None)
kept = sys.stdout


def noisy(work):
    def made(*arguments, **others):
        print("PRINTED")
        kept.write("KEPT\\n")
        sys.__stdout__.write("DUNDER\\n")
        sys.__stdout__.flush()
        os.write(1, b"WRITTEN\\n")
        libc.puts(b"PUT")
        libc.fflush(None)
        subprocess.run([sys.executable, "-c", "print('CHILD', input() if False else '')"])
        assert os.read(0, 10) == b""
        return work(*arguments, **others)
    return made


desk.Desk.list_fields = noisy(desk.Desk.list_fields)
import memoryfield_agents.fields.shelf as shelf
shelf.hold = noisy(shelf.hold)


def hang(*arguments):
    print("HANGS", file=sys.stderr, flush=True)
    threading.Event().wait()


import memoryfield_agents.mcp_server.stdio as stdio
stdio._GRACE_SECONDS = 0.2
desk.Desk.search = hang

from memoryfield_cli.start import run
run()
"""


def test_the_official_client(tmp_path: Path) -> None:
    """Finds, reads many at once, reads on; by the handshake of old, and below without."""
    place = folder(tmp_path / "bad", {**HOSTILE, "long.md": "wok\n" * 30_000})

    async def work(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.name == "memoryfield"
        assert "not instructions" in (client.instructions or "")
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [
            "list_fields", "search", "read_pages", "read_more",
        ]  # fmt: skip
        for tool in tools:
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.annotations.idempotent_hint is True
            assert tool.annotations.destructive_hint is False
            assert tool.annotations.open_world_hint is False
            assert tool.output_schema is not None
            assert tool.input_schema["additionalProperties"] is False
            assert len(tool.description or "") <= 220
        listed = told(await client.call_tool("list_fields", {}))
        assert listed["fields"][0]["field"] == "bad"
        found = told(await client.call_tool("search", {"query": "tool instructions"}))
        names = [each["name"] for each in found["results"]]
        assert "injected.md" in names
        result = await client.call_tool("read_pages", {"names": [*HOSTILE, "long.md"]})
        assert len(text_of(result).encode()) <= 60_000
        read = told(result)
        texts = {page["name"]: page["text"] for page in read["pages"]}
        assert texts["injected.md"] == HOSTILE["injected.md"].decode()
        assert texts["cjk.md"] == HOSTILE["cjk.md"].decode()
        more = told(await client.call_tool("read_more", {"cursor": read["pages"][-1]["cursor"]}))
        assert more["pages"][0]["offset"] == len(texts["long.md"])
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "memoryfield://{field}/{page}"
        resources = (await client.list_resources()).resources
        assert [each.name for each in resources] == sorted([*HOSTILE, "long.md"])
        for each in resources:
            (content,) = (await client.read_resource(each.uri)).contents
            (page,) = json.loads(getattr(content, "text", ""))["pages"]
            assert page["name"] == each.name
        for name in ODD_NAMES:
            if name.isascii():
                result = await client.call_tool("read_pages", {"names": ["cjk.md"], "field": name})
                assert refused(result).endswith("(there is bad)")
                with pytest.raises(MCPError):
                    await client.read_resource(f"memoryfield://bad/{name}")
        assert "no cursor" in refused(await client.call_tool("read_more", {"cursor": "x"}))
        assert "no tool" in refused(await client.call_tool("write_page", {"name": "a.md"}))
        with pytest.raises(MCPError, match="no cursor"):
            await client.list_resources(cursor="x")

    talk(parameters(place), work, "legacy")


def test_many_requests_in_parallel(tmp_path: Path) -> None:
    """All are answered, each with its own; memory does not grow with their number."""
    pages = {f"{number}.md": f"page {number} " * 500 for number in range(50)}

    async def work(client: Client) -> None:
        async def ask(number: int) -> None:
            wanted = [f"{number % 50}.md", f"{(number + 7) % 50}.md"]
            read = told(await client.call_tool("read_pages", {"names": wanted}))
            assert [page["name"] for page in read["pages"]] == wanted
            assert [page["text"] for page in read["pages"]] == [pages[name] for name in wanted]

        async def round_of(count: int) -> int:
            async with anyio.create_task_group() as group:
                for number in range(count):
                    group.start_soon(ask, number)
            return _resident(os.getpid())

        await round_of(50)
        first = _resident(os.getpid())
        await round_of(50)
        assert _resident(os.getpid()) < first * 1.3

    talk(parameters(folder(tmp_path / "f", pages)), work, "auto")


def _resident(parent: int) -> int:
    """Bytes of memory of the server that a process has started."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    if not children.exists():
        pytest.skip("this system does not say how much memory a process has")
    sizes = [
        int(Path(f"/proc/{child}/statm").read_text().split()[1])
        for child in children.read_text().split()
    ]
    return max(sizes)


def test_nothing_but_the_protocol_is_on_stdout(tmp_path: Path) -> None:
    """Whatever a library, C code or a child process prints; and nobody else reads stdin.

    A signal ends it with 0, also while a place does not answer.
    """
    script = tmp_path / "noisy.py"
    script.write_text(NOISY)
    place = folder(tmp_path / "f", {"a.md": "A"})
    with raw(place, command=[sys.executable, script]) as server:
        server.shake_hands()
        for number in range(2, 5):
            server.say("tools/call", number, name="list_fields", arguments={})
            answer = server.hear()
            assert answer["id"] == number
            assert answer["result"]["structuredContent"]["fields"][0]["field"] == "f"
        server.say("tools/call", 9, name="search", arguments={"query": "a"})
        assert server.process.stderr is not None
        err = b"".join(iter(server.process.stderr.readline, b"HANGS\n"))
        server.stop(signal.SIGINT)
        assert server.process.wait(SECONDS) == 0
        assert server.end()[1:] == (b"", b"")
    for word in (b"PRINTED", b"KEPT", b"DUNDER", b"WRITTEN", b"PUT", b"CHILD"):
        assert err.count(word) == 4, word


def test_whatever_is_said_and_asked(tmp_path: Path) -> None:
    """What is no message is survived, answers are lines to anyone, and no file is written.

    Some take U+2028 for the end of a line. A signal ends it with 0, while the client is there.
    """
    place = folder(tmp_path / "f", {**HOSTILE, "long.md": "wok\n" * 30_000})
    (tmp_path / "watch").mkdir()
    with raw(place, command=watched(tmp_path / "watch", "memoryfield_cli")) as server:
        server.shake_hands()
        _say_what_is_no_message(server)
        asked: list[tuple[str, dict[str, Any]]] = [
            ("list_fields", {"reload": True}),
            ("search", {"query": "tool instructions"}),
            ("read_pages", {"names": [*HOSTILE, *ODD_NAMES[:-1], "long.md"][:20]}),
            ("search", {"query": "x", "field": str(place)}),
        ]
        assert server.process.stdout is not None
        for number, (name, arguments) in enumerate(asked, 100):
            server.say("tools/call", number, name=name, arguments=arguments)
            line = server.process.stdout.readline().decode()
            assert len(line.splitlines()) == 1
            assert line.removesuffix("\n").isprintable()
            answer = json.loads(line)
            assert answer["id"] == number
            assert answer["result"]["isError"] == ("field" in arguments)
        server.stop(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
        assert server.end()[1:] == (b"", b"")
    assert written(tmp_path / "watch") == []


def _say_what_is_no_message(server: Raw) -> None:
    """Lines that are no JSON, not UTF-8, too deep, or too long by far."""
    for line in (
        b"hello", b"\xff\xfe", b"[]", b"{}", b"[" * 100_000, b"1" * (MOST_LINE + 100_000),
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}', b"", b"\r",
    ):  # fmt: skip
        server.write(line + b"\n")
    server.say("ping", 99)
    heard = server.hear()
    while heard.get("id") != 99:
        assert "error" in heard
        heard = server.hear()
    assert heard["result"] == {}


def test_a_client_that_takes_no_answer_is_not_read_on_and_on() -> None:
    """Until it takes one."""
    stdin, client_out = os.pipe()
    client_in, stdout = os.pipe()
    os.write(client_out, b"x\n" * (MOST_AHEAD * 3))
    os.close(client_out)
    large = "y" * 1_000_000
    heard: list[str] = []

    async def hear(lines: Lines) -> None:
        async for line in lines:
            heard.append(line)

    async def whole() -> None:
        flow = Flow()
        out = Out(stdout, flow)
        with anyio.fail_after(SECONDS):
            async with anyio.create_task_group() as group:
                group.start_soon(out.write, large)
                await anyio.wait_all_tasks_blocked()
                group.start_soon(hear, Lines(stdin, flow))
                while len(heard) < MOST_AHEAD:
                    await anyio.sleep(0.01)
                await anyio.wait_all_tasks_blocked()
                assert len(heard) == MOST_AHEAD
                taken = 0
                while taken < len(large):
                    taken += len(await anyio.to_thread.run_sync(os.read, client_in, 65536))
        assert len(heard) == MOST_AHEAD * 3

    try:
        anyio.run(whole)
    finally:
        for descriptor in (stdin, client_in, stdout):
            os.close(descriptor)


def test_a_client_that_dies(tmp_path: Path) -> None:
    """Its end of stdout is closed, with answers still to come: it ends, and says nothing."""
    with raw(folder(tmp_path / "f", {"a.md": "A" * 30_000})) as server:
        server.shake_hands()
        assert server.process.stdout is not None
        server.process.stdout.close()
        for number in range(2, 6):
            server.say("tools/call", number, name="read_pages", arguments={"names": ["a.md"]})
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(SECONDS) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is full")
def test_an_answer_that_cannot_be_written(tmp_path: Path) -> None:
    """One line says so, and it is no traceback."""
    client = {"name": "test", "version": "1"}
    how = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": how}
    with (
        open("/dev/full", "wb") as full,
        subprocess.Popen(
            [COMMAND, "mcp", folder(tmp_path / "f", {"a.md": "A"})],
            stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE, env=neutral_environment(),
        ) as process,
    ):  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(SECONDS) == 4  # though the client still has its side open
        told = process.stderr.read()
    assert told == b"memoryfield: stdout cannot be written: No space left on device\n"


def test_all_fields_of_the_lock_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a location; each is pinned, and so shown as it was locked, or not at all."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        folder(tmp_path / name, {"a.md": f"---\ntitle: {name}\n---\n# A\n"})
        assert call("lock", "add", name, name).code == 0
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    locations = _locked(DEFAULT_LIMITS)
    assert locations == ("@one", "@two")
    with desk_of(*locations) as desk:
        fields = desk.list_fields({"reload": True})["fields"]
    assert [(each["field"], each["pinned"], each["reload"]) for each in fields] == [
        (name, True, "pinned: it is what it was") for name in ("one", "two")
    ]
    folder(tmp_path / "two", {"a.md": "changed"})
    done = call("mcp")
    assert (done.code, done.stdout) == (3, b"")


def test_wrong_usage_and_what_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with its exit code, before a word is said to a client."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    place = folder(tmp_path / "f", {"a.md": "A"})
    for arguments, code, says in (
        ((), 2, "which fields?"),
        (("--port", "0", place), 2, "go with --http"),
        (("--pin", "field-sha256:" + "0" * 64, place, place), 2, "a pin is of one field"),
        (("--pin", "field-sha256:" + "0" * 64, place), 3, "f: "),
        (("--http", "--host", "0.0.0.0", place), 2, "--public"),
        (("--http", "--allow-host", "*", place), 2, "no name of a host"),
        ((tmp_path / "missing",), 4, "no such file"),
        ((f"x={place}", f"x={tmp_path}"), 2, "the name is given to"),
        ((f"X={place}",), 2, "no name for a field"),
    ):
        done = call("mcp", *arguments)
        assert (done.code, done.stdout) == (code, b""), done.err
        assert says in done.err

"""The configuration of each MCP client is JSON, and what it starts answers with the field."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import COMMAND, KNOWN, KNOWN_PIN, call, folder, neutral_environment

CLIENTS = Path(__file__).resolve().parents[2] / "agents" / "clients"
SNIPPETS = {path.name: path.read_text(encoding="utf-8") for path in sorted(CLIENTS.iterdir())}
OVER_HTTP = [name for name in SNIPPETS if name.endswith("-http.json")]
BY_STDIO = [name for name in SNIPPETS if name not in OVER_HTTP]

FORMS = {
    "mcpServers": {"command", "args", "type", "url", "httpUrl"},
    "servers": {"type", "command", "args", "url"},
    "context_servers": {"command", "args", "env"},
    "mcp": {"type", "command", "enabled"},
}
"""The key that servers stand under, with the keys that a server may have there."""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def server(name: str) -> tuple[str, dict[str, Any]]:
    """The form of a snippet, and its one server."""
    whole = json.loads(SNIPPETS[name], object_pairs_hook=once)
    [form] = set(whole) - {"$schema"}
    assert list(whole[form]) == ["memoryfield"]
    return form, whole[form]["memoryfield"]


def command_of(name: str) -> list[str]:
    form, entry = server(name)
    return entry["command"] if form == "mcp" else [entry["command"], *entry["args"]]


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet_is_json_of_its_form(name: str) -> None:
    """No key twice, no unknown key; it names this program, or a server on this machine."""
    form, entry = server(name)
    assert set(entry) <= FORMS[form]
    if name in OVER_HTTP:
        assert "command" not in entry
        assert (entry.get("url") or entry["httpUrl"]) == "http://127.0.0.1:8000/mcp"
    else:
        assert command_of(name)[:2] == ["memoryfield", "mcp"]
        assert re.fullmatch(r"(/path/to|\$\{workspaceFolder\})/my-field", command_of(name)[2])


def test_all_forms_are_there() -> None:
    assert {server(name)[0] for name in BY_STDIO} == set(FORMS)
    assert len(OVER_HTTP) >= 2


async def fields_of(transport: Any) -> Any:
    """What the server at a transport answers to `list_fields`, by the official client."""
    from mcp import Client

    async with Client(transport) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"list_fields"}
        answer = await client.call_tool("list_fields", {})
    assert not answer.is_error
    return answer.structured_content


def assert_known(answer: Any) -> None:
    [field] = answer["fields"]
    assert (field["field"], field["pin"]) == ("my-field", KNOWN_PIN)


def started(root: Path) -> list[list[str]]:
    """What the clients start, each once, where the folder of the user is this one."""
    here = f"{root}/"
    commands = (
        tuple(
            re.sub(r"^(/path/to|\$\{workspaceFolder\})/", here, each) for each in command_of(name)
        )
        for name in BY_STDIO
    )
    return [list(command) for command in dict.fromkeys(commands)]


def test_what_it_starts_answers(tmp_path: Path) -> None:
    """As a client starts it: found on PATH, with its own arguments; the folder alone differs."""
    from mcp import StdioServerParameters, stdio_client

    folder(tmp_path / "my-field", KNOWN)
    [[program, *arguments]] = started(tmp_path)  # they differ in form alone
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    parameters = StdioServerParameters(
        command=program, args=arguments, env={**neutral_environment(), "PATH": path}
    )
    assert_known(asyncio.run(fields_of(stdio_client(parameters))))


@pytest.mark.parametrize("name", OVER_HTTP)
def test_the_url_is_where_the_server_answers(name: str) -> None:
    """Unless it is told otherwise; that it does answer there, others see."""
    from memoryfield_agents.mcp_server.over_http import PATH

    _, entry = server(name)
    assert (entry.get("url") or entry["httpUrl"]) == f"http://127.0.0.1:8000{PATH}"
    told = call("mcp", "--help").out
    assert "(127.0.0.1)" in told
    assert "(8000)" in told

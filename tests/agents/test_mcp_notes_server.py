"""`memoryfield mcp --notes`, driven by the official client: notes are set, and nothing else."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.agents.mcp_places import folder, over_http, refused, shelf_of, talk, told
from tests.agents.noted_places import PAGES, leave, notes_in
from tests.agents.write_watch import ROOT, strace, watched, written
from tests.cli.command import call, neutral_environment

from memoryfield_agents.mcp_server.note_stores import NoteStores
from memoryfield_agents.mcp_server.over_http import refuse_writers
from memoryfield_agents.serving import Settings
from memoryfield_notes.places import make_folder, place_of
from memoryfield_readers import LocationError

PATHS = re.compile(r"""(?<![\w])["']([^"']*)["']""")
"""What a line says of what was opened or changed: one path, or two."""


async def set_notes(client: Client, fields: list[str]) -> None:
    """What an agent does: read, set, set again at a revision of before, look."""
    for field in fields:
        result = await client.call_tool("read_pages", {"names": ["a.md"], "field": field})
        revision = told(result)["pages"][0]["revision"]
        given = {"field": field, "page": "a.md", "revision": revision, "text": f"of {field}"}
        done = told(await client.call_tool("set_note", given))
        assert (done["status"], done["revision"]) == ("applied", revision + 1)
        again = told(await client.call_tool("set_note", given | {"text": "lost"}))
        assert (again["status"], again["reader_note"]["text"]) == ("stale", f"of {field}")
        wrong = await client.call_tool("set_note", given | {"page": "../a.md"})
        assert "has no page" in refused(wrong)


async def look_at_tools(client: Client) -> None:
    """One tool changes something, and says so; the others are what they are without it."""
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools][-1] == "set_note"
    for tool in tools:
        assert tool.annotations is not None
        changes = tool.name == "set_note"
        assert tool.annotations.read_only_hint is not changes
        assert tool.annotations.destructive_hint is changes
        assert tool.annotations.idempotent_hint is not changes
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert len(tool.description or "") <= 220
    assert "set_note" in (client.instructions or "")


@pytest.mark.skipif(os.name != "posix", reason="the kernel is asked by strace")
def test_the_stores_alone_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the interpreter and by the kernel: a store, its lock file and what is beside, no more."""
    stores, noted = tmp_path / "stores", tmp_path / "noted"
    noted.mkdir()
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(stores))
    fields = {name: folder(tmp_path / name, PAGES) for name in ("new", "old")}
    places = {name: place_of(str(place)) for name, place in fields.items()}
    make_folder(places["old"])
    leave(places["old"], fields["old"], {"c.md": "of before"}, "sqlite")
    before = {path: path.read_bytes() for place in fields.values() for path in place.iterdir()}

    async def work(client: Client) -> None:
        await look_at_tools(client)
        await set_notes(client, list(fields))
        await client.call_tool("list_fields", {"reload": True})
        await client.call_tool("search", {"query": "wok"})

    program, *arguments = watched(
        noted, "memoryfield_cli", "mcp", "--notes", *map(str, fields.values())
    )
    environment = neutral_environment() | {
        "PYTHONPATH": str(ROOT), "MEMORYFIELD_NOTES_DIR": str(stores),
    }  # fmt: skip
    talk(
        StdioServerParameters(command=program, args=arguments, env=environment, cwd=str(ROOT)),
        work,
        "legacy",
    )
    assert {path: path.read_bytes() for place in fields.values() for path in place.iterdir()} == (
        before
    )
    assert notes_in(places["new"]) == {"a.md": "of new"}
    assert notes_in(places["old"]) == {"a.md": "of old", "c.md": "of before"}
    lines = written(noted)
    made = "|".join(re.escape(path.name) for path in places.values())
    fit = re.compile(rf"\.({made})\.lock|({made})(-journal)?|\.({made})\.[0-9a-f]{{16}}\.new")
    names = set()
    for line in lines:
        for path in map(Path, PATHS.findall(line)):
            if path == stores and "mkdir" in line:  # its lock is taken in a folder that is there
                continue
            assert path.parent in (stores, Path()), line
            assert fit.fullmatch(path.name), line
            names.add(path.name)
    assert {f".{path.name}.lock" for path in places.values()} <= names
    if strace() is not None:  # the interpreter does not see what SQLite opens
        assert {path.name for path in stores.iterdir()} <= names  # what was beside is gone
        assert {path.name for path in places.values()} <= names


def test_over_http(tmp_path: Path) -> None:
    """As over stdin and stdout, on this machine or for those who have a password."""
    place = folder(tmp_path / "f", PAGES)

    async def work(client: Client) -> None:
        await look_at_tools(client)
        await set_notes(client, ["f"])

    with (
        shelf_of(place) as shelf,
        NoteStores.of(shelf, tmp_path / "store", settable=True) as notes,
        over_http(shelf, Settings(), notes) as (port, _),
    ):
        talk(f"http://127.0.0.1:{port}/mcp", work, "auto")
    assert notes_in(tmp_path / "store") == {"a.md": "of f"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "notes.example"])
def test_nobody_writes_of_whom_nothing_is_known(host: str) -> None:
    """Beyond this machine a password is needed."""
    refuse_writers(host, users=True)
    with pytest.raises(LocationError, match="could write notes"):
        refuse_writers(host, users=False)
    with pytest.raises(LocationError, match="could write notes"):
        refuse_writers("127.0.0.1", [host], users=False)


def test_this_machine_may() -> None:
    """By each of its names."""
    for host in ("127.0.0.1", "localhost", "::1"):
        refuse_writers(host, ["localhost"], users=False)


def test_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with its exit code, before a word is said to a client; no store is made."""
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path / "stores"))
    place, other = folder(tmp_path / "f", PAGES), folder(tmp_path / "other", {"x.md": "X"})
    store, broken = tmp_path / "store", tmp_path / "broken"
    leave(store, place, {"a.md": "kept"})
    broken.write_bytes(b"{")
    listed = sorted(tmp_path.iterdir())
    public = ("--http", "--host", "0.0.0.0", "--public")
    cases: list[tuple[tuple[Any, ...], int, str]] = [
        ((*public, "--notes", place), 2, "others than this machine could write notes there"),
        (("--http", "--allow-host", "a.example", "--notes", place), 2, "could write notes there"),
        (("--store", store, place, other), 2, "is of one field"),
        (("--store", store), 2, "is of one field"),
        (("--store", place / "store", place), 2, "would be a part of it"),
        (("--notes", "--store", place / "store", place), 2, "would be a part of it"),
        (("--store", tmp_path / "none", place), 4, "there is no such store"),
        (("--notes", "--store", tmp_path / "none" / "x", place), 4, "there is no such folder"),
        (("--notes", "--store", broken, place), 4, "nothing was changed"),
        (("--notes", "--store", store, other), 5, "store"),
    ]
    for arguments, code, says in cases:
        done = call("mcp", *arguments)
        assert (done.code, done.stdout) == (code, b""), (arguments, done.err)
        assert says in done.err
    assert sorted(tmp_path.iterdir()) == listed
    assert notes_in(store) == {"a.md": "kept"}

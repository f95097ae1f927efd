"""So many requests are worked on at once, also where nobody waits for them any more."""

from __future__ import annotations

import threading

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from tests.agents.mcp_places import SECONDS

from memoryfield_agents.mcp_server.server import Turns


def test_who_is_not_waited_for_keeps_the_place() -> None:
    """Requests that are given up do not let more than four work at once; all come to an end."""
    turns, stop = Turns(), threading.Event()
    working: list[int] = []
    most: list[int] = []

    def work(number: int) -> int:
        working.append(number)
        most.append(len(working))
        stop.wait(SECONDS)
        working.remove(number)
        return number

    async def whole() -> None:
        with anyio.fail_after(SECONDS):
            for number in range(12):
                async with anyio.create_task_group() as group:
                    group.start_soon(turns.take, work, number)
                    while number < 4 and number not in working:
                        await anyio.sleep(0.001)
                    await anyio.wait_all_tasks_blocked()
                    group.cancel_scope.cancel()
            assert sorted(working) == [0, 1, 2, 3]
            stop.set()
            assert await turns.take(work, 99) == 99
            assert [await turns.take(work, number) for number in range(5)] == list(range(5))

    anyio.run(whole)
    assert max(most) == 4


def test_too_many_are_refused() -> None:
    """Those beyond a thousand are told to ask again."""
    turns, stop = Turns(), threading.Event()
    refused: list[str] = []

    async def ask() -> None:
        try:
            await turns.take(stop.wait, SECONDS)
        except MCPError as error:
            refused.append(error.message)

    async def whole() -> None:
        with anyio.fail_after(SECONDS):
            async with anyio.create_task_group() as group:
                for _ in range(1003):
                    group.start_soon(ask)
                await anyio.wait_all_tasks_blocked()
                stop.set()

    anyio.run(whole)
    assert refused == ["too many requests at once: ask again later"] * 3


def test_what_fails_is_raised_and_leaves() -> None:
    """A fault of ours takes no place for ever."""
    turns = Turns()

    async def whole() -> None:
        with anyio.fail_after(SECONDS):
            for _ in range(9):
                with pytest.raises(ZeroDivisionError):
                    await turns.take(lambda: 1 // 0)

    anyio.run(whole)

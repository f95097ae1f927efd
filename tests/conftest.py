"""What all tests have in common: none touches the cache or state of the person who runs them."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")
"""How long an example takes depends on what else the machine does."""


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache and a state that are there for this run alone, also for the processes it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("MEMORYFIELD_CACHE_SIZE", raising=False)
        patch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        patch.delenv("MEMORYFIELD_NOTES_DIR", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def heeded_interruptions() -> None:
    """What a shell starts in the background ignores SIGINT; tests, and what they start, heed it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without a thought for garbage, of which there is none: what is found stays.

    Nor is all of it looked at again, each time that garbage is collected while tests run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: many tests wait, for a server or a clock."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) + 1
    return (os.cpu_count() or 1) + 1

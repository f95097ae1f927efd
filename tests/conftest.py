"""What all tests have in common: none touches the cache or state of the person who runs them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache and a state that are there for this run alone, also for the processes it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("MEMORYFIELD_CACHE_SIZE", raising=False)
        patch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        yield

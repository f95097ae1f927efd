"""How many examples Hypothesis tries, and which."""

from __future__ import annotations

import os

from hypothesis import settings

_FACTOR = int(os.environ.get("MEMORYFIELD_EXAMPLES", "1"))


def examples(count: int) -> settings:
    """So many examples, the same at every run and without a word to the disk.

    With MEMORYFIELD_EXAMPLES=50 in the environment fifty times as many are tried, at random.
    """
    return settings(
        max_examples=count * _FACTOR,
        deadline=None,
        database=None,
        derandomize=_FACTOR == 1,
        print_blob=True,
    )

"""How long to wait before what failed for a reason that may pass is tried again."""

from __future__ import annotations

import random

_FIRST = 0.25
_LONGEST = 8.0
_MOST_DOUBLINGS = 16


def pause(tried: int) -> float:
    """Seconds until the next try: up to a bound that doubles, and never in step with others.

    Arguments:
        tried: how often it was tried again so far.
    """
    most = min(_LONGEST, _FIRST * 2.0 ** min(tried, _MOST_DOUBLINGS))
    return random.uniform(0, most)  # noqa: S311 - no secret

"""What a host says of being busy reaches who could leave it alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.http.statuses import meaning_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "headers", "busy"),
    [
        (429, {}, 0.0),
        (503, {}, 0.0),
        (503, {"retry-after": "7"}, 7.0),
        (429, {"retry-after": "7200"}, 7200.0),
        (403, {"x-ratelimit-remaining": "0"}, 0.0),
        (502, {}, None),
        (502, {"retry-after": "3"}, 3.0),
        (403, {}, None),
        (404, {"retry-after": "3"}, None),
        (500, {}, None),
    ],
    ids=lambda value: "-".join(value.values()) or "none" if isinstance(value, dict) else str(value),
)
def test_a_status_says_whether_the_host_is_busy(
    status: int, headers: dict[str, str], busy: float | None
) -> None:
    assert meaning_of(status, headers, NOW).busy == busy


def test_a_read_that_broke_off_still_says_it() -> None:
    error = SourceUnavailable("x")
    error.busy = 5.0
    assert error.broken_off(["a"], ["b"]).busy == 5.0

"""When the HTTP client asks again, how long it waits, and what it does not wait for."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from tests.readers.http_asking import SHORT, alone, asking
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers.errors import AccessDenied, SourceUnavailable
from memoryfield_readers.http.statuses import meaning_of

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"# A page\n"
NOW = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with one page."""
    with FaultyHttp({"/a.md": PAGE, "/b.md": PAGE}) as made:
        yield made


PASSING = {
    "429": faults.status(429),
    "502": faults.status(502),
    "503": faults.status(503),
    "504": faults.status(504),
    "reset": faults.reset,
    "hang up": faults.hang_up,
    "cut short": faults.cut(3),
    "reset in the middle": faults.reset_after(3),
    "cut short in chunks": faults.cut_in_chunks(3),
    "not HTTP": faults.garbage,
}


@pytest.mark.parametrize("name", PASSING)
def test_what_may_pass_is_tried_again(server: FaultyHttp, name: str) -> None:
    """As often as was said, and no further; the error is that of the last try."""
    server.fail("/a.md", PASSING[name], times=3)
    with asking(retries=2) as ask:
        error = ask.error(server.url("/a.md"))
        assert type(error) is SourceUnavailable
        assert (len(server.requests), len(ask.waits)) == (3, 2)
        assert ask.get(server.url("/a.md")) == PAGE


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 410, 412, 416, 451, 500, 501])
def test_what_will_not_pass_is_not(server: FaultyHttp, status: int) -> None:
    """An answer that would be the same again is not asked for again."""
    server.fail("/a.md", faults.status(status), times=None)
    with asking(retries=2) as ask:
        ask.error(server.url("/a.md"))
        assert (len(server.requests), ask.waits) == (1, [])


def test_waits_grow_and_have_a_bound(server: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exponential, with full jitter: anything from nothing to the bound of each try."""
    asked: list[tuple[float, float]] = []

    def drawn(low: float, high: float) -> float:
        asked.append((low, high))
        return high / 2

    monkeypatch.setattr("random.uniform", drawn)
    server.fail("/a.md", faults.status(503), times=None)
    with asking(retries=8) as ask:
        ask.error(server.url("/a.md"))
        assert asked == [(0, most) for most in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)]
        assert ask.waits == [high / 2 for _, high in asked]


def test_retry_after_is_honoured(server: FaultyHttp) -> None:
    """A server that says when to come again, in seconds or as a date, is taken at its word."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    past = "Wed, 01 Jan 2020 00:00:00 GMT"
    for value in ("7", soon, past, "60", "soon", "-1", "9" * 5000):
        server.fail("/a.md", faults.status(503, Retry_After=value))
    with asking(retries=7) as ask:
        assert ask.get(server.url("/a.md")) == PAGE
    bounds = [(7, 7.25), (0, 40.25), (0, 0.25), (60, 60.25), (0, 4), (0, 8), (0, 8)]
    assert all(low <= wait <= high for wait, (low, high) in zip(ask.waits, bounds, strict=True))
    assert ask.waits[1] > 20


@pytest.mark.parametrize(
    ("value", "until"),
    [
        ("Fri, 31 Dec 2999 23:59:59 GMT", "2999-12-31 23:59:59 UTC"),
        ("Fri, 31 Dec 2999 23:59:59 +0200", "2999-12-31 21:59:59 UTC"),
        ("61", ""),
        ("9999999999", ""),
    ],
)
def test_who_asks_for_too_long_is_not_waited_for(
    server: FaultyHttp, value: str, until: str
) -> None:
    """Beyond a minute the error comes at once, and says until when."""
    server.fail("/a.md", faults.status(429, Retry_After=value), times=None)
    with asking(retries=5) as ask:
        error = ask.error(server.url("/a.md"))
        assert (len(server.requests), ask.waits) == (1, [])
    assert type(error) is SourceUnavailable
    assert f"until {until}" in error.message
    assert error.message.endswith(" UTC")


@pytest.mark.parametrize("status", [403, 429])
def test_a_rate_limit_is_no_denial(server: FaultyHttp, status: int) -> None:
    """Forbidden because there were too many requests: unavailable, and until when."""
    limit = faults.status(status, X_RateLimit_Remaining="0", X_RateLimit_Reset="4102444799")
    server.fail("/a.md", limit, times=None)
    with asking(retries=5) as ask:
        error = ask.error(server.url("/a.md"))
    assert type(error) is SourceUnavailable
    assert "rate limit reached until 2099-12-31 23:59:59 UTC" in error.message
    assert "2099-12-31 23:59:59 UTC" in str(error.hint)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [403, 429])
def test_a_rate_limit_that_is_over_soon_is_waited_for(status: int) -> None:
    """With up to a minute left, waiting is what a person would do."""
    headers = {"x-ratelimit-remaining": "0"}
    for left in (0, 1, 60):
        reset = str(int(NOW.timestamp()) + left)
        meaning = meaning_of(status, {**headers, "x-ratelimit-reset": reset}, NOW)
        assert (meaning.kind, meaning.passing, meaning.wait) == (SourceUnavailable, True, left)
    past = str(int(NOW.timestamp()) - 100)
    assert meaning_of(status, {**headers, "x-ratelimit-reset": past}, NOW).wait == 0


def test_forbidden_is_told_from_too_often() -> None:
    """With requests left it is a denial; with none left and no time, still no denial."""
    left = {"x-ratelimit-remaining": "12", "x-ratelimit-reset": "4102444799"}
    assert meaning_of(403, left, NOW).kind is AccessDenied
    used = meaning_of(403, {"x-ratelimit-remaining": "0"}, NOW)
    assert (used.kind, used.passing) == (SourceUnavailable, False)
    assert meaning_of(403, {"retry-after": "30"}, NOW).wait == 30
    assert meaning_of(404, {"retry-after": "30"}, NOW).wait is None


@pytest.mark.parametrize(
    "value", ["Fri, 31 Dec 9999 23:59:59 -1200", "Mon, 99 Foo", "1" * 70, "²", "\x00", "1e3"]
)
def test_a_date_that_is_none_is_passed_over(value: str) -> None:
    """Whatever stands in the header, there is a meaning."""
    meaning = meaning_of(503, {"retry-after": value}, NOW)
    assert (meaning.passing, meaning.wait) == (True, None)


def test_a_dead_server_is_not_tried_for_each_page() -> None:
    """After one page has been tried in vain, the others are asked for once."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with asking(retries=3, timeout=SHORT) as ask:
        for number in range(100):
            error = ask.error(f"http://127.0.0.1:{port}/{number}.md")
            assert "no connection" in error.message
        assert len(ask.waits) == 3


def test_a_server_that_stops_in_each_body_is_not_tried_for_each_page(server: FaultyHttp) -> None:
    """Its headers are no sign of life: a whole answer is."""
    server.fail("*", faults.silence_after(3), times=None)
    with asking(retries=1, timeout=SHORT) as ask:
        for _ in range(3):
            assert "too slow" in ask.error(server.url("/a.md")).message
        assert len(ask.waits) == 1


def test_a_server_that_is_back_is_trusted_again(server: FaultyHttp) -> None:
    """One answer, and it is tried as often as before; another host never lost that trust."""
    server.fail("/a.md", faults.hang_up, times=4)
    with asking(retries=2) as ask:
        ask.error(server.url("/a.md"))
        ask.error(server.url("/a.md"))
        assert (len(server.requests), len(ask.waits)) == (4, 2)
        assert ask.get(server.url("/b.md")) == PAGE
        server.fail("/a.md", faults.reset, times=2)
        assert ask.get(server.url("/a.md")) == PAGE


def test_a_busy_server_is_not_taken_for_dead(server: FaultyHttp) -> None:
    """Who answers 503, or breaks off in the middle, is there."""
    server.fail("/a.md", faults.status(503), times=2)
    server.fail("/a.md", faults.cut(3), times=2)
    server.fail("/a.md", faults.status(503), times=2)
    with asking(retries=1) as ask:
        for _ in range(3):
            ask.error(server.url("/a.md"))
        assert len(ask.waits) == 3


def test_no_retries_means_one_try(server: FaultyHttp) -> None:
    """Nothing is asked for twice by one who does not want that."""
    server.fail("/a.md", faults.status(503), times=None)
    with asking(retries=0) as ask:
        ask.error(server.url("/a.md"))
    assert len(server.requests) == 1

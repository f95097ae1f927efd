"""A client for the tests of HTTP: it waits for nothing, and nothing around it has a say."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memoryfield_readers.errors import MemoryfieldError
from memoryfield_readers.http import Answer, HttpClient
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink

LOCATION = "the field"
SHORT = 0.25
"""Seconds after which an answer is given up that is not to come."""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No proxy, no credentials and no certificates but those that a test names."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("MEMORYFIELD_HTTP_"):
            monkeypatch.delenv(name)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return monkeypatch


class Asking:
    """A client, with what it was told and the waits that it would have made.

    Attributes:
        client: the client.
        waits: how long it would have waited before each new try.
    """

    def __init__(self, client: HttpClient, waits: list[float]) -> None:
        self.client = client
        self.waits = waits
        self.sink = MemorySink(1 << 20)

    def get(self, url: str, **named: Any) -> bytes:
        """The body of a URL."""
        self.answer(url, **named)
        return self.sink.data

    def answer(self, url: str, **named: Any) -> Answer:
        """The answer of a URL, whose body is in the sink."""
        self.sink = MemorySink(1 << 20)
        return self.client.fetch(url, self.sink, **named)

    def error(self, url: str, **named: Any) -> MemoryfieldError:
        """What is raised for a URL, and nothing behind it."""
        with pytest.raises(MemoryfieldError) as caught:
            self.answer(url, **named)
        assert caught.value.location == LOCATION
        assert caught.value.__context__ is None or caught.value.__suppress_context__
        return caught.value


@contextlib.contextmanager
def asking(
    retries: int = 0,
    timeout: float = 20.0,
    *,
    authorize: Any = None,
    **options: Any,
) -> Iterator[Asking]:
    """A client with these options."""
    waits: list[float] = []
    transfer = TransferOptions(timeout=timeout, retries=retries, **options)
    client = HttpClient(transfer, location=LOCATION, authorize=authorize, sleep=waits.append)
    try:
        yield Asking(client, waits)
    finally:
        client.close()


def all_words(error: MemoryfieldError) -> str:
    """All that a person could get to read of an error, and of what is chained to it."""
    words: list[str] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None:
            continue
        words.append(f"{each!r} {each} {getattr(each, 'hint', '')}")
        waiting += [each.__cause__, None if each.__suppress_context__ else each.__context__]
    return "\n".join(words)


def given(known: Mapping[str, Mapping[str, str]]) -> Any:
    """An `authorize` that knows headers by the start of a URL."""

    def authorize(url: str) -> Mapping[str, str]:
        return next((known[start] for start in known if url.startswith(start)), {})

    return authorize

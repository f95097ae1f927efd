"""Ordinary requests to the server under review: counted, bounded in size, over by a deadline."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

from memoryfield_readers import MemoryfieldError, SourceUnavailable
from memoryfield_readers.http.answer import Answer as HttpAnswer
from memoryfield_readers.http.client import GoOn, HttpClient
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink, Sink, announce

OK, NOT_FOUND = 200, 404
_NOTHING: Mapping[str, str] = MappingProxyType({})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RAISED = frozenset({401, 429})
"""Statuses that the client knows better what to do about: credentials, and waiting."""

_JUDGED = frozenset(range(200, 600)) - REDIRECTS - _RAISED
_IN_A_ROW = 5
"""After so many requests without an answer the server is given up."""

_BUSY_TRIES = 3
_BUSY_SECONDS = 5
IDENTITY = MappingProxyType({"Accept-Encoding": "identity"})
"""Asks for the bytes as they are, so that tags and lengths are those of the content."""


class Stopped(SourceUnavailable):
    """The check came to its end before everything was asked."""


class Answer(NamedTuple):
    """What the server answered.

    Attributes:
        path: what was asked for, relative to the root of the field.
        status: the number.
        headers: by their names in lower case.
        data: the body, without content codings.
        url: who answered in the end, after redirects, without a query: fit to be shown.
    """

    path: str
    status: int
    headers: Mapping[str, str]
    data: bytes
    url: str

    @property
    def kind(self) -> str:
        """The content type in lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the body, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


class Deadline:
    """The moment at which a check ends, whatever the server does."""

    def __init__(self, seconds: float) -> None:
        """Give it so many seconds from now on."""
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left; 0 if none are."""
        return max(0.0, self._until - time.monotonic())

    def check(self) -> None:
        """Raise `Stopped` if it is over."""
        if not self.left:
            raise Stopped(
                f"not everything was checked: the {self.seconds:g} s for it are over",
                hint="--deadline SECONDS gives it longer",
            )

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the end; raises as `check`."""
        time.sleep(min(seconds, self.left))
        self.check()


class _InTime:
    """A sink before a sink, which takes nothing after the deadline."""

    def __init__(self, sink: Sink, deadline: Deadline) -> None:
        self._sink = sink
        self._deadline = deadline

    def announced(self, size: int) -> None:
        """Hand on how much is to come."""
        announce(self._sink, size)

    def write(self, piece: bytes) -> None:
        """Hand on what comes in time."""
        self._deadline.check()
        self._sink.write(piece)

    def restart(self) -> None:
        """Begin again."""
        self._sink.restart()


class _Client(HttpClient):
    """The readers' client, whose requests are counted and end with the check."""

    def __init__(self, options: TransferOptions, location: str, deadline: Deadline) -> None:
        super().__init__(options, location=location, sleep=deadline.sleep)
        self._deadline = deadline
        self.count = 0
        self._failed = 0

    def fetch(
        self,
        url: str,
        sink: Sink,
        *,
        headers: Mapping[str, str] = _NOTHING,
        ok: Collection[int] = (200,),
        method: str = "GET",
        entry: str | None = None,
        go_on: GoOn | None = None,
    ) -> HttpAnswer:
        """See `HttpClient.fetch`; raises `Stopped` when there is no time, or nobody there."""
        self._deadline.check()
        if self._failed >= _IN_A_ROW:
            raise Stopped(f"not everything was checked: {_IN_A_ROW} requests in a row failed")
        self.count += 1
        try:
            answer = super().fetch(
                url,
                _InTime(sink, self._deadline),
                headers=headers,
                ok=ok,
                method=method,
                entry=entry,
                go_on=go_on,
            )
        except MemoryfieldError as error:
            # an answer that is not wanted is an answer
            self._failed += type(error) is SourceUnavailable
            raise
        self._failed = 0
        return answer


class Asking:
    """Asks for paths below the root of a field.

    Attributes:
        root: the URL of the field, with its last slash.
        location: what messages call it.
        client: what asks with the credentials that this machine has for the host.
        deadline: when all is to be over.
        by_hand: how many requests were made that no ordinary client would send.
    """

    def __init__(
        self, root: str, options: TransferOptions, location: str, deadline: Deadline
    ) -> None:
        """Ask nothing yet."""
        self.root = root
        self.location = location
        self.deadline = deadline
        self.by_hand = 0
        options = replace(options, timeout=min(options.timeout, deadline.seconds))
        self.timeout = options.timeout
        self.anonymous_only = options.anon
        self.client = _Client(options, location, deadline)
        self._stranger = _Client(replace(options, anon=True), location, deadline)

    @property
    def count(self) -> int:
        """How many requests were made; one that was sent on or sent again is one."""
        return self.client.count + self._stranger.count + self.by_hand

    def ask(
        self,
        path: str,
        *,
        most: int,
        limit: str = "page-bytes",
        headers: Mapping[str, str] = _NOTHING,
    ) -> Answer:
        """The answer to a GET, whatever its status, along redirects.

        Arguments:
            path: relative to the root, encoded, perhaps with a query.
            most: bytes of the body that are taken.
            limit: the name of the limit that says so.
            headers: beside the usual ones.

        Raises:
            Stopped: there is no more time, or nobody answers.
            AccessDenied: the server wants other credentials than there are.
            LimitExceeded: the body is larger.
            SourceUnavailable: there is no whole answer.
        """
        for left in reversed(range(_BUSY_TRIES)):
            sink = MemorySink(most, limit)
            answer = self.save(path, sink, headers=headers)
            after = answer.headers.get("retry-after", "").strip()
            is_busy = answer.status == HTTPStatus.SERVICE_UNAVAILABLE and after in _WAITED_FOR
            if not is_busy or not left:
                break
            self.deadline.sleep(max(int(after), 0.1))
        return Answer(path, answer.status, answer.headers, sink.data, answer.url)

    def save(self, path: str, sink: Sink, *, headers: Mapping[str, str] = _NOTHING) -> HttpAnswer:
        """Put the body of the answer into a sink; raises as `ask`."""
        return self.client.fetch(
            self.root + path, sink, headers=headers, ok=_JUDGED, entry=path or None
        )

    def ask_as_stranger(self, path: str, *, most: int, follow: bool) -> Answer:
        """The answer to who gives no credentials; raises as `ask`, but takes 401 for an answer.

        Arguments:
            path: see `ask`.
            most: see `ask`.
            follow: whether to go where redirects lead.
        """
        sink = MemorySink(most, "page-bytes")
        ok = _JUDGED | {401} | (frozenset() if follow else REDIRECTS)
        answer = self._stranger.fetch(self.root + path, sink, ok=ok, entry=path or None)
        return Answer(path, answer.status, answer.headers, sink.data, answer.url)

    def move(self, url: str) -> bool:
        """Ask from now on where the root was redirected to; False if that is no other spelling.

        That is the same path on the same host, as where `http` leads to `https`: another path may
        be a page to log in.
        """
        here, there = urlsplit(self.root), urlsplit(url)
        is_same = (here.hostname, here.path) == (there.hostname, there.path)
        if url == self.root or not is_same:
            return False
        self.root = url
        return True

    def close(self) -> None:
        """Close the connections."""
        self.client.close()
        self._stranger.close()


_WAITED_FOR = frozenset(map(str, range(_BUSY_SECONDS + 1)))
"""What `Retry-After` says of a server that is waited for."""

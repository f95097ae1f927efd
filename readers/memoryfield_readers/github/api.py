"""Requests to GitHub's REST API about one repository."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from ..errors import LimitExceeded, SourceUnavailable
from ..http import Answer, HttpClient
from ..http.client import GoOn
from ..http.urls import origin_of, without_query
from ..locations.values import GitHubLocation
from ..transfer.options import TransferOptions
from ..transfer.sink import MemorySink, Sink
from .answers import REFUSALS, is_limited, limit_error, parsed, refusal, remaining_of, wait_of
from .api_root import api_root
from .token import Token, find_token

JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"
BYTES = "application/octet-stream"

_VERSION = {"X-GitHub-Api-Version": "2022-11-28"}
_MOST_JSON_BYTES = 8 * 1024 * 1024
_BEGINNING_BYTES = 4096
_MOST_REFUSAL_BYTES = 64 * 1024
_LONGEST_WAIT = 60


class GitHubApi:
    """The API of one repository; it may be used from several threads.

    Attributes:
        location: the location as messages show it.
        client: what requests are sent with.
        notes: what a person should know of how the repository is reached.
        token_origin: where the token is from that is sent; None for none.
        remaining: how many requests GitHub says are left of the hour's; None where it does not.
    """

    def __init__(self, location: GitHubLocation, options: TransferOptions) -> None:
        """Find the API and the token; nothing is asked yet.

        Raises:
            LocationError: an option or a variable says what is no API.
        """
        said = options.of_transport("GitHub", "api_url").get("api_url")
        root = api_root(location.host, said, os.environ)
        token: Token | None = None
        self.notes: tuple[str, ...] = ()
        if not options.anon:
            token, self.notes = find_token(root, os.environ, public_only=options.public_only)
        self.location = location.shown
        self.token_origin = token.origin if token else None
        self.remaining: int | None = None
        self._retries = options.retries
        self._origin = origin_of(root.url)
        self._token = token
        self._what = f"{location.owner}/{location.repo}"
        self._repository = f"{root.url}/repos/{quote(self._what)}"
        self.client = HttpClient(options, location=location.shown, authorize=self.authorize)

    def authorize(self, url: str) -> Mapping[str, str]:
        """The headers that authenticate a request: the token, and to no origin but the API's."""
        if self._token is None or origin_of(url) != self._origin:
            return {}
        return {"Authorization": f"Bearer {self._token.text}"}

    def url(self, path: str) -> str:
        """The URL of something of the repository, by its path with a slash at the beginning."""
        return self._repository + path

    def ask(
        self, path: str, query: str = "", *, what: str = "", most: int = _MOST_JSON_BYTES
    ) -> Any:
        """The values that the API answers with.

        Arguments:
            path: what of the repository, encoded, with a slash at the beginning.
            query: what stands behind the question mark.
            what: what that is, for the message if there is no such thing.
            most: how many bytes an answer has at most.

        Raises:
            NotFound, AccessDenied, SourceUnavailable: there is no such answer, or not now.
            LimitExceeded: it is longer than that.
        """
        return self._ask(path, query, what, most)[0]

    def ask_pages(self, path: str, *, most: int, what: str = "") -> Iterator[Any]:
        """The values of all pages of a list, one page after the other.

        Raises:
            LimitExceeded: there are more than `most` pages.
        """
        for number in range(1, most + 1):
            values, answer = self._ask(path, f"per_page=100&page={number}", what, _MOST_JSON_BYTES)
            yield values
            if 'rel="next"' not in answer.headers.get("link", ""):
                return
        raise LimitExceeded(f"a list of more than {most} pages", location=self.location)

    def save(
        self, path: str, sink: Sink, *, accept: str, what: str = "", entry: str | None = None
    ) -> None:
        """Put all bytes of an answer into a sink; raises as `ask` does."""
        self._fetch(path, "", sink, accept, what, entry)

    def misled(self, how: str, *, entry: str | None = None) -> SourceUnavailable:
        """What to raise for an answer that cannot be what GitHub says."""
        return SourceUnavailable(
            f"GitHub's answer is not usable: {how}",
            location=self.location,
            entry=entry,
            hint="the option api_url says where the API is",
        )

    def close(self) -> None:
        """Close all connections."""
        self.client.close()

    def fetch(
        self,
        url: str,
        sink: Sink,
        *,
        headers: Mapping[str, str],
        ok: Collection[int] = (200,),
        what: str = "",
        entry: str | None = None,
        go_on: GoOn | None = None,
    ) -> Answer:
        """Put the body of an answer into a sink, as `HttpClient.fetch` does.

        What GitHub refuses is told apart as it means it. While requests come too fast, the wait
        that it asks for is kept, if it is short.
        """
        watching = _Watching(sink)
        for retries_left in range(self._retries, -1, -1):
            answer = self.client.fetch(
                url,
                watching,
                headers={**headers, **_VERSION},
                ok=(*ok, *REFUSALS),
                entry=entry,
                go_on=go_on,
            )
            if answer.status in ok:
                if watching.overflow is not None:
                    raise watching.overflow
                return answer
            beginning = watching.beginning
            watching.restart()
            if not is_limited(answer, beginning):
                raise refusal(
                    answer,
                    beginning,
                    token_origin=self.token_origin,
                    location=self.location,
                    entry=entry,
                    what=what or self._what,
                )
            wait = wait_of(answer)
            if not retries_left or wait is None or wait > _LONGEST_WAIT:
                break
            time.sleep(wait)
        raise limit_error(
            answer, has_token=self._token is not None, location=self.location, entry=entry
        )

    def _ask(self, path: str, query: str, what: str, most: int) -> tuple[Any, Answer]:
        sink = MemorySink(most)
        try:
            answer = self._fetch(path, query, sink, JSON, what, None)
        except LimitExceeded:
            raise LimitExceeded(
                f"an answer of GitHub's of more than {most} bytes", location=self.location
            ) from None
        values = parsed(sink.data)
        if values is None:
            raise self.misled("it is no JSON")
        return values, answer

    def _fetch(
        self, path: str, query: str, sink: Sink, accept: str, what: str, entry: str | None
    ) -> Answer:
        """The answer about something of the repository, wherever that is by now."""
        url = f"{self._repository}{path}{'?' if query else ''}{query}"
        answer = self.fetch(url, sink, headers={"Accept": accept}, what=what, entry=entry)
        remaining = remaining_of(answer)
        if remaining is not None:
            self.remaining = remaining
        # A repository that was renamed answers at another place: the next request goes there.
        whole = without_query(answer.final_url)
        here = whole.removesuffix(path)
        if here != whole and origin_of(here) == self._origin:
            self._repository = here
        return answer


class _Watching:
    """A sink before a sink, as what comes may be a refusal, which is known only at its end.

    Attributes:
        beginning: the first bytes, in case they say what is wrong.
        overflow: what the sink raised, if it takes no more; a refusal may have more bytes than what
            was asked for.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._lost = 0
        self.beginning = b""
        self.overflow: LimitExceeded | None = None

    def write(self, piece: bytes) -> None:
        if len(self.beginning) < _BEGINNING_BYTES:
            self.beginning += piece[:_BEGINNING_BYTES]
        if self.overflow is None:
            try:
                self._sink.write(piece)
            except LimitExceeded as error:
                self.overflow = error
            return
        self._lost += len(piece)
        if self._lost > _MOST_REFUSAL_BYTES:
            raise self.overflow

    def restart(self) -> None:
        self._lost = 0
        self.beginning = b""
        self.overflow = None
        self._sink.restart()

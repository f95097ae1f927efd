"""Whole answers over HTTP, or an error that says why not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType

from memoryfield_spec import __version__

from ..display import shown
from ..errors import AccessDenied, MemoryfieldError, SourceUnavailable
from ..transfer.options import TransferOptions
from ..transfer.sink import Sink, announce
from . import redirects
from .answer import Answer
from .credentials import Credentials
from .decoding import decoder_for
from .failures import Broken, Failure
from .html_document import is_said_to_be_html
from .retrying import Patience
from .statuses import meaning_of
from .transport import Reply, Transport
from .urls import normal, origin_of, without_query

GoOn = Callable[[Answer | None], tuple[Mapping[str, str], bool]]
"""What is to be asked for after a failure, by the answer that broke off, and whether that is less
than before. It restarts the sink itself, if need be."""

Authorize = Callable[[str], Mapping[str, str]]

_NOTHING: Mapping[str, str] = MappingProxyType({})
_OWN = {"User-Agent": f"memoryfield-kit/{__version__}", "Accept": "*/*"}
_SECRET = {"authorization", "cookie", "proxy-authorization"}
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One thing to fetch."""

    url: str
    headers: Mapping[str, str]
    ok: Collection[int]
    method: str
    entry: str | None


class HttpClient:
    """Fetches from HTTP servers, from any number of threads, over connections that are kept."""

    def __init__(
        self,
        options: TransferOptions,
        *,
        location: str,
        authorize: Authorize | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        """Open nothing yet.

        Arguments:
            options: how long to wait, how often to try, whether to give credentials.
            location: what messages call the source.
            authorize: the headers that authenticate a request for a URL, by the URL; None for what
                the environment or a netrc file knows of its host.
            sleep: how to wait between two tries; None for just that.
        """
        self._location = location
        self._sleep = sleep
        self._credentials = Credentials() if authorize is None and not options.anon else None
        self._authorize = authorize
        self._anon = options.anon
        self._patience = Patience(options.retries)
        self._transport = Transport(options.timeout, public_only=options.public_only)

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
    ) -> Answer:
        """Put the whole body of an answer into a sink; try again where that makes sense.

        Arguments:
            url: what to ask for, http or https, without a user.
            sink: where the body goes; it is restarted before each new try.
            headers: headers to send, none of which is a secret: redirects take them along.
            ok: the statuses that are wanted; redirects are followed unless they are among them.
            method: GET or HEAD.
            entry: the entry that it is for, for messages.
            go_on: the headers of the next try, where it need not begin with the first byte; None to
                begin so each time. A try that brought it further does not count.

        Raises:
            NotFound: the status is 404 or 410.
            AccessDenied: the status is 401 or 403.
            SourceChanged: the status is 412.
            SourceUnavailable: any other status, or no whole answer; the message says which.
            LimitExceeded: the sink takes no more.
            LocationError: this is no URL that can be asked for.
        """
        tried = 0
        try:
            wanted = _Wanted(normal(url), headers, ok, method, entry)
            while True:
                taken = self._tried(wanted, sink)
                if isinstance(taken, Answer):
                    return taken
                tried += 1
                if go_on is not None and taken.passing:
                    further, is_less = go_on(taken.answer)
                    wanted = replace(wanted, headers={**wanted.headers, **further})
                    tried = 1 if is_less else tried
                wait = self._patience.wait(taken, tried)
                if wait is None:
                    raise taken.error
                (self._sleep or time.sleep)(wait)
                if go_on is None:
                    sink.restart()
        except MemoryfieldError as error:
            error.location = error.location or self._location
            error.entry = error.entry or entry
            raise

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the credentials that were looked for."""
        return () if self._credentials is None else self._credentials.notes

    def close(self) -> None:
        """Let go of what is open."""
        self._transport.close()

    def _tried(self, wanted: _Wanted, sink: Sink) -> Answer | Failure:
        """One try, along all redirects."""
        seen = [wanted.url]
        while True:
            try:
                taken = self._asked(wanted, seen, sink)
            except Broken as broken:
                return self._failure(wanted, seen[-1], broken)
            if not isinstance(taken, str):
                return taken
            seen.append(taken)

    def _asked(self, wanted: _Wanted, seen: Sequence[str], sink: Sink) -> Answer | Failure | str:
        """What the last URL answers, or the URL that it leads to."""
        url = seen[-1]
        origin = origin_of(url)
        headers = self._headers(wanted, url, is_first=origin == origin_of(wanted.url))
        with self._transport.opened(wanted.method, url, headers) as reply:
            if reply.status in wanted.ok:
                answer = Answer(
                    reply.status,
                    MappingProxyType(reply.headers),
                    without_query(url),
                    url,
                    reply.measured,
                )
                try:
                    _pour(reply, sink)
                except Broken as broken:
                    broken.answer = answer
                    raise
                self._patience.heard(origin)
                return answer
            self._patience.heard(origin)
            if reply.status in redirects.STATUSES:
                target = redirects.target_of(url, reply.headers.get("location"), seen)
                reply.drain()
                return target
            reply.drain()
            return self._unwanted(wanted, url, reply)

    def _headers(self, wanted: _Wanted, url: str, *, is_first: bool) -> dict[str, str]:
        """What to send to the server of a URL."""
        sent = dict(_OWN)
        given = {name.lower() for name in wanted.headers}
        sent["Accept-Encoding"] = "identity" if "range" in given else "gzip"
        for name, value in wanted.headers.items():
            if is_first or name.lower() not in _SECRET:
                sent[name] = value
        if self._authorize is not None and not self._anon:
            sent.update(self._authorize(url))
        elif self._credentials is not None:
            sent.update(self._credentials.headers(url))
        if not all(map(_is_header, sent.items())):  # its text is not shown: it may be a secret
            raise Broken("a header that cannot be sent", passing=False)
        return sent

    def _failure(self, wanted: _Wanted, url: str, broken: Broken) -> Failure:
        return Failure(
            SourceUnavailable(
                broken.what + _whence(wanted, url),
                location=self._location,
                entry=wanted.entry,
                hint=broken.hint,
            ),
            origin=origin_of(url),
            passing=broken.passing,
            silent=broken.silent,
            answer=broken.answer,
        )

    def _unwanted(self, wanted: _Wanted, url: str, reply: Reply) -> Failure:
        """What an answer means that is none of those that were wanted."""
        meaning = meaning_of(reply.status, reply.headers, datetime.now(UTC))
        hint = meaning.hint
        if meaning.kind is AccessDenied and self._credentials is not None:
            hint = self._credentials.hint(url)
        elif meaning.kind is AccessDenied and self._anon:
            hint = "no credentials were given, as was asked for; leave out --anon to give them"
        error = meaning.kind(
            meaning.message + _whence(wanted, url),
            location=self._location,
            entry=wanted.entry,
            hint=hint,
        )
        error.busy = meaning.busy
        return Failure(
            error,
            origin=origin_of(url),
            passing=meaning.passing,
            wait=meaning.wait,
        )


def _pour(reply: Reply, sink: Sink) -> None:
    """Put the whole body of an answer into a sink, decoded."""
    encoding = reply.headers.get("content-encoding", "")
    is_whole = reply.status == HTTPStatus.OK and not encoding
    # A page in HTML is told from its first bytes: it says more than that its size is another.
    if is_whole and reply.announced is not None and not is_said_to_be_html(reply.headers):
        announce(sink, reply.announced)
    decoder = decoder_for(encoding, is_part=reply.status == HTTPStatus.PARTIAL_CONTENT)
    for coded in reply.pieces():
        for piece in decoder.pieces(coded):
            sink.write(piece)
    decoder.finish()


def _whence(wanted: _Wanted, url: str) -> str:
    """Who answered, if it was another URL than the one that was asked for."""
    return "" if url == wanted.url else f" (from {shown(without_query(url))})"


def _is_header(header: tuple[str, str]) -> bool:
    """Whether a header can be sent as it is, and as one header."""
    name, value = header
    return bool(_NAME.fullmatch(name) and _VALUE.fullmatch(value) and value == value.strip())

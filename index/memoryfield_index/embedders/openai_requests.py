"""Requests to a server that speaks OpenAI's interface; no message ever holds the key."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from memoryfield_readers.errors import EmbedderUnavailable

from .answers import BusyError, is_busy, one_line, patiently, refusal
from .loopback import is_loopback
from .machine import Refused
from .options import Options

_MOST_BYTES = 64 * 1024 * 1024
"""An answer of more bytes is no answer."""

_PIECE = 64 * 1024


class Connection:
    """A server, by its base URL.

    Attributes:
        url: the base URL.
    """

    def __init__(self, url: str, key: str, options: Options) -> None:
        """Ask nothing yet.

        Arguments:
            url: the base URL, without a slash at its end.
            key: what authenticates the requests; "" for nothing.
            options: how long an answer may take.
        """
        self.url = url
        self._key = key
        self._options = options
        self._answered = False
        self._session: Any = None

    def get(self, path: str) -> Mapping[str, Any]:
        """The JSON object at a path below the base URL.

        Raises:
            EmbedderUnavailable: there is none.
        """
        try:
            return self._patiently("GET", path, None)
        except Refused as error:
            raise self._unavailable(error.reason) from None

    def embeddings(self, wanted: Mapping[str, Any]) -> Sequence[Sequence[float]]:
        """The embeddings that a request for such brings, in the order of its texts.

        Raises:
            Refused: these texts were not embedded.
            EmbedderUnavailable: nothing can be embedded just now.
        """
        answer = self._patiently("POST", "/embeddings", wanted)
        rows = answer.get("data")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise Refused("the answer is not one to /v1/embeddings")
        order = [row.get("index", place) for place, row in enumerate(rows)]
        if sorted(map(repr, order)) != sorted(map(repr, range(len(rows)))):
            raise Refused("the embeddings of the answer are not numbered as the texts are")
        self._answered = True
        placed = dict(zip(order, rows, strict=True))
        return [_numbers(placed[place].get("embedding")) for place in range(len(rows))]

    def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _patiently(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        try:
            return patiently(lambda: self._asked(method, path, body))
        except BusyError as busy:
            raise self._unavailable(busy.reason, hint="try again later") from None

    def _asked(self, method: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        import requests

        patience = self._options.wait if self._answered else self._options.first_wait
        try:
            with self._opened().request(
                method,
                self.url + path,
                json=body,
                timeout=(self._options.connect, patience),
                allow_redirects=False,
                stream=True,
            ) as response:
                content = bytearray()
                for piece in response.iter_content(_PIECE):
                    content += piece
                    if len(content) > _MOST_BYTES:
                        raise self._unavailable("the answer has no end")
                return self._judged(response.status_code, bytes(content), response.headers)
        except requests.ConnectTimeout:
            raise self._unavailable("it does not answer") from None
        except requests.Timeout:
            if body is not None and len(body["input"]) > 1:
                raise Refused("the answer took too long") from None
            raise self._unavailable("it takes too long to answer") from None
        except requests.exceptions.SSLError:
            raise self._unavailable("its certificate is not trusted") from None
        except requests.ConnectionError as error:
            if "NewConnectionError" in repr(error) or "NameResolutionError" in repr(error):
                raise self._unavailable("it does not answer") from None
            raise BusyError("the connection broke") from None
        except requests.RequestException as error:
            raise BusyError(f"the answer broke off ({type(error).__name__})") from None

    def _judged(self, status: int, content: bytes, headers: Mapping[str, str]) -> Mapping[str, Any]:
        """The JSON object of an answer that is good.

        Raises:
            Refused: the answer is about the texts.
            BusyError: it may be good later.
            EmbedderUnavailable: it will not be good.
        """
        answer = _object(content)
        if status == 200:
            if answer is None:
                raise self._unavailable("what answers there does not speak OpenAI's interface")
            return answer
        said = self._without_key(_said(answer, content))
        if status in (401, 403):
            raise self._unavailable(
                f"it takes no such key ({status})" if self._key else f"it wants a key ({status})",
                hint="set MEMORYFIELD_OPENAI_API_KEY to a key for that server",
            )
        if status == 404:
            raise self._unavailable(
                f"it does not have that (404): {said}", hint="see the model's name and the base URL"
            )
        if 300 <= status < 400:
            raise self._unavailable("it redirects elsewhere", hint="give the base URL itself")
        if is_busy(status) and "insufficient_quota" not in said:
            raise BusyError(f"{status} {said}", _seconds(headers.get("Retry-After")))
        raise refusal(status, said) or self._unavailable(f"it says {status}: {said}")

    def _opened(self) -> Any:
        if self._session is None:
            import requests

            self._session = requests.Session()
            # No proxy of the environment stands between this machine and itself.
            self._session.trust_env = not is_loopback(urlsplit(self.url).hostname or "")
            self._session.auth = self._authenticated
        return self._session

    def _authenticated(self, request: Any) -> Any:
        """Put the key into a request; where this is said, no netrc file is looked at."""
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request

    def _without_key(self, said: str) -> str:
        return one_line(said.replace(self._key, "…") if self._key else said)

    def _unavailable(self, message: str, *, hint: str | None = None) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"the server for embeddings at {self.url}: {message}",
            hint=hint or "see whether it runs, and its base URL",
        )


def _object(content: bytes) -> Mapping[str, Any] | None:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _said(answer: Mapping[str, Any] | None, content: bytes) -> str:
    """What an answer that is an error says; servers put it in one of several places."""
    error = (answer or {}).get("error", answer)
    if isinstance(error, dict):
        parts = [error.get(key) for key in ("message", "detail", "code", "type", "error_type")]
        return " ".join(part for part in parts if isinstance(part, str))
    return error if isinstance(error, str) else content[:500].decode("utf-8", "replace")


def _numbers(embedding: object) -> Sequence[float]:
    """The numbers of an embedding, which is a list of them or float32 in base64."""
    if isinstance(embedding, list):
        return embedding
    if isinstance(embedding, str):
        try:
            raw = base64.b64decode(embedding, validate=True)
            return struct.unpack(f"<{len(raw) // 4}f", raw)
        except (binascii.Error, struct.error):
            raise Refused("an embedding is not float32 in base64") from None
    raise Refused("an embedding is missing from the answer")


def _seconds(said: str | None) -> float | None:
    """The seconds of a Retry-After; None for a date or nothing."""
    return float(said) if said is not None and said.strip().isdecimal() else None

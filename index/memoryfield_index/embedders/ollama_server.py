"""The embedder `ollama`: a model that an Ollama server runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from memoryfield_readers.errors import EmbedderUnavailable
from memoryfield_spec.models import Model, models

from ..values import Recipe
from .answers import BusyError, is_busy, one_line, patiently, refusal
from .finding_out import dimension_of
from .loopback import is_loopback, listens
from .machine import Refused
from .names import DEFAULT_CODE, known_at_ollama, unknown, with_dimension, without_latest
from .options import Options
from .text_embedder import TextEmbedder

if TYPE_CHECKING:
    from ollama import Client

_LISTING_WAIT = 5.0
"""How many seconds the list of models may take; a server that is well has it at once."""

_BY_DIGEST = "sha256:"

_FEWEST_TOKENS = 256
"""No model that is run for embeddings takes fewer tokens."""


def ollama(name: str, options: Options) -> TextEmbedder:
    """The embedder of a model at Ollama, which has to listen and have it.

    Arguments:
        name: the model as Ollama names it, its digest behind "sha256:", or a model code; "" for
            the common one.
        options: where Ollama listens, how long it may take, what an unknown model is.

    Raises:
        EmbedderUnavailable: it does not answer, or does not have the model; the hint says what to
            run.
    """
    server = Server(options)
    try:
        return _at(server, name, options)
    except EmbedderUnavailable:
        server.close()
        raise


def _at(server: Server, name: str, options: Options) -> TextEmbedder:
    """The embedder of a model at a server.

    Raises:
        EmbedderUnavailable: it does not answer, or does not have the model.
    """
    listed = server.models()
    if name.startswith(_BY_DIGEST):
        digest = name.removeprefix(_BY_DIGEST)
        name = next((each for each in listed if listed[each] == digest), options.code or name)
    known = models()[DEFAULT_CODE] if not name else known_at_ollama(name)
    wanted = _names(name, known)
    present = next((each for each in wanted if each in listed), None)
    if present is None:
        raise server.lacks(wanted[0])
    digest = listed[present]
    machine = _Machine(server, present)
    model = known or unknown(present, options, digest=digest)
    if model.dimension == 0:
        model = with_dimension(model, dimension_of(machine, "ollama", present))
    recipe = Recipe(
        model=model.code,
        dimension=model.dimension,
        document_prefix=model.document,
        query_prefix=model.query,
        embedder="ollama",
        model_digest=f"{_BY_DIGEST}{digest}" if digest else "",
        most_bytes=options.most_bytes,
        normalised=True,
    )
    return TextEmbedder(recipe, machine)


def _names(name: str, known: Model | None) -> list[str]:
    """The names under which Ollama may have a model, the best first."""
    own = without_latest(name)
    others = list(known.ollama) if known is not None else []
    asked = [own] if own and (known is None or own in others or not others) else []
    return [*asked, *(each for each in others if each != own)]


class Server:
    """An Ollama server, as the package `ollama` talks to it."""

    def __init__(self, options: Options) -> None:
        """See that something listens, before anything heavy is imported.

        Raises:
            EmbedderUnavailable: nothing does, or the package is not installed.
        """
        self._options = options
        said = options.host or os.environ.get("OLLAMA_HOST", "")
        try:
            self.url, host, port = address(said)
        except ValueError:
            raise EmbedderUnavailable(
                f"{said.rpartition('@')[2]!r} is no address of an Ollama server",  # no password
                hint="set OLLAMA_HOST to one such as 127.0.0.1:11434",
            ) from None
        self._direct = is_loopback(host)
        if self._direct and not listens(host, port, options.connect):
            raise self.silent()
        self._client = self._new_client(_LISTING_WAIT)

    def models(self) -> dict[str, str]:
        """The digest of each model that the server has, by its name without ":latest".

        Raises:
            EmbedderUnavailable: the server does not say.
        """
        import httpx
        from ollama import ResponseError

        try:
            listed = self._client.list().models
        except ResponseError as error:
            raise EmbedderUnavailable(
                f"what answers at {self.url} is no Ollama, or refuses: {one_line(str(error))}",
                hint="see what OLLAMA_HOST says",
            ) from None
        except (ConnectionError, httpx.HTTPError):
            raise self.silent() from None
        except (ValueError, TypeError):
            raise EmbedderUnavailable(
                f"what answers at {self.url} is no Ollama", hint="see what OLLAMA_HOST says"
            ) from None
        finally:
            self.wait(self._options.first_wait)
        return {without_latest(one.model): one.digest or "" for one in listed if one.model}

    def client(self) -> Client:
        """The client, with the time-out that is set just now."""
        return self._client

    def wait(self, seconds: float) -> None:
        """Let every further answer take so long at most."""
        self.close()
        self._client = self._new_client(seconds)

    def answered(self) -> None:
        """Note that the model is loaded: from now on an answer comes sooner."""
        self.wait(self._options.wait)

    def silent(self) -> EmbedderUnavailable:
        """That the server does not answer."""
        return EmbedderUnavailable(f"Ollama does not answer at {self.url}", hint="ollama serve")

    def lacks(self, model: str) -> EmbedderUnavailable:
        """That the server does not have a model."""
        return EmbedderUnavailable(
            f"Ollama at {self.url} does not have the model {model}", hint=f"ollama pull {model}"
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()  # type: ignore[no-untyped-call, unused-ignore]

    def _new_client(self, seconds: float) -> Client:
        try:
            from ollama import Client
        except ImportError as error:
            raise EmbedderUnavailable(
                "the embedder `ollama` needs the package ollama, which is not installed",
                hint='pip install "memoryfield-kit[ollama]"',
            ) from error
        return Client(
            host=self.url,
            timeout=seconds,
            trust_env=not self._direct,  # no proxy stands between this machine and itself
            follow_redirects=False,  # a key does not go where it was not sent
            verify=self.url.startswith("https:"),  # else certificates are read for nothing
        )


class _Machine:
    """A model at a server (a `Machine`)."""

    adds_markers = False
    refuses_long = None
    most_together = 16

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name
        self._answered = False

    @cached_property
    def tokens(self) -> int:
        """How many tokens the server says that it gives the model, or a number that always goes."""
        import httpx
        from ollama import ResponseError

        try:
            shown = self._server.client().show(self._name)
        except (ResponseError, ConnectionError, httpx.HTTPError, ValueError, TypeError):
            return _FEWEST_TOKENS  # it is only known less: nothing comes of it but more questions
        said = [
            value
            for key, value in (shown.modelinfo or {}).items()
            if key.endswith(".context_length") and isinstance(value, int) and value > 0
        ]
        for line in (shown.parameters or "").splitlines():
            key, _, value = line.partition(" ")
            if key == "num_ctx" and value.strip().isdecimal():
                said.append(int(value))
        return min(said, default=_FEWEST_TOKENS)

    def numbers(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """An embedding for each text, in order."""
        try:
            rows = patiently(lambda: self._asked(texts))
        except BusyError as busy:
            raise EmbedderUnavailable(
                f"Ollama at {self._server.url} is busy: {busy.reason}", hint="try again later"
            ) from None
        if not self._answered:
            self._answered = True
            self._server.answered()
        return rows

    def close(self) -> None:
        """Let go of the connections."""
        self._server.close()

    def _asked(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        import httpx
        from ollama import ResponseError

        try:
            # `truncate` has to be said: left out, or true, some versions cut and say nothing.
            return self._server.client().embed(self._name, list(texts), truncate=False).embeddings
        except ResponseError as error:
            self._raise(error.status_code, str(error.error))
        except ConnectionError:
            raise self._server.silent() from None
        except httpx.TimeoutException:
            if len(texts) > 1:
                raise Refused("the answer took too long") from None
            raise EmbedderUnavailable(
                f"Ollama at {self._server.url} takes too long to embed one text",
                hint="see whether the model fits into the memory of that machine",
            ) from None
        except httpx.HTTPError as error:
            raise BusyError(f"the connection broke: {one_line(str(error))}") from None
        except (ValueError, TypeError):
            raise Refused("the answer is not one to /api/embed") from None

    def _raise(self, status: int, said: str) -> NoReturn:
        if status == 404 and "page not found" in said:
            raise EmbedderUnavailable(
                f"what answers at {self._server.url} has no /api/embed: an Ollama before 0.3?",
                hint="update Ollama",
            )
        if status == 404:
            raise self._server.lacks(self._name)
        if is_busy(status):
            raise BusyError(f"{status} {one_line(said)}")
        raise refusal(status, said) or EmbedderUnavailable(
            f"Ollama at {self._server.url} says {status}: {one_line(said)}",
            hint="see the log of the server",
        )


def address(said: str) -> tuple[str, str, int]:
    """The URL, host and port that a value of OLLAMA_HOST means.

    Raises:
        ValueError: it means none.
    """
    scheme, separator, rest = said.strip().partition("://")
    if not separator:
        scheme, rest = "http", said.strip()
    parts = urlsplit(f"{scheme}://{rest}")
    if scheme not in ("http", "https"):
        raise ValueError(scheme)
    host = parts.hostname or "127.0.0.1"
    default = {"http": 80, "https": 443}[scheme] if separator else 11434
    port = parts.port or default
    shown = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/")
    return f"{scheme}://{shown}:{port}{path}", host, port

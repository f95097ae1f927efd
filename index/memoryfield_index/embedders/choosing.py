"""Which embedder is used: the one that is named, or the best that is at hand."""

from __future__ import annotations

from collections.abc import Callable

from memoryfield_readers.errors import EmbedderUnavailable

from ..values import Embedder
from .options import Options

Say = Callable[[str], None]
"""Takes a line for a person to read."""

_NOTHING_SAID = Options()

BUILT_IN = ("ollama", "openai", "fastembed", "local")
"""The embedders of this room, by name."""


def choose(
    name: str = "auto", options: Options = _NOTHING_SAID, *, say: Say | None = None
) -> Embedder:
    """The embedder of a name.

    Arguments:
        name: "auto", "auto:CODE" for one that has a certain model, "ollama", "ollama:MODEL",
            "openai:MODEL", "openai:URL", "openai:URL#MODEL", "fastembed", "fastembed:MODEL",
            "local", or a plugin's name, with ":MODEL" or without.
        options: how it is asked.
        say: is told in one line which embedder it is, and with "auto" why.

    Raises:
        EmbedderUnavailable: it cannot be had; the hint says what to run.
    """
    kind, _, model = name.partition(":")
    if kind == "auto":
        embedder, why = _at_hand(model, options)
    else:
        embedder, why = _named(kind, model, options), ""
    if say is not None:
        say(_said(embedder, why))
    return embedder


def _said(embedder: Embedder, why: str) -> str:
    line = f"embedder: {embedder.recipe.embedder}, model {embedder.recipe.model}"
    return f"{line} ({why})" if why else line


def _named(kind: str, model: str, options: Options) -> Embedder:
    if kind == "ollama":
        from .ollama_server import ollama

        return ollama(model, options)
    if kind == "openai":
        from .openai_server import openai

        return openai(model, options)
    if kind == "fastembed":
        from .fastembed_model import fastembed

        return fastembed(model, options)
    if kind == "local":
        from .local_model import CODE, local

        if model not in ("", CODE):
            raise EmbedderUnavailable(
                f"the embedder `local` has one model, {CODE}, and not {model}",
                hint="leave the model out",
            )
        return local(options)
    from .plugins import plugin

    return plugin(kind, model, options)


def _at_hand(model: str, options: Options) -> tuple[Embedder, str]:
    """The first embedder that can be had, and what is wrong with those before it.

    Arguments:
        model: the code of the model that it has to have; "" for the one that each has by itself.
        options: how it is asked.

    Raises:
        EmbedderUnavailable: there is none.
    """
    passed: list[str] = []
    hints: list[str] = []
    for kind in ("ollama", "fastembed", "local"):
        try:
            embedder = _named(kind, model, options)
        except EmbedderUnavailable as error:
            passed.append(error.message)
            hints.append(error.hint or "")
        else:
            return embedder, "; ".join(passed)
    raise EmbedderUnavailable(
        f"there is no embedder: {'; '.join(passed)}",
        hint=" or ".join(f"`{hint}`" for hint in reversed(hints) if hint),
    )

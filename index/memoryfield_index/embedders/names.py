"""Names under which models are asked for, and the models that they mean."""

from __future__ import annotations

import re
from dataclasses import replace

from memoryfield_readers.errors import EmbedderUnavailable
from memoryfield_spec.models import Model, model_of, models

from .options import Options

DEFAULT_CODE = "nomic-embed-text-v1.5"
"""The model of the indexes that fields share (MF507)."""

_IN_A_FILE_NAME = re.compile(r"[^A-Za-z0-9._@-]+")


def without_latest(name: str) -> str:
    """A name at Ollama without the tag that is meant where there is none."""
    return name.removesuffix(":latest")


def known_at_ollama(name: str) -> Model | None:
    """The known model that Ollama has under a name or that has this code; None for another."""
    plain = without_latest(name)
    return next(
        (one for one in models().values() if plain == one.code or plain in one.ollama), None
    )


def known_at_a_server(name: str) -> Model | None:
    """The known model that a server speaking OpenAI's interface means by a name, or None.

    Servers write the owner before it ("intfloat/…"), some their own prefix, some a quantisation
    behind it, and not all keep capitals.
    """
    for one in models().values():
        if name in (one.code, *one.openai, *one.typed):
            return one
    last = name.rpartition("/")[2]
    for tried in (last, last.removeprefix("text-embedding-")):
        for code in models():
            begins = tried[: len(code)]
            if begins.casefold() == code.casefold():
                found = model_of(code + tried[len(code) :])
                if found is not None:
                    return found
    return None


def unknown(name: str, options: Options, *, digest: str = "") -> Model:
    """What is taken for the model of an unknown name; its dimension, 0, has to be found out.

    Arguments:
        name: the name as it is asked for.
        options: may say its code and its markers.
        digest: of its files, in hexadecimal, where it is known: a code without a version gets it.

    Raises:
        EmbedderUnavailable: no full model code can be made of the name (MF502).
    """
    known = models().get(options.code or "")
    if known is not None:
        return known
    family = _IN_A_FILE_NAME.sub("-", name.rpartition("/")[2]).strip("-.")
    pinned = f"{family}-{digest[:12]}" if digest else family
    code = options.code or pinned
    if not any(character.isdigit() and character.isascii() for character in code):
        raise EmbedderUnavailable(
            f"no full model code can be told from the name {name!r}",
            hint="give the model's code with its version, or a model that is known by name",
        )
    return Model(code=code, dimension=0, document=options.document, query=options.query)


def with_dimension(model: Model, dimension: int) -> Model:
    """The model with a dimension that was found out."""
    return replace(model, dimension=dimension)

"""Which embedder is started because an index says so, and not a person.

An index may be somebody else's. It can name none but those that run where the person has set them
up, and of these no more than the model: no address, and nothing that sends texts to a third party.
"""

from __future__ import annotations

from dataclasses import dataclass

from memoryfield_readers.errors import EmbedderUnavailable
from memoryfield_spec.models import models

from .storage import Index
from .values import Recipe

UNASKED = ("ollama", "fastembed", "local")
"""What may be started so."""


@dataclass(frozen=True, slots=True)
class Named:
    """An embedder by name.

    Attributes:
        name: as `choose` takes it.
        code: the code of its model, where that is not known by its name; as `Options.code`.
    """

    name: str
    code: str | None = None


def named_by(index: Index) -> list[Named]:
    """The embedders that may have the model of an index, the best first; none if it has no code.

    Raises:
        EmbedderUnavailable: it was made by another one; the hint says how to ask that.
    """
    recipe = index.recipe
    if recipe is None:
        return [Named(f"{kind}:{index.model_code}") for kind in UNASKED if index.model_code]
    if recipe.embedder not in UNASKED:
        made_with = f"{recipe.embedder}:{recipe.model}"
        raise EmbedderUnavailable(
            f"made with {made_with}, which is only asked if you say so",
            location=index.location,
            hint=f"--embedder {made_with}",
        )
    return [_of_recipe(recipe)]


def _of_recipe(recipe: Recipe) -> Named:
    """The embedder of a recipe; what has no name that is known to all is found by its digest."""
    if recipe.embedder == "ollama" and recipe.model_digest and recipe.model not in models():
        return Named(f"ollama:{recipe.model_digest}", recipe.model)
    return Named(f"{recipe.embedder}:{recipe.model}")

"""Embedders that other packages bring, through the entry point group `memoryfield.embedders`.

An entry point is named as the embedder is asked for, and is a function that takes the model's name
("" where none is said) and the `Options`, and returns an `Embedder`:

    [project.entry-points."memoryfield.embedders"]
    mine = "my_package:embedder"
"""

from __future__ import annotations

from memoryfield_readers.errors import EmbedderUnavailable

from ..values import Embedder
from .options import Options

GROUP = "memoryfield.embedders"
"""The entry point group."""


def all_names() -> tuple[str, ...]:
    """What can be asked for here: auto, the embedders of this room, and those of plugins."""
    from importlib.metadata import entry_points

    from .choosing import BUILT_IN

    found = {point.name for point in entry_points(group=GROUP)}
    return ("auto", *BUILT_IN, *sorted(found - set(BUILT_IN)))


def plugin(name: str, model: str, options: Options) -> Embedder:
    """The embedder that an installed package brings under a name.

    Raises:
        EmbedderUnavailable: no package does, or it cannot be loaded.
    """
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        raise EmbedderUnavailable(
            f"there is no embedder {name!r}",
            hint=f"the embedders here are {', '.join(all_names())}",
        )
    try:
        factory = found[name].load()
    except (ImportError, AttributeError) as error:
        raise EmbedderUnavailable(
            f"the embedder {name!r} ({found[name].value}) cannot be loaded: {error}",
            hint="see to the package that brings it",
        ) from error
    embedder: Embedder = factory(model, options)
    return embedder

"""How many numbers the embeddings of an unknown model have: one is asked for, and counted."""

from __future__ import annotations

from memoryfield_readers.errors import EmbedderUnavailable

from .machine import Machine, Refused


def dimension_of(machine: Machine, embedder: str, name: str) -> int:
    """The dimension of what a machine gives.

    Arguments:
        machine: what runs the model.
        embedder: what messages call it.
        name: the name of the model, for messages.

    Raises:
        EmbedderUnavailable: it gives nothing.
    """
    try:
        rows = machine.numbers(["Is anybody there?"], query=False)
    except Refused as error:
        raise EmbedderUnavailable(
            f"{embedder} ({name}) embeds nothing: {error.reason}",
            hint="see whether it is a model for embeddings",
        ) from None
    if len(rows) != 1 or len(rows[0]) == 0:
        raise EmbedderUnavailable(
            f"{embedder} ({name}) gives no embedding",
            hint="see whether it is a model for embeddings",
        )
    return len(rows[0])

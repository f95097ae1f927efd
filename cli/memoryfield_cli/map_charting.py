"""The map of a field, by the first of its indexes that there is something to draw of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memoryfield_readers import Field, MemoryfieldError, PinMismatch

from .index_output import FINDINGS, no_index
from .output import complain, warn
from .progress import map_bar

if TYPE_CHECKING:
    from memoryfield_index.mapping import Map
    from memoryfield_index.storage import Index


def charted(field: Field, file: Path | None, near: float | None) -> tuple[Map | None, str, int]:
    """The map, where the index of it is, and the exit code; what stands in the way is told.

    Arguments:
        field: the field.
        file: the only index that is used; None for those of the field.
        near: up to which cosine distance pages say nearly the same; None for what is usual.

    Raises:
        PinMismatch: the field is not what was pinned.
    """
    from memoryfield_index.mapping import DEFAULT_NEAR, chart
    from memoryfield_index.places import indexes_of
    from memoryfield_index.storage import open_index

    code = 0
    bound = DEFAULT_NEAR if near is None else near
    openers: list[Callable[[], Index]] = []
    if file is not None:
        openers.append(partial(open_index, file))
    else:  # one in the cache was built for this state of the field
        places = sorted(indexes_of(field), key=lambda place: place.in_field)
        openers.extend(place.open for place in places)
    for opener in openers:
        try:
            with opener() as index, map_bar() as watch:
                drawn = chart(index, field, bound, watch=watch)
        except PinMismatch:
            raise
        except MemoryfieldError as error:
            complain(error)
            code = max(code, error.exit_code)
            continue
        if drawn.spots:
            return drawn, index.location, 0
        warn(f"{index.location}: no page has a vector as it stands: there is nothing to draw")
        code = max(code, FINDINGS)
    return None, "", code if openers else no_index(field.location)

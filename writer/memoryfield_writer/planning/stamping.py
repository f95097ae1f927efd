"""Frontmatter of edited pages, filled in and renewed where that is asked for (MF909)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from .net_effect import Effect
from .virtual_field import Key, VirtualField


def stamp_pages(effects: Sequence[Effect], virtual: VirtualField, now: datetime) -> bool:
    """Fill in the frontmatter of pages that are new, and renew that of others that were edited.

    It is done once, when all operations are, so that these see the texts that were given.

    Arguments:
        effects: what is another one than before.
        virtual: the field after all operations; it is changed.
        now: the time, aware of its zone.

    Returns:
        Whether a page was changed by that.

    Raises:
        MemoryfieldError: a page as it was cannot be read.
    """
    from ..frontmatter import filled, renewed

    done: set[Key] = set()
    changed = False
    for effect in effects:
        name, was, key = effect.page, effect.page_before, effect.key
        if name is None or key is None or key in done:
            continue
        done.add(key)
        raw = virtual.content(name)
        if was is None:
            stamped = filled(raw, name, now)
        else:
            stamped = renewed(virtual.field.content(was), raw, now)
        if stamped != raw:
            virtual.write(name, stamped)
            changed = True
    return changed

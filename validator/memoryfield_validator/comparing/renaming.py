"""Pages that were given another name: what stays is the uuid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def renamed_pages(
    old_uuids: Mapping[str, str], new_uuids: Mapping[str, str], other_uuids: Iterable[str]
) -> Mapping[str, str]:
    """The old names of renamed pages, by their new ones.

    A page was renamed if its uuid stands in one page of each field alone, in any case of letters,
    and its name in neither of the other.

    Arguments:
        old_uuids: the uuids that pages state which only the field before has, by their names.
        new_uuids: those of pages that only the field after has.
        other_uuids: those of all other pages of both.
    """
    old, new = _names_by_uuid(old_uuids), _names_by_uuid(new_uuids)
    shared = (old.keys() & new.keys()).difference(map(_folded, other_uuids))
    return {new[uuid][0]: old[uuid][0] for uuid in shared if len(old[uuid]) == len(new[uuid]) == 1}


def _names_by_uuid(uuids: Mapping[str, str]) -> dict[bytes, list[str]]:
    found: dict[bytes, list[str]] = {}
    for name, uuid in uuids.items():
        found.setdefault(_folded(uuid), []).append(name)
    return found


def _folded(uuid: str) -> bytes:
    return uuid.encode("utf-8", "surrogatepass").lower()  # of bytes it is ASCII alone

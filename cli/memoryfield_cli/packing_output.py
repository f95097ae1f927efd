"""What the commands print that make archives and folders of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoryfield_readers import as_unicode, visible

from .output import no_command, print_json, say, warn
from .writing import told_if_unheard

if TYPE_CHECKING:
    from memoryfield_writer.packing import Packed


def tell_packed(packed: Packed, form: str) -> None:
    """Print the archive and its pins, in the order of `memoryfield pin`."""
    path = str(packed.path)
    if packed.left_out:
        files = (
            "1 file or folder" if packed.left_out == 1 else f"{packed.left_out:,} files and folders"
        )
        warn(f"{path}: left out {files} that a field does not have")
    for note in packed.notes:
        warn(f"{path}: {note}")
    with told_if_unheard(f"{path}: the archive is written"):
        if form == "json":
            print_json(packed_facts(packed))
            return
        say(no_command(visible(path)))
        say(packed.digest)
        say(packed.archive_pin)


def packed_facts(packed: Packed) -> dict[str, Any]:
    """The archive as data."""
    return {
        "version": 1,
        "path": as_unicode(str(packed.path)),
        "digest": packed.digest,
        "archive_pin": packed.archive_pin,
        "entries": packed.entries,
        "bytes": packed.bytes,
        "left_out": packed.left_out,
        "unchanged": packed.unchanged,
    }

"""Reads an archive in every way there is, and prints how much memory that took at most.

Run as a process of its own: `python memory_child.py ARCHIVE LIMIT=VALUE…`. Prints the number of
bytes above what the process held at rest, and what became of the archive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memoryfield_readers import Limits, MemoryfieldError, inspect_field, open_field

_STATUS = Path("/proc/self/status")


def main(archive: str, *settings: str) -> None:
    """Read everything, expect only errors of ours, print the peak."""
    limits = Limits().with_settings(settings)
    with inspect_field(_SMALLEST_ARCHIVE) as field:  # what is imported on first use
        field.archive_digest()
    rest = _kibibytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    outcome = _read_all(archive, limits)
    print((_kibibytes("VmHWM") - rest) * 1024)
    print(outcome)


def _read_all(archive: str, limits: Limits) -> str:
    seen = {"opened"}
    try:
        open_field(archive, limits=limits).close()
    except MemoryfieldError as error:
        seen = {type(error).__name__}
    with inspect_field(archive, limits=limits) as field:
        seen.update(fault.rule for fault in field.faults)
        reads: list[Callable[[], object]] = [partial(field.page, name) for name in field.pages]
        reads += [partial(field.sha256, name) for name in (*field.pages, *field.attachments)]
        for read in reads:
            seen.add("read")
            try:
                read()
            except MemoryfieldError as error:
                seen.add(type(error).__name__)
        seen.update(fault.rule for fault in field.damaged())
        for entry in field.nested():
            assert entry.path
        field.archive_digest()
    return " ".join(sorted(seen))


def _kibibytes(what: str) -> int:
    [line] = [each for each in _STATUS.read_text().splitlines() if each.startswith(what + ":")]
    return int(line.split()[1])


_SMALLEST_ARCHIVE = b"PK\x05\x06" + bytes(18)

if __name__ == "__main__":
    main(*sys.argv[1:])

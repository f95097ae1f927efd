"""How much memory this process has held at most, as the kernel counts it.

`getrusage` would count what the process was that it was forked from, too.
"""

from __future__ import annotations

from pathlib import Path

_STATUS = Path("/proc/self/status")


def forget_peak() -> int:
    """Let the peak begin anew; how many bytes are held now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _bytes("VmRSS")


def peak() -> int:
    """The most bytes that were held since the process began, or since `forget_peak`."""
    return _bytes("VmHWM")


def _bytes(name: str) -> int:
    for line in _STATUS.read_text().splitlines():
        key, _, rest = line.partition(":")
        if key == name:
            return int(rest.split()[0]) * 1024
    raise KeyError(name)

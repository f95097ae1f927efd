"""Sizes as people write them."""

from __future__ import annotations

import re
from decimal import Decimal

from ..display import shown
from ..errors import UnknownLimit

_SIZE = re.compile(r"([0-9][0-9_]{0,18}(?:\.[0-9]{1,9})?) ?([kmgt]?)(i?)b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def parse_size(text: str, what: str) -> int:
    """Bytes of a size such as "5GB", "512 MiB" or "1000000"; k, M, G and T are powers of 1000.

    Arguments:
        text: the size.
        what: whose it is, for the message.

    Raises:
        UnknownLimit: it is none, or less than a byte.
    """
    found = _SIZE.fullmatch(text.strip()) if text.isascii() else None
    if found is None or (found[3] and not found[2]):
        raise _no_size(text, what)
    factor = (1024 if found[3] else 1000) ** _POWERS[found[2].lower()]
    size = int(Decimal(found[1].replace("_", "")) * factor)
    if size < 1:
        raise _no_size(text, what)
    return size


def size_text(size: int) -> str:
    """A size for people: "1 byte", "640 bytes", "1.5 GiB"."""
    if size < 1024:
        return "1 byte" if size == 1 else f"{size} bytes"
    power = min((size.bit_length() - 1) // 10, len(_UNITS) - 1)
    number = size / 1024**power
    if power < len(_UNITS) - 1 and round(number, 1) >= 1024:
        power, number = power + 1, number / 1024
    return f"{number:.1f} {_UNITS[power]}"


def _no_size(text: str, what: str) -> UnknownLimit:
    return UnknownLimit(
        f"{what} must be a size of a byte or more, not {shown(text, 40)}",
        hint="for example 500MB, 2GiB or 1000000",
    )

"""What may reach a terminal."""

from __future__ import annotations

import re

UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed, DEL, C1
    r"\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # invisible, or changes the direction
    r"\U000e0000-\U000e007f\ud800-\udfff]"
)


def assert_harmless(data: bytes, encoding: str = "utf-8") -> None:
    """No control character but line feed, tab, and a carriage return before a line feed."""
    text = data.decode(encoding).replace("\r\n", "\n")
    found = UNSAFE.search(text)
    assert found is None, f"{found[0]!r} in {text[max(0, found.start() - 80) : found.end()]!r}"

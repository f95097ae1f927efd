"""Of which script a letter is, by a table that is the same for every version of Python."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache


def script_of(letter: str) -> str | None:
    """The script of a letter, such as "Latin"; None for what is no letter, or of no one script."""
    starts, ends, names = _ranges()
    at = bisect_right(starts, ord(letter)) - 1
    return names[at] if at >= 0 and ord(letter) <= ends[at] else None


@cache
def _ranges() -> tuple[list[int], list[int], list[str]]:
    """The first and last code points of all ranges, in order, and their scripts."""
    import tomllib
    from importlib.resources import files

    text = files(__package__).joinpath("scripts.toml").read_text("utf-8")
    ranges = sorted(
        (*_ends(part), name)
        for name, parts in tomllib.loads(text).items()
        for part in parts.split()
    )
    starts, ends, names = zip(*ranges, strict=True)
    return list(starts), list(ends), list(names)


def _ends(part: str) -> tuple[int, int]:
    first, _, last = part.partition("-")
    return int(first, 16), int(last or first, 16)

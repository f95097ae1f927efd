"""The characters that MF801 is about, and a text as it looks without them.

Patterns look for words as a reader sees them: a word or a token with an invisible character in it
is found all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

WIDE_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
SELECTORS = f"\u180b-\u180d\u180f{WIDE_SELECTORS}"
UNSEEN = (
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    f"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff{SELECTORS}"
)
"""What stands between the brackets of a regular expression for such characters."""

_RUN = re.compile(f"[{UNSEEN}]+")


class Seen(NamedTuple):
    """A text without these characters, and where its own ones stood.

    Attributes:
        text: what is left.
        cuts: the offsets in it at which something was left out, in ascending order.
        left_out: for each of them, how many characters were left out up to there.
    """

    text: str
    cuts: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    def original(self, offset: int) -> int:
        """The offset in the original text of a character of this one."""
        at = bisect_right(self.cuts, offset)
        return offset + (self.left_out[at - 1] if at else 0)


def as_seen(text: str) -> Seen:
    """A text without the characters that cannot be seen."""
    if text.isascii():
        return Seen(text)
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    if not runs:
        return Seen(text)
    left_out = tuple(accumulate(end - start for start, end in runs))
    cuts = (start - before for (start, _), before in zip(runs, (0, *left_out), strict=False))
    return Seen(_RUN.sub("", text), tuple(cuts), left_out)

"""Lines that differ in what a person does not see: look-alike letters, blanks, the Unicode form."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..content_review.look_alikes import LOOK_LATIN, LOOK_THE_SAME, MORE_LIKE_LATIN
from ..unified import LineChange

MOST_TEXT = 2 * 1024 * 1024
"""Bytes of lines of a comparison that are looked at."""

MOST_REMARKS = 100
"""Remarks on one page; then no more of its lines are looked at."""

_SAME = {
    mark: LOOK_THE_SAME.get(like, like)
    for mark, like in (LOOK_THE_SAME | LOOK_LATIN | MORE_LIKE_LATIN).items()
}
_ASCII = str.maketrans(LOOK_THE_SAME)
_LOOKING_ALIKE = frozenset({"<font>", "<wide>", "<narrow>", "<compat>"})
_BLANK_PATTERN = "\u2800"
"""The sign of Braille without a dot, which is no blank to Unicode."""

_LOOKS = "characters that look alike"
_BLANKS = "blanks"
_FORM = "the Unicode form of characters"


class Remark(NamedTuple):
    """What is to be said of lines of a page as it is now.

    Attributes:
        line: the number of the last of them, from 1; None for the page as a whole.
        message: what, for people.
    """

    line: int | None
    message: str


class Looking:
    """What may still be spent on looking for such lines.

    Attributes:
        left: so many bytes.
    """

    def __init__(self, left: int | None = None) -> None:
        """Nothing is spent yet."""
        self.left = MOST_TEXT if left is None else left


class _Seeming(NamedTuple):
    number: int
    kinds: tuple[str, ...]
    detail: str


def seeming_same(
    before: Sequence[bytes], after: Sequence[bytes], changes: Iterable[LineChange], looking: Looking
) -> tuple[Remark, ...]:
    """Remarks on lines that replace ones which look the same, in the order of the lines.

    Arguments:
        before: the lines of a page as it was.
        after: its lines now.
        changes: which of them differ.
        looking: what may be spent; it is lowered by what is.
    """
    told: list[Remark] = []
    for change in changes:
        old = before[change.start : change.end]
        new = after[change.new_start : change.new_end]
        if not old or not new:
            continue
        looking.left -= sum(map(len, old)) + sum(map(len, new))
        if looking.left < 0:
            told.append(Remark(None, "too much differs to tell which lines look the same"))
            break
        for remark in _remarks(_in_stretch(old, new, change.new_start + 1)):
            if len(told) == MOST_REMARKS:
                return (*told, Remark(None, "there are more lines that differ and look the same"))
            told.append(remark)
    return tuple(told)


def _in_stretch(old: Sequence[bytes], new: Sequence[bytes], first: int) -> Iterator[_Seeming]:
    """The new lines that look as an old one of the same stretch does."""
    texts = [_text(line) for line in old]
    same = set(texts)
    by_look = {_look(text): text for text in reversed(texts)}
    for number, line in enumerate(new, first):
        text = _text(line)
        was = None if text in same else by_look.get(_look(text))
        if was is not None:
            yield _Seeming(number, _kinds(was, text), _detail(was, text))


def _remarks(found: Iterable[_Seeming]) -> Iterator[Remark]:
    """A remark for each line; those of the same kind in a row share one, if it is blanks."""
    run: list[_Seeming] = []
    for each in found:
        if run and (each.number != run[-1].number + 1 or each.kinds != run[-1].kinds):
            yield from _of_run(run)
            run = []
        run.append(each)
    yield from _of_run(run)


def _of_run(run: Sequence[_Seeming]) -> Iterator[Remark]:
    if len(run) > 1 and run[0].kinds == (_BLANKS,):
        last = run[-1].number
        yield Remark(last, f"lines {run[0].number} to {last} differ only in {_BLANKS}")
        return
    for number, kinds, detail in run:
        yield Remark(number, f"line {number} differs only in {' and '.join(kinds)}{detail}")


def _kinds(old: str, new: str) -> tuple[str, ...]:
    """In what two lines differ that look the same: each of it without which they would not."""
    needed = [
        kind
        for kind in (_LOOKS, _FORM, _BLANKS)
        if _look(old, without=kind) != _look(new, without=kind)
    ]
    return tuple(needed) or (_LOOKS,)


def _detail(old: str, new: str) -> str:
    """The first place at which they differ, where that is one character for another."""
    if len(old) != len(new):
        return ""
    at = next(at for at, (was, now) in enumerate(zip(old, new, strict=True)) if was != now)
    return f": U+{ord(new[at]):04X} for U+{ord(old[at]):04X} in column {at + 1}"


def _look(text: str, *, without: str = "") -> str:
    """What a person sees of a line; two with the same look the same.

    Arguments:
        text: the line.
        without: what is let count all the same, though it is hardly seen.
    """
    if text.isascii():
        text = text if without == _LOOKS else text.translate(_ASCII)
        return text if without == _BLANKS else "".join(text.split())
    if without != _FORM:
        text = unicodedata.normalize("NFD", text)
    if without != _LOOKS:
        text = "".join(map(_representative, text))
    if without != _BLANKS:
        text = "".join(text.split()).replace(_BLANK_PATTERN, "")
    return text


@lru_cache(maxsize=4096)
def _representative(character: str) -> str:
    """The character for all that look like it; blanks are none of them."""
    if character in _SAME or character.isspace():
        return _SAME.get(character, character)
    kind, *codes = unicodedata.decomposition(character).split() or ("",)
    if kind not in _LOOKING_ALIKE:
        return character
    return "".join(_representative(chr(int(code, 16))) for code in codes)


def _text(line: bytes) -> str:
    """A line without its end."""
    return line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "surrogateescape")

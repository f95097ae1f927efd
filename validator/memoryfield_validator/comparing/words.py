"""Which words differ in the lines that do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ..unified import Hunk, LineChange, lines_of
from .differences import Effort, differences
from .page_diff import PageDiff

WordKind: TypeAlias = Literal["same", "removed", "added"]

MOST_TEXT = 262_144
"""Bytes of lines that are compared word by word; beyond, they are replaced as a whole."""

_WORD = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")


class Word(NamedTuple):
    """A piece of text that stays, goes or comes; bytes that are not UTF-8 are surrogates."""

    kind: WordKind
    text: str


class WordHunk(NamedTuple):
    """A hunk as words.

    Attributes:
        header: the line that says where it stands, without a line end.
        first: the number of its first line in the new version, from 1.
        words: its text, piece by piece, with line feeds.
    """

    header: str
    first: int
    words: tuple[Word, ...]


def words_of(diff: PageDiff, effort: Effort) -> Iterator[WordHunk]:
    """The hunks of a page as words.

    Arguments:
        diff: which lines differ.
        effort: what may be spent on finding which words do.
    """
    before, after = lines_of(diff.before), lines_of(diff.after)
    for hunk in diff.hunks():
        words = tuple(_merged(_words(hunk, before, after, effort)))
        yield WordHunk(hunk.header, hunk.new_start + 1, words)


def _words(
    hunk: Hunk, before: Sequence[bytes], after: Sequence[bytes], effort: Effort
) -> Iterator[Word]:
    at = hunk.start
    for change in hunk.changes:
        yield Word("same", _text(before[at : change.start]))
        yield from _between(
            _text(before[change.start : change.end]),
            _text(after[change.new_start : change.new_end]),
            effort,
        )
        at = change.end
    yield Word("same", _text(before[at : hunk.end]))


def _between(old: str, new: str, effort: Effort) -> Iterator[Word]:
    """The words of lines that are replaced by others."""
    if not old or not new or len(old) + len(new) > MOST_TEXT:
        yield from (Word("removed", old), Word("added", new))
        return
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    done = 0
    changes = _without_gaps(differences(old_words, new_words, effort), old_words)
    for start, end, new_start, new_end in changes:
        yield Word("same", "".join(old_words[done:start]))
        yield Word("removed", "".join(old_words[start:end]))
        yield Word("added", "".join(new_words[new_start:new_end]))
        done = end
    yield Word("same", "".join(old_words[done:]))


def _without_gaps(changes: Iterable[LineChange], words: Sequence[str]) -> Iterator[LineChange]:
    """The changes, those with nothing but blanks in between as one, which is easier to read."""
    last: LineChange | None = None
    for change in changes:
        if last is not None and _is_blank(words[last.end : change.start]):
            last = LineChange(last.start, change.end, last.new_start, change.new_end)
            continue
        if last is not None:
            yield last
        last = change
    if last is not None:
        yield last


def _is_blank(words: Sequence[str]) -> bool:
    return len(words) == 1 and words[0].isspace() and words[0] != "\n"


def _merged(words: Iterable[Word]) -> Iterator[Word]:
    """The pieces, none of them empty, those of a kind in a row as one."""
    kind: WordKind = "same"
    texts: list[str] = []
    for word in words:
        if word.kind != kind and word.text:
            if texts:
                yield Word(kind, "".join(texts))
            kind, texts = word.kind, []
        if word.text:
            texts.append(word.text)
    if texts:
        yield Word(kind, "".join(texts))


def _text(lines: Sequence[bytes]) -> str:
    return b"".join(lines).decode("utf-8", "surrogateescape")

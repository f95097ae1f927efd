"""Fields that are asked again and again: what a question needs of them is kept ready.

Nothing is written for it: the words are in memory, and a large index has no table in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import RLock
from types import TracebackType
from typing import Self

from memoryfield_readers import Field, MemoryfieldError, Page, PinMismatch, unwatched

from ..values import Vector
from .answering import NOT_RANKED, Asked, Key, Search
from .lexical import Lexicon, Worded
from .matching import Embedders, Matched, matched
from .results import Answer
from .terms import encodable

_AS_USUAL = Asked()


@dataclass(frozen=True, slots=True)
class _Ready:
    """The index of a field, open, or None; and what was said while it was looked for."""

    found: Matched | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of all pages that can be ranked, and the number that each page has there."""

    lexicon: Lexicon
    keys: tuple[Key, ...]


class Standing:
    """Some fields that do not change, open for questions; one is answered at a time.

    Use it as a context manager, or close it. Closing it closes neither fields nor embedders.
    """

    def __init__(self, fields: Sequence[Field], embedders: Embedders) -> None:
        """Take fields, which stay what they are, and what makes vectors of questions."""
        self._fields = tuple(fields)
        self._embedders = embedders
        self._lock = RLock()
        self._ready: dict[int, _Ready] = {}
        self._words: dict[bool, _Words] = {}
        self._pages: dict[Key, Page] = {}
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def search(self, question: str, asked: Asked = _AS_USUAL) -> Answer:
        """The pages that answer a question, the best first; see `search` of this package.

        Raises:
            EmbedderUnavailable: an embedder was named and cannot be had.
            PinMismatch: a field is not what was pinned.
        """
        question = encodable(question).strip()
        if not question:
            return Answer((), asked.how, ("the question is empty",))
        with self._lock:
            try:
                return _StandingSearch(self, question, asked).answer()
            finally:
                if self._closed:
                    self._let_go()

    def look_again(self) -> None:
        """Look anew for an index and an embedder when the next question comes."""
        with self._lock:
            for ready in self._ready.values():
                if ready.found is not None:
                    ready.found.index.close()
            self._ready.clear()

    def close(self) -> None:
        """Let go of the words and the indexes, once the search that is under way has ended.

        Who asks later still gets an answer; all it takes is made for it, and gone afterwards.
        """
        with self._lock:
            self._closed = True
            self._let_go()

    def _let_go(self) -> None:
        self.look_again()
        for words in self._words.values():
            words.lexicon.close()
        self._words.clear()
        self._pages.clear()

    def _index_of(self, number: int) -> _Ready:
        if number not in self._ready:
            notes: list[str] = []
            found = matched(self._fields[number], self._embedders, notes.append)
            if found is not None:
                found = replace(found, identity=None)  # so that no table is made in the cache
            self._ready[number] = _Ready(found, tuple(notes))
        return self._ready[number]

    def _words_of(self, *, everything: bool) -> _Words:
        if everything not in self._words:
            pages: dict[Key, Page] = {}
            for number, each in enumerate(self._fields):
                for name in each.pages:
                    if everything or name not in NOT_RANKED:
                        with suppress(MemoryfieldError):  # the search itself tells of it
                            pages[number, name] = self._page(number, name)
            self._words[everything] = _Words(Lexicon(pages.values()), tuple(pages))
        return self._words[everything]

    def _page(self, number: int, name: str) -> Page:
        key = number, name
        if key not in self._pages:
            self._pages[key] = self._fields[number].page(name)
        return self._pages[key]


class _StandingSearch(Search):
    """A search that uses what is ready."""

    def __init__(self, standing: Standing, question: str, asked: Asked) -> None:
        """Begin."""
        super().__init__(standing._fields, question, standing._embedders, asked, unwatched)
        self._standing = standing

    @contextmanager
    def _matched(self, number: int) -> Iterator[Matched | None]:
        ready = self._standing._index_of(number)
        self._notes += ready.notes
        yield ready.found

    def _query(self, found: Matched) -> Vector:
        with self._embedders.lock:
            return super()._query(found)

    def _worded(self, pages: Mapping[Key, Page]) -> list[Worded]:
        """Ranked among all pages, so that how rare a word is does not hang on which are asked."""
        words = self._standing._words_of(everything=self._asked.everything)
        numbers = {key: number for number, key in enumerate(pages)}
        return [
            replace(worded, number=numbers[words.keys[worded.number]])
            for worded in words.lexicon.rank(self._question)
            if words.keys[worded.number] in numbers
        ]

    def _read(self, number: int, names: Sequence[str]) -> Iterator[Page]:
        for name in names:
            try:
                page = self._pages[number, name] = self._standing._page(number, name)
            except PinMismatch:
                raise  # who is being fooled about one page is shown none
            except MemoryfieldError as error:
                if error not in self._errors:
                    self._errors.append(error)
            else:
                yield page

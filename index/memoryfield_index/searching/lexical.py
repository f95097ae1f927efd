"""Pages ranked by their words: BM25 over whole pages, and what MF705 promises beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from memoryfield_readers import Page

from ..library import sqlite
from .terms import Terms, encodable, spaced, terms_of

TITLE, SUMMARY, NAME, TEXT = 4.0, 2.0, 2.0, 1.0
"""What a word counts where it stands; the text is the whole page, title and summary with it."""

_TABLE = (
    "CREATE VIRTUAL TABLE pages USING fts5(title, summary, name, text, content='', "
    "tokenize='porter unicode61 remove_diacritics 2')"
)
_INSERT = "INSERT INTO pages(rowid, title, summary, name, text) VALUES (?, ?, ?, ?, ?)"
_HOLDING = "SELECT rowid FROM pages WHERE pages MATCH ?"
_RANKED = (
    f"SELECT rowid, -bm25(pages, {TITLE}, {SUMMARY}, {NAME}, {TEXT}) AS score FROM pages "  # noqa: S608 - numbers of ours
    "WHERE pages MATCH ? ORDER BY score DESC, rowid"
)


@dataclass(frozen=True, slots=True)
class Worded:
    """A page that has words of a question.

    Attributes:
        number: which page, counted as they were given, from 0.
        score: its BM25, more is better; 0 for one that only MF705 finds.
        coverage: the share of what the question says that the page says, too: of its words, each
            weighed by how rare it is; from 0 to 1.
        literal: whether MF705 finds it: name, title or summary hold the question as it stands.
    """

    number: int
    score: float
    coverage: float
    literal: bool


class Lexicon:
    """The words of some pages, in memory."""

    def __init__(self, pages: Iterable[Page]) -> None:
        """Take the pages in; all that is read of them is their text and frontmatter.

        Raises:
            SourceUnavailable: the library that has FTS5 is not installed.
        """
        self._connection = sqlite().Connection(":memory:")
        self._connection.execute("PRAGMA temp_store=memory")  # no file, however much is sorted
        self._connection.execute(_TABLE)
        self._literal: list[str] = []
        with self._connection:
            self._connection.executemany(_INSERT, self._rows(pages))

    def _rows(self, pages: Iterable[Page]) -> Iterable[tuple[int, str, str, str, str]]:
        for number, page in enumerate(pages):
            name = encodable(page.name)
            title, summary = (encodable(_field(page, key)) for key in ("title", "summary"))
            self._literal.append("\n".join((name, title, summary)))
            text = encodable(page.text)
            texts = (title, summary, name.removesuffix(".md"), text)
            yield (number, *map(spaced, texts))  # type: ignore[misc]

    def rank(self, question: str) -> list[Worded]:
        """Every page that has a word of the question or that MF705 finds, the best first."""
        question = encodable(question).strip()
        if not question:
            return []
        terms = terms_of(question)
        scores = self._scores(terms)
        coverage = self._coverage(terms)
        literal = self._holding_literally(question)
        order = [*scores, *(number for number in sorted(literal) if number not in scores)]
        return [
            Worded(number, scores.get(number, 0.0), coverage.get(number, 0.0), number in literal)
            for number in order
        ]

    def close(self) -> None:
        """Let go of the memory."""
        self._connection.close()

    def _scores(self, terms: Terms) -> dict[int, float]:
        if not terms.words:
            return {}
        asked = " OR ".join((*terms.words, *terms.compounds))
        return dict(self._connection.execute(_RANKED, (asked,)))

    def _coverage(self, terms: Terms) -> dict[int, float]:
        count = len(self._literal)
        total = 0.0
        found: dict[int, float] = {}
        for word in terms.words:
            holding = [number for (number,) in self._connection.execute(_HOLDING, (word,))]
            weight = math.log1p((count - len(holding) + 0.5) / (len(holding) + 0.5))
            total += weight
            for number in holding:
                found[number] = found.get(number, 0.0) + weight
        return {number: weight / total for number, weight in found.items()}

    def _holding_literally(self, question: str) -> set[int]:
        """The numbers of the pages that MF705 finds, whatever "case-insensitive" means."""
        lower, folded = question.lower(), question.casefold()
        return {
            number
            for number, text in enumerate(self._literal)
            if lower in text.lower() or folded in text.casefold()
        }


def _field(page: Page, name: str) -> str:
    """A field of the frontmatter as text, whatever it is (MF902)."""
    value = page.frontmatter.fields.get(name)
    return "" if value is None else str(value)

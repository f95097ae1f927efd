"""A question put to one or several fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias

from memoryfield_readers import (
    Field,
    MemoryfieldError,
    Page,
    PinMismatch,
    SourceUnavailable,
    Watch,
    unwatched,
)
from memoryfield_readers.errors import EmbedderUnavailable, IndexMismatch

from ..places import is_here
from ..storage.disarmed import HOW_TO_REBUILD
from ..values import Vector
from ..vector_faults import NUMBER_BYTES
from .cutting import ANYTHING, LEAST_COVERAGE, STRONG_COVERAGE, cut_off, first, fitting
from .directions import can_be_compared
from .fusing import fuse
from .large import nearest_of_any, usable_of_any
from .lexical import Lexicon, Worded
from .matching import AUTO, Embedders, Matched, matched
from .nearest import Near
from .results import Answer, Hit
from .terms import encodable

How: TypeAlias = Literal["semantic", "hybrid", "lexical"]

NOT_RANKED = frozenset({"index.md", "listing.md"})
"""An introduction resembles every question, and would push out the answer."""

MOST_QUESTION = 2000
"""Characters of a question that are embedded; models take little more."""

Key: TypeAlias = "tuple[int, str]"
"""The number of a field, and the name of a page in it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a question is put.

    Attributes:
        how: by vectors, by words, or by both; without an index that can be used, by words.
        most: how many pages are wanted at most.
        max_distance: the cosine distance beyond which a page is no answer; None for what was
            measured for the model.
        everything: whether index.md and listing.md are ranked, too.
        weak: whether nothing is cut off.
    """

    how: How = "semantic"
    most: int = 10
    max_distance: float | None = None
    everything: bool = False
    weak: bool = False


_AS_USUAL = Asked()


def search(
    fields: Sequence[Field],
    question: str,
    embedders: Embedders,
    asked: Asked = _AS_USUAL,
    *,
    watch: Watch = unwatched,
) -> Answer:
    """The pages of some fields that answer a question, the best first.

    What an index says of a page counts only while it is of the page as it stands (MF905). Pages
    that no index covers are found by their words.

    Arguments:
        fields: the fields; a question to several is put to all of their pages together.
        question: any text; a blank one finds nothing.
        embedders: what makes vectors of questions.
        asked: how it is put.
        watch: is told how many of the pages were read whose words count.

    Raises:
        EmbedderUnavailable: an embedder was named and cannot be had.
        PinMismatch: a field is not what was pinned.
    """
    question = encodable(question).strip()
    if not question:
        return Answer((), asked.how, ("the question is empty",))
    return Search(fields, question, embedders, asked, watch).answer()


class Search:
    """A search that is under way; what it opens it closes, and what it reads it forgets."""

    def __init__(
        self,
        fields: Sequence[Field],
        question: str,
        embedders: Embedders,
        asked: Asked,
        watch: Watch,
    ) -> None:
        """Begin; see `search`."""
        self._fields = fields
        self._question = question
        self._embedders = embedders
        self._asked = asked
        self._watch = watch
        self._queries: dict[int, Vector] = {}
        self._pages: dict[Key, Page] = {}
        self._distances: dict[Key, float] = {}
        self._stale: set[Key] = set()
        self._beyond: list[tuple[float, Key]] = []
        self._notes: list[str] = []
        self._errors: list[MemoryfieldError] = []
        self._pins: dict[int, str | None] = {}

    def answer(self) -> Answer:
        """Search all fields."""
        by_recipe: dict[str, list[Key]] = {}
        uncovered: list[Key] = []
        for number in range(len(self._fields)):
            recipe, found, left = self._by_vectors(number)
            by_recipe.setdefault(recipe, []).extend(found)
            uncovered += left
        semantic = [
            sorted(found, key=lambda key: (self._distances[key], key))
            for recipe, found in by_recipe.items()
            if recipe
        ]
        how = self._asked.how if semantic else "lexical"
        lexical, scores = self._by_words(uncovered, how)
        rankings = [ranking for ranking in (*semantic, lexical) if ranking]
        if len(rankings) > 1:
            scored = fuse(rankings)[: self._asked.most]
        else:
            ranking = rankings[0] if rankings else []
            scores.update((key, 1 - distance) for key, distance in self._distances.items())
            scored = [(key, scores[key]) for key in ranking[: self._asked.most]]
        return Answer(
            hits=tuple(self._hit(key, score) for key, score in scored),
            how=how,
            notes=tuple(dict.fromkeys(self._notes)),
            errors=tuple(self._errors),
            nearest=None if scored else self._nearest(),
        )

    def _by_vectors(self, number: int) -> tuple[str, list[Key], list[Key]]:
        """By which recipe a field was searched, the pages found, and those not covered by it."""
        searched = self._fields[number]
        all_of_it: list[Key] = [(number, name) for name in self._wanted(searched)]
        if self._asked.how == "lexical":
            return "", [], all_of_it
        try:
            with self._matched(number) as found:
                if found is None:
                    return "", [], all_of_it
                query = self._query(found)
                near, further = self._near(number, found, query)
                left = self._left(number, found, query)
        except EmbedderUnavailable as error:
            if self._embedders.name != AUTO:
                raise
            self._notes.append(f"{searched.location}: {error}")
            return "", [], all_of_it
        except (IndexMismatch, SourceUnavailable) as error:  # of the index: pages tell theirs
            self._notes.append(str(error))
            self._stale -= {key for key in self._stale if key[0] == number}
            return "", [], all_of_it
        self._distances.update(near)
        self._beyond += further
        return found.embedder.recipe.key, list(near), left

    @contextmanager
    def _matched(self, number: int) -> Iterator[Matched | None]:
        """The index of a field that can be searched, as long as it is being searched."""
        found = matched(self._fields[number], self._embedders, self._notes.append)
        if found is None:
            yield None
            return
        with found.index:
            yield found

    def _worded(self, pages: Mapping[Key, Page]) -> list[Worded]:
        """Some pages ranked by their words; each is numbered as it was given."""
        with closing(Lexicon(self._watched(list(pages.values())))) as lexicon:
            return lexicon.rank(self._question)

    def _query(self, found: Matched) -> Vector:
        """The vector of the question."""
        key = id(found.embedder)
        if key not in self._queries:
            recipe = found.embedder.recipe
            vector = found.embedder.query(self._question[:MOST_QUESTION])
            if len(self._question) > MOST_QUESTION:
                self._notes.append(f"only the first {MOST_QUESTION} characters are embedded")
            if len(vector) != recipe.dimension * NUMBER_BYTES or not can_be_compared(vector):
                raise EmbedderUnavailable(f"{recipe.model} makes no usable vector of the question")
            self._queries[key] = vector
        return self._queries[key]

    def _near(
        self, number: int, found: Matched, query: Vector
    ) -> tuple[dict[Key, float], list[tuple[float, Key]]]:
        """The distances of the pages that are near enough, as they stand, and of the next one."""
        bound = self._bound(found.index.model_code)
        wanted = frozenset(self._wanted(self._fields[number]))
        rows = nearest_of_any(found.index, found.identity, query, wanted)
        hits: dict[Key, float] = {}
        while len(hits) < self._asked.most:
            batch = list(islice(rows, self._asked.most))
            near = [row for row in batch if row.distance <= bound]
            for row, page in self._current(number, near):
                hits[number, page.name] = row.distance
            if len(near) < self._asked.most:
                further = self._current(number, batch[len(near) :][:1])
                return hits, [(row.distance, (number, page.name)) for row, page in further]
        return dict(islice(hits.items(), self._asked.most)), []

    def _current(self, number: int, rows: Sequence[Near]) -> Iterator[tuple[Near, Page]]:
        """The rows that are of the pages as they stand, with these (MF905)."""
        near = {row.filename: row for row in rows}
        for page in self._read(number, list(near)):
            row = near[page.name]
            if row.sha256 == page.sha256:
                yield row, page
            else:
                self._stale.add((number, page.name))

    def _left(self, number: int, found: Matched, query: Vector) -> list[Key]:
        """The pages that words have to find: all, or those that have no row to be found by."""
        searched = self._fields[number]
        wanted = self._wanted(searched)
        known: dict[str, bytes] = {}
        for name, sha256 in usable_of_any(found.index, found.identity, query):
            known.setdefault(name, sha256)
        missing = [name for name in wanted if name not in known]
        if missing:
            self._notes.append(
                f"{searched.location}: {len(missing)} of {len(wanted)} pages are not in the index, "
                "or have no vector there that can be compared, and are found by their words alone "
                f"({HOW_TO_REBUILD})"
            )
        if self._asked.how == "hybrid":
            for page in self._read(number, wanted):
                if known.get(page.name) not in (None, bytes.fromhex(page.sha256)):
                    self._stale.add((number, page.name))
        stale = [key for key in self._stale if key[0] == number]
        if stale:
            one = len(stale) == 1
            pages = (
                "1 page as it was; it is" if one else f"{len(stale)} pages as they were; they are"
            )
            self._notes.append(
                f"{searched.location}: the index has {pages} "
                f"found by words alone ({HOW_TO_REBUILD})"
            )
        if self._asked.how == "hybrid":
            return [(number, name) for name in wanted]
        return [*((number, name) for name in missing), *sorted(stale)]

    def _by_words(self, keys: Sequence[Key], how: How) -> tuple[list[Key], dict[Key, float]]:
        """Some pages ranked by their words, and their scores."""
        pages: dict[Key, Page] = {}
        for number in range(len(self._fields)):
            names = [name for of, name in keys if of == number]
            pages.update(((number, page.name), page) for page in self._read(number, names))
        if not pages:
            return [], {}
        of_number = list(pages)
        worded = self._worded(pages)
        least = LEAST_COVERAGE if how != "hybrid" else STRONG_COVERAGE
        if self._asked.weak and how != "hybrid":
            least = 0.0
        chosen = fitting(worded, least)
        if how == "lexical":
            chosen = first(chosen, self._asked.most)
            if worded and not chosen:
                self._beyond.append((ANYTHING, of_number[worded[0].number]))
        return (
            [of_number[each.number] for each in chosen],
            {of_number[each.number]: each.score for each in chosen},
        )

    def _watched(self, pages: Sequence[Page]) -> Iterator[Page]:
        for done, page in enumerate(pages):
            self._watch("pages", done, len(pages))
            yield page
        self._watch("pages", len(pages), len(pages))

    def _read(self, number: int, names: Sequence[str]) -> Iterator[Page]:
        """Pages of a field; what keeps one from being read is noted, and keeps no other."""
        searched = self._fields[number]
        unread = [name for name in names if (number, name) not in self._pages]
        try:
            searched.prepare(unread)
        except SourceUnavailable as error:
            self._errors.append(error)
            unread = [name for name in unread if name in error.got]
        for name in unread:
            try:
                self._pages[number, name] = searched.page(name)
            except PinMismatch:
                raise  # who is being fooled about one page is shown none
            except MemoryfieldError as error:
                self._errors.append(error)
        for name in names:
            if (number, name) in self._pages:
                yield self._pages[number, name]

    def _wanted(self, searched: Field) -> list[str]:
        everything = self._asked.everything
        return [name for name in searched.pages if everything or name not in NOT_RANKED]

    def _bound(self, model: str | None) -> float:
        if self._asked.weak:
            return ANYTHING
        bound = self._asked.max_distance
        return cut_off(model) if bound is None else bound

    def _nearest(self) -> Hit | None:
        if not self._beyond:
            return None
        distance, key = min(self._beyond)
        self._distances.setdefault(key, distance)
        return self._hit(key, 0.0)

    def _hit(self, key: Key, score: float) -> Hit:
        searched = self._fields[key[0]]
        return Hit(
            page=self._pages[key],
            score=score,
            distance=self._distances.get(key),
            stale=key in self._stale,
            field=searched.name,
            location=searched.location,
            pin=self._pin(key[0]),
        )

    def _pin(self, number: int) -> str | None:
        """The pin of a field; nothing is fetched for it."""
        if number not in self._pins:
            searched = self._fields[number]
            try:
                known = searched.known_digest
                self._pins[number] = searched.digest() if not known and is_here(searched) else known
            except PinMismatch:
                raise
            except MemoryfieldError:
                self._pins[number] = None  # what stands in the way is no page, and no matter here
        return self._pins[number]

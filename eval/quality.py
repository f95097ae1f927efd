"""How well a field is searched: by vectors, by both, by words, and by substring as MF705 has it.

Questions stand in files of JSON lines: `text`, and `answer_uuids`, the names of the pages that
answer it, without `.md`; none where no page does. A question counts as answered by the first of
them that is found.

    python eval/quality.py FIELD QUESTIONS [--embedder local] [--most 10]

FIELD is a folder of pages, or a folder of such folders; QUESTIONS a folder of such files. For each
file it prints, of the questions that have an answer, hit@1, recall@5 and MRR; and of those that
have none, the share that gets an empty answer. First with the cut-offs that a search has by itself,
then without any. The index is built in a copy; what was embedded is kept in the cache for the next
time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memoryfield_index.building import rebuild
from memoryfield_index.embedders import Options, choose
from memoryfield_index.places import place_for
from memoryfield_index.searching import Asked, Embedders, How, search
from memoryfield_index.values import Embedder, Embedding, Failed, Vector
from memoryfield_readers import Field, open_field

_FIVE = 5

Search = Callable[[str], Sequence[str]]
"""Gives the names of the pages that answer a question, the best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the pages that answer it."""

    text: str
    answers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """What came of a set of questions; None where no question of the set could tell."""

    hit_at_1: float | None
    recall_at_5: float | None
    mrr: float | None
    empty: float | None


class Remembering:
    """An embedder that makes the vector of a question once."""

    def __init__(self, embedder: Embedder) -> None:
        """Ask this one."""
        self.recipe = embedder.recipe
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """As the embedder does."""
        return self._embedder.documents(pages)

    def query(self, text: str) -> Vector:
        """As the embedder does, once for each text."""
        if text not in self._known:
            self._known[text] = self._embedder.query(text)
        return self._known[text]

    def close(self) -> None:
        """It is closed by who opened it."""


def questions_of(file: Path) -> list[Question]:
    """The questions of a file."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    return [
        Question(line["text"], frozenset(f"{name}.md" for name in line["answer_uuids"]))
        for line in lines
    ]


def measure(questions: Sequence[Question], ask: Search) -> Quality:
    """How well some questions are answered."""
    firsts: list[bool] = []
    recalls: list[float] = []
    reciprocals: list[float] = []
    empties: list[bool] = []
    for question in questions:
        found = ask(question.text)
        if not question.answers:
            empties.append(not found)
            continue
        places = [place for place, name in enumerate(found, 1) if name in question.answers]
        firsts.append(1 in places)
        near = sum(place <= _FIVE for place in places)
        recalls.append(near / min(_FIVE, len(question.answers)))
        reciprocals.append(1 / places[0] if places else 0.0)
    return Quality(_mean(firsts), _mean(recalls), _mean(reciprocals), _mean(empties))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


@contextmanager
def indexed(folder: Path, embedder: Embedder) -> Iterator[Field]:
    """A copy of a field, with an index."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, folder.name)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.sqlite3*"))
        with open_field(copy) as field:
            made = rebuild(field, embedder, place_for(field, embedder.recipe.model), watch=_watch)
        if made.failed:
            raise SystemExit(f"could not be embedded: {made.failed}")
        with open_field(copy) as field:
            yield field


def _watch(what: str, done: int, total: int) -> None:
    print(f"\r{done} of {total} pages embedded", end="", file=sys.stderr, flush=True)
    if done == total:
        print(file=sys.stderr)


def by_substring(field: Field) -> Search:
    """MF705 to the letter: a substring of file name, title or summary, in the order of names."""
    texts = {}
    for page in field.read(field.pages):
        fields = page.frontmatter.fields
        texts[page.name] = f"{page.name}\n{fields.get('title')}\n{fields.get('summary')}".lower()
    return lambda question: [name for name, text in texts.items() if question.lower() in text]


def by(how: How, field: Field, embedders: Embedders, most: int, *, weak: bool) -> Search:
    """The search of this program."""
    asked = Asked(how=how, most=most, weak=weak)
    return lambda question: [
        hit.filename for hit in search([field], question, embedders, asked).hits
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("field", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--embedder", default="local")
    parser.add_argument("--most", type=int, default=10, help="how many pages are asked for")
    options = parser.parse_args()
    folder: Path = options.field
    folders = [folder] if list(folder.glob("*.md")) else sorted(folder.iterdir())
    files = sorted(options.questions.glob("*.jsonl"))
    embedder = Remembering(choose(options.embedder, say=print))
    embedders = Embedders(options.embedder, Options(), lambda name, options: embedder)
    for each in folders:
        if not list(each.glob("*.md")):
            continue
        with indexed(each, embedder) as field:
            for weak in (False, True):
                title = "without cut-off" if weak else "as it is by itself"
                print(f"\n{field.name}: {len(field.pages)} pages, {title}")
                searches: dict[str, Search] = {
                    "semantic": by("semantic", field, embedders, options.most, weak=weak),
                    "hybrid": by("hybrid", field, embedders, options.most, weak=weak),
                    "BM25": by("lexical", field, embedders, options.most, weak=weak),
                    "substring": by_substring(field),
                }
                for file in files:
                    _print(file, searches)


def _print(file: Path, searches: dict[str, Search]) -> None:
    questions = questions_of(file)
    answered = sum(bool(question.answers) for question in questions)
    print(f"{file.name}: {answered} questions with an answer, {len(questions) - answered} without")
    print(f"  {'':<10}  hit@1  recall@5    MRR  empty where none answers")
    for name, ask in searches.items():
        quality = measure(questions, ask)
        shown = [
            "    -" if value is None else f"{value:.3f}"
            for value in (quality.hit_at_1, quality.recall_at_5, quality.mrr, quality.empty)
        ]
        print(f"  {name:<10}  {shown[0]}     {shown[1]}  {shown[2]}  {shown[3]}")


if __name__ == "__main__":
    main()

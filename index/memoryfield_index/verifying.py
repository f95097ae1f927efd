"""Whether an index is what it should be: rows against pages, and some vectors made again."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from memoryfield_readers import Field, PinMismatch, Watch, shown, unwatched
from memoryfield_readers.errors import EmbedderUnavailable, IndexMismatch

from .building import BATCH, OF_ONE_PAGE
from .page_rows import embedded_text, frontmatter_json
from .storage import Index, Row
from .values import Embedder, Embedding
from .vector_faults import NUMBER_BYTES, cosine, fault_of

LEAST_COSINE = 0.99
"""A vector that is made again is the same up to here: what runs a model may round otherwise."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A page that was embedded again.

    Attributes:
        name: the page.
        cosine: of the angle between the vector of the index and the new one; None where there is
            no new one.
        reason: why there is none; "" if there is.
    """

    name: str
    cosine: float | None
    reason: str = ""

    @property
    def agrees(self) -> bool:
        """Whether it is the same vector, as far as can be expected."""
        return self.cosine is not None and self.cosine >= LEAST_COSINE


@dataclass(frozen=True, slots=True)
class Verification:
    """What there is to say of an index.

    Attributes:
        name: the file name of the index.
        location: where it is.
        model: the model code; None where it is not known.
        pages: how many pages the field has.
        rows: how many rows the index has.
        missing: the pages without a row (MF505).
        stale: the pages whose row is not of the page as it stands (MF505).
        superfluous: what rows name that is no page of the field, or has a row already (MF505).
        faulty: rows that cannot be used, by their page, each with the reason (MF506).
        unread: pages that cannot be read, so that nothing can be said of their rows.
        sampled: the pages that were embedded again.
    """

    name: str
    location: str
    model: str | None
    pages: int
    rows: int
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    superfluous: tuple[str, ...]
    faulty: tuple[tuple[str, str], ...]
    unread: tuple[tuple[str, str], ...]
    sampled: tuple[Sampled, ...]

    @property
    def is_sound(self) -> bool:
        """Whether each page has a row that is true, and there is no other row."""
        found = (self.missing, self.stale, self.superfluous, self.faulty, self.unread)
        return not any(found)

    @property
    def mismatch(self) -> IndexMismatch | None:
        """Why its vectors are not those of its model; None if those that were made again are."""
        differing = [each for each in self.sampled if not each.agrees]
        if not differing:
            return None
        first = differing[0]
        how = first.reason if first.cosine is None else f"cosine {first.cosine:.4f}"
        return IndexMismatch(
            f"{len(differing)} of {len(self.sampled)} vectors that were made again are others, "
            f"the first that of {shown(first.name)}: {how}",
            location=self.location,
            hint="`memoryfield index build` makes a new one",
        )


def verify(
    index: Index,
    indexed: Field,
    *,
    embedder: Embedder | None = None,
    sample: int = 0,
    watch: Watch = unwatched,
) -> Verification:
    """Hold the rows of an index against the pages of its field.

    Arguments:
        index: the index.
        indexed: the field.
        embedder: makes vectors again; needed for a sample.
        sample: of how many pages, which nobody can foresee.
        watch: is told how many of these have been made.

    Raises:
        IndexMismatch: the index is damaged, or of another model than the embedder.
        EmbedderUnavailable: there is nothing that makes vectors.
        SourceUnavailable: the field cannot be read.
        PinMismatch: the field is not what was pinned.
    """
    if sample and embedder is None:
        raise EmbedderUnavailable("a sample needs an embedder")
    if sample and embedder is not None:
        _refuse_other_model(index, embedder)
    comparison = _Comparison(index, indexed)
    comparison.run()
    again: tuple[Sampled, ...] = ()
    if sample and embedder is not None:
        chosen = comparison.true
        if sample < len(chosen):
            chosen = secrets.SystemRandom().sample(chosen, sample)
        again = _embedded_again(index, indexed, embedder, sorted(chosen), watch)
    return Verification(
        name=index.name,
        location=index.location,
        model=index.model_code,
        pages=len(indexed.pages),
        rows=comparison.rows,
        missing=tuple(name for name in indexed.pages if name not in comparison.seen),
        stale=tuple(comparison.stale),
        superfluous=tuple(comparison.superfluous),
        faulty=tuple(comparison.faulty),
        unread=tuple(comparison.unread),
        sampled=again,
    )


def _refuse_other_model(index: Index, embedder: Embedder) -> None:
    recipe = embedder.recipe
    if (index.model_code or recipe.model) != recipe.model or (
        index.dimension not in (None, recipe.dimension)
    ):
        raise IndexMismatch(
            f"is of the model {index.model_code} with {index.dimension} numbers, and the embedder "
            f"is of {recipe.model} with {recipe.dimension}",
            location=index.location,
            hint="name the embedder of that model with --embedder",
        )


class _Comparison:
    """The rows of an index held against the pages, one by one."""

    def __init__(self, index: Index, indexed: Field) -> None:
        self.index = index
        self.indexed = indexed
        self.rows = 0
        self.dimension = index.dimension
        self.seen: set[str] = set()
        self.true: list[str] = []
        self.stale: list[str] = []
        self.superfluous: list[str] = []
        self.faulty: list[tuple[str, str]] = []
        self.unread: list[tuple[str, str]] = []

    def run(self) -> None:
        """Look at every row."""
        pages = frozenset(self.indexed.pages)
        for number, row in enumerate(self.index.rows(), start=1):
            self.rows = number
            name = row.filename
            if name is None or name not in pages or name in self.seen:
                self.superfluous.append(f"row {number}" if name is None else name)
                continue
            self.seen.add(name)
            self._judge(name, row)

    def _judge(self, name: str, row: Row) -> None:
        vector = row.vector or b""
        if self.dimension is None:
            self.dimension = len(vector) // NUMBER_BYTES
        fault = fault_of(vector, self.dimension)
        if fault is not None:
            self.faulty.append((name, f"its vector {fault}"))
            return
        try:
            sha256 = self.indexed.sha256(name)
        except PinMismatch:
            raise
        except OF_ONE_PAGE as error:
            self.unread.append((name, error.message))
            return
        if row.sha256 is None or row.sha256.hex() != sha256:
            self.stale.append(name)
        elif not self._has_its_frontmatter(name, row):
            self.faulty.append((name, "its frontmatter is not that of the page"))
        else:
            self.true.append(name)

    def _has_its_frontmatter(self, name: str, row: Row) -> bool:
        """Whether a row has the frontmatter that the page has; other tools write it their way."""
        if self.index.recipe is None:
            return True
        try:
            found = json.loads(row.frontmatter or "")
        except (ValueError, RecursionError):
            return False
        return bool(found == json.loads(frontmatter_json(self.indexed.page(name))))


def _embedded_again(
    index: Index, indexed: Field, embedder: Embedder, names: Sequence[str], watch: Watch
) -> tuple[Sampled, ...]:
    left = set(names)
    vectors = {
        row.filename: row.vector
        for row in index.usable_rows(indexed.pages)
        if row.filename in left and row.filename is not None and row.vector is not None
    }
    found: list[Sampled] = []
    watch("pages", 0, len(names))
    for start in range(0, len(names), BATCH):
        pages = indexed.read(names[start : start + BATCH])
        outcomes = embedder.documents([embedded_text(page) for page in pages])
        if len(outcomes) != len(pages):
            raise EmbedderUnavailable(f"gave {len(outcomes)} vectors for {len(pages)} pages")
        for page, outcome in zip(pages, outcomes, strict=True):
            if not isinstance(outcome, Embedding):
                found.append(Sampled(page.name, None, outcome.reason))
                continue
            fault = fault_of(outcome.vector, embedder.recipe.dimension)
            if fault is not None:
                found.append(Sampled(page.name, None, f"its vector {fault}"))
                continue
            found.append(Sampled(page.name, cosine(vectors[page.name], outcome.vector)))
        watch("pages", start + len(pages), len(names))
    return tuple(found)

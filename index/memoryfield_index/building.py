"""From a field and an embedder to an index: only what changed is embedded, and the swap is one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from memoryfield_readers import (
    AccessDenied,
    Field,
    LimitExceeded,
    MemoryfieldError,
    NotFound,
    Page,
    PageError,
    PinMismatch,
    SourceUnavailable,
    UnsafeArchive,
    Watch,
    is_lfs_pointer,
    unwatched,
)
from memoryfield_readers.cache import Cache
from memoryfield_readers.errors import EmbedderUnavailable, IndexMismatch

from .page_rows import RawRow, embedded_text, frontmatter_json, timestamp
from .places import make_folder
from .pruning import prune
from .storage import Index, IndexWriter, open_index
from .storage.schema import SUFFIX, UNDATED, is_index_of
from .storage.writing import (
    is_as_it_was,
    keep_mode,
    remove_side_files,
    replace_file,
    sync_file,
    sync_folder,
)
from .values import Embedder, Embedding, Failed, Recipe
from .vector_faults import fault_of
from .vectors import VectorCache

BATCH = 16
"""So many pages are given to an embedder at a time; a process that is killed loses no more."""

_BATCH_BYTES = 64 * 1024

OF_ONE_PAGE = (PageError, LimitExceeded, UnsafeArchive, NotFound, AccessDenied)
"""What keeps one page from being read, and no other."""


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What came of a build.

    Attributes:
        path: the index.
        pages: how many pages it has.
        embedded: for how many pages the embedder was asked, and gave a vector.
        cached: how many took a vector that an earlier build had kept.
        reused: how many rows of the index that was there are still true.
        removed: the pages whose rows are gone.
        failed: the pages that are not in the index, each with the reason.
        shortened: the pages that were not embedded whole, each with how many bytes were.
        anew: why the index that was there could not be used, or not all of it; None if it could, or
            there was none.
        written: whether a new index took the place; if not, nothing had changed, or no page has
            a vector.
        notes: what a person should know.
    """

    path: Path
    pages: int
    embedded: int
    cached: int
    reused: int
    removed: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    shortened: tuple[tuple[str, int], ...]
    anew: str | None
    written: bool
    notes: tuple[str, ...]


def rebuild(
    indexed: Field,
    embedder: Embedder,
    path: Path,
    *,
    watch: Watch = unwatched,
    vectors: VectorCache | None = None,
) -> IndexStats:
    """Bring the index of a field up to date, or make it.

    Rows that are of the pages as they stand stay, the other pages are embedded. The new index is
    written beside the old one, which serves until it is replaced, whatever happens in between.

    Arguments:
        indexed: the field.
        embedder: what makes the vectors.
        path: the index; its name begins with the embedder's model code.
        watch: is told how many of the pages that need a vector have one.
        vectors: where vectors are kept that were made before; None for the cache of this user.

    Raises:
        NotFound: the field has no page, or there is no folder for the index.
        IndexMismatch: the name is not that of an index of this model.
        EmbedderUnavailable: there are no vectors to be had; nothing was written.
        SourceUnavailable: the field cannot be read, or the index not be written.
        PinMismatch: the field is not what was pinned.
    """
    recipe = embedder.recipe
    if not is_index_of(path.name, recipe.model):
        raise IndexMismatch(
            f"is no name of an index of this model, such as {recipe.model}{SUFFIX}",
            location=str(path),
        )
    if not indexed.pages:
        raise NotFound("there is no page", location=indexed.location)
    if path.is_dir() and not path.is_symlink():
        raise SourceUnavailable("is a folder, and no index", location=str(path))
    from memoryfield_readers.beside import beside

    make_folder(path)
    with ExitStack() as stack:
        if vectors is None:
            vectors = VectorCache.default(recipe)
            stack.callback(vectors.close)
        old, anew = _old(path, recipe)
        if old is not None:
            stack.enter_context(old)
        try:
            _clean(path)
            made = stack.enter_context(beside(path, folder=False))
        except OSError as error:
            raise _unwritable(path, error) from error
        writer = IndexWriter(made, str(path))
        stack.callback(writer.discard)
        build = _Build(indexed, embedder, writer, vectors)
        if old is not None:
            build.reuse(old)
        build.embed(watch)
        written = _finish(build, recipe, made, path, old)
        prune(Cache.default().path, [each for each in (path, vectors.path) if each is not None])
        return IndexStats(
            path=path,
            pages=writer.count,
            embedded=build.embedded,
            cached=build.cached,
            reused=build.reused,
            removed=tuple(build.removed),
            failed=tuple(sorted(build.failed.items())),
            shortened=tuple(sorted(build.bytes_embedded.items())),
            anew=anew or build.anew,
            written=written,
            notes=vectors.notes,
        )


def _old(path: Path, recipe: Recipe) -> tuple[Index | None, str | None]:
    """The index that is there, if its rows can be used; or else why they cannot."""
    try:
        index = open_index(path)
    except NotFound:
        return None, None
    except MemoryfieldError as error:
        return None, error.message
    if index.recipe == recipe:
        return index, None
    index.close()
    if index.recipe is None:
        return None, "it does not say how its vectors were made"
    return None, f"its vectors were made in another way: {difference(index.recipe, recipe)}"


def difference(one: Recipe, other: Recipe) -> str:
    """What two recipes differ in, in a few words."""
    from dataclasses import asdict

    first, second = asdict(one), asdict(other)
    changed = [name for name in first if first[name] != second[name]]
    return ", ".join(f"{name} {first[name]!r}, not {second[name]!r}" for name in changed)


@dataclass(slots=True)
class _Build:
    """A build that is under way."""

    indexed: Field
    embedder: Embedder
    writer: IndexWriter
    vectors: VectorCache
    embedded: int = 0
    cached: int = 0
    reused: int = 0
    done: set[str] = field(default_factory=set)
    removed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    bytes_embedded: dict[str, int] = field(default_factory=dict)
    anew: str | None = None

    def reuse(self, old: Index) -> None:
        """Take over the rows that are of the pages as they stand."""
        self.indexed.prepare(self.indexed.pages)
        self.writer.add(self._true_rows(old))
        self.reused = self.writer.count

    def _true_rows(self, old: Index) -> Iterator[RawRow]:
        entries, pages = self.indexed.entries, frozenset(self.indexed.pages)
        dimension, shortened = self.embedder.recipe.dimension, old.meta.bytes_embedded
        for raw_name, frontmatter, dated, sha256, vector in self._whole_rows(old, dimension):
            name = raw_name.decode("utf-8", "surrogateescape")
            if name not in pages:
                self.removed.append(name)
            elif (
                name not in self.done
                and self._sha256(name) == sha256.hex()
                and fault_of(vector, dimension) is None
                and frontmatter.startswith((b"{", b"null"))
            ):
                moment = timestamp(entries[name].modified_ns) or dated
                self.done.add(name)
                if name in shortened:
                    self._note_shortened(name, shortened[name])
                yield raw_name, frontmatter, moment, sha256, vector

    def _whole_rows(self, old: Index, dimension: int) -> Iterator[RawRow]:
        """The rows of the index that was there, as far as it can be read."""
        try:
            yield from old.whole_rows(dimension)
        except (IndexMismatch, SourceUnavailable) as error:
            self.anew = f"not all of it can be read: {error.message}"

    def embed(self, watch: Watch) -> None:
        """Find vectors for all other pages."""
        for entry in self.indexed.irregular:
            if entry.path.endswith(".md"):
                self.failed[entry.path] = self.indexed.error_for(entry).message
        wanted = [name for name in self.indexed.pages if name not in self.done]
        if not wanted:
            return
        self.indexed.prepare(wanted)
        watch("pages", 0, len(wanted))
        done = 0
        for batch in self._batches(wanted):
            self._embed_batch(list(self._readable(batch)))
            done += len(batch)
            watch("pages", done, len(wanted))

    def _batches(self, names: Sequence[str]) -> Iterator[list[str]]:
        """The names in groups; a large page is no reason to lose many small ones."""
        batch: list[str] = []
        size = 0
        for name in names:
            length = self.indexed.entries[name].size
            if batch and (len(batch) >= BATCH or size + length > _BATCH_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(name)
            size += length
        if batch:
            yield batch

    def _embed_batch(self, pages: Sequence[Page]) -> None:
        """Write the rows of some pages; vectors that are new are kept before anything else."""
        texts = {page.sha256: embedded_text(page) for page in pages}
        found = self.vectors.get(texts)
        unknown = [sha256 for sha256 in texts if sha256 not in found]
        reasons: dict[str, str] = {}
        new: dict[str, Embedding] = {}
        if unknown:
            outcomes = self.embedder.documents([texts[sha256] for sha256 in unknown])
            if len(outcomes) != len(unknown):
                raise EmbedderUnavailable(
                    f"the embedder {self.embedder.recipe.embedder} gave {len(outcomes)} vectors "
                    f"for {len(unknown)} pages"
                )
            for sha256, outcome in zip(unknown, outcomes, strict=True):
                reason = self._fault(outcome)
                if reason is not None:
                    reasons[sha256] = reason
                elif isinstance(outcome, Embedding):
                    new[sha256] = outcome
            self.vectors.put(new)
        rows = []
        for page in pages:
            embedding = new.get(page.sha256) or found.get(page.sha256)
            if embedding is None:
                self.failed[page.name] = reasons[page.sha256]
                continue
            if page.sha256 in new:
                self.embedded += 1
            else:
                self.cached += 1
            rows.append(self._row(page, embedding))
        self.writer.add(rows)

    def _fault(self, outcome: Embedding | Failed) -> str | None:
        if isinstance(outcome, Failed):
            return outcome.reason
        fault = fault_of(outcome.vector, self.embedder.recipe.dimension)
        return None if fault is None else f"its vector {fault}"

    def _row(self, page: Page, embedding: Embedding) -> RawRow:
        entry = self.indexed.entry(page.name)
        if entry.modified_ns is None:
            entry = self.indexed.entry(page.name, dated=True)
        if embedding.bytes_embedded < len(embedded_text(page)):
            self._note_shortened(page.name, embedding.bytes_embedded)
        return (
            page.name.encode("utf-8", "surrogateescape"),
            frontmatter_json(page).encode(),
            timestamp(entry.modified_ns) or UNDATED.encode(),
            bytes.fromhex(page.sha256),
            embedding.vector,
        )

    def _note_shortened(self, name: str, count: int) -> None:
        self.bytes_embedded[name] = count

    def _readable(self, names: Sequence[str]) -> Iterator[Page]:
        """The pages that can be read; what keeps one from it is noted, and keeps no other."""
        for name in names:
            try:
                page = self.indexed.page(name)
            except OF_ONE_PAGE as error:
                self.failed[name] = error.message
                continue
            if is_lfs_pointer(page.raw):
                self.failed[name] = "is a Git LFS pointer in place of its content (MF108)"
            else:
                yield page

    def _sha256(self, name: str) -> str | None:
        try:
            return self.indexed.sha256(name)
        except OF_ONE_PAGE:
            return None  # reading it will say so


def _finish(build: _Build, recipe: Recipe, made: Path, path: Path, old: Index | None) -> bool:
    """Put the new index in place, if it is a new one; whether it is."""
    if not build.writer.count:
        return False
    digest = _digest(build.indexed)
    build.writer.finish(recipe, digest, build.bytes_embedded)
    if old is not None:
        old.close()  # some systems replace no file that is open
    try:
        if is_as_it_was(made, path):
            return False
        sync_file(made)
        keep_mode(made, path)
        remove_side_files(path)
        replace_file(made, path)
    except OSError as error:
        raise _unwritable(path, error) from error
    sync_folder(path.parent)
    return True


def _digest(indexed: Field) -> str:
    """The pin of a field; "" where something that is no page stands in its way."""
    try:
        return indexed.digest()
    except PinMismatch:
        raise
    except MemoryfieldError:
        return ""


def _clean(path: Path) -> None:
    """Take away what builds have left that were killed."""
    from memoryfield_readers.beside import clean

    beginning = f".{path.name}."
    if any(name.startswith(beginning) for name in os.listdir(path.parent)):
        clean(path)


def _unwritable(path: Path, error: OSError) -> SourceUnavailable:
    reason = (error.strerror or os.fspath(path)).lower()
    return SourceUnavailable(f"cannot be written: {reason}", location=str(path))

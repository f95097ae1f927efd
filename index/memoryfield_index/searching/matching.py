"""The index of a field that a question can be put to, and the embedder that goes with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from threading import RLock

from memoryfield_readers import Field, MemoryfieldError, PinMismatch
from memoryfield_readers.errors import EmbedderUnavailable, IndexMismatch

from ..embedders import Options, choose
from ..places import Place, indexes_of
from ..storage import Index
from ..storage.disarmed import HOW_TO_REBUILD
from ..unasked import Named, named_by
from ..values import Embedder, Recipe
from .cosine import NAME, give_cosine

AUTO = "auto"

Say = Callable[[str], None]


@dataclass(slots=True)
class Embedders:
    """The embedders of some searches: each is started once, and closed at the end.

    Attributes:
        name: which one may be used; "auto" for the one that made the index.
        options: how it is asked.
        start: makes an embedder of a name and options.
        lock: is held by who asks one; several searches may share them, and an embedder answers one
            question at a time.
    """

    name: str = AUTO
    options: Options = field(default_factory=Options)
    start: Callable[[str, Options], Embedder] = choose
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)
    _started: dict[Named, Embedder | EmbedderUnavailable] = field(default_factory=dict)
    _starting: RLock = field(default_factory=RLock, repr=False, compare=False)

    def close(self) -> None:
        """Let go of all of them."""
        with self.lock, self._starting:
            for embedder in self._started.values():
                if not isinstance(embedder, EmbedderUnavailable):
                    embedder.close()
            self._started.clear()

    def try_again(self) -> None:
        """Forget which could not be had: they may be there by now."""
        with self._starting:
            for named, found in tuple(self._started.items()):
                if isinstance(found, EmbedderUnavailable):
                    del self._started[named]

    def for_index(self, index: Index) -> Embedder:
        """The embedder whose questions can be compared with the rows of an index.

        Raises:
            EmbedderUnavailable: it cannot be had.
            IndexMismatch: the index is of another model, or made in another way, or it is not
                known of which model.
        """
        if index.model_code is None:
            raise IndexMismatch(
                "is of no known model", location=index.location, hint=HOW_TO_REBUILD
            )
        if self.name != AUTO:
            return _suiting(self._start(Named(self.name)), index)
        refusals: list[MemoryfieldError] = []
        for named in named_by(index):
            try:
                return _suiting(self._start(named), index)
            except (EmbedderUnavailable, IndexMismatch) as error:
                refusals.append(error)
        raise refusals[0]

    def _start(self, named: Named) -> Embedder:
        with self._starting:
            if named not in self._started:
                options = self.options
                if named.code is not None:
                    options = replace(options, code=named.code)
                try:
                    self._started[named] = self.start(named.name, options)
                except EmbedderUnavailable as error:
                    self._started[named] = error
            found = self._started[named]
        if isinstance(found, EmbedderUnavailable):
            raise found
        return found


@dataclass(frozen=True, slots=True)
class Matched:
    """An index that is open, and the embedder for questions to it.

    Attributes:
        index: the index.
        identity: what tells this state of it from all others; None if nothing is to be kept of it.
        embedder: the embedder.
    """

    index: Index
    identity: str | None
    embedder: Embedder


def matched(searched: Field, embedders: Embedders, say: Say) -> Matched | None:
    """The index of a field that can be searched; None if there is none.

    One in the cache was built for this state of the field and comes before what the field ships.

    Arguments:
        searched: the field.
        embedders: what makes vectors of questions.
        say: is told, if there is none, why each that is there cannot be searched; and of what is
            used without being known, or of what takes long.

    Raises:
        EmbedderUnavailable: an embedder was named and cannot be had.
    """
    places = sorted(indexes_of(searched, say), key=lambda place: place.in_field)
    refusals: list[str] = []
    for place in places:
        try:
            found = _tried(place, embedders)
        except EmbedderUnavailable as error:
            if embedders.name != AUTO:
                raise
            refusals.append(_told(error, place))
        except PinMismatch:
            raise
        except MemoryfieldError as error:
            refusals.append(_told(error, place))
        else:
            if found.index.recipe is None:
                say(f"{place.shown}: does not say how its vectors were made; searched as it is")
            return found
    if not places:
        say(f"{searched.location}: there is no index ({HOW_TO_REBUILD})")
    for refusal in refusals:
        say(refusal)
    return None


def _tried(place: Place, embedders: Embedders) -> Matched:
    """An index, open, with its embedder; raises whatever stands in the way."""
    with ExitStack() as undo:
        index = undo.enter_context(place.open(prepare=give_cosine, functions=(NAME,)))
        found = Matched(index, _identity(place), embedders.for_index(index))
        undo.pop_all()
    return found


def _told(error: MemoryfieldError, place: Place) -> str:
    text = f"{error} ({error.hint})" if error.hint else str(error)
    return text if error.location else f"{place.shown}: {text}"


def _suiting(embedder: Embedder, index: Index) -> Embedder:
    """The embedder, if its questions can be compared with the rows."""
    recipe, asked = index.recipe, embedder.recipe
    if recipe is None:
        if asked.model == index.model_code:
            return embedder
        what = f"is of the model {index.model_code}, and the embedder has {asked.model}"
    elif _for_questions(recipe) == _for_questions(asked):
        return embedder
    else:
        from ..building import difference  # which brings along what only builds need

        what = f"its vectors were made in another way: {difference(recipe, asked)}"
    raise IndexMismatch(what, location=index.location, hint=HOW_TO_REBUILD)


def _for_questions(recipe: Recipe) -> Recipe:
    """A recipe without what makes no difference to a question: how much of a page is embedded."""
    return replace(recipe, most_bytes=0)


def _identity(place: Place) -> str:
    if place.path is None:
        return place.field.sha256(place.name)
    status = place.path.stat()
    return f"{status.st_dev}-{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"

"""Both stores and a plain model of one are given the same to do, and answer the same.

With MEMORYFIELD_CRASH_ALL=1 in the environment, there are more and longer runs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.notes.plain_model import NOW, Model
from tests.notes.sample_fields import KINDS, UUIDS, page

from memoryfield_notes import Document, Note, Record, Store, contents, convert, open_store, render
from memoryfield_readers import Limits, MemoryfieldError, memory_field

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
LIMITS = Limits(page_bytes=500)
LONG = "x" * 500

STEMS = st.sampled_from(["a", "b", "c", "d"])
PAGES = st.builds(
    page,
    st.sampled_from(["one", "two", "three\0 Ä\U0001f600", LONG]),
    st.sampled_from([None, None, *UUIDS[:2]]),
    st.sampled_from([None, "a", "b.md", UUIDS[0], "ghost", "c"]),
)
FIELDS = st.dictionaries(STEMS.map("{}.md".format), PAGES, min_size=1)
IDS = st.one_of(STEMS.map("{}.md".format), st.sampled_from([*UUIDS[:2], "ghost", ""]))
TEXTS = st.sampled_from(["", "n", "note Ä", "on\0", "e", "one", "\ud800"])


class Stores(RuleBasedStateMachine):
    """A store of each kind, and the model."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(dir=parent)))
        patch = self._stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(contents, "noted", _noted)
        self._model = Model()
        self._stores: list[Store] = []
        self._seen: dict[tuple[str, int], object] = {}
        self._exported: Document | None = None

    @initialize()
    def make(self) -> None:
        self._stores = [
            self._stack.enter_context(open_store(self._folder / kind, kind=kind, create=True))
            for kind in KINDS
        ]

    def teardown(self) -> None:
        self._stack.close()

    def _ask(self, ask: Callable[[Any], Any], expected: Callable[[Model], Any]) -> None:
        """See that both stores answer as the model does, or refuse with the same error."""
        wanted = _answer(expected, self._model)
        for store in self._stores:
            assert _answer(ask, store) == wanted, store.kind

    @rule(pages=FIELDS, force=st.booleans())
    def rebuild(self, pages: dict[str, bytes], force: bool) -> None:
        with memory_field(pages, limits=LIMITS) as field:
            self._ask(
                lambda store: store.rebuild(field, force=force),
                lambda model: model.rebuild(field, force=force),
            )

    @rule(id=IDS, back=st.sampled_from([0, 0, 0, 1, -1]), note=TEXTS)
    def cas(self, id: str, back: int, note: str) -> None:
        record = self._model.records.get(id)
        rev = max(0, 1 if record is None else record.rev - back)
        self._ask(lambda store: store.cas(id, rev, note), lambda model: model.cas(id, rev, note))

    @rule(id=IDS)
    def look_up(self, id: str) -> None:
        self._ask(lambda store: store.get(id), lambda model: model.get(id))
        self._ask(lambda store: store.named(id), lambda model: model.named(id))
        self._ask(lambda store: store.children(id), lambda model: model.children(id))
        self._ask(lambda store: store.ancestors(id).records, lambda model: model.ancestors(id))
        self._ask(lambda store: store.fresh(id).id, lambda model: model.fresh(id))

    @rule(term=TEXTS, notes=st.booleans())
    def search(self, term: str, notes: bool) -> None:
        self._ask(
            lambda store: store.search(term, notes=notes),
            lambda model: model.search(term, notes=notes),
        )

    @rule(number=st.integers(0, 1))
    def convert(self, number: int) -> None:
        store = self._stores[number]
        other = KINDS[store.kind == KINDS[0]]
        assert convert(store.path, other)
        store.origin()
        assert store.kind == other

    @rule()
    def keep(self) -> None:
        self._exported = self._stores[0].export()

    @precondition(lambda self: self._exported is not None)
    @rule()
    def restore(self) -> None:
        assert self._exported is not None
        for store in self._stores:
            store.restore(self._exported)
        self._model.restore(self._exported)

    @rule()
    def back_up(self) -> None:
        for store in self._stores:
            copy = self._folder / f"copy-{len(list(self._folder.iterdir()))}"
            store.backup(copy)
            with open_store(copy) as other:
                assert (other.kind, other.export()) == (store.kind, store.export())

    @invariant()
    def all_are_equal(self) -> None:
        expected = self._model.export()
        for store in self._stores:
            assert render(store.export()) == render(expected)
            assert list(store.records(noted=True)) == [
                each for each in expected.records if each.note is not None
            ]

    @invariant()
    def no_revision_comes_again(self) -> None:
        """What was read at a revision is all that a page ever was at that revision."""
        for record in self._model.records.values():
            content = (record.sha256, record.note)
            assert self._seen.setdefault((record.id, record.rev), content) == content, record


def _noted(record: Record, text: str) -> Note | None:
    return Note(text, record.sha256, record.pin, NOW) if text else None


def _answer(ask: Callable[[Any], Any], whom: object) -> object:
    try:
        return ask(whom)
    except MemoryfieldError as error:
        return type(error)


def test_all_stores_are_equal() -> None:
    run_state_machine_as_test(
        Stores,
        settings=settings(
            max_examples=400 if ALL else 25, stateful_step_count=40 if ALL else 16, deadline=None
        ),
    )


def test_the_model_can_tell() -> None:
    """A record that comes again at an old revision with another note is noticed."""
    machine = Stores()
    try:
        machine.make()
        with memory_field({"a.md": b"x"}) as field:
            machine._model.rebuild(field, force=False)
        machine.no_revision_comes_again()
        record = machine._model.records["a.md"]
        machine._model.records["a.md"] = replace(record, sha256="0" * 64)
        with pytest.raises(AssertionError):
            machine.no_revision_comes_again()
        with pytest.raises(AssertionError):
            machine.all_are_equal()
    finally:
        machine.teardown()

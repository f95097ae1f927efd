"""Any sequence of batches gives what a plain dict gives, and what is rejected changes nothing.

The model is a dict from names to bytes and the few rules of a batch in their plainest form. The
same machine is run on a field in memory, on a folder and on an archive.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.writer.edits import carried_out, page, planned, sha256

from memoryfield_readers import (
    AmbiguousMatch,
    BatchRejected,
    WriteConflict,
    memory_field,
    open_field,
)
from memoryfield_writer import (
    AddAttachment,
    AddPage,
    Operation,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)
from memoryfield_writer.applying import apply

FIRST = {"a.md": page("A").encode()}
PAGES = ("a.md", "b.md", "c.md")
OTHERS = ("x.csv", "y.bin")
TEXTS = ("alpha", "beta\n", "aa", "aaa", "gamma delta", "")


def body_of(texts: Sequence[str]) -> bytes:
    """A page without a uuid: two pages may well hold the same."""
    return ("# T\n" + "".join(texts) + "\nFrom https://example.org/.\n").encode()


bodies = st.lists(st.sampled_from(TEXTS), max_size=3).map(body_of)
contents = st.sampled_from([b"", b"1", b"\x00\xff" * 50])
page_names = st.sampled_from(PAGES)
other_names = st.sampled_from(OTHERS)
_BODIES = [body_of(texts) for texts in ((), ("alpha",), ("aa",), ("beta\n", "alpha"))]
hashes = st.sampled_from([None, None, None, *(sha256(body) for body in _BODIES), sha256(b"1")])
operations = st.one_of(
    st.builds(AddPage, page_names, bodies),
    st.builds(ReplacePage, page_names, bodies, hashes),
    st.builds(RemovePage, page_names, hashes),
    st.builds(RenamePage, page_names, page_names, hashes),
    st.builds(AddAttachment, other_names, contents),
    st.builds(ReplaceAttachment, other_names, contents, hashes),
    st.builds(RemoveAttachment, other_names, hashes),
    st.builds(RenameAttachment, other_names, other_names, hashes),
    st.builds(
        ReplaceText,
        st.sampled_from([text for text in TEXTS if text]),
        st.sampled_from(TEXTS),
        st.one_of(st.none(), page_names),
    ),
)
batches = st.lists(operations, min_size=1, max_size=6)
kinds = st.sampled_from(["add", "replace", "text", "remove", "rename"])
intents = st.lists(st.tuples(kinds, st.integers(0, 9), bodies), min_size=1, max_size=6)


def fitting(files: dict[str, bytes], wishes: Sequence[tuple[str, int, bytes]]) -> list[Operation]:
    """Operations that can be done, as far as there are any: most that are drawn cannot."""
    now = dict(files)
    found: list[Operation] = []
    for kind, number, body in wishes:
        there = sorted(now)
        free = [name for name in (*PAGES, *OTHERS) if name not in now]
        name = there[number % len(there)] if there and kind != "add" else ""
        if kind == "rename":
            free = [each for each in free if each.endswith(".md") == name.endswith(".md")]
        new = free[number % len(free)] if free and kind in ("add", "rename") else ""
        if (kind == "add" and not new) or (kind != "add" and not name):
            continue
        if kind == "rename" and not new:
            continue
        operation = _fitting(kind, name, new, body, now)
        if operation is not None and _done(operation, now) is None:
            found.append(operation)
    return found


def _fitting(
    kind: str, name: str, new: str, body: bytes, now: dict[str, bytes]
) -> Operation | None:
    is_page = (name or new).endswith(".md")
    if kind == "add":
        return AddPage(new, body) if is_page else AddAttachment(new, body)
    digest = sha256(now[name]) if len(body) % 2 else None
    if kind == "replace":
        operation = ReplacePage if is_page else ReplaceAttachment
        return operation(name, body, digest)
    if kind == "remove":
        return RemovePage(name, digest) if is_page else RemoveAttachment(name, digest)
    if kind == "rename":
        return RenamePage(name, new, digest) if is_page else RenameAttachment(name, new, digest)
    return ReplaceText("# T\n", "# T\n" + body.decode()[4:9], name, digest) if is_page else None


def model(
    files: dict[str, bytes], batch: Sequence[Operation]
) -> dict[str, bytes] | type[Exception]:
    """What a dict becomes by a batch, or the error that stands in its way."""
    now = dict(files)
    for operation in batch:
        error = _done(operation, now)
        if error is not None:
            return error
    return now if any(name.endswith(".md") for name in now) else BatchRejected


def _done(operation: Operation, now: dict[str, bytes]) -> type[Exception] | None:
    name = operation.name
    if isinstance(operation, ReplaceText):
        if name is not None and name not in now:
            return BatchRejected
        return _replaced(operation, now, [n for n in now if n.endswith(".md")])
    assert name is not None
    if isinstance(operation, AddPage | AddAttachment):
        if name in now:
            return BatchRejected
        now[name] = _content(operation)
        return None
    if name not in now:
        return BatchRejected
    if operation.if_sha256 not in (None, sha256(now[name])):
        return WriteConflict
    if isinstance(operation, RenamePage | RenameAttachment):
        if operation.to in now:
            return BatchRejected
        now[operation.to] = now.pop(name)
    elif isinstance(operation, RemovePage | RemoveAttachment):
        del now[name]
    else:
        now[name] = _content(operation)
    return None


def _content(
    operation: AddPage | AddAttachment | ReplacePage | ReplaceAttachment,
) -> bytes:
    content = operation.text if isinstance(operation, AddPage | ReplacePage) else operation.data
    assert isinstance(content, bytes)
    return content


def _replaced(
    operation: ReplaceText, now: dict[str, bytes], pages: list[str]
) -> type[Exception] | None:
    old = operation.old.encode()
    names = pages if operation.name is None else [operation.name]
    places = [
        (name, at)
        for name in names
        for at in range(len(now[name]))
        if now[name].startswith(old, at)
    ]
    if len(places) != 1:
        return AmbiguousMatch
    ((name, at),) = places
    now[name] = now[name][:at] + operation.new.encode() + now[name][at + len(old) :]
    return None


class Edits(RuleBasedStateMachine):
    """Batches applied to a field, and to a dict."""

    kind: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.model = dict(FIRST)
        self.place = Path(tempfile.mkdtemp(prefix="w-w1-"))
        self.files = dict(FIRST)
        self.location = self.place / "field"
        if self.kind != "memory":
            self.location.mkdir()
            (self.location / "a.md").write_bytes(FIRST["a.md"])
        if self.kind == "archive":
            packed = self.place / "field.memoryfield.zip"
            with zipfile.ZipFile(packed, "w") as made:
                made.writestr("a.md", FIRST["a.md"])
            shutil.rmtree(self.location)
            self.location = packed

    def teardown(self) -> None:
        shutil.rmtree(self.place)

    @rule(batch=batches)
    def edit(self, batch: list[Operation]) -> None:
        self._edit(batch)

    @rule(wishes=intents)
    def edit_well(self, wishes: list[tuple[str, int, bytes]]) -> None:
        batch = fitting(self.model, wishes)
        if batch:
            self._edit(batch)

    def _edit(self, batch: list[Operation]) -> None:
        wanted = model(self.model, batch)
        if not isinstance(wanted, dict):
            with pytest.raises(wanted):
                self._apply(batch)
            return
        digest = self._apply(batch)
        self.model = wanted
        with memory_field(wanted) as field:
            assert digest == field.digest()

    @invariant()
    def the_field_is_the_dict(self) -> None:
        with self._opened() as files:
            assert files == self.model
        assert not list(self.place.rglob(".*"))

    def _apply(self, batch: list[Operation]) -> str:
        if self.kind != "memory":
            applied = apply(self.location, batch)
            self._check_changes([(c.kind, c.name, c.was) for c in applied.changes])
            return applied.digest
        plan = planned(self.files, *batch).plan
        self._check_changes([(c.kind, c.name, c.was) for c in plan.changes])
        self.files = carried_out(self.files, plan)
        return plan.manifest.digest

    def _check_changes(self, changes: list[tuple[str, str, str | None]]) -> None:
        """Each name is told once as what is there now, and each that goes once as gone."""
        now = [name for kind, name, _ in changes if kind != "removed"]
        assert len(set(now)) == len(now)
        gone = [was or name for kind, name, was in changes if kind in ("removed", "renamed")]
        assert len(set(gone)) == len(gone)
        assert {*gone} <= {*self.model}

    @contextmanager
    def _opened(self) -> Iterator[dict[str, bytes]]:
        if self.kind == "memory":
            yield self.files
            return
        with open_field(self.location) as field:
            yield {name: field.content(name) for name in field.entries}


@pytest.mark.parametrize(("kind", "examples"), [("memory", 30), ("folder", 8), ("archive", 8)])
def test_any_sequence_of_batches_gives_what_a_dict_gives(kind: str, examples: int) -> None:
    """Whatever is done to a field, it is what the model says, or as it was."""
    machine = type(f"Edits{kind.title()}", (Edits,), {"kind": kind})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=10,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )

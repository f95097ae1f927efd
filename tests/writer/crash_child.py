"""Applies batches in processes that end in the middle: one for each call that writes.

Run as a process of its own, which has no threads and so may fork:

    python -m tests.writer.crash_child crash FOLDER CASE…   killed at each step of `apply`
    python -m tests.writer.crash_child steps FOLDER CASE    once, for `strace`: how many steps
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from tests.writer.edits import page
from tests.writer.stepping import Stepping, every_crash, marked
from tests.writer.whole_batches import (
    INDEX,
    Case,
    case_of,
    edited,
    field_of,
    held,
    make,
    rows_of,
)

from memoryfield_readers import Manifest, inspect_field, open_field
from memoryfield_validator import validate
from memoryfield_writer import AddPage, Batch, apply, recover

_NEXT = (AddPage("next.md", page("Next")),)


def crash(folder: Path, case: Case) -> int:
    """Kill a batch at each step; at how many it was."""

    def prepare(place: Path) -> None:
        make(place, case.form, case.before)

    def act(place: Path) -> None:
        apply(field_of(place, case.form), Batch(case.operations))

    return every_crash(folder, prepare, act, _AllOrNothing(folder / "whole", case))


class _AllOrNothing:
    """Looks at what is left of a batch, and sees that it is all or nothing."""

    def __init__(self, place: Path, case: Case) -> None:
        self._case = case
        self._before = _files(case.before)
        self._digests = (_digest(self._before), _digest(case.after))
        field = make(place, case.form, case.before)
        old = _errors(field)
        assert apply(field, Batch(case.operations)).digest == self._digests[1]
        self._whole = held(place, case.form)
        assert _files(self._whole) == case.after
        if INDEX in case.before:
            assert rows_of(self._whole[INDEX]) == _untouched(case)
        self._errors = (old, _errors(field))
        self._is_after = False

    def __call__(self, place: Path, nth: int, done: bool) -> None:
        case, field = self._case, field_of(place, self._case.form)
        with open_field(field) as opened:
            seen = opened.digest()
        assert seen in self._digests, nth
        # Once the batch counts, it does so however late it is cut off.
        is_after = seen == self._digests[1]
        assert is_after or not self._is_after, nth
        assert is_after or not done
        self._is_after = is_after
        assert _errors(field) == self._errors[is_after], nth
        expected = self._whole if is_after else dict(case.before)
        if nth % 2:  # else the next batch does that by itself
            first, again = recover(field), recover(field)
            assert first.action in ("nothing", "finished" if is_after else "undone"), nth
            assert not done or first.action == "nothing"
            assert again.action == "nothing", nth
            assert held(place, case.form) == expected, nth
        applied = apply(field, Batch(_NEXT), expect=seen)
        assert recover(field).action == "nothing", nth
        assert held(place, case.form) == edited(expected, _NEXT), nth
        assert applied.digest == _digest(edited(_files(expected), _NEXT)), nth


def _untouched(case: Case) -> set[str]:
    """The pages that are after a batch as they were before."""
    same = {name for name, content in case.after.items() if case.before.get(name) == content}
    return {name for name in same if name.endswith(".md")}


def _files(content: dict[str, bytes] | object) -> dict[str, bytes]:
    assert isinstance(content, dict)
    return {name: data for name, data in content.items() if name != INDEX}


def _digest(files: object) -> str:
    import hashlib

    content = _files(files)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    return Manifest.of(hashes).digest


def _errors(field: Path) -> set[tuple[str, str | None]]:
    with inspect_field(field) as opened:
        report = validate(opened)
    return {(each.rule, each.file) for each in report.findings if each.level == "error"}


def steps(folder: Path, case: Case) -> int:
    """Apply a batch once, between two marks, after all that is imported late was imported."""
    for name in ("first", "second"):
        field = make(folder / name, case.form, case.before)
        with Stepping(lambda number, call: None) as stepping, marked(name):
            apply(field, Batch(case.operations))
    return len(stepping.taken)


if __name__ == "__main__":
    gc.disable()  # its marks would have every child copy all that the parent has
    _act = {"crash": crash, "steps": steps}[sys.argv[1]]
    for _name in sys.argv[3:]:
        print(_name, _act(Path(sys.argv[2], _name.replace("/", "-")), case_of(_name)), flush=True)

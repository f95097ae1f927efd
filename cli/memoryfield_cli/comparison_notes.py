"""The notes on pages that differ between two fields, and on which of the two they were made."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .noting_output import first_line, note_lines

if TYPE_CHECKING:
    from memoryfield_notes.showing import PageNotes, Shown
    from memoryfield_validator.comparing import Change, Comparison

MadeOn: TypeAlias = Literal["before", "after", "neither"]
ChangeKey: TypeAlias = tuple[str, str]
"""The kind of a change, and the name: a page may go while another one gets its name."""

_MOST_LINES = 20
_MOST_LINE = 300
_KINDS = ("changed", "removed", "renamed")
_WORDS: Mapping[MadeOn, str] = {
    "before": "made on the page as it was",
    "after": "made on the page as it is now",
    "neither": "STALE: made on another version of the page",
}


@dataclass(frozen=True, slots=True)
class NoteOnChange:
    """A note on a page that differs.

    Attributes:
        shown: the note.
        made_on: on which of the two pages it was made: that of `after` if they are the same.
        other: another note on the same page, from the notes on the other one of the two fields.
        is_other: whether it is such a one itself.
    """

    shown: Shown
    made_on: MadeOn
    other: NoteOnChange | None = None
    is_other: bool = False

    def briefs(self) -> Iterator[str]:
        """The note in one line, escaped; and the other one."""
        yield f"{self._head}: {first_line(self.shown.note.text)}"
        if self.other is not None:
            yield from self.other.briefs()

    @property
    def _head(self) -> str:
        whose = " in the notes on the second field," if self.is_other else ""
        return f"note,{whose} revision {self.shown.revision}, {_WORDS[self.made_on]}"

    def lines(self) -> Iterator[str]:
        """The note for people, a line at a time, escaped, as much of it as there is room for."""
        yield f"{self._head}:"
        for number, line in enumerate(note_lines(self.shown.note.text)):
            if number == _MOST_LINES:
                yield "| … and more: `memoryfield note show` has all of it"
                break
            yield f"| {line if len(line) <= _MOST_LINE else f'{line[: _MOST_LINE - 1]}…'}"
        if self.other is not None:
            yield from self.other.lines()

    def to_json(self) -> dict[str, Any]:
        """The note as it stands in a comparison."""
        facts = self.shown.to_json()
        del facts["stale"]
        return {**facts, "made_on": self.made_on}


Notes: TypeAlias = Mapping[ChangeKey, NoteOnChange]


def note_on(notes: Notes | None, change: Change) -> NoteOnChange | None:
    """The note on a page that differs, if there is one."""
    return None if notes is None or change.part != "page" else notes.get(_key(change))


def notes_on(
    comparison: Comparison, stores: Sequence[PageNotes], names: Container[str]
) -> dict[ChangeKey, NoteOnChange]:
    """The notes on the pages that changed, were removed or were renamed.

    Arguments:
        comparison: what differs.
        stores: where notes may be, those on the field before first; of two notes that say the same
            of a page, the first counts.
        names: the names of all pages of the field before.
    """
    found: dict[ChangeKey, NoteOnChange] = {}
    for change in comparison.changes:
        if change.part == "page" and change.kind in _KINDS:
            notes = [note for store in stores if (note := _note_in(store, change, names))]
            if notes:
                found[_key(change)] = _both(*notes)
    return found


def _both(first: NoteOnChange, *others: NoteOnChange) -> NoteOnChange:
    """A note, with what the notes on the other field say, if that is something else."""
    said = (first.shown.note.text, first.made_on)
    for other in others:
        if (other.shown.note.text, other.made_on) != said:
            return replace(first, other=replace(other, is_other=True))
    return first


def _note_in(store: PageNotes, change: Change, names: Container[str]) -> NoteOnChange | None:
    from memoryfield_notes.identity import as_uuid
    from memoryfield_notes.showing import Shown

    called = (change.name,) if change.old_name is None else (change.old_name, change.name)
    record = store.record_of(called, as_uuid(change.uuid), names)
    if record is None or record.note is None:
        return None
    made_on: MadeOn = "neither"
    if change.after is not None and change.after.sha256 == record.note.sha256:
        made_on = "after"
    elif change.before is not None and change.before.sha256 == record.note.sha256:
        made_on = "before"
    return NoteOnChange(
        Shown(record.id, record.rev, record.note, stale=made_on != "after"), made_on
    )


def _key(change: Change) -> ChangeKey:
    return change.kind, change.name

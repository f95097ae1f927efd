"""Whether a page is still what the note on it was made on."""

from __future__ import annotations

from memoryfield_readers import EmptyField, Field, NotFound

from .errors import StaleSource
from .identity import sight_of
from .record import Record


def checked_fresh(record: Record, field: Field | None, location: str) -> Record:
    """A record, if its page is still what its note, or else itself, was made on.

    Arguments:
        record: the record.
        field: the field as it is now; None to go by the record.
        location: the store as messages show it.

    Raises:
        StaleSource: it is another page by now, or gone.
        MemoryfieldError: the field cannot be read.
    """
    expected = record.sha256 if record.note is None else record.note.sha256
    if field is None:
        actual = "" if record.orphan else record.sha256
    else:
        actual = _actual(record, field, expected)
    if actual == expected:
        return record
    about = "the record" if record.note is None else "the note on it"
    raise StaleSource(
        f"the page is no longer what {about} was made on"
        if actual
        else "the page is not in the field any more",
        location=location,
        entry=record.name,
        hint="bring the store up to the field with `memoryfield note rebuild LOCATION`, read the "
        "page as it is now, and set the note anew"
        if actual
        else "take the note away if it is of no use without the page",
        expected=expected,
        actual=actual,
    )


def _actual(record: Record, field: Field, expected: str) -> str:
    """The SHA-256 of the page of a record as it is now; "" if it is gone."""
    try:
        found = field.page(record.name).sha256
    except NotFound:
        found = ""
    if found == expected:
        return found
    # It may have another name by now, or another page its name: who is who takes the whole field.
    try:
        sight = sight_of(field)
    except EmptyField:
        return ""
    pages = {page.id: page for page in sight.pages}
    page = pages.get(record.id)
    if page is not None:
        return page.sha256
    of_name = next((page for page in sight.pages if page.name == record.name), None)
    is_same = of_name is not None and record.name in (record.id, of_name.id)
    return of_name.sha256 if of_name is not None and is_same else ""

"""Every archive that is a trap is refused, is told from all others, and can still be reviewed."""

from __future__ import annotations

import io
import zlib
from collections import defaultdict
from pathlib import Path

import pytest
from tests.readers.audit import touched_paths
from tests.readers.hostile import FIRST, LAST, Hostile
from tests.readers.hostile_contents import CONTENTS
from tests.readers.hostile_endings import (
    BEFORE_AND_AFTER,
    BROKEN_ENDS,
    HTML_IN_OTHER_FORMS,
    NO_ARCHIVES,
    ZIP64_ENDS,
)
from tests.readers.hostile_frames import (
    DESCRIPTORS,
    LOCAL_HEADERS,
    OFFSETS,
    SPANS,
    TEXT_CRC,
    UNICODE_PATHS,
)
from tests.readers.hostile_kinds import KINDS
from tests.readers.hostile_limits import LIMITS
from tests.readers.hostile_names import DUPLICATES, NAMES
from tests.readers.hostile_other_readers import OTHER_READERS

from memoryfield_readers import UnsafeArchive, inspect_field, open_field
from memoryfield_spec import catalogue
from memoryfield_validator.conformance.raw_zip import zip_bytes

CASES: tuple[Hostile, ...] = (
    *NAMES, *DUPLICATES, *KINDS, *LIMITS, *LOCAL_HEADERS, *DESCRIPTORS, *SPANS, *OFFSETS,
    *UNICODE_PATHS, *OTHER_READERS, *NO_ARCHIVES, *BEFORE_AND_AFTER, *BROKEN_ENDS, *ZIP64_ENDS,
)  # fmt: skip
_HARMLESS = "MF609"

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
each_content = pytest.mark.parametrize("case", CONTENTS, ids=lambda case: case.id)


def test_the_cases_are_told_apart_by_their_ids() -> None:
    """No two cases have one id, and every rule they name is in the catalogue."""
    ids = [case.id for case in (*CASES, *CONTENTS)]
    assert len(ids) == len(set(ids))
    assert {case.rule for case in (*CASES, *CONTENTS)} <= catalogue().keys()
    assert zlib.crc32(b"text\n") == TEXT_CRC


@each_case
def test_the_fault_names_rule_entry_and_what_was_seen(case: Hostile) -> None:
    """A review finds the fault of each trap under its own rule, and no fault that is not there."""
    with inspect_field(case.data) as field:
        faults = [fault for fault in field.faults if fault.rule != _HARMLESS]
    expected = [
        fault
        for fault in faults
        if (fault.rule, fault.entry) == (case.rule, case.entry) and case.says in fault.message
    ]
    assert len(expected) == 1, faults
    assert sorted(fault.rule for fault in faults) == sorted((case.rule, *case.more))


@each_case
def test_what_stands_beside_a_fault_can_be_reviewed(case: Hostile) -> None:
    """Pages that are not at fault are listed and read; the entry at fault is not among them."""
    with inspect_field(case.data) as field:
        assert {name: field.page(name).raw for name in field.pages} == case.beside


@each_case
def test_everyone_but_a_review_refuses_it(case: Hostile, tmp_path: Path) -> None:
    """`open_field` raises UnsafeArchive (exit code 3), from a path, bytes or a file object."""
    path = tmp_path / "trap.memoryfield.zip"
    path.write_bytes(case.data)
    for location in (path, case.data, io.BytesIO(case.data)):
        with pytest.raises(UnsafeArchive) as caught:
            open_field(location)
        assert caught.value.exit_code == 3
        assert caught.value.faults[0].message in str(caught.value)
        assert any(fault.rule == case.rule for fault in caught.value.faults)
        assert all(character.isprintable() for character in str(caught.value.message))
    with pytest.raises(UnsafeArchive) as caught:
        open_field(path)
    assert caught.value.location == str(path)


@each_case
def test_no_other_file_is_touched(case: Hostile) -> None:
    """Whatever the names of entries say, nothing on this machine is opened, listed or changed."""
    open_field(zip_bytes(FIRST, LAST)).close()  # what is imported on first use is imported now
    with touched_paths() as paths, inspect_field(case.data) as field:
        for name in (*field.pages, *field.attachments):
            field.sha256(name)
        list(field.damaged())
        list(field.nested())
    assert paths == []


def test_traps_that_differ_are_told_apart() -> None:
    """Archives that are wrong in different ways get different messages."""
    kinds: dict[tuple[str, str], set[str]] = defaultdict(set)
    for case in CASES:
        with inspect_field(case.data) as field:
            [message] = {fault.message for fault in field.faults if case.says in fault.message}
        kinds[case.rule, message].add(case.id.partition(":")[0])
    assert {message: ids for message, ids in kinds.items() if len(ids) > 1} == {}


@pytest.mark.parametrize("data", HTML_IN_OTHER_FORMS, ids=ascii)
def test_html_is_called_html(data: bytes) -> None:
    """A saved error page is recognised in any case, behind blanks or a byte-order mark."""
    with inspect_field(data) as field:
        [fault] = field.faults
    assert (fault.rule, fault.message.startswith("an HTML page")) == ("MF601", True)
    assert fault.hint is not None


@each_content
def test_content_that_is_not_as_announced_is_never_handed_out(case: Hostile) -> None:
    """The archive opens, for nothing was inflated; the entry cannot be read, the others can."""
    with open_field(case.data) as field:
        assert field.faults == ()
        for read in (field.page, field.sha256):
            with pytest.raises(UnsafeArchive) as caught:
                read(case.entry or "")
            [fault] = caught.value.faults
            assert (fault.rule, fault.entry, caught.value.exit_code) == (case.rule, case.entry, 3)
            assert case.says in fault.message
        with pytest.raises(UnsafeArchive):
            field.digest()
        assert {name: field.page(name).raw for name in case.beside} == case.beside


@each_content
def test_damage_is_found_where_no_reader_looks(case: Hostile) -> None:
    """A review also inflates what is no part of the field: debris and sub-directories."""
    name = (case.entry or "").encode()
    moved = case.data.replace(name, b"~".rjust(len(name), b"x"))
    nested = case.data.replace(name, b"d/".ljust(len(name), b"x"))
    for data in (moved, nested):
        with open_field(data) as field:
            assert [fault.rule for fault in field.damaged()] == [case.rule]

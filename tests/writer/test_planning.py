"""What operations make of a field: each sees what those before it have made."""

from __future__ import annotations

import pytest
from tests.writer.edits import edited, page, planned, sha256

from memoryfield_readers import (
    BatchRejected,
    InvalidBatch,
    Limits,
    MemoryfieldError,
    WriteConflict,
    memory_field,
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
from memoryfield_writer.planning.virtual_field import VirtualField

A, B = page("A"), page("B")
FIELD: dict[str, str | bytes] = {
    "a.md": A,
    "b.md": B,
    "data.csv": b"1,2\n",
    "old.sqlite3": b"an index",
}


def told(*operations: Operation) -> list[tuple[str, str, str | None]]:
    """The changes that a person is told of."""
    changes = planned(FIELD, *operations).plan.changes
    return [(change.kind, change.name, change.was) for change in changes]


def test_each_operation_does_what_it_says() -> None:
    """Pages and attachments are added, replaced, removed and renamed."""
    new = page("New")
    after = edited(
        FIELD,
        AddPage("new.md", new),
        ReplacePage("a.md", page("A2")),
        ReplaceText("# B\n", "# Bee\n", "b.md"),
        RenamePage("b.md", "bee.md"),
        AddAttachment("x.bin", b"\x00\xff"),
        ReplaceAttachment("data.csv", b"3\n"),
        RenameAttachment("data.csv", "numbers.csv"),
        RemoveAttachment("old.sqlite3"),
        RemovePage("a.md"),
    )
    assert after == {
        "new.md": new.encode(),
        "bee.md": B.replace("# B\n", "# Bee\n").encode(),
        "x.bin": b"\x00\xff",
        "numbers.csv": b"3\n",
    }


@pytest.mark.parametrize(
    ("operations", "changes"),
    [
        ([AddPage("c.md", page("C")), RemovePage("c.md")], []),
        ([RemovePage("a.md"), AddPage("a.md", A)], []),
        ([RemovePage("a.md"), AddPage("a.md", page("C"))], [("changed", "a.md", None)]),
        ([RenamePage("a.md", "c.md"), RenamePage("c.md", "a.md")], []),
        ([RenamePage("a.md", "c.md"), RenamePage("c.md", "d.md")], [("renamed", "d.md", "a.md")]),
        ([RenamePage("a.md", "c.md"), RemovePage("c.md")], [("removed", "a.md", None)]),
        ([AddPage("c.md", page("C")), RenamePage("c.md", "d.md")], [("added", "d.md", None)]),
        ([ReplacePage("a.md", A)], []),
        ([ReplacePage("a.md", page("C")), ReplacePage("a.md", A)], []),
        (
            [RenamePage("a.md", "t.md"), RenamePage("b.md", "a.md"), RenamePage("t.md", "b.md")],
            [("renamed", "a.md", "b.md"), ("renamed", "b.md", "a.md")],
        ),
        (
            [RemovePage("b.md"), RenamePage("a.md", "b.md")],
            [("removed", "b.md", None), ("renamed", "b.md", "a.md")],
        ),
        (
            [RenamePage("a.md", "c.md"), AddPage("a.md", page("D"))],
            [("added", "a.md", None), ("renamed", "c.md", "a.md")],
        ),
    ],
)
def test_changes_are_the_net_effect(
    operations: list[Operation], changes: list[tuple[str, str, str | None]]
) -> None:
    """What is told is what differs in the end, by identity; and that is what is written."""
    assert told(*operations) == changes
    edited(FIELD, *operations)
    plan = planned(FIELD, *operations).plan
    assert bool(plan.puts or plan.removes) == bool(changes)


def test_hashes_before_and_after_are_told() -> None:
    """A change has the SHA-256 of the file before and after."""
    (change,) = planned(FIELD, ReplacePage("a.md", page("C"))).plan.changes
    assert (change.before, change.after) == (sha256(A), sha256(page("C")))


def test_a_put_says_whose_mode_and_time_it_has() -> None:
    """A renamed file is the old one moved; one that is renamed and edited has a new time."""
    puts = planned(FIELD, RenamePage("a.md", "c.md"), AddPage("n.md", page("N"))).plan.puts
    assert (puts["c.md"].was, puts["c.md"].moved) == ("a.md", True)
    assert (puts["n.md"].was, puts["n.md"].moved) == (None, False)
    puts = planned(FIELD, RenamePage("a.md", "c.md"), ReplacePage("c.md", page("C"))).plan.puts
    assert (puts["c.md"].was, puts["c.md"].moved) == ("a.md", False)
    puts = planned(FIELD, ReplacePage("a.md", page("C"))).plan.puts
    assert (puts["a.md"].was, puts["a.md"].moved) == ("a.md", False)


@pytest.mark.parametrize(
    "operation",
    [
        AddPage("a.md", A),
        AddAttachment("data.csv", b""),
        ReplacePage("c.md", A),
        ReplaceAttachment("c.csv", b""),
        ReplaceText("x", "y", "c.md"),
        RemovePage("c.md"),
        RemoveAttachment("c.csv"),
        RenamePage("c.md", "d.md"),
        RenamePage("a.md", "b.md"),
        RenamePage("a.md", "a.md"),
        RenameAttachment("data.csv", "a.md"),
        RemovePage("../a.md"),
    ],
    ids=str,
)
def test_names_must_be_there_or_free(operation: Operation) -> None:
    """What cannot be done rejects the batch, and says which operation it was."""
    with pytest.raises(BatchRejected) as found:
        planned(FIELD, RemoveAttachment("old.sqlite3"), operation)
    assert found.value.operation == 2
    assert "operation 2 of 2" in str(found.value)


@pytest.mark.parametrize(
    "operation",
    [
        ReplaceAttachment("old.sqlite3", b""),
        RenameAttachment("old.sqlite3", "x.bin"),
        AddAttachment("new.sqlite3", b""),
    ],
    ids=str,
)
def test_an_index_can_only_be_removed(operation: Operation) -> None:
    """A vector index is derived: it is built, not written."""
    with pytest.raises(BatchRejected) as found:
        planned(FIELD, operation)
    assert "memoryfield index build" in (found.value.hint or "")


@pytest.mark.parametrize(
    "operation",
    [
        ReplacePage("a.md", B, sha256(A)),
        RemovePage("a.md", sha256(A).upper()),
        RenamePage("a.md", "c.md", sha256(A)),
        ReplaceText("# A", "# AA", "a.md", sha256(A)),
        ReplaceAttachment("data.csv", b"", sha256(b"1,2\n")),
    ],
    ids=lambda operation: operation.op,
)
def test_a_hash_is_compared_when_its_turn_comes(operation: Operation) -> None:
    """A file that is the one that was meant is edited, one that is another one by then is not."""
    planned(
        {**FIELD, "b.md": page("Bee", uuid=5)},
        *([RemovePage("b.md")] if operation.op == "replace" else []),
        operation,
    )
    name = operation.name or ""
    content = page("C") if name.endswith(".md") else b"3"
    earlier = (
        ReplacePage(name, content) if name.endswith(".md") else ReplaceAttachment(name, content)  # type: ignore[arg-type]
    )
    with pytest.raises(WriteConflict) as found:
        planned(FIELD, earlier, operation)
    assert found.value.entry == name
    assert sha256(content) in str(found.value)
    assert str(operation.if_sha256).lower() in str(found.value)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "operation",
    [
        AddPage("a.csv", ""),
        AddAttachment("c.md", b""),
        RemovePage("data.csv"),
        RemoveAttachment("a.md"),
        ReplaceText("x", "y", "data.csv"),
        ReplaceText("", "y"),
        ReplaceText("x", "y", None, "0" * 64),
        ReplaceText("\ud800", "y"),
        ReplacePage("a.md", "\udfff"),
        ReplacePage("a.md", A, "0" * 63),
        ReplacePage("a.md", A, "0" * 64 + "\n"),
        AddPage("", ""),
        RenamePage("a.md", ""),
        AddPage(3, ""),  # type: ignore[arg-type]
        AddPage("c.md", 3),  # type: ignore[arg-type]
        AddAttachment("c", "text"),  # type: ignore[arg-type]
        "AddPage",
        None,
    ],
    ids=repr,
)
def test_operations_that_mean_nothing(operation: Operation) -> None:
    """What is against itself is no batch, whatever the field."""
    with pytest.raises(InvalidBatch) as found:
        planned(FIELD, RemoveAttachment("data.csv"), operation)
    assert found.value.operation == 2
    assert found.value.exit_code == 2


def test_a_batch_without_operations() -> None:
    """A batch that says nothing is none."""
    with pytest.raises(InvalidBatch, match="no operations"):
        planned(FIELD)


@pytest.mark.parametrize(
    ("operation", "limits"),
    [
        (AddAttachment("x", b"12345678"), Limits(file_bytes=7)),
        (AddPage("x.md", "12345678"), Limits(page_bytes=7)),
        (AddPage("x.md", "12345678"), Limits(file_bytes=7)),
        (AddAttachment("x", b""), Limits(entries=4)),
        (AddAttachment("x", b"12345678"), Limits(total_bytes=len(A) + len(B) + 19)),
        (ReplaceText("# A", "# A" + "a" * 999, "a.md"), Limits(page_bytes=1000)),
    ],
    ids=lambda value: getattr(value, "op", ""),
)
def test_limits(operation: Operation, limits: Limits) -> None:
    """What a reader would not take is not written, and the limit is named."""
    with pytest.raises(BatchRejected) as found:
        planned(FIELD, operation, limits=limits)
    assert found.value.rules == ("MF607",)
    assert "--limit" in (found.value.hint or "")


def test_what_becomes_smaller_is_within_limits() -> None:
    """A field that is over a limit already can be made smaller."""
    assert planned(FIELD, RemovePage("a.md"), limits=Limits(entries=1, total_bytes=1)).plan.removes


def test_one_page_at_least() -> None:
    """The last page cannot go; it can be replaced by another one."""
    with pytest.raises(BatchRejected) as found:
        planned({"a.md": A}, RemovePage("a.md"))
    assert found.value.rules == ("MF101",)
    with pytest.raises(BatchRejected):
        planned({"a.md": A}, RenamePage("a.md", "a.txt"))
    with pytest.raises(BatchRejected):
        planned({}, AddAttachment("x", b""))
    assert edited({"a.md": A}, RemovePage("a.md"), AddPage("b.md", B)) == {"b.md": B.encode()}
    assert edited({}, AddPage("b.md", B)) == {"b.md": B.encode()}


def test_one_bad_operation_rejects_all() -> None:
    """An error in one edit leaves a batch without any effect, whichever it is."""
    good = [AddPage(f"p{n}.md", page(f"P{n}")) for n in range(20)]
    for at in range(21):
        operations: list[Operation] = [*good[:at], RemovePage("none.md"), *good[at:]]
        with pytest.raises(MemoryfieldError) as found:
            planned(FIELD, *operations)
        assert f"operation {at + 1} of 21" in str(found.value)


def test_many_operations_are_worked_out_in_one_go() -> None:
    """The work grows with the operations, not with their square: this would take minutes."""
    with memory_field({"a.md": A.encode()}) as field:
        virtual = VirtualField(field)
        for number in range(20_000):
            virtual.add(f"{number}.md", b"")
            virtual.rename(f"{number}.md", f"to-{number}.md")
        assert len(virtual.touched()) == 40_000
        assert virtual.names_of(1) == ["to-0.md"]

"""Names that a file may be given, and those that may only be left."""

from __future__ import annotations

import pytest
from tests.writer.edits import edited, page, planned

from memoryfield_readers import (
    BatchRejected,
    InvalidBatch,
)
from memoryfield_writer import (
    AddAttachment,
    AddPage,
    Operation,
    RemoveAttachment,
    RenameAttachment,
    RenamePage,
    ReplacePage,
    ReplaceText,
)

A, B = page("A"), page("B")
FIELD: dict[str, str | bytes] = {
    "a.md": A,
    "b.md": B,
    "data.csv": b"1,2\n",
    "old.sqlite3": b"an index",
}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("A.md", ("MF201",)),
        ("a_b.md", ("MF201",)),
        (".a.md", ("MF201",)),
        ("x/a.md", ("MF201",)),
        ("../a.md", ("MF201",)),
        ("a.md\n.md", ("MF201",)),
        ("con.md", ("MF107",)),
        ("nul", ("MF107",)),
        ("com1.txt", ("MF107",)),
        ("x.MD", ("MF210",)),
        ("x.markdown", ("MF210",)),
        (".hidden", ("MF104",)),
        ("x~", ("MF104",)),
        ("..", ("MF104",)),
        (".", ("MF104",)),
        ("Thumbs.db", ("MF104",)),
        (".memoryfield", ("MF104",)),
        ("x.sqlite3", ()),
        ("x.sqlite3-wal", ()),
        ("x/y", ()),
        ("x\\y", ()),
        ("x\x00y", ()),
        ("x\u202ey", ()),
        ("x\ud800", ()),
        ("x:y", ()),
        ("x?", ()),
        ("x.", ()),
        ("x ", ()),
        ("ä" * 128, ()),
        ("a" * 253 + ".md", ()),
        ("DATA.csv", ("MF106",)),
    ],
)
@pytest.mark.parametrize("how", ["add", "rename"])
def test_names_that_nothing_may_be_given(name: str, rules: tuple[str, ...], how: str) -> None:
    """A name that is none on some system, or is for another kind of file, is rejected."""
    operation: Operation
    if how == "rename":
        operation = RenamePage("a.md", name)
    elif name.endswith(".md"):
        operation = AddPage(name, A)
    else:
        operation = AddAttachment(name, b"")
    with pytest.raises(BatchRejected) as found:
        planned(FIELD, operation)
    assert found.value.rules == rules
    assert not isinstance(found.value, InvalidBatch)
    assert found.value.message.isprintable()


def test_names_that_differ_by_normalisation_alone() -> None:
    """Two files that other systems take for one are rejected, unless one replaces the other."""
    with pytest.raises(BatchRejected) as found:
        planned({"a.md": A, "\u00e4.csv": b""}, AddAttachment("a\u0308.csv", b""))
    assert found.value.rules == ("MF106",)
    files: dict[str, str | bytes] = {"a.md": A, "X.csv": b"1"}
    assert edited(files, RenameAttachment("X.csv", "x.csv"))["x.csv"] == b"1"
    assert edited(files, RemoveAttachment("X.csv"), AddAttachment("x.csv", b"2"))["x.csv"] == b"2"
    with pytest.raises(BatchRejected):
        planned(files, AddAttachment("y.csv", b""), AddAttachment("Y.csv", b""))


def test_a_new_name_that_a_folder_has() -> None:
    """A name is not free that a sub-directory has, in any case."""
    for name in ("sub", "SUB"):
        with pytest.raises(BatchRejected):
            planned({"a.md": A, "sub/x.md": B}, AddAttachment(name, b""))


def test_bad_names_that_are_there_can_be_mended() -> None:
    """A file with a bad name can be replaced, renamed away and removed."""
    files: dict[str, str | bytes] = {"a.md": A, "Bad Name.md": B, "con.txt": b"", "x.MD": B}
    after = edited(
        files,
        ReplaceText("# B", "# Bee", "Bad Name.md"),
        RenamePage("Bad Name.md", "good.md"),
        RemoveAttachment("con.txt"),
        RenameAttachment("x.MD", "x.md"),
        ReplaceText("uuid: 7", "uuid: 8", "x.md"),
    )
    assert sorted(after) == ["a.md", "good.md", "x.md"]


@pytest.mark.parametrize(
    "operation",
    [
        ReplacePage("a\ud800.md", A),
        ReplaceText("A", "B", "a\ud800.md"),
        RemoveAttachment("\ud800"),
        RenamePage("a\ud800.md", "c.md"),
    ],
    ids=lambda operation: operation.op,
)
def test_a_name_that_is_no_text(operation: Operation) -> None:
    """No file has it; what a folder has under no UTF-8 name comes with other marks."""
    with pytest.raises(InvalidBatch, match="no Unicode text"):
        planned(FIELD, operation)

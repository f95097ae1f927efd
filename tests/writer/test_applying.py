"""`apply` on real folders and archives: whole or not at all, and only on what was expected."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.readers.locks import entry, toml
from tests.writer.edits import page, sha256

from memoryfield_readers import (
    AmbiguousMatch,
    BatchRejected,
    Field,
    InvalidBatch,
    InvalidPin,
    LocationError,
    NotFound,
    WriteConflict,
    open_field,
)
from memoryfield_spec import schema
from memoryfield_writer import (
    AddAttachment,
    AddPage,
    Batch,
    Operation,
    RemovePage,
    RenamePage,
    ReplacePage,
    ReplaceText,
)
from memoryfield_writer.applying import apply

SCHEMA = Draft202012Validator(schema("applied"))
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
A, B = page("A"), page("B")
NO_PIN = "field-sha256:" + "0" * 64


def state(folder: Path) -> dict[str, bytes]:
    """All that stands in a folder, hidden files too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    field = tmp_path / "woks"
    field.mkdir()
    (field / "a.md").write_bytes(A.encode())
    (field / "b.md").write_bytes(B.encode())
    return field


@pytest.fixture
def archive(folder: Path) -> Path:
    path = folder.parent / "woks.memoryfield.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name in ("a.md", "b.md"):
            made.write(folder / name, name)
    return path


@pytest.fixture(params=["folder", "archive"])
def field(request: pytest.FixtureRequest) -> Iterator[Path]:
    path: Path = request.getfixturevalue(request.param)
    yield path
    assert not [name for name in os.listdir(path.parent) if name.startswith(".")]


def opened(path: Path) -> dict[str, bytes]:
    with open_field(path) as field:
        return {name: field.content(name) for name in field.entries}


def test_a_batch_is_applied(field: Path) -> None:
    """A field is the new one afterwards, and the answer says what changed."""
    with open_field(field) as before:
        pin = before.digest()
    applied = apply(field, Batch([AddPage("c.md", page("C")), RemovePage("b.md")]), pin)
    assert opened(field) == {"a.md": A.encode(), "c.md": page("C").encode()}
    with open_field(field) as after:
        assert (applied.before, applied.digest) == (pin, after.digest())
        assert applied.archive_pin == after.archive_digest()
    assert [change.kind for change in applied.changes] == ["removed", "added"]
    assert not applied.dry_run
    assert str(applied) == applied.digest


def test_the_answer_is_of_its_schema(field: Path) -> None:
    """Whatever happened, the answer as JSON has the form that is promised."""
    answers = [
        apply(str(field), [AddPage("c.md", "# C\n"), RenamePage("a.md", "d.md")]),
        apply(str(field), [ReplaceText("# B", "# BB")], dry_run=True),
        apply(str(field), [ReplacePage("b.md", B)]),
        apply(str(field), [RemovePage("b.md"), ReplaceText("# C", "# CC", "c.md")]),
    ]
    for applied in answers:
        answer = applied.to_json()
        SCHEMA.validate(json.loads(json.dumps(answer)))
        assert answer["location"] == str(field)
    assert answers[0].findings


def test_batches_in_other_forms(field: Path) -> None:
    """A mapping is read as JSON; operations alone are a batch."""
    said: dict[str, Any] = {"version": 1, "operations": [{"op": "remove", "name": "a.md"}]}
    assert apply(field, said, dry_run=True).digest == apply(field, [RemovePage("a.md")]).digest


@pytest.mark.parametrize("batch", ["x", b"x", 3, None, [], RemovePage("a.md"), {}], ids=repr)
def test_what_is_no_batch(folder: Path, batch: Any) -> None:
    """What is no batch is told as that."""
    with pytest.raises(InvalidBatch):
        apply(folder, batch)


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (ReplacePage("none.md", A), BatchRejected),
        (ReplaceText("none", ""), AmbiguousMatch),
        (ReplacePage("a.md", A + "x", sha256(B)), WriteConflict),
        (AddPage("c.md", A), BatchRejected),
        (AddPage("c.md", "---\ntitle: x: y\n---\n"), BatchRejected),
    ],
    ids=repr,
)
def test_what_is_rejected_changes_nothing(
    field: Path, operation: Operation, error: type[Exception]
) -> None:
    """No byte of a field changes where one operation of a batch cannot be done."""
    before = state(field.parent)
    with pytest.raises(error) as found:
        apply(field, [AddPage("n.md", page("N")), operation])
    assert getattr(found.value, "location", None) == str(field)
    assert state(field.parent) == before


def test_errors_name_the_location_as_it_was_given(folder: Path) -> None:
    """A field that is named by a URL is named so where something is wrong with it."""
    with pytest.raises(BatchRejected) as found:
        apply(folder.as_uri(), [RemovePage("none.md")])
    assert found.value.location == folder.as_uri()


def test_a_field_that_is_another_one_than_expected(field: Path) -> None:
    """The pin that was expected is compared first, and both pins are told."""
    before = state(field.parent)
    with pytest.raises(WriteConflict) as found:
        apply(field, [AddPage("c.md", page("C"))], NO_PIN)
    with open_field(field) as now:
        assert now.digest() in str(found.value)
    assert NO_PIN in str(found.value)
    with pytest.raises(WriteConflict):
        apply(field, [AddPage("c.md", page("C"))], NO_PIN, dry_run=True)
    assert state(field.parent) == before


def test_pins_of_archives(folder: Path, archive: Path) -> None:
    """An archive can be expected by its own pin, alone or beside the field's; a folder has none."""
    with open_field(archive) as field:
        pins = [str(field.archive_digest()), field.digest()]
    apply(archive, [AddPage("c.md", page("C"))], pins, dry_run=True)
    with pytest.raises(WriteConflict):
        apply(archive, [AddPage("c.md", page("C"))], "sha256:" + "0" * 64)
    with pytest.raises(InvalidPin):
        apply(folder, [AddPage("c.md", page("C"))], pins[0])
    with pytest.raises(InvalidPin):
        apply(archive, [AddPage("c.md", page("C"))], "sha256:x")


def test_a_batch_without_effect_writes_nothing(field: Path) -> None:
    """Where nothing differs in the end, no file is touched."""
    before = field.stat()
    applied = apply(field, [ReplaceText("# A", "# AA"), ReplaceText("# AA", "# A")])
    assert applied.changes == ()
    assert applied.digest == applied.before
    with open_field(field) as now:
        assert applied.archive_pin == now.archive_digest()
    assert (field.stat().st_mtime_ns, field.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_dry_run_says_what_would_be(field: Path) -> None:
    """What is only tried gives the same answer, and writes nothing."""
    before = state(field.parent)
    batch = Batch([AddPage("c.md", page("C")), RenamePage("a.md", "d.md")])
    tried = apply(field, batch, dry_run=True)
    assert state(field.parent) == before
    assert (tried.dry_run, tried.archive_pin) == (True, None)
    done = apply(field, batch)
    assert (tried.digest, tried.changes) == (done.digest, done.changes)


def test_an_empty_folder_gets_its_first_page(tmp_path: Path) -> None:
    """A folder without a page has no pin before; nothing can be expected of it."""
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(WriteConflict):
        apply(empty, [AddPage("a.md", A)], NO_PIN)
    applied = apply(empty, [AddPage("a.md", A)])
    assert applied.before is None
    assert opened(empty) == {"a.md": A.encode()}


@pytest.mark.parametrize("name", ["none", "none.zip", "a.md/x"])
def test_where_there_is_no_field(folder: Path, name: str) -> None:
    """A field that is not there is not made by the way."""
    with pytest.raises(NotFound) as found:
        apply(folder / name, [AddPage("c.md", page("C"))])
    assert "memoryfield init" in (found.value.hint or "")


@pytest.mark.parametrize(
    "location",
    [
        "https://example.org/x.memoryfield.zip",
        "https://example.org/field/",
        "github://owner/repo",
        "git+https://example.org/repo.git",
        "memory://field",
        "s3://bucket/prefix/",
        "s3://bucket/x.zip?versionId=1",
        "/dev/null",
        "",
        b"/tmp",
        3,
    ],
    ids=repr,
)
def test_what_cannot_be_written(location: Any) -> None:
    """What can be read alone, and what is no field, is refused before anybody is asked."""
    with pytest.raises(LocationError):
        apply(location, [AddPage("c.md", page("C"))])


def test_a_field_of_a_lock_file_is_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field that is pinned stays as it was pinned, under either of its names."""
    monkeypatch.chdir(folder.parent)
    before = state(folder)
    Path("memoryfields.lock").write_bytes(toml(entry(location="woks")))
    for location in ("@notes", "notes"):
        with pytest.raises(LocationError) as found:
            apply(location, [AddPage("c.md", page("C"))])
        assert "woks" in (found.value.hint or "")
    assert state(folder) == before
    apply("woks", [AddPage("c.md", page("C"))])


def test_frontmatter_is_filled_in_and_renewed_if_asked(field: Path) -> None:
    """With a time, new pages get what they lack and edited ones keep what they had (MF909)."""
    apply(field, [AddPage("c.md", "# C\n"), ReplacePage("a.md", "# New\n")], stamp=NOW)
    files = opened(field)
    assert b'title: "C"' in files["c.md"] or b"title: C" in files["c.md"]
    assert b"uuid: " in files["c.md"]
    assert b"2026-12-01T12:00:00Z" in files["c.md"]
    uuid = A.split("uuid: ")[1].split("\n")[0]
    assert uuid.encode() in files["a.md"]
    assert b"2026-03-01T09:00:00Z" in files["a.md"]
    assert b"2026-12-01T12:00:00Z" in files["a.md"]
    assert files["b.md"] == B.encode()


def test_stamping_sees_the_end_alone(field: Path) -> None:
    """Operations see the texts that were given: frontmatter is renewed once, when all are done."""
    steps: list[Operation] = [
        ReplaceText("# A", "# AA", "a.md"),
        ReplaceText("# AA", "# AAA", "a.md", sha256(A.replace("# A", "# AA"))),
        RenamePage("b.md", "c.md"),
    ]
    apply(field, steps, stamp=NOW)
    files = opened(field)
    assert files["a.md"].count(b"2026-12-01T12:00:00Z") == 1
    assert files["c.md"] == B.encode()


def test_a_uuid_that_is_kept_is_no_second_one(field: Path) -> None:
    """Stamping keeps the uuid of a page; another page of the batch must not have it, too."""
    uuid = A.split("uuid: ")[1].split("\n")[0]
    thief = page("T").replace(page("T").split("uuid: ")[1].split("\n")[0], uuid)
    with pytest.raises(BatchRejected) as found:
        apply(field, [ReplacePage("a.md", "# A\n\nNew.\n"), AddPage("t.md", thief)], stamp=NOW)
    assert found.value.rules == ("MF307",)


def test_a_time_without_a_zone_is_refused(folder: Path) -> None:
    """What is written as an instant must be one."""
    with pytest.raises(InvalidBatch):
        apply(folder, [AddPage("c.md", "# C\n")], stamp=datetime(2026, 12, 1))


def test_an_attachment_beside_a_folder_of_that_name(folder: Path) -> None:
    """Sub-directories and debris are never touched, and their names are not free."""
    (folder / "images").mkdir()
    (folder / ".hidden").write_text("x")
    with pytest.raises(BatchRejected):
        apply(folder, [AddAttachment("images", b"")])
    apply(folder, [AddAttachment("image", b"1")])
    assert (folder / ".hidden").read_text() == "x"
    assert (folder / "images").is_dir()


def test_a_field_can_be_looked_at_while_it_is_planned(folder: Path) -> None:
    """A copy of a field gives the same answer, wherever it is."""
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    batch = Batch([AddPage("c.md", page("C"))])
    assert apply(folder, batch).digest == apply(other, batch).digest


def test_a_field_is_reindexed_as_part_of_it(folder: Path) -> None:
    """What brings an index up to date is asked, and sees the field as it is going to be."""
    seen: list[dict[str, bytes]] = []
    (folder / "x.sqlite3").write_bytes(b"old")

    def reindex(field: Field, name: str, old: bytes) -> bytes:
        seen.append({page: field.content(page) for page in field.pages})
        return name.encode() + old

    applied = apply(folder, [AddPage("c.md", page("C"))], reindex=reindex)
    assert (folder / "x.sqlite3").read_bytes() == b"x.sqlite3old"
    assert list(seen[0]) == ["a.md", "b.md", "c.md"]
    assert [change.name for change in applied.changes] == ["c.md"]

"""Fields in S3 that are edited: whole or not at all, and never over somebody else's edit."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.index.fields import folder, page, pages
from tests.readers.servers.s3_gate import Asked, Given, refusal
from tests.readers.servers.s3_world import S3World, s3_world
from tests.writer.s3_places import KEY, place, stored, writes

from memoryfield_readers import (
    DEFAULT_LIMITS,
    LimitExceeded,
    Limits,
    LocationError,
    Manifest,
    NotFound,
    SourceUnavailable,
    UnsafeArchive,
    WriteConflict,
    open_field,
)
from memoryfield_writer import AddPage, Applied, Batch, RemovePage, ReplacePage
from memoryfield_writer.applying import apply
from memoryfield_writer.packing import pack
from memoryfield_writer.plan import Plan, Put
from memoryfield_writer.targets.s3_archive import S3Target, Stored, put_new

FILES = pages(3)
NEW = page(7).decode()


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def archive(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


@pytest.fixture
def bucket(s3: S3World) -> str:
    name = s3.server.bucket()
    s3.server.put(name, KEY, archive(FILES))
    return name


def options(s3: S3World, **more: Any) -> dict[str, Any]:
    found = s3.options(**more)
    return {**found.rest, "retries": found.retries}


def edited(s3: S3World, bucket: str, *operations: Any, **how: Any) -> Applied:
    given = options(s3, **how.pop("given", {}))
    return apply(f"s3://{bucket}/{KEY}", Batch(operations), storage_options=given, **how)


def names(s3: S3World, bucket: str) -> list[str]:
    with open_field(stored(s3, bucket), name=KEY) as field:
        field.manifest()
        return list(field.pages)


def test_an_edit(s3: S3World, bucket: str) -> None:
    """Read whole in one request, and written in one; the pins told are those of what is there."""
    before = archive(FILES)
    applied = edited(
        s3, bucket,
        AddPage("new.md", NEW), RemovePage("page-001.md"), ReplacePage("page-002.md", page(2, "O")),
    )  # fmt: skip
    assert names(s3, bucket) == ["new.md", "page-000.md", "page-002.md"]
    after = stored(s3, bucket)
    assert after != before
    assert applied.archive_pin == f"sha256:{hashlib.sha256(after).hexdigest()}"
    with open_field(after, name=KEY) as field:
        assert applied.digest == field.digest()
    assert applied.location == f"s3://{bucket}/{KEY}"
    assert [asked.method for asked in s3.gate.asked] == ["GET", "HEAD", "PUT"]


def test_what_is_only_tried_is_not_written(s3: S3World, bucket: str) -> None:
    applied = edited(s3, bucket, AddPage("new.md", NEW), dry_run=True)
    assert applied.dry_run
    assert [asked.method for asked in s3.gate.asked] == ["GET"]


def test_an_edit_that_changes_nothing_writes_nothing(s3: S3World, bucket: str) -> None:
    edited(s3, bucket, AddPage("new.md", NEW), RemovePage("new.md"))
    assert writes(s3) == 0


@pytest.mark.parametrize("same", [False, True], ids=["other edit", "same edit"])
def test_two_writers_on_one_revision(s3: S3World, bucket: str, same: bool) -> None:
    """Exactly one is applied; the other one is told, and nothing of it is there."""
    together = threading.Barrier(2, timeout=30)
    looks: list[Asked] = []

    def wait(asked: Asked, _: Given) -> Given | None:
        if asked.method == "HEAD":
            looks.append(asked)
            if len(looks) <= 2:
                together.wait()  # both have read, and seen that it is still what they have read
        return None

    s3.gate.rules.append(wait)
    outcomes: dict[int, Applied | WriteConflict] = {}

    def write(number: int) -> None:
        name = "new.md" if same else f"new-{number}.md"
        try:
            outcomes[number] = edited(s3, bucket, AddPage(name, NEW))
        except WriteConflict as error:
            outcomes[number] = error

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    applied = [number for number, each in outcomes.items() if isinstance(each, Applied)]
    conflicts = [each for each in outcomes.values() if isinstance(each, WriteConflict)]
    assert len(applied) == 1
    [conflict] = conflicts
    assert conflict.location == f"s3://{bucket}/{KEY}"
    assert conflict.hint == "nothing was written: read it anew and try again"
    added = "new.md" if same else f"new-{applied[0]}.md"
    assert names(s3, bucket) == sorted([added, *FILES])


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_an_archive_that_is_another_one_by_now(s3: S3World, bucket: str, how: str) -> None:
    theirs = archive({"theirs.md": page(1)})
    target = S3Target(place(bucket), s3.options(), DEFAULT_LIMITS)
    with target.held(0) as held:
        hashes = dict(held.field.manifest().hashes) | {
            "new.md": hashlib.sha256(NEW.encode()).hexdigest()
        }
        plan = Plan({"new.md": Put(NEW.encode())}, (), (), Manifest.of(hashes))
        if how == "replaced":
            s3.server.put(bucket, KEY, theirs)
        else:
            s3.server.delete(bucket, KEY)
        with pytest.raises(WriteConflict):
            held.persist(plan)
    assert writes(s3) == 0
    if how == "replaced":
        assert stored(s3, bucket) == theirs


@pytest.mark.parametrize("taken", [False, True], ids=["before", "after"])
def test_a_connection_that_breaks(s3: S3World, bucket: str, taken: bool) -> None:
    """A lost answer is no conflict with oneself."""
    s3.gate.losses = [taken, taken, taken]
    edited(s3, bucket, AddPage("new.md", NEW), given={"retries": 4})
    assert names(s3, bucket) == sorted(["new.md", *FILES])


def test_a_store_without_conditions(s3: S3World, bucket: str) -> None:
    s3.gate.refuse_writes.append(lambda *_: refusal(501, "NotImplemented"))
    with pytest.raises(SourceUnavailable, match="does not know conditional writes"):
        edited(s3, bucket, AddPage("new.md", NEW))
    assert stored(s3, bucket) == archive(FILES)


def test_a_store_without_marks(s3: S3World, bucket: str) -> None:
    """What cannot be told from another version cannot be replaced safely."""

    def unmarked(asked: Asked, given: Given) -> Given | None:
        kept = {name: value for name, value in given.headers.items() if name.lower() != "etag"}
        return Given(given.status, kept, given.body)

    s3.gate.rules.append(unmarked)
    with pytest.raises(SourceUnavailable, match="does not mark versions"):
        edited(s3, bucket, AddPage("new.md", NEW))
    assert writes(s3) == 0


def test_a_store_that_passes_over_conditions(s3: S3World, bucket: str) -> None:
    """It cannot be told from another one; what is there shows what was replaced before."""
    s3.gate.unconditional = True
    edited(s3, bucket, AddPage("new.md", NEW))
    assert names(s3, bucket) == sorted(["new.md", *FILES])


def test_how_the_object_is_served_stays(s3: S3World, bucket: str) -> None:
    def told(asked: Asked, given: Given) -> Given | None:
        if asked.method != "HEAD":
            return None
        more = {"Cache-Control": "max-age=60", "x-amz-meta-owner": "somebody"}
        return Given(given.status, {**given.headers, **more}, given.body, given.length)

    s3.gate.rules.append(told)
    applied = edited(s3, bucket, AddPage("new.md", NEW))
    [put] = [asked for asked in s3.gate.asked if asked.method == "PUT"]
    assert put.headers["cache-control"] == "max-age=60"
    assert any("x-amz-meta" in note for note in applied.notes)


@pytest.mark.parametrize(
    ("key", "version"), [("folder/", None), (KEY, "3")], ids=["a prefix", "a version"]
)
def test_what_can_be_read_alone(s3: S3World, key: str, version: str | None) -> None:
    with pytest.raises(LocationError, match="can be read, not written"):
        S3Target(place("b", key, version), s3.options(), DEFAULT_LIMITS)
    with pytest.raises(LocationError, match="can be read, not written"):
        put_new(place("b", key, version), lambda out: None, s3.options())


def test_what_is_not_there_or_not_safe(s3: S3World, bucket: str) -> None:
    s3.server.put(bucket, KEY, b"PK\x05\x06no archive")
    with pytest.raises(UnsafeArchive) as caught:
        edited(s3, bucket, AddPage("new.md", NEW))
    assert caught.value.location == f"s3://{bucket}/{KEY}"
    s3.server.delete(bucket, KEY)
    with pytest.raises(NotFound):
        edited(s3, bucket, AddPage("new.md", NEW))


def test_an_archive_that_is_too_large(s3: S3World, bucket: str) -> None:
    limits = Limits(entries=1, total_bytes=1, directory_bytes=1)
    with pytest.raises(LimitExceeded):
        edited(s3, bucket, AddPage("new.md", NEW), limits=limits)


def put(s3: S3World, bucket: str, data: bytes, *, replace: bool = False) -> Stored:
    return put_new(place(bucket), lambda out: out.write(data), s3.options(), replace=replace)


def test_a_new_archive(s3: S3World) -> None:
    bucket, data = s3.server.bucket(), archive(FILES)
    pin = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert put(s3, bucket, data) == Stored(pin, len(data), False)
    assert stored(s3, bucket) == data
    assert put(s3, bucket, data) == Stored(pin, len(data), True)
    other = archive({"x.md": page(1)})
    with pytest.raises(WriteConflict, match="another object already") as caught:
        put(s3, bucket, other)
    assert caught.value.hint == "--replace replaces it"
    assert stored(s3, bucket) == data
    assert not put(s3, bucket, other, replace=True).unchanged
    assert put(s3, bucket, other, replace=True).unchanged
    assert stored(s3, bucket) == other


def test_a_new_archive_that_somebody_replaces_meanwhile(s3: S3World, bucket: str) -> None:
    theirs = archive({"theirs.md": page(1)})
    left = [theirs]

    def meanwhile(*_: object) -> None:
        if left:
            s3.server.put(bucket, KEY, left.pop())

    s3.gate.refuse_writes.append(meanwhile)
    with pytest.raises(WriteConflict, match="meanwhile"):
        put(s3, bucket, archive({"x.md": page(1)}), replace=True)
    assert stored(s3, bucket) == theirs


def test_who_may_not_look_may_still_write_what_is_new(s3: S3World) -> None:
    """Without the right to list, what is missing is forbidden to look at; the write finds out."""
    bucket = s3.server.bucket()
    s3.gate.rules.append(
        lambda asked, given: (
            refusal(403, "AccessDenied") if asked.method == "HEAD" and given.status == 404 else None
        )
    )
    assert not put(s3, bucket, archive(FILES), replace=True).unchanged


def test_packed_into_a_bucket_and_edited_there(s3: S3World, tmp_path: Path) -> None:
    """The bytes are those that the same field has as an archive anywhere else."""
    bucket = s3.server.bucket()
    location = f"s3://{bucket}/{KEY}"
    before = folder(tmp_path / "x", FILES)
    after = folder(tmp_path / "y", FILES | {"new.md": NEW.encode()})
    here = tmp_path / "here.zip"
    packed = pack(before, location, storage_options=options(s3))
    assert not packed.unchanged
    assert pack(before, location, storage_options=options(s3)).unchanged
    with pytest.raises(WriteConflict):
        pack(after, location, storage_options=options(s3))
    applied = edited(s3, bucket, AddPage("new.md", NEW))
    assert applied.archive_pin == pack(after, here).archive_pin
    assert stored(s3, bucket) == here.read_bytes()

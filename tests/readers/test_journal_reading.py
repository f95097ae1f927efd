"""A folder in which a batch is under way: before it counts the old field, from then on the new."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.readers import journal_writer
from tests.readers.journal_fields import (
    AFTER,
    AFTER_LINKS,
    BEFORE,
    LINKS,
    PUTS,
    REMOVES,
    content,
    fill,
    seen,
)
from tests.readers.journal_writer import Batch

from memoryfield_readers import (
    EntryKind,
    Field,
    NotFound,
    PageError,
    SourceChanged,
    open_field,
)
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources import local, local_listing, rooted
from memoryfield_readers.sources.local import LocalSource


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], dict[str, object]]:
    """What is seen before the batch, and after it."""
    folder = tmp_path_factory.mktemp("states")
    before = seen(fill(folder / "before", BEFORE, LINKS))
    after = seen(fill(folder / "after", AFTER, AFTER_LINKS))
    assert before != after
    return before, after


@pytest.fixture(params=["anchored", "by path"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The field, on systems that can open files relative to a folder, and on others."""
    if request.param == "by path":
        monkeypatch.setattr(rooted, "_ANCHORED", False)
    return fill(tmp_path / "f", BEFORE, LINKS)


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "removed"])
def test_every_state_on_the_way_is_old_or_new(
    kept: bool, root: Path, states: tuple[dict[str, object], dict[str, object]]
) -> None:
    """After each rename, and after each step of cleaning up, whoever opens it sees it whole.

    So does whoever has opened it at any moment since it counts.
    """
    before, after = states
    batch = Batch(root, PUTS, REMOVES, kept=kept)
    with contextlib.ExitStack() as stack:
        old = stack.enter_context(open_field(root))
        assert seen(root) == before
        batch.commit()
        opened = []
        for step in [lambda: None, *batch.steps()]:
            step()
            assert seen(root) == after
            opened.append(stack.enter_context(open_field(root)))
            assert opened[-1].debris == (".memoryfield/",)
        assert content(opened[0]) == after
        for step in batch.end():
            step()
            assert seen(root) == after
        assert not (root / ".memoryfield").exists()
        assert [content(field) for field in opened] == [after] * len(opened)
        for name, kind in (("a.md", SourceChanged), ("c.md", NotFound)):
            with pytest.raises(kind):
                old.page(name)


def test_what_was_staged_is_read_though_another_batch_follows(root: Path) -> None:
    """Its staged files have the same names, and are not taken for those of the first."""
    first = Batch(root, {"a.md": b"1\n", "b.md": b"1\n"}, kept=True)
    first.commit()
    with open_field(root) as field:
        first.finish()
        second = Batch(root, {"c.md": b"2\n", "a.md": b"2\n"}, kept=True)
        second.commit()
        assert field.page("a.md").raw == b"1\n"
        assert field.page("b.md").raw == b"1\n"
        for step in second.steps():
            step()
    with open_field(root) as field:
        assert field.page("c.md").raw == b"2\n"


def test_a_batch_that_is_undone_is_not_seen_by_halves(root: Path) -> None:
    """Who opened the new field, and reads when it was put back, is told."""
    batch = Batch(root, {"a.md": b"1\n", "b.md": b"1\n"}, kept=True)
    batch.commit()
    with open_field(root) as field:
        batch.steps()[0]()
        assert field.page("a.md").raw == b"1\n"
    with open_field(root) as field:
        (root / ".memoryfield" / "old-0").replace(root / "a.md")
        shutil.rmtree(root / ".memoryfield")
        for name in ("a.md", "b.md"):
            with pytest.raises(SourceChanged) as caught:
                field.page(name)
            assert "recover" in (caught.value.hint or "")
    assert seen(root)["pages"] == [(name, BEFORE["a.md" if name == "to-a.md" else name]) for name in
                                   ("a.md", "b.md", "c.md")] + [
        ("gone.md", b"b\n"), ("linked.md", b"linked\n"), ("to-a.md", b"a\n")]  # fmt: skip


def test_only_pages_that_changed_are_told(root: Path) -> None:
    """A page that is still the one listed is read, whatever else happened in the folder."""
    with open_field(root) as field:
        Batch(root, {"a.md": b"1\n", "new.md": b"1\n"}, kept=True).run()
        assert field.page("b.md").raw == b"b\n"
        for name in ("a.md", "to-a.md"):
            with pytest.raises(SourceChanged) as caught:
                field.page(name)
            assert caught.value.entry == name


def test_a_page_replaced_within_a_tick_of_the_clock_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the folder's time does not say so."""
    source = LocalSource(root, str(root), DEFAULT_LIMITS)
    stamp = source._listing.stamp
    monkeypatch.setattr(local, "stamp_of", lambda _: stamp)
    with Field(source, DEFAULT_LIMITS) as field:
        (root / "other").write_bytes(b"another\n")
        (root / "other").replace(root / "a.md")
        with pytest.raises(SourceChanged):
            field.page("a.md")


@pytest.mark.parametrize("left", ["nothing", "new-0", "journal.tmp", "old-7"])
def test_a_batch_that_does_not_count_is_not_there(
    left: str, root: Path, states: tuple[dict[str, object], dict[str, object]]
) -> None:
    """Whatever was staged before the end came."""
    (root / ".memoryfield").mkdir()
    if left != "nothing":
        (root / ".memoryfield" / left).write_bytes(b"x")
    assert seen(root) == states[0]


def test_a_page_whose_name_changes_in_case_alone(root: Path) -> None:
    """The old name goes, the new one comes, at every step."""
    batch = Batch(root, {"A.md": b"a\n"}, ["a.md"], kept=True)
    batch.commit()
    for step in [lambda: None, *batch.steps()]:
        step()
        with open_field(root) as field:
            assert field.pages == ("A.md", "b.md", "c.md", "gone.md", "linked.md")
            assert [each.path for each in field.irregular] == ["to-a.md"]
            with pytest.raises(PageError):
                field.page("to-a.md")


def test_a_folder_that_never_rests_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at for a while, and then given up with an error that says so."""
    monkeypatch.setattr(local_listing, "_LONGEST_PAUSE", 0.0)
    real, count = rooted.RootedFolder.scan, 0

    def scan(folder: rooted.RootedFolder, path: str) -> Iterator[os.DirEntry[str]]:
        nonlocal count
        count += 1
        (root / "c.md").rename(root / "d.md") if count % 2 else (root / "d.md").rename(
            root / "c.md"
        )
        return real(folder, path)

    monkeypatch.setattr(rooted.RootedFolder, "scan", scan)
    with pytest.raises(SourceChanged, match="changes so often"):
        open_field(root)


def test_a_folder_at_rest_is_looked_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look is for folders that changed just now."""
    calls: list[str] = []
    real = rooted.RootedFolder.scan

    def scan(folder: rooted.RootedFolder, path: str) -> Iterator[os.DirEntry[str]]:
        calls.append(path)
        return real(folder, path)

    monkeypatch.setattr(rooted.RootedFolder, "scan", scan)
    open_field(root).close()
    assert calls == ["", ""]
    monkeypatch.setattr(local_listing, "_COARSE_NS", 0)
    open_field(root).close()
    assert calls == [""] * 3


@pytest.mark.parametrize("memory", [False, True], ids=["disk", "memory"])
def test_who_reads_while_others_write_sees_whole_fields(memory: bool) -> None:
    """Every page is of one batch, or there is an error: never pages of two."""
    if memory and not os.access("/dev/shm", os.W_OK):
        pytest.skip("there is no file system in memory")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if memory else None) as folder:
        root = Path(folder, "f")
        journal_writer.found(root)
        times = 320 if os.environ.get("MEMORYFIELD_CRASH_ALL") == "1" else 160
        command = [sys.executable, journal_writer.__file__, str(root), str(times)]
        whole: list[int] = []
        with subprocess.Popen(command) as writer:
            while writer.poll() is None:
                with contextlib.suppress(SourceChanged, NotFound), open_field(root) as field:
                    field.digest()
                    pages = {page.name: page.raw for page in field.read(field.pages)}
                    number = int(pages["p0.md"])
                    assert pages == journal_writer.state(number)
                    assert {name: field.entries[name].kind for name in pages} == dict.fromkeys(
                        pages, EntryKind.FILE
                    )
                    whole.append(number)
        assert writer.returncode == 0
        assert whole == sorted(whole)
        with open_field(root) as field:
            pages = {page.name: page.raw for page in field.read(field.pages)}
            assert pages == journal_writer.state(times)
            assert field.debris == ()
        assert whole


def test_a_batch_that_follows_while_the_folder_is_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is listed is looked at again when the journal is another than before."""
    first = Batch(root, {"a.md": b"1\n"}, kept=True)
    first.commit()
    real, count = rooted.RootedFolder.scan, 0

    def scan(folder: rooted.RootedFolder, path: str) -> Iterator[os.DirEntry[str]]:
        nonlocal count
        count += 1
        items = list(real(folder, path))
        if count == 2:  # what the first journal says is being applied to what is found
            first.finish()
            second = Batch(root, {"b.md": b"2\n", "c.md": b"2\n"}, kept=True)
            second.commit()
            second.steps()[0]()
        return iter(items)

    monkeypatch.setattr(rooted.RootedFolder, "scan", scan)
    with open_field(root) as field:
        pages = {page.name: page.raw for page in field.read(["a.md", "b.md", "c.md"])}
    assert pages == {"a.md": b"1\n", "b.md": b"2\n", "c.md": b"2\n"}
    assert count > 2

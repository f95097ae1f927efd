"""What cannot be done to one page keeps no other from being mended, and leaves no dead link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.validator.fields import BODY, Files, as_bytes, page, write_files
from tests.validator.fixes_fields import changed, contents, proposal_of

from memoryfield_readers import NotFound, SourceChanged
from memoryfield_validator import Request, fix
from memoryfield_validator.fixes import Proposal, apply
from memoryfield_validator.fixes import folder as folder_module


def test_one_page_keeps_no_other_from_being_mended(tmp_path: Path) -> None:
    """A page that changed is told; what was done is told apart from it, with its findings."""
    files = {f"{name}.md": page(title="no", number=ord(name)) for name in "abc"}
    folder = write_files(tmp_path / "field", files)
    proposal = proposal_of(folder)
    (folder / "b.md").write_text("Mine.\n")
    steps: list[None] = []
    written = apply(proposal, folder, progress=lambda: steps.append(None))
    assert [error.entry for error in written.errors] == ["b.md"]
    assert [change.name for change in written.done.changes] == ["a.md", "c.md"]
    assert [finding.file for finding in written.done.findings] == ["a.md", "c.md"]
    assert contents(folder) == {**changed(files, proposal), "b.md": b"Mine.\n"}
    assert len(steps) == len(proposal.changes)


def test_no_link_is_left_without_its_page(tmp_path: Path) -> None:
    """A page that changed may link to an old name, so that this stays, and so do links to it."""
    files: Files = {
        "A_b.md": page(),
        "C_d.md": page(number=1),
        "changed.md": page("[a](A_b.md)\n" + BODY, number=2),
        "both.md": page("[a](A_b.md) [c](C_d.md)\n" + BODY, number=3),
        "Free.md": page("[c](C_d.md)\n" + BODY, number=4),
    }
    folder = write_files(tmp_path / "field", files)
    proposal = proposal_of(folder)
    mine = page("[a](A_b.md), mine\n" + BODY, number=2)
    (folder / "changed.md").write_bytes(mine.encode())
    steps: list[None] = []
    written = apply(proposal, folder, progress=lambda: steps.append(None))
    assert [error.entry for error in written.errors] == ["changed.md"]
    assert written.refused == {"A_b.md"}
    assert contents(folder) == {
        **{name: as_bytes(content) for name, content in files.items()},
        "changed.md": mine.encode(),
    }
    assert written.done == Proposal()
    assert len(steps) == len(proposal.changes)


def test_a_page_that_changes_at_the_last_moment_keeps_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could be seen beforehand was good, and yet: no page is renamed that was not written."""
    folder = write_files(tmp_path / "field", {"B.md": page(title="no")})
    proposal = proposal_of(folder)
    (folder / "B.md").write_text("Mine.\n")
    monkeypatch.setattr(folder_module.WritableFolder, "check_rewrite", lambda *_: None)
    (error,) = apply(proposal, folder).errors
    assert (type(error), error.entry) == (SourceChanged, "B.md")
    assert contents(folder) == {"B.md": b"Mine.\n"}


def test_what_waited_for_a_refused_rename_is_mended_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second look leaves out that rename alone; each error is told once."""
    from memoryfield_validator import fixing

    files: Files = {
        "A_b.md": page(title="no"),
        "C_d.md": page(number=1),
        "both.md": page("[a](A_b.md) [c](C_d.md)\n" + BODY, number=3, title="yes"),
    }
    folder = write_files(tmp_path / "field", files)

    def apply_late(*arguments: Any, **options: Any) -> Any:
        (folder / "a-b.md").write_text(page(number=9))
        return apply(*arguments, **options)

    monkeypatch.setattr(fixing, "apply", apply_late)
    fixed = fix(str(folder), Request())
    report = fixed.checked.report
    assert report is not None
    assert [error.entry for error in report.unread] == ["A_b.md"]
    mended = [(finding.rule, finding.file) for finding in fixed.proposal.findings]
    assert sorted(mended) == [("MF201", "C_d.md"), ("MF305", "A_b.md"), ("MF305", "both.md")]
    assert set(contents(folder)) == {"A_b.md", "a-b.md", "c-d.md", "both.md"}
    assert b"title: 'yes'" in contents(folder)["both.md"]
    assert b"[a](A_b.md) [c](c-d.md)" in contents(folder)["both.md"]


def test_a_folder_that_is_gone_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was mended, and that it cannot be read is the answer."""
    from memoryfield_validator import fixing

    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})

    def apply_late(*arguments: Any, **options: Any) -> Any:
        folder.rename(tmp_path / "elsewhere")
        return apply(*arguments, **options)

    monkeypatch.setattr(fixing, "apply", apply_late)
    fixed = fix(str(folder), Request())
    assert fixed.proposal == Proposal()
    assert isinstance(fixed.checked.error, NotFound)


def test_renames_that_hang_together_in_a_long_chain(tmp_path: Path) -> None:
    """Each page links to the next two: what is held back is found in one go."""
    files: Files = {
        f"P_{n}.md": page(f"[x](P_{n + 1}.md) [y](P_{n + 2}.md)\n" + BODY, number=n)
        for n in range(60)
    }
    folder = write_files(tmp_path / "field", files)
    proposal = proposal_of(folder)
    (folder / "p-30.md").write_text("Mine.\n")
    written = apply(proposal, folder)
    assert written.refused == {"P_30.md"}
    assert written.done == Proposal()
    assert contents(folder) == {
        **{name: as_bytes(content) for name, content in files.items()},
        "p-30.md": b"Mine.\n",
    }

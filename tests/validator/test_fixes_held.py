"""Mending takes the lock that every writer takes, and leaves a batch that was cut off alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.journal_writer import Batch
from tests.validator.fields import page, write_files
from tests.validator.fixes_fields import contents, proposal_of

from memoryfield_readers import LockTimeout, SourceUnavailable
from memoryfield_readers.holding import held_field
from memoryfield_validator.fixes import Proposal, apply, applying


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A field with a page to mend."""
    return write_files(tmp_path / "field", {"a.md": page(title="no"), "b.md": page(number=1)})


def test_a_field_that_is_held_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And left as it is if that takes too long; where there is nothing to do, nobody waits."""
    monkeypatch.setattr(applying, "DEFAULT_WAIT", 0.05)
    proposal, before = proposal_of(folder), contents(folder)
    with held_field(folder, wait=0, location="x"):
        with pytest.raises(LockTimeout) as caught:
            apply(proposal, folder)
        assert caught.value.location == str(folder)
        apply(Proposal(), folder)
    assert contents(folder) == before
    assert apply(proposal, folder).done == proposal
    with held_field(folder, wait=0, location="x"):
        pass  # nobody holds it any more


def test_a_batch_that_was_cut_off_is_finished_first(folder: Path) -> None:
    """Its pages are not what the files hold: nothing is written over them."""
    proposal = proposal_of(folder)
    batch = Batch(folder, {"b.md": page(number=2).encode()}, kept=True)
    batch.commit()
    before = contents(folder)
    with pytest.raises(SourceUnavailable, match="cut off") as caught:
        apply(proposal, folder)
    assert "memoryfield recover" in (caught.value.hint or "")
    assert contents(folder) == before
    batch.finish()
    assert apply(proposal, folder).done == proposal

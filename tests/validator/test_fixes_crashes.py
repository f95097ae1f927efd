"""Killed at any step, mending leaves each page old or new, and the next run finishes the work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.validator.fields import BODY, Files, as_bytes, page, write_files
from tests.validator.fixes_fields import changed, fixable, proposal_of

from memoryfield_readers import atomic, inspect_field, is_debris
from memoryfield_validator import validate
from memoryfield_validator.fixes import Proposal, apply

STEPS = ("open", "write", "fsync", "fchmod", "replace", "unlink", "link", "rename", "close")
MOST_STEPS = 400
SECONDS = 120
"""After so long a child hangs; nothing here takes a fraction of it."""

FILES: Files = {
    "a.md": page(title="no"),
    "B.md": page("[a](a.md)\n" + BODY, number=1, title="a: b"),
    "c.md": page("[b](B.md)\n" + BODY, number=2),
    "listing.md": page("- [B](B.md)\n- [Gone](d.md)\n\n" + BODY, number=3),
}


class Killer:
    """Kills the process before its nth step that has to do with files."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, and the step before it."""

        def counted(*args: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)

        return counted


def killed_after(steps: int, proposal: Proposal, folder: Path, *, plain: bool) -> bool:
    """Apply a proposal in a child that is killed after so many steps; False if it came to its end.

    `plain` is a system that has no rename which never overwrites.
    """
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        killer = Killer(steps)
        for name in STEPS:
            setattr(os, name, killer.around(getattr(os, name)))
        exclusive = None if plain else atomic._exclusive_rename()
        rename = killer.around(exclusive) if exclusive else None
        setattr(atomic, "_exclusive_rename", lambda: rename)  # noqa: B010
        try:
            apply(proposal, folder)
        finally:
            os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_killed_at_any_step(tmp_path: Path) -> None:
    """Each file is old or new, at most one other is left, and a second run is enough."""
    pristine = write_files(tmp_path / "pristine", FILES)
    proposal = proposal_of(pristine)
    wanted = changed(FILES, proposal)
    ended = False
    for steps in range(MOST_STEPS):
        folder = write_files(tmp_path / str(steps), FILES)
        ended = not killed_after(steps, proposal, folder, plain=False)
        there = {path.name: path.read_bytes() for path in folder.iterdir()}
        others = [name for name in there if name not in {*FILES, *wanted}]
        assert len(others) <= (not ended)
        assert all(is_debris(name) for name in others)
        assert ("B.md" in there) != ("b.md" in there)
        for name, old in FILES.items():
            assert there.get(name, there.get(name.lower())) in (
                as_bytes(old),
                wanted[name.lower()],
            )
        apply(proposal_of(folder), folder)
        again = {p.name: p.read_bytes() for p in folder.iterdir() if p.name not in others}
        assert again == wanted
        if ended:
            break
    assert ended
    assert steps > len(proposal.changes)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_killed_while_renaming_on_other_systems(tmp_path: Path) -> None:
    """Where renaming takes two steps, the page is never without a name, and never overwritten."""
    pristine = write_files(tmp_path / "pristine", {"B.md": page()})
    proposal = proposal_of(pristine)
    for steps in range(MOST_STEPS):
        folder = write_files(tmp_path / str(steps), {"B.md": page()})
        ended = not killed_after(steps, proposal, folder, plain=True)
        there = {path.name: path.read_text() for path in folder.iterdir()}
        assert there
        assert set(there.values()) == {page()}
        assert set(there) <= {"B.md", "b.md"}
        if ended:
            assert set(there) == {"b.md"}
            break
    assert ended
    with inspect_field(folder) as field:
        assert fixable(validate(field)) == []

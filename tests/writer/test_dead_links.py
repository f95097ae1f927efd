"""Links that will lead nowhere are found before the file goes."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import folder

from memoryfield_readers import open_field
from memoryfield_validator import validate
from memoryfield_writer.dead_links import links_left

PAGES = {
    "a.md": b"---\ntitle: x\n---\n[me](a.md)\n",
    "b.md": b"[a](a.md#x) `[a](a.md)` ![p](./plan.txt)\n\n[c](c.md) [z](z.md)\n[r]: a.md\n",
    "c.md": b"a.md, and no link\n",
    "plan.txt": b"[a](a.md)\n",
}


def test_they_are_what_a_check_finds_afterwards(tmp_path: Path) -> None:
    """Where a file is removed, the findings are those of the validator, without what was there."""
    folder(tmp_path, PAGES)
    with open_field(tmp_path) as field:
        known = validate(field, select=["MF209"]).findings
        left = links_left(field, {"a.md": None, "plan.txt": None})
    for name in ("a.md", "plan.txt"):
        (tmp_path / name).unlink()
    with open_field(tmp_path) as field:
        found = validate(field, select=["MF209"]).findings
    assert left == tuple(each for each in found if each not in known)
    assert len(left) == 3


def test_a_renamed_page_links_to_itself(tmp_path: Path) -> None:
    """That is told under its new name, and so is where the file is now."""
    folder(tmp_path, PAGES)
    with open_field(tmp_path) as field:
        left = links_left(field, {"a.md": "new.md"})
    assert [(each.file, each.line) for each in left] == [("b.md", 1), ("b.md", 4), ("new.md", 4)]
    assert {each.hint for each in left} == {"it is `new.md` now"}

"""A directory on a system that cannot open files relative to a folder, such as Windows."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryfield_readers import NotFound, PageError, open_field
from memoryfield_readers.sources import rooted


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A field with links and a folder, read as if there were no `dir_fd`."""
    monkeypatch.setattr(rooted, "_ANCHORED", False)
    (tmp_path / "secret.md").write_bytes(b"outside\n")
    path = tmp_path / "field"
    (path / "sub").mkdir(parents=True)
    (path / "a.md").write_bytes(b"a\n")
    (path / "sub" / "b.md").write_bytes(b"b\n")
    (path / "b.md").symlink_to("sub/b.md")
    return path


def test_it_is_the_same_field(root: Path) -> None:
    """Pages, links inside and the digest are as everywhere."""
    with open_field(root) as field:
        assert [page.raw for page in field.read(field.pages)] == [b"a\n", b"b\n"]
        known = "61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
        assert field.digest() == f"field-sha256:{known}"
        assert [entry.path for entry in field.nested()] == ["sub/b.md"]


@pytest.mark.parametrize("target", ["../secret.md", "/etc/passwd", "gone", "odd.md", "sub"])
def test_links_that_lead_elsewhere_are_irregular(target: str, root: Path) -> None:
    """Links out, to nowhere, in a circle or to a folder are told, and not read."""
    (root / "odd.md").symlink_to(target)
    with open_field(root) as field:
        assert [entry.path for entry in field.irregular] == ["odd.md"]
        with pytest.raises(PageError):
            field.page("odd.md")


def test_a_page_swapped_for_a_link_is_not_followed(root: Path) -> None:
    """A page that became a link after it was listed is not read."""
    with open_field(root) as field:
        (root / "a.md").unlink()
        with pytest.raises(NotFound):
            field.page("a.md")
        (root / "a.md").symlink_to("../secret.md")
        with pytest.raises(PageError):
            field.page("a.md")

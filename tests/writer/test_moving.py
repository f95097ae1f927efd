"""A file gets another name, and the links to it follow, wherever and however they are written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.cli.command import folder

from memoryfield_readers import open_field
from memoryfield_writer import RenameAttachment, RenamePage, ReplacePage
from memoryfield_writer.moving import moved


def relinked(path: Path, name: str, to: str) -> dict[str, bytes]:
    """The pages that are changed with a renaming, which comes last."""
    with open_field(path) as field:
        *replaced, renamed = moved(field, name, to)
        found: dict[str, bytes] = {}
        for each in replaced:
            assert isinstance(each, ReplacePage)
            assert isinstance(each.text, bytes)
            assert each.if_sha256 == field.page(each.name).sha256
            found[each.name] = each.text
    page = name.endswith(".md")
    assert renamed == (RenamePage(name, to) if page else RenameAttachment(name, to))
    return found


def test_links_of_all_kinds(tmp_path: Path) -> None:
    """Only targets change: not code, not the text of a link, not what leads elsewhere."""
    text = (
        b"---\ntitle: a.md\n---\n[a.md](a.md) ![x](./a.md#top) [y](<a.md?q> 'a.md')\r\n"
        b"`[a](a.md)` [z](b.md) [e](https://example.org/a.md)\n\n[r]: a.md\n"
    )
    folder(tmp_path, {"a.md": b"[me](a.md)\n", "b.md": text, "c.md": b"a.md\n"})
    assert relinked(tmp_path, "a.md", "new.md") == {
        "a.md": b"[me](new.md)\n",
        "b.md": (
            b"---\ntitle: a.md\n---\n[a.md](new.md) ![x](./new.md#top) [y](<new.md?q> 'a.md')\r\n"
            b"`[a](a.md)` [z](b.md) [e](https://example.org/a.md)\n\n[r]: new.md\n"
        ),
    }


def test_names_are_written_as_links_need_them(tmp_path: Path) -> None:
    """Blanks and brackets in the name of an attachment end no link."""
    page = b"![p](my%20plan.txt) [q](<my plan.txt>)\n"
    folder(tmp_path, {"a.md": page, "my plan.txt": b"x"})
    changed = b"![p](the%20%28new%29%20plan.txt) [q](<the%20%28new%29%20plan.txt>)\n"
    assert relinked(tmp_path, "my plan.txt", "the (new) plan.txt") == {"a.md": changed}


def test_pages_that_are_no_text(tmp_path: Path) -> None:
    """Their bytes are kept."""
    folder(tmp_path, {"a.md": b"x", "b.md": b"\xef\xbb\xbf\xff [a](a.md) \xfe\r\n"})
    assert relinked(tmp_path, "a.md", "c.md") == {"b.md": b"\xef\xbb\xbf\xff [a](c.md) \xfe\r\n"}


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a right there")
def test_a_page_with_two_names_is_changed_once(tmp_path: Path) -> None:
    """A link to a page is that page."""
    folder(tmp_path, {"a.md": b"x", "b.md": b"[a](a.md)\n"})
    (tmp_path / "also.md").symlink_to("b.md")
    assert list(relinked(tmp_path, "a.md", "c.md").values()) == [b"[a](c.md)\n"]

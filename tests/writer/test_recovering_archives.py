"""What a killed writer left beside an archive, which itself is always whole."""

from __future__ import annotations

import zipfile
from pathlib import Path

from memoryfield_readers.beside import beside
from memoryfield_writer import recover


def test_an_archive(tmp_path: Path) -> None:
    """What a killed writer left beside it goes; what is being made, and what is others', stays."""
    archive = tmp_path / "a.memoryfield.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a.md", "# A\n")
    others = (".b.memoryfield.zip.0123456789abcdef.new", f".{archive.name}.new", "a.md")
    left = f".{archive.name}.0123456789abcdef.new"
    for name in (left, *others):
        (tmp_path / name).write_bytes(b"part")
    with beside(archive, folder=False) as being_made:
        recovered = recover(archive)
        assert (recovered.action, recovered.files) == ("undone", (left,))
        assert being_made.exists()
        assert recover(archive).action == "nothing"
    assert {item.name for item in tmp_path.iterdir()} == {archive.name, *others}

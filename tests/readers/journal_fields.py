"""A field, a batch for it, and what whoever opens it sees."""

from __future__ import annotations

from pathlib import Path

from memoryfield_readers import Field, open_field

BEFORE = {
    "a.md": b"a\n",
    "b.md": b"b\n",
    "c.md": b"c\n",
    "data.bin": b"\0" * 300_000,
    "sub/linked.md": b"linked\n",
    "sub/other.txt": b"other\n",
}
LINKS = {"linked.md": "sub/linked.md", "to-a.md": "a.md", "gone.md": "b.md"}
PUTS = {
    "a.md": b"a, and more\n",
    "added.md": b"added\n",
    "B.md": b"b\n",
    "data.bin": b"\1" * 400_000,
    "sub/linked.md": b"linked, and more\n",
}
REMOVES = ("b.md", "c.md", "gone.md")
AFTER = {name: data for name, data in (BEFORE | PUTS).items() if name not in REMOVES}
AFTER_LINKS = {"linked.md": "sub/linked.md", "to-a.md": "a.md"}


def fill(root: Path, files: dict[str, bytes], links: dict[str, str]) -> Path:
    """Make a folder."""
    (root / "sub").mkdir(parents=True)
    for name, data in files.items():
        (root / name).write_bytes(data)
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


def content(field: Field) -> dict[str, object]:
    """All that a field says of itself, times apart."""
    names = [*field.pages, *field.attachments]
    return {
        "digest": field.digest(),
        "bytes": {name: b"".join(field.chunks(name)) for name in names},
        "pages": [(page.name, page.raw) for page in field.read(field.pages)],
        "entries": [(each.path, each.kind, each.size, each.leads_to)
                    for each in field.entries.values() if each.path != ".memoryfield"],
        "nested": [(each.path, each.kind, each.size) for each in field.nested()],
        "odd": field.irregular,
    }  # fmt: skip


def seen(root: Path) -> dict[str, object]:
    """What whoever opens a folder now sees."""
    with open_field(root) as field:
        return content(field)

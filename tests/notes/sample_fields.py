"""Fields for tests of notes, from a few words."""

from __future__ import annotations

from pathlib import Path

from memoryfield_notes import Store, StoreKind, open_store
from memoryfield_readers import Field, memory_field

KINDS: tuple[StoreKind, ...] = ("json", "sqlite")

UUIDS = tuple(f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "123456789")
ONE, TWO, THREE = UUIDS[:3]


def page(text: str, uuid: str | None = None, parent: str | None = None) -> bytes:
    """The bytes of a page."""
    lines = ["---", "title: A page"]
    lines += [f"uuid: {uuid}"] if uuid is not None else []
    lines += [f"parent: {parent}"] if parent is not None else []
    return "\n".join([*lines, "---", text, ""]).encode()


def field_of(pages: dict[str, str | bytes], name: str = "field") -> Field:
    """A field in memory; what is text gets frontmatter."""
    files = {
        f"{stem}.md": page(text) if isinstance(text, str) else text for stem, text in pages.items()
    }
    return memory_field(files, name)


FAMILY: dict[str, str | bytes] = {
    "root": page("The root of it", ONE),
    "stem": page("The stem, quite short", TWO, ONE),
    "leaf": page("A leaf", parent="stem"),
    "bud": page("A bud", parent="stem.md"),
    "stray": page("Lost", parent="nowhere"),
}


def store_of(path: Path, kind: StoreKind, pages: dict[str, str | bytes] | None = None) -> Store:
    """A store that was brought up to a field."""
    store = open_store(path, kind=kind, create=True)
    with field_of(FAMILY if pages is None else pages) as field:
        store.rebuild(field)
    return store

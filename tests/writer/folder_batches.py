"""Folders before a batch, plans of every kind of it, and what is right afterwards."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memoryfield_readers import DEFAULT_LIMITS, Manifest, open_field
from memoryfield_writer.plan import Plan, Put
from memoryfield_writer.targets.folder import FolderTarget

LINKS = {"linked.md": "sub/target.md", "also.md": "sub/target.md", "loose.md": "kept-00.md"}
"""The symbolic links of the folder, and where they lead."""

FILES = {
    **{f"page-{number:02}.md": f"# Page {number}\n".encode() * 3 for number in range(12)},
    **{f"kept-{number:02}.md": f"# Kept {number}\n".encode() for number in range(3)},
    "sub/target.md": b"# Target\n",
    "sub/other.txt": b"other\n",
    "plot.png": bytes(range(256)) * 40,
    "index.sqlite3": b"SQLite format 3\0" * 9,
    ".DS_Store": b"debris",
}
"""The files of the folder."""


@dataclass(frozen=True)
class Case:
    """A batch.

    Attributes:
        name: of it.
        puts: what is written.
        removes: what goes.
    """

    name: str
    puts: Mapping[str, Put]
    removes: tuple[str, ...] = ()

    @property
    def after(self) -> dict[str, bytes | str]:
        """What the folder holds afterwards."""
        content: dict[str, bytes | str] = {**FILES, **LINKS}
        for path in self.removes:
            del content[path]
        return {**content, **{path: put.content for path, put in self.puts.items()}}

    def plan(self) -> Plan:
        """The batch as it is carried out."""
        return Plan(self.puts, self.removes, (), manifest(self.after))


def _replaced(path: str, content: bytes = b"# Other\n" * 5) -> dict[str, Put]:
    return {path: Put(content, path)}


def _renamed(name: str, to: str) -> dict[str, Put]:
    return {to: Put(FILES[name], name, moved=True)}


_TWENTY = Case(
    "twenty",
    {
        **{f"new-{number}.md": Put(f"# New {number}\n".encode()) for number in range(5)},
        **{
            path: put
            for number in range(6)
            for path, put in _replaced(f"page-{number:02}.md", b"# %d\n" % number).items()
        },
        **_renamed("page-06.md", "renamed.md"),
        "also-renamed.md": Put(b"# Renamed and changed\n", "page-07.md"),
        **_replaced("sub/target.md"),
        **_replaced("plot.png", b"\x89PNG" * 3000),
        **_replaced("index.sqlite3", b"SQLite format 3\0" * 8),
        "empty.txt": Put(b""),
    },
    ("page-06.md", "page-07.md", "page-08.md", "page-09.md", "loose.md"),
)

CASES = (
    Case("replace", _replaced("page-00.md")),
    Case("add", {"new.md": Put(b"# New\n")}),
    Case("remove", {}, ("page-00.md",)),
    Case("rename", _renamed("page-00.md", "renamed.md"), ("page-00.md",)),
    Case("through-a-link", _replaced("sub/target.md")),
    Case("remove-a-link", {}, ("loose.md",)),
    Case("two", {**_replaced("page-00.md"), "new.md": Put(b"# New\n")}),
    Case(
        "few",
        {**_replaced("sub/target.md"), "new.md": Put(b"# New\n")},
        ("page-00.md", "loose.md"),
    ),
    Case(
        "five",
        {
            **_replaced("page-00.md"),
            **_replaced("sub/target.md"),
            **_renamed("page-02.md", "renamed.md"),
            "new.md": Put(b"# New\n"),
        },
        ("page-01.md", "page-02.md", "loose.md"),
    ),
    Case(
        "swap",
        {
            "page-00.md": Put(FILES["page-01.md"], "page-01.md", moved=True),
            "page-01.md": Put(FILES["page-00.md"], "page-00.md", moved=True),
        },
    ),
    _TWENTY,
)
"""Batches of 1 to 20 operations, each kind alone and together."""

BY_NAME = {case.name: case for case in CASES}

_NEXT = Case("next", {"page-11.md": Put(b"# Next\n", "page-11.md"), "next.md": Put(b"# Next\n")})


def make_folder(path: Path) -> None:
    """Make the folder as it is before a batch."""
    (path / "sub").mkdir(parents=True)
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    for name, target in LINKS.items():
        (path / name).symlink_to(target)


def manifest(content: Mapping[str, bytes | str]) -> Manifest:
    """The manifest of a field that holds such files and links."""
    hashes = {}
    for name, value in content.items():
        if "/" in name or name.startswith(".") or name.endswith(".sqlite3"):
            continue
        real = content[value] if isinstance(value, str) else value
        assert isinstance(real, bytes)
        hashes[name] = hashlib.sha256(real).hexdigest()
    return Manifest.of(hashes)


def digest_of(content: Mapping[str, bytes | str]) -> str:
    """The field pin of a folder that holds such files and links."""
    return manifest(content).digest


BEFORE: dict[str, bytes | str] = {**FILES, **LINKS}
BEFORE_DIGEST = digest_of(BEFORE)


def apply_case(path: Path, case: Case) -> tuple[str, ...]:
    """Carry out a batch; what is noted."""
    target = FolderTarget(path, str(path), DEFAULT_LIMITS)
    with target.held(5.0, None) as held:
        return held.persist(case.plan()).notes


def apply_next(path: Path) -> None:
    """Carry out another batch, and see that it is there."""
    apply_case(path, _NEXT)
    held = content_of(path)
    assert held["next.md"] == held["page-11.md"] == b"# Next\n"


def read_digest(path: Path) -> str:
    """The field pin of a folder, as any reader has it."""
    with open_field(path) as field:
        return field.digest()


def content_of(path: Path) -> dict[str, bytes | str]:
    """All files and links that a folder really holds."""
    found: dict[str, bytes | str] = {}
    for folder, folders, names in os.walk(path):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*names, *links):
            file = os.path.join(folder, name)
            key = os.path.relpath(file, path).replace(os.sep, "/")
            if os.path.islink(file):
                found[key] = os.readlink(file)
                continue
            with open(file, "rb") as opened:
                found[key] = opened.read()
    return found


def is_clean(path: Path) -> bool:
    """Whether a folder is at rest."""
    return not (path / ".memoryfield").exists()

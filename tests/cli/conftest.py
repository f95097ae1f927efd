"""Locations of every kind that a command may meet; nothing changes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.command import FAULTY, GOOD, KNOWN, NOTED, WARNED, archive, folder

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of locations, each named for what it is."""
    root = tmp_path_factory.mktemp("places")
    for name, page in {"good": GOOD, "faulty": FAULTY, "warned": WARNED, "noted": NOTED}.items():
        folder(root / name, {"woks.md": page})
        archive(root / f"{name}.memoryfield.zip", {"woks.md": page})
    folder(root / "known", KNOWN)
    archive(root / "known.memoryfield.zip", KNOWN)
    folder(root / "empty", {})
    archive(root / "empty.memoryfield.zip", {})
    climbs = zip_bytes(ZipEntry("../evil.md", b"evil\n"), ZipEntry("woks.md", GOOD))
    (root / "unsafe.memoryfield.zip").write_bytes(climbs)
    (root / "text.memoryfield.zip").write_bytes(b"This is no archive.\n")
    (root / "zero.memoryfield.zip").write_bytes(b"")
    damaged = (root / "good.memoryfield.zip").read_bytes()[:-10]
    (root / "cut.memoryfield.zip").write_bytes(damaged)
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "fifo")
    return root

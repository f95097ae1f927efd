"""The suite as plain files, for implementers who have nothing of ours.

The same suite gives the same bytes on every machine: nothing depends on a clock, an order of a
file system, or a compressor.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from memoryfield_readers import LocationError
from memoryfield_spec import standard

from .case import ARCHIVE, ARCHIVE_NAME, DIRECTORY, Archive, Case, Edit, File
from .errors import CannotCarry
from .judging import expected_answer
from .places import archive_bytes, sources_of
from .suite import Suite, fixtures

EXPECTED = "expected.json"
SUMS = "SHA256SUMS"
README = "README.md"


class Written(NamedTuple):
    """How much an export wrote: cases, and files in all."""

    cases: int
    files: int


def export_suite(suite: Suite, folder: Path) -> Written:
    """Write all cases below a folder, which must be new or empty.

    Raises:
        LocationError: the folder is there and not empty, or cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise LocationError(
                "is not empty", location=str(folder), hint="name a new folder to export to"
            )
        folder.mkdir(parents=True, exist_ok=True)
        target = _Target(folder)
        answers = [_exported(case, target) for case in suite.cases]
        document = {"version": 1, "spec": 1, "cases": answers}
        target.write(EXPECTED, (json.dumps(document, indent=1) + "\n").encode())
        target.write(README, (fixtures() / "export-README.md").read_bytes())
        target.write("SPEC.md", standard().encode())
        sums = "".join(f"{digest}  {name}\n" for name, digest in sorted(target.sums.items()))
        (folder / SUMS).write_bytes(sums.encode())
    except OSError as error:
        raise LocationError(f"cannot be written: {error}", location=str(folder)) from None
    return Written(len(answers), len(target.sums) + 1)


class _Target:
    """The folder that is written to, and the digest of each file in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sums: dict[str, str] = {}

    def write(self, name: str, data: bytes) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as file:
            file.write(data)
        self.sums[name] = hashlib.sha256(data).hexdigest()
        return name


def _exported(case: Case, target: _Target) -> dict[str, Any]:
    """Write the files of a case; what `expected.json` says of it."""
    told: dict[str, Any] = {
        "id": case.id,
        "kind": case.kind,
        "title": case.title,
        "why": case.why,
        "requirements": list(case.requirements),
        "limits": dict(case.settings),
        "pin": case.pin,
        "audit": case.audit,
    }
    if case.edit is not None:
        told |= _exported_edit(case, case.edit, target)
    return told | {"inputs": list(_inputs(case, target))}


def _exported_edit(case: Case, edit: Edit, target: _Target) -> dict[str, Any]:
    """The batch of an edit, and the files after it where it is not refused."""
    after: dict[str, Any] | None = None
    if "error" not in case.expect:
        path = f"edits/{case.id}/after"
        after = {"path": path, "make": list(_write_directory(case.after, path, target))}
    batch = target.write(f"edits/{case.id}/batch.json", edit.batch.encode())
    return {"batch": batch, "allow": list(edit.allow), "stamp": edit.stamp, "after": after}


def _inputs(case: Case, target: _Target) -> Iterator[dict[str, Any]]:
    """One input for each source that can carry the case, with the answer to it."""
    if isinstance(case.given, bytes):
        path = target.write(f"pages/{case.id}.md", case.given)
        yield {"source": "page", "path": path, "make": [], "expected": _answer(case, DIRECTORY)}
        return
    sources = sources_of(case)
    if DIRECTORY in sources:
        path = f"fields/{case.id}"
        made = list(_write_directory(case.files, path, target))
        expected = _answer(case, DIRECTORY)
        yield {"source": DIRECTORY, "path": path, "make": made, "expected": expected}
    if ARCHIVE in sources:
        archive = _archive(case)
        if archive is not None:
            path = target.write(f"archives/{case.id}/{archive.file_name}", archive.data)
            expected = _answer(case, ARCHIVE)
            yield {"source": ARCHIVE, "path": path, "make": [], "expected": expected}


def _archive(case: Case) -> Archive | None:
    if isinstance(case.given, Archive):
        return case.given
    try:
        return Archive(ARCHIVE_NAME, archive_bytes(case.files))
    except CannotCarry:
        return None


def _answer(case: Case, source: str) -> Mapping[str, Any]:
    return expected_answer(case, source)


def _write_directory(files: tuple[File, ...], path: str, target: _Target) -> Iterator[Any]:
    """Write what every file system can hold; the rest is told, to be made by hand."""
    (target.root / path).mkdir(parents=True)
    spelled: dict[str, str] = {}  # what is written, and the folders above, by what folds to it
    for file in files:
        above = [str(folder) for folder in PurePosixPath(file.name).parents][:-1]
        is_new = file.name.casefold() not in spelled
        agrees = all(spelled.get(folder.casefold(), folder) == folder for folder in above)
        if file.content is not None and _is_portable(file.name) and is_new and agrees:
            target.write(f"{path}/{file.name}", file.content)
            spelled |= {name.casefold(): name for name in (file.name, *above)}
        else:
            yield _instruction(file, path, target)


def _is_portable(name: str) -> bool:
    """Whether any file system, and any line of `SHA256SUMS`, can hold a name."""
    parts = name.split("/")
    return (
        name.isascii()
        and name.isprintable()
        and not set(name) & set('\\:*?"<>|')
        and all(len(part) < 128 and part[-1:] not in ("", ".", " ") for part in parts)
        and not any(part.partition(".")[0].lower() in _DEVICES for part in parts)
        and ".git" not in name.lower().split("/")  # no repository could carry the export
    )


_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"}
_DEVICES |= {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}


def _instruction(file: File, path: str, target: _Target) -> dict[str, Any]:
    """How to make a file that cannot be stored as it is: its name, and where its bytes are."""
    told: dict[str, Any] = {"name": file.name}
    try:
        file.name.encode()
    except UnicodeEncodeError:
        raw = file.name.encode("utf-8", "surrogateescape")
        told = {"name-hex": raw.hex()}
    if file.link is not None:
        return told | {"link": file.link}
    if file.special is not None:
        return told | {"special": file.special}
    content = file.content or b""
    digest = hashlib.sha256(content).hexdigest()
    blob = f"content/{digest}"
    if blob not in target.sums:
        target.write(blob, content)
    return told | {"content": blob}

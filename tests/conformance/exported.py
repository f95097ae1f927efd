"""An export as somebody uses it who has nothing but `expected.json` and what it names."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AmbiguousMatch,
    BatchRejected,
    FrontmatterState,
    InvalidBatch,
    LimitExceeded,
    Limits,
    MemoryfieldError,
    WriteConflict,
    inspect_field,
    open_field,
)
from memoryfield_validator import validate
from memoryfield_writer import Batch
from memoryfield_writer.applying import apply

Object = dict[str, Any]
BY_LISTS = ("MF802", "MF803", "MF804")
ERRORS: dict[type[MemoryfieldError], str] = {
    InvalidBatch: "invalid-batch",
    BatchRejected: "batch-rejected",
    LimitExceeded: "batch-rejected",
    AmbiguousMatch: "ambiguous-match",
    WriteConflict: "write-conflict",
}
REPORT = ("rule", "level", "file", "line", "column")


def inputs_of(export: Path) -> Iterator[tuple[Object, Object]]:
    """Each input, with its case."""
    for case in json.loads((export / "expected.json").read_text("ascii"))["cases"]:
        for given in case["inputs"]:
            yield case, given


def place_of(given: Object, export: Path, scratch: Path) -> Path:
    """Where an input stands: in the export, or in a copy in which the rest is made."""
    path = export / str(given["path"])
    return _made(given, export, scratch / path.name) if given["make"] else path


def place_to_edit(case: Object, given: Object, export: Path, scratch: Path) -> Path:
    """A copy of an input that may be changed, with its batch beside it."""
    around = scratch / str(case["id"])
    around.mkdir()
    shutil.copyfile(export / case["batch"], around / "batch.json")
    return _made(given, export, around / "field")


def _made(given: Object, export: Path, copy: Path) -> Path:
    path = export / str(given["path"])
    shutil.copytree(path, copy)
    for told in given["make"]:
        name = bytes.fromhex(told["name-hex"]) if "name-hex" in told else os.fsencode(told["name"])
        target = os.path.join(os.fsencode(copy), name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if "link" in told:
            os.symlink(told["link"], target)
        elif told.get("special") == "fifo":
            os.mkfifo(target)
        elif told.get("special") == "folder":
            os.makedirs(target, exist_ok=True)
        else:
            shutil.copyfile(export / told["content"], target)
    return copy


def answered(case: Object, place: Path) -> Object:
    """What our readers and our validator say, in the words of `expected`."""
    limits = DEFAULT_LIMITS.with_settings(f"{name}={n}" for name, n in case["limits"].items())
    if case["kind"] == "edit":
        return _edited(case, place, limits)
    if case["kind"] == "digest":
        return _proof(case, place, limits)
    if case["kind"] == "page":
        return _reading(place, limits)
    with inspect_field(place, limits=limits) as field:
        report = validate(field, audit=case["audit"], ignore=BY_LISTS)
        pages = list(field.pages)
    findings = [{key: one.to_json()[key] for key in REPORT} for one in report.findings]
    files = {one["file"] for one in findings if one["level"] == "error" and one["file"] is not None}
    return {
        "verdict": report.verdict,
        "findings": findings,
        "files": sorted(files, key=str.encode),
        "pages": pages,
        "digest": report.digest,
    }


def _reading(place: Path, limits: Limits) -> Object:
    with inspect_field(place.parent, limits=limits) as field:
        page = field.page(place.name)
    said = page.frontmatter
    return {
        "state": said.state.value,
        "frontmatter": dict(said.fields) if said.state is FrontmatterState.PARSED else None,
        "body": page.body,
        "error": said.error and {"rule": said.error.rule, **said.error.position._asdict()},
    }


def _edited(case: Object, place: Path, limits: Limits) -> Object:
    stamp = case["stamp"] and datetime.fromisoformat(case["stamp"])
    how: Object = {"allow": case["allow"], "stamp": stamp, "limits": limits}
    batch = (place.parent / "batch.json").read_text("utf-8")
    error = None
    try:
        apply(place, Batch.from_json(batch), case["pin"], **how)
    except MemoryfieldError as refusal:
        error = ERRORS[type(refusal)]
    with inspect_field(place) as field:
        digest = field.digest() if field.entries else None
    return {"error": error, "files": left_in(place), "digest": digest}


def left_in(folder: Path) -> list[Object]:
    """The files below a folder, as `expected` names them."""
    found: list[Object] = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.append({"name": name, "link": os.readlink(path)})
        elif path.is_file():
            found.append({"name": name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()})
    return sorted(found, key=lambda file: str(file["name"]).encode())


def _proof(case: Object, place: Path, limits: Limits) -> Object:
    answer: Object = {"digest": None, "manifest": None}
    with inspect_field(place, limits=limits) as inspected:
        answer["archive-pin"] = inspected.archive_digest()
    try:
        with open_field(place, limits=limits) as field:
            answer |= {"manifest": field.manifest().text, "digest": field.digest()}
    except MemoryfieldError:
        answer |= {"digest": None, "manifest": None}
    answer["fits"] = case["pin"] in (answer["digest"], answer["archive-pin"])
    return answer

"""The adapter of memoryfield-kit: it answers every key of every kind, through the public API.

It is also the example for whoever writes one: `hello` says what is answered, and one function a
kind of case answers it. Run it with

    memoryfield conformance run --adapter 'python conformance-fixtures/adapters/memoryfield_kit.py'
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import Any, TypeAlias

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AmbiguousMatch,
    BatchRejected,
    Field,
    FrontmatterState,
    InvalidBatch,
    LimitExceeded,
    Limits,
    MemoryfieldError,
    WriteConflict,
    inspect_field,
    open_field,
)
from memoryfield_spec import __version__
from memoryfield_validator import registered, validate
from memoryfield_writer import Batch
from memoryfield_writer.applying import apply

Object: TypeAlias = dict[str, Any]

BY_LISTS = ("MF802", "MF803", "MF804")  # each validator has its own: no case goes by them
REPORT = ["verdict", "findings", "files", "pages", "digest"]
HELLO: Object = {
    "version": 1,
    "name": "memoryfield-kit",
    "release": __version__,
    "profile": "kit",
    "requirements": sorted(registered()),
    "answers": {
        "field": REPORT,
        "archive": REPORT,
        "page": ["state", "frontmatter", "body", "error"],
        "digest": ["digest", "manifest", "archive-pin", "fits"],
        "edit": ["error", "files", "digest"],  # the runner sees for itself what is left
    },
}


def main() -> None:
    """Answer each line until there is none, or until `bye`."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["type"] == "bye":
            return
        answer = HELLO if request["type"] == "hello" else answered(request)
        print(json.dumps(answer), flush=True)  # json.dumps writes ASCII: no encoding to think of


def answered(case: Object) -> Object:
    """The answer to a case; what is raised here is no answer, and no verdict either."""
    try:
        result = ANSWER[case["kind"]](case)
    except Exception as error:
        return {"id": case["id"], "error": f"{type(error).__name__}: {error}"}
    return {"id": case["id"], "result": result}


def report(case: Object) -> Object:
    """What a validator says of a field or an archive."""
    with inspect_field(case["path"], limits=limits(case)) as field:
        judged = validate(field, audit=case["audit"], ignore=BY_LISTS)
        pages = list(field.pages)
    findings = [finding.to_json() for finding in judged.findings]
    errors = {one["file"] for one in findings if one["level"] == "error"}
    keys = ("rule", "level", "file", "line", "column")
    return {
        "verdict": judged.verdict,
        "findings": [{key: one[key] for key in keys} for one in findings],
        "files": sorted(errors - {None}, key=str.encode),
        "pages": pages,
        "digest": judged.digest,
    }


def reading(case: Object) -> Object:
    """What a reader makes of one page: a field of one page could hold it just as well."""
    folder, _, name = case["path"].replace("\\", "/").rpartition("/")
    with inspect_field(folder, limits=limits(case)) as field:
        page = field.page(name)
    frontmatter = page.frontmatter
    error = frontmatter.error
    parsed = frontmatter.state is FrontmatterState.PARSED
    return {
        "state": frontmatter.state.value,
        "frontmatter": dict(frontmatter.fields) if parsed else None,
        "body": page.body,
        "error": error and {"rule": error.rule, **error.position._asdict()},
    }


def proof(case: Object) -> Object:
    """The pins of a field, and whether the pin that was given is one of them."""
    with inspect_field(case["path"], limits=limits(case)) as field:
        archive_pin = field.archive_digest()
    manifest, digest = pinned(case)
    fits = None if case["pin"] is None else case["pin"] in (digest, archive_pin)
    return {"digest": digest, "manifest": manifest, "archive-pin": archive_pin, "fits": fits}


def edited(case: Object) -> Object:
    """Which error kept a batch from being applied; the field is edited where it stands."""
    stamp = case["stamp"] and datetime.fromisoformat(case["stamp"])
    how: Object = {"limits": limits(case), "allow": case["allow"], "stamp": stamp}
    try:
        apply(case["path"], Batch.from_json(case["batch"]), case["pin"], **how)
    except InvalidBatch:
        return {"error": "invalid-batch"}
    except (BatchRejected, LimitExceeded):
        return {"error": "batch-rejected"}
    except AmbiguousMatch:
        return {"error": "ambiguous-match"}
    except WriteConflict:
        return {"error": "write-conflict"}
    return {"error": None}


def pinned(case: Object) -> tuple[str | None, str | None]:
    """The manifest and the field pin; neither where the field is refused or has nothing to pin."""
    field: Field
    try:
        with open_field(case["path"], limits=limits(case)) as field:
            return field.manifest().text, field.digest()
    except MemoryfieldError:
        return None, None


def limits(case: Object) -> Limits:
    """The limits of a case: the defaults of the standard, but for those that it names."""
    return DEFAULT_LIMITS.with_settings(f"{name}={n}" for name, n in case["limits"].items())


ANSWER = {"field": report, "archive": report, "page": reading, "digest": proof, "edit": edited}

if __name__ == "__main__":
    main()

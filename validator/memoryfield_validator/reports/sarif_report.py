"""The report as SARIF 2.1.0, as code scanning on GitHub accepts it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memoryfield_spec import __version__, catalogue

from ..checked import Checked
from .places import Base, base_of, is_relative, name_of, uri_of
from .results import Problem, Result, gravest_first, one_line, problems_of, results_of, sentences
from .sarif_rules import SARIF_LEVELS, rules

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

MOST_RESULTS = 25_000
"""Results of a run beyond which GitHub refuses the whole file; it shows the gravest 5,000."""

_ROOT = "%SRCROOT%"
_ROOT_TEXT = "The folder from which paths are told: the root of the repository."


def render_sarif(checked: Sequence[Checked], *, base: Base = None) -> str:
    """One run with all rules, a result for each finding, and what could not be read; pure ASCII.

    Arguments:
        checked: what came of each location.
        base: the folder from which paths are told, the root of the repository if results are to be
            shown in its files; None for the working directory.
    """
    root = base_of(base)
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(checked, root)]}
    return f"{json.dumps(log, allow_nan=False, separators=(',', ':'))}\n"


def _run(checked: Sequence[Checked], base: Base) -> dict[str, Any]:
    results, problems = [*results_of(checked)], [*problems_of(checked)]
    kept, left_out = results, len(results) - MOST_RESULTS
    notes = [_unread(problem, base) for problem in problems]
    if left_out > 0:
        kept = gravest_first(results)[:MOST_RESULTS]
        text = f"{left_out} more findings are not in this file: no more than {MOST_RESULTS} may be"
        notes.append({"level": "warning", "message": {"text": text}})
    indices = {id: index for index, id in enumerate(catalogue())}
    seen: Counter[str] = Counter()
    return {
        "tool": {
            "driver": {
                "name": "memoryfield",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": rules(),
            }
        },
        "invocations": [{"executionSuccessful": not problems, "toolExecutionNotifications": notes}],
        "originalUriBaseIds": {_ROOT: {"description": {"text": _ROOT_TEXT}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(result, base, indices, seen) for result in kept],
    }


def _result(
    result: Result,
    base: Base,
    indices: Mapping[str, int],
    seen: Counter[str],
) -> dict[str, Any]:
    finding, entry = result.finding, result.entry
    message = f"{entry}: {finding.message}" if entry else finding.message
    uri = uri_of(result.checked, finding.file, base)
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(uri), "region": _region(result)}
    }
    properties: dict[str, Any] = {"fixable": finding.fixable}
    if finding.file is not None and entry:
        name = one_line(finding.file)
        logical = {"name": name, "fullyQualifiedName": name, "kind": "resource"}
        location["logicalLocations"] = [logical]
        if finding.line is not None:
            properties |= {"entryLine": finding.line, "entryColumn": finding.column or 1}
    mark = _fingerprint(result, uri)
    seen[mark] += 1
    return {
        "ruleId": finding.rule,
        "ruleIndex": indices[finding.rule],
        "level": SARIF_LEVELS[finding.level],
        "message": _message(sentences(message, finding.hint)),
        "locations": [location],
        "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{seen[mark]}"},
        "properties": properties,
    }


def _region(result: Result) -> dict[str, int]:
    """The character at fault; what has no line, or only one within an entry, is at 1:1."""
    finding, excerpt = result.finding, result.excerpt
    if result.entry or finding.line is None:
        return {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
    line, column = finding.line, finding.column or 1
    width = 1 if excerpt is not None and excerpt.after else 0
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": line,
        "endColumn": column + width,
    }


def _fingerprint(result: Result, uri: str) -> str:
    """The same for the same rule, file and content of the line, wherever the line has moved."""
    digest = result.excerpt.digest if result.excerpt else None
    identity = json.dumps([result.finding.rule, uri, result.finding.file, digest])
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


def _artifact(uri: str) -> dict[str, str]:
    return {"uri": uri, "uriBaseId": _ROOT} if is_relative(uri) else {"uri": uri}


def _unread(problem: Problem, base: Base) -> dict[str, Any]:
    uri = uri_of(problem.checked, None, base)
    text = f"{one_line(name_of(problem.checked))}: {problem.text}"
    return {
        "level": "error",
        "message": _message(sentences(text, problem.error.hint)),
        "descriptor": {"id": type(problem.error).__name__},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(uri)}}],
    }


def _message(lines: Sequence[str]) -> dict[str, str]:
    """A message in which nothing is a placeholder or a link (SARIF 3.11.5 and 3.11.6)."""
    text = "\n".join(lines).replace("{", "{{").replace("}", "}}")
    if "](" in text:
        text = text.replace("[", "\\[").replace("]", "\\]")
    return {"text": text}

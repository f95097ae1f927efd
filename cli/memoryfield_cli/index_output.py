"""What the commands on vector indexes print: facts for JSON, and lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memoryfield_readers import as_unicode, visible

from .output import warn

if TYPE_CHECKING:
    from memoryfield_index.building import IndexStats
    from memoryfield_index.info import IndexInfo
    from memoryfield_index.verifying import Verification

FINDINGS = 1
"""The exit code where something is not as it should be."""

_MOST_NAMED = 5
"""So many pages are named in a line for people; JSON has them all."""


def built_line(stats: IndexStats) -> str:
    """What came of a build, for people."""
    counts = {
        "embedded": stats.embedded,
        "embedded before": stats.cached,
        "as they were": stats.reused,
        "removed": len(stats.removed),
        "failed": len(stats.failed),
    }
    said = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    return visible(f"{stats.path}: {pages_text(stats.pages)} ({said})")


def verification_facts(found: Verification) -> dict[str, Any]:
    """What a comparison of rows with pages has shown, as JSON."""
    return {
        "name": as_unicode(found.name),
        "path": as_unicode(found.location),
        "model": found.model,
        "sound": found.is_sound and found.mismatch is None,
        "pages": found.pages,
        "rows": found.rows,
        "missing": [as_unicode(name) for name in found.missing],
        "stale": [as_unicode(name) for name in found.stale],
        "superfluous": [as_unicode(name) for name in found.superfluous],
        "faulty": [_with_reason(*each) for each in found.faulty],
        "unread": [_with_reason(*each) for each in found.unread],
        "sampled": [
            {
                "page": as_unicode(each.name),
                "cosine": each.cosine,
                "reason": as_unicode(each.reason) or None,
            }
            for each in found.sampled
        ],
    }


def _with_reason(name: str, reason: str) -> dict[str, str]:
    return {"page": as_unicode(name), "reason": as_unicode(reason)}


def verification_lines(found: Verification) -> list[str]:
    """What a comparison of rows with pages has shown, for people."""
    lines: list[str] = []
    for what, names in (
        ("without a row", found.missing),
        ("with a row that is not of the page as it stands", found.stale),
        ("named by a row too many", found.superfluous),
    ):
        if names:
            lines.append(f"{pages_text(len(names))} {what}: {named(names)}")
    for what, reasons in (("cannot be used", found.faulty), ("cannot be judged", found.unread)):
        for name, reason in reasons:
            lines.append(f"the row of {name} {what}: {reason}")
    said = f", {len(found.sampled)} made again" if found.sampled else ""
    verdict = "sound" if found.is_sound and found.mismatch is None else "not sound"
    lines.append(f"{found.rows:,} rows, {pages_text(found.pages)}{said}: {verdict}")
    return [visible(f"{found.location}: {line}") for line in lines]


def named(names: Sequence[str]) -> str:
    """The first of some pages, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def pages_text(count: int) -> str:
    """How many pages, in words."""
    return f"{count:,} page" if count == 1 else f"{count:,} pages"


def info_facts(found: IndexInfo) -> dict[str, Any]:
    """What an index says of itself, as JSON."""
    facts = asdict(found)
    facts["path"] = facts.pop("location")
    return {
        name: as_unicode(value) if isinstance(value, str) else value
        for name, value in facts.items()
    }


def info_lines(found: IndexInfo) -> str:
    """What an index says of itself, for people."""
    facts = info_facts(found)
    recipe = facts.pop("recipe") or {}
    facts["embedder"] = recipe.get("embedder")
    lines = []
    for name, value in facts.items():
        if value not in (None, "", 0):
            shown = f"{value:,}" if isinstance(value, int) else visible(str(value))
            lines.append(f"{name.replace('_', ' '):<15} {shown}\n")
    if not recipe:
        lines.append("how its vectors were made is not known\n")
    return "".join(lines)


def no_index(location: str) -> int:
    """Say that a field has no index; the exit code."""
    warn(f"{location}: there is no vector index (`memoryfield index build` makes one)")
    return FINDINGS

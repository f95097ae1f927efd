"""The settings of a check as one immutable value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoryfield_readers import DEFAULT_LIMITS, Limits
from memoryfield_spec import Level


@dataclass(frozen=True, slots=True)
class Settings:
    """How fields are checked, and what counts.

    Attributes:
        select: ids or beginnings of ids to check; None for all.
        ignore: ids or beginnings of ids not to check; None where nothing is said.
        per_file_ignores: shell patterns of file names, each with ids or beginnings of ids whose
            findings in such files are left out.
        fail_on: the mildest level of a finding that fails a check.
        limits: how much to take from a source (MF607).
        severity: ids or beginnings of ids with the level that their findings have instead.
        source: the file they come from, as messages name it; None for none.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fail_on: Level = "error"
    limits: Limits = DEFAULT_LIMITS
    severity: Mapping[str, Level] = field(default_factory=dict)
    source: str | None = None

"""What a project wants of its checks: read from a TOML file, applied to reports."""

from __future__ import annotations

from .applying import Applied, Ignore, apply
from .finding_files import find_settings
from .reading import SettingsError, read_settings
from .values import Settings

__all__ = [
    "Applied",
    "Ignore",
    "Settings",
    "SettingsError",
    "apply",
    "find_settings",
    "read_settings",
]

"""What a location says: which transport, and where."""

from __future__ import annotations

from .parsing import parse_location
from .values import (
    FsspecLocation,
    GitHubLocation,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
)

__all__ = [
    "FsspecLocation",
    "GitHubLocation",
    "GitLocation",
    "HttpLocation",
    "LocalLocation",
    "ParsedLocation",
    "S3Location",
    "parse_location",
]

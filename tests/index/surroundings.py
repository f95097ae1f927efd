"""An environment in which no embedder is told of by accident."""

from __future__ import annotations

import pytest

SAID = (
    "OLLAMA_HOST",
    "OLLAMA_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "MEMORYFIELD_OPENAI_API_KEY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
)
"""What embedders and their packages read."""


def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all of it out of the environment."""
    for name in SAID:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

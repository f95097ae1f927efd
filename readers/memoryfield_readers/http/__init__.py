"""What HTTP asks of a client: time, retries, redirects, credentials, and bodies that are whole."""

from __future__ import annotations

from .answer import Answer
from .client import HttpClient

__all__ = ["Answer", "HttpClient"]

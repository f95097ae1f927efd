"""Fields for agents that speak MCP: tools that search and read, and may set notes if so started.

The official SDK is imported where a server is made, and nowhere before.
"""

from __future__ import annotations

from .desk import Desk
from .refusals import Refusal

__all__ = ["Desk", "Refusal"]

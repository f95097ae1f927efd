"""How a server behaves: whom it answers, and how much it takes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names in `Host` that no stranger's page can have made a browser send elsewhere."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for all requests of a server.

    Attributes:
        allowed_hosts: names, beside those of the loopback, that clients may call this server by.
        users: password hashes by name; empty where nobody has to say who they are.
        most_requests: requests that are answered side by side; one more gets 503.
        most_connections: connections that are open side by side; one more gets 503.
        answer_seconds: how long an answer may take until it begins.
        head_seconds: how long a client may take to send a request.
        idle_seconds: how long a connection without a request is kept.
        stall_seconds: how long a client may take none of the bytes that are ready for it.
        grace_seconds: how long answers under way may still take when the server is to stop.
        look_seconds: how often a folder is looked at for changes, at most.
        follow_changes: whether it is looked at at all.
    """

    allowed_hosts: frozenset[str] = frozenset()
    users: Mapping[str, str] = field(default_factory=dict)
    most_requests: int = 128
    most_connections: int = 4096
    answer_seconds: float = 20.0
    head_seconds: float = 10.0
    idle_seconds: float = 5.0
    stall_seconds: float = 30.0
    grace_seconds: float = 10.0
    look_seconds: float = 2.0
    follow_changes: bool = True


DEFAULT_SETTINGS = Settings()

"""The words between a nurse and its process, each a line."""

from __future__ import annotations

READY = b"ready\n"
"""What the process says before anything is asked."""

BEGUN = b"begun\n"
"""What it says when it has all that it needs for what it was asked, and its time counts."""

NEXT = b"next\n"
"""What it says after an answer, when it can be asked again."""

LAST = b"last\n"
"""What it says after an answer with which it ends."""

"""A snapshot for a program that runs for long: taken at the start, kept, renewed between sessions.

What stands at the beginning of a prompt must not change while a session lasts: every change would
make the model read all of it anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoryfield_readers import DEFAULT_LIMITS, Limits, PinText, open_field

from .composing import DEFAULT_BUDGET, Snapshot, snapshot


class SessionSnapshot:
    """A snapshot that stays as it is until it is asked to look again."""

    def __init__(
        self,
        location: str,
        *,
        budget: int = DEFAULT_BUDGET,
        pages: Sequence[str] | None = None,
        name: str | None = None,
        pin: PinText | None = None,
        limits: Limits = DEFAULT_LIMITS,
        storage_options: Mapping[str, Any] | None = None,
        offline: bool = False,
    ) -> None:
        """Take the snapshot; see `snapshot` and `open_field` for the arguments and errors."""
        self._location = location
        self._form: dict[str, Any] = {
            "budget": budget,
            "pages": None if pages is None else tuple(pages),
            "name": name,
        }
        self._how: dict[str, Any] = {
            "pin": pin,
            "limits": limits,
            "storage_options": None if storage_options is None else dict(storage_options),
            "offline": offline,
        }
        self._taken = self._take()

    @property
    def text(self) -> str:
        """The block of text."""
        return self._taken.text

    @property
    def taken(self) -> Snapshot:
        """The snapshot itself."""
        return self._taken

    def refresh(self) -> bool:
        """Take it anew, between two sessions; whether it is another one now.

        Where the field cannot be had, or is not what was pinned, the error is raised and the
        snapshot stays.
        """
        before, self._taken = self._taken, self._take()
        return before.text != self._taken.text

    def _take(self) -> Snapshot:
        with open_field(self._location, **self._how) as field:
            return snapshot(field, **self._form)

"""One operation of a batch in its turn, and the errors that say which one it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryfield_readers import BatchRejected, InvalidBatch, WriteConflict

from ..batch import Operation


@dataclass(frozen=True, slots=True)
class Step:
    """An operation whose arguments have been checked.

    Attributes:
        operation: the operation.
        number: its place in the batch, from 1.
        of: how many operations the batch has.
        location: the field's location, as messages show it.
        content: the bytes that it adds or puts in the place of others; None for other operations.
    """

    operation: Operation
    number: int
    of: int
    location: str
    content: bytes | None = None

    def rejected(
        self,
        message: str,
        *,
        entry: str | None = None,
        hint: str | None = None,
        rules: Sequence[str] = (),
    ) -> BatchRejected:
        """The error of an operation that cannot be done in this field."""
        return BatchRejected(
            self.told(message),
            location=self.location,
            entry=entry,
            hint=hint,
            operation=self.number,
            rules=rules,
        )

    def invalid(
        self, message: str, *, entry: str | None = None, hint: str | None = None
    ) -> InvalidBatch:
        """The error of an operation that cannot be done in any field."""
        return InvalidBatch(
            self.told(message),
            location=self.location,
            entry=entry,
            hint=hint,
            operation=self.number,
        )

    def conflict(self, message: str, *, entry: str, hint: str) -> WriteConflict:
        """The error of an operation that was made for another file than the one that is there."""
        return WriteConflict(self.told(message), location=self.location, entry=entry, hint=hint)

    def told(self, message: str) -> str:
        """A message that says which operation it is about, where there are several."""
        if self.of == 1:
            return message
        return f"{message} (operation {self.number} of {self.of}, {self.operation.op})"

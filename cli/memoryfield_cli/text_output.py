"""The report for people, printed as the fields are checked."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from .output import no_command

if TYPE_CHECKING:
    from rich.console import Console

    from memoryfield_validator import Checked


class Wording(NamedTuple):
    """What the report calls things.

    Attributes:
        good: a field in which no error was found.
        bad: a field in which some were.
        note: what a person must know to understand these; None for nothing.
    """

    good: str = "valid"
    bad: str = "invalid"
    note: str | None = None


class TextOutput:
    """Prints what comes of each location, and of all together, as text and never as markup."""

    def __init__(self, wording: Wording, file: TextIO | None = None) -> None:
        """Print into a file, or on stdout with colours where that is a terminal."""
        from rich.console import Console

        from memoryfield_validator.reports import Verdicts

        self._verdicts = Verdicts(wording.good, wording.bad)
        self._note = wording.note

        out = cast("TextIO", _Guarded(sys.stdout)) if file is None else file
        self._console: Console = Console(file=out, highlight=False, markup=False, emoji=False)

    def add(self, outcome: Checked) -> None:
        """Print the report on one location."""
        from memoryfield_validator.reports import print_text

        print_text(outcome, self._console, verdicts=self._verdicts)

    def end(self, outcomes: Sequence[Checked], source: str | None) -> None:
        """Print what came of all locations, whose settings were taken, and the note."""
        from memoryfield_validator.reports import print_totals

        print_totals(
            outcomes, self._console, verdicts=self._verdicts, source=source, note=self._note
        )


class _Guarded:
    """A stream through which no text becomes a command of GitHub Actions."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(no_command(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def text_report(outcomes: Sequence[Checked], wording: Wording, source: str | None) -> str:
    """The whole report as one text."""
    out = io.StringIO()
    output = TextOutput(wording, out)
    for outcome in outcomes:
        output.add(outcome)
    output.end(outcomes, source)
    return out.getvalue()

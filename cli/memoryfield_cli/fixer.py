"""`--fix` and `--diff`: each field is mended before it is reported, or it is shown how."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .output import no_command, on_github, print_bytes, say, warn, without_commands
from .progress import bar_over_fields, change_bar, page_bar

if TYPE_CHECKING:
    from memoryfield_validator import Checked, Fixed, Request


class Fixer:
    """Mends fields, one after the other, and tells what it did.

    Attributes:
        writes: whether changes are written; otherwise they are printed as a diff.
        found_changes: whether there was anything to mend so far.
    """

    def __init__(self, *, writes: bool) -> None:
        """Nothing is mended yet."""
        self.writes = writes
        self.found_changes = False

    def outcomes(
        self, request: Request, locations: Sequence[str], *, streams: bool = True
    ) -> Iterator[Checked]:
        """What is left to tell of each field, with bars for people who wait.

        Arguments:
            request: what is asked of each field.
            locations: where the fields are.
            streams: whether something is printed on stdout field by field.
        """
        from memoryfield_validator import fix

        over_fields, bar = bar_over_fields(
            "Fixing fields", len(locations), streams=streams or not self.writes
        )
        with bar as step:
            for location in locations:
                fixed = fix(
                    location,
                    request,
                    write=self.writes,
                    watch=None if over_fields else page_bar,
                    watch_writing=None if over_fields else change_bar,
                )
                step()
                if fixed.proposal.changes:
                    self.found_changes = True
                    if not self.writes:
                        _print_diff(fixed, named=len(locations) > 1)
                    warn(f"{location}: {_summary(fixed, written=self.writes)}")
                yield fixed.checked


def _summary(fixed: Fixed, *, written: bool) -> str:
    from memoryfield_validator.reports import counted

    pages = {change.name for change in fixed.proposal.changes}
    verb = "mended" if written else "can mend"
    findings = counted(len(fixed.proposal.findings), "finding")
    return f"{verb} {findings} in {counted(len(pages), 'page')}"


def _print_diff(fixed: Fixed, *, named: bool) -> None:
    """Print the changes: as bytes that `git apply` takes, but escaped for people to see.

    These look at a terminal, or at the log of GitHub Actions, which carries out what is a command.
    """
    from memoryfield_readers import visible
    from memoryfield_validator.fixes import diff, patch

    with without_commands():
        if named:
            say(no_command(f"# {visible(fixed.checked.location)}"))
        if sys.stdout.isatty() or on_github():
            say(no_command(diff(fixed.proposal)), end="")
        else:
            print_bytes(patch(fixed.proposal))

"""`python -m tests.mutation`: prove that the conformance suite finds faults.

Breaks the rules, and what they decide by, in one place at a time, and puts the suite to each of
these mutants. Exits with 1 if a mutant survives that is not known to be equivalent.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.equivalents import read_equivalents, reason_for
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.report import problems_with_tables, report
from tests.mutation.suite import Suite, observe
from tests.mutation.targets import targets
from tests.mutation.trial import Verdict, try_all


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and give its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "place",
        nargs="*",
        help="break only this: the beginning of an id of a requirement, or of the full name of a "
        "function",
    )
    parser.add_argument(
        "--pass-over-failures",
        action="store_true",
        help="go on without the cases that fail although nothing is broken",
    )
    asked = parser.parse_args(arguments)
    all_targets = targets()
    everything = [mutant for target in all_targets for mutant in mutants_of(target)]
    problems = problems_with_tables(all_targets, everything)
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    mutants = [mutant for mutant in everything if _is_asked(mutant, asked.place)]
    begun = time.monotonic()
    at_once = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="memoryfield-mutation-") as folder:
        suite = observe(mutants, at_once=at_once, scratch=Path(folder))
        if not _passes(suite, go_on=asked.pass_over_failures):
            return 1
        verdicts = _tried(mutants, suite, at_once, Path(folder))
    equivalents = read_equivalents()
    text, is_good = report(verdicts, lambda mutant: reason_for(mutant, equivalents))
    print(text)
    print(f"{len(suite.cases)} cases, {time.monotonic() - begun:.0f} seconds")
    return 0 if is_good else 1


def _is_asked(mutant: Mutant, places: Sequence[str]) -> bool:
    name = f"{mutant.target.name}.{mutant.function}"
    known = (name, *mutant.requirements)
    return not places or any(each.startswith(place) for each in known for place in places)


def _passes(suite: Suite, *, go_on: bool) -> bool:
    """Whether the suite passes while nothing is broken; cases that fail may be left out."""
    failing = [case for case in suite.cases.values() if case.failures]
    for case in failing:
        print(f"fails though nothing is broken: {case.id} ({', '.join(case.failures)})")
        if go_on:
            del suite.cases[case.id]
            for ids in suite.reached.values():
                ids.discard(case.id)
    return go_on or not failing


def _tried(mutants: Sequence[Mutant], suite: Suite, at_once: int, scratch: Path) -> list[Verdict]:
    verdicts: list[Verdict] = []
    shows = sys.stderr.isatty()
    for verdict in try_all(mutants, suite, at_once=at_once, scratch=scratch):
        verdicts.append(verdict)
        if shows:
            survivors = sum(each.fate == "survived" for each in verdicts)
            done = f"{len(verdicts)} of {len(mutants)} mutants, {survivors} not caught"
            print(f"\r\x1b[K{done}", end="", file=sys.stderr, flush=True)
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr)
    places = {id(mutant): at for at, mutant in enumerate(mutants)}
    return sorted(verdicts, key=lambda verdict: places[id(verdict.mutant)])


if __name__ == "__main__":
    sys.exit(main())

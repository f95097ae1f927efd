"""`memoryfield explain`."""

from __future__ import annotations

import textwrap
from dataclasses import asdict

import click

from memoryfield_readers import visible
from memoryfield_spec import catalogue, requirement

from ..options import format_option
from ..output import print_json, say

_ORIGINS = {"draft-0.1": "the public draft 0.1", "kit": "this standard, beyond the public draft"}


@click.command(
    epilog="""\b
Examples:
  memoryfield explain MF304
  memoryfield explain --format json MF608
"""
)
@click.argument("rule")
@format_option("text", "json")
def command(rule: str, form: str) -> None:
    """Say what a requirement demands, why, and show a good and a bad example.

    RULE is an id such as MF304; `memoryfield rules` lists them.
    """
    several = [id for id in catalogue() if id.startswith(rule.upper())]
    if rule and len(several) > 1:
        listed = f"`memoryfield rules {visible(rule)}` lists them"
        raise click.UsageError(f"{visible(rule)} begins {len(several)} ids; {listed}")
    wanted = requirement(rule.upper())
    if form == "json":
        print_json({"version": 1, **asdict(wanted)})
        return
    say(f"{wanted.id}: {wanted.title}", bold=True)
    say(f"{wanted.level}, for {', '.join(wanted.classes)}; from {_ORIGINS[wanted.origin]}\n")
    say(textwrap.fill(wanted.statement, 88))
    say("\n" + textwrap.fill(f"Why: {wanted.why}", 88))
    for name, example in (("Good", wanted.good), ("Bad", wanted.bad)):
        say(f"\n{name}:", bold=True)
        say(textwrap.indent(example.rstrip("\n"), "    "))
    say("\n" + textwrap.fill(f"What to do: {wanted.hint}", 88))

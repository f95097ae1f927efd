"""`memoryfield fleet`: one job on many fields."""

from __future__ import annotations

import sys

import click

from memoryfield_spec import Level

from ..checking import ids, refuse_to_check_nothing
from ..embedding import Wish, embedder_options
from ..fleet_options import FAIL_ON_OPTION, IGNORE_OPTION, Plan, fleet_options, ids_as_options
from ..fleet_running import run
from ..usage import Group


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  memoryfield fleet validate 'fields/*/'
  memoryfield fleet validate 'fields/*/' --out checked/
  memoryfield fleet pin my-field/ '*.memoryfield.zip' --workers 2

\b
A PATTERN is
  a pattern     'fields/*/', 's3://bucket/*.memoryfield.zip', 's3://bucket/team-*/';
                *, ? and [...] stand within one name, ** for folders; quote them
  a list        a file of locations, one a line, that ends in .txt or .list; - is stdin
  a lock file   all fields of it
  a location    as all commands take it

\b
In the folder of --out
  results.jsonl  what came of each field, one a line
  totals.json    what it comes to
  report.html    the same for people
  others.jsonl   results of fields that were meant in an earlier run
""",
)
def command() -> None:
    """Do one job on many fields: validate, audit, pin or index them.

    The fields are found one by one, and done by processes of this machine or by the workers of a
    Dask cluster, several at a time. A field that fails or hangs is told with its reason, and keeps
    no other from being done. Workers take credentials from their own environment: none are sent.

    With --out, results are kept: run it again, and only what is new, has changed or has failed is
    done; so a run that was broken off goes on. Without --out, each result is a line of JSON on
    stdout; one of more than 1 MiB is cut, and says so. `seconds` in it are those of the last try.

    Exits with the code of the worst: 4 if a field could not be had, else 3 if one did not match its
    pin or is unsafe, else 1 if something was found or a field is empty. 1 also if no field is
    meant; a pattern that fits nothing is a failure, 4.
    """


@command.command(
    epilog="""\b
Examples:
  memoryfield fleet validate 's3://bucket/*.memoryfield.zip' --out checked/
  memoryfield fleet validate locations.txt --workers 4 --fail-on warning
  memoryfield fleet validate 's3://bucket/*/' --scheduler tcp://10.0.0.1:8786 --in-flight 500
"""
)
@click.option("--select", multiple=True, metavar="IDS", help="Check these alone: MF304, MF3, ...")
@IGNORE_OPTION
@FAIL_ON_OPTION
@fleet_options
def validate(select: tuple[str, ...], ignore: tuple[str, ...], fail_on: Level, plan: Plan) -> None:
    """Check many fields against the standard.

    The result of each is its report, as `memoryfield validate --format json` prints it. No settings
    are taken from files: options alone count.
    """
    from memoryfield_validator import Settings

    chosen, ignored = ids(select), ids(ignore)
    refuse_to_check_nothing(Settings(chosen, ignored), audit=False)
    sys.exit(run("validate", plan, ids_as_options(chosen, ignored), fail_on=fail_on))


@command.command(
    epilog="""\b
Examples:
  memoryfield fleet audit memoryfields.lock
  memoryfield fleet audit 's3://bucket/*/' --out audited/ --fail-on warning
"""
)
@IGNORE_OPTION
@FAIL_ON_OPTION
@fleet_options
def audit(ignore: tuple[str, ...], fail_on: Level, plan: Plan) -> None:
    """Review many fields, before a model reads them.

    That is done by the rules MF8, and no others. The result of each is a report, as
    `memoryfield audit --format json` prints it.
    """
    from memoryfield_validator import REVIEW, Settings

    ignored = ids(ignore)
    refuse_to_check_nothing(Settings((REVIEW,), ignored), audit=True)
    sys.exit(run("audit", plan, ids_as_options(None, ignored), fail_on=fail_on))


@command.command(
    epilog="""\b
Examples:
  memoryfield fleet pin 's3://bucket/*.memoryfield.zip' --out pinned/
  memoryfield fleet pin - < locations.txt
"""
)
@fleet_options
def pin(plan: Plan) -> None:
    """Find the pins of many fields as they are now.

    The result of each has its field pin, its archive pin if it is one, and where it was found.
    Fields of a lock file are looked at each time, and must have the pin that is locked.
    """
    sys.exit(run("pin", plan, {}))


@command.command(
    epilog="""\b
Examples:
  memoryfield fleet index 'fields/*/' --embedder local
  memoryfield fleet index 's3://bucket/*/' --out indexed/ --workers 2 --memory-limit 8G
"""
)
@embedder_options
@fleet_options
def index(wish: Wish, plan: Plan) -> None:
    """Bring the vector indexes of many fields up to date.

    They stand in the cache of each worker; no field is written to. Each is looked at each time,
    also with --out, as its index may be gone; what is embedded already is not embedded again. Pages
    that cannot be embedded are in the result of their field, and the exit code is 1 then.
    """
    options: dict[str, str] = {}
    if wish.name is not None:
        options["embedder"] = wish.name if wish.model is None else f"{wish.name}:{wish.model}"
    if wish.code is not None:
        options["model_code"] = wish.code
    sys.exit(run("index", plan, dict(options)))

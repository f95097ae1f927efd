"""`memoryfield conformance`: run, export and check the cases of the standard."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..files import LocalPath
from ..options import SOURCE_OPTIONS, format_option
from ..output import print_json, say, warn
from ..progress import progress_bar
from ..usage import Group

if TYPE_CHECKING:
    from memoryfield_validator.conformance import Implementation

_FOLDER = LocalPath(exists=True, file_okay=False)
_FILE = LocalPath(exists=True, dir_okay=False)
_HERE = ("directory", "archive", "archive-deflated")
_S3 = "s3"
_ELSEWHERE = ("http", "http-archive", "git", _S3)

_cases_option = click.option(
    "--cases",
    "root",
    type=_FOLDER,
    help="Take the cases below cases/ of this folder, not those that are shipped.",
)


@contextmanager
def _ended_as_if_interrupted() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, by which jobs are cancelled, end what was started, as Ctrl-C does.

    Where they are ignored, as SIGHUP is under nohup, they stay so.
    """
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  memoryfield conformance run
  memoryfield conformance run mf2 digests
  memoryfield conformance export cases-for-others/
  memoryfield conformance lint
""",
)
def command() -> None:
    """Run, export and check the conformance cases of the standard."""


@command.command(
    epilog="""\b
Examples:
  memoryfield conformance run
  memoryfield conformance run mf304 digests
  memoryfield conformance run mf105 --source directory --source git
  memoryfield conformance run --adapter 'node adapter.js' --timeout 5
  memoryfield conformance run --adapter ./adapter --known-failures known.toml
"""
)
@click.argument("beginnings", nargs=-1, metavar="[CASE]...")
@click.option(
    "--adapter", metavar="COMMAND", help="Judge this program, not our own implementation."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1, max=86_400),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for an answer of an adapter.",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice([*_HERE, *_ELSEWHERE]),
    help="Put cases by this source alone; may be repeated. The first three are the default; an "
    "adapter is given no others. http and http-archive are served on this machine.",
)
@click.option(
    "--s3-prefix",
    metavar="LOCATION",
    help="Where the source s3 writes, and removes what it wrote: s3://bucket/prefix/.",
)
@SOURCE_OPTIONS[-1]
@click.option(
    "--known-failures", type=_FILE, help="A TOML file of cases known to fail, with reasons."
)
@format_option("text", "json", "markdown")
@_cases_option
def run(
    beginnings: tuple[str, ...],
    adapter: str | None,
    timeout: float,
    sources: tuple[str, ...],
    s3_prefix: str | None,
    transport: dict[str, Any],
    known_failures: Path | None,
    form: str,
    root: Path | None,
) -> None:
    """Put the cases to an implementation, by several sources, and report what differs.

    A CASE is the beginning of an id, a requirement or a group: mf304-date, MF3, 6xx. Exits with 0
    if all that was put passed or is known to fail, with 1 otherwise, also if nothing was put.
    """
    from memoryfield_validator.conformance import Adapter, Elsewhere, Ours, load_suite, run_cases
    from memoryfield_validator.conformance.known import read_known_failures, with_known
    from memoryfield_validator.conformance.reports import (
        Run,
        render_json,
        render_markdown,
        render_text,
    )

    from ..conforming import edited

    _check_sources(sources, adapter, s3_prefix)
    # a list of known failures is held against all cases
    suite = load_suite(root, () if known_failures else beginnings)
    cases = suite.chosen(beginnings)
    known = read_known_failures(known_failures, suite.cases) if known_failures else {}
    with ExitStack() as stack:
        stack.enter_context(_ended_as_if_interrupted())
        implementation: Implementation
        if adapter is None:
            implementation = Ours(edited)
        else:
            implementation = stack.enter_context(Adapter(adapter, timeout=timeout))
        step = stack.enter_context(progress_bar("Putting cases", len(cases)))
        outcomes = run_cases(
            cases,
            implementation,
            sources=sources or None,
            s3=None if s3_prefix is None else Elsewhere(s3_prefix, transport),
            progress=lambda case: step(),
        )
        found = tuple(with_known(outcomes, known, complete=not sources or {*sources} >= {*_HERE}))
        judged = Run(implementation.name, implementation.release, implementation.profile, found)
    render = {"text": render_text, "json": render_json, "markdown": render_markdown}[form]
    say(render(judged))
    if not any(outcome.result != "skipped" for outcome in found):
        warn("nothing was put to it, so nothing is known")
    sys.exit(0 if judged.is_good else 1)


def _check_sources(sources: tuple[str, ...], adapter: str | None, s3_prefix: str | None) -> None:
    """Refuse sources that cannot be: wrong usage, of which click tells."""
    elsewhere = [source for source in sources if source in _ELSEWHERE]
    if adapter is not None and elsewhere:
        raise click.UsageError(f"an adapter is given paths alone, and not {elsewhere[0]}")
    if (_S3 in sources) is not (s3_prefix is not None):
        raise click.UsageError("--source s3 and --s3-prefix belong together")


@command.command(
    epilog="""\b
Examples:
  memoryfield conformance export cases-for-others/
  (cd cases-for-others && sha256sum --check --quiet SHA256SUMS)
"""
)
@click.argument("folder", type=LocalPath(file_okay=False))
@_cases_option
def export(folder: Path, root: Path | None) -> None:
    """Write the cases as plain files, for those who do not have this program.

    FOLDER must be new or empty. It gets the fields as directories and archives, expected.json,
    SHA256SUMS and a README; the bytes are the same on every machine.
    """
    from memoryfield_validator.conformance import load_suite
    from memoryfield_validator.conformance.export import export_suite

    written = export_suite(load_suite(root), folder)
    say(f"{folder}: {written.cases} cases, {written.files} files")


@command.command(
    epilog="""\b
Examples:
  memoryfield conformance lint
  memoryfield conformance lint --format json
"""
)
@format_option("text", "json")
@_cases_option
def lint(form: str, root: Path | None) -> None:
    """Check the suite itself: form, ids, titles, order, and that every requirement is covered.

    Exits with 1 if something is wrong with it.
    """
    from memoryfield_readers import visible
    from memoryfield_validator.conformance import fixtures
    from memoryfield_validator.conformance.linting import lint_suite

    problems = lint_suite(root or fixtures())
    if form == "json":
        told = [{"place": one.place, "message": one.message} for one in problems]
        print_json({"version": 1, "problems": told})
    else:
        for one in problems:
            say(visible(f"{one.place}: {one.message}"))
    if problems:
        warn(f"{len(problems)} problems" if len(problems) > 1 else "1 problem")
        sys.exit(1)
    if form == "text":
        say("the suite is in order")

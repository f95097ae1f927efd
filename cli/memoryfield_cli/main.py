"""The group of commands: each is imported when it is called, errors become exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from memoryfield_spec import __version__

from .start import INTERRUPTED
from .usage import Group, refuse

COMMANDS = {
    "validate": "Check fields against the standard.",
    "audit": "Review what is written in fields, before a model reads it.",
    "explain": "Say what a requirement demands, why, and show examples.",
    "rules": "List the requirements of the standard.",
    "info": "Show what a field is: name, pages, sizes, pins.",
    "ls": "List the pages of a field.",
    "read": "Print pages of a field.",
    "digest": "Print the field pin or the manifest.",
    "pin": "Print both pins of a field.",
    "verify": "Say whether a field is the one that was pinned.",
    "lock": "Keep the pins of fields in memoryfields.lock.",
    "fetch": "Bring the fields of the lock file here, and prove them.",
    "diff": "Show what differs between two fields, before a pin moves.",
    "init": "Make a new field.",
    "new": "Make a page, with its frontmatter filled in.",
    "write": "Write a page or an attachment from stdin.",
    "edit": "Edit a page in your editor.",
    "rm": "Remove pages and attachments.",
    "mv": "Rename a page or an attachment.",
    "apply": "Apply a batch of edits to a field, all of it or nothing.",
    "recover": "Finish or undo a batch that was broken off.",
    "pack": "Pack a field into an archive, the same bytes everywhere.",
    "unpack": "Unpack an archive into a new folder.",
    "repack": "Bring an archive into the form that is the same everywhere.",
    "index": "Build, verify and look at vector indexes.",
    "fleet": "Do one job on many fields, here or on a Dask cluster.",
    "search": "Find the pages that answer a question.",
    "note": "Keep notes on the pages of any field.",
    "snapshot": "Print a field as one block of text for a prompt.",
    "serve": "Serve fields over HTTP, to be read and no more.",
    "check-server": "Check servers of fields against the standard.",
    "mcp": "Let agents search and read fields over MCP.",
    "cache": "Look after what was fetched.",
    "conformance": "Run, export and check the conformance cases.",
    "completion": "Print a script that completes commands in a shell.",
}
"""Each command and its line of help; it stands in `commands/NAME.py` as a function `command`.

A hyphen in a name is an underscore in that of the file."""

EPILOG = """\b
Examples:
  memoryfield validate my-field/
  memoryfield validate --format json notes.memoryfield.zip
  memoryfield audit my-field/
  memoryfield explain MF304
  memoryfield read my-field/ index.md
  memoryfield new my-field/ "Carbon fibre woks"

\b
Exit codes:
  0  good
  1  findings, or nothing found
  2  wrong usage
  3  a pin or hash does not match, or an archive is unsafe
  4  the source, page or service cannot be had
  5  a write conflict or a rejected batch

\b
Environment, for fields elsewhere:
  https   NETRC (else ~/.netrc), MEMORYFIELD_HTTP_HOST, MEMORYFIELD_HTTP_USER,
          MEMORYFIELD_HTTP_PASSWORD; HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE
  github  GITHUB_TOKEN, GH_TOKEN, or what gh has stored; of another server
          GH_ENTERPRISE_TOKEN; GITHUB_API_URL, or --option api_url=URL
  s3      what AWS tools read: AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL,
          and so on, or --option profile=NAME, endpoint_url=URL
  git     the settings of git itself
"""


class LazyGroup(Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"memoryfield_cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def make_context(
        self, info_name: str | None, args: list[str], *others: Any, **extra: Any
    ) -> click.Context:
        """Begin; click would say "Aborted!" of an interruption here, and exit with 1."""
        try:
            return super().make_context(info_name, args, *others, **extra)
        except KeyboardInterrupt:
            print("memoryfield: interrupted", file=sys.stderr)
            sys.exit(INTERRUPTED)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever goes wrong becomes one line on stderr and an exit code."""
        from memoryfield_readers import MemoryfieldError
        from memoryfield_spec import UnknownRequirement

        from .output import complain, warn

        try:
            return super().invoke(ctx)
        except MemoryfieldError as error:
            complain(error)
            ctx.exit(error.exit_code)
        except UnknownRequirement as error:
            refuse(click.UsageError(str(error)), ctx)
        except click.UsageError as error:
            refuse(error, ctx)
        except KeyboardInterrupt:
            warn("interrupted")
            ctx.exit(INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memoryfield", message="%(prog)s %(version)s")
def memoryfield() -> None:
    """Validate, read, pin and edit memoryfields: flat collections of Markdown pages for agents."""

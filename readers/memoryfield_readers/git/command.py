"""How git is run: on a git directory of our own, bounded, and with nothing that could ask or run.

Neither the configuration of a repository that is read nor its hooks, attributes, alternates and
replacements are ever given to git; see `view`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..display import visible
from ..errors import LimitExceeded, SourceUnavailable
from ..limits import raise_limit
from ..system_errors import reason_of
from ..transfer.options import LONGER
from .running import Running

_MOST_WORDS = 300
_MOST_ANSWER = 64 * 1024
_CHUNK_BYTES = 256 * 1024

_USER = re.compile(r"(?<=//)[^\s/@'\"]{1,2000}@")
_QUERY = re.compile(r"(?<=\S)\?[^\s'\"]{1,4000}")

_DROPPED = frozenset({"SSH_ASKPASS", "LANGUAGE", "LANG"})


class GitFailed(Exception):
    """A command of git ended otherwise than well; only `words` tells why.

    Attributes:
        words: what git said, in one line without credentials, fit to be shown; it may be empty.
    """

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True, slots=True)
class GitDirectory:
    """A temporary git directory of our own, and how git is run on it.

    Attributes:
        folder: the directory.
        git: the path of the program.
        location: what messages call the source.
        timeout: seconds in which an answer must begin.
    """

    folder: Path
    git: str
    location: str
    timeout: float

    @contextmanager
    def started(
        self,
        *arguments: str,
        stdin: BinaryIO | int = subprocess.DEVNULL,
        environment: Mapping[str, str] | None = None,
        most_bytes: int | None = None,
    ) -> Iterator[Running]:
        """A command while it runs; it is ended when the context is left.

        Arguments:
            arguments: the command of git and what follows.
            stdin: a file, `subprocess.PIPE`, or nothing.
            environment: the whole environment; None for that of reading without a network.
            most_bytes: how large the git directory may grow; None where nothing is written to it.

        Raises:
            SourceUnavailable: it cannot be run, as when the directory was removed.
        """
        try:
            running = Running(
                [self.git, "--no-pager", *arguments],
                self.folder,
                reading_environment(self.folder) if environment is None else environment,
                stdin,
                timeout=self.timeout,
                most_bytes=most_bytes,
            )
        except OSError as error:
            raise self.unavailable(f"git cannot be run: {reason_of(error)}") from error
        try:
            yield running
        finally:
            running.end()

    def run(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        most_bytes: int | None = None,
    ) -> bytes:
        """What a command writes, which is short.

        Raises:
            GitFailed: git says that it cannot be done.
            LimitExceeded: it fetched more than it may.
            SourceUnavailable: it took too long, or said more than it should.
        """
        with self.started(*arguments, environment=environment, most_bytes=most_bytes) as running:
            data = running.stdout.read(_MOST_ANSWER + 1)
            if len(data) > _MOST_ANSWER:
                raise self.unavailable("git said more than it should")
            self.finish(running)
            return data

    def finish(self, running: Running) -> None:
        """Wait for a command, all of whose output was read.

        Raises:
            GitFailed, LimitExceeded, SourceUnavailable: as `run`.
        """
        status = running.wait()
        if running.is_too_large:
            raise LimitExceeded(
                f"git fetched {running.ended_for}",
                location=self.location,
                hint=raise_limit("total-bytes"),
            )
        if running.ended_for:
            raise self.unavailable(f"git was ended: {running.ended_for}", LONGER)
        if status != 0:
            raise GitFailed(words_of(running.errors()) or f"it ended with status {status}")

    def unavailable(self, message: str, hint: str | None = None) -> SourceUnavailable:
        """An error at this source."""
        return SourceUnavailable(message, location=self.location, hint=hint)


def chunks_of(running: Running) -> Iterator[bytes]:
    """What a command writes, as it comes; each piece prolongs the time it has."""
    while chunk := running.stdout.read1(_CHUNK_BYTES):
        running.took(len(chunk))
        yield chunk


def records_of(
    running: Running, place: GitDirectory, end: bytes, most: int
) -> Iterator[list[bytes]]:
    """What a command writes, taken apart at each `end`, as it comes.

    Raises:
        GitFailed, SourceUnavailable: the last record has no end, for the reason that git gives.
        SourceUnavailable: a record has more than `most` bytes.
    """
    rest = b""
    for chunk in chunks_of(running):
        *records, rest = (rest + chunk).split(end)
        if len(rest) > most or any(len(record) > most for record in records):
            raise place.unavailable("the repository has a path or a commit of absurd length")
        yield records
    if rest:
        place.finish(running)
        raise place.unavailable("what git told was cut")


def program(location: str) -> str:
    """The path of git.

    Raises:
        SourceUnavailable: there is none.
    """
    found = shutil.which("git")
    if found is None:
        raise SourceUnavailable(
            "the program git is not installed",
            location=location,
            hint="install git (https://git-scm.com), or give a location of another kind",
        )
    return os.path.abspath(found)


def clean_environment(folder: Path) -> dict[str, str]:
    """What every command gets: none of the caller's variables for git, and nothing that asks."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") and name not in _DROPPED
    }
    environment |= {
        "GIT_DIR": str(folder),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",  # set and empty, it also keeps git from core.askPass and SSH_ASKPASS
        "GCM_INTERACTIVE": "Never",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }
    return environment


def reading_environment(folder: Path) -> dict[str, str]:
    """The environment of commands that read objects: no network, and no configuration but ours.

    There is no `safe.directory` in it: the git directory that git is shown is our own, so that git
    has no owner to mistrust, and nothing of the one whose objects are read is run.
    """
    return without_home(clean_environment(folder)) | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",  # where git is too old for the line above
    }


def without_home(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which the user has no settings, and no credentials in files."""
    result = dict(environment, HOME=environment["GIT_DIR"])
    result.pop("XDG_CONFIG_HOME", None)
    return result


def with_settings(
    environment: Mapping[str, str], settings: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """An environment that has settings for git which win over those of any file."""
    result = dict(environment, GIT_CONFIG_COUNT=str(len(settings)))
    for number, (name, value) in enumerate(settings):
        result[f"GIT_CONFIG_KEY_{number}"] = name
        result[f"GIT_CONFIG_VALUE_{number}"] = value
    return result


def words_of(errors: bytes) -> str:
    """What git said went wrong, in one line that shows no credential."""
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line]
    told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines[-1:]
    text = "; ".join(dict.fromkeys(line.removeprefix("fatal: ") for line in told))
    text = _QUERY.sub("", _USER.sub("", text))
    return visible(text if len(text) <= _MOST_WORDS else text[: _MOST_WORDS - 1] + "…")

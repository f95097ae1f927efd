"""A commit of a repository elsewhere, fetched once into a temporary git directory."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from math import ceil
from urllib.parse import urlsplit

from ..display import shown
from ..errors import AccessDenied, NotFound, SourceUnavailable
from ..system_errors import error_of
from ..transfer.options import LONGER, TransferOptions
from ..transfer.pauses import pause
from .command import GitDirectory, GitFailed, clean_environment, with_settings, without_home
from .objects import SHA1, SHA256, algorithm_of, is_object_id
from .temporary import make_git_directory

WANTED = "refs/memoryfield/wanted"
"""Our name for what was asked for."""

_REMOTE = "memoryfield"
_ABBREVIATED = re.compile(r"[0-9a-f]{4,63}")

_MAY_PASS = re.compile(
    r"error: (?:429|502|503|504)\b|timed out|[Cc]ould not resolve"
    r"|[Cc]onnection (?:refused|reset)|Failed to connect|[Ee]arly EOF|hung up unexpectedly"
    r"|unexpected disconnect|Empty reply"
)
_ABSENT = re.compile(r"repository '.*' not found|error: 410\b")
_REFUSED = re.compile(
    r"could not read (?:Username|Password)|Authentication failed|error: 40[13]\b", re.IGNORECASE
)
_NO_SUCH_COMMIT = re.compile(r"not our ref|unadvertised object|does not allow request for")
_NO_REPOSITORY = (
    "it is no git repository: a login page, say",
    "check the address: `git ls-remote` on it should list branches",
)
_UNAVAILABLE = tuple(
    (re.compile(pattern), message, hint)
    for pattern, (message, hint) in {
        r"is this a git repository\?|bad line length|invalid server response": _NO_REPOSITORY,
        r"from redirection|error: 30[0-8]\b|redirects followed": (
            "the server redirects elsewhere: to a login page, or to a new address",
            "check the address in a browser, and give the one that the repository has now",
        ),
        r"dumb http": (
            "the server is a plain file server, which gives no single commit",
            "clone the repository with git, and give git+file:///CLONE",
        ),
        r"[Oo]peration too slow": (
            "the server stopped in the middle, or was too slow",
            LONGER,
        ),
        # Where a pack is damaged or cut, git says that besides; of a full disk it may say no more.
        r"No space left|[Dd]isk quota|\A(?:fetch-pack: )?invalid index-pack output\Z": (
            "what was fetched cannot be kept: the folder for temporary files may be full",
            "make room in it, or let TMPDIR name another one",
        ),
    }.items()
)
"""What git says, and what that means to who asked; the first that fits."""

_OTHER_FORMAT = "mismatched algorithms"


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository behind a URL, and how it is reached.

    Attributes:
        url: `https://` or, where a person typed it, `http://`; it holds no credential.
        options: time, retries, and whether credentials may be given.
        most_bytes: how much may be fetched in all.
        place: the temporary git directory.
    """

    url: str
    options: TransferOptions
    most_bytes: int
    place: GitDirectory

    def fetch(self, ref: str) -> None:
        """Fetch one commit as `WANTED`, without its history.

        Raises:
            NotFound: there is no such repository or ref.
            AccessDenied: it needs credentials, or others.
            SourceUnavailable: it cannot be had; a commit may be one that the server hands out to
                nobody.
        """
        algorithm = algorithm_of(ref) if is_object_id(ref) else SHA1
        self._make(algorithm)
        try:
            self._fetch(ref, "--depth=1")
        except GitFailed as error:
            if _OTHER_FORMAT not in error.words:
                raise self._error(error, ref) from None
            self._make(SHA256 if algorithm == SHA1 else SHA1)
            self._or_error(ref, "--depth=1")

    def fetch_history(self, commit: str) -> None:
        """Fetch what the commit grew out of: commits and trees, and contents only if need be.

        Raises:
            SourceUnavailable: as `fetch`.
        """
        if (self.place.folder / "shallow").exists():  # else there is nothing before the commit
            self._or_error(commit, "--unshallow", "--filter=blob:none")

    def _or_error(self, wanted: str, *how: str) -> None:
        try:
            self._fetch(wanted, *how)
        except GitFailed as error:
            raise self._error(error, wanted) from None

    def _make(self, algorithm: str) -> None:
        extensions = {} if algorithm == SHA1 else {"objectFormat": algorithm}
        try:
            make_git_directory(self.place.folder, extensions=extensions)
        except OSError as error:
            raise error_of(error, location=self.place.location) from error

    def _fetch(self, wanted: str, *how: str) -> None:
        """Run `git fetch`, again where it failed for a reason that may pass.

        The + is the first of the refspec: a ref that begins with another one stays what it is.
        """
        environment = self._environment()
        for attempt in range(self.options.retries + 1):
            try:
                self.place.run(
                    "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc",
                    "--no-recurse-submodules", *how, "--", _REMOTE, f"+{wanted}:{WANTED}",
                    environment=environment, most_bytes=self.most_bytes,
                )  # fmt: skip
            except GitFailed as error:
                if attempt == self.options.retries or not _MAY_PASS.search(error.words):
                    raise
                time.sleep(pause(attempt))
            else:
                return

    def _environment(self) -> dict[str, str]:
        """What `git fetch` gets: the user's settings for the network, and ours, which win.

        The settings of the user's own files are kept, for proxies, certificates and helpers that
        know credentials; none comes from the repository.
        """
        scheme = urlsplit(self.url).scheme
        environment = clean_environment(self.place.folder) | {
            "GIT_ALLOW_PROTOCOL": "https" if scheme == "https" else "http:https",
        }
        settings = [
            (f"remote.{_REMOTE}.url", self.url),
            # The longest match wins: what a user has rewritten to SSH stays what was typed.
            (f"url.{self.url}.insteadOf", self.url),
            ("credential.interactive", "false"),
            ("fetch.unpackLimit", "1"),  # one pack, however few the objects
            ("fetch.writeCommitGraph", "false"),
            ("fetch.bundleURI", ""),
            ("transfer.bundleURI", "false"),
            ("submodule.recurse", "false"),
            ("protocol.version", "2"),
            # A server that stops in the middle is left; git knows no part of a second.
            ("http.lowSpeedLimit", "1"),
            ("http.lowSpeedTime", str(ceil(self.options.timeout))),
        ]
        if self.options.anon:
            environment = without_home(environment)
            settings += [("credential.helper", ""), (f"http.{self.url}.extraHeader", "")]
        if self.options.public_only:
            from .public_host import public_settings

            settings += public_settings(self.url, self.place)
        return with_settings(environment, settings)

    def _has_refs(self) -> bool:
        """Whether the server names any ref; the first byte tells."""
        with self.place.started(
            "ls-remote", "--quiet", "--", _REMOTE,
            environment=self._environment(), most_bytes=self.most_bytes,
        ) as running:  # fmt: skip
            return bool(running.stdout.read(1))

    def _error(self, error: GitFailed, wanted: str) -> SourceUnavailable:
        """What went wrong, as an error that tells absent, forbidden and unavailable apart."""
        words = error.words
        location = self.place.location
        if _ABSENT.search(words):
            return NotFound("there is no such repository", location=location)
        if _REFUSED.search(words):
            return AccessDenied(
                "the server gives this repository to nobody, or not with these credentials",
                location=location,
                hint="check its name; git's credential helpers and ~/.netrc are asked for yours",
            )
        if "couldn't find remote ref" in words and not self._has_refs():
            # Git takes a login page, or an empty answer, for a repository without a branch.
            return self.place.unavailable(
                "it is no git repository, or one without any branch", _NO_REPOSITORY[1]
            )
        if "couldn't find remote ref" in words:
            return NotFound(
                f"there is no branch or tag {shown(wanted)} in the repository",
                location=location,
                hint="a server can be asked for a commit by its whole id alone"
                if _ABBREVIATED.fullmatch(wanted)
                else "`git ls-remote` lists what there is",
            )
        if _NO_SUCH_COMMIT.search(words):
            return self.place.unavailable(
                f"the server does not have the commit {shown(wanted)}, or does not hand it out",
                hint="name the branch or tag that the commit is on",
            )
        for pattern, message, hint in _UNAVAILABLE:
            if pattern.search(words):
                return self.place.unavailable(message, hint)
        return self.place.unavailable(f"it cannot be fetched: {words}")

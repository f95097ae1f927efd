"""The token that GitHub's API is asked with: from the environment, or as `gh` keeps it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..display import shown
from ..system_errors import reason_of
from .api_root import ApiRoot

_PUBLIC_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
_ENTERPRISE_VARIABLES = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
_TOKEN = re.compile(r"[!-~]{1,4096}")
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Token:
    """A token, whose text no message and no `repr` has.

    Attributes:
        text: the token.
        origin: where it is from: the name of a variable, or "gh's configuration".
    """

    text: str = field(repr=False)
    origin: str


def find_token(
    root: ApiRoot, environment: Mapping[str, str], *, public_only: bool
) -> tuple[Token | None, tuple[str, ...]]:
    """The token for an API, and what a person should know of the search for it.

    Arguments:
        root: the API.
        environment: the environment variables.
        public_only: whether the location comes from someone else. The token for Enterprise servers
            has no host with it, so it then goes only to the one that the environment names.
    """
    notes: list[str] = []
    names: tuple[str, ...] = _PUBLIC_VARIABLES if root.is_public else _ENTERPRISE_VARIABLES
    if public_only and not root.is_public and root.is_named_by_location:
        names = names if environment.get("GH_HOST", "").strip().lower() == root.host else ()
    for name in names:
        text = environment.get(name, "").strip()
        if _TOKEN.fullmatch(text):
            return Token(text, name), tuple(notes)
        if text:
            notes.append(f"{name} is not used: it holds what no token does")
    text, problem = _of_gh(root.host, environment)
    if problem:
        notes.append(f"gh's configuration is not used: {problem}")
    return (Token(text, "gh's configuration") if text else None), tuple(notes)


def _of_gh(host: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The token that `gh` keeps for a host, or empty; and why its file cannot be used."""
    import yaml

    try:
        with open(_folder_of_gh(environment) / "hosts.yml", "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return "", ""
    except (OSError, ValueError, RuntimeError) as error:  # the last where there is no home
        return "", reason_of(error) if isinstance(error, OSError) else "it has no place"
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        hosts = yaml.load(data, loader) if len(data) <= _MOST_BYTES else None  # noqa: S506 - safe
    except (yaml.YAMLError, ValueError, RecursionError):
        return "", "it is no YAML"
    if hosts is None and not data.strip():
        return "", ""
    if not isinstance(hosts, dict):
        return "", "it does not name hosts"
    kept = hosts.get(host)
    if not isinstance(kept, dict):
        return "", ""
    text = kept.get("oauth_token") or _of_user(kept)
    if text is None:
        return "", ""  # it is in the system's keyring, which is gh's own
    if isinstance(text, str) and _TOKEN.fullmatch(text.strip()):
        return text.strip(), ""
    return "", f"what it has for {shown(host)} is no token"


def _of_user(kept: dict[object, object]) -> object:
    """The token of the account that `gh` has chosen for a host."""
    users = kept.get("users")
    user = kept.get("user")
    if not isinstance(users, dict) or not isinstance(user, str):
        return None
    account = users.get(user)
    return account.get("oauth_token") if isinstance(account, dict) else None


def _folder_of_gh(environment: Mapping[str, str]) -> Path:
    if folder := environment.get("GH_CONFIG_DIR"):
        return Path(folder)
    if folder := environment.get("XDG_CONFIG_HOME"):
        return Path(folder, "gh")
    if os.name == "nt" and (folder := environment.get("AppData")):
        return Path(folder, "GitHub CLI")
    return Path.home() / ".config" / "gh"

"""What may be said of a job beyond its kind, and that no secret is among it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memoryfield_readers import DEFAULT_LIMITS, Limits, LocationError

from ..values import Job

_TEXTS = ("profile", "embedder", "model_code")
_LISTS = ("limits", "select", "ignore")
_PROFILES = ("kit", "draft-0.1")

_SECRET = frozenset(
    {
        "key", "keys", "secret", "secrets", "token", "tokens", "password", "passwd", "passphrase",
        "pwd", "username", "user", "auth", "authorization", "credential", "credentials", "headers",
        "cookie", "cookies", "sas", "connection", "pkey", "cert", "signature",
    }
)  # fmt: skip
"""Words in the name of an option that is a secret, or names who one is."""

_USER = re.compile("//[^/?#]*@")
_WORDS = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_DEEPEST = 8


def check_options(job: Job) -> None:
    """Refuse options that mean nothing, or that must not travel.

    Raises:
        LocationError: an option is unknown, of the wrong type, or a secret.
        UnknownLimit: there is no such limit.
    """
    options = job.options
    for name, value in options.items():
        if name in _TEXTS:
            good = isinstance(value, str)
        elif name in _LISTS:
            good = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        else:
            good = name == "storage_options" and isinstance(value, Mapping)
        if not good:
            raise LocationError(f"the option {name!r} of this job is unknown, or of the wrong type")
    if options.get("profile", "kit") not in _PROFILES:
        raise LocationError(f"the profile must be one of {', '.join(_PROFILES)}")
    transport = _secrets(options.get("storage_options", {}), 0)
    texts = (name for name in _TEXTS if _has_user(options.get(name)))
    for secret in (*transport, *texts):
        raise LocationError(
            f"the option {secret} may be a secret, and would be sent to every worker",
            hint="leave it out: workers take credentials from their own environment",
        )
    limits_of(options)


def limits_of(options: Mapping[str, Any]) -> Limits:
    """How much to take from a source.

    Raises:
        UnknownLimit: there is no such limit.
    """
    return DEFAULT_LIMITS.with_settings(options.get("limits", ()))


def ids_of(options: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """The ids that an option has; None where it is left out."""
    ids: Sequence[str] | None = options.get(name)
    return None if ids is None else tuple(ids)


def _secrets(value: object, depth: int) -> Iterator[str]:
    """The names of options that hold a secret, however deep."""
    if depth > _DEEPEST:
        yield "storage_options"
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            words = {word.lower() for word in _WORDS.findall(str(name))}
            if not isinstance(name, str) or words & _SECRET or _has_user(inner):
                yield str(name)
            else:
                yield from _secrets(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _secrets(inner, depth + 1)


def _has_user(value: object) -> bool:
    """Whether a text holds a URL that names a user, and perhaps a password."""
    return isinstance(value, str) and _USER.search(value) is not None

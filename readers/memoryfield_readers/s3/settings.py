"""What a person may say about how S3 is reached, checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ..errors import LocationError
from ..transfer.options import TransferOptions

_TEXTS = ("endpoint_url", "region", "profile", "key", "secret", "token")
_SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class S3Settings:
    """How S3 is reached; what is None is left to the environment and the configuration of AWS.

    Attributes:
        endpoint_url: the store, where it is not that of AWS.
        region: the region of the bucket.
        profile: a profile of the configuration of AWS.
        key: the access key's id; with `secret` and perhaps `token`, in place of a profile.
        secret: the secret access key.
        token: the session token.
        requester_pays: whether to pay for what is asked for, if the owner of the bucket does not.
    """

    endpoint_url: str | None = None
    region: str | None = None
    profile: str | None = None
    key: str | None = None
    secret: str | None = None
    token: str | None = None
    requester_pays: bool = False

    def __repr__(self) -> str:
        """Nothing of what may be secret."""
        return f"S3Settings(region={self.region!r}, requester_pays={self.requester_pays})"


def settings_of(options: TransferOptions, location: str) -> S3Settings:
    """The settings among the options of a transfer.

    Raises:
        LocationError: one of them is unknown, of the wrong type, or at odds with another.
    """
    rest = options.of_transport("S3", *_TEXTS, "requester_pays")
    for name in _TEXTS:
        if not isinstance(rest.get(name), str | None) or rest.get(name) == "":
            raise LocationError(f"the option {name} must be a text", location=location)
    if (rest.get("key") is None) is not (rest.get("secret") is None):
        raise LocationError("the options key and secret belong together", location=location)
    if rest.get("key") is not None and options.anon:
        raise LocationError("the options key and anon exclude each other", location=location)
    _check_endpoint(rest.get("endpoint_url"), location)
    texts: dict[str, str | None] = {name: rest.get(name) for name in _TEXTS}
    return S3Settings(**texts, requester_pays=_pays(rest, location))


def _check_endpoint(endpoint: str | None, location: str) -> None:
    if endpoint is None:
        return
    try:
        parts = urlsplit(endpoint)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        bare = parts.username is None and not parts.query and not parts.fragment
    except ValueError:
        good = bare = False
    if not good or not bare:
        raise LocationError(
            "the option endpoint_url must be a plain URL",
            location=location,
            hint="for example endpoint_url=https://s3.example.org, without user and password",
        )


def _pays(rest: Mapping[str, Any], location: str) -> bool:
    value = rest.get("requester_pays", False)
    value = _SWITCHES.get(value, value) if isinstance(value, str) else value
    if not isinstance(value, bool):
        raise LocationError("the option requester_pays must be true or false", location=location)
    return value

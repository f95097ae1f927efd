"""Where GitHub's REST API is, and which host's credentials it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import LocationError
from ..http.urls import origin_of, taken_apart

API_URL_VARIABLE = "GITHUB_API_URL"
_PUBLIC_API = "https://api.github.com"
_PUBLIC_HOST = "github.com"
_PUBLIC_HOSTS = (_PUBLIC_HOST, "www.github.com")
_TENANTS = ".ghe.com"


@dataclass(frozen=True, slots=True)
class ApiRoot:
    """The REST API of one GitHub.

    Attributes:
        url: where it begins, without a slash at the end.
        host: the host that people know it by, and `gh` keeps a token for.
        is_public: whether the tokens are for it that are not for an Enterprise server.
        is_named_by_location: whether nothing but the location says where it is.
    """

    url: str
    host: str
    is_public: bool
    is_named_by_location: bool = False


def api_root(host: str, option: object, environment: Mapping[str, str]) -> ApiRoot:
    """Where the API is for a host: an option says it, the location's host, or the environment.

    A location that says github.com means that one, also where the environment is an Enterprise's:
    a repository of the same name there is another one.

    Arguments:
        host: the host in the location; empty for the one of the environment.
        option: the value of the option `api_url`, or None.
        environment: the environment variables.

    Raises:
        LocationError: what is said is no URL of an API.
    """
    host = host.lower()
    said = environment.get(API_URL_VARIABLE, "").strip()
    if option is not None:
        url = _checked(option, "the option api_url")
        return ApiRoot(url, _host_of(url, host), _is_public(url, said))
    if host.endswith(_TENANTS):
        return ApiRoot(f"https://api.{host}", host, True, True)
    if host and host not in _PUBLIC_HOSTS:
        url = _checked(f"https://{host}/api/v3", "the location")
        return ApiRoot(url, host, False, True)
    if said and not host:
        url = _checked(said, f"the variable {API_URL_VARIABLE}")
        return ApiRoot(url, _host_of(url, host), True)
    return ApiRoot(_PUBLIC_API, _PUBLIC_HOST, True)


def _host_of(url: str, host: str) -> str:
    """The host that people know an API by."""
    if host and host not in _PUBLIC_HOSTS:
        return host
    name = (taken_apart(url).hostname or "").lower()
    known = name.removeprefix("api.")
    return known if known == _PUBLIC_HOST or known.endswith(_TENANTS) else name


def _is_public(url: str, said: str) -> bool:
    """Whether an API takes the tokens that are not for an Enterprise server."""
    known = _host_of(url, "")
    if known == _PUBLIC_HOST or known.endswith(_TENANTS):
        return True
    try:
        return origin_of(url) == origin_of(said)
    except LocationError:
        return False


def _checked(value: object, what: str) -> str:
    """The value as a URL without a slash at the end; it is not repeated in what is raised."""
    if isinstance(value, str) and value.isascii() and value.isprintable():
        try:
            parts = taken_apart(value)
        except LocationError:
            parts = None
        if parts and not (parts.query or parts.fragment or " " in value):
            return value.rstrip("/")
    raise LocationError(
        f"{what} names no API of GitHub",
        hint="write api_url like https://HOST/api/v3, without user, password and query",
    ) from None

"""Which API a location on GitHub means, and which token goes to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from memoryfield_readers import LocationError
from memoryfield_readers.github.api_root import ApiRoot, api_root
from memoryfield_readers.github.token import Token, find_token

PUBLIC = ApiRoot("https://api.github.com", "github.com", True)
ENTERPRISE = ApiRoot("https://ghe.example/api/v3", "ghe.example", False, True)


@pytest.mark.parametrize(
    ("host", "option", "environment", "expected"),
    [
        ("", None, {}, PUBLIC),
        ("GitHub.com", None, {}, PUBLIC),
        ("ghe.example", None, {}, ENTERPRISE),
        ("ghe.example:8443", None, {}, ApiRoot("https://ghe.example:8443/api/v3",
                                               "ghe.example:8443", False, True)),
        ("ours.ghe.com", None, {}, ApiRoot("https://api.ours.ghe.com", "ours.ghe.com", True, True)),
        ("", None, {"GITHUB_API_URL": "https://ghe.example/api/v3/"},
         ApiRoot("https://ghe.example/api/v3", "ghe.example", True)),
        ("", None, {"GITHUB_API_URL": "https://api.github.com"}, PUBLIC),
        ("github.com", None, {"GITHUB_API_URL": "https://ghe.example/api/v3"}, PUBLIC),
        ("", "http://127.0.0.1:8000", {}, ApiRoot("http://127.0.0.1:8000", "127.0.0.1", False)),
        ("", "http://127.0.0.1:8000", {"GITHUB_API_URL": "http://127.0.0.1:8000/"},
         ApiRoot("http://127.0.0.1:8000", "127.0.0.1", True)),
        ("ghe.example", "https://proxy.example/v3", {},
         ApiRoot("https://proxy.example/v3", "ghe.example", False)),
        ("", "https://api.github.com/", {}, PUBLIC),
    ],
    ids=["default", "github.com", "enterprise", "port", "tenant", "variable", "variable-default",
         "not-the-variable", "option", "option-is-variable", "option-and-host", "option-default"],
)  # fmt: skip
def test_the_api_is_where_option_host_or_environment_say(
    host: str, option: str | None, environment: Mapping[str, str], expected: ApiRoot
) -> None:
    """The option first, then a host in the location, then the environment, then github.com.

    A location that says github.com is never looked up on the environment's Enterprise server.
    """
    assert api_root(host, option, environment) == expected


@pytest.mark.parametrize(
    "option",
    ["", "ghe.example", "ftp://ghe.example", "https://user:s3cret@ghe.example", 5,
     "https://ghe.example/?token=s3cret", "https://ghe.example/#s3cret", "https:///api",
     "https://ghe.example/a b", "https://ghe.example/\u00e9", "https://ghe.example\n"],
    ids=["empty", "no-scheme", "ftp", "user", "number", "query", "fragment", "no-host", "blank",
         "not-ascii", "line-end"],
)  # fmt: skip
def test_what_is_no_url_of_an_api_is_refused_and_not_repeated(option: object) -> None:
    """There may be a password in it."""
    with pytest.raises(LocationError) as caught:
        api_root("", option, {})
    assert "s3cret" not in f"{caught.value}{caught.value.hint}{caught.value.__cause__}"
    assert caught.value.__cause__ is None


def test_the_variable_is_named_if_it_is_no_url() -> None:
    """Whoever set it must know which one it was."""
    with pytest.raises(LocationError, match="GITHUB_API_URL"):
        api_root("", None, {"GITHUB_API_URL": "s3cret"})


_ALL = {
    "GITHUB_TOKEN": "public-1",
    "GH_TOKEN": "public-2",
    "GH_ENTERPRISE_TOKEN": "enterprise-1",
    "GITHUB_ENTERPRISE_TOKEN": "enterprise-2",
}


@pytest.mark.parametrize(
    ("root", "left_out", "expected"),
    [
        (PUBLIC, [], Token("public-1", "GITHUB_TOKEN")),
        (PUBLIC, ["GITHUB_TOKEN"], Token("public-2", "GH_TOKEN")),
        (PUBLIC, ["GITHUB_TOKEN", "GH_TOKEN"], None),
        (ENTERPRISE, [], Token("enterprise-1", "GH_ENTERPRISE_TOKEN")),
        (ENTERPRISE, ["GH_ENTERPRISE_TOKEN"], Token("enterprise-2", "GITHUB_ENTERPRISE_TOKEN")),
        (ENTERPRISE, ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"], None),
    ],
    ids=["public", "second", "no-public", "enterprise", "second-enterprise", "no-enterprise"],
)
def test_a_token_goes_only_to_the_kind_of_server_it_is_for(
    root: ApiRoot, left_out: list[str], expected: Token | None, tmp_path: Path
) -> None:
    """A token for github.com never goes to an Enterprise server, nor the other way round."""
    environment = {name: text for name, text in _ALL.items() if name not in left_out}
    environment["GH_CONFIG_DIR"] = str(tmp_path)
    assert find_token(root, environment, public_only=False) == (expected, ())


def test_an_enterprise_token_follows_no_location_of_someone_else(tmp_path: Path) -> None:
    """The variable names no host, so a page or a lock file could send it anywhere."""
    environment = {**_ALL, "GH_CONFIG_DIR": str(tmp_path)}
    assert find_token(ENTERPRISE, environment, public_only=True) == (None, ())
    environment["GH_HOST"] = "GHE.example"
    token, _ = find_token(ENTERPRISE, environment, public_only=True)
    assert token == Token("enterprise-1", "GH_ENTERPRISE_TOKEN")


@pytest.mark.parametrize("text", ["two words", "a\nb", "caf\u00e9", "x" * 5000])
def test_what_cannot_be_a_token_is_not_sent(text: str, tmp_path: Path) -> None:
    """It would break the header, or the request; the note names the variable, not the text."""
    environment = {"GITHUB_TOKEN": text, "GH_TOKEN": "good", "GH_CONFIG_DIR": str(tmp_path)}
    token, notes = find_token(PUBLIC, environment, public_only=False)
    assert token == Token("good", "GH_TOKEN")
    assert notes == ("GITHUB_TOKEN is not used: it holds what no token does",)


def test_blanks_around_a_token_do_not_count(tmp_path: Path) -> None:
    """Files of secrets end with a line end; an empty variable is none."""
    environment = {"GITHUB_TOKEN": " \n", "GH_TOKEN": "good\n", "GH_CONFIG_DIR": str(tmp_path)}
    assert find_token(PUBLIC, environment, public_only=False)[0] == Token("good", "GH_TOKEN")


_OF_GH = "gh's configuration"
_NO_TOKEN = "what it has for `github.com` is no token"


@pytest.mark.parametrize(
    ("text", "expected", "problem"),
    [
        ("github.com:\n  oauth_token: gho_1\nghe.example:\n  oauth_token: gho_2\n", "gho_1", ""),
        ("github.com:\n  user: me\n  users:\n    me: {oauth_token: gho_1}\n    you: "
         "{oauth_token: gho_2}\n", "gho_1", ""),
        ("github.com:\n  user: me\n  users:\n    me:\n", None, ""),
        ("ghe.example:\n  oauth_token: gho_2\n", None, ""),
        ("github.com:\n  users: [me]\n  user: me\n", None, ""),
        ("", None, ""),
        ("- github.com\n", None, "it does not name hosts"),
        ("github.com: [s3cret\n", None, "it is no YAML"),
        ("github.com: !!python/object:os.system {}\n", None, "it is no YAML"),
        ("\x00s3cret", None, "it is no YAML"),
        ("[" * 2_000, None, "it is no YAML"),
        ("x: 2026-02-30\n", None, "it is no YAML"),
        ("# " + "x" * 65 * 1024, None, "it does not name hosts"),
        ("github.com:\n  oauth_token: [s3cret]\n", None, _NO_TOKEN),
        ("github.com:\n  oauth_token: s3 cret\n", None, _NO_TOKEN),
    ],
    ids=["plain", "of-the-account", "in-the-keyring", "another-host", "odd-users", "empty",
         "a-list", "cut", "a-tag", "nul", "deep", "bad-date", "huge", "list-token", "two-words"],
)  # fmt: skip
def test_the_token_that_gh_keeps_is_taken(
    text: str, expected: str | None, problem: str, tmp_path: Path
) -> None:
    """By host and by account; a broken file is said to be so, without a word of it."""
    (tmp_path / "hosts.yml").write_text(text, encoding="utf-8")
    token, notes = find_token(PUBLIC, {"GH_CONFIG_DIR": str(tmp_path)}, public_only=False)
    assert token == (Token(expected, _OF_GH) if expected else None)
    assert notes == ((f"{_OF_GH} is not used: {problem}",) if problem else ())


def test_gh_has_its_configuration_where_the_system_keeps_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own variable first, then the one of all programs, then the home folder."""
    for number, folder in enumerate(["own", "xdg/gh", "home/.config/gh"]):
        (tmp_path / folder).mkdir(parents=True)
        text = f"github.com:\n  oauth_token: gho_{number}\n"
        (tmp_path / folder / "hosts.yml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    environment = {
        "GH_CONFIG_DIR": str(tmp_path / "own"),
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
    }
    found = []
    for name in ("GH_CONFIG_DIR", "XDG_CONFIG_HOME", ""):
        found.append(find_token(PUBLIC, environment, public_only=False)[0])
        environment.pop(name, None)
    assert found == [Token(f"gho_{number}", _OF_GH) for number in range(3)]


def test_a_configuration_that_is_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    """What the system says of it, and the run goes on."""
    (tmp_path / "hosts.yml").mkdir()
    token, notes = find_token(PUBLIC, {"GH_CONFIG_DIR": str(tmp_path)}, public_only=False)
    assert token is None
    assert notes == (f"{_OF_GH} is not used: is a directory",)


def test_a_token_has_no_text_that_could_be_printed_by_chance() -> None:
    """Its `repr` is what a traceback of a test or a debugger shows."""
    assert "s3cret" not in repr(Token("s3cret", "GITHUB_TOKEN"))

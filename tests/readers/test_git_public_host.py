"""A repository whose URL comes from someone else: reached at public addresses alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.git_fields import located

from memoryfield_readers.errors import AccessDenied
from memoryfield_readers.git import public_host
from memoryfield_readers.git.command import (
    GitDirectory,
    clean_environment,
    program,
    with_settings,
)
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitFolder
from memoryfield_readers.transfer.options import TransferOptions


@pytest.mark.parametrize("url", ["https://127.0.0.1", "http://example.org", "https://127.1"])
def test_someone_elses_url_leads_to_public_hosts_alone(url: str) -> None:
    """And is reached by https:// alone; nothing is asked of it otherwise."""
    options = TransferOptions(public_only=True, retries=0)
    with pytest.raises(AccessDenied):
        GitFolder(located(f"git+{url}/r.git@main"), options, DEFAULT_LIMITS)


def test_someone_elses_host_is_judged_by_its_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that its name leads to; git is told to use just these, and follow no redirect.

    Not even where the user's own settings say so of the host.
    """
    addresses = ["93.184.216.34", "2606:2800:220:1::1"]

    def looked_up(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr("socket.getaddrinfo", looked_up)
    place = GitDirectory(tmp_path, program("x"), "x", 30.0)
    found = dict(public_host.public_settings("https://h.example/r.git", place))
    assert found == {
        "http.https://h.example/r.git.followRedirects": "false",
        "http.curloptResolve": "h.example:443:93.184.216.34,[2606:2800:220:1::1]",
    }
    (tmp_path / ".gitconfig").write_text('[http "https://h.example/"]\n\tfollowRedirects = true\n')
    environment = with_settings(clean_environment(tmp_path), list(found.items()))
    said = place.run(
        "config", "--get-urlmatch", "http.followRedirects", "https://h.example/r.git",
        environment=environment | {"HOME": str(tmp_path)},
    )  # fmt: skip
    assert said == b"false\n"
    addresses.append("10.0.0.1")
    with pytest.raises(AccessDenied, match=r"`h\.example` is no public host"):
        public_host.public_settings("https://h.example/r.git", place)

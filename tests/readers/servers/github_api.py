"""A stand-in for GitHub's REST API on loopback, which serves a real git repository.

The API, the host of archives and the host of release files are three origins, as they are in the
world. What the API says is what git's plumbing says of the repository at that moment.
"""

from __future__ import annotations

import base64
import contextlib
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote

import pytest
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.git_repository import surroundings
from tests.readers.servers.http_parts import Reply, Request, Served, answer

from memoryfield_readers.locations.values import GitHubLocation
from memoryfield_readers.transfer.options import TransferOptions

RESET = 1_893_456_000
"""When the rate limit is lifted: 2030-01-01 00:00:00 UTC."""

_RAW = ("application/vnd.github.raw", "application/vnd.github.raw+json")


@dataclass(slots=True)
class Rules:
    """How the stand-in behaves; may be changed at any time.

    Attributes:
        token: the one that is accepted.
        is_private: whether those without it are told that there is no such repository.
        limit: how many requests without a token are taken; None for any number.
        waits: what the next requests are told to wait, each some seconds.
        most_entries: how many entries of a tree are listed at once, if below it all are asked for.
        page: how many items a page of a list has at most.
        old_name: what the repository was called before.
        forged: in place of the bytes of blobs, by their id.
        tarball: in place of the archive of a commit.
    """

    token: str = "ghp_the-one-token"
    is_private: bool = False
    limit: int | None = None
    waits: list[int] = field(default_factory=list)
    most_entries: int = 100_000
    page: int = 100
    old_name: str = "old-name"
    forged: dict[str, bytes] = field(default_factory=dict)
    tarball: bytes | None = None


class GitHubServer:
    """The three servers; a context manager.

    Attributes:
        api: the API.
        codeload: the host of archives.
        files: the host of release files.
        releases: by tag, the files of a release by name.
        rules: how it behaves.
        repository: the folder of the repository.
    """

    def __init__(self, repository: Path, owner: str = "owner", name: str = "field") -> None:
        """Serve a repository, bare or with a checkout."""
        self.rules = Rules()
        self.releases: dict[str, dict[str, bytes]] = {}
        self.repository = repository
        self._name = f"{owner}/{name}"
        self._taken = 0
        with contextlib.ExitStack() as stack:
            self.api = stack.enter_context(FaultyHttp())
            self.codeload = stack.enter_context(FaultyHttp())
            self.files = stack.enter_context(FaultyHttp())
            self._stack = stack.pop_all()
        self.api.answers["*"] = self._answer
        self.codeload.answers["*"] = self._archive
        self.files.answers["*"] = self._release_file

    @property
    def asked(self) -> list[str]:
        """What the API was asked for, below the repository, in order."""
        return [_below(request.path) for request in self.api.asked()]

    def git(self, *arguments: str) -> bytes:
        """What git says of the repository."""
        return subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            check=True,
            capture_output=True,
            env=surroundings(self.repository),
        ).stdout

    def __enter__(self) -> GitHubServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _answer(self, request: Request) -> Reply:
        """The answer of the API, with what it says of the rate limit on each."""
        given = request.headers.get("authorization")
        has_token = given == f"Bearer {self.rules.token}"
        limit = 5000 if has_token or self.rules.limit is None else self.rules.limit
        self._taken += 1
        left = limit - self._taken
        if given is not None and not has_token:
            reply = _json({"message": "Bad credentials"}, 401)
        elif self.rules.waits:
            wait = str(self.rules.waits.pop(0))
            reply = _json({"message": "You have exceeded a secondary rate limit."}, 403)
            reply.headers["Retry-After"] = wait
        elif left < 0:
            reply = _json({"message": "API rate limit exceeded"}, 403)
        else:
            reply = self._of_repository(request, has_token)
        reply.headers["X-RateLimit-Remaining"] = str(max(0, left))
        reply.headers["X-RateLimit-Reset"] = str(RESET)
        return reply

    def _of_repository(self, request: Request, has_token: bool) -> Reply:
        path = unquote(request.path, errors="surrogateescape")
        query = {name: values[-1] for name, values in parse_qs(request.query).items()}
        old = f"/repos/{self._name.partition('/')[0]}/{self.rules.old_name}/"
        for start in (f"/repos/{self._name}/", "/repositories/1/"):
            if path.startswith(start) and (has_token or not self.rules.is_private):
                try:
                    return self._found(path.removeprefix(start), query, request)
                except subprocess.CalledProcessError:
                    return _json({"message": "Not Found"}, 404)
        if path.startswith(old):
            rest = request.path[len(old) :] + (f"?{request.query}" if request.query else "")
            where = self.api.url(f"/repositories/1/{rest}")
            return Reply(301, {"Location": where}, b"{}")
        return _json({"message": "Not Found"}, 404)

    def _found(self, path: str, query: dict[str, str], request: Request) -> Reply:
        kind, _, rest = path.partition("/")
        if path == "commits":
            return self._history(query)
        if kind == "commits":
            return self._commit(rest)
        if path.startswith("git/matching-refs/"):
            return self._refs(path.removeprefix("git/matching-refs/"), query)
        if path.startswith("git/trees/"):
            return self._tree(path.removeprefix("git/trees/"), query)
        if path.startswith("git/blobs/"):
            return self._blob(path.removeprefix("git/blobs/"), request)
        if kind == "tarball":
            return Reply(302, {"Location": self.codeload.url(f"/{rest}?token=SIGNED")}, b"")
        if kind == "releases":
            return self._release(rest, query, request)
        return _json({"message": "Not Found"}, 404)

    def _commit(self, ref: str) -> Reply:
        names = [ref] if ref == "HEAD" or _is_hex(ref) else []
        if ref.startswith(("heads/", "tags/")):
            names.append(f"refs/{ref}")
        names += [f"refs/heads/{ref}", f"refs/tags/{ref}"]
        for name in names:
            with contextlib.suppress(subprocess.CalledProcessError):
                said = self.git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
                commit = said.decode().strip()
                tree = self.git("rev-parse", f"{commit}^{{tree}}").decode().strip()
                return _json({"sha": commit, "commit": {"tree": {"sha": tree}}, "files": []})
        return _json({"message": f"No commit found for SHA: {ref}"}, 422)

    def _history(self, query: dict[str, str]) -> Reply:
        said = self.git("log", "-1", "--format=%H %cI", query["sha"], "--", query["path"]).decode()
        commit, _, date = said.strip().partition(" ")
        found = [{"sha": commit, "commit": {"committer": {"date": date}}}] if commit else []
        return _json(found)

    def _refs(self, start: str, query: dict[str, str]) -> Reply:
        said = self.git("for-each-ref", "--format=%(refname) %(objectname) %(objecttype)")
        lines = (line.split() for line in said.decode().splitlines())
        found = [
            {"ref": name, "object": {"sha": sha, "type": kind}}
            for name, sha, kind in lines
            if name.startswith(f"refs/{start}")
        ]
        return self._page(found, query, f"git/matching-refs/{start}")

    def _tree(self, tree: str, query: dict[str, str]) -> Reply:
        flags = ["-r", "-t"] if "recursive" in query else []
        listed = []
        for record in self.git("ls-tree", "-z", "-l", *flags, tree).split(b"\0")[:-1]:
            about, _, path = record.partition(b"\t")
            mode, kind, sha, size = about.decode().split()
            item: dict[str, Any] = {"path": path.decode("utf-8", "replace"), "mode": mode}
            item |= {"type": kind, "sha": sha}
            listed.append(item if size == "-" else {**item, "size": int(size)})
        most = self.rules.most_entries if flags else len(listed)
        is_cut = len(listed) > most
        return _json({"sha": tree, "tree": listed[:most], "truncated": is_cut})

    def _blob(self, blob: str, request: Request) -> Reply:
        data = self.rules.forged.get(blob)
        if data is None:
            data = self.git("cat-file", "blob", blob)
        if request.headers.get("accept") in _RAW:
            return Reply(200, {"Content-Type": "application/vnd.github.raw+json"}, data)
        text = base64.encodebytes(data).decode()
        return _json({"sha": blob, "size": len(data), "encoding": "base64", "content": text})

    def _release(self, rest: str, query: dict[str, str], request: Request) -> Reply:
        assets = [(tag, name) for tag, files in self.releases.items() for name in files]
        listed = [{"id": i, "name": name, "tag": tag} for i, (tag, name) in enumerate(assets)]
        kind, _, tag = rest.partition("/")
        if kind == "tags" and tag in self.releases:
            own = [asset for asset in listed if asset["tag"] == tag]
            return _json({"id": 7, "tag_name": tag, "assets": own[: self.rules.page]})
        if rest == "7/assets":
            return self._page(listed, query, "releases/7/assets")
        if kind == "assets" and tag.isdigit() and int(tag) < len(assets):
            if request.headers.get("accept") != "application/octet-stream":
                return _json(listed[int(tag)])
            return Reply(302, {"Location": self.files.url(f"/{tag}?signature=SIGNED")}, b"")
        return _json({"message": "Not Found"}, 404)

    def _page(self, items: list[Any], query: dict[str, str], path: str) -> Reply:
        size = min(int(query.get("per_page", "30")), self.rules.page)
        number = int(query.get("page", "1"))
        reply = _json(items[(number - 1) * size : number * size])
        if number * size < len(items):
            there = self.api.url(f"/repositories/1/{path}?per_page={size}&page={number + 1}")
            reply.headers["Link"] = f'<{there}>; rel="next"'
        return reply

    def _archive(self, request: Request) -> Reply:
        commit = request.path.strip("/")
        made = self.rules.tarball
        if made is None:
            start = f"{self._name.replace('/', '-')}-{commit[:7]}/"
            made = self.git("archive", "--format=tar.gz", f"--prefix={start}", commit)
        return Reply(200, {"Content-Type": "application/x-gzip"}, made, chunked=True)

    def _release_file(self, request: Request) -> Reply:
        files = [data for each in self.releases.values() for data in each.values()]
        return answer(request, Served(files[int(request.path.strip("/"))]))


def forget_tokens(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let a test find no token and no API of whoever runs it; the folder is for nothing."""
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GITHUB_API_URL", raising=False)
    monkeypatch.setenv("GH_CONFIG_DIR", str(folder / "no-gh"))


def options_for(server: GitHubServer, **settings: Any) -> TransferOptions:
    """Options that lead to a stand-in."""
    return TransferOptions.of({"api_url": server.api.base, "timeout": 20, "retries": 1} | settings)


def place(path: str = "", ref: str | None = None, **settings: Any) -> GitHubLocation:
    """The location of something in the repository of a stand-in."""
    usual = {"host": "", "owner": "owner", "repo": "field", "ref": ref, "path": path}
    return GitHubLocation(f"github://owner/field/{path}", **(usual | settings))


def _below(path: str) -> str:
    """What of a repository a path names."""
    parts = path.split("/")
    return "/".join(parts[4:] if parts[1] == "repos" else parts[3:])


def _is_hex(text: str) -> bool:
    return 4 <= len(text) <= 40 and set(text) <= set("0123456789abcdef")


def _json(values: Any, status: int = 200) -> Reply:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    return Reply(status, headers, json.dumps(values).encode())

"""What a lock file resolved is of its location, and a location can be moved to another ref."""

from __future__ import annotations

import pytest
from tests.readers.locks import COMMIT, entry, locked, parsed, refused, toml

from memoryfield_readers import LocationError
from memoryfield_readers.lock.moving import moved

OTHER = "f" * 40
GITHUB = "github://owner/repo/notes"
BROWSED = "https://github.com/owner/repo/tree/a/b/notes"
GIT = "git+https://host.example/r.git"
S3 = "s3://bucket/a.zip"


@pytest.mark.parametrize(
    ("location", "resolved"),
    [
        (GITHUB, f"{GITHUB}@{COMMIT}"),
        (f"{GITHUB}@main", f"{GITHUB}@{COMMIT}"),
        (f"{GITHUB}@{COMMIT}", f"{GITHUB}@{COMMIT}"),
        ("github://owner/repo", f"github://owner/repo@{COMMIT}"),
        ("github://host.example/owner/repo/n", f"github://host.example/owner/repo/n@{COMMIT}"),
        (BROWSED, f"github://github.com/owner/repo/notes@{COMMIT}"),
        (BROWSED, f"github://github.com/owner/repo/b/notes@{COMMIT}"),
        (BROWSED, f"github://github.com/owner/repo@{COMMIT}"),
        (f"{GIT}@main#notes", f"{GIT}@{COMMIT}#notes"),
        (GIT, f"{GIT}@{'a' * 64}"),
        ("git+file:///srv/r@v1", f"git+file:///srv/r@{COMMIT}"),
        (S3, f"{S3}?versionId=abc"),
        (f"{S3}?versionId=abc", f"{S3}?versionId=abc"),
        ("https://example.org/notes/", "https://example.org/notes/"),
    ],
)
def test_resolved_of_the_same_place(location: str, resolved: str) -> None:
    """A commit or a version of the very location is taken."""
    lock = parsed(toml(entry(location=location, resolved=resolved)))
    assert lock.field("notes").resolved == resolved


@pytest.mark.parametrize(
    ("location", "resolved"),
    [
        (GITHUB, f"github://other/repo/notes@{COMMIT}"),
        (GITHUB, f"github://owner/other/notes@{COMMIT}"),
        (GITHUB, f"github://owner/repo/other@{COMMIT}"),
        (GITHUB, f"github://owner/repo@{COMMIT}"),
        (GITHUB, f"github://evil.example/owner/repo/notes@{COMMIT}"),
        (GITHUB, f"{GITHUB}@main"),
        (GITHUB, f"{GITHUB}@{COMMIT[:39]}"),
        (GITHUB, f"{GITHUB}/a.zip@{COMMIT}"),
        (GITHUB, f"https://github.com/owner/repo/tree/{COMMIT}/notes"),
        (f"{GITHUB}@{COMMIT}", f"{GITHUB}@{OTHER}"),
        (GITHUB, f"git+https://github.com/owner/repo@{COMMIT}#notes"),
        (BROWSED, f"github://owner/repo/notes@{COMMIT}"),
        (BROWSED, f"github://github.com/owner/repo/otes@{COMMIT}"),
        (BROWSED, f"github://github.com/owner/repo/notes/x@{COMMIT}"),
        (f"{GIT}#notes", f"{GIT}@{COMMIT}#other"),
        (GIT, f"git+https://evil.example/r.git@{COMMIT}"),
        (GIT, f"git+http://host.example/r.git@{COMMIT}"),
        (GIT, f"git+file:///host.example/r.git@{COMMIT}"),
        ("git+file:///srv/r@v1", f"git+file:///srv/other@{COMMIT}"),
        (GIT, f"{GIT}@v1"),
        (S3, "s3://bucket/b.zip?versionId=abc"),
        (S3, "s3://other/a.zip?versionId=abc"),
        (f"{S3}?versionId=abc", f"{S3}?versionId=abd"),
        (f"{S3}?versionId=abc", S3),
        ("s3://bucket/a/", "s3://bucket/b/"),
        ("https://example.org/a.zip", "https://example.org/b.zip"),
        ("https://example.org/a.zip", "https://evil.example/a.zip"),
        ("https://example.org/n/", "https://example.org/n/memoryfield.zip"),
        ("https://example.org/n/", "http://127.0.0.1/n/"),
        ("https://example.org/n/", "/etc"),
        ("notes", "/etc"),
        ("notes", "../notes"),
        ("notes", "notes"),
        ("../notes", "../notes"),
        ("/srv/notes", "/srv/notes"),
        ("notes", "http://127.0.0.1/"),
        ("gs://bucket/n", "gs://bucket/m"),
    ],
)  # fmt: skip
def test_resolved_of_another_place(location: str, resolved: str) -> None:
    """It is what is opened, and a person looks at the location: it may lead nowhere else."""
    error = refused(toml(entry(location=location, resolved=resolved)))
    assert error.message.startswith("fields.notes.resolved is not of `location`: it ")
    assert error.exit_code == 2


@pytest.mark.parametrize(
    "location",
    [
        "https://user:secret@example.org/a.zip",
        "https://example.org/a.zip?X-Amz-Signature=secret",
        "https://example.org/a.zip?v=secret",
        "s3://key:secret@bucket/a.zip",
        "git+https://secret@host.example/r.git",
        "git+ssh://secret@host.example/r.git",
        "file:///etc/secret",
        "ftp://user:secret@host/a.zip",
        "secret\0",
        "a" * 4097,
    ],
    ids=[
        "password", "signature", "query", "s3", "git", "ssh", "file", "ftp", "nul", "long",
    ],
)  # fmt: skip
@pytest.mark.parametrize("key", ["location", "resolved"])
def test_what_is_no_location(key: str, location: str) -> None:
    """It is refused wherever it stands, and nothing of it that may let somebody in is repeated."""
    error = refused(toml(entry(**{key: location})))
    assert error.message.startswith(f"fields.notes.{key} is no")
    assert "secret" not in f"{error}{error.hint}"


@pytest.mark.parametrize(
    ("location", "to", "expected"),
    [
        (GITHUB, "v2", f"{GITHUB}@v2"),
        (f"{GITHUB}@main", "feature/x", f"{GITHUB}@feature/x"),
        (f"{GITHUB}@main", COMMIT, f"{GITHUB}@{COMMIT}"),
        (f"{GITHUB}@main", "a@b#c%d", f"{GITHUB}@a%40b%23c%25d"),
        ("github://owner/repo/a%40b@main", "v2", "github://owner/repo/a%40b@v2"),
        ("github://owner/repo/a.zip@v1", "v2", "github://owner/repo/a.zip@v2"),
        ("https://github.com/owner/repo", "v2", "github://github.com/owner/repo@v2"),
        (
            "https://github.com/owner/repo/releases/download/v1/a.zip",
            "v2",
            "https://github.com/owner/repo/releases/download/v2/a.zip",
        ),
        (f"{GIT}@v1#notes", "v2", f"{GIT}@v2#notes"),
        (GIT, "feature/x", f"{GIT}@feature/x"),
        ("git+file:///srv/r@v1#a", "é", "git+file:///srv/r@%C3%A9#a"),
        (S3, "abc/d=", f"{S3}?versionId=abc%2Fd%3D"),
        (f"{S3}?versionId=abc", "def", f"{S3}?versionId=def"),
    ],
)
def test_moved_to_another_ref(location: str, to: str, expected: str) -> None:
    """The ref or version takes the place of the old one, and all else stays."""
    assert moved(locked(location=location), to) == expected


def test_moved_where_ref_and_path_are_one() -> None:
    """Where a browser's address does not tell where the ref ends, what was resolved does."""
    resolved = f"github://github.com/owner/repo/notes@{COMMIT}"
    field = locked(location=BROWSED, resolved=resolved)
    assert moved(field, "v2") == "github://github.com/owner/repo/notes@v2"
    with pytest.raises(LocationError, match="where the ref ends"):
        moved(locked(location=BROWSED), "v2")


@pytest.mark.parametrize(
    "location",
    ["notes", "/a/notes", "https://example.org/a.zip", "s3://bucket/notes/", "gs://b/notes"],
)
def test_nothing_to_move(location: str) -> None:
    """Where there is neither a ref nor a version, the way out is named."""
    with pytest.raises(LocationError) as found:
        moved(locked(location=location), "v2")
    assert found.value.exit_code == 2
    assert "lock remove notes" in (found.value.hint or "")


@pytest.mark.parametrize("to", ["", "-x", "a b", "a..b", "a\n", "a:b", "@{1}", "~", "a" * 2000])
@pytest.mark.parametrize("location", [GITHUB, GIT])
def test_refs_that_are_none(location: str, to: str) -> None:
    """What git would take for an option, a range or a search is no ref."""
    with pytest.raises(LocationError):
        moved(locked(location=location), to)


@pytest.mark.parametrize("to", ["", "a b\n" * 400])
def test_versions_that_are_none(to: str) -> None:
    """A version id that no location can carry is refused."""
    with pytest.raises(LocationError):
        moved(locked(location=S3), to)

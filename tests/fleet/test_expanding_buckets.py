"""Patterns in a real S3 API: what a listing by pages gives, and what is told when it goes wrong."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, ClassVar, cast

import pytest
from tests.readers.servers.s3_gate import Asked, Given, refusal
from tests.readers.servers.s3_world import KEYS, S3World, s3_world

from memoryfield_fleet import Refused, Target
from memoryfield_fleet.expanding import targets
from memoryfield_fleet.expanding.buckets import _sorted_out
from memoryfield_fleet.expanding.patterns import compiled
from memoryfield_fleet.expanding.seen import Seen
from memoryfield_readers import AccessDenied, LocationError, NotFound, SourceUnavailable
from memoryfield_readers.s3.listing import pages
from memoryfield_readers.s3.session import S3Session

LISTING = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>'
LAST = "<IsTruncated>false</IsTruncated></ListBucketResult>"


@pytest.fixture(scope="module")
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


@pytest.fixture(autouse=True)
def calm(s3: S3World) -> None:
    s3.gate.rules.clear()
    s3.gate.asked.clear()
    s3.gate.page_keys = None


def meant(s3: S3World, *given: str) -> Iterator[Target | Refused]:
    return targets(given, storage_options={"endpoint_url": s3.gate.url, "retries": 0, **KEYS})


def places(found: list[Target | Refused], bucket: str) -> list[str]:
    assert all(isinstance(each, Target) for each in found), found
    return [each.location.removeprefix(f"s3://{bucket}/") for each in found]


def filled(s3: S3World, *keys: str) -> str:
    bucket = s3.server.bucket()
    for key in keys:
        s3.server.put(bucket, key, b"x")
    return bucket


def page_of(*keys: str, token: str = "") -> Given:
    """A page of a listing as S3 words it; "" for no token: then it is the last one."""
    objects = "".join(
        f"<Contents><Key>{key}</Key><Size>1</Size><ETag>e</ETag></Contents>" for key in keys
    )
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
    end = f"{more}</ListBucketResult>" if token else LAST
    return Given(200, {"Content-Type": "application/xml"}, f"{LISTING}{objects}{end}".encode())


def give(s3: S3World, *answers: Given) -> None:
    """These from now on, in turn, and the last of them for ever."""
    left = list(answers)
    s3.gate.rules[:] = [lambda _, __: left.pop(0) if len(left) > 1 else left[0]]


def test_archives_and_folders_come_as_the_pattern_says(s3: S3World) -> None:
    """By pages of any size, with nothing asked for that cannot fit."""
    bucket = filled(
        s3, "x-1.memoryfield.zip", "x-2.memoryfield.zip", "y.memoryfield.zip", "x-dir/a.zip",
        "a-b/p.md", "a/p.md", "a/sub/q.md", "a/sub/deep/r.md", "b/", "pre1/x-1.zip", "pre2/x-1.zip",
        "pre2/X-2.zip", ".hidden/p.md", "[a]/p.md", "readme.txt", "é &+%/p.md",
    )  # fmt: skip
    s3.gate.page_keys = 5
    for keys, *expected in (
        ("x-*.memoryfield.zip", "x-1.memoryfield.zip", "x-2.memoryfield.zip"),
        ("pre*/x-?.zip", "pre1/x-1.zip", "pre2/x-1.zip"),
        ("*/", "[a]/", "a-b/", "a/", "b/", "pre1/", "pre2/", "x-dir/", "é &+%/"),
        ("[[]*/", "[a]/"),
        ("**/", "[a]/", "a-b/", "a/sub/deep/", "a/sub/", "a/", "é &+%/"),
        ("a*/**/sub/", "a/sub/"),
        ("[px]*", "pre1/", "pre2/", "x-1.memoryfield.zip", "x-2.memoryfield.zip", "x-dir/"),
        (".*/", ".hidden/"),
    ):
        assert places(list(meant(s3, f"s3://{bucket}/{keys}")), bucket) == expected, keys
    (refused,) = meant(s3, f"s3://{bucket}/[[]a]/*")
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, NotFound)
    assert refused.location == f"s3://{bucket}/[[]a]/*"
    s3.gate.page_keys = None
    s3.gate.asked.clear()
    assert len(list(meant(s3, f"s3://{bucket}/x-*.zip", f"s3://{bucket}/*.zip"))) == 3
    first, second = s3.gate.asked
    assert (first.query["prefix"], first.query["delimiter"]) == ("x-", "/")
    assert (second.query["prefix"], second.query["delimiter"]) == ("", "/")


def test_a_version_is_another_one_when_an_object_is(s3: S3World) -> None:
    bucket = filled(s3, "f/a.md", "f/sub/b.md", "g/a.md", "f.zip", "g.zip")

    def versions() -> dict[str, str | None]:
        found = list(meant(s3, f"s3://{bucket}/*"))
        assert {each.host for each in found if isinstance(each, Target)} == {f"s3://{bucket}"}
        return {each.location: each.version for each in found if isinstance(each, Target)}

    first = versions()
    assert first == versions()
    etag = s3.server.put(bucket, "f.zip", b"other").etag.strip('"')
    s3.server.put(bucket, "f/sub/b.md", b"other")
    second = versions()
    changed = {name for name in first if first[name] != second[name]}
    assert changed == {f"s3://{bucket}/f/", f"s3://{bucket}/f.zip"}
    assert second[f"s3://{bucket}/f.zip"] == f"etag:{etag}"
    s3.server.put(bucket, "g/b.md", b"x")
    third = versions()
    assert third[f"s3://{bucket}/g/"] != second[f"s3://{bucket}/g/"]


def test_a_listing_is_asked_for_as_it_is_wanted(s3: S3World) -> None:
    """And its end is not, if nobody wants it; the connection is closed then."""
    bucket = filled(s3, *(f"{number}.zip" for number in range(9)))
    s3.gate.page_keys = 2
    found = meant(s3, f"s3://{bucket}/*.zip")
    assert places([next(found), next(found)], bucket) == ["0.zip", "1.zip"]
    assert len(s3.gate.asked) == 1
    next(found)
    assert len(s3.gate.asked) == 2
    found.close()  # type: ignore[attr-defined] # it is a generator


def test_what_breaks_off_is_told_behind_what_came(s3: S3World) -> None:
    """What is given after it comes all the same; a folder that is not known whole does not."""
    first = page_of("a/p.md", "b/p.md", "b/q.md", token="1")
    for answer, kind, words in (
        (refusal(503, "SlowDown"), SourceUnavailable, "busy"),
        (refusal(403, "AccessDenied"), AccessDenied, "may not be listed"),
        (refusal(404, "NoSuchBucket"), NotFound, "no such bucket"),
        (Given(200, {"Content-Type": "text/html"}, b"<html>"), SourceUnavailable, "no S3 store"),
        (page_of("b/r.md", token="1"), SourceUnavailable, "in a circle"),
        (page_of("a/p.md", token="2"), SourceUnavailable, "in a circle"),
        (page_of("b/z.md", "a/z.md"), SourceUnavailable, "in no order"),
    ):
        give(s3, first, answer)
        before, refused, after = meant(s3, "s3://bucket/*/", "https://example.org/f/")
        assert isinstance(before, Target)
        assert before.location == "s3://bucket/a/"
        assert after == Target("https://example.org/f/", host="example.org")
        assert isinstance(refused, Refused)
        assert type(refused.error) is kind
        assert words in refused.error.message
        assert refused.location == refused.error.location == "s3://bucket/*/"


def test_archives_need_no_order(s3: S3World) -> None:
    """As directory buckets have none: each is given as it comes, once."""
    session = (
        "<CreateSessionResult><Credentials><AccessKeyId>k</AccessKeyId><SessionToken>t"
        "</SessionToken><SecretAccessKey>s</SecretAccessKey><Expiration>2099-01-01T00:00:00Z"
        "</Expiration></Credentials></CreateSessionResult>"
    )
    give(
        s3,
        Given(200, {"Content-Type": "application/xml"}, session.encode()),
        page_of("f/c.zip", "f/a.zip", token="1"),
        page_of("f/b.zip", "f/a.zip"),
    )
    bucket = "bucket--use1-az4--x-s3"
    found = list(meant(s3, f"s3://{bucket}/f/[abc]*.zip", f"s3://{bucket}/f/x*.zip"))
    assert places(found[:-1], bucket) == ["f/c.zip", "f/a.zip", "f/b.zip"]
    assert {asked.query.get("prefix") for asked in s3.gate.asked} == {None, "f/"}
    give(s3, Given(200, {"Content-Type": "application/xml"}, b"<CreateSessionResult/>"))
    (refused,) = meant(s3, f"s3://{bucket}/*/")
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, SourceUnavailable)


@pytest.mark.parametrize("token", ["same", "new"])
def test_a_circle_of_any_length_has_an_end(s3: S3World, token: str) -> None:
    """Whether its marks come again or only its keys, and without keeping any list of them."""
    served = 0

    def rule(_: Asked, __: Given) -> Given:
        nonlocal served
        at = served if served < 3 else 3 + (served - 3) % 5
        served += 1
        return page_of(f"{at}.zip", token=str(at) if token == "same" else f"new{served}")

    s3.gate.rules[:] = [rule]
    *found, refused = meant(s3, "s3://bucket/*.zip")
    assert places(found, "bucket") == [f"{number}.zip" for number in range(8)]
    assert isinstance(refused, Refused)
    assert "in a circle" in refused.error.message
    assert served < 3 * 8


def test_hostile_keys_are_told_and_named_without_harm(s3: S3World) -> None:
    """What no location can name is never taken for another object, nor passed over in silence."""
    keys = (
        "a/../b.zip", "a//b.zip", "./c.zip", "/d.zip", "a&#9;.zip", "e&#10;.zip",
        "f.zip?versionId=1.zip", "g.zip?X-Amz-Signature=secret.zip",
        "h&#x202e;.zip", "i.zip",
    )  # fmt: skip
    give(s3, page_of(*keys))
    found = list(meant(s3, "s3://bucket/**/*.zip"))
    good = [each.location for each in found if isinstance(each, Target)]
    assert good == ["s3://bucket/h\u202e.zip", "s3://bucket/i.zip"]
    bad = [each for each in found if isinstance(each, Refused)]
    assert len(bad) == len(keys) - len(good)
    for each in bad:
        assert isinstance(each.error, LocationError)
        assert each.location.isprintable()
        assert "secret" not in f"{each.location} {each.error} {each.error.hint}"
    assert len({each.location for each in bad}) == len(bad)


def test_a_store_without_marks_gives_no_version(s3: S3World) -> None:
    text = f"{LISTING}<Contents><Key>f/a.md</Key><Size>1</Size></Contents>{LAST}"
    give(s3, Given(200, {"Content-Type": "application/xml"}, text.encode()))
    assert list(meant(s3, "s3://bucket/*/")) == [Target("s3://bucket/f/", host="s3://bucket")]


class Bucket:
    """In place of a session: a bucket of so many fields of one page each, made as it is read."""

    payer: ClassVar[dict[str, str]] = {}

    def __init__(self, fields: int, runner: asyncio.Runner) -> None:
        self._keys = fields
        self._runner = runner

    def run(self, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        return self._runner.run(work(self))

    async def list_objects_v2(self, **wanted: Any) -> dict[str, Any]:
        first = int(wanted.get("ContinuationToken", 0))
        last = min(first + 1000, self._keys)
        contents = [
            {"Key": f"{at:09}/a.md", "Size": 1, "ETag": f'"{at}"'} for at in range(first, last)
        ]
        more = {"IsTruncated": True, "NextContinuationToken": str(last)}
        return {"Contents": contents, **(more if last < self._keys else {})}


class FoldersFirst(Bucket):
    """Pages of nothing but folders come before its object."""

    async def list_objects_v2(self, **wanted: Any) -> dict[str, Any]:
        at = int(wanted.get("ContinuationToken", 0))
        if at == self._keys:
            return {"Contents": [{"Key": "z.zip", "Size": 1, "ETag": "e"}]}
        more = {"IsTruncated": True, "NextContinuationToken": str(at + 1)}
        return {"CommonPrefixes": [{"Prefix": f"{at:09}/"}], **more}


def test_pages_of_folders_alone_are_not_empty() -> None:
    """A store that gives nothing, page after page, is given up; this one gives something."""
    with asyncio.Runner() as runner:
        session = cast(S3Session, FoldersFirst(150, runner))
        found = [each.key for page in pages(session, "b", "", 1.0, delimiter="/") for each in page]
    assert found == ["z.zip"]


def test_memory_does_not_grow_with_the_bucket() -> None:
    """Nor with the number of fields that were given out."""
    peaks = []
    for fields in (2_000, 4_000):
        tracemalloc.start()
        pattern = compiled(["*"], folders_alone=True)
        with Seen(100) as seen, asyncio.Runner() as runner:
            session = cast(S3Session, Bucket(fields, runner))
            listing = pages(session, "bucket", "", 1.0)
            new = sum(seen.is_new(each.location) for each in _sorted_out("b", pattern, listing))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert new == fields
    small, large = peaks
    assert large < small + 100_000

"""Patterns against `fnmatch` by component: on paths as texts, and on real trees."""

from __future__ import annotations

import fnmatch
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryfield_fleet import Refused, Target
from memoryfield_fleet.expanding.buckets import _sorted_out
from memoryfield_fleet.expanding.folders import in_folders
from memoryfield_fleet.expanding.patterns import Pattern, compiled
from memoryfield_readers import DEFAULT_LIMITS, NotFound, is_debris
from memoryfield_readers.s3.listing import Listing

NAMES = st.sampled_from(["a", "b", "ab", "A", "a.zip", "b.ZIP", ".a", "a~", "[a]", "x.md", "ä\n"])
PARTS = st.sampled_from(
    ["*", "?", "a*", "*.zip", "[ab]", "[!a]*", "**", "**a", ".*", "*~", "a", "ab", "[", "[[]a]"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4)
SHAPES = st.lists(PARTS, min_size=1, max_size=4)


def fits(path: Sequence[str], parts: Sequence[str]) -> bool:
    """What a pattern means, said in another way than it is done."""
    if not parts:
        return not path
    if parts[0] == "**":
        here = fits(path, parts[1:])
        return here or (bool(path) and not is_debris(path[0]) and fits(path[1:], parts))
    if not path or not fnmatch.fnmatchcase(path[0], parts[0]):
        return False
    literal = not set("*?[") & set(parts[0])
    passed_over = is_debris(path[0]) and not is_debris(parts[0]) and not literal
    return not passed_over and fits(path[1:], parts[1:])


def ends_in(pattern: Pattern, path: Sequence[str]) -> bool:
    state = pattern.start
    for name in path:
        state = pattern.step(state, name)
    return pattern.is_met(state)


@settings(max_examples=80, deadline=None)
@given(PATHS, SHAPES)
@example(["a", "b", "a"], ["**", "a", "**"])
@example(["a"], ["a", "**", "**"])
@example([".a", "a"], ["**", "a"])
@example([".a"], [".a"])
def test_a_path_fits_as_fnmatch_says_part_by_part(path: list[str], parts: list[str]) -> None:
    assert ends_in(compiled(parts, folders_alone=False), path) == fits(path, parts)


def meant(path: str, parts: list[str], files: set[str], *, folders_alone: bool) -> bool:
    """Whether a path, a folder's with a slash at its end, is among what a pattern stands for."""
    archives_alone = not folders_alone and parts[-1].lower().endswith(".zip")
    if not fits(path.removesuffix("/").split("/"), parts):
        return False
    if not path.endswith("/"):
        return not folders_alone and path.lower().endswith(".zip")
    has_page = any(
        file.startswith(path) and "/" not in file[len(path) :] and file.endswith(".md")
        for file in files
    )
    return not archives_alone and (has_page or "**" not in parts)


def folders_of(files: set[str]) -> set[str]:
    return {
        "/".join(file.split("/")[:depth]) + "/"
        for file in files
        for depth in range(1, file.count("/") + 1)
    }


@st.composite
def trees(draw: st.DrawFn) -> set[str]:
    """Files, none of which is also a folder."""
    files: set[str] = set()
    for path in draw(st.lists(PATHS, min_size=1, max_size=12)):
        file = "/".join(path)
        above = {"/".join(path[:depth]) for depth in range(1, len(path))}
        if not above & files and f"{file}/" not in folders_of(files):
            files.add(file)
    return files


def given_out(found: Iterator[Target | Refused], root: str) -> list[str]:
    """The paths of what was found below a root."""
    items = list(found)
    assert all(isinstance(each, Target) for each in items)
    return [each.location.removeprefix(root) for each in items]


@settings(max_examples=60, deadline=None)
@given(trees(), SHAPES, st.booleans())
def test_a_bucket_gives_what_fits_once(files: set[str], parts: list[str], folders: bool) -> None:
    """Whatever keys there are: those that no location can name are told, none else."""
    page = [Listing(key, 1, '"e"', None) for key in sorted(files)]
    found = list(_sorted_out("bucket", compiled(parts, folders_alone=folders), iter([page])))
    expected = {
        f"s3://bucket/{path}"
        for path in files | folders_of(files)
        if meant(path, parts, files, folders_alone=folders)
    }
    nameable = {location for location in expected if "\n" not in location}
    good = [each.location for each in found if isinstance(each, Target)]
    assert sorted(good) == sorted(nameable)
    assert len(found) == len(expected)


@settings(max_examples=40, deadline=None)
@example({"x.md/a.zip", "b/x.md", "y.md"}, ["**"], False)
@given(trees(), SHAPES.filter(lambda parts: bool(set("*?[") & set("".join(parts)))), st.booleans())
def test_folders_give_what_fits_once_and_in_order(
    files: set[str], parts: list[str], folders: bool
) -> None:
    with tempfile.TemporaryDirectory() as root:
        for file in files:
            path = Path(root, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
        slash = "/" if folders else ""
        text = f"{root}/{'/'.join(parts)}{slash}"
        expected = {
            path.removesuffix("/")
            for path in files | folders_of(files)
            if meant(path, parts, files, folders_alone=folders)
        }
        if set(parts) == {"**"} and any("/" not in file and file.endswith(".md") for file in files):
            expected.add(root)  # `**` may stand for no folder
        if not expected:
            with pytest.raises(NotFound, match="no field fits"):
                list(in_folders(text, DEFAULT_LIMITS))
            return
        found = given_out(in_folders(text, DEFAULT_LIMITS), f"{root}/")
        assert sorted(found) == sorted(expected)
        again = given_out(in_folders(text, DEFAULT_LIMITS), f"{root}/")
        assert again == found


class Counting(Pattern):
    """A pattern that knows how often it was asked for a step."""

    steps = 0

    def step(self, state: int, name: str, *, is_link: bool = False) -> int:
        Counting.steps += 1
        return super().step(state, name, is_link=is_link)


def test_a_key_costs_what_it_is_long() -> None:
    """Hostile keys, each of 500 folders, against a pattern with many `**`."""
    plain = compiled(["**", "a", "**", "a", "**", "b"], folders_alone=True)
    pattern = Counting(plain.parts, plain.debris, plain.folders, plain.archives)
    page = [Listing(f"{number}/{'a/' * 500}x", 1, '"e"', None) for number in range(4)]
    assert list(_sorted_out("bucket", pattern, iter([page]))) == []
    assert Counting.steps <= 4 * 502


def test_order_is_that_of_bytes_and_links_are_not_gone_through(tmp_path: Path) -> None:
    """`**` could go round in a circle else; a link that `*` matches is meant."""
    for name in ("b", "B", "a", "z/inner"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "p.md").write_text("x")
    os.symlink(tmp_path, tmp_path / "z" / "round")
    os.symlink(tmp_path / "a", tmp_path / "link")
    root = f"{tmp_path}/"
    assert given_out(in_folders(f"{root}*/", DEFAULT_LIMITS), root) == ["B", "a", "b", "link", "z"]
    deep = given_out(in_folders(f"{root}**/", DEFAULT_LIMITS), root)
    assert deep == ["B", "a", "b", "z/inner"]
    assert given_out(in_folders(f"{root}*/../a", DEFAULT_LIMITS), root)[0] == "B/../a"


@pytest.mark.parametrize("pattern", ["*", "*/", "*/p.zip", "*/../b"])
def test_a_link_that_leads_to_itself_is_told_and_the_rest_goes_on(
    tmp_path: Path, pattern: str
) -> None:
    for name in ("a", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.md").write_text("x")
        (tmp_path / name / "p.zip").write_text("x")
    os.symlink("b", tmp_path / "b")
    found = list(in_folders(f"{tmp_path}/{pattern}", DEFAULT_LIMITS))
    told = [each.location for each in found if isinstance(each, Refused)]
    assert {os.path.basename(each) for each in told} == {"b"}
    if pattern != "*/../b":
        assert len(told) == 1
        assert len(found) == 3


def test_a_folder_that_cannot_be_listed_is_told_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name / "f").mkdir(parents=True)
    listed = os.scandir

    def scandir(path: str) -> object:
        if str(path) == f"{tmp_path}/b":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = list(in_folders(f"{tmp_path}/*/*/", DEFAULT_LIMITS))
    assert [(type(each), each.location.removeprefix(f"{tmp_path}/")) for each in found] == [
        (Target, "a/f"), (Refused, "b"), (Target, "c/f"),
    ]  # fmt: skip

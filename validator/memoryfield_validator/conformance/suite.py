"""The suite: where the cases stand, and from their files to values."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from memoryfield_readers import DEFAULT_LIMITS

from .archive_form import archive_of
from .case import Archive, Case, File
from .content import content_of, name_of
from .edits import edit_of, files_after
from .errors import BrokenCase, NoSuchCase
from .judging import parsed_json

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

Folder: TypeAlias = "Traversable | Path"

_MOST_MESSAGE = 300
_MOST_BYTES = 1024 * 1024
_MOST_REPEATED = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases, in the order of their groups and ids."""

    cases: tuple[Case, ...]

    def chosen(self, beginnings: Iterable[str]) -> tuple[Case, ...]:
        """The cases whose id, group or one of whose requirements begins so; all for no beginning.

        The whole id of a case chooses that case alone.

        Raises:
            NoSuchCase: a beginning fits no case.
        """
        wanted: set[str] = set()
        beginnings = list(beginnings)
        for beginning in beginnings:
            low = beginning.lower()
            found = {case.id for case in self.cases if case.id == low} or {
                case.id
                for case in self.cases
                if any(n.startswith(low) for n in _names(case.id, case.group, case.requirements))
            }
            if not found:
                raise NoSuchCase(
                    f"no case has an id or a requirement that begins with {beginning!r}"
                )
            wanted |= found
        return tuple(case for case in self.cases if not beginnings or case.id in wanted)


def fixtures() -> Folder:
    """`conformance-fixtures/`: shipped within the package, at the root in a checkout."""
    from importlib.resources import files

    package = files("memoryfield_validator")
    shipped = package / "conformance" / "fixtures"
    if shipped.is_dir():
        return shipped
    return Path(str(package)).parents[1] / "conformance-fixtures"


def load_suite(root: Folder | None = None, beginnings: Iterable[str] = ()) -> Suite:
    """The cases below `cases/` of a folder, by default those of the kit.

    Arguments:
        root: the folder.
        beginnings: what `Suite.chosen` will be asked for; where something is named, a case that
            does not fit is left out before it is judged, which is most of the work.

    Raises:
        BrokenCase: a file is no TOML, one that is wanted is no case, two have the same id, or there
            is none.
    """
    root = root or fixtures()
    wanted = [beginning.lower() for beginning in beginnings]
    cases: list[Case] = []
    ids: Counter[str] = Counter()
    try:
        for group, path in case_files(root):
            with _told_with(path):
                given = _parsed(path)
                if not wanted or _may_fit(given, group, wanted):
                    cases.append(_judged(given, group))
                ids[given["id"]] += 1
    except OSError as error:
        raise BrokenCase(f"cannot be read: {error.strerror}", location=str(root)) from None
    if not ids:
        raise BrokenCase("there is no case", location=str(root), hint="give a folder with `cases/`")
    for id, count in ids.items():
        if count > 1:
            raise BrokenCase(f"{count} cases have the id {id}", location=str(root))
    return Suite(tuple(cases))


def case_files(root: Folder) -> Iterator[tuple[str, Folder]]:
    """The files of the cases with their groups, in order."""
    top = root / "cases"
    if not top.is_dir():
        return
    for group in sorted(top.iterdir(), key=lambda folder: folder.name):
        if group.is_dir():
            for path in sorted(group.iterdir(), key=lambda file: file.name):
                if path.name.endswith(".toml") and path.is_file():
                    yield group.name, path


def read_case(path: Folder, group: str) -> Case:
    """The case in a file.

    Raises:
        BrokenCase: the file is no TOML, or not in the form of the schema.
    """
    with _told_with(path):
        return _judged(_parsed(path), group)


@contextmanager
def _told_with(path: Folder) -> Iterator[None]:
    """Make whatever is wrong with a file a `BrokenCase` that names it."""
    try:
        yield
    except OSError as error:
        raise BrokenCase(f"cannot be read: {error.strerror}", location=str(path)) from None
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise BrokenCase(f"is no TOML: {error}", location=str(path)) from None
    except BrokenCase as error:
        raise BrokenCase(error.message, location=str(path)) from None


def _parsed(path: Folder) -> dict[str, Any]:
    """What a file says, which need not be a case."""
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise BrokenCase(f"is longer than {_MOST_BYTES} bytes")
    given = tomllib.loads(data.decode(), parse_float=_no_float)
    if _repeated_bytes(given) > _MOST_REPEATED:
        raise BrokenCase(f"its pieces repeat to more than {_MOST_REPEATED} bytes")
    return given


def _judged(given: dict[str, Any], group: str) -> Case:
    """The case that a file describes, if it has the form of one."""
    for problem in _schema().iter_errors(given):
        raise BrokenCase(_told(problem, given))
    return _case(given, group)


def _may_fit(given: dict[str, Any], group: str, wanted: list[str]) -> bool:
    """Whether a case has such a name, or names of which nothing can be said before it is judged."""
    id, requirements = given.get("id"), given.get("requirements")
    if not isinstance(id, str) or not isinstance(requirements, list):
        return True
    if not all(isinstance(each, str) for each in requirements):
        return True
    names = _names(id, group, requirements)
    return any(name.startswith(low) for name in names for low in wanted)


def _repeated_bytes(given: object) -> int:
    """How many bytes all pieces that are repeated announce, judged before they are made."""
    if isinstance(given, list):
        return sum(map(_repeated_bytes, given))
    if not isinstance(given, dict):
        return 0
    repeat, times = given.get("repeat"), given.get("times")
    own = 0
    if isinstance(repeat, str) and isinstance(times, int):
        own = len(repeat.encode()) * times
    return max(0, own) + sum(map(_repeated_bytes, given.values()))


def _no_float(text: str) -> None:
    raise BrokenCase(f"a case has whole numbers only, and not {text[:40]}")


def _told(problem: ValidationError, given: dict[str, Any]) -> str:
    """What the schema has against a case; its messages quote a value, and say last what it is."""
    message = problem.message
    if problem.validator is None:  # the schema says false, and not of which key
        keys = [key for key, value in given.items() if value is problem.instance]
        message = f"`{'`, `'.join(keys)}` does not go with kind {given['kind']}"
    elif len(message) > _MOST_MESSAGE:
        message = f"{message[:150]} ... {message[-150:]}"
    return f"{'.'.join(map(str, problem.absolute_path)) or 'the case'}: {message}"


def _case(given: dict[str, Any], group: str) -> Case:
    settings = given.get("limits", {})
    limits = DEFAULT_LIMITS.with_settings(f"{name}={value}" for name, value in settings.items())
    sources = given.get("sources")
    fields = given["expect"].get("frontmatter")
    if fields is not None:
        _check_json(fields)
    files = _given(given)
    edit = edit_of(given["edit"]) if "edit" in given else None
    return Case(
        id=given["id"],
        kind=given["kind"],
        title=given["title"],
        why=given["why"],
        spec=given["spec"],
        requirements=tuple(given["requirements"]),
        settings=settings,
        limits=limits,
        sources=None if sources is None else frozenset(sources),
        given=files,
        pin=given.get("pin"),
        expect=given["expect"],
        group=group,
        audit=given.get("audit", False),
        edit=edit,
        after=files_after(given["expect"], files) if edit and isinstance(files, tuple) else (),
    )


def _given(given: dict[str, Any]) -> tuple[File, ...] | Archive | bytes:
    if "archive" in given:
        return archive_of(given["archive"])
    if "page" in given:
        return content_of(given["page"]) or b""
    files = tuple(
        File(name_of(file), content_of(file), file.get("link"), file.get("special"))
        for file in given["files"]
    )
    _check_tree(files)
    return files


def _check_tree(files: tuple[File, ...]) -> None:
    """Refuse names that stand twice, and files below what is no folder: a link leads anywhere."""
    by_name = {file.name: file for file in files}
    for file in files:
        if by_name[file.name] is not file:
            raise BrokenCase(f"two files have the name {file.name!r}")
        above = file.name
        while "/" in above:
            above = above.rpartition("/")[0]
            if above in by_name and by_name[above].special != "folder":
                raise BrokenCase(f"{file.name!r} stands below {above!r}, which is no folder")


def _check_json(text: str) -> None:
    try:
        parsed_json(text)
    except ValueError as error:
        raise BrokenCase(f"expect.frontmatter: is no JSON: {error}") from None


@cache
def _schema() -> Validator:
    import json

    from jsonschema import Draft202012Validator

    text = (fixtures() / "case.schema.json").read_text(encoding="utf-8")
    return cast("Validator", Draft202012Validator(json.loads(text)))


def _names(id: str, group: str, requirements: Iterable[str]) -> tuple[str, ...]:
    """What the beginning of a choice may begin."""
    return (id, group, *(each.lower() for each in requirements))

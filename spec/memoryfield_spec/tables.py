"""The tables of SPEC.md, written from the catalogue.

`python -m memoryfield_spec.tables SPEC.md` rewrites, in place, what stands between
`<!-- generated: NAME -->` and `<!-- end generated -->`; with `--check` it only compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from memoryfield_spec.catalogue import Requirement, catalogue
from memoryfield_spec.models import Model, models

CLASSES = ("producer", "reader", "validator", "server", "writer")

_REGION = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end generated -->)", re.S)


def requirement_table(requirements: Iterable[Requirement]) -> str:
    """The table of requirements as Markdown, one row each; an id links to its anchor."""
    return _table(
        ("id", "level", "key word", "classes", "origin", "title"),
        (
            (_link(r), r.level, r.keyword.lower(), ", ".join(r.classes), r.origin, r.title)
            for r in requirements
        ),
    )


def class_table(requirements: Iterable[Requirement]) -> str:
    """The table of conformance classes as Markdown, each with the ids it answers for."""
    of_class: dict[str, list[Requirement]] = {name: [] for name in CLASSES}
    for one in requirements:
        for name in one.classes:
            of_class[name].append(one)
    return _table(
        ("class", "requirements"),
        ((name, ", ".join(map(_link, mine))) for name, mine in of_class.items()),
    )


def model_table(known: Mapping[str, Model]) -> str:
    """The table of known models as Markdown; markers stand in quotes, since they end in blanks."""
    return _table(
        ("model code", "dimension", "before a page", "before a question"),
        (
            (f"`{one.code}`", str(one.dimension), _marker(one.document), _marker(one.query))
            for one in known.values()
        ),
    )


def rewrite(text: str) -> str:
    """A document with all its generated regions written anew.

    Raises:
        LookupError: a region has a name for which there is no table.
    """

    def region(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in _TABLES:
            raise LookupError(f"there is no table {name!r}; there are {', '.join(_TABLES)}")
        return f"{match[1]}\n{_TABLES[name]()}\n{match[3]}"

    return _REGION.sub(region, text)


def main(arguments: Sequence[str]) -> int:
    """Rewrite the generated regions of the files named, or compare them.

    Arguments:
        arguments: paths, and perhaps "--check".

    Returns:
        0, or 1 if "--check" found a file that is out of date, or 2 if no file is named.
    """
    paths = [Path(one) for one in arguments if one != "--check"]
    if not paths:
        print("usage: python -m memoryfield_spec.tables [--check] FILE...", file=sys.stderr)
        return 2
    stale = 0
    for path in paths:
        old = path.read_bytes().decode("utf-8")
        new = rewrite(old)
        if new == old:
            continue
        if "--check" in arguments:
            print(f"{path}: the generated tables are out of date", file=sys.stderr)
            stale = 1
        else:
            path.write_bytes(new.encode("utf-8"))
    return stale


_TABLES: dict[str, Callable[[], str]] = {
    "requirements": lambda: requirement_table(catalogue().values()),
    "classes": lambda: class_table(catalogue().values()),
    "models": lambda: model_table(models()),
}


def _link(one: Requirement) -> str:
    return f"[{one.id}](#{one.id.lower()})"


def _marker(text: str) -> str:
    return f'`"{text}"`' if text else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

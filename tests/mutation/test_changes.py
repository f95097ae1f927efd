"""Every way to break a function, on snippets."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.mutation.changes import changes, functions
from tests.mutation.equivalents import Equivalent, not_found, reason_for
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.report import problems_with_tables
from tests.mutation.targets import Target, is_judged_by_cases, requirements_by_function, targets


def broken(code: str) -> list[str]:
    """Each change of a snippet, as its kind and what comes of it."""
    found = changes(ast.parse(code))
    return [f"{each.kind}: {ast.unparse(each.becomes)}" for each in found]


def in_function(*lines: str, returns: str = "None") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"def f(a, b, c) -> {returns}:\n{body}\n"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a == b", ["inverted: a != b"]),
        ("a != b", ["inverted: a == b"]),
        ("a in b", ["inverted: a not in b"]),
        ("a not in b", ["inverted: a in b"]),
        ("a is b", ["inverted: a is not b"]),
        ("a is not b", ["inverted: a is b"]),
        ("a < b", ["inverted: a >= b", "border: a <= b", "shifted: a < b - 1"]),
        ("a <= b", ["inverted: a > b", "border: a < b", "shifted: a <= b + 1"]),
        ("a > b", ["inverted: a <= b", "border: a >= b", "shifted: a > b + 1"]),
        ("a >= b", ["inverted: a < b", "border: a > b", "shifted: a >= b - 1"]),
        (
            "a < b <= c",
            ["inverted: a >= b <= c", "border: a <= b <= c", "inverted: a < b > c",
             "border: a < b < c"],
        ),
        ("a", ["negated: not a"]),
        ("not a", ["negated: not a"]),
        ("a or not b", ["negated: not a", "negated: not b"]),
        ("a and b == c", ["negated: not a", "inverted: b != c"]),
        ("a if b else c", ["negated: not b", "negated: not a", "negated: not c"]),
        ("(x := a)", ["negated: not (x := a)"]),
        ("bool(a or b)", ["negated: not a", "negated: not b"]),
        ("True", []),
    ],
)  # fmt: skip
def test_a_condition_is_broken_in_each_of_its_parts(condition: str, expected: list[str]) -> None:
    """By operators, alone in a chain too, and by parts that are no comparison."""
    assert broken(in_function(f"if {condition}: return")) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("while a: b()", ["negated: not a"]),
        ("return b if a else c", ["negated: not a"]),
        ("return [x for x in a if b]", ["negated: not b"]),
        ("return a or b", ["swapped: a and b"]),
        ("x = a and b", ["swapped: a or b"]),
        ("x = a or b == c", ["negated: not a", "inverted: b != c"]),
        ("return b(lambda x: x == a)[0]", ["inverted: x != a"]),
        ("return any(a for x in b)", []),
    ],
)  # fmt: skip
def test_conditions_are_found_wherever_they_stand(line: str, expected: list[str]) -> None:
    """A boolean operation that chooses between values chooses the other one."""
    assert broken(in_function(line)) == expected


def test_what_a_function_that_says_yes_or_no_returns_is_a_condition() -> None:
    """So it is negated, though no `if` stands before it."""
    assert broken(in_function("return a", returns="bool")) == ["negated: not a"]
    assert broken(in_function("return any(b)", returns="bool")) == ["negated: not any(b)"]
    assert broken(in_function("return a", returns="str")) == []


def test_only_functions_are_broken() -> None:
    """Neither what is computed at import, nor defaults, decorators and annotations."""
    code = "X = 1 < 2\n@d(1 < 2)\ndef f(a: 1 < 2 = 1 < 2) -> None:\n    x: 1 < 2 = a\n"
    assert broken(code) == []
    assert broken("class A:\n    def f(self):\n        return 1 == self\n") == [
        "inverted: 1 != self"
    ]


def test_names_are_qualified_and_nested_functions_belong_to_their_outer_one() -> None:
    """A place can be named, and stays named so when lines move."""
    code = "class A:\n    def f(self):\n        def g():\n            return 1 == self\n"
    assert [name for name, _ in functions(ast.parse(code))] == ["A.f"]
    assert [change.function for change in changes(ast.parse(code))] == ["A.f"]


@pytest.mark.parametrize(
    "lines",
    [
        ["yield rule.finding(a, 'x' if b else 'y')"],
        ["yield rule.finding(a, 'x', hint='x' if b else 'y', fixable=a == b)"],
        ["x = 'x' if b else 'y'", "raise Malformed(f'{x} is wrong')"],
        ["x, y = ('x', a) if b else ('y', c)", "raise NotFound(x, hint=y)"],
        ["if b:", "    x = 'x'", "else:", "    x = 'y'", "yield rule.finding(a, x)"],
        ["x = ''", "if b:", "    x += 'x'", "yield rule.finding(a, x)"],
        ["if b:", "    yield Fault(a, 'x')", "else:", "    yield Fault(a, 'y')"],
        ["z = a == b", "x = 'x'", "if z:", "    x = 'y'", "raise NotFollowed(x)"],
    ],
)
def test_words_are_left_alone(lines: list[str]) -> None:
    """What only chooses a message or a hint cannot be told by the suite."""
    assert broken(in_function(*lines)) == []


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        (["yield rule.finding(a if b else c, 'x')"], 1),
        (["x = 'x' if b else ''", "if x:", "    raise Malformed(x)"], 2),
        (["x = 'x' if b else 'y'", "raise Malformed(x)", "return x"], 1),
        (["if b:", "    yield Fault(a, 'x')", "else:", "    yield Fault(c, 'x')"], 1),
        (["if b:", "    raise Malformed('x')"], 1),
        (["x = 'x'", "if b:", "    x = c()", "    a()", "raise Malformed(x)"], 1),
    ],
)
def test_what_decides_is_no_word(lines: list[str], number: int) -> None:
    """Where a name or a branch decides about more than words, its condition is broken."""
    assert len(broken(in_function(*lines))) == number


def snippet(code: str, name: str = "room.rules") -> Target:
    return Target(name, Path(__file__), ast.parse(code))


RULES = """
@field_rule("MF101")
@field_rule("MF102")
def both(rule, review):
    if _used(review): yield 1

@page_rule("MF203")
def one(rule, page, review):
    if _used(review): yield 1

def _used(review):
    return _deep(review) == 1

def _deep(review):
    return review == 1
"""


def test_a_check_is_turned_off_for_each_of_its_ids_alone() -> None:
    """One function can stand for several requirements."""
    off = [each for each in mutants_of(snippet(RULES)) if each.kind == "off"]
    assert [(each.function, each.requirements) for each in off] == [
        ("both", ("MF101",)),
        ("both", ("MF102",)),
        ("one", ("MF203",)),
    ]
    off[1].change.apply()
    registered: dict[str, object] = {}

    def field_rule(id: str) -> object:
        return lambda check: registered.setdefault(id, check) and check

    code = ast.fix_missing_locations(off[1].target.tree)
    exec(compile(code, "rules", "exec"), {"field_rule": field_rule, "page_rule": field_rule})
    found = {id: list(check(None, 1)) for id, check in registered.items() if id < "MF2"}  # type: ignore[operator]
    assert found == {"MF101": [1], "MF102": []}


def test_what_checks_call_is_about_their_requirements() -> None:
    """However far down it is called."""
    about = requirements_by_function(snippet(RULES))
    assert about["both"] == ("MF101", "MF102")
    assert about["_deep"] == about["_used"] == ("MF101", "MF102", "MF203")


def test_mutants_that_read_the_same_are_numbered() -> None:
    """So that one of them can be said to be equivalent."""
    target = snippet("def f(a):\n    g(a == 1)\n    g(a == 1)\n    g(a == 2)\n")
    assert [mutant.number for mutant in mutants_of(target)] == [1, 2, 1]


def test_an_equivalent_names_some_mutants_and_must_find_them() -> None:
    """By module, function, text and kind, and by what it becomes or its number if need be."""
    mutants = mutants_of(snippet("def f(a):\n    g(a < 1)\n    g(a < 1)\n", "room.x"))

    def meant(entry: Equivalent) -> list[int]:
        return [at for at, each in enumerate(mutants) if reason_for(each, [entry])]

    kinds = ("inverted", "border")
    assert meant(Equivalent("room.x", "f", "a < 1", kinds, "so")) == [0, 1, 3, 4]
    assert meant(Equivalent("room.x", "f", "a < 1", kinds, "so", number=2)) == [3, 4]
    assert meant(Equivalent("room.x", "f", "a < 1", kinds, "so", becomes="a <= 1")) == [1, 4]
    assert meant(Equivalent("room.y", "f", "a < 1", kinds, "so")) == []
    wrong = Equivalent("room.x", "f", "a < 1", ("inverted", "negated"), "so")
    assert not_found([wrong], mutants) == ["room.x.f inverted/negated: a < 1 (negated)"]


@pytest.fixture(scope="module")
def everything() -> tuple[list[Target], list[Mutant]]:
    found = targets()
    return found, [mutant for target in found for mutant in mutants_of(target)]


def test_tables_name_what_is_there(everything: tuple[list[Target], list[Mutant]]) -> None:
    """No entry outlives what it speaks of, and each mutant is about some requirement."""
    assert problems_with_tables(*everything) == []


def test_every_check_has_mutants(everything: tuple[list[Target], list[Mutant]]) -> None:
    """Each id that cases judge is turned off once or more, and broken in another way too."""
    from memoryfield_validator import rules  # noqa: F401 - registers them
    from memoryfield_validator.registry import registered

    def ids(kinds: Iterable[str]) -> set[str]:
        chosen = [each for each in everything[1] if each.kind in kinds]
        return {id for each in chosen for id in each.requirements}

    judged_by_cases = {id for id in registered() if is_judged_by_cases(id)}
    assert ids(["off"]) == judged_by_cases
    assert judged_by_cases <= ids(["inverted", "negated"])

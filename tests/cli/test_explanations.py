"""`explain` and `rules` say what the catalogue holds."""

from __future__ import annotations

import re

import pytest
from tests.cli.command import call

from memoryfield_spec import catalogue
from memoryfield_validator.registry import registered


@pytest.mark.parametrize("id", catalogue())
def test_explain_says_everything(id: str) -> None:
    """Title, statement, reason, both examples and the remedy of each requirement are shown."""
    wanted = catalogue()[id]
    done = call("explain", id)
    assert (done.code, done.err) == (0, "")
    blind = _without_blanks(done.out)
    assert done.out.startswith(f"{id}: {wanted.title}\n{wanted.level}, for ")
    for part in (wanted.statement, f"Why: {wanted.why}", f"What to do: {wanted.hint}"):
        assert _without_blanks(part) in blind
    for example in (wanted.good, wanted.bad):
        assert all(f"    {line}\n" in done.out for line in example.splitlines() if line.strip())
    assert all(len(line) <= 88 for line in done.out.splitlines()[1:] if not line.startswith("    "))


def _without_blanks(text: str) -> str:
    """A text as it is, wherever its lines were broken."""
    return "".join(text.split())


def test_explain_takes_small_letters() -> None:
    """An id may be typed as it comes."""
    assert call("explain", "mf304").out == call("explain", "MF304").out


def test_explain_names_the_nearest() -> None:
    """A mistyped id is wrong usage, and the nearest ids are named."""
    done = call("explain", "MF3O4")
    assert done.code == 2
    assert re.fullmatch(
        r"memoryfield: there is no requirement 'MF3O4'; you may have meant .*\bMF304\b.*\n",
        done.err,
    )


def test_rules_lists_all() -> None:
    """One line a requirement, in the order of the ids; marks say origin and whether checked."""
    lines = call("rules").out.splitlines()
    assert [line[:5] for line in lines] == list(catalogue())
    for line in lines:
        wanted = catalogue()[line[:5]]
        assert line.endswith(f" {wanted.level:<8} {wanted.title}")
        assert (line[5] == "+") == (wanted.origin == "kit")
        assert (line[6] == "*") == (wanted.id in registered())


@pytest.mark.parametrize(
    ("prefixes", "hundreds"), [(["MF3"], "3"), (["MF6", "mf1"], "16"), (["MF"], "123456789")]
)
def test_rules_by_prefix(prefixes: list[str], hundreds: str) -> None:
    """Prefixes choose; the order stays."""
    ids = [line[:5] for line in call("rules", *prefixes).out.splitlines()]
    assert ids == [id for id in catalogue() if id[2] in hundreds]


def test_rules_by_id() -> None:
    """A whole id is a prefix as well."""
    assert call("rules", "MF304", "MF101").out.count("\n") == 2

"""Mutants are tried in processes of their own, on modules that are really broken."""

from __future__ import annotations

import ast
import hashlib
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("resource")  # a system that cannot fork, or not bound a process

from tests.mutation.children import allow, in_children
from tests.mutation.hook import imported_anew
from tests.mutation.mutants import mutants_of
from tests.mutation.report import report
from tests.mutation.suite import observe
from tests.mutation.targets import ROOT, Target, read_target
from tests.mutation.trial import Verdict, try_all

FRONTMATTER = ROOT / "validator/memoryfield_validator/rules/frontmatter.py"

PAGE = """---
title: Steel
created: {created}
updated: '2026-08-22T14:30:00Z'
uuid: 0b5f1f2e-7f0e-4d0c-9a55-000000000000
---
Steel conducts heat evenly.

Source: https://example.com/steel
"""

CASE = """
id = "{id}"
kind = "field"
title = "A date"
why = "It is made for this test."
spec = 1
requirements = ["MF304"]

[[files]]
name = "a.md"
text = '''
{page}'''

[expect]
verdict = "{verdict}"
pages = ["a.md"]
digest = "{digest}"
"""
FINDING = """
[[expect.findings]]
rule = "MF304"
level = "error"
file = "a.md"
line = 3
column = 10
"""


def write_case(root: Path, id: str, created: str, *, is_found: bool) -> None:
    """A case of one page, about MF304."""
    page = PAGE.format(created=created)
    line = f"{hashlib.sha256(page.encode()).hexdigest()}  a.md\n"
    digest = f"field-sha256:{hashlib.sha256(line.encode()).hexdigest()}"
    verdict = "invalid" if is_found else "valid"
    text = CASE.format(id=id, page=page, verdict=verdict, digest=digest)
    folder = root / "cases" / "3xx"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{id}.toml").write_text(text + FINDING * is_found, encoding="utf-8", newline="\n")


def tried(root: Path, scratch: Path) -> list[Verdict]:
    """What becomes of the mutants of MF304's check."""
    mutants = [each for each in mutants_of(read_target(FRONTMATTER))
               if each.function == "datetimes_are_quoted"]  # fmt: skip
    suite = observe(mutants, at_once=2, scratch=scratch, root=root)
    assert [case.failures for case in suite.cases.values()] == [[] for _ in suite.cases]
    return list(try_all(mutants, suite, at_once=2, scratch=scratch))


def test_two_cases_catch_all_mutants_of_a_check(tmp_path: Path) -> None:
    """One that breaks the requirement, and one that obeys it."""
    write_case(tmp_path, "mf304-bare", "2026-03-01T09:00:00Z", is_found=True)
    write_case(tmp_path, "mf304-quoted", "'2026-03-01T09:00:00Z'", is_found=False)
    verdicts = tried(tmp_path, tmp_path)
    assert [verdict for verdict in verdicts if verdict.fate == "survived"] == []
    assert {verdict.mutant.kind for verdict in verdicts} == {"off", "inverted", "negated"}
    text, is_good = report(verdicts, lambda mutant: None)
    assert is_good
    assert text.splitlines()[-1].split()[:3] == ["all", "3", "3"]


def test_what_no_case_can_tell_survives_and_is_told(tmp_path: Path) -> None:
    """A suite in which nothing is wrong does not find a check that is off."""
    write_case(tmp_path, "mf304-quoted", "'2026-03-01T09:00:00Z'", is_found=False)
    verdicts = tried(tmp_path, tmp_path)
    fates = {verdict.mutant.kind: verdict.fate for verdict in verdicts}
    assert fates == {"off": "survived", "negated": "survived", "inverted": "caught"}
    text, is_good = report(verdicts, lambda mutant: None)
    assert not is_good
    assert "survived, one case gets there: validator/memoryfield_validator/rules/" in text
    assert report(verdicts, lambda mutant: "so" if mutant.kind != "inverted" else None)[1]
    assert not report(verdicts, lambda mutant: "so")[1]


def test_a_module_is_imported_from_its_changed_tree_and_only_for_a_while() -> None:
    """Who imported the original keeps it."""
    from memoryfield_readers import lfs

    target = read_target(ROOT / "readers/memoryfield_readers/lfs.py")
    tree = ast.parse("def is_lfs_pointer(data):\n    return 'changed'\nMOST_POINTER_BYTES = 0\n")
    with imported_anew({target.name: tree}):
        from memoryfield_readers import is_lfs_pointer

        assert is_lfs_pointer(b"") == "changed"  # type: ignore[comparison-overlap]
    from memoryfield_readers import lfs as after

    assert after is lfs
    assert after.is_lfs_pointer(b"") is False


def test_a_process_answers_crashes_or_runs_out_of_time() -> None:
    """All three are told apart, and none stops the others."""

    def crash() -> None:
        raise SystemExit("enough")

    def hang() -> None:
        allow(0.05)
        while True:
            pass

    def sleep() -> None:
        allow(0.02)
        time.sleep(60)

    jobs = [("answer", lambda: [1, "x"]), ("crash", crash), ("hang", hang), ("sleep", sleep)]
    ends = {key: (end.how, end.answer) for key, end in in_children(jobs, at_once=2)}
    assert ends == {
        "answer": ("done", [1, "x"]),
        "crash": ("crashed", "SystemExit: enough"),
        "hang": ("out of time", "SIGPROF"),
        "sleep": ("out of time", "SIGALRM"),
    }


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no bound on memory")
def test_memory_is_bounded() -> None:
    """A mutant that gathers without end harms nobody."""
    [(_, end)] = in_children([(None, lambda: len(bytes(1 << 31)))], at_once=1)
    assert (end.how, end.answer) == ("crashed", "MemoryError")


def test_targets_are_named_as_they_are_imported() -> None:
    """A package goes by its own name."""
    target = read_target(ROOT / "readers/memoryfield_readers/frontmatter/__init__.py")
    assert isinstance(target, Target)
    assert target.name == "memoryfield_readers.frontmatter"

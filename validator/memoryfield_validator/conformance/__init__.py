"""The conformance cases: read them, and put them to our own implementation or to any other one.

from memoryfield_validator.conformance import Ours, load_suite, run_cases

for outcome in run_cases(load_suite().cases, Ours()):
    print(outcome.case.id, outcome.source, outcome.result)
"""

from __future__ import annotations

from .adapter import Adapter
from .case import Answer, Archive, Case, Edit, File, Kind
from .errors import BrokenCase, CannotCarry, NoAnswer, NoSuchCase, Skip
from .implementation import Editor, Elsewhere, Implementation, Task
from .judging import ANSWERS, Difference, differences, expected_answer
from .ours import Ours
from .places import ELSEWHERE, EVERY_SOURCE, SOURCES, make_place, sources_of
from .running import RESULTS, Outcome, Result, run_cases
from .suite import Suite, fixtures, load_suite, read_case

__all__ = [
    "ANSWERS",
    "ELSEWHERE",
    "EVERY_SOURCE",
    "RESULTS",
    "SOURCES",
    "Adapter",
    "Answer",
    "Archive",
    "BrokenCase",
    "CannotCarry",
    "Case",
    "Difference",
    "Edit",
    "Editor",
    "Elsewhere",
    "File",
    "Implementation",
    "Kind",
    "NoAnswer",
    "NoSuchCase",
    "Ours",
    "Outcome",
    "Result",
    "Skip",
    "Suite",
    "Task",
    "differences",
    "expected_answer",
    "fixtures",
    "load_suite",
    "make_place",
    "read_case",
    "run_cases",
    "sources_of",
]

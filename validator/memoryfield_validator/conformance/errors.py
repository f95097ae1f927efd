"""What can go wrong with a suite of conformance cases, beside what a case is there to show."""

from __future__ import annotations

from memoryfield_readers import MemoryfieldError


class BrokenCase(MemoryfieldError):
    """A case is not in the form that `case.schema.json` describes."""


class NoSuchCase(MemoryfieldError):
    """Nothing in the suite fits what was asked for."""

    exit_code = 2


class CannotCarry(Exception):
    """This machine cannot make the files of a case, so that the case cannot be put here."""


class Skip(Exception):
    """An implementation cannot be asked this case; the text says why."""


class NoAnswer(Exception):
    """An implementation gave no answer: it crashed, took too long, or said something else."""

"""Implementations to be judged: one that knows every answer, and what it can be made to say."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from memoryfield_validator import Profile
from memoryfield_validator.conformance import ANSWERS, Answer, Task, expected_answer

Change = Callable[[dict[str, Any]], Any]


class Knowing:
    """An implementation that answers what is expected, after a change."""

    name = "knowing"
    release = "1"
    takes_fields_for_pages = True

    def __init__(
        self,
        change: Change = lambda answer: None,
        *,
        profile: Profile = "kit",
        answers: Mapping[str, tuple[str, ...]] = ANSWERS,
        checked: frozenset[str] | None = None,
    ) -> None:
        """Answer these keys.

        Arguments:
            change: called with each answer before it is given, to change it in place.
            profile, answers, checked: as of an implementation.
        """
        self.change = change
        self.profile: Profile = profile
        self.answers: Mapping[str, frozenset[str]] = {
            kind: frozenset(keys) for kind, keys in answers.items()
        }
        self.checked = checked
        self.asked: list[tuple[str, str]] = []

    def answer(self, task: Task) -> Answer:
        """What is expected, changed."""
        self.asked.append((task.case.id, task.source))
        expected = expected_answer(task.case, task.source, self.profile, self.checked)
        answer = copy.deepcopy(expected)
        self.change(answer)
        return answer

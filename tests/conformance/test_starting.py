"""What cannot be judged is told before the first case: no program, or one of no use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.stand_ins import PATIENCE, StandIn

from memoryfield_readers import LocationError, SourceUnavailable
from memoryfield_validator.conformance import Adapter

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")

HELLOS: dict[str, tuple[dict[str, Any], str]] = {
    "another version": ({"version": 2}, "version 2 is not 1"),
    "version true": ({"version": True}, "version True is not 1"),
    "no version": ({"version": None}, "version None is not 1"),
    "no name": ({"name": None}, "`name` is missing"),
    "empty name": ({"name": ""}, "`name` is missing"),
    "name that is no text": ({"name": 5}, "`name` is missing"),
    "unknown profile": ({"profile": "draft"}, "`profile` is neither kit nor draft-0.1"),
    "profile that is no text": ({"profile": ["kit"]}, "`profile` is neither"),
    "no answers": ({"answers": None}, "`answers` is no object"),
    "empty answers": ({"answers": {}}, "`answers` is no object"),
    "answers of an array": ({"answers": ["field"]}, "`answers` is no object"),
    "unknown kind": ({"answers": {"fields": ["verdict"]}}, "cannot be answered, at fields"),
    "unknown key": ({"answers": {"field": ["verdict", "body"]}}, "cannot be answered, at field"),
    "keys that are a text": ({"answers": {"field": "verdict"}}, "cannot be answered, at field"),
    "keys that are no texts": ({"answers": {"field": [["verdict"]]}}, "cannot be answered"),
    "unknown requirement": ({"requirements": ["MF3", "MFX"]}, "`requirements` is no array"),
    "requirement that is no text": ({"requirements": [304]}, "`requirements` is no array"),
    "requirements that are a text": ({"requirements": "M"}, "`requirements` is no array"),
    "empty beginning": ({"requirements": [""]}, "`requirements` is no array"),
}


@pytest.mark.parametrize(("hello", "says"), HELLOS.values(), ids=HELLOS)
def test_a_hello_that_cannot_be_used(hello: dict[str, Any], says: str, tmp_path: Path) -> None:
    """Whoever does not say what it answers is not asked; it is ended."""
    stand_in = StandIn(tmp_path, **hello)
    with pytest.raises(SourceUnavailable, match="the adapter does not say what it is") as caught:
        Adapter(stand_in.command, timeout=PATIENCE)
    assert says in caught.value.message
    assert caught.value.exit_code == 4
    assert "case" not in stand_in.heard


NO_PROGRAMS = {
    "missing": (["./no-such-adapter"], "it cannot be started: "),
    "folder": (["/"], "it cannot be started: "),
    "NUL": (["a\0b"], "it cannot be started: "),
    "ends at once": (["sh", "-c", "echo no >&2; exit 7"], "it ended, exit code 7: no"),
    "says something else": (["echo", "Usage:"], "the answer is no JSON that can be read: Usage:"),
}


@pytest.mark.parametrize(("command", "says"), NO_PROGRAMS.values(), ids=NO_PROGRAMS)
def test_what_cannot_be_started(command: list[str], says: str) -> None:
    """No adapter is no failure of a case: it is told at once."""
    with pytest.raises(SourceUnavailable) as caught:
        Adapter(command, timeout=PATIENCE)
    assert says in caught.value.message


@pytest.mark.parametrize("command", ["", "  ", "python 'adapter.py", "a \\"])
def test_what_is_no_command(command: str) -> None:
    """Text that no shell would take for a command is wrong usage."""
    with pytest.raises(LocationError) as caught:
        Adapter(command)
    assert caught.value.exit_code == 2

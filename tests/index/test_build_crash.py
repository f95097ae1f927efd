"""A build that is killed at any step: the old index serves, and nothing is embedded twice."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.index.build_child import TOGETHER
from tests.index.fields import build, folder, page, pages
from tests.index.hash_embedder import RECIPE, HashEmbedder

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing is killed here")

ROOT = Path(__file__).resolve().parents[2]
INDEX = f"{RECIPE.model}.sqlite3"
POINTS = 40
BEFORE = pages(4)
AFTER = {**pages(9), "page-001.md": page(1, "Pans")}
NEW = sorted(raw.decode() for name, raw in AFTER.items() if BEFORE.get(name) != raw)


def as_rows(files: dict[str, bytes]) -> list[list[str]]:
    return sorted([name, hashlib.sha256(raw).hexdigest()] for name, raw in files.items())


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What came of each build that was killed, and of the one after it."""
    root = tmp_path_factory.mktemp("crash")
    place = folder(root / "before", BEFORE)
    build(place, HashEmbedder(), kept=root / "kept")
    folder(place, AFTER)
    done = subprocess.run(
        [sys.executable, "-m", "tests.index.build_child", str(root), str(POINTS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_steps_are_spread_over_the_whole_build(outcomes: list[dict[str, Any]]) -> None:
    """Some builds were killed before anything was embedded, some when all was, some at the end."""
    assert len(outcomes) == POINTS
    assert all(each["killed"] for each in outcomes)
    calls = {len(each["embedded"]) for each in outcomes}
    assert calls == set(range(len(NEW) // TOGETHER + 1))
    assert {as_rows(BEFORE) == each["rows"] for each in outcomes} == {True, False}


def test_the_old_index_serves_or_the_new_one(outcomes: list[dict[str, Any]]) -> None:
    """Never anything between, and never none."""
    for each in outcomes:
        assert each["rows"] in (as_rows(BEFORE), as_rows(AFTER)), each["step"]


def test_a_killed_build_leaves_nothing_but_a_hidden_file(outcomes: list[dict[str, Any]]) -> None:
    """It is debris, which no reader looks at, and the next build takes it away."""
    for each in outcomes:
        left = set(each["files"]) - {*AFTER, INDEX}
        assert all(name.startswith(f".{INDEX}.") for name in left), each["step"]
        assert len(left) <= 1
        assert each["files_then"] == sorted([*AFTER, INDEX])


def test_the_next_build_completes(outcomes: list[dict[str, Any]]) -> None:
    for each in outcomes:
        assert each["rows_then"] == as_rows(AFTER), each["step"]


def test_nothing_is_embedded_twice(outcomes: list[dict[str, Any]]) -> None:
    """Only the batch that was under way can be: its vectors had not come, or not been kept."""
    again = 0
    for each in outcomes:
        *whole, last = each["embedded"] or [[]]
        kept = {text for batch in whole for text in batch}
        then = [text for batch in each["embedded_then"] for text in batch]
        assert not kept & set(then), each["step"]
        assert sorted({*kept, *last, *then}) == NEW
        assert len(then) == len(set(then))
        again += bool(set(last) & set(then))
    assert again < len(outcomes) / 2

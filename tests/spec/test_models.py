"""The table of known models: what runs them can be asked for them by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError

import pytest

from memoryfield_spec.models import models


def test_a_name_means_one_model() -> None:
    """No two models have one name at Ollama, in fastembed, or at servers of OpenAI's interface."""
    for column in ("ollama", "openai", "typed"):
        names = Counter(name for one in models().values() for name in getattr(one, column))
        assert not [name for name, times in names.items() if times > 1]
    packaged = Counter(one.fastembed for one in models().values() if one.fastembed)
    assert set(packaged.values()) == {1}


def test_every_model_has_its_limit() -> None:
    """How many tokens it takes is known of each."""
    assert all(one.tokens >= 128 for one in models().values())


def test_the_common_model_can_be_had_from_everywhere() -> None:
    """It is pulled under a name that pins its version."""
    common = models()["nomic-embed-text-v1.5"]
    assert common.ollama[0] == "nomic-embed-text:v1.5"
    assert common.fastembed == "nomic-ai/nomic-embed-text-v1.5"


def test_the_table_cannot_be_changed() -> None:
    """Neither its rows nor the names in them."""
    common = models()["nomic-embed-text-v1.5"]
    assert isinstance(common.ollama, tuple)
    with pytest.raises(FrozenInstanceError):
        common.tokens = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        models()["mine"] = common  # type: ignore[index]

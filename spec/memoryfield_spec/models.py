"""The embedding models that are known by name: model codes, dimensions and markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model, as far as an index of it can be checked without running it.

    Attributes:
        code: the full, version-pinned model code with which an index's name begins (MF502).
        dimension: how many numbers an embedding has (MF506).
        document: the marker that goes before a text that is embedded; often empty.
        query: the marker that goes before a question; often empty.
    """

    code: str
    dimension: int
    document: str
    query: str


@cache
def models() -> Mapping[str, Model]:
    """All known models by model code; every call gives the same read-only mapping."""
    import tomllib
    from importlib.resources import files

    text = files("memoryfield_spec").joinpath("models.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {code: Model(code=code, **fields) for code, fields in tomllib.loads(text).items()}
    )


def model_of(name: str) -> Model | None:
    """The model whose code a file name begins with, or None where that is no known one.

    Of several codes the longest counts. It is followed by the end of the name, `-`, `_`, or a `.`
    with no digit behind it: with a digit it would be the beginning of another version's code.
    """
    for code in sorted(models(), key=len, reverse=True):
        if name.startswith(code) and _is_end_of_code(name[len(code) : len(code) + 2]):
            return models()[code]
    return None


def _is_end_of_code(following: str) -> bool:
    """Whether a model code ends where these two characters, or fewer, follow it."""
    return following[:1] in ("", "-", "_") or (
        following[0] == "." and following[1:] not in tuple("0123456789")
    )

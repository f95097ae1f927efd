"""The embedding models that are known by name: model codes, dimensions and markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Model:
    """
    An embedding model, as far as an index of it can be checked without it.

    :ivar code: the full, version-pinned model code with which an index's name begins.
    :ivar dimension: how many numbers an embedding has.
    :ivar document: the marker that goes before a text that is embedded; often empty.
    :ivar query: the marker that goes before a question; often empty.
    """

    code: str
    dimension: int
    document: str
    query: str


@cache
def models() -> Mapping[str, Model]:
    """
    Give all models that are known by name, by model code.

    :return: a mapping that cannot be changed; every call gives the same one.
    """
    import tomllib
    from importlib.resources import files

    text = files("memoryfield_spec").joinpath("models.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {code: Model(code=code, **fields) for code, fields in tomllib.loads(text).items()}
    )


def model_of(name: str) -> Model | None:
    """
    Give the model whose code a file name begins with.

    Of several codes the longest counts, and it must be followed by ``.``, ``-``, ``_`` or nothing.

    :param name: the name of a file at the root of a field.
    :return: the model, or None where the name begins with no known code.
    """
    for code in sorted(models(), key=len, reverse=True):
        if name.startswith(code) and name[len(code) : len(code) + 1] in ("", ".", "-", "_"):
            return models()[code]
    return None

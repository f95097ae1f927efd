"""The embedding models that are known by name: model codes, dimensions and markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model, as far as an index of it can be checked without running it.

    Attributes:
        code: the full, version-pinned model code with which an index's name begins (MF502).
        dimension: how many numbers an embedding has (MF506).
        document: the marker that goes before a text that is embedded; often empty.
        query: the marker that goes before a question; often empty.
        tokens: how many tokens the model takes at most; 0 where that is not known.
        ollama: its names at Ollama, the one to pull first.
        fastembed: its name in the package fastembed; "" where that does not have it.
        openai: further names at servers that speak OpenAI's interface, beside the code.
        typed: names at such servers that put the markers themselves, told by `input_type`.
        cut_off: the cosine distance beyond which a page is no answer; 0 where nobody measured it.
    """

    code: str
    dimension: int
    document: str
    query: str
    tokens: int = 0
    ollama: tuple[str, ...] = ()
    fastembed: str = ""
    openai: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    cut_off: float = 0.0


@cache
def models() -> Mapping[str, Model]:
    """All known models by model code; every call gives the same read-only mapping."""
    import tomllib
    from importlib.resources import files

    text = files("memoryfield_spec").joinpath("models.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            code: Model(code=code, **{key: _kept(value) for key, value in fields.items()})
            for code, fields in tomllib.loads(text).items()
        }
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


def _kept(value: Any) -> Any:
    """A value of the table that nobody can change: an array becomes a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _is_end_of_code(following: str) -> bool:
    """Whether a model code ends where these two characters, or fewer, follow it."""
    return following[:1] in ("", "-", "_") or (
        following[0] == "." and following[1:] not in tuple("0123456789")
    )

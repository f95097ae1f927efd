"""What can be said about an embedder beyond its name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How an embedder is asked, and what an unknown model is taken for.

    Attributes:
        host: where Ollama listens; None for what OLLAMA_HOST says, else this machine.
        base_url: where a server that speaks OpenAI's interface listens, as in
            "http://127.0.0.1:8000/v1"; None for what OPENAI_BASE_URL says, else OpenAI itself.
        code: the full model code, for a model that is not known by its name.
        document: the marker before a page, for such a model.
        query: the marker before a question, for such a model.
        most_bytes: how many bytes of a page are embedded at most; the standard allows a cut from
            8192 on.
        first_wait: how many seconds the first answer may take, while the model is loaded.
        wait: how many seconds each further one may take.
        connect: how many seconds it may take until a server is reached at all.
    """

    host: str | None = None
    base_url: str | None = None
    code: str | None = None
    document: str = ""
    query: str = ""
    most_bytes: int = 8192
    first_wait: float = 300.0
    wait: float = 120.0
    connect: float = 3.0

"""A server that speaks Ollama's interface over any function that makes numbers of a text."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from tests.index.hash_embedder import numbers_of
from tests.index.servers.json_server import Asked, JsonServer, Reply

Numbers = Callable[[str], list[float]]

DIGEST = "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"


def hashed(text: str) -> list[float]:
    """The numbers of the words of a text, as many as the common model gives."""
    return numbers_of(text, 768)


def tokens_of(text: str) -> int:
    """How many tokens a text has here: one for every two bytes."""
    return (len(text.encode("utf-8")) + 1) // 2


class Limit(Enum):
    """What becomes of a text of more tokens than the context has."""

    REFUSED_UNLESS_TRUNCATED = "400 where truncate is false, cut where it is not"
    ALWAYS_REFUSED = "400 whatever truncate says, as newer versions do"
    ALWAYS_CUT = "cut whatever truncate says, as old versions do"


class OllamaServer(JsonServer):
    """Ollama, as far as embeddings need it.

    Attributes:
        models: the digest of each model that was pulled, by its name with its tag.
        numbers: what makes the numbers of a text.
        context: how many tokens the model takes.
        limit: what becomes of longer ones.
        counts: whether answers say how many tokens they took, and `/api/show` the context.
    """

    def __init__(self, numbers: Numbers = hashed) -> None:
        super().__init__()
        self.models = {"nomic-embed-text:v1.5": DIGEST}
        self.numbers = numbers
        self.context = 2048
        self.limit = Limit.REFUSED_UNLESS_TRUNCATED
        self.counts = True

    @property
    def embedded(self) -> list[list[str]]:
        """The texts of every request for embeddings so far."""
        return [each.body["input"] for each in self.asked if each.path == "/api/embed"]

    def answer(self, asked: Asked) -> Reply:
        """What Ollama answers."""
        if asked.path == "/api/tags":
            rows = [{"name": n, "model": n, "digest": d} for n, d in self.models.items()]
            return Reply(200, {"models": rows})
        if asked.path not in ("/api/show", "/api/embed"):
            return Reply(404, "404 page not found")
        name = asked.body["model"]
        if (name if ":" in name else f"{name}:latest") not in self.models:
            return Reply(404, {"error": f'model "{name}" not found, try pulling it first'})
        return self._shown() if asked.path == "/api/show" else self._embeddings(asked)

    def _shown(self) -> Reply:
        if not self.counts:
            return Reply(404, "404 page not found")
        info = {"general.architecture": "nomic-bert", "nomic-bert.context_length": self.context}
        return Reply(200, {"model_info": info, "parameters": "num_ctx        8192"})

    def _embeddings(self, asked: Asked) -> Reply:
        given = asked.body["input"]
        texts = [given] if isinstance(given, str) else given
        refused = self.limit is Limit.ALWAYS_REFUSED or (
            self.limit is Limit.REFUSED_UNLESS_TRUNCATED and asked.body.get("truncate") is False
        )
        if refused and any(tokens_of(text) > self.context for text in texts):
            return Reply(400, {"error": "the input length exceeds the context length"})
        kept = [self._cut(text) for text in texts]
        answer = {"model": asked.body["model"], "embeddings": [self.numbers(t) for t in kept]}
        if self.counts:
            answer["prompt_eval_count"] = sum(map(tokens_of, kept))
        return Reply(200, answer)

    def _cut(self, text: str) -> str:
        return text.encode("utf-8")[: 2 * self.context].decode("utf-8", "ignore")

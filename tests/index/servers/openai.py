"""A server that speaks OpenAI's interface over any function that makes numbers of a text."""

from __future__ import annotations

import base64
import struct

from tests.index.servers.json_server import Asked, JsonServer, Reply
from tests.index.servers.ollama import Limit, Numbers, hashed, tokens_of


class OpenAIServer(JsonServer):
    """`/v1/embeddings` and `/v1/models`.

    Attributes:
        models: the names of its models.
        numbers: what makes the numbers of a text.
        key: the key that it wants; "" for none.
        context: how many tokens the model takes.
        limit: what becomes of longer texts.
        as_base64: whether embeddings are sent in base64, whatever was asked for.
        backwards: whether they are sent in another order than the texts, numbered.
    """

    def __init__(self, numbers: Numbers = hashed) -> None:
        super().__init__()
        self.models = ["nomic-ai/nomic-embed-text-v1.5"]
        self.numbers = numbers
        self.key = ""
        self.context = 2048
        self.limit = Limit.ALWAYS_REFUSED
        self.as_base64 = False
        self.backwards = False

    @property
    def base_url(self) -> str:
        """What a client is told."""
        return f"{self.url}/v1"

    @property
    def embedded(self) -> list[list[str]]:
        """The texts of every request for embeddings so far."""
        return [each.body["input"] for each in self.asked if each.path == "/v1/embeddings"]

    def answer(self, asked: Asked) -> Reply:
        """What such a server answers."""
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            given = asked.headers.get("authorization", "")
            return _error(401, f"Incorrect API key provided: {given}.", "invalid_api_key")
        if asked.path == "/v1/models":
            rows = [{"id": name, "object": "model", "owned_by": "me"} for name in self.models]
            return Reply(200, {"object": "list", "data": rows})
        if asked.path != "/v1/embeddings":
            return Reply(404, "not found")
        if asked.body["model"] not in self.models:
            return _error(404, f"The model {asked.body['model']!r} does not exist", "no_model")
        texts: list[str] = asked.body["input"]
        if self.limit is not Limit.ALWAYS_CUT:
            longest = max(map(tokens_of, texts))
            if longest > self.context:
                message = (
                    f"This model's maximum context length is {self.context} tokens, however you"
                    f" requested {longest} tokens. Please reduce your prompt."
                )
                return _error(400, message, "context_length_exceeded")
        embedded: list[dict[str, object]] = [
            {"object": "embedding", "index": place, "embedding": self._sent(text)}
            for place, text in enumerate(texts)
        ]
        ordered = embedded[::-1] if self.backwards else embedded
        return Reply(200, {"object": "list", "data": ordered, "model": asked.body["model"]})

    def _sent(self, text: str) -> list[float] | str:
        kept = text.encode("utf-8")[: 2 * self.context].decode("utf-8", "ignore")
        numbers = self.numbers(kept)
        if not self.as_base64:
            return numbers
        return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode("ascii")


def _error(status: int, message: str, code: str) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "code": code}
    return Reply(status, {"error": error})

"""What runs a model: texts go in, numbers come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Refused(Exception):
    """These very texts were not embedded; others might be.

    Attributes:
        reason: why, in one line.
        too_long: whether a shorter text may be taken.
    """

    def __init__(self, reason: str, *, too_long: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.too_long = too_long


class Machine(Protocol):
    """What runs a model, on this machine or elsewhere.

    Attributes:
        adds_markers: whether it puts the model's markers before the texts itself.
        refuses_long: what is known of texts beyond its limit: True, it refuses them or has no
            limit; None, it may also cut them without a word, which has to be found out.
        tokens: a text of fewer bytes than this is never too long; 0 where that is not known.
        most_together: how many texts it is given at once, at most.
    """

    @property
    def adds_markers(self) -> bool:
        """See the attributes, here and below."""
        ...

    @property
    def refuses_long(self) -> bool | None:
        """Whether what is too long is refused."""
        ...

    @property
    def tokens(self) -> int:
        """So many bytes always go."""
        ...

    @property
    def most_together(self) -> int:
        """So many texts at once."""
        ...

    def numbers(self, texts: Sequence[str], *, query: bool) -> Sequence[Sequence[float]]:
        """An embedding for each text, in order, as it comes.

        Arguments:
            texts: at least one.
            query: whether they are questions; pages otherwise.

        Raises:
            Refused: these texts could not be embedded.
            EmbedderUnavailable: nothing can be embedded just now.
        """
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...

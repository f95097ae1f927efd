"""What came back of a request, once its body is where it was wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, but for its body.

    Attributes:
        status: the number.
        headers: the headers, their names in lower case.
        url: the URL that answered, after redirects, without query and fragment: fit to be shown.
        final_url: that URL whole; it may hold a signature, and is never shown.
        measured: whether the server said how long the body is, so that it is known to be whole.
    """

    status: int
    headers: Mapping[str, str]
    url: str
    final_url: str
    measured: bool

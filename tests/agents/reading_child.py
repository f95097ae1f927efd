"""A process that holds fields, searches them in every way, and reloads them; it prints what came.

Its arguments are locations, of which the first has the index of `tests.index.compass_field`.
"""

from __future__ import annotations

import json
import sys

from tests.index.compass_field import pointing
from tests.index.search_fields import Starting

from memoryfield_agents import Shelf
from memoryfield_agents.fields import requests_of
from memoryfield_index.embedders import Options
from memoryfield_index.searching import Asked, Embedders
from memoryfield_index.searching.answering import How
from memoryfield_readers.canonical_archive import canonical_archive

WAYS: tuple[How, ...] = ("semantic", "hybrid", "lexical")


def main() -> None:
    """Hold, search, reload, search again."""
    embedders = Embedders("named", Options(), Starting({"named": pointing()}))
    found: dict[str, dict[str, object]] = {}
    with Shelf(requests_of(sys.argv[1:]), embedders, offline=True) as shelf:
        for name in shelf.names:
            held = shelf.get(name)
            answers = {}
            for how in WAYS:
                answer = held.search("10 sunset", Asked(how=how))
                answers[how] = [answer.how, *(hit.filename for hit in answer.hits)]
            archive = canonical_archive(held.field)
            reloaded = shelf.reload(name)
            again = shelf.get(name).search("sunset", Asked(how="lexical"))
            found[name] = {
                "pin": held.pin,
                "pinned": held.pinned,
                "answers": answers,
                "archive": archive.sha256,
                "bytes": sum(map(len, archive.pieces())),
                "reloaded": reloaded,
                "again": [hit.filename for hit in again.hits],
            }
    print(json.dumps(found))


if __name__ == "__main__":
    main()

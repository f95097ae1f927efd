"""By what a result is known again: the job, where the field is, and which version that was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memoryfield_spec import __version__

from ..values import Job

_NO_MATTER = frozenset({"timeout", "retries"})
"""Options of the transport that change how long one waits, and not what comes."""


def fingerprint(job: Job) -> str:
    """What is another text when a job could say another thing of the same field.

    That is the kind of the job, its options, and the version of this program: another one may have
    other rules. How long a try may take, and how often it is made, is not in it.

    Arguments:
        job: the job; its options are what JSON carries.

    Returns:
        64 hexadecimal digits.
    """
    options = dict(job.options)
    transport = options.get("storage_options")
    if isinstance(transport, Mapping):
        kept = {name: value for name, value in transport.items() if name not in _NO_MATTER}
        options["storage_options"] = kept
        if not kept:
            del options["storage_options"]
    return _sha256({"kit": __version__, "job": job.kind, "options": options})


def key_of(mark: str, location: str, version: str | None) -> str:
    """The key of a result.

    Arguments:
        mark: the fingerprint of the job.
        location: as `open_field` takes it.
        version: which field stands there; None where nobody could say.

    Returns:
        64 hexadecimal digits.
    """
    return _sha256([mark, location, version])


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()

"""What Dask loads in each worker on this machine: SIGINT of a terminal is for the client alone."""

from __future__ import annotations

import signal


def dask_setup(worker: object) -> None:
    """Pass SIGINT over: the client ends the workers, and they have to hear it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

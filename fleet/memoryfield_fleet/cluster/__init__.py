"""Who does the work, and how it is sent out and taken back.

with open_cluster(workers=2) as cluster:
    for row in run_fleet(targets, job, no_known, cluster, per_host=8):
        print(row.location, row.state)
"""

from __future__ import annotations

from .clusters import Cluster, open_cluster
from .running import run_fleet
from .settling import Found, Known, no_known, settled

__all__ = ["Cluster", "Found", "Known", "no_known", "open_cluster", "run_fleet", "settled"]

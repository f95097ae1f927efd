"""What mends findings that have one right answer: proposed in memory, shown, then written.

with inspect_field(folder) as field:
    proposal = propose(field, validate(field), judge=validate)
print(diff(proposal))
apply(proposal, folder)

The rules ask the modules here whether a finding is `fixable`, and `propose` asks them for the
change: what is promised is what is done.
"""

from __future__ import annotations

from .applying import Written, apply, writable_folder
from .differing import diff, patch
from .file_times import births_in
from .missing_fields import Born
from .proposal import Change, Proposal, Rename, Rewrite
from .proposing import propose

__all__ = [
    "Born",
    "Change",
    "Proposal",
    "Rename",
    "Rewrite",
    "Written",
    "apply",
    "births_in",
    "diff",
    "patch",
    "propose",
    "writable_folder",
]

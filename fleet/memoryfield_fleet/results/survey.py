"""What stands in the files of a folder before a run begins: which results, and what is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memoryfield_readers import Watch

from ..values import Kind, Row
from .ledger import Ledger, Place
from .line_file import LineFile
from .lines import Kept, NoRow, read_line

_BEGINNING = b'{"version":1,"job":"'
"""How each line of ours begins, also one that was broken off."""


@dataclass(slots=True)
class Survey:
    """What was found.

    Attributes:
        lines: how many whole lines each file has.
        rows: how many lines are results of this job.
        others: how many are results of the same kind of job with other options, or of another
            version of this program.
        none: how many are no results at all.
        foreign: how many are results of another kind of job.
        kind: that other kind; None if there are none.
        cut: for each file whose last line was broken off, where that line begins.
    """

    lines: list[int]
    rows: int = 0
    others: int = 0
    none: int = 0
    foreign: int = 0
    kind: Kind | None = None
    cut: dict[int, int] = field(default_factory=dict)


def survey(
    files: Sequence[LineFile],
    kind: Kind,
    is_of_job: Callable[[Kept], bool],
    ledger: Ledger,
    watch: Watch,
) -> Survey:
    """Read all lines, and note where the newest result of each field stands.

    Arguments:
        files: those whose results are newer come first.
        kind: what is done to each field.
        is_of_job: whether a result is of this very job.
        ledger: where the places are noted.
        watch: told how many bytes are read.

    Raises:
        SourceUnavailable: a file cannot be read.
    """
    found = Survey([0] * len(files))
    read, total = 0, sum(file.size for file in files)
    for number in reversed(range(len(files))):
        for line in files[number].lines():
            if line.offset:
                watch("bytes", read + line.offset, total)
            if not line.whole:
                found.cut[number] = line.offset
                found.none += not _is_begun(line.data)
                continue
            found.lines[number] += 1
            try:
                kept = read_line(line.data or b"")
            except NoRow:
                found.none += 1
                continue
            if kept.row.job != kind:
                found.foreign += 1
                found.kind = kept.row.job
            elif not is_of_job(kept):
                found.others += 1
            else:
                found.rows += 1
                ledger.put(kept.row.location, Place(number, line.offset), standing(kept.row))
        read += files[number].size
    watch("bytes", total, total)
    return found


def standing(row: Row) -> str | None:
    """The version of which a result can stand for another one; None if it cannot.

    What failed may go better the next time.
    """
    return row.version if row.state == "done" else None


def _is_begun(data: bytes | None) -> bool:
    """Whether a line without an end can have been the beginning of one of ours."""
    if data is None:
        return False
    return data.startswith(_BEGINNING) or _BEGINNING.startswith(data)

"""The contents of blobs, from one `git cat-file` for all, each proved by its own hash."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from threading import Lock

from ..errors import SourceUnavailable
from ..transfer.options import LONGER
from ..transfer.sink import Sink
from .command import GitDirectory
from .objects import BlobProof
from .running import Running
from .tree import TreeEntry

AT_A_TIME = 32
"""How many blobs are asked for before the first is read: their ids fit any pipe."""

_CHUNK_BYTES = 256 * 1024
_HEADER = re.compile(rb"([0-9a-f]{40,64}) blob ([0-9]{1,18})\n")
_MOST_HEADER = 200


class Contents:
    """The blobs of a git directory; one thread at a time is served."""

    def __init__(self, place: GitDirectory) -> None:
        self._place = place
        self._lock = Lock()
        self._open = ExitStack()
        self._running: Running | None = None

    def save(self, wanted: Sequence[tuple[TreeEntry, Sink]]) -> None:
        """Put blobs into their sinks, at most `AT_A_TIME`.

        Raises:
            SourceUnavailable: one is missing, damaged, or cannot be had in time.
            LimitExceeded: one is larger than its sink takes.
        """
        with self._lock, ExitStack() as undo:
            undo.callback(self._stop)  # whatever goes wrong, the stream is not where it should be
            running = self._running or self._start()
            running.begin()
            try:
                running.stdin.write(b"".join(e.object_id.encode() + b"\n" for e, _ in wanted))
                running.stdin.flush()
            except BrokenPipeError:
                raise self._broken_off(running) from None
            for entry, sink in wanted:
                self._save(running, entry, sink)
            running.rest()
            undo.pop_all()

    def close(self) -> None:
        """End the command."""
        with self._lock:
            self._stop()

    def _start(self) -> Running:
        started = self._place.started("cat-file", "--batch", stdin=subprocess.PIPE)
        self._running = self._open.enter_context(started)
        return self._running

    def _stop(self) -> None:
        self._running = None
        self._open.close()

    def _save(self, running: Running, entry: TreeEntry, sink: Sink) -> None:
        header = running.stdout.readline(_MOST_HEADER)
        if not header:
            raise self._broken_off(running)
        match = _HEADER.fullmatch(header)
        if match is None or match[1].decode() != entry.object_id or int(match[2]) != entry.size:
            raise SourceUnavailable(
                "the repository lacks the contents of this file, or has them damaged",
                location=self._place.location,
                entry=entry.path,
                hint="fetch the commit into the repository whole: a partial clone is not enough",
            )
        proof = BlobProof(entry.object_id, entry.size)
        missing = entry.size
        while missing:
            piece = running.stdout.read1(min(missing, _CHUNK_BYTES))
            if not piece:
                raise self._broken_off(running)
            running.took(len(piece))
            missing -= len(piece)
            proof.update(piece)
            sink.write(piece)
        if running.stdout.read(1) != b"\n":
            raise self._broken_off(running)
        if not proof.holds:
            raise SourceUnavailable(
                "the repository has other bytes for this file than their hash says",
                location=self._place.location,
                entry=entry.path,
                hint="`git fsck` in the repository finds what is damaged",
            )

    def _broken_off(self, running: Running) -> SourceUnavailable:
        reason = running.ended_for or "it ended before the file was whole"
        hint = LONGER if running.ended_for else None
        return self._place.unavailable(f"git gave no contents: {reason}", hint)

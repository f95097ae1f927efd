"""The files of a run beside its results, and whether what has their names is of a run."""

from __future__ import annotations

import os

from memoryfield_readers.atomic import Directory

TOTALS = "totals.json"
REPORT = "report.html"

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FLAGS |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us
_BEGINNINGS = {
    TOTALS: b'{\n  "version": 1,\n  "job": "',
    REPORT: b'<!DOCTYPE html>\n<html lang="en">\n<head>\n',
}
_TITLE = b"<title>memoryfield fleet "
_ENOUGH = 4096
"""So many bytes of a page hold its title."""


def foreign_product(directory: Directory, results: str) -> str | None:
    """The name of a file that a run would replace, and that no run has written.

    Arguments:
        directory: the folder of a run.
        results: the name of the file that every run leaves there.

    Returns:
        The name; None if there is no such file.

    Raises:
        OSError: the folder cannot be read.
    """
    names = set(directory.names())
    for name in _BEGINNINGS:
        if name in names and not (results in names and _is_ours(directory, name)):
            return name
    return None


def _is_ours(directory: Directory, name: str) -> bool:
    try:
        descriptor = os.open(directory.at(name), _FLAGS, dir_fd=directory.descriptor)
        with open(descriptor, "rb") as file:
            data = file.read(_ENOUGH)
    except OSError:  # a folder, a link, or what may not be read
        return False
    begins = data.startswith(_BEGINNINGS[name])
    return begins and (name != REPORT or _TITLE in data)

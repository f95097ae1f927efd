"""What is proposed to be changed in a field: values, nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..finding import Finding


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Other bytes for the file of a page.

    Attributes:
        name: the page's name now, before it is renamed; of a page that is a link, the path of the
            file that it leads to, with `/` between folders.
        before: the bytes it has; it is not touched if they are others by then.
        after: the bytes it gets.
        links: the names of the pages that are links to it.
    """

    name: str
    before: bytes
    after: bytes
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rename:
    """Another name for a page.

    Attributes:
        name: its name now.
        to: its new name, which no other file has.
        linked_from: the names now of the pages whose links are made to lead to the new name.
    """

    name: str
    to: str
    linked_from: tuple[str, ...] = ()


Change: TypeAlias = Rewrite | Rename


@dataclass(frozen=True, slots=True)
class Proposal:
    """Changes that mend findings.

    Attributes:
        changes: what to do, in this order: pages are written first and renamed last, so that a
            run that is cut off leaves links to a name that the next run brings about.
        findings: what is mended, in the order in which it was found. Where one fault hid another,
            the place of the other is that in the page as mended so far.
    """

    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The pages that get other bytes, in the order of their names."""
        return tuple(change for change in self.changes if isinstance(change, Rewrite))

    @property
    def renames(self) -> tuple[Rename, ...]:
        """The pages that get other names, in the order of their names."""
        return tuple(change for change in self.changes if isinstance(change, Rename))

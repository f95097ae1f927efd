"""Whether a field has moved on since a snapshot of it was taken."""

from __future__ import annotations

from dataclasses import dataclass

from memoryfield_readers import Field, shown

from .parsing import AlteredSnapshot, Listed, Recorded
from .text_form import footer, framed, header, listed, shown_text


@dataclass(frozen=True, slots=True)
class Check:
    """What became of a field since.

    Where the pins differ and no page is named here, attachments have changed: they are in the pin,
    and in no snapshot.

    Attributes:
        before: the field pin in the snapshot.
        now: the field pin now.
        changed: pages that the snapshot names and that are other ones now.
        removed: pages that it names and that are gone.
        added: pages that are new.
        unnamed: pages that are new, or that it had no room to name; empty if it named all.
    """

    before: str
    now: str
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the snapshot is of the field as it is."""
        return self.before == self.now


def check(recorded: Recorded, field: Field) -> Check:
    """Compare a field with what a snapshot of it says.

    Raises:
        AlteredSnapshot: the snapshot has the pin of the field, and other pages, or any line that is
            not what the field gives. How far its list goes, and in which order, the budget and the
            choice of pages decide: that is not judged.
        MemoryfieldError: the field cannot be read.
    """
    now = field.digest()
    there = frozenset(field.pages)
    named = frozenset(page.name for page in recorded.pages)
    changed = [page.name for page in recorded.pages if page.name in there and _differs(page, field)]
    removed = [page.name for page in recorded.pages if page.name not in there]
    new = tuple(name for name in field.pages if name not in named)
    all_named = len(named) == recorded.total
    if now == recorded.digest:
        for name in (*changed, *removed, *(new if all_named else ())):
            raise AlteredSnapshot(f"was altered: {shown(name)} is another page in the field")
        if recorded.total != len(there):
            raise AlteredSnapshot("was altered: the field has another number of pages")
        if _made_again(recorded, field) != recorded.text:
            raise AlteredSnapshot("was altered: a line in it is not what the field gives")
        return Check(recorded.digest, now)
    return Check(
        before=recorded.digest,
        now=now,
        changed=tuple(changed),
        removed=tuple(removed),
        added=new if all_named else (),
        unnamed=() if all_named else new,
    )


def _made_again(recorded: Recorded, field: Field) -> str:
    """The block that names the same pages in the same places, as the field gives it."""
    frames = [framed(field.page(page.name)) for page in recorded.pages if page.in_full]
    lines = [listed(field.page(page.name)) for page in recorded.pages if not page.in_full]
    first = header(recorded.digest, len(frames), recorded.total, recorded.name)
    return "".join((first, *frames, footer(recorded.total - len(frames), lines)))


def _differs(page: Listed, field: Field) -> bool:
    if field.sha256(page.name) != page.sha256:
        return True
    if page.unproved is None:
        return False
    return shown_text(field.page(page.name)).removesuffix("\n") != page.unproved

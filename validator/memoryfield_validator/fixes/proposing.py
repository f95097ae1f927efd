"""From findings to the changes that mend them, worked out in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeAlias

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Field,
    Limits,
    MemoryfieldError,
    Page,
    is_side_file,
    name_key,
)
from memoryfield_readers.markdown.mentions import mentioned_pages

from ..finding import Finding, Report
from .draft import Draft
from .linked import takes_uuid
from .listing import plan_listing
from .missing_fields import Born, NewUuid
from .page_fixes import Sources, fixed_page
from .proposal import Proposal
from .renaming import link_splices, renames
from .splices import spliced
from .titles import title_from_name

Judge: TypeAlias = Callable[[Field], Report]
Wanted: TypeAlias = Callable[[Finding], bool]

MOST_ROUNDS = 20
"""How often a draft is judged: mending one fault can bring others to light, or what was cut off."""

_NAMES = "MF201"
_LISTING = "MF402"


def everything(finding: Finding) -> bool:
    """Whether a finding is to be mended: each is."""
    return True


def not_known(name: str) -> datetime | None:
    """When the file of a page was made, where nobody can tell."""
    return None


def random_uuid() -> str:
    """A random UUID."""
    import uuid

    return str(uuid.uuid4())


def propose(
    field: Field,
    report: Report,
    *,
    judge: Judge,
    wanted: Wanted = everything,
    limits: Limits = DEFAULT_LIMITS,
    born: Born = not_known,
    new_uuid: NewUuid = random_uuid,
) -> Proposal:
    """The changes that mend the fixable findings of a field; nothing is written.

    They are made to a draft in memory, which is judged again until there is nothing left to mend:
    a block that did not parse hides what else is wrong with it.

    Arguments:
        field: the field, which must stay open and is only read.
        report: what was found in it.
        judge: judges a draft by the same rules, as a rule `validate` with some arguments bound.
        wanted: whether a finding is to be mended.
        limits: those the field was opened with; no page is made larger than they allow.
        born: when the file of a page was made, by its name; None where that is not known.
        new_uuid: makes the uuids of pages that have none.
    """
    draft = Draft(field, limits)
    sources = Sources(born, new_uuid)
    fixed: list[Finding] = []
    found: list[Finding] = []
    for _ in range(MOST_ROUNDS):
        found = [finding for finding in report.findings if finding.fixable and wanted(finding)]
        now = draft.field()
        done = _fix_pages(draft, now, found, sources) + _rename_pages(draft, now, found)
        if not done:
            break
        fixed += done
        report = judge(draft.field())
    fixed += _fix_listing(draft, draft.field(), found)  # names and titles are settled
    return Proposal(draft.changes(), tuple(fixed))


def _fix_pages(
    draft: Draft, now: Field, found: Iterable[Finding], sources: Sources
) -> list[Finding]:
    """Step what each page's own bytes are at fault for; a file of several names is one page."""
    by_file: dict[str, list[Finding]] = defaultdict(list)
    names: dict[str, str] = {}
    for finding in found:
        if finding.file is not None and finding.rule not in (_NAMES, _LISTING):
            file = now.links.get(finding.file, finding.file)
            by_file[file].append(finding)
            names.setdefault(file, finding.file)
    fixed: list[Finding] = []
    for file, findings in by_file.items():
        page = _page(now, file) or _page(now, names[file])
        if page is not None:
            takes = takes_uuid(now, page.name)
            its_sources = sources if takes else sources._replace(new_uuid=None)
            after, done = fixed_page(page, findings, its_sources)
            if done and draft.write(page, after.raw):
                fixed += done
    return fixed


def _rename_pages(draft: Draft, now: Field, found: Iterable[Finding]) -> list[Finding]:
    """Give pages their conforming names, and let all links lead to them."""
    by_name = {finding.file: finding for finding in found if finding.rule == _NAMES}
    if not by_name:
        return []
    new_names = {name: to for name, to in renames(now).items() if name in by_name}
    if not new_names:
        return []
    linked_from: dict[str, list[str]] = defaultdict(list)
    linking = draft.field()  # with what has been mended in this round
    by_file = {draft.file_of(name): name for name in reversed(linking.pages)}
    names = sorted(by_file.values(), key=name_key)
    for page in filter(None, (_page(linking, name) for name in names)):
        found_links = link_splices(page.raw, new_names)
        splices = [splice for each in found_links.values() for splice in each]
        if splices and draft.write(page, spliced(page.raw, splices)):
            for name in found_links:
                linked_from[name].append(draft.file_of(page.name))
    for name in sorted(new_names, key=name_key):
        draft.rename(name, new_names[name], linked_from[name])
    return [by_name[name] for name in sorted(new_names, key=name_key)]


def _fix_listing(draft: Draft, now: Field, found: Iterable[Finding]) -> list[Finding]:
    """Let the listing name the pages that are there, and no other ones."""
    findings = [finding for finding in found if finding.rule == _LISTING]
    if not findings or findings[0].file is None:
        return []
    page = _page(now, findings[0].file)
    if page is None:
        return []

    def title(name: str) -> str:
        listed = _page(now, name)
        stated = listed.frontmatter.text("title") if listed is not None else None
        return stated or title_from_name(name)

    names = _linkable(now)
    named = mentioned_pages(page, names).keys()
    plan = plan_listing(page, named, names, now.pages, title)
    return findings if draft.write(page, plan.raw) else []


def _linkable(field: Field) -> frozenset[str]:
    """The names of all files that a link may lead to."""
    return frozenset(name for name in field.entries if not is_side_file(name))


def _page(field: Field, name: str) -> Page | None:
    """A page of a draft; None where it cannot be read, which a finding says."""
    try:
        return field.page(name)
    except MemoryfieldError:
        return None

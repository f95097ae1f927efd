"""Rules on what a server gives of the field itself: MF701, MF702 and MF703."""

from __future__ import annotations

from memoryfield_readers import MemoryfieldError, SourceChanged, shown
from memoryfield_readers.http.html_document import is_html_document
from memoryfield_readers.http.index_page import read_index_page
from memoryfield_readers.http.statuses import phrase

from ..registry import Findings, Rule
from .archive import PATH, Archive
from .asking import NOT_FOUND, OK, Stopped
from .registering import server_rule
from .visit import INDEX, NOT_A_PAGE, Served, Visit, names_of, quoted

_MARKDOWN, _ZIP = "text/markdown", "application/zip"
ROOT = "./"
"""The path of the root, as a finding names it."""

_SAID_MOST = 3


@server_rule("MF701")
def pages_by_name(rule: Rule, visit: Visit) -> Findings:
    """Each page that is known has its bytes and its type; a name that no page has is not found."""
    gone: list[str] = []
    for name, served in visit.served.items():
        if served.status == NOT_FOUND and not visit.is_complete:
            gone.append(name)  # which may be the fault of the page that names it (MF402)
            continue
        wrong = list(_wrong_with(served, visit))
        if wrong:
            yield rule.finding(quoted(name), "; ".join(wrong))
    if gone:
        visit.notes.append(f"named by {visit.named_by}, and not there: {names_of(gone)}")
    absent = visit.absent
    if absent is not None and absent.status != NOT_FOUND:
        yield rule.finding(
            NOT_A_PAGE,
            f"a name that no page has is answered with {phrase(absent.status)}, not 404",
            hint="Answer 404 for every name that no file of the field has.",
        )
    if not visit.served and not visit.is_complete:
        visit.leave(rule.id)


def _wrong_with(served: Served, visit: Visit) -> list[str]:
    if served.status != OK:
        return [f"is answered with {phrase(served.status)}"]
    if served.is_html:
        return ["is an HTML document, not the bytes of the page"]
    wrong = []
    if served.kind != _MARKDOWN:
        kind = shown(served.kind, 60) if served.kind else "missing"
        wrong.append(f"its content type is {kind}, not `{_MARKDOWN}`")
    true = _true_hash(served.name, visit)
    if true is not None and served.sha256 != true and _is_changed_on_the_way(served, true):
        wrong.append("its bytes are not those of the page: it is changed on its way")
    return wrong


def _true_hash(name: str, visit: Visit) -> str | None:
    if visit.archive is None or visit.archive.field is None:
        return None
    return visit.archive.field.sha256(name)


def _is_changed_on_the_way(served: Served, true: str) -> bool:
    """Whether it is the page that is other than it should be, not the archive."""
    return bool(served.same_text) or served.tag == f'"{true}"'


@server_rule("MF702")
def introduction_at_the_root(rule: Rule, visit: Visit) -> Findings:
    """The root is a list of the pages, or `index.md`, or not there if that is not there."""
    root = visit.root
    if root.status == OK and is_html_document(root.headers, root.data):
        page = read_index_page(root.data, root.url, visit.limits.entries)
        if not page.is_index and not any(name.endswith(".md") for name in page.files):
            yield rule.finding(ROOT, "is an HTML page that links to no page, and not index.md")
        return
    index = visit.get(INDEX)
    if index is None:
        visit.leave(rule.id)
        return
    has_index = index.status == OK and not is_html_document(index.headers, index.data)
    if root.status == NOT_FOUND:
        if has_index:
            yield rule.finding(ROOT, "is answered with 404, though there is index.md")
    elif root.status != OK:
        wanted = "200 with index.md" if has_index else "404: there is no index.md"
        yield rule.finding(ROOT, f"is answered with {phrase(root.status)}, not {wanted}")
    elif not has_index:
        yield rule.finding(ROOT, "is answered with 200, though there is no index.md to give")
    elif root.data != index.data:
        yield rule.finding(ROOT, "gives other bytes than index.md")
    elif root.kind != _MARKDOWN:
        kind = shown(root.kind, 60) if root.kind else "missing"
        yield rule.finding(ROOT, f"its content type is {kind}, not `{_MARKDOWN}`")


@server_rule("MF703")
def whole_field_as_archive(rule: Rule, visit: Visit) -> Findings:
    """The archive is there, is sound, and has in it what the server gives page by page."""
    archive = visit.archive
    if archive is None:
        visit.leave(rule.id)
        return
    if archive.status != OK:
        yield rule.finding(PATH, f"is answered with {phrase(archive.status)}")
        return
    wrong: list[str] = []
    if archive.kind != _ZIP:
        kind = shown(archive.kind, 60) if archive.kind else "missing"
        wrong.append(f"its content type is {kind}, not `{_ZIP}`")
    for each in archive.wrong[:_SAID_MOST]:
        where = f" ({shown(each.file)})" if each.file else ""
        wrong.append(f"it breaks {each.rule}: {each.message}{where}")
    if archive.field is not None:
        differing = list(_differing(archive, visit))
        if differing and _has_moved_on(archive, visit):
            return
        wrong += differing
    if wrong:
        yield rule.finding(PATH, "; ".join(wrong))


def _differing(archive: Archive, visit: Visit) -> list[str]:
    """What the archive has otherwise than the server has it by name."""
    assert archive.field is not None  # noqa: S101 - asked by who calls
    found = []
    known = set(archive.field.pages)
    more = [name for name in visit.named if name not in known and _is_there(name, visit)]
    if more:
        found.append(f"it lacks {names_of(more)}")
    other = []
    for name, served in visit.served.items():
        true = archive.field.sha256(name)
        is_page = served.status == OK and not served.is_html
        if is_page and served.sha256 != true and not _is_changed_on_the_way(served, true):
            other.append(name)
    if other:
        found.append(f"it has other bytes than the server gives by name for {names_of(other)}")
    return found


def _is_there(name: str, visit: Visit) -> bool:
    answer = visit.get(quoted(name))
    absent = visit.absent
    if answer is None or answer.status != OK or is_html_document(answer.headers, answer.data):
        return False
    return absent is None or answer.data != absent.data


def _has_moved_on(archive: Archive, visit: Visit) -> bool:
    """Whether the field was changed while it was looked at, which is nobody's fault."""
    try:
        now = visit.archives.fetch()
    except Stopped:
        raise
    except MemoryfieldError as error:
        visit.note_unread(error)
        return False
    if now.sha256 == archive.sha256:
        return False
    visit.note_unread(
        SourceChanged(
            "the field changed while the server was checked",
            location=visit.asking.location,
            entry=PATH,
            hint="check it again",
        )
    )
    return True

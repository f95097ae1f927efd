"""Rules on the search of a server: MF704 and MF705."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryfield_readers.http.statuses import phrase

from ..registry import Findings, Rule
from .asking import OK
from .described import Described
from .registering import server_rule
from .search_answer import Problem, SearchAnswer
from .visit import INDEX, LISTING, Visit, names_of

_MOST_PAGES = 20
_MOST_QUERY = 80
_MOST_FINDINGS = 20
_NOT_SEARCHED = frozenset({INDEX, LISTING})
_ODD_QUERIES = ("zqxjkvb wzqpf", '"', "AND OR NOT (", "%_*?[", "ß 漢字 😀", "a'b; --", "")
"""Nothing that is there, what databases and patterns read in a way of their own, and nothing."""


@server_rule("MF704")
def shape_of_answers(rule: Rule, visit: Visit) -> Findings:
    """Whatever is searched for, the answer has the one shape; each way to fail is told once."""
    told: dict[str, tuple[str, Problem, int]] = {}
    first = next(iter(_queries(visit)), "a")
    is_answered = False
    for query in (first, *_ODD_QUERIES):
        answer = visit.search(query)
        if answer is None:
            continue
        is_answered = True
        if not answer.is_offered and query == first:
            _note_no_search(visit)
            return
        for problem in answer.problems:
            path, kept, times = told.get(problem.way, (answer.path, problem, 0))
            told[problem.way] = (path, kept, times + 1)
    if not is_answered:
        visit.leave(rule.id)
    for path, problem, times in told.values():
        more = f" (so are {times - 1} more answers)" if times > 1 else ""
        yield rule.finding(path, problem.message + more)


@server_rule("MF705")
def substrings_are_found(rule: Rule, visit: Visit) -> Findings:
    """What pages are called is found, in any case, unless an index of the field is used for it."""
    archive = visit.archive
    if archive is not None and archive.field is not None and archive.field.indexes:
        visit.leave(rule.id, "the field has a vector index to search by", applies=False)
        return
    first = True
    count = 0
    queries = list(_queries(visit))
    for done, query in enumerate(queries):
        visit.watch("searches", done, len(queries))
        answer = visit.search(query)
        if answer is None:
            continue
        if first and not answer.is_offered:
            _note_no_search(visit)
            break
        first = False
        message = _left_out(query, answer, visit)
        if message is not None:
            count += 1
            yield rule.finding(answer.path, message)
        if count == _MOST_FINDINGS:
            visit.notes.append(f"MF705: no more searches after {count} that failed")
            break
    visit.watch("searches", len(queries), len(queries))
    if not queries and not visit.offers_no_search:
        applies = not visit.is_complete
        visit.leave(rule.id, "no page is known to search for", applies=applies)
    elif first and not visit.offers_no_search:
        visit.leave(rule.id)


def _left_out(query: str, answer: SearchAnswer, visit: Visit) -> str | None:
    if answer.status != OK:
        return f"is answered with {phrase(answer.status)}, not 200"
    missing = [
        page.name
        for page in visit.described.values()
        if _matches(query, page) and page.name not in answer.names
    ]
    if not missing:
        return None
    return f"does not find {names_of(missing)}, whose name, title or summary has it in it"


def _matches(query: str, page: Described) -> bool:
    if page.name in _NOT_SEARCHED:
        return False
    wanted = query.casefold()
    texts = (page.name, page.title or "", page.summary or "")
    return any(wanted in text.casefold() for text in texts)


def _note_no_search(visit: Visit) -> None:
    if not visit.offers_no_search:
        visit.offers_no_search = True
        visit.not_applying |= {"MF704", "MF705"}
        visit.notes.append("no search is offered (404): MF704 and MF705 do not apply")


def _queries(visit: Visit) -> Iterator[str]:
    """Names, titles and pieces of summaries of some pages, in another case than they are in."""
    for page in _some([each for each in visit.described.values() if _is_searched(each)]):
        yield page.name.removesuffix(".md").upper()[:_MOST_QUERY]
        if page.title is not None and page.title.strip():
            yield page.title.swapcase()[:_MOST_QUERY].strip()
        if page.summary is not None and page.summary.strip():
            yield _middle(page.summary).swapcase()


def _is_searched(page: Described) -> bool:
    """Whether a page can be asked for: its name has an encoding, and it is not left to the server.

    Half a character in a title cannot be sent, and no server can be asked for it.
    """
    texts = page.name + (page.title or "") + (page.summary or "")
    return page.name not in _NOT_SEARCHED and not any(
        "\ud800" <= each <= "\udfff" for each in texts
    )


def _some(pages: Sequence[Described]) -> Sequence[Described]:
    """Up to so many pages, spread over the field."""
    step = max(1, -(-len(pages) // _MOST_PAGES))
    return pages[::step]


def _middle(text: str) -> str:
    """A piece from within a text, with a blank in it if there is one."""
    words = text.split(" ")
    start = len(words) // 3
    piece = " ".join(words[start : start + 3]).strip() or text.strip()
    return piece[:_MOST_QUERY].strip()

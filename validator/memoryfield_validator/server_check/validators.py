"""The rule on tags, conditions and ranges: MF708."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memoryfield_readers import shown
from memoryfield_readers.http.html_document import is_html_document
from memoryfield_readers.http.statuses import phrase

from ..registry import Findings, Rule
from .archive import PATH
from .asking import IDENTITY, OK, Answer
from .registering import server_rule
from .visit import INDEX, Visit, names_of, quoted, strong_tag

_SUBJECTS = 3
_NOT_MODIFIED, _PARTIAL = 304, 206
_OTHER_TAG = '"0000000000000000000000000000000000000000000000000000000000000000"'
_TAIL = 7


class _Subject(NamedTuple):
    """A page that conditions and ranges are tried on."""

    path: str
    data: bytes
    tag: str


@server_rule("MF708")
def validators_and_ranges(rule: Rule, visit: Visit) -> Findings:
    """Each content has its hash for a tag; conditions and ranges are honoured."""
    subjects = list(_subjects(visit))
    for wrong in (_tags(subjects, visit), _conditions(subjects, visit), _ranges(subjects, visit)):
        first = next(wrong, None)
        if first is not None:
            path, message = first
            yield rule.finding(path, message)
    if not subjects:
        applies = bool(visit.names) or not visit.is_complete  # an empty field has none
        visit.leave(rule.id, "no page could be had", applies=applies)


def _subjects(visit: Visit) -> Iterator[_Subject]:
    """The largest and the smallest of the pages, and one between, as they are without a coding."""
    good = [each for each in visit.served.values() if each.status == OK and not each.is_html]
    by_size = sorted(good, key=lambda each: (-each.size, each.name))
    chosen = [by_size[0], by_size[len(by_size) // 2], by_size[-1]] if by_size else []
    names = [each.name for each in chosen] or [INDEX]
    for name in list(dict.fromkeys(names))[:_SUBJECTS]:
        answer = visit.get(quoted(name), IDENTITY)
        if answer is None or answer.status != OK or is_html_document(answer.headers, answer.data):
            continue
        yield _Subject(answer.path, answer.data, answer.headers.get("etag", "").strip())


def _tags(subjects: list[_Subject], visit: Visit) -> Iterator[tuple[str, str]]:
    """Where the tag is not the hash: the pages asked for on purpose, then all others."""
    wrong = {each.path: each.tag for each in subjects if each.tag != strong_tag(each.data)}
    for served in visit.served.values():
        expected = f'"{served.sha256}"'
        is_content = served.status == OK and not served.is_html and not served.coded
        if is_content and served.tag != expected:
            wrong.setdefault(quoted(served.name), served.tag)
    archive = visit.archive
    if archive is not None and archive.sha256 is not None:
        tag = archive.headers.get("etag", "").strip()
        if tag != f'"{archive.sha256}"':
            wrong.setdefault(PATH, tag)
    if wrong:
        path, tag = next(iter(wrong.items()))
        seen = f"the `ETag` is {shown(tag, 80)}, not" if tag else "there is no `ETag`; it should be"
        others = [each for each in wrong if each != path]
        more = f"; wrong, too, for {names_of(others)}" if others else ""
        yield path, f"{seen} the SHA-256 of the content in double quotes{more}"


def _conditions(subjects: list[_Subject], visit: Visit) -> Iterator[tuple[str, str]]:
    for subject in subjects:
        tag = subject.tag or strong_tag(subject.data)
        for given, wanted in ((tag, _NOT_MODIFIED), (f"{_OTHER_TAG}, {tag}", _NOT_MODIFIED),
                              (_OTHER_TAG, OK)):  # fmt: skip
            answer = visit.get(subject.path, {**IDENTITY, "If-None-Match": given})
            if answer is not None and answer.status != wanted:
                what = "the tag of the content" if wanted == _NOT_MODIFIED else "another tag"
                yield (
                    subject.path,
                    f"with {what} in `If-None-Match` it is answered with"
                    f" {phrase(answer.status)}, not {wanted}",
                )


def _ranges(subjects: list[_Subject], visit: Visit) -> Iterator[tuple[str, str]]:
    for subject in subjects:
        size = len(subject.data)
        if not size:
            continue
        middle = size // 2
        for asked, start, end in (
            ("0-0", 0, 1),
            (f"{middle}-", middle, size),
            (f"{size // 3}-{middle}", size // 3, middle + 1),
            (f"-{_TAIL}", max(0, size - _TAIL), size),
        ):
            answer = visit.get(subject.path, {"Range": f"bytes={asked}"})
            message = answer and _wrong_part(answer, subject.data, start, end)
            if message:
                yield subject.path, f"with `Range: bytes={asked}` {message}"
        yield from _conditional_ranges(subject, visit)
    yield from _range_of_archive(visit)


def _wrong_part(answer: Answer, data: bytes, start: int, end: int) -> str | None:
    if answer.status != _PARTIAL:
        return f"it is answered with {phrase(answer.status)}, not 206"
    if answer.data != data[start:end]:
        return "other bytes come than those of the range"
    said = answer.headers.get("content-range", "").strip()
    if said.lower() != f"bytes {start}-{end - 1}/{len(data)}":
        return f"`Content-Range` is {shown(said, 60) if said else 'missing'}"
    return None


def _conditional_ranges(subject: _Subject, visit: Visit) -> Iterator[tuple[str, str]]:
    given = {"Range": "bytes=0-0", "If-Range": _OTHER_TAG}
    answer = visit.get(subject.path, given)
    if answer is not None and (answer.status != OK or answer.data != subject.data):
        yield (
            subject.path,
            "with a range and another tag in `If-Range` it is answered with"
            f" {phrase(answer.status)}, not 200 and all of it",
        )
    if subject.tag and not subject.tag.startswith("W/"):
        answer = visit.get(subject.path, {**given, "If-Range": subject.tag})
        message = answer and _wrong_part(answer, subject.data, 0, 1)
        if message:
            yield subject.path, f"with a range and its tag in `If-Range` {message}"


def _range_of_archive(visit: Visit) -> Iterator[tuple[str, str]]:
    archive = visit.archive
    if archive is None or archive.sha256 is None:
        return
    archive.file.seek(0, 2)
    size = archive.file.tell()
    start, end = size // 3, size // 2
    archive.file.seek(start)
    part = archive.file.read(min(end - start, visit.limits.page_bytes))
    answer = visit.get(PATH, {"Range": f"bytes={start}-{start + len(part) - 1}"})
    if answer is not None and (answer.status != _PARTIAL or answer.data != part):
        got = "other bytes" if answer.status == _PARTIAL else phrase(answer.status)
        yield PATH, f"with a `Range` it is answered with {got}, not 206 and that range"

"""8xx: review of the content, which runs only when it is asked for."""

from __future__ import annotations

from memoryfield_readers import Page, shown

from ..content_review.active_html import active_html
from ..content_review.host_names import look_alikes
from ..content_review.invisible import described, invisible_runs
from ..content_review.patterns import passages, pattern_list
from ..content_review.secrets import known_prefix, secrets, with_secrets_hidden
from ..registry import Findings, Rule, page_rule
from ..review import Review

_MOST_QUOTED = 80


@page_rule("MF801")
def no_invisible_characters(rule: Rule, page: Page, review: Review) -> Findings:
    """A page has no invisible or direction-changing characters; one finding a run."""
    for run in invisible_runs(page.text):
        yield rule.finding(page.name, described(run), at=page.position(run.offset))


@page_rule("MF802")
def no_orders_to_the_model(rule: Rule, page: Page, review: Review) -> Findings:
    """A page does not give orders to the model that reads it."""
    yield from _passages(rule, page, "model_orders")


@page_rule("MF803")
def no_way_out_for_data(rule: Rule, page: Page, review: Review) -> Findings:
    """A page offers no way out for the data of its reader."""
    yield from _passages(rule, page, "data_exits")


@page_rule("MF804")
def no_secrets(rule: Rule, page: Page, review: Review) -> Findings:
    """A page has no secrets; the message shows no more of one than a prefix that is known."""
    for secret in secrets(page.text):
        prefix = known_prefix(page.text, secret)
        begins = f" that begins with {shown(prefix)}" if prefix else ""
        message = f"{secret.pattern.what}{begins}"
        yield rule.finding(page.name, message, at=page.position(secret.start))


@page_rule("MF805")
def no_active_html(rule: Rule, page: Page, review: Review) -> Findings:
    """A page has no HTML that acts and no links that carry code, outside of code."""
    text = page.text
    for active in active_html(text, page.frontmatter.body_offset):
        yield rule.finding(page.name, active.what, at=page.position(active.offset))


@page_rule("MF806")
def no_look_alike_hosts(rule: Rule, page: Page, review: Review) -> Findings:
    """A URL has no host name that passes for another one."""
    for url in look_alikes(page.text):
        yield rule.finding(page.name, f"the host name {url.problem}", at=page.position(url.offset))


def _passages(rule: Rule, page: Page, patterns: str) -> Findings:
    """What a list of patterns finds, quoted without the secrets that may stand in it."""
    found = passages(page.text, pattern_list(patterns))
    text = with_secrets_hidden(page.text) if found else ""
    for start, end, pattern in found:
        quoted = shown(text[start:end], _MOST_QUOTED)
        yield rule.finding(page.name, f"{pattern.what}: {quoted}", at=page.position(start))

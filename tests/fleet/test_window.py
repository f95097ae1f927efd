"""What may be begun, and when: over all ways in which things come, end, fail and wait."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_fleet.cluster.window import HERE, Limits, Window

HOSTS = (HERE, "a.example", "b.example")


def window(
    in_flight: int = 100, batches: int = 100, per_host: int | None = None
) -> Window[tuple[str, int]]:
    return Window(Limits(in_flight, batches, per_host), lambda thing: thing[1] < 0)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(HOSTS), st.sampled_from([0.0, 1.0, 5.0])),
        st.tuples(st.just("hold"), st.sampled_from(HOSTS), st.sampled_from([1.0, 3.0])),
        st.tuples(st.just("take"), st.just(HERE), st.sampled_from([1.0, 4.0])),
        st.tuples(st.just("done"), st.just(HERE), st.just(0.0)),
        st.tuples(st.just("wait"), st.just(HERE), st.sampled_from([0.5, 2.0])),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(
    steps=STEPS, in_flight=st.integers(1, 5), batches=st.integers(1, 3), per_host=st.integers(1, 2)
)
def test_bounds_hold_and_nothing_is_lost(
    steps: list[tuple[str, str, float]], in_flight: int, batches: int, per_host: int
) -> None:
    under_test = window(in_flight, batches, per_host)
    now, number, held = 10.0, 0, dict.fromkeys(HOSTS, 0.0)
    added: Counter[tuple[str, int]] = Counter()
    taken: Counter[tuple[str, int]] = Counter()
    early: dict[tuple[str, int], float] = {}
    flying: list[list[tuple[str, int]]] = []

    def take(most: int) -> bool:
        things = under_test.take(now, most)
        if things:
            host = things[0][0]
            assert {thing[0] for thing in things} == {host}
            assert len(things) <= most
            assert held[host] <= now
            assert all(early[thing] <= now for thing in things)
            flying.append(things)
            taken.update(things)
        assert sum(map(len, flying)) <= in_flight
        assert len(flying) <= batches
        of_hosts = Counter(batch[0][0] for batch in flying)
        assert all(of_hosts[host] <= per_host for host in HOSTS if host != HERE)
        return bool(things)

    for what, host, amount in steps:
        if what == "add":
            thing = (host, number)
            number += 1
            early[thing] = now + amount if amount else 0.0
            under_test.add(thing, host, early[thing])
            added[thing] += 1
        elif what == "hold":
            held[host] = max(held[host], now + amount)
            under_test.hold(host, now + amount)
        elif what == "take":
            take(int(amount))
        elif what == "done" and flying:
            batch = flying.pop(0)
            under_test.done(batch[0][0], len(batch))
        elif what == "wait":
            now += amount
    for _ in range(10_000):
        if take(3):
            continue
        if flying:
            batch = flying.pop()
            under_test.done(batch[0][0], len(batch))
        elif (due := under_test.due()) is not None:
            assert due > now  # else it would have been given out
            now = due
        else:
            break
    assert taken == added
    assert under_test.in_flight == 0
    assert under_test.waiting == 0


def test_of_one_host_what_came_first_is_begun_first() -> None:
    under_test = window()
    for number in range(5):
        under_test.add(("a.example", number), "a.example")
    assert [number for _, number in under_test.take(0.0, 5)] == [0, 1, 2, 3, 4]


def test_hosts_take_turns() -> None:
    under_test = window()
    for number in range(4):
        under_test.add(("a.example", number), "a.example")
    under_test.add(("b.example", 9), "b.example")
    assert [under_test.take(0.0)[0][0] for _ in range(3)] == ["a.example", "b.example", "a.example"]


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("other", [HERE, "b.example"])
def test_one_host_leaves_a_worker_to_others_that_wait(other: str, workers: int) -> None:
    """And takes all where none waits, or only one that is to be left alone."""
    under_test: Window[tuple[str, int]] = Window(
        Limits(100, 100, workers=workers), lambda thing: False
    )
    host = "s3://bucket"

    def taken(count: int) -> Counter[str]:
        things = [under_test.take(1.0) for _ in range(count)]
        return Counter(each[0][0] for each in things if each)

    for number in range(50):
        under_test.add((host, number), host)
        under_test.add((other, number), other)
    share = max(1, workers - 1)
    begun = taken(20)
    assert begun[host] == share
    assert begun[other] == (20 - share if other == HERE else share)
    under_test.hold(other, 9.0)
    assert taken(5) == {host: 5}


def test_what_is_alone_goes_alone() -> None:
    under_test = window()
    for number in (1, -2, 3, 4):
        under_test.add((HERE, number), HERE)
    assert [[n for _, n in under_test.take(0.0, 9)] for _ in range(3)] == [[1], [-2], [3, 4]]


def test_a_hold_that_is_longer_stands() -> None:
    under_test = window()
    under_test.add(("a.example", 1), "a.example")
    under_test.hold("a.example", 50.0)
    under_test.hold("a.example", 20.0)
    assert under_test.take(30.0) == []
    assert under_test.due() == 50.0
    assert under_test.take(50.0) == [("a.example", 1)]


@pytest.mark.parametrize("per_host", [1, 2])
def test_this_machine_is_no_host_with_a_bound(per_host: int) -> None:
    under_test = window(per_host=per_host)
    for number in range(5):
        under_test.add((HERE, number), HERE)
    assert sum(len(under_test.take(0.0)) for _ in range(5)) == 5

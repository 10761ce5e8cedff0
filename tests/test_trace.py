"""The record: one row for each write, who did it and why; and the stores rebuilt from it."""

from __future__ import annotations

import pytest

from karmadalab.core.clock import VirtualClock
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.store import Store
from karmadalab.core.trace import CREATE, DELETE, FAULT, NOTE, STATUS, UPDATE, Trace

from .contract.apis import ADDRESS, CONFIG, INGRESS, config, ingress, other_port, with_meta


@pytest.fixture
def store() -> Store:
    clock = VirtualClock()
    return Store(clock, Trace(clock.now))


def test_every_write_is_a_row_with_what_was_and_what_is(store: Store) -> None:
    made = store.create(ingress())
    changed = store.update(other_port(made))
    reported = store.update_status(changed.with_status(ADDRESS))
    store.delete(INGRESS, "web", "here")
    rows = [(row.verb, row.old, row.new) for row in store.trace.rows]
    assert rows == [
        (CREATE, None, made),
        (UPDATE, made, changed),
        (STATUS, changed, reported),
        (DELETE, reported, None),
    ]
    assert [row.version for row in store.trace.rows] == [1, 2, 3, 4]
    assert [row.id for row in store.trace.rows] == [0, 1, 2, 3]
    assert {(row.kind, row.namespace, row.name) for row in store.trace.rows} == {(INGRESS, "here", "web")}


def test_a_write_that_changes_nothing_leaves_no_row(store: Store) -> None:
    store.update(store.create(config()))
    assert len(store.trace) == 1


def test_a_watcher_acts_because_of_the_write_that_woke_it(store: Store) -> None:
    causes: list[int | None] = []
    store.watch(CONFIG, lambda event, old, new: causes.append(store.trace.cause))
    store.create(ingress())
    store.create(config())
    assert causes == [1]
    assert store.trace.cause is None


def test_a_chain_leads_back_to_the_beginning(store: Store) -> None:
    trace = store.trace
    fault = trace.note("fault", "member1", "power off", verb=FAULT)
    with trace.acting("controller", fault):
        made = store.create(config())
    store.watch(CONFIG, lambda event, old, new: None)
    with trace.acting("other", 1):
        store.update(with_meta(made, labels={"a": "b"}))
    assert [(row.actor, row.verb) for row in trace.chain(2)] == [
        ("other", UPDATE),
        ("controller", CREATE),
        ("user", FAULT),
    ]
    assert [row.verb for row in trace.chain(fault)] == [FAULT]


def test_who_acts_is_restored_even_after_an_error(store: Store) -> None:
    trace = store.trace
    with pytest.raises(ZeroDivisionError), trace.acting("controller", 7):
        raise ZeroDivisionError
    assert (trace.actor, trace.cause) == ("user", None)


def test_a_timer_acts_as_the_one_who_set_it(store: Store) -> None:
    trace, clock = store.trace, store.clock
    row = trace.note("fault", "member1", "x", verb=NOTE)
    with trace.acting("kubelet", row):
        clock.call_later(5, trace.bound(lambda: store.create(config())))
    clock.run_until(clock.epoch + 5)
    assert [(r.actor, r.cause, r.at - clock.epoch) for r in trace.rows[1:]] == [("kubelet", row, 5)]


def test_a_store_can_be_rebuilt_as_it_was_at_any_moment(store: Store) -> None:
    clock = store.clock
    taken: dict[float, Snapshot] = {}

    def take() -> None:
        taken[clock.now()] = store.snapshot()

    made = store.create(config("a"))
    take()
    clock.run_until(clock.epoch + 10)
    store.update(made.with_body(data={}))
    store.create(ingress("b"))
    take()
    clock.run_until(clock.epoch + 20)
    store.delete(CONFIG, "a", "here")
    take()
    for moment, snapshot in taken.items():
        rebuilt = Snapshot.from_rows(store.trace.rows, "", moment)
        for kind in (CONFIG, INGRESS):
            assert rebuilt.list(kind) == snapshot.list(kind)
    before = Snapshot.from_rows(store.trace.rows, "", clock.epoch + 9.9)
    assert before.get(CONFIG, "a", "here") is made
    assert before.kinds() == [CONFIG]


def test_worlds_are_kept_apart() -> None:
    clock = VirtualClock()
    trace = Trace(clock.now)
    plane, member = Store(clock, trace), Store(clock, trace, world="member1")
    plane.create(config("a"))
    member.create(config("b"))
    assert [row.world for row in trace.rows] == ["", "member1"]
    assert [o.metadata.name for o in Snapshot.from_rows(trace.rows, "member1", clock.now()).list(CONFIG)] == ["b"]
    assert plane.get(CONFIG, "a", "here").metadata.uid != member.get(CONFIG, "b", "here").metadata.uid
    with pytest.raises(Exception, match="ConfigMap here/a not found in member1"):
        member.get(CONFIG, "a", "here")

"""The two passes of an erasure, by the clock: everything first, then only late writes of stopped turns."""

import io
from datetime import timedelta

from satchel.domain.ids import call_id
from satchel.domain.object_keys import outcome_key
from satchel.domain.sessions import Turn
from satchel.domain.users import LATE_WRITE_GRACE, Erasure
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World


def confirm(world: World) -> None:
    request = world.use_cases.request_erasure
    request.confirm(ALICE, request.request(ALICE).token)


def run(world: World) -> bool:
    return world.use_cases.erase_user(ALICE.name, lambda: True)


def latest(world: World) -> Erasure:
    erasure = world.erasures.get(ALICE.name)
    assert erasure is not None
    return erasure


def write_report(world: World, turn: Turn) -> str:
    key = outcome_key(ALICE.name, turn.turn_id, call_id(turn.turn_id, 0, 0))
    world.store.put(key, io.BytesIO(b"{}"), "application/json")
    return key


def test_erasure_without_running_turns_is_finished_after_the_first_pass(world: World) -> None:
    world.upload("a.txt", session=world.session())
    confirm(world)

    assert run(world)

    assert latest(world).cleared_at == latest(world).finished_at == world.clock.now()
    assert (world.user_purger.erased, world.store.objects) == ([ALICE.name], {})


def test_second_pass_starts_after_the_grace_period_of_the_first(world: World) -> None:
    turn = world.turn(world.session())
    confirm(world)
    world.clock.advance(3600)  # the first start of the function failed: the sweep repeated it

    run(world)
    cleared_at = world.clock.now()
    world.clock.advance((LATE_WRITE_GRACE - timedelta(seconds=1)).total_seconds())
    run(world)
    assert (latest(world).cleared_at, latest(world).finished_at) == (cleared_at, None)
    assert world.erasures.list_due(cleared_at + LATE_WRITE_GRACE, 10) == [ALICE.name]
    assert [late.turn_id for late in latest(world).late] == [turn.turn_id]

    world.clock.advance(1)
    run(world)
    assert latest(world).finished_at == world.clock.now()


def test_second_pass_deletes_only_objects_of_the_stopped_turn(world: World) -> None:
    old = world.turn(world.session())
    confirm(world)
    run(world)
    late = write_report(world, old)
    world.clock.advance(60)
    new = world.turn(world.session())
    upload = world.upload("new.txt")
    new_keys = {write_report(world, new), upload.key}

    world.clock.advance(LATE_WRITE_GRACE.total_seconds())
    run(world)

    assert world.store.objects.keys() & {late, *new_keys} == new_keys
    assert (world.user_purger.erased, world.user_purger.erased_late_writes) == ([ALICE.name], [ALICE.name])
    assert new.turn_id not in dict(world.workflow.stopped)

from satchel.domain.quotas import QuotaUse, end_of_minute
from satchel.settings import QuotaSettings
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def test_report_has_the_limit_and_the_use_of_each_quota(world: World) -> None:
    world.quotas = QuotaSettings(
        user_open_sessions=5, user_turns_per_minute=6, user_running_calls=7, user_uploads=8, user_stored_bytes=900
    )
    session = world.session()
    world.session()
    world.use_cases.end_session(ALICE, world.session().session_id)
    call = world.call(world.turn(session))
    world.quota_counts.start_call(call.user, call.call_id, 1, world.clock.now())
    world.use_cases.begin_upload(ALICE, "large", 300, None, None)
    usage = world.use_cases.read_files.usage(ALICE).model_copy(update={"bytes": 42})
    world.session(BOB)

    report = world.use_cases.read_quotas(ALICE, usage)

    assert report.open_sessions == QuotaUse(limit=5, used=2)
    assert report.turns_per_minute == QuotaUse(limit=6, used=1, resets_at=end_of_minute(world.clock.now()))
    assert report.running_calls == QuotaUse(limit=7, used=1)
    assert report.uploads == QuotaUse(limit=8, used=1)
    assert report.stored_bytes == QuotaUse(limit=900, used=342)

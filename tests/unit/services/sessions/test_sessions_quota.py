import pytest

from satchel.domain.errors import TooManySessions
from satchel.settings import QuotaSettings
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def test_session_past_the_quota_is_refused_until_another_one_ends(world: World) -> None:
    world.quotas = QuotaSettings(user_open_sessions=2)
    first, _ = world.session(), world.session()

    with pytest.raises(TooManySessions) as raised:
        world.session()
    world.session(BOB)

    assert raised.value.message == (
        "You have 2 open chats, the maximum. End one, then try again (DELETE /api/sessions/{session_id})."
    )
    assert raised.value.details == {"quota": "open_sessions", "limit": 2, "used": 2}
    world.use_cases.end_session(ALICE, first.session_id)
    world.session()

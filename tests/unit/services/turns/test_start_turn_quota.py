import pytest

from satchel.domain.errors import TooManyTurns, TurnRunning
from satchel.domain.quotas import seconds_left_in_minute
from satchel.domain.sessions import Turn
from satchel.services.turns.start_turn import TurnRequest
from satchel.settings import QuotaSettings
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture(autouse=True)
def _two_turns_per_minute(world: World) -> None:
    world.quotas = QuotaSettings(user_turns_per_minute=2)
    world.clock.advance(seconds_left_in_minute(world.clock.now()))


def test_turn_past_the_quota_is_refused_until_the_next_minute(world: World) -> None:
    sessions = [world.session() for _ in range(3)]
    world.turn(sessions[0])
    world.turn(sessions[1])
    world.clock.advance(20)

    with pytest.raises(TooManyTurns) as raised:
        world.turn(sessions[2])
    world.turn(world.session(BOB), who=BOB)

    assert raised.value.message == "You sent 2 messages in this minute, the maximum. Try again in 40 seconds."
    assert raised.value.details == {"quota": "turns_per_minute", "limit": 2, "used": 2, "retry_after": 40}
    world.clock.advance(40)
    world.turn(sessions[2])


def test_repeated_request_and_refused_turn_do_not_count(world: World) -> None:
    session, other = world.session(), world.session()

    def start() -> Turn:
        return world.use_cases.start_turn(ALICE, session.session_id, TurnRequest(message="Hello"), "key")

    assert {start().turn_id for _ in range(5)} == {start().turn_id}
    with pytest.raises(TurnRunning):
        world.turn(session)
    world.turn(other)

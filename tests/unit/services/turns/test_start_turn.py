"""Starting turns."""

import pytest

from satchel.domain.conversation import UserMessage
from satchel.domain.errors import (
    FileNotFound,
    IdempotencyKeyReused,
    SessionEnded,
    SessionNotFound,
    TooLarge,
    TurnNotFound,
    TurnRunning,
    UnknownTools,
)
from satchel.domain.sessions import Session, Turn
from satchel.domain.turn_messages import messages_of
from satchel.services.turns.start_turn import TurnRequest
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def test_turn_is_stored_published_and_started(world: World) -> None:
    session = world.session()
    file = world.upload("sales.csv", session=session)
    turn = world.turn(session, "Look at this", tools=["report", "web.pages.fetch"], files=["sales.csv"])
    assert turn == Turn(
        turn_id=turn.turn_id,
        session_id=session.session_id,
        user=ALICE.name,
        groups=["users"],
        model="quick",
        message="Look at this",
        tools=["report", "web.pages.fetch"],
        files=[file.file_key],
        created_at=world.clock.now(),
    )
    assert world.turns.get(session.session_id, turn.turn_id) == turn
    file_list = (
        "\n\n[SYSTEM: Available files in current session:\n"
        "- sales.csv (uploaded 2024-08-27, 8B, 1 row)\n"
        "End available files]"
        "\n\n[SYSTEM: The user attached these files, but you have not read them, because no tool that reads documents "
        "is available: sales.csv]"
    )
    assert messages_of(world.transcript.list_turns(session.session_id)) == [
        UserMessage(text="Look at this", file_list=file_list)
    ]
    assert world.workflow.started == [(ALICE.name, session.session_id, turn.turn_id)]
    assert world.events.payloads(turn.turn_id) == [("turn_started", {"session_id": session.session_id})]


def test_turn_contains_the_users_groups(world: World) -> None:
    assert world.turn(world.session(BOB), who=BOB).groups == ["admins", "users"]


def test_session_is_locked_and_its_last_use_updated(world: World) -> None:
    session = world.session()
    world.clock.advance(60)
    turn = world.turn(session)
    locked = world.sessions.get(ALICE.name, session.session_id)
    assert locked == session.model_copy(update={"running_turn": turn.turn_id, "last_used_at": world.clock.now()})


def test_session_runs_one_turn_at_a_time(world: World) -> None:
    session = world.session()
    first = world.turn(session)
    with pytest.raises(TurnRunning) as rejected:
        world.turn(session, "And this?")
    assert rejected.value.details == {"turn_id": first.turn_id}
    assert len(world.workflow.started) == 1


def test_other_sessions_are_not_locked(world: World) -> None:
    world.turn(world.session())
    world.turn(world.session())
    assert len(world.workflow.started) == 2


def test_ended_turn_unlocks_its_session(world: World) -> None:
    session = world.session()
    world.complete(world.turn(session))
    world.turn(session, "And this?")
    assert len(world.workflow.started) == 2


def test_same_idempotency_key_returns_the_same_turn(world: World) -> None:
    session = world.session()
    request = TurnRequest(message="Hello")
    first = world.use_cases.start_turn(ALICE, session.session_id, request, "key")
    world.clock.advance(5)
    again = world.use_cases.start_turn(ALICE, session.session_id, request, "key")
    assert again == first
    assert len(world.workflow.started) == 1
    assert world.events.payloads(first.turn_id) == [("turn_started", {"session_id": session.session_id})]


def test_repeated_request_starts_an_execution_that_was_not_started(world: World) -> None:
    session = world.session()
    request = TurnRequest(message="Hello")
    turn = world.use_cases.start_turn(ALICE, session.session_id, request, "key")
    world.workflow.started.clear()
    world.use_cases.start_turn(ALICE, session.session_id, request, "key")
    assert world.workflow.started == [(ALICE.name, session.session_id, turn.turn_id)]


def test_repeated_request_of_an_ended_turn_starts_nothing(world: World) -> None:
    session = world.session()
    request = TurnRequest(message="Hello")
    turn = world.use_cases.start_turn(ALICE, session.session_id, request, "key")
    world.complete(turn)
    world.workflow.started.clear()
    again = world.use_cases.start_turn(ALICE, session.session_id, request, "key")
    assert (again.turn_id, again.answer) == (turn.turn_id, "Done.")
    assert world.workflow.started == []


@pytest.mark.parametrize(
    "other",
    [TurnRequest(message="Bye"), TurnRequest(message="Hello", tools=[]), TurnRequest(message="Hello", files=[])],
)
def test_same_key_with_another_request_is_rejected(world: World, other: TurnRequest) -> None:
    session = world.session()
    world.upload("a.csv", session=session)
    first = TurnRequest(message="Hello", tools=["report"], files=["a.csv"])
    world.use_cases.start_turn(ALICE, session.session_id, first, "key")
    with pytest.raises(IdempotencyKeyReused):
        world.use_cases.start_turn(ALICE, session.session_id, other, "key")


def test_message_size_is_measured_in_bytes(world: World) -> None:
    session = world.session()
    with pytest.raises(TooLarge) as rejected:
        world.turn(session, "ü" * 501)
    assert rejected.value.details == {"limit_bytes": 1000}
    assert rejected.value.message == "The message has 1002 bytes; 1000 are allowed. Send long text as a file."
    world.turn(session, "ü" * 500)


@pytest.mark.parametrize("tools", [["report.nothing"], ["reprot"], ["report", "vault"], ["vault.open"], [""]])
def test_turn_cannot_be_limited_to_unavailable_tools(world: World, tools: list[str]) -> None:
    with pytest.raises(UnknownTools) as rejected:
        world.turn(world.session(), tools=tools)
    assert rejected.value.details == {"unknown": [tool for tool in tools if tool != "report"]}
    assert world.workflow.started == []


def test_turn_can_be_limited_to_no_tools(world: World) -> None:
    assert world.turn(world.session(), tools=[]).tools == []


def test_files_are_referenced_by_name_or_key(world: World) -> None:
    session = world.session()
    one, two = world.upload("one.csv", session=session), world.upload("two.csv")
    assert world.turn(session, files=["one.csv", two.file_key]).files == [one.file_key, two.file_key]


@pytest.mark.parametrize("name", ["nothing.csv", "", "f" + "0" * 26, "../sales.csv"])
def test_unknown_file_is_rejected(world: World, name: str) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    with pytest.raises(FileNotFound):
        world.turn(session, files=[name])


def test_file_of_another_user_is_not_found(world: World) -> None:
    of_bob = world.upload("plans.csv", who=BOB)
    for name_or_key in ("plans.csv", of_bob.file_key):
        with pytest.raises(FileNotFound):
            world.turn(world.session(), files=[name_or_key])


def test_expired_file_is_not_found(world: World) -> None:
    session = world.session()
    record = world.upload("sales.csv", session=session)
    world.expire_after(record)
    world.clock.advance(3600)
    with pytest.raises(FileNotFound):
        world.turn(session, files=["sales.csv"])


def test_session_of_another_user_is_not_found(world: World) -> None:
    with pytest.raises(SessionNotFound):
        world.turn(world.session(BOB))
    assert world.workflow.started == []


def test_ended_session_accepts_no_turns(world: World) -> None:
    session = world.session()
    world.use_cases.end_session(ALICE, session.session_id)
    with pytest.raises(SessionEnded):
        world.turn(session)


class TestBranches:
    def test_model_sees_only_the_turns_of_the_branch(self, world: World) -> None:
        session = world.session()
        first, second = (answered(world, session, text) for text in ("one", "two"))

        edited = answered(world, session, "two, edited", after=first.turn_id)
        following = answered(world, session, "three")
        back = answered(world, session, "other", after=second.turn_id)

        def seen(turn: Turn) -> list[str]:
            messages = messages_of(world.transcript.list_turns(session.session_id, turn.turn_id))
            return [message.text for message in messages if isinstance(message, UserMessage)]

        assert seen(following) == ["one", "two, edited", "three"]
        assert seen(edited) == ["one", "two, edited"]
        assert seen(back) == ["one", "two", "other"]

    def test_request_to_the_model_has_no_message_of_another_branch(self, world: World) -> None:
        session = world.session()
        answered(world, session, "SECRET ORIGINAL")

        answered(world, session, "edited", after="start")

        assert "SECRET" not in world.model.requests[-1].model_dump_json()

    @pytest.mark.parametrize("after", ["t" + "0" * 26, "x", ""])
    def test_turn_that_the_session_does_not_have_cannot_be_followed(self, world: World, after: str) -> None:
        session = world.session()
        with pytest.raises(TurnNotFound):
            answered(world, session, "Hello", after=after)


def answered(world: World, session: Session, message: str, **fields: str) -> Turn:
    world.clock.advance(1)
    request = TurnRequest.model_validate({"message": message, **fields})
    turn = world.use_cases.start_turn(ALICE, session.session_id, request)
    world.complete(turn)
    return turn

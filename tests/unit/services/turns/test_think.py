"""Rounds of the model: requests, replies and proposed calls."""

import pytest

from satchel.domain.calls import Call, RunnerReport
from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    ModelReply,
    ProposedCall,
    TokenUsage,
    ToolMessage,
    UserMessage,
)
from satchel.domain.ids import call_id
from satchel.domain.prompt import MUST_ANSWER_NOTE, system_prompt
from satchel.domain.sessions import TurnStatus
from satchel.domain.steps import MAX_CALLS_IN_ROUND, MAX_CALLS_IN_TURN, CallRef, NextStep
from satchel.domain.steps import MAX_ROUNDS as MAX_ROUNDS_OF_ALL
from satchel.domain.tools import FIND_TOOLS, LIST_FILES, ToolListing, fresh_tool_list
from satchel.domain.turn_messages import messages_of
from satchel.ports.steps import Round
from tests.unit.services.samples import ALICE, BOB, ECHO, EXACT, FETCH, MERGE, OPEN, REGISTRY, SUMMARISE
from tests.unit.services.wiring import MAX_ROUNDS
from tests.unit.services.world import World, call_step, turn_step

ECHO_A = ProposedCall(tool="report.echo", arguments='{"text": "a"}', ref="m-1")
ECHO_B = ProposedCall(tool="report.echo", arguments="not json", ref="m-2")


def test_reply_without_calls_ends_the_turn(world: World) -> None:
    turn = world.turn(world.session())
    usage = TokenUsage(input_tokens=7, output_tokens=3)
    world.model.replies = [ModelReply(text="Hello, you.", usage=usage)]
    assert world.use_cases.think(turn_step(turn)) == NextStep(
        user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id, round=1, calls=[], done=True, ended=True
    )
    assert messages_of(world.transcript.list_turns(turn.session_id))[-1] == AssistantMessage(text="Hello, you.")
    assert world.events.streamed_text(turn.turn_id) == {0: "Hello, you."}
    stored = world.turns.get(turn.session_id, turn.turn_id)
    assert stored is not None
    assert (stored.status, stored.answer, stored.usage) == (TurnStatus.COMPLETE, "Hello, you.", usage)
    ((_, last),) = world.events.payloads(turn.turn_id, "response_complete")
    assert last["response"]["message"] == "Hello, you."
    session = world.sessions.get(turn.user, turn.session_id)
    assert session is not None
    assert (session.running_turn, session.usage) == (None, usage)


def test_repeated_round_of_an_ended_turn_changes_nothing(world: World) -> None:
    turn = world.turn(world.session())
    world.complete(turn, "Hello.")
    before = world.turns.get(turn.session_id, turn.turn_id), world.events.list_after(turn.turn_id, 0, 100)
    step = world.use_cases.think(turn_step(turn))
    assert (step.done, step.ended) == (True, False)
    assert world.use_cases.finish_turn(step) is TurnStatus.COMPLETE
    assert (world.turns.get(turn.session_id, turn.turn_id), world.events.list_after(turn.turn_id, 0, 100)) == before


def test_answer_whose_turn_got_other_tokens_meanwhile_is_ended_by_finish(world: World) -> None:
    turn = world.turn(world.session())
    used = TokenUsage(input_tokens=5)
    world.model.replies = [ModelReply(text="Hello.", usage=used)]
    world.model.during_reply = lambda: world.turns.add_usage(turn, used)
    step = world.use_cases.think(turn_step(turn))
    assert (step.done, step.ended) == (True, False)
    assert world.events.payloads(turn.turn_id, "response_complete") == []
    assert world.use_cases.finish_turn(step) is TurnStatus.COMPLETE
    stored = world.turns.get(turn.session_id, turn.turn_id)
    assert stored is not None
    assert (stored.answer, stored.usage) == ("Hello.", used + used)


def test_answer_after_calls_ends_the_turn_with_their_results(world: World) -> None:
    turn = world.turn(world.session())
    call = world.call(turn)
    world.calls.mark_dispatched(call.model_copy(update={"injected": {}}))
    world.finish_call(call, RunnerReport(results="a"))
    world.complete(turn, "It is a.")
    ((_, last),) = world.events.payloads(turn.turn_id, "response_complete")
    assert last["response"]["message"] == "It is a."
    assert [call["tool"] for call in last["response"]["tool_calls"]] == ["report.echo"]
    assert world.turns.tool_use[turn.user] == {"report.echo": 1}


def test_call_ids_follow_from_turn_round_and_index(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ECHO_A, ECHO_B])]
    step = world.use_cases.think(turn_step(turn, 1))
    ids = [call_id(turn.turn_id, 1, 0), call_id(turn.turn_id, 1, 1)]
    assert step == NextStep(
        user=turn.user,
        session_id=turn.session_id,
        turn_id=turn.turn_id,
        round=2,
        calls=[CallRef(call_id=one) for one in ids],
        done=False,
    )
    assert world.calls.list(turn.turn_id) == [
        Call(
            call_id=ids[index],
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            user=turn.user,
            tool=proposed.tool,
            arguments=proposed.arguments,
            ref=ids[index],
            round=1,
            index=index,
        )
        for index, proposed in enumerate([ECHO_A, ECHO_B])
    ]


def test_reply_without_text_publishes_nothing(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
    world.use_cases.think(turn_step(turn))
    assert world.events.payloads(turn.turn_id, "token_stream") == []


def test_repeated_round_returns_the_same_calls_without_a_new_request(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="One moment.", calls=[ECHO_A])]
    first = world.use_cases.think(turn_step(turn))
    assert world.use_cases.think(turn_step(turn)) == first
    assert len(world.model.requests) == 1
    assert len(world.calls.list(turn.turn_id)) == 1
    assert world.events.streamed_text(turn.turn_id) == {0: "One moment."}


def test_recorded_call_is_not_reset_by_a_repeated_round(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
    world.use_cases.think(turn_step(turn))
    (call,) = world.calls.list(turn.turn_id)
    result = world.finish_call(call, RunnerReport(results="a"))
    world.use_cases.think(turn_step(turn))
    assert world.reload(call) == call.model_copy(update={"result": result})


def test_first_stored_of_two_concurrent_replies_counts(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="Mine.", calls=[ECHO_B])]
    other_reply = AssistantMessage(text="The other's.", calls=[ECHO_A])
    ids = turn.model_dump(include={"turn_id", "session_id", "user"})
    ids |= {"call_id": call_id(turn.turn_id, 0, 0), "round": 0, "index": 0}
    other_call = Call(**ids, **ECHO_A.model_dump())
    other = Round(0, other_reply, [other_call], TokenUsage(), None)
    world.model.during_reply = lambda: world.steps.save_round(turn, other)
    world.use_cases.think(turn_step(turn))
    assert [call.arguments for call in world.calls.list(turn.turn_id)] == [ECHO_A.arguments]
    assert world.events.streamed_text(turn.turn_id) == {0: "The other's."}


def test_stored_reply_is_published_after_a_crash(world: World) -> None:
    turn = world.turn(world.session())
    world.transcript.add_reply(turn, 0, AssistantMessage(text="Hello."))
    world.use_cases.think(turn_step(turn))
    assert world.model.requests == []
    assert world.events.streamed_text(turn.turn_id) == {0: "Hello."}


def test_final_answer_is_requested_after_the_last_round(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="That is what I have.")]
    step = world.use_cases.think(turn_step(turn, MAX_ROUNDS))
    assert (step.round, step.calls, step.done) == (MAX_ROUNDS + 1, [], True)
    assert last_request(world).must_answer
    assert last_request(world).instructions.endswith(MUST_ANSWER_NOTE)
    assert last_request(world).tools
    assert messages_of(world.transcript.list_turns(turn.session_id))[-1] == AssistantMessage(
        text="That is what I have."
    )
    assert world.use_cases.think(turn_step(turn, MAX_ROUNDS + 1)).done
    assert len(world.model.requests) == 1


@pytest.mark.parametrize("reply", [ModelReply(text="Once more!", calls=[ECHO_A]), ModelReply(text=" ")])
def test_final_answer_with_calls_or_without_text_is_discarded(world: World, reply: ModelReply) -> None:
    turn = world.turn(world.session())
    world.model.replies = [reply]
    step = world.use_cases.think(turn_step(turn, MAX_ROUNDS))
    assert (step.calls, step.done) == ([], True)
    assert messages_of(world.transcript.list_turns(turn.session_id)) == [UserMessage(text="Hello")]


def test_cancelled_turn_requests_nothing(world: World) -> None:
    turn = world.turn(world.session())
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    assert world.use_cases.think(turn_step(turn)).done
    assert world.model.requests == []


def test_missing_turn_is_done(world: World) -> None:
    turn = world.turn(world.session())
    assert world.use_cases.think(turn_step(turn).model_copy(update={"session_id": world.session().session_id})).done


def test_number_of_calls_in_a_round_is_limited(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ECHO_A] * (MAX_CALLS_IN_ROUND + 5))]
    assert len(world.use_cases.think(turn_step(turn)).calls) == MAX_CALLS_IN_ROUND


def test_final_answer_is_requested_after_the_maximum_number_of_calls(world: World) -> None:
    world.max_rounds = MAX_ROUNDS_OF_ALL
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ECHO_A] * MAX_CALLS_IN_ROUND) for _ in range(10)]
    counts = []
    step = turn_step(turn)
    while not (after := world.use_cases.think(step)).done:
        counts.append(len(after.calls))
        step = turn_step(turn, after.round)
    assert counts == [40, 40, 40, 40, 20]
    assert sum(counts) == len(world.calls.list(turn.turn_id)) == MAX_CALLS_IN_TURN
    assert len(world.model.requests) == len(counts) + 1
    assert [task.must_answer for task in world.model.requests] == [False] * len(counts) + [True]


def test_calls_of_earlier_turns_do_not_count(world: World) -> None:
    session = world.session()
    earlier = world.turn(session)
    reply = AssistantMessage(text="", calls=[ECHO_A] * MAX_CALLS_IN_TURN)
    world.transcript.add_reply(earlier, 0, reply)
    world.use_cases.finish_turn(turn_step(earlier))
    world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
    assert len(world.use_cases.think(turn_step(world.turn(session))).calls) == 1


# Model requests


def last_request(world: World) -> CompletionRequest:
    return world.model.requests[-1]


def test_request_contains_the_conversation_with_tool_results(world: World) -> None:
    turn = world.turn(world.session(), "Echo a")
    world.model.replies = [ModelReply(text="I will.", calls=[ECHO_A]), ModelReply(text="It was a.")]
    world.use_cases.think(turn_step(turn))
    world.finish_call(world.calls.list(turn.turn_id)[0], RunnerReport(results="a"))
    world.use_cases.think(turn_step(turn, 1))
    ref = call_id(turn.turn_id, 0, 0)
    assert last_request(world) == CompletionRequest(
        model="fake:quick",
        instructions=system_prompt(None),
        messages=[
            UserMessage(text="Echo a"),
            AssistantMessage(text="I will.", calls=[ECHO_A.model_copy(update={"ref": ref})]),
            ToolMessage(ref=ref, tool="report.echo", content={"data_from": "report.echo", "results": "a"}),
        ],
        tools=[EXACT, SUMMARISE, MERGE, ECHO, LIST_FILES, FETCH],
    )


def test_tool_among_many_is_offered_after_the_model_has_found_it(world: World) -> None:
    many = [ECHO.model_copy(update={"name": f"paint_{number}"}) for number in range(50)]
    melt = ECHO.model_copy(update={"name": "melt_snow", "description": "Melt snow on a roof."})
    listing = fresh_tool_list(ToolListing(tools=[*many, melt]), world.clock.now())
    world.tool_lists.save("report", REGISTRY.servers["report"].config_hash(), listing)
    turn = world.turn(world.session(), "Free my roof")
    search = ProposedCall(tool="satchel.find_tools", arguments='{"query": "melting the snow"}', ref="m")
    world.model.replies = [ModelReply(text="", calls=[search]), ModelReply(text="Found.")]
    world.use_cases.think(turn_step(turn))
    offered = last_request(world).tools
    call = world.calls.list(turn.turn_id)[0]
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.think(turn_step(turn, 1))
    assert offered == [FIND_TOOLS, LIST_FILES]
    assert last_request(world).tools == [FIND_TOOLS, LIST_FILES, melt]


def tools_offered(world: World, *, groups: bool = False, only: list[str] | None = None) -> list[str]:
    who = BOB if groups else ALICE
    turn = world.turn(world.session(who), who=who, tools=only)
    world.complete(turn)
    return [tool.full_name for tool in last_request(world).tools]


def test_request_contains_the_tools_of_the_users_groups(world: World) -> None:
    assert OPEN.full_name not in tools_offered(world)
    assert OPEN.full_name in tools_offered(world, groups=True)


def test_request_contains_only_the_tools_of_the_turn(world: World) -> None:
    assert tools_offered(world, only=["web.pages", "report.echo"]) == ["report.echo", "web.pages.fetch"]
    assert tools_offered(world, only=[]) == []


def listed_files(world: World) -> list[str]:
    """Return the names in the file context of the latest user message."""
    *_, last = [message for message in last_request(world).messages if isinstance(message, UserMessage)]
    return [line.removeprefix("- ").partition(" (")[0] for line in last.text.split("\n") if line.startswith("- ")]


@pytest.mark.clause("v2.1:context:automatic")
def test_latest_message_contains_the_file_context_newest_first(world: World) -> None:
    session = world.session()
    world.upload("old.csv", session=session)
    world.upload("new.bin", bytes(900), session=session)
    world.complete(world.turn(session, "Hello"))
    assert last_request(world).messages[-1] == UserMessage(
        text="Hello\n"
        "\n"
        "[SYSTEM: Available files in current session:\n"
        "- new.bin (uploaded 2024-08-27, 900B)\n"
        "- old.csv (uploaded 2024-08-27, 8B, 1 row)\n"
        "End available files]"
    )


def test_earlier_messages_keep_their_file_context_in_later_requests(world: World) -> None:
    session = world.session()
    world.upload("a.csv", session=session)
    world.complete(world.turn(session, "Hello"), "Hi.")
    first_request = last_request(world)
    world.upload("b.csv", session=session)
    world.complete(world.turn(session, "And now?"))
    first, answer, last = last_request(world).messages
    assert ([first], answer) == (first_request.messages, AssistantMessage(text="Hi."))
    assert isinstance(last, UserMessage)
    assert last.text.startswith("And now?\n\n[SYSTEM: ")
    assert listed_files(world) == ["b.csv", "a.csv"]


def test_file_context_does_not_change_between_the_rounds_of_a_turn(world: World) -> None:
    turn = world.turn(world.session(), "Hello")
    world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
    world.use_cases.think(turn_step(turn))
    (call,) = world.calls.list(turn.turn_id)
    world.finish_call(call, RunnerReport(results="a", files=[world.stored_file(call, "new.html")]))
    world.model.replies = [ModelReply(text="Done.")]
    world.use_cases.think(turn_step(turn, 1))
    first, last = world.model.requests
    assert last.messages[: len(first.messages)] == first.messages == [UserMessage(text="Hello")]
    assert last.messages[-1].model_dump()["content"]["files"] == ["new.html"]


def test_file_of_another_session_is_listed_if_the_message_names_it(world: World) -> None:
    world.persist = False
    session = world.session()
    here, there = world.upload("here.csv", session=session), world.upload("there.csv", session=world.session())
    world.upload("elsewhere.csv")
    world.complete(world.turn(session, files=[there.file_key, here.file_key, there.file_key]))
    assert listed_files(world) == ["here.csv", "there.csv"]


@pytest.mark.clause("v2.1:deferred:expired")
def test_expired_file_is_not_listed_even_if_an_earlier_message_named_it(world: World) -> None:
    session = world.session()
    world.expire_after(world.upload("a.csv", session=session))
    world.complete(world.turn(session, files=["a.csv"]))
    assert listed_files(world) == ["a.csv"]
    world.clock.advance(3600)
    world.complete(world.turn(session))
    assert listed_files(world) == []


def test_deleted_file_is_not_listed(world: World) -> None:
    session = world.session()
    other = world.upload("there.csv")
    world.complete(world.turn(session, files=["there.csv"]))
    world.use_cases.remove_file(ALICE, other.file_key)
    world.complete(world.turn(session))
    assert listed_files(world) == []


def test_reply_after_a_cancellation_is_neither_stored_nor_published(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="Too late.", calls=[ECHO_A])]
    world.model.during_reply = lambda: world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    step = world.use_cases.think(turn_step(turn))
    assert (step.calls, step.done) == ([], True)
    assert messages_of(world.transcript.list_turns(turn.session_id)) == [UserMessage(text="Hello")]
    kinds = [kind for kind, _ in world.events.payloads(turn.turn_id)]
    assert kinds == ["turn_started", "token_stream", "turn_failed"]
    assert world.calls.list(turn.turn_id) == []

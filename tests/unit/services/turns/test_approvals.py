"""The owner's word before a tool is called."""

import pytest

from satchel.contract.errors import ErrorCode
from satchel.domain.calls import Call, Decision, RunnerReport
from satchel.domain.conversation import ModelReply, ProposedCall
from satchel.domain.errors import ApprovalClosed, CallNotFound, SessionNotFound, TurnNotFound
from satchel.domain.object_keys import outcome_key
from satchel.domain.servers import Registry
from satchel.domain.steps import CallRef
from satchel.domain.users import Identity
from satchel.services.calls.runner_report import read_report
from tests.unit.services.samples import ALICE, BOB, REGISTRY
from tests.unit.services.wiring import APPROVAL_TIME
from tests.unit.services.world import World, call_step, turn_step

YES, NO = Decision(approved=True), Decision(approved=False, reason="Not today")


@pytest.fixture
def world() -> World:
    """Everywhere the report server asks first before it summarises."""
    world = World()
    asking = REGISTRY.servers["report"].model_copy(update={"require_approval": ["summarise"]})
    world.registry = Registry(servers=REGISTRY.servers | {"report": asking})
    return world


@pytest.fixture
def asked(world: World) -> Call:
    """A call that waits for Alice's word."""
    world.upload("sales.csv")
    call = world.call(world.turn(world.session()), "report.summarise", '{"filename": "sales.csv"}')
    world.use_cases.ask_approval(call_step(call, "waiting"))
    return call


def decide(world: World, call: Call, decision: Decision, who: Identity = ALICE) -> Decision:
    return world.use_cases.decide_approval(who, call.session_id, call.turn_id, call.call_id, decision)


def dispatched(world: World, call: Call) -> RunnerReport | None:
    """Go on to Dispatch, and return the outcome where it refused the call."""
    world.use_cases.dispatch_tool(call_step(call, "task"))
    return read_report(world.store, outcome_key(call.user, call.turn_id, call.call_id))


# Which calls are asked about


def wanted(world: World, tool: str) -> list[bool]:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ProposedCall(tool=tool, arguments="{}", ref="m")])]
    return [ref.approval for ref in world.use_cases.think(turn_step(turn)).calls]


@pytest.mark.parametrize(("tool", "asks"), [("report.summarise", True), ("report.echo", False), ("no.such", False)])
def test_only_the_tools_that_the_servers_entry_names_are_asked_about(world: World, tool: str, *, asks: bool) -> None:
    assert wanted(world, tool) == [asks]


def test_a_star_means_every_tool_of_the_server_but_none_that_the_person_may_not_use(world: World) -> None:
    every = {name: entry.model_copy(update={"require_approval": "*"}) for name, entry in world.registry.servers.items()}
    world.registry = Registry(servers=every)
    assert wanted(world, "report.echo") == [True]
    assert wanted(world, "vault.open") == [False]


def test_the_machine_is_told_of_every_call_whether_to_ask(call: Call) -> None:
    """It looks at the field, so it must always be there."""
    assert CallRef(call_id=call.call_id).model_dump() == {"call_id": call.call_id, "approval": False}


# Asking


def test_the_owner_is_told_what_is_wanted_and_until_when(world: World, asked: Call) -> None:
    assert world.events.payloads(asked.turn_id, "tool_approval_request") == [
        (
            "tool_approval_request",
            {
                "call_id": asked.call_id,
                "tool": "report.summarise",
                "server": "report",
                "arguments": {"filename": "sales.csv"},
                "expires_at": (world.clock.now() + APPROVAL_TIME).isoformat(),
            },
        )
    ]
    assert "waiting" not in world.events.stored_json(asked.turn_id)


def test_asked_again_the_newer_token_is_the_one_that_is_answered(world: World, asked: Call) -> None:
    world.use_cases.ask_approval(call_step(asked, "newer"))
    assert len(world.events.payloads(asked.turn_id, "tool_approval_request")) == 1
    decide(world, asked, YES)
    assert world.callback.succeeded == ["newer"]


def test_asked_again_after_the_decision_the_turn_goes_on_at_once(world: World, asked: Call) -> None:
    decide(world, asked, YES)
    world.use_cases.ask_approval(call_step(asked, "newer"))
    assert world.callback.succeeded == ["waiting", "newer"]


def test_arguments_that_are_no_json_are_shown_as_they_are_since_an_edit_may_mend_them(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise", "{oops")
    world.use_cases.ask_approval(call_step(call, "waiting"))
    ((_, told),) = world.events.payloads(call.turn_id, "tool_approval_request")
    assert told["arguments"] == "{oops"


def test_a_call_that_does_not_exist_cannot_be_asked_about(world: World, asked: Call) -> None:
    gone = asked.model_copy(update={"call_id": asked.call_id[:-1] + "7"})
    with pytest.raises(LookupError):
        world.use_cases.ask_approval(call_step(gone, "waiting"))


# Deciding


def test_an_approved_call_is_made(world: World, asked: Call) -> None:
    assert decide(world, asked, YES) == YES
    assert world.callback.succeeded == ["waiting"]
    assert dispatched(world, asked) is None
    assert [order.tool for _, order in world.runners.orders] == ["summarise"]
    assert world.events.payloads(asked.turn_id, "tool_approval") == [
        ("tool_approval", {"call_id": asked.call_id, "approved": True, "edited": False, "reason": None})
    ]


def test_a_refused_call_is_not_made_and_the_model_is_told_why(world: World, asked: Call) -> None:
    decide(world, asked, NO)
    outcome = dispatched(world, asked)
    assert outcome is not None
    assert outcome.error_code is ErrorCode.E_FORBIDDEN
    assert outcome.results == {"error": "The person refused the call: Not today"}
    assert world.runners.orders == []


def test_a_call_without_a_decision_is_refused_whatever_led_it_to_dispatch(world: World, asked: Call) -> None:
    never_asked = world.call(world.turn(world.session()), "report.summarise", '{"filename": "sales.csv"}')
    for call in (asked, never_asked):
        outcome = dispatched(world, call)
        assert outcome is not None
        assert outcome.results == {"error": "Nobody approved the call in time"}
    assert world.runners.orders == []


def test_edited_arguments_take_the_place_of_the_models_and_identity_is_injected_after_that(
    world: World, asked: Call
) -> None:
    world.upload("other.csv")
    decide(world, asked, Decision(approved=True, arguments={"filename": "other.csv", "username": "mallory"}))
    assert dispatched(world, asked) is None
    ((_, order),) = world.runners.orders
    assert order.arguments == {"filename": f"/tmp/{ALICE.name}/input_files/other.csv", "username": ALICE.name}


def test_edited_arguments_must_fit_the_tool_as_well(world: World, asked: Call) -> None:
    decide(world, asked, Decision(approved=True, arguments={"filename": 7}))
    outcome = dispatched(world, asked)
    assert outcome is not None
    assert outcome.error_code is ErrorCode.E_INVALID_ARGUMENTS


def test_the_same_word_again_changes_nothing_and_another_one_comes_too_late(world: World, asked: Call) -> None:
    decide(world, asked, YES)
    assert decide(world, asked, YES) == YES
    with pytest.raises(ApprovalClosed, match="decided otherwise"):
        decide(world, asked, NO)
    assert len(world.events.payloads(asked.turn_id, "tool_approval")) == 1


def test_somebody_elses_call_is_not_there(world: World, asked: Call) -> None:
    with pytest.raises(SessionNotFound):
        decide(world, asked, YES, BOB)
    with pytest.raises(TurnNotFound):
        world.use_cases.decide_approval(ALICE, world.session().session_id, asked.turn_id, asked.call_id, YES)
    assert world.callback.succeeded == []


def test_a_call_that_nobody_was_asked_about_is_not_there(world: World, asked: Call) -> None:
    other = world.call(world.turn(world.session()), "report.echo")
    with pytest.raises(CallNotFound):
        decide(world, other, YES)
    with pytest.raises(CallNotFound):
        decide(world, asked.model_copy(update={"call_id": "nothing"}), YES)


def test_after_an_hour_it_is_too_late(world: World, asked: Call) -> None:
    world.clock.travel(APPROVAL_TIME.total_seconds())
    with pytest.raises(ApprovalClosed, match="any more"):
        decide(world, asked, YES)


def test_nobody_waits_once_the_turn_has_ended(world: World, asked: Call) -> None:
    world.use_cases.cancel_turn(ALICE, asked.session_id, asked.turn_id)
    with pytest.raises(ApprovalClosed, match="any more"):
        decide(world, asked, YES)

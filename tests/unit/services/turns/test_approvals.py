"""The user's approval of tool calls."""

import pytest

from satchel.contract.errors import ErrorCode
from satchel.domain.calls import Call, CallResult, Decision
from satchel.domain.conversation import ModelReply, ProposedCall, ToolHints
from satchel.domain.errors import ApprovalClosed, ApprovalMismatch, CallNotFound, SessionNotFound, TurnNotFound
from satchel.domain.servers import Registry
from satchel.domain.steps import APPROVAL_DECIDED, CallRef, CallStep, Failure
from satchel.domain.timestamps import format_time
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.domain.users import Identity
from tests.unit.services.samples import ALICE, BOB, ECHO, REGISTRY, SUMMARISE
from tests.unit.services.wiring import APPROVAL_TIME
from tests.unit.services.world import World, call_step, turn_step

YES, NO = Decision(approved=True), Decision(approved=False, reason="Not today")


@pytest.fixture
def world() -> World:
    """Return a world in which ``report.summarise`` requires approval."""
    world = World()
    server = REGISTRY.servers["report"].model_copy(update={"require_approval": ["summarise"]})
    world.registry = Registry(servers=REGISTRY.servers | {"report": server})
    return world


@pytest.fixture
def waiting_call(world: World) -> Call:
    """Return a call that waits for Alice's approval."""
    world.upload("sales.csv")
    call = world.call(world.turn(world.session()), "report.summarise", '{"filename": "sales.csv"}')
    world.use_cases.ask_approval(call, "waiting")
    return call


def decide(world: World, call: Call, decision: Decision, who: Identity = ALICE) -> Decision:
    """Send a decision. An approval names the digest of the request, as a client that has read it does."""
    if decision.approved and decision.digest is None:
        decision = decision.model_copy(update={"digest": call.digest})
    return world.use_cases.decide_approval(who, call.session_id, call.turn_id, call.call_id, decision)


def dispatch(world: World, call: Call) -> CallResult | None:
    """Dispatch the call, and return its result if it was rejected."""
    world.use_cases.dispatch_tool(call_step(call, "task"))
    return world.reload(call).result


# Calls that need approval


def approvals_needed(world: World, tool: str) -> list[bool]:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ProposedCall(tool=tool, arguments="{}", ref="m")])]
    return [ref.approval for ref in world.use_cases.think(turn_step(turn)).calls]


@pytest.mark.parametrize(
    ("tool", "needs_approval"), [("report.summarise", True), ("report.echo", False), ("no.such", False)]
)
def test_only_tools_with_require_approval_need_an_approval(world: World, tool: str, *, needs_approval: bool) -> None:
    assert approvals_needed(world, tool) == [needs_approval]


def describe(world: World, hints: ToolHints | None) -> None:
    """Let the server ``report`` describe the effects of its tool ``echo``, and require approval by effects."""
    server = REGISTRY.servers["report"].model_copy(update={"require_approval": "destructive"})
    world.registry = Registry(servers=REGISTRY.servers | {"report": server})
    listing = ToolListing(tools=[ECHO.model_copy(update={"hints": hints}), SUMMARISE])
    world.tool_lists.save("report", server.config_hash(), fresh_tool_list(listing, world.clock.now()))


@pytest.mark.parametrize(
    ("hints", "needs_approval"),
    [
        (None, True),
        (ToolHints(destructive=True), True),
        (ToolHints(open_world=True), True),
        (ToolHints(destructive=False), False),
        (ToolHints(read_only=True), False),
    ],
)
def test_destructive_requires_approval_unless_the_tool_is_said_to_be_harmless(
    world: World, hints: ToolHints | None, *, needs_approval: bool
) -> None:
    describe(world, hints)
    assert approvals_needed(world, "report.echo") == [needs_approval]


def test_destructive_tool_is_not_dispatched_without_an_approval(world: World) -> None:
    describe(world, ToolHints(destructive=True))
    result = dispatch(world, world.call(world.turn(world.session()), "report.echo", "{}"))
    assert result is not None
    assert result.error_code == ErrorCode.E_FORBIDDEN


def test_star_requires_approval_for_all_tools_that_the_user_may_call(world: World) -> None:
    servers = {
        name: entry.model_copy(update={"require_approval": "*"}) for name, entry in world.registry.servers.items()
    }
    world.registry = Registry(servers=servers)
    assert approvals_needed(world, "report.echo") == [True]
    assert approvals_needed(world, "vault.open") == [False]


def test_call_reference_always_contains_the_approval_field(call: Call) -> None:
    """The state machine reads this field."""
    assert CallRef(call_id=call.call_id).model_dump() == {"call_id": call.call_id, "approval": False}


# Requests


def test_approval_request_is_published_with_its_expiry(world: World, waiting_call: Call) -> None:
    assert world.events.payloads(waiting_call.turn_id, "tool_approval_request") == [
        (
            "tool_approval_request",
            {
                "call_id": waiting_call.call_id,
                "tool": "report.summarise",
                "server": "report",
                "expires_at": format_time(world.clock.now() + APPROVAL_TIME),
            },
        )
    ]
    assert "waiting" not in world.events.stored_json(waiting_call.turn_id)


def test_repeated_request_replaces_the_task_token(world: World, waiting_call: Call) -> None:
    world.use_cases.ask_approval(waiting_call, "newer")
    assert len(world.events.payloads(waiting_call.turn_id, "tool_approval_request")) == 1
    decide(world, waiting_call, YES)
    assert world.callback.failed == [("newer", APPROVAL_DECIDED)]


def test_repeated_request_after_the_decision_resumes_the_turn(world: World, waiting_call: Call) -> None:
    decide(world, waiting_call, YES)
    world.use_cases.ask_approval(waiting_call, "newer")
    assert world.callback.failed == [("waiting", APPROVAL_DECIDED), ("newer", APPROVAL_DECIDED)]


def test_request_is_read_from_the_record_of_the_call(world: World, waiting_call: Call) -> None:
    request = world.use_cases.read_approval(ALICE, waiting_call.session_id, waiting_call.turn_id, waiting_call.call_id)
    assert (request.tool, request.server, request.arguments) == (
        "report.summarise",
        "report",
        {"filename": "sales.csv"},
    )
    assert (request.digest, request.decision) == (waiting_call.digest, None)
    assert "waiting" not in request.model_dump_json()
    with pytest.raises(SessionNotFound):
        world.use_cases.read_approval(BOB, waiting_call.session_id, waiting_call.turn_id, waiting_call.call_id)
    other = world.call(world.turn(world.session()), "report.echo")
    with pytest.raises(CallNotFound):
        world.use_cases.read_approval(ALICE, other.session_id, other.turn_id, other.call_id)


def test_arguments_that_are_not_json_are_read_as_text(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise", "{oops")
    world.use_cases.ask_approval(call, "waiting")
    request = world.use_cases.read_approval(ALICE, call.session_id, call.turn_id, call.call_id)
    assert request.arguments == "{oops"


@pytest.mark.parametrize("digest", [None, "", "0" * 64])
def test_approval_without_the_digest_of_the_call_is_rejected(
    world: World, waiting_call: Call, digest: str | None
) -> None:
    decision = Decision(approved=True, digest=digest, arguments={"filename": "other.csv"})
    with pytest.raises(ApprovalMismatch):
        world.use_cases.decide_approval(
            ALICE, waiting_call.session_id, waiting_call.turn_id, waiting_call.call_id, decision
        )
    assert world.callback.failed == []
    assert decide(world, waiting_call, NO) == NO


def test_digest_covers_call_tool_and_arguments(waiting_call: Call) -> None:
    changes = [{"call_id": waiting_call.call_id + "0"}, {"tool": "report.echo"}, {"arguments": "{}"}]
    assert waiting_call.digest not in [waiting_call.model_copy(update=change).digest for change in changes]


def test_call_that_differs_from_the_approved_one_is_not_dispatched(world: World, waiting_call: Call) -> None:
    other = waiting_call.model_copy(update={"arguments": '{"filename": "other.csv"}'})
    world.approvals.decide(waiting_call.turn_id, waiting_call.call_id, Decision(approved=True, digest=other.digest))
    result = dispatch(world, waiting_call)
    assert result is not None
    assert result.results == {"error": "The user approved a call with other arguments"}
    assert world.runners.orders == []


def test_approval_of_a_missing_call_raises_lookup_error(world: World, waiting_call: Call) -> None:
    missing = waiting_call.model_copy(update={"call_id": waiting_call.call_id[:-1] + "7"})
    with pytest.raises(LookupError):
        world.use_cases.dispatch_tool(call_step(missing, "waiting"))


def awaiting(call: Call) -> CallStep:
    """Return the step of the state Dispatch for a call that needs approval."""
    return call_step(call, "waiting").model_copy(update={"approval": True})


def test_dispatch_asks_for_the_approval_and_starts_nothing(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise", "{}")
    world.use_cases.dispatch_tool(awaiting(call))
    assert [name for name, _ in world.events.payloads(call.turn_id, "tool_approval_request")] == [
        "tool_approval_request"
    ]
    assert (world.runners.orders, world.callback.succeeded, world.callback.failed) == ([], [], [])


def test_dispatch_asks_again_while_the_user_has_time(world: World, waiting_call: Call) -> None:
    world.use_cases.dispatch_tool(awaiting(waiting_call).model_copy(update={"task_token": "newer"}))
    decide(world, waiting_call, YES)
    assert world.callback.failed == [("newer", APPROVAL_DECIDED)]


def test_dispatch_does_not_ask_after_the_decision(world: World, waiting_call: Call) -> None:
    decide(world, waiting_call, YES)
    world.use_cases.dispatch_tool(awaiting(waiting_call))
    assert [order.tool for _, order in world.runners.orders] == ["summarise"]


def test_dispatch_refuses_a_call_whose_approval_expired_before_it_was_repeated(
    world: World, waiting_call: Call
) -> None:
    world.clock.advance(APPROVAL_TIME.total_seconds())
    world.use_cases.dispatch_tool(awaiting(waiting_call))
    result = world.reload(waiting_call).result
    assert result is not None
    assert (result.error_code, world.callback.succeeded) == (ErrorCode.E_FORBIDDEN, ["waiting"])


@pytest.mark.parametrize("error", ["States.HeartbeatTimeout", "States.Timeout"])
def test_timeout_of_the_wait_for_approval_is_recorded_as_a_refused_call(
    world: World, waiting_call: Call, error: str
) -> None:
    timed_out = awaiting(waiting_call).model_copy(update={"failure": Failure(Error=error)})
    world.use_cases.record_tool_result(timed_out)
    call = world.calls.get(waiting_call.turn_id, waiting_call.call_id)
    assert call is not None
    assert call.result is not None
    assert call.result.error_code == ErrorCode.E_FORBIDDEN
    names = [name for name, _ in world.events.payloads(call.turn_id, "tool_start", "tool_complete")]
    assert names == ["tool_start", "tool_complete"]


@pytest.mark.parametrize(
    ("error", "code"), [("States.HeartbeatTimeout", "E_TOOL_CRASHED"), ("KeyError", "E_TOOL_FAILED")]
)
def test_approved_call_that_fails_is_not_recorded_as_refused(
    world: World, waiting_call: Call, error: str, code: str
) -> None:
    decide(world, waiting_call, YES)
    dispatch(world, waiting_call)
    world.use_cases.record_tool_result(awaiting(waiting_call).model_copy(update={"failure": Failure(Error=error)}))
    call = world.calls.get(waiting_call.turn_id, waiting_call.call_id)
    assert call is not None
    assert call.result is not None
    assert call.result.error_code == code


# Decisions


def test_approved_call_is_dispatched(world: World, waiting_call: Call) -> None:
    assert decide(world, waiting_call, YES).approved
    assert world.callback.failed == [("waiting", APPROVAL_DECIDED)]
    assert dispatch(world, waiting_call) is None
    assert [order.tool for _, order in world.runners.orders] == ["summarise"]
    assert world.events.payloads(waiting_call.turn_id, "tool_approval") == [
        ("tool_approval", {"call_id": waiting_call.call_id, "approved": True, "edited": False, "reason": None})
    ]


def test_denied_call_is_not_dispatched_and_reports_the_reason(world: World, waiting_call: Call) -> None:
    decide(world, waiting_call, NO)
    result = dispatch(world, waiting_call)
    assert result is not None
    assert result.error_code == ErrorCode.E_FORBIDDEN
    assert result.results == {"error": "The user denied the call: Not today"}
    assert world.runners.orders == []


def test_call_denied_without_a_reason_reports_the_denial_only(world: World, waiting_call: Call) -> None:
    decide(world, waiting_call, Decision(approved=False))
    result = dispatch(world, waiting_call)
    assert result is not None
    assert result.results == {"error": "The user denied the call"}


def test_call_without_a_decision_is_rejected(world: World, waiting_call: Call) -> None:
    not_requested = world.call(world.turn(world.session()), "report.summarise", '{"filename": "sales.csv"}')
    for call in (waiting_call, not_requested):
        result = dispatch(world, call)
        assert result is not None
        assert result.results == {"error": "The call was not approved in time"}
    assert world.runners.orders == []


def test_edited_arguments_replace_the_models_before_identity_injection(world: World, waiting_call: Call) -> None:
    world.upload("other.csv")
    decide(world, waiting_call, Decision(approved=True, arguments={"filename": "other.csv", "username": "mallory"}))
    assert dispatch(world, waiting_call) is None
    ((_, order),) = world.runners.orders
    assert order.arguments == {"filename": f"/tmp/{ALICE.name}/input_files/other.csv", "username": ALICE.name}


def test_edited_arguments_are_validated(world: World, waiting_call: Call) -> None:
    decide(world, waiting_call, Decision(approved=True, arguments={"filename": 7}))
    result = dispatch(world, waiting_call)
    assert result is not None
    assert result.error_code == ErrorCode.E_INVALID_ARGUMENTS


def test_same_decision_can_be_repeated_but_not_changed(world: World, waiting_call: Call) -> None:
    decide(world, waiting_call, YES)
    assert decide(world, waiting_call, YES).approved
    with pytest.raises(ApprovalClosed, match="already has another decision"):
        decide(world, waiting_call, NO)
    assert len(world.events.payloads(waiting_call.turn_id, "tool_approval")) == 1


def test_call_of_another_user_is_not_found(world: World, waiting_call: Call) -> None:
    with pytest.raises(SessionNotFound):
        decide(world, waiting_call, YES, BOB)
    with pytest.raises(TurnNotFound):
        world.use_cases.decide_approval(
            ALICE, world.session().session_id, waiting_call.turn_id, waiting_call.call_id, YES
        )
    assert world.callback.failed == []


def test_decision_without_a_request_raises_call_not_found(world: World, waiting_call: Call) -> None:
    other = world.call(world.turn(world.session()), "report.echo")
    with pytest.raises(CallNotFound):
        decide(world, other, YES)
    with pytest.raises(CallNotFound):
        decide(world, waiting_call.model_copy(update={"call_id": "nothing"}), YES)


def test_decision_after_the_timeout_is_rejected(world: World, waiting_call: Call) -> None:
    world.clock.advance(APPROVAL_TIME.total_seconds())
    with pytest.raises(ApprovalClosed, match="no longer waits"):
        decide(world, waiting_call, YES)


def test_decision_after_the_end_of_the_turn_is_rejected(world: World, waiting_call: Call) -> None:
    world.use_cases.cancel_turn(ALICE, waiting_call.session_id, waiting_call.turn_id)
    with pytest.raises(ApprovalClosed, match="no longer waits"):
        decide(world, waiting_call, YES)


def test_approved_call_that_has_started_is_not_asked_again_by_another_execution(
    world: World, waiting_call: Call
) -> None:
    decide(world, waiting_call, YES)
    dispatch(world, waiting_call)

    again = call_step(waiting_call, "again").model_copy(update={"approval": True})
    world.clock.advance(APPROVAL_TIME.total_seconds() + 1)
    world.use_cases.dispatch_tool(again)

    assert len(world.events.payloads(waiting_call.turn_id, "tool_approval_request")) == 1
    assert len(world.runners.orders) == 2

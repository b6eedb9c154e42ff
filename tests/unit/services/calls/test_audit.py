"""The audit trail and the log of tool calls and downloads."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from satchel.contract.errors import Forbidden, ToolTimedOut
from satchel.domain.audit import DownloadEntry, ToolCallEntry
from satchel.domain.calls import Call, Decision, RunnerReport
from satchel.domain.errors import InvalidRequest, LinkNotFound, SessionNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import SessionId
from satchel.domain.links import Claims, LinkState
from satchel.domain.resources import OfferAnswer, Offers, Resource
from satchel.domain.servers import Registry
from satchel.domain.sessions import Session
from satchel.domain.steps import Failure
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.samples import ALICE, BOB, REGISTRY
from tests.unit.services.world import World, call_step, turn_step

SECRET = "hunter2-Xy9"


def logged_fields(caplog: pytest.LogCaptureFixture, message: str = "audit") -> list[dict[str, Any]]:
    """Return the extra fields of each log line with this message."""
    standard = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
    lines = [vars(record) for record in caplog.records if record.getMessage() == message]
    return [{key: value for key, value in line.items() if key not in standard} for line in lines]


@pytest.fixture(autouse=True)
def logs(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def calls_of(world: World, session_id: str) -> list[ToolCallEntry]:
    return [entry for entry in world.audit_trail.entries_of(SessionId(session_id)) if isinstance(entry, ToolCallEntry)]


# Calls


def test_call_is_audited_and_logged_with_its_arguments_but_without_secrets(
    world: World, logs: pytest.LogCaptureFixture
) -> None:
    turn = world.turn(world.session())
    call = world.call(turn, "report.echo", f'{{"text": "https://a.example/?token={SECRET}", "api_key": "{SECRET}"}}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.store_report(call, RunnerReport(results=1, duration_ms=1234))
    world.use_cases.record_tool_result(call_step(call))

    (entry,) = calls_of(world, call.session_id)
    assert entry == ToolCallEntry(
        audit_id=entry.audit_id,
        at=world.clock.now(),
        user=ALICE.name,
        session_id=call.session_id,
        turn_id=call.turn_id,
        call_id=call.call_id,
        tool="report.echo",
        arguments={"text": "https://a.example/?token=[redacted]", "api_key": "[redacted]"},
        result="ok",
        duration_seconds=1.234,
    )
    assert logged_fields(logs) == [entry.model_dump(mode="json", exclude_none=True)]
    assert SECRET not in logs.text


def test_call_is_audited_once_if_the_state_runs_twice(world: World, call: Call, logs: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        world.finish_call(call, RunnerReport(results=1))
        world.clock.advance(5)
    assert len(calls_of(world, call.session_id)) == len(logged_fields(logs)) == 1


@pytest.mark.parametrize(
    ("report", "failure", "expected"),
    [
        (RunnerReport.from_error(ToolTimedOut(30), 30_000), None, ("error", "E_TIMEOUT", "ExecutionTimeout", 30)),
        (RunnerReport.from_error(Forbidden("vault.open")), None, ("error", "E_FORBIDDEN", "Forbidden", 0)),
        (None, Failure(Error="States.Timeout"), ("error", "E_TOOL_CRASHED", "ToolCrashed", None)),
        (None, Failure(Error="Boom"), ("error", "E_TOOL_FAILED", "ToolFailed", 0)),
        (RunnerReport(results=0, meta_data={"reason": "whatever"}, duration_ms=5), None, ("ok", None, None, 0.005)),
    ],
)
def test_entry_contains_the_error_the_reason_and_the_duration(
    world: World, call: Call, report: RunnerReport | None, failure: Failure | None, expected: tuple[object, ...]
) -> None:
    world.finish_call(call, report, failure)
    (entry,) = calls_of(world, call.session_id)
    assert (entry.result, entry.error_code, entry.reason, entry.duration_seconds) == expected


def test_rejected_call_is_audited_with_the_model_arguments(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open", f'{{"door": 1, "password": "{SECRET}"}}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.record_tool_result(call_step(call))
    (entry,) = calls_of(world, call.session_id)
    assert (entry.error_code, entry.reason) == ("E_FORBIDDEN", "Forbidden")
    assert entry.arguments == {"door": 1, "password": "[redacted]"}


def test_call_with_unreadable_arguments_is_audited(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", f"{{oops password={SECRET}")
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.record_tool_result(call_step(call))
    (entry,) = calls_of(world, call.session_id)
    assert (entry.error_code, entry.arguments) == ("E_INVALID_ARGUMENTS", "{oops password=[redacted]")


@pytest.mark.parametrize("decision", [Decision(approved=False, reason="Not today"), None])
def test_denied_or_undecided_call_is_audited(world: World, decision: Decision | None) -> None:
    server = REGISTRY.servers["report"].model_copy(update={"require_approval": "*"})
    world.registry = Registry(servers={"report": server})
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "a"}')
    world.use_cases.ask_approval(call, "waiting")
    if decision:
        world.use_cases.decide_approval(ALICE, call.session_id, call.turn_id, call.call_id, decision)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.record_tool_result(call_step(call))
    (entry,) = calls_of(world, call.session_id)
    assert (entry.error_code, entry.reason, entry.arguments) == ("E_FORBIDDEN", "NotApproved", {"text": "a"})


def test_cancelled_call_is_audited_because_its_tool_may_have_run(world: World) -> None:
    turn = world.turn(world.session())
    running, done = world.call(turn, "report.echo", '{"text": "a"}'), world.call(turn, index=1)
    world.use_cases.dispatch_tool(call_step(running, "task"))
    world.finish_call(done, RunnerReport(results=1))
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    interrupted, complete = calls_of(world, turn.session_id)
    assert (interrupted.call_id, interrupted.result, interrupted.error_code) == (
        running.call_id,
        "error",
        "E_CANCELLED",
    )
    assert (interrupted.arguments, interrupted.duration_seconds) == ({"text": "a"}, None)
    assert (complete.call_id, complete.result) == (done.call_id, "ok")


def test_call_that_ends_after_its_turn_has_one_entry(world: World, call: Call) -> None:
    turn = world.turns.get(call.session_id, call.turn_id)
    assert turn is not None
    world.use_cases.finish_turn(turn_step(turn), Ending.TIMED_OUT)
    world.clock.advance(5)
    world.finish_call(call, RunnerReport(results=1))
    assert [entry.error_code for entry in calls_of(world, call.session_id)] == ["E_TURN_TIMEOUT"]


def test_entries_are_in_the_order_of_the_calls(world: World) -> None:
    session = world.session()
    calls = []
    for _ in range(2):
        turn = world.turn(session)
        calls += [world.call(turn, round_number=n, index=i) for n in range(2) for i in range(3)]
        world.complete(turn)
        world.clock.advance(1)
    for call in reversed(calls):
        world.finish_call(call, RunnerReport(results=1))
    assert [entry.call_id for entry in calls_of(world, session.session_id)] == [call.call_id for call in calls]


def test_entry_of_huge_arguments_is_small(world: World) -> None:
    arguments = '{"text": "' + "word " * 50_000 + '"}'
    call = world.call(world.turn(world.session()), "report." + "echo" * 40, arguments)
    world.finish_call(call, RunnerReport(results=1))
    (entry,) = calls_of(world, call.session_id)
    assert len(entry.model_dump_json()) < 2_000


# Downloads


@pytest.fixture
def session(world: World) -> Session:
    return world.session()


@pytest.fixture
def record(world: World, session: Session) -> FileRecord:
    return world.upload("a.csv", b"a,b", session)


def token(url: str) -> str:
    return url.partition("token=")[2].partition("&")[0]


@pytest.mark.parametrize("audience", ["ui", "tool"])
def test_download_is_audited_with_owner_and_session_but_without_the_token(
    world: World, session: Session, record: FileRecord, logs: pytest.LogCaptureFixture, audience: str
) -> None:
    link = world.use_cases.mint_links(record) if audience == "ui" else world.use_cases.mint_links.for_tool(record, 60)
    assert world.use_cases.download(record.file_key, token(link)) == record
    (entry,) = world.audit_trail.entries_of(session.session_id)
    assert entry == DownloadEntry.model_validate(
        {
            "audit_id": entry.audit_id,
            "at": world.clock.now(),
            "user": ALICE.name,
            "session_id": session.session_id,
            "file_key": record.file_key,
            "version": 1,
            "audience": audience,
            "file_name": "a.csv",
            "size": 3,
            "result": "ok",
            "duration_seconds": 0,
        }
    )
    assert logged_fields(logs) == [entry.model_dump(mode="json", exclude_none=True)]
    assert token(link) not in str([vars(line) for line in logs.records])


def test_duration_of_a_download_is_in_milliseconds(
    world: World, session: Session, record: FileRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_states = world.link_states.get_many

    def read_slowly(claims: Sequence[Claims]) -> list[LinkState]:
        world.clock.advance(1.23456)
        return read_states(claims)

    monkeypatch.setattr(world.link_states, "get_many", read_slowly)
    world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))

    assert [entry.duration_seconds for entry in world.audit_trail.entries_of(session.session_id)] == [1.235]


def test_each_download_has_an_entry(world: World, session: Session, record: FileRecord) -> None:
    for _ in range(3):
        world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))
    assert len(world.audit_trail.entries_of(session.session_id)) == 3


def test_refused_download_is_only_logged_with_the_owner_of_a_valid_link(
    world: World, session: Session, record: FileRecord, logs: pytest.LogCaptureFixture
) -> None:
    """An audit entry would make some rejections slower, and so reveal the file."""
    link = world.use_cases.mint_links(record)
    world.use_cases.remove_file(ALICE, record.file_key)
    for shown_token in (token(link), "forged"):
        with pytest.raises(LinkNotFound):
            world.use_cases.download(record.file_key, shown_token)
    assert logged_fields(logs, "download refused") == [
        {"file_key": record.file_key, "user": ALICE.name},
        {"file_key": record.file_key, "user": None},
    ]
    assert world.audit_trail.entries_of(session.session_id) == []


@pytest.mark.parametrize(
    ("problem", "result", "code"), [(None, "ok", None), ("no such file", "error", "E_INVALID_REQUEST")]
)
def test_request_for_a_resource_is_logged(
    world: World, logs: pytest.LogCaptureFixture, problem: str | None, result: str, code: str | None
) -> None:
    resource = Resource(server="report", uri="report://1", name="1")
    listing = ToolListing(tools=[], offers=Offers(resources=[resource]))
    config_hash = world.registry.servers["report"].config_hash()
    world.tool_lists.save("report", config_hash, fresh_tool_list(listing, world.clock.now()))
    world.runners.answer = OfferAnswer(problem=problem)
    with suppress(InvalidRequest):
        world.use_cases.request_offers.resource(ALICE, "report", "report://1")

    (line,) = logged_fields(logs)
    assert {name: line[name] for name in ("kind", "user", "server", "method", "offer", "result")} == {
        "kind": "offer",
        "user": ALICE.name,
        "server": "report",
        "method": "resources/read",
        "offer": "report://1",
        "result": result,
    }
    assert line.get("error_code") == code


def test_download_of_a_file_without_session_is_only_logged(world: World, logs: pytest.LogCaptureFixture) -> None:
    record = world.upload("a.csv")
    world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))
    (line,) = logged_fields(logs)
    assert (line["kind"], line["user"], line["file_name"]) == ("download", ALICE.name, "a.csv")
    assert "session_id" not in line


# Reading


def test_owner_reads_the_audit_trail_newest_first_in_pages(world: World, session: Session, record: FileRecord) -> None:
    for _ in range(5):
        world.clock.advance(1)
        world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))
    first = world.use_cases.read_audit(ALICE, session.session_id, 3, None)
    second = world.use_cases.read_audit(ALICE, session.session_id, 3, first.cursor)
    assert [*first.items, *second.items] == world.audit_trail.entries_of(session.session_id)[::-1]
    assert (len(first.items), second.cursor) == (3, None)


def test_other_users_cannot_read_the_audit_trail(world: World, session: Session) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.read_audit(BOB, session.session_id, 3, None)

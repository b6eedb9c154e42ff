"""What is written down, and logged, of every call and every download."""

import logging
from typing import Any

import pytest

from satchel.contract.errors import Forbidden, ToolTimedOut
from satchel.domain.audit import DownloadEntry, ToolCallEntry
from satchel.domain.calls import Call, Decision, RunnerReport
from satchel.domain.errors import LinkNotFound, SessionNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import SessionId
from satchel.domain.servers import Registry
from satchel.domain.sessions import Session
from satchel.domain.steps import Failure
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.samples import ALICE, BOB, REGISTRY
from tests.unit.services.world import World, call_step, turn_step

SECRET = "hunter2-Xy9"


def told(caplog: pytest.LogCaptureFixture, message: str = "audit") -> list[dict[str, Any]]:
    """Return what each such log line says beside its words."""
    usual = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
    lines = [vars(record) for record in caplog.records if record.getMessage() == message]
    return [{key: value for key, value in line.items() if key not in usual} for line in lines]


@pytest.fixture(autouse=True)
def logs(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def calls_of(world: World, session_id: str) -> list[ToolCallEntry]:
    return [entry for entry in world.audit_trail.of(SessionId(session_id)) if isinstance(entry, ToolCallEntry)]


# Calls


def test_a_call_is_written_down_as_its_tool_got_it_without_secrets(
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
    assert told(logs) == [entry.model_dump(mode="json", exclude_none=True)]
    assert SECRET not in logs.text


def test_it_is_written_down_once_though_the_state_runs_twice(
    world: World, call: Call, logs: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        world.finish_call(call, RunnerReport(results=1))
        world.clock.travel(5)
    assert len(calls_of(world, call.session_id)) == len(told(logs)) == 1


@pytest.mark.parametrize(
    ("outcome", "failure", "said"),
    [
        (RunnerReport.of_error(ToolTimedOut(30), 30_000), None, ("error", "E_TIMEOUT", "ExecutionTimeout", 30)),
        (RunnerReport.of_error(Forbidden("vault.open")), None, ("error", "E_FORBIDDEN", "Forbidden", 0)),
        (None, Failure(Error="States.Timeout"), ("error", "E_TOOL_CRASHED", "ToolCrashed", None)),
        (None, Failure(Error="Boom"), ("error", "E_TOOL_FAILED", "ToolFailed", 0)),
        (RunnerReport(results=0, meta_data={"reason": "whatever"}, duration_ms=5), None, ("ok", None, None, 0.005)),
    ],
)
def test_it_is_said_how_a_call_ended_and_how_long_it_took(
    world: World, call: Call, outcome: RunnerReport | None, failure: Failure | None, said: tuple[object, ...]
) -> None:
    world.finish_call(call, outcome, failure)
    (entry,) = calls_of(world, call.session_id)
    assert (entry.result, entry.error_code, entry.reason, entry.duration_seconds) == said


def test_a_refused_call_is_written_down_with_what_the_model_wanted(world: World) -> None:
    call = world.call(world.turn(world.session()), "vault.open", f'{{"door": 1, "password": "{SECRET}"}}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.record_tool_result(call_step(call))
    (entry,) = calls_of(world, call.session_id)
    assert (entry.error_code, entry.reason) == ("E_FORBIDDEN", "Forbidden")
    assert entry.arguments == {"door": 1, "password": "[redacted]"}


def test_so_is_one_whose_arguments_cannot_be_read(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", f"{{oops password={SECRET}")
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.record_tool_result(call_step(call))
    (entry,) = calls_of(world, call.session_id)
    assert (entry.error_code, entry.arguments) == ("E_INVALID_ARGUMENTS", "{oops password=[redacted]")


@pytest.mark.parametrize("decision", [Decision(approved=False, reason="Not today"), None])
def test_so_is_one_that_its_owner_refused_or_never_decided_about(world: World, decision: Decision | None) -> None:
    asking = REGISTRY.servers["report"].model_copy(update={"require_approval": "*"})
    world.registry = Registry(servers={"report": asking})
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "a"}')
    world.use_cases.ask_approval(call_step(call, "waiting"))
    if decision:
        world.use_cases.decide_approval(ALICE, call.session_id, call.turn_id, call.call_id, decision)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.use_cases.record_tool_result(call_step(call))
    (entry,) = calls_of(world, call.session_id)
    assert (entry.error_code, entry.reason, entry.arguments) == ("E_FORBIDDEN", "NotApproved", {"text": "a"})


def test_a_call_that_was_cancelled_is_written_down_since_its_tool_may_have_run(world: World) -> None:
    turn = world.turn(world.session())
    running, done = world.call(turn, "report.echo", '{"text": "a"}'), world.call(turn, index=1)
    world.use_cases.dispatch_tool(call_step(running, "task"))
    world.finish_call(done, RunnerReport(results=1))
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    cut_off, complete = calls_of(world, turn.session_id)
    assert (cut_off.call_id, cut_off.result, cut_off.error_code) == (running.call_id, "error", "E_CANCELLED")
    assert (cut_off.arguments, cut_off.duration_seconds) == ({"text": "a"}, None)
    assert (complete.call_id, complete.result) == (done.call_id, "ok")


def test_a_call_has_one_entry_though_it_ends_after_its_turn(world: World, call: Call) -> None:
    turn = world.turns.get(call.session_id, call.turn_id)
    assert turn is not None
    world.use_cases.finish_turn(turn_step(turn), Ending.TIMED_OUT)
    world.clock.travel(5)
    world.finish_call(call, RunnerReport(results=1))
    assert [entry.error_code for entry in calls_of(world, call.session_id)] == ["E_TURN_TIMEOUT"]


def test_calls_are_in_their_order(world: World) -> None:
    session = world.session()
    calls = []
    for _ in range(2):
        turn = world.turn(session)
        calls += [world.call(turn, round_number=n, index=i) for n in range(2) for i in range(3)]
        world.complete(turn)
        world.clock.travel(1)
    for call in reversed(calls):
        world.finish_call(call, RunnerReport(results=1))
    assert [entry.call_id for entry in calls_of(world, session.session_id)] == [call.call_id for call in calls]


def test_what_is_written_down_is_small_whatever_the_model_sent(world: World) -> None:
    long = '{"text": "' + "word " * 50_000 + '"}'
    call = world.call(world.turn(world.session()), "report." + "echo" * 40, long)
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
    return url.partition("token=")[2]


@pytest.mark.parametrize("audience", ["ui", "tool"])
def test_a_download_is_written_down_with_its_owner_and_session_and_without_the_token(
    world: World, session: Session, record: FileRecord, logs: pytest.LogCaptureFixture, audience: str
) -> None:
    link = world.use_cases.mint_links(record) if audience == "ui" else world.use_cases.mint_links.for_tool(record, 60)
    assert world.use_cases.download(record.file_key, token(link)) == record
    (entry,) = world.audit_trail.of(session.session_id)
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
    assert told(logs) == [entry.model_dump(mode="json", exclude_none=True)]
    assert token(link) not in str([vars(line) for line in logs.records])


def test_each_download_is_written_down(world: World, session: Session, record: FileRecord) -> None:
    for _ in range(3):
        world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))
    assert len(world.audit_trail.of(session.session_id)) == 3


def test_what_is_refused_is_logged_with_the_owner_where_the_link_names_one(
    world: World, session: Session, record: FileRecord, logs: pytest.LogCaptureFixture
) -> None:
    """Nothing is written: a refusal that took longer than another would tell of the file."""
    link = world.use_cases.mint_links(record)
    world.use_cases.remove_file(ALICE, record.file_key)
    for shown in (token(link), "forged"):
        with pytest.raises(LinkNotFound):
            world.use_cases.download(record.file_key, shown)
    assert told(logs, "download refused") == [
        {"file_key": record.file_key, "user": ALICE.name},
        {"file_key": record.file_key, "user": None},
    ]
    assert world.audit_trail.of(session.session_id) == []


def test_a_file_of_no_session_is_in_no_sessions_trail_but_in_the_logs(
    world: World, logs: pytest.LogCaptureFixture
) -> None:
    record = world.upload("a.csv")
    world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))
    (line,) = told(logs)
    assert (line["kind"], line["user"], line["file_name"]) == ("download", ALICE.name, "a.csv")
    assert "session_id" not in line


# Reading


def test_the_owner_reads_them_newest_first_page_by_page(world: World, session: Session, record: FileRecord) -> None:
    for _ in range(5):
        world.clock.travel(1)
        world.use_cases.download(record.file_key, token(world.use_cases.mint_links(record)))
    first = world.use_cases.read_audit(ALICE, session.session_id, 3, None)
    second = world.use_cases.read_audit(ALICE, session.session_id, 3, first.cursor)
    assert [*first.items, *second.items] == world.audit_trail.of(session.session_id)[::-1]
    assert (len(first.items), second.cursor) == (3, None)


def test_nobody_else_does(world: World, session: Session) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.read_audit(BOB, session.session_id, 3, None)

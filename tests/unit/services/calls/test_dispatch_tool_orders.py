"""Calls that may run: what the runner is sent, and what is noted and told."""

import json
from typing import Any

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.files import FileRecord
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.domain.servers import Registry
from satchel.domain.timing import Limits
from satchel.domain.tools import answered
from satchel.ports.runners import CallOrder, InputFile, ScopedCredentials
from tests.unit.services.samples import ALICE, ECHO, REGISTRY, SUMMARISE, schema
from tests.unit.services.world import World, call_step


def order(world: World, tool: str, arguments: str) -> CallOrder:
    """Dispatch a call in a session of its own and return what its runner was sent."""
    call = world.call(world.turn(world.session()), tool, arguments)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    return world.runners.orders[-1][1]


def brought(world: World, record: FileRecord, name: str | None = None) -> InputFile:
    """Return a file as an order names it."""
    return InputFile(
        name=name or record.name,
        url=world.store.link(record.key, 900),
        size=record.size,
        etag=f"{record.file_key}-{record.version}",
    )


@pytest.mark.clause("v2.1:files:local-paths")
def test_the_order_holds_all_that_the_runner_needs(world: World) -> None:
    session = world.session()
    record = world.upload("sales.csv", session=session)
    turn = world.turn(session)
    call = world.call(turn, "report.summarise", '{"filename": "sales.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    prefix = " ".join(call_objects_prefixes(ALICE.name, call.call_id))
    outcome = outcome_key(ALICE.name, turn.turn_id, call.call_id)
    assert world.runners.orders == [
        (
            "report",
            CallOrder(
                user=ALICE.name,
                session_id=session.session_id,
                turn_id=turn.turn_id,
                call_id=call.call_id,
                tool="summarise",
                arguments={"filename": f"/tmp/{ALICE.name}/input_files/sales.csv", "username": ALICE.name},
                inputs=[brought(world, record)],
                writes=True,
                task_token="task",
                credentials=ScopedCredentials(
                    access_key_id=turn.turn_id, secret_access_key=prefix, session_token=outcome
                ),
                outcome_key=outcome,
                limits=Limits(),
            ),
        )
    ]
    assert world.callback.ended == []


def test_the_task_is_left_to_the_runner(world: World) -> None:
    order(world, "report.echo", "{}")
    assert (world.callback.heartbeats, world.callback.ended, world.store.written) == ([], [], [])


@pytest.mark.clause("v2.1:username:overwritten")
@pytest.mark.parametrize("sent", ['"bob"', '["bob"]', '{"name": "bob"}', "null", "7"])
def test_whoever_the_model_names_the_tool_acts_for_who_is_signed_in(world: World, sent: str) -> None:
    sent_on = order(world, "report.summarise", f'{{"filename": "a", "username": {sent}}}')
    assert sent_on.arguments["username"] == ALICE.name
    assert sent_on.user == ALICE.name


@pytest.mark.clause("v2:username:not-added")
def test_a_tool_that_does_not_ask_who_it_acts_for_is_not_told_and_cannot_write(world: World) -> None:
    sent = order(world, "report.echo", '{"text": "a"}')
    assert (sent.arguments, sent.writes) == ({"text": "a"}, False)


def test_what_was_sent_is_noted_without_paths_and_links(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sales.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    given = {"filename": "sales.csv", "username": ALICE.name}
    assert world.reload(call) == call.model_copy(update={"injected": given, "server": "report", "bytes_in": 8})


def test_the_call_is_announced_once_with_what_the_tool_is_given(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise", '{"filename": "out.html"}')
    for _ in range(2):
        world.use_cases.dispatch_tool(call_step(call, "task"))
    told = {
        "call_id": call.call_id,
        "tool": "report.summarise",
        "server": "report",
        "arguments": {"filename": "out.html", "username": ALICE.name},
    }
    assert world.events.told(call.turn_id, "tool_start") == [("tool_start", told)]


def test_neither_base64_nor_links_in_arguments_are_told_or_noted(world: World) -> None:
    blob, link = "QUJD" * 1000, "https://satchel.example/api/files/download/f1?token=secret"
    call = world.call(world.turn(world.session()), "report.echo", json.dumps({"text": f"{blob} {link}"}))
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert world.runners.orders[-1][1].arguments == {"text": f"{blob} {link}"}
    seen = world.events.text(call.turn_id) + json.dumps(world.reload(call).injected)
    assert (blob in seen, "secret" in seen) == (False, False)


def test_a_number_that_json_cannot_carry_breaks_nothing(world: World) -> None:
    assert order(world, "report.echo", '{"n": NaN}').arguments == {"n": None}


def test_what_the_tool_says_of_its_answers_goes_with_the_order(world: World) -> None:
    schema = {"type": "object", "x-fastmcp-wrap-result": True}
    tool = ECHO.model_copy(update={"output_schema": schema})
    world.tool_lists.put("report", REGISTRY.servers["report"].config_hash(), answered([tool], world.clock.now()))
    assert order(world, "report.echo", "{}").output_schema == schema


def test_what_a_tool_makes_is_collected_unless_its_server_says_otherwise(world: World) -> None:
    assert order(world, "report.echo", "{}").collect
    declared = REGISTRY.servers["report"].model_copy(update={"collect": "declared"})
    world.registry = Registry(servers={"report": declared})
    assert not order(world, "report.echo", "{}").collect


def test_a_server_may_have_times_of_its_own(world: World) -> None:
    assert order(world, "report.echo", "{}").limits == Limits()
    slow = {"silence_seconds": 90, "notice_seconds": (30, 60, 80), "max_seconds": 120}
    world.registry = Registry(servers={"report": REGISTRY.servers["report"].model_copy(update=slow)})
    assert order(world, "report.echo", "{}").limits == Limits(silence=90, notices=(30, 60, 80), most=120)


# Files


@pytest.mark.clause("v2:arguments:no-file")
def test_a_value_that_is_no_file_passes_through_and_is_noted_with_the_nearest(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sale.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    sent = world.runners.orders[-1][1]
    assert (sent.arguments["filename"], sent.inputs) == ("sale.csv", [])
    assert world.reload(call).unresolved == {"sale.csv": ["sales.csv"]}


@pytest.mark.parametrize("value", ["https://a.example/sales.csv", "dir/sales.csv", "..\\sales.csv", "/tmp/x/sales.csv"])
def test_an_address_or_a_path_is_no_name_of_a_file(world: World, value: str) -> None:
    world.upload("sales.csv")
    assert order(world, "report.summarise", json.dumps({"filename": value})).arguments["filename"] == value


@pytest.mark.clause("v2.1:files:resolved")
def test_a_file_is_found_by_its_key_its_name_and_the_name_that_it_came_with(world: World) -> None:
    record = world.upload("what?.csv")
    path = f"/tmp/{ALICE.name}/input_files/what_.csv"
    for value in (record.file_key, "what_.csv", "what?.csv"):
        sent = order(world, "report.summarise", json.dumps({"filename": value}))
        assert (sent.arguments["filename"], sent.inputs) == (path, [brought(world, record)])


@pytest.mark.clause("v2.1:deferred:by-name")
def test_a_file_that_waits_is_brought_by_its_name(world: World) -> None:
    session = world.session()
    turn = world.turn(session)
    made = world.call(turn, "report.echo", "{}")
    result = world.finish_call(made, RunnerReport(files=[world.stored_file(made, "draft.docx", deferred=True)]))
    record = world.files.get(ALICE.name, result.deferred[0].file_key)
    assert record is not None
    later = world.call(turn, "report.summarise", '{"filename": "draft.docx"}', index=1)
    world.use_cases.dispatch_tool(call_step(later, "task"))
    sent = world.runners.orders[-1][1]
    assert sent.arguments["filename"] == f"/tmp/{ALICE.name}/input_files/draft.docx"
    assert sent.inputs == [brought(world, record)]


def test_the_newest_version_is_brought(world: World) -> None:
    session = world.session()
    world.upload("a.csv", b"old", session)
    newest = world.upload("a.csv", b"newer", session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "a.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert newest.version == 2
    assert world.runners.orders[-1][1].inputs == [brought(world, newest)]


@pytest.mark.clause("v2.1:files:filenames")
def test_files_come_in_every_argument_that_names_them_and_each_is_brought_once(world: World) -> None:
    one, two = world.upload("one.csv"), world.upload("two.csv")
    sent = order(world, "report.merge", '{"filenames": ["one.csv", "x"], "file_names": ["two.csv", "one.csv"]}')
    corner = f"/tmp/{ALICE.name}/input_files"
    assert sent.arguments == {
        "filenames": [f"{corner}/one.csv", "x"],
        "file_names": [f"{corner}/two.csv", f"{corner}/one.csv"],
    }
    assert sent.inputs == [brought(world, one), brought(world, two)]


def test_two_files_of_one_name_get_two_places(world: World) -> None:
    session = world.session()
    mine = world.upload("a.csv", b"mine", session)
    other = world.upload("a.csv", b"other", world.session())
    wanted = ["a.csv", other.file_key, mine.file_key, other.file_key]
    call = world.call(world.turn(session), "report.merge", json.dumps({"filenames": wanted}))
    world.use_cases.dispatch_tool(call_step(call, "task"))
    sent = world.runners.orders[-1][1]
    corner = f"/tmp/{ALICE.name}/input_files"
    places = [f"{corner}/a.csv", f"{corner}/a (2).csv", f"{corner}/a.csv", f"{corner}/a (2).csv"]
    assert sent.arguments["filenames"] == places
    assert sent.inputs == [brought(world, mine), brought(world, other, "a (2).csv")]


@pytest.mark.clause("v4:files:urls")
def test_a_server_that_takes_addresses_gets_a_link_of_its_own_that_works(world: World) -> None:
    record = world.upload("page.html", bytes(600))
    sent = order(world, "web.pages.fetch", '{"filename": "page.html"}')
    address = sent.arguments["filename"]
    assert address.startswith(f"https://satchel.example/api/files/download/{record.file_key}?token=")
    assert world.use_cases.open_link(record.file_key, address.partition("token=")[2]) == record
    assert sent.inputs == []


def test_a_tool_that_wants_to_know_is_told_what_its_files_are_called(world: World) -> None:
    fields = schema(["filename", "original_filename"], filename="string", original_filename="string")
    tool = SUMMARISE.model_copy(update={"input_schema": fields})
    world.tool_lists.put("report", REGISTRY.servers["report"].config_hash(), answered([tool], world.clock.now()))
    record = world.upload("what?.csv")
    for value in (record.file_key, "what_.csv", "what?.csv"):
        sent = order(world, "report.summarise", json.dumps({"filename": value}))
        assert sent.arguments["original_filename"] == "what_.csv"
    assert order(world, "report.summarise", '{"filename": "no"}').arguments["original_filename"] == "no"


def test_the_link_lives_as_long_as_the_call_may_last(world: World) -> None:
    record = world.upload("a.csv")
    patient = REGISTRY.servers["web.pages"].model_copy(update={"max_seconds": 600})
    world.registry = Registry(servers=REGISTRY.servers | {"web.pages": patient})
    address = order(world, "web.pages.fetch", '{"filename": "a.csv"}').arguments["filename"]
    claims = world.signer.read(address.partition("token=")[2], ("tool",))
    assert claims is not None
    assert (claims.file_key, claims.exp) == (record.file_key, world.clock.now().timestamp() + 600)


def test_one_tool_of_a_server_may_take_addresses_where_the_others_take_paths(world: World) -> None:
    one_way = REGISTRY.servers["report"].model_copy(update={"files": {"merge": "url"}})
    world.registry = Registry(servers={"report": one_way})
    world.upload("a.csv")
    path = order(world, "report.summarise", '{"filename": "a.csv"}').arguments["filename"]
    address = order(world, "report.merge", '{"filenames": ["a.csv"]}').arguments["filenames"][0]
    assert (path[:5], address[:8]) == ("/tmp/", "https://")


def test_an_argument_that_is_empty_names_no_file(world: World) -> None:
    world.upload("file")
    call = world.call(world.turn(world.session()), "report.summarise", '{"filename": ""}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert world.runners.orders[-1][1].arguments["filename"] == ""
    assert world.reload(call).unresolved == {}


def test_a_tool_whose_schema_says_nothing_of_types_may_be_given_anything(world: World) -> None:
    untyped: dict[str, Any] = {"properties": {"filename": {}, "filenames": {}}}
    tool = SUMMARISE.model_copy(update={"input_schema": untyped})
    world.tool_lists.put("report", REGISTRY.servers["report"].config_hash(), answered([tool], world.clock.now()))
    odd = {"filename": 5, "filenames": {"a": "b"}}
    assert order(world, "report.summarise", json.dumps(odd)).arguments == odd


def test_a_server_whose_tools_are_not_known_is_asked_and_its_answer_kept(world: World) -> None:
    world.tool_lists = type(world.tool_lists)()
    for _ in range(2):
        order(world, "report.echo", "{}")
    assert world.runners.asked == ["report"]

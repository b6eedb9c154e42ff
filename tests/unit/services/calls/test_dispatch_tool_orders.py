"""Accepted calls: the order for the runner, the stored call and its event."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest

from satchel.domain.arguments import FILE_OBJECT
from satchel.domain.calls import CallResult, InputVersion, RunnerReport
from satchel.domain.conversation import ToolHints
from satchel.domain.files import FileRecord
from satchel.domain.inputs import CallInput, Question
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.domain.servers import Registry
from satchel.domain.timing import Limits
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.ports.runners import CallOrder, Conversation, InputFile, ScopedCredentials
from satchel.services.calls.dispatch_tool import MAX_WAIT
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.apps.app_files import with_app
from tests.unit.services.calls.tool_list_versions import record_versions
from tests.unit.services.samples import ALICE, ECHO, FETCH, REGISTRY, SUMMARISE, schema
from tests.unit.services.world import World, call_step, turn_step


def order(world: World, tool: str, arguments_json: str) -> CallOrder:
    """Dispatch a call in a new session, and return the order of its runner."""
    call = world.call(world.turn(world.session()), tool, arguments_json)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    return world.runners.orders[-1][1]


def input_file(world: World, record: FileRecord, name: str | None = None) -> InputFile:
    """Return a file as an input of an order."""
    return InputFile(
        name=name or record.name,
        url=world.store.presign_get(record.key, 900),
        size=record.size,
        etag=f"{record.file_key}-{record.version}",
    )


@pytest.mark.clause("v2.1:files:local-paths")
def test_order_contains_everything_that_the_runner_needs(world: World) -> None:
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
                inputs=[input_file(world, record)],
                writes=True,
                task_token="task",
                credentials=ScopedCredentials(
                    access_key_id=call.call_id, secret_access_key=prefix, session_token=outcome
                ),
                limits=Limits(),
                waits_until=world.clock.now() + MAX_WAIT,
            ),
        )
    ]
    assert world.callback.succeeded == []


def test_runner_completes_the_task(world: World) -> None:
    order(world, "report.echo", "{}")
    assert (world.callback.heartbeats, world.callback.succeeded, world.store.written) == ([], [], [])


def test_call_of_an_ended_turn_is_not_sent(world: World, caplog: pytest.LogCaptureFixture) -> None:
    turn = world.turn(world.session())
    call = world.call(turn, "report.echo", "{}")
    world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    caplog.set_level(logging.INFO)
    caplog.clear()

    world.use_cases.dispatch_tool(call_step(call, "task"))

    assert world.runners.orders == []
    [line] = [vars(record) for record in caplog.records]
    assert (line["message"], line["call_id"]) == ("the turn ended before the call", call.call_id)


def test_number_of_the_last_event_is_read_with_the_records(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(world.events, "read_last_number", read.append)
    assert read == [order(world, "report.echo", "{}").turn_id]


def test_tool_lists_are_read_in_the_version_of_the_records(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = record_versions(monkeypatch, 7)
    order(world, "report.echo", "{}")
    assert versions == [7, 7]  # for the tool, and for the handshake of its server


def test_call_that_asks_while_it_runs_is_repeated_without_waiting_for_the_answer(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", "{}")
    world.use_cases.dispatch_tool(call_step(call, "first"))
    question = CallInput(
        call_id=call.call_id,
        turn_id=call.turn_id,
        tool=call.tool,
        round=1,
        questions=[Question(key="sign-in", mode="url", message="Sign in", url="https://bank.example/in")],
        task_token="",
        expires_at=world.clock.now() + timedelta(minutes=5),
        bound_seconds=300,
    )
    world.inputs.ask(question)

    world.use_cases.dispatch_tool(call_step(call, "second"))

    assert [sent.task_token for _, sent in world.runners.orders] == ["first", "second"]
    assert world.callback.failed == []


def test_call_with_a_result_is_not_sent_again(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.echo", "{}")
    world.calls.save_result(call.turn_id, call.call_id, CallResult(is_error=False, results="done"))

    world.use_cases.dispatch_tool(call_step(call, "task"))

    assert (world.runners.orders, world.callback.succeeded) == ([], ["task"])


@pytest.mark.clause("v2.1:username:overwritten")
@pytest.mark.parametrize("username", ['"bob"', '["bob"]', '{"name": "bob"}', "null", "7"])
def test_username_argument_of_the_model_is_replaced_by_the_signed_in_user(world: World, username: str) -> None:
    sent = order(world, "report.summarise", f'{{"filename": "a", "username": {username}}}')
    assert sent.arguments["username"] == ALICE.name
    assert sent.user == ALICE.name


@pytest.mark.clause("v2:username:not-added")
def test_tool_without_username_argument_gets_no_identity_and_cannot_write(world: World) -> None:
    sent = order(world, "report.echo", '{"text": "a"}')
    assert (sent.arguments, sent.writes) == ({"text": "a"}, False)


def test_call_is_stored_with_arguments_without_paths_and_links(world: World) -> None:
    session = world.session()
    file = world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sales.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    arguments = {"filename": "sales.csv", "username": ALICE.name}
    changes = {"injected": arguments, "server": "report", "bytes_in": 8, "inputs": [InputVersion.of(file)], "slot": 1}
    assert world.reload(call) == call.model_copy(update=changes)


def test_tool_start_is_published_once_with_the_final_arguments(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise", '{"filename": "out.html"}')
    for _ in range(2):
        world.use_cases.dispatch_tool(call_step(call, "task"))
    payload = {
        "call_id": call.call_id,
        "tool": "report.summarise",
        "server": "report",
        "arguments": {"filename": "out.html", "username": ALICE.name},
        "app_uri": None,
    }
    assert world.events.payloads(call.turn_id, "tool_start") == [("tool_start", payload)]


def test_start_of_a_call_names_the_app_of_its_tool(world: World) -> None:
    with_app(world)
    sent = order(world, "report.echo", "{}")
    ((_, payload),) = world.events.payloads(sent.turn_id, "tool_start")
    assert payload["app_uri"] == "ui://report/page"


def test_base64_and_links_in_arguments_are_neither_published_nor_stored(world: World) -> None:
    blob, link = "QUJD" * 1000, "https://satchel.example/api/files/download/f1?token=secret"
    call = world.call(world.turn(world.session()), "report.echo", json.dumps({"text": f"{blob} {link}"}))
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert world.runners.orders[-1][1].arguments == {"text": f"{blob} {link}"}
    published = world.events.stored_json(call.turn_id) + json.dumps(world.reload(call).injected)
    assert (blob in published, "secret" in published) == (False, False)


def test_nan_in_arguments_becomes_null(world: World) -> None:
    assert order(world, "report.echo", '{"n": NaN}').arguments == {"n": None}


def test_output_schema_of_the_tool_is_part_of_the_order(world: World) -> None:
    schema = {"type": "object", "x-fastmcp-wrap-result": True}
    tool = ECHO.model_copy(update={"output_schema": schema})
    world.tool_lists.save(
        "report",
        REGISTRY.servers["report"].config_hash(),
        fresh_tool_list(ToolListing(tools=[tool]), world.clock.now()),
    )
    assert order(world, "report.echo", "{}").output_schema == schema


def test_undeclared_files_are_collected_unless_the_server_opts_out(world: World) -> None:
    assert order(world, "report.echo", "{}").collect
    server = REGISTRY.servers["report"].model_copy(update={"collect": "declared"})
    world.registry = Registry(servers={"report": server})
    assert not order(world, "report.echo", "{}").collect


def test_server_can_override_the_time_limits(world: World) -> None:
    assert order(world, "report.echo", "{}").limits == Limits()
    slow = {"silence_seconds": 90, "notice_seconds": (30, 60, 80), "max_seconds": 120}
    world.registry = Registry(servers={"report": REGISTRY.servers["report"].model_copy(update=slow)})
    assert order(world, "report.echo", "{}").limits == Limits(silence=90, notices=(30, 60, 80), max_seconds=120)


# Files


@pytest.mark.clause("v2:arguments:no-file")
def test_value_that_is_no_file_passes_with_similar_names_stored(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sale.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    sent = world.runners.orders[-1][1]
    assert (sent.arguments["filename"], sent.inputs) == ("sale.csv", [])
    assert world.reload(call).unresolved == {"sale.csv": ["sales.csv"]}


@pytest.mark.parametrize("value", ["https://a.example/sales.csv", "dir/sales.csv", "..\\sales.csv", "/tmp/x/sales.csv"])
def test_url_or_path_is_not_resolved_as_a_file_name(world: World, value: str) -> None:
    world.upload("sales.csv")
    assert order(world, "report.summarise", json.dumps({"filename": value})).arguments["filename"] == value


@pytest.mark.clause("v2.1:files:resolved")
def test_file_is_resolved_by_key_name_and_original_name(world: World) -> None:
    record = world.upload("what?.csv")
    path = f"/tmp/{ALICE.name}/input_files/what_.csv"
    for value in (record.file_key, "what_.csv", "what?.csv"):
        sent = order(world, "report.summarise", json.dumps({"filename": value}))
        assert (sent.arguments["filename"], sent.inputs) == (path, [input_file(world, record)])


@pytest.mark.clause("v2.1:deferred:by-name")
def test_deferred_file_is_resolved_by_name(world: World) -> None:
    session = world.session()
    turn = world.turn(session)
    earlier = world.call(turn, "report.echo", "{}")
    result = world.finish_call(earlier, RunnerReport(files=[world.stored_file(earlier, "draft.docx", deferred=True)]))
    record = world.files.get(ALICE.name, result.deferred[0].file_key)
    assert record is not None
    later = world.call(turn, "report.summarise", '{"filename": "draft.docx"}', index=1)
    world.use_cases.dispatch_tool(call_step(later, "task"))
    sent = world.runners.orders[-1][1]
    assert sent.arguments["filename"] == f"/tmp/{ALICE.name}/input_files/draft.docx"
    assert sent.inputs == [input_file(world, record)]


def test_newest_version_of_a_file_is_the_input(world: World) -> None:
    session = world.session()
    world.upload("a.csv", b"old", session)
    newest = world.upload("a.csv", b"newer", session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "a.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert newest.version == 2
    assert world.runners.orders[-1][1].inputs == [input_file(world, newest)]


@pytest.mark.clause("v2.1:files:filenames")
def test_files_of_all_arguments_are_inputs_once(world: World) -> None:
    one, two = world.upload("one.csv"), world.upload("two.csv")
    sent = order(world, "report.merge", '{"filenames": ["one.csv", "x"], "file_names": ["two.csv", "one.csv"]}')
    input_folder = f"/tmp/{ALICE.name}/input_files"
    assert sent.arguments == {
        "filenames": [f"{input_folder}/one.csv", "x"],
        "file_names": [f"{input_folder}/two.csv", f"{input_folder}/one.csv"],
    }
    assert sent.inputs == [input_file(world, one), input_file(world, two)]


def test_two_files_of_the_same_name_get_different_paths(world: World) -> None:
    session = world.session()
    mine = world.upload("a.csv", b"mine", session)
    other = world.upload("a.csv", b"other", world.session())
    names = ["a.csv", other.file_key, mine.file_key, other.file_key]
    call = world.call(world.turn(session), "report.merge", json.dumps({"filenames": names}))
    world.use_cases.dispatch_tool(call_step(call, "task"))
    sent = world.runners.orders[-1][1]
    input_folder = f"/tmp/{ALICE.name}/input_files"
    paths = [f"{input_folder}/a.csv", f"{input_folder}/a (2).csv", f"{input_folder}/a.csv", f"{input_folder}/a (2).csv"]
    assert sent.arguments["filenames"] == paths
    assert sent.inputs == [input_file(world, mine), input_file(world, other, "a (2).csv")]


@pytest.mark.clause("v4:files:urls")
def test_server_with_url_files_gets_a_working_link(world: World) -> None:
    record = world.upload("page.html", bytes(600))
    sent = order(world, "web.pages.fetch", '{"filename": "page.html"}')
    address = sent.arguments["filename"]
    assert address.startswith(f"https://satchel.example/api/files/download/{record.file_key}?token=")
    assert world.use_cases.open_link(record.file_key, address.partition("token=")[2].partition("&")[0]) == record
    assert sent.inputs == []


def test_order_for_a_remote_server_has_a_schema_that_marks_arguments_as_headers(world: World) -> None:
    assert order(world, "web.pages.fetch", '{"filename": "https://a.example"}').input_schema is None
    fields = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    tool = FETCH.model_copy(update={"input_schema": fields})
    listing = fresh_tool_list(ToolListing(tools=[tool]), world.clock.now())
    world.tool_lists.save("web.pages", REGISTRY.servers["web.pages"].config_hash(), listing)
    assert order(world, "web.pages.fetch", '{"region": "us"}').input_schema == fields


def test_credentials_of_a_remote_call_store_the_mcp_session_of_its_conversation(world: World) -> None:
    order(world, "report.echo", "{}")
    sent = order(world, "web.pages.fetch", "{}")
    assert world.credentials.conversations == [None, Conversation(sent.session_id, "web.pages")]


def test_start_of_a_call_names_a_server_whose_name_has_a_dot(world: World) -> None:
    sent = order(world, "web.pages.fetch", '{"filename": "https://a.example"}')
    ((_, payload),) = world.events.payloads(sent.turn_id, "tool_start")
    assert payload["server"] == "web.pages"


def test_original_filename_argument_gets_the_name_of_the_file(world: World) -> None:
    fields = schema(["filename", "original_filename"], filename="string", original_filename="string")
    tool = SUMMARISE.model_copy(update={"input_schema": fields})
    world.tool_lists.save(
        "report",
        REGISTRY.servers["report"].config_hash(),
        fresh_tool_list(ToolListing(tools=[tool]), world.clock.now()),
    )
    record = world.upload("what?.csv")
    for value in (record.file_key, "what_.csv", "what?.csv"):
        sent = order(world, "report.summarise", json.dumps({"filename": value}))
        assert sent.arguments["original_filename"] == "what_.csv"
    assert order(world, "report.summarise", '{"filename": "no"}').arguments["original_filename"] == "no"


def test_link_for_a_tool_is_valid_for_the_maximum_duration_of_the_call(world: World) -> None:
    record = world.upload("a.csv")
    slow = REGISTRY.servers["web.pages"].model_copy(update={"max_seconds": 600})
    world.registry = Registry(servers=REGISTRY.servers | {"web.pages": slow})
    address = order(world, "web.pages.fetch", '{"filename": "a.csv"}').arguments["filename"]
    claims = world.signer.verify(address.partition("token=")[2].partition("&")[0], ("tool",))
    assert claims is not None
    assert (claims.file_key, claims.exp) == (record.file_key, world.clock.now().timestamp() + 600)


def test_one_tool_of_a_server_can_use_urls_and_the_others_paths(world: World) -> None:
    server = REGISTRY.servers["report"].model_copy(update={"files": {"merge": "url"}})
    world.registry = Registry(servers={"report": server})
    world.upload("a.csv")
    path = order(world, "report.summarise", '{"filename": "a.csv"}').arguments["filename"]
    address = order(world, "report.merge", '{"filenames": ["a.csv"]}').arguments["filenames"][0]
    assert (path[:5], address[:8]) == ("/tmp/", "https://")


def test_empty_argument_names_no_file(world: World) -> None:
    world.upload("file")
    call = world.call(world.turn(world.session()), "report.summarise", '{"filename": ""}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert world.runners.orders[-1][1].arguments["filename"] == ""
    assert world.reload(call).unresolved == {}


def test_untyped_file_arguments_accept_any_value(world: World) -> None:
    untyped: dict[str, Any] = {"properties": {"filename": {}, "filenames": {}}}
    tool = SUMMARISE.model_copy(update={"input_schema": untyped})
    world.tool_lists.save(
        "report",
        REGISTRY.servers["report"].config_hash(),
        fresh_tool_list(ToolListing(tools=[tool]), world.clock.now()),
    )
    arguments = {"filename": 5, "filenames": {"a": "b"}}
    assert order(world, "report.summarise", json.dumps(arguments)).arguments == arguments


def test_missing_tool_list_is_fetched_once_and_stored(world: World) -> None:
    world.tool_lists = type(world.tool_lists)()
    for _ in range(2):
        order(world, "report.echo", "{}")
    assert world.runners.listed_servers == ["report"]


def test_old_tool_list_is_not_fetched_again_if_it_has_the_tool(world: World) -> None:
    world.clock.advance(timedelta(days=30).total_seconds())

    order(world, "report.echo", "{}")

    assert world.runners.listed_servers == []


def with_file_arguments(world: World, properties: dict[str, Any], configured: object) -> World:
    """Return the world with another schema of `report.summarise`, and with `file_arguments` of its server."""
    entry = REGISTRY.servers["report"].model_copy(update={"file_arguments": configured})
    world.registry = Registry(servers={**REGISTRY.servers, "report": entry})
    tool = SUMMARISE.model_copy(update={"input_schema": {"type": "object", "properties": properties}})
    listing = fresh_tool_list(ToolListing(tools=[tool]), world.clock.now())
    world.tool_lists.save("report", entry.config_hash(), listing)
    return world


@pytest.mark.parametrize(
    ("configured", "received"),
    [
        ({"summarise": ["path"]}, "/tmp/{user}/input_files/sales 1.csv"),
        ({"*": ["path"]}, "/tmp/{user}/input_files/sales 1.csv"),
        ({"summarise": {"path": "uri"}}, "file:///tmp/{user}/input_files/sales%201.csv"),
        ({"other": ["path"]}, "sales 1.csv"),
        ({}, "sales 1.csv"),
    ],
)
def test_arguments_that_the_entry_names_get_files(world: World, configured: object, received: str) -> None:
    world = with_file_arguments(world, {"path": {"type": "string"}}, configured)
    session = world.session()
    world.upload("sales 1.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"path": "sales 1.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))

    assert world.runners.orders[-1][1].arguments == {
        "path": received.format(user=ALICE.name.replace("@", "%40") if "file:" in received else ALICE.name)
    }


def test_arguments_for_content_are_replaced_by_the_runner(world: World) -> None:
    properties = {
        "filename": {"type": "string"},
        "file_data_base64": {"type": "string"},
        "upload": {"type": "string", "format": "uri", "x-mcp-file": {}},
    }
    world = with_file_arguments(world, properties, {})
    session = world.session()
    record = world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sales.csv", "upload": "sales.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))

    sent = world.runners.orders[-1][1]
    path = f"/tmp/{ALICE.name}/input_files/sales.csv"
    assert sent.arguments == {"filename": path, "file_data_base64": path, "upload": path}
    assert sent.embedded == {"file_data_base64": "base64", "upload": "data"}
    assert sent.inputs == [input_file(world, record)]


def test_arguments_for_file_objects_get_links_and_other_values_stay(world: World) -> None:
    properties = {
        "picture": {"type": "string", FILE_OBJECT: True},
        "pages": {"type": "array", "items": {"type": "string"}, FILE_OBJECT: True},
    }
    world = with_file_arguments(world, properties, {})
    session = world.session()
    record = world.upload("sales.csv", session=session)
    arguments = '{"picture": "sales.csv", "pages": ["sales.csv", "no-such-file.csv"]}'
    call = world.call(world.turn(session), "report.summarise", arguments)
    world.use_cases.dispatch_tool(call_step(call, "task"))

    sent = world.runners.orders[-1][1]
    file = sent.arguments["picture"]
    assert file.pop("download_url").startswith(f"https://satchel.example/api/files/download/{record.file_key}?token=")
    assert file == {"file_id": record.file_key, "mime_type": "text/csv", "file_name": "sales.csv"}
    assert sent.arguments["pages"][1:] == ["no-such-file.csv"]
    assert (sent.inputs, sent.embedded) == ([], {})


def test_order_says_that_the_server_speaks_the_older_handshake(world: World) -> None:
    assert not order(world, "report.echo", "{}").is_legacy

    world.runners.legacy.add("report")
    world.use_cases.refresh_tools("report")
    assert order(world, "report.echo", "{}").is_legacy


def test_order_says_that_the_tool_asks_while_it_runs(world: World) -> None:
    assert not order(world, "report.echo", "{}").asks_while_running

    world.use_cases.remember_asking("report.echo", asks_while_running=True)
    assert order(world, "report.echo", "{}").asks_while_running


def test_order_says_how_the_tool_is_called_and_names_its_app(world: World) -> None:
    about: dict[str, Any] = {"title": "Echo", "app_uri": "ui://report/page", "needs_task": True}
    tool = ECHO.model_copy(update={**about, "method": "resources/read"})
    listing = fresh_tool_list(ToolListing(tools=[tool]), world.clock.now())
    world.tool_lists.save("report", REGISTRY.servers["report"].config_hash(), listing)

    sent = order(world, "report.echo", "{}")

    assert (sent.method, sent.as_task) == ("resources/read", True)
    assert (sent.app_title, sent.app_uri, sent.from_app) == ("Echo", "ui://report/page", False)


def test_models_call_of_a_destructive_tool_needs_no_approval_by_default(world: World) -> None:
    world.runners.tools["report"] = [ECHO.model_copy(update={"hints": ToolHints(destructive=True)})]
    world.use_cases.refresh_tools("report")
    assert order(world, "report.echo", "{}").tool == "echo"


@pytest.mark.parametrize(
    ("hints", "may_repeat"),
    [
        (None, False),
        (ToolHints(destructive=False), False),
        (ToolHints(read_only=True), True),
        (ToolHints(idempotent=True), True),
    ],
)
def test_order_says_whether_the_call_may_be_repeated(
    world: World, hints: ToolHints | None, *, may_repeat: bool
) -> None:
    world.runners.tools["report"] = [ECHO.model_copy(update={"hints": hints})]
    world.use_cases.refresh_tools("report")
    assert order(world, "report.echo", "{}").may_repeat is may_repeat


@pytest.mark.parametrize(("limit", "is_sent"), [(16, True), (15, False)])
def test_content_in_all_arguments_together_is_limited(
    world: World, monkeypatch: pytest.MonkeyPatch, limit: int, *, is_sent: bool
) -> None:
    monkeypatch.setattr("satchel.services.calls.resolve_inputs.MAX_EMBEDDED_BYTES", limit)
    embedded = {"type": "string", "x-mcp-file": {}}
    world = with_file_arguments(world, {"first": embedded, "second": embedded}, {})
    session = world.session()
    for name in ("a.csv", "b.csv"):
        world.upload(name, b"12345678", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"first": "a.csv", "second": "b.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))

    assert bool(world.runners.orders) is is_sent


@pytest.mark.parametrize(
    ("declared", "has_transfer", "form"),
    [
        ({}, False, "data"),
        ({}, True, "upload"),
        ({"transferModes": ["inline", "upload"]}, False, "data"),
        ({"transferModes": ["inline", "upload"]}, True, "upload"),
        ({"transferModes": ["inline"]}, True, "data"),
        ({"transferModes": ["upload"]}, True, "upload"),
        ({"transferModes": ["upload"]}, False, None),
    ],
)
@pytest.mark.parametrize("is_list", [False, True])
def test_files_are_uploaded_if_the_schema_and_the_entry_allow_it(
    world: World, declared: dict[str, Any], form: str | None, *, has_transfer: bool, is_list: bool
) -> None:
    text = {"type": "string", "format": "uri", "x-mcp-file": declared}
    argument = {"type": "array", "items": text} if is_list else text
    world = with_file_arguments(world, {"document": argument}, {})
    entry = world.registry.servers["report"].model_copy(update={"file_transfer": has_transfer})
    world.registry = Registry(servers={**world.registry.servers, "report": entry})
    session = world.session()
    world.upload("sales.csv", session=session)
    value = ["sales.csv", "mcp-file://report/earlier"] if is_list else "sales.csv"
    call = world.call(world.turn(session), "report.summarise", json.dumps({"document": value}))
    world.use_cases.dispatch_tool(call_step(call, "task"))

    if form is None:
        assert world.runners.orders == []
        return
    [(_, sent)] = world.runners.orders
    assert (sent.embedded, sent.transfers_files) == ({"document": form}, has_transfer)
    if has_transfer:
        assert world.reload(call).unresolved == {}

"""Processes of servers: reuse, environment, folders, and cleanup after calls."""

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.pool import PoolLimits
from satchel.adapters.mcp.session import Session
from satchel.adapters.tree_removal import empty_directory
from satchel.contract.errors import ToolCrashed
from satchel.domain.conversation import ToolSpec
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, StartRaw, ToolCaller, json_of, pids_of
from tests.processes import is_pid_alive


def test_list_tools_reads_all_pages(raw: ToolCaller) -> None:
    tools = raw.client.list_tools()

    assert len(tools) == len({tool.name for tool in tools}) > 20
    assert tools[0] == ToolSpec(server="raw", name="echo", input_schema={"type": "object"})


def test_warm_server_is_reused(raw: ToolCaller) -> None:
    assert raw.value("pid") == raw.value("pid")


def test_known_older_server_is_not_asked_for_the_newer_handshake(start_raw: StartRaw) -> None:
    deaf = start_raw("--deaf")
    with deaf.client.call("pid", {}, deaf.workspace, writes=True, is_legacy=True) as running:
        assert json_of(deaf.remaining(running)[-1])


def test_updated_server_that_refuses_the_older_handshake_is_asked_for_the_newer_one(
    loop: EventLoop, tmp_path: Path
) -> None:
    entry = ServerEntry(command=["python", "-S", "raw.py", "--modern", "--no-initialize"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("raw", entry, loop, os.environ)
    with client.call("echo", {"text": "a"}, None, writes=False, is_legacy=True) as running:
        assert isinstance(ToolCaller(client, tmp_path).remaining(running)[-1], ToolResult)
    client.close()


SERVER_OF_VERSION = """
from fastmcp import FastMCP
from version import VERSION
mcp = FastMCP("version")
@mcp.tool
def version() -> str:
    return f'"{VERSION}"'
mcp.run(show_banner=False)
"""


@pytest.mark.parametrize("reloads", [True, False])
def test_edited_module_is_used_by_the_next_call_if_servers_are_reloaded(
    loop: EventLoop, tmp_path: Path, *, reloads: bool
) -> None:
    sources, workspace = tmp_path / "sources", tmp_path / "alice"
    sources.mkdir()
    workspace.mkdir()
    (sources / "main.py").write_text(SERVER_OF_VERSION)
    (sources / "version.py").write_text("VERSION = 1")
    entry = ServerEntry(command=["python", str(sources / "main.py")], read_paths=[str(sources)])
    client = McpToolClient("version", entry, loop, os.environ, reloads=reloads)
    try:
        caller = ToolCaller(client, workspace)
        before = caller.value("version")
        (sources / "version.py").write_text("VERSION = 'two'")
        assert (before, caller.value("version")) == ("1", "two" if reloads else "1")
    finally:
        client.close()


def test_concurrent_calls_use_different_processes(raw: ToolCaller) -> None:
    with (
        raw.client.call("nap", {"seconds": 0.1}, raw.workspace, writes=True) as first,
        raw.client.call("nap", {"seconds": 0.1}, raw.workspace, writes=True) as second,
    ):
        pids = {json_of(first.receive(120)), json_of(second.receive(120))}

    assert len(pids) == 2


def test_idle_servers_over_the_limit_end(start_raw: StartRaw) -> None:
    raw = start_raw(limits=PoolLimits(max_idle=1))
    with (
        raw.client.call("pid", {}, raw.workspace, writes=True) as first,
        raw.client.call("pid", {}, raw.workspace, writes=True) as second,
    ):
        pids = [json_of(first.receive(120)), json_of(second.receive(120))]

    assert [is_pid_alive(pid) for pid in pids] == [False, True]


def test_dead_warm_server_is_replaced(raw: ToolCaller) -> None:
    before = raw.value("pid")
    os.kill(before, 9)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)

    assert raw.value("pid") != before


def test_close_ends_warm_servers(raw: ToolCaller) -> None:
    pid = raw.value("pid")
    raw.client.close()

    assert not is_pid_alive(pid)


def test_close_ends_running_calls(raw: ToolCaller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)
        raw.client.close()

        assert isinstance(running.receive(120), CallFailure)
    assert not any(map(is_pid_alive, pids))


def test_server_that_starts_during_close_ends_with_its_call(raw: ToolCaller, monkeypatch: pytest.MonkeyPatch) -> None:
    open_session = Session.open

    def open_during_close(session: Session, seconds: float) -> None:
        raw.client.close()
        open_session(session, seconds)

    monkeypatch.setattr(Session, "open", open_during_close)
    pid = raw.value("pid")
    assert not is_pid_alive(pid)


@pytest.mark.clause("v2.1:timeout:killed")
def test_kill_ends_a_blocking_tool_and_its_daemon(raw: ToolCaller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)
        assert all(map(is_pid_alive, pids))
        running.kill()

        assert not any(map(is_pid_alive, pids))
        assert isinstance(running.receive(120), CallFailure)


def test_kill_from_another_thread_wakes_the_receiver(raw: ToolCaller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids_of(running)
        killer = threading.Thread(target=running.kill)
        killer.start()
        failure = running.receive(120)
        killer.join()

    assert isinstance(failure, CallFailure)


def test_leaving_a_running_call_ends_its_server(raw: ToolCaller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)

    assert not any(map(is_pid_alive, pids))


def test_daemon_is_killed_after_a_call(raw: ToolCaller) -> None:
    server, daemon = raw.value("detached")

    assert not is_pid_alive(daemon)
    assert raw.value("pid") != server


def test_running_child_is_killed_after_a_call(raw: ToolCaller) -> None:
    _, child = raw.value("child")

    assert not is_pid_alive(child)


def test_server_stays_warm_if_its_children_have_exited(raw: ToolCaller) -> None:
    assert raw.value("briefly") == raw.value("pid")


def test_end_of_a_call_does_not_kill_processes_of_another_call(raw: ToolCaller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)
        raw.value("detached")

        assert all(map(is_pid_alive, pids))
        running.kill()


def test_processes_from_before_the_first_call_belong_to_the_server(loop: EventLoop, tmp_path: Path) -> None:
    command = ["sh", "-c", f"sleep 60 & exec {sys.executable} -S {SERVER_PROGRAMS}/raw.py"]
    client = McpToolClient("raw", ServerEntry(command=command, cwd=str(SERVER_PROGRAMS)), loop, os.environ)
    try:
        # The server is unprotected: changes of other programs in /tmp can arrive as events before the result.
        pids = {ToolCaller(client, tmp_path).value("pid") for _ in range(2)}
    finally:
        client.close()

    assert len(pids) == 1


def test_server_inherits_no_secrets_of_the_runner(start_raw: StartRaw) -> None:
    environ = {"PATH": os.environ["PATH"], "AWS_SECRET_ACCESS_KEY": "x", "SATCHEL_TABLE": "x", "OTHER": "x"}
    seen = start_raw(environ=environ).value("env")

    assert {name for name in seen if name.startswith(("AWS_", "SATCHEL_", "OTHER"))} == {"SATCHEL_WORKSPACE"}
    assert (seen["FROM_ENTRY"], seen["PATH"]) == ("yes", environ["PATH"])


def test_home_of_a_writing_tool_is_in_the_workspace(raw: ToolCaller) -> None:
    seen = raw.value("env")

    assert {Path(seen[name]).parent for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")} == {raw.workspace}
    assert Path(seen["TMPDIR"]).is_dir()


def test_folders_of_a_warm_server_are_recreated_in_an_emptied_workspace(raw: ToolCaller) -> None:
    pid = raw.value("pid")
    empty_directory(raw.workspace)
    seen = raw.value("env")

    assert raw.value("pid") == pid
    assert Path(seen["HOME"]).is_dir()


def test_home_of_a_reading_tool_is_a_scratch_directory_until_close(raw: ToolCaller) -> None:
    with raw.client.call("env", {}, None, writes=False) as running:
        seen = json_of(running.receive(120))
    scratch = Path(seen["HOME"]).parent

    assert scratch != raw.workspace
    assert scratch.is_dir()
    raw.client.close()
    assert not scratch.exists()


@pytest.mark.clause("v4:registry:command", "v4:registry:cwd")
def test_server_runs_in_its_directory(raw: ToolCaller) -> None:
    assert Path(raw.value("cwd")).name == "server_programs"


def test_older_handshake_is_tried_if_the_server_exits_on_the_current_one(start_raw: StartRaw) -> None:
    raw = start_raw("--strict")

    assert raw.value("pid") == raw.value("pid")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"command": ["python", "-S", "-c", "raise SystemExit(4)"]}, "ended with exit code 4 before it answered"),
        ({"command": ["no-such-program"]}, "cannot be started: there is no program 'no-such-program'"),
        ({"command": ["python"], "cwd": "/nowhere"}, "cannot be started: .*/nowhere"),
        (
            {"url": "http://127.0.0.1:9/mcp", "allow_private": True},
            "connection .* was lost: All connection attempts failed",
        ),
        ({"url": "http://127.0.0.1:9/mcp"}, r"127\.0\.0\.1 is not a public address: .*allow_private"),
        ({"url": "http://localhost:9/sse", "transport": "sse"}, "localhost is not a public address"),
    ],
)
def test_server_that_cannot_start_raises_tool_crashed_with_the_reason(
    loop: EventLoop, tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    client = McpToolClient("bad", ServerEntry.model_validate(entry), loop, os.environ)
    with pytest.raises(ToolCrashed, match=message), client.call("pid", {}, tmp_path, writes=True):
        pass
    with pytest.raises(ToolCrashed, match=message):
        client.list_tools()
    client.close()


def test_server_that_does_not_answer_in_time_raises_tool_crashed(loop: EventLoop, tmp_path: Path) -> None:
    entry = ServerEntry(command=["sleep", "60"])
    client = McpToolClient("silent", entry, loop, os.environ, start_seconds=0.5)
    message = r"did not answer within 0\.5 seconds"
    with pytest.raises(ToolCrashed, match=message), client.call("pid", {}, tmp_path, writes=True):
        pass
    with pytest.raises(ToolCrashed, match=message):
        client.list_tools()
    client.close()

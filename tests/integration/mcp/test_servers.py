"""Which process runs a call, what it knows, and what is left of it."""

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.pool import PoolLimits
from satchel.adapters.tree_removal import empty_directory
from satchel.contract.errors import ToolCrashed
from satchel.domain.conversation import ToolSpec
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure
from tests.integration.mcp.calling import Caller, StartRaw, pids_of, told
from tests.processes import pid_lives


def test_all_pages_of_the_tool_list_are_read(raw: Caller) -> None:
    tools = raw.client.list_tools()

    assert len(tools) == len({tool.name for tool in tools}) > 20
    assert tools[0] == ToolSpec(server="raw", name="echo", input_schema={"type": "object"})


def test_a_warm_server_is_used_again(raw: Caller) -> None:
    assert raw.value("pid") == raw.value("pid")


def test_two_calls_at_once_have_two_processes(raw: Caller) -> None:
    with (
        raw.client.call("nap", {"seconds": 0.1}, raw.workspace, writes=True) as first,
        raw.client.call("nap", {"seconds": 0.1}, raw.workspace, writes=True) as second,
    ):
        pids = {told(first.receive(30)), told(second.receive(30))}

    assert len(pids) == 2


def test_no_more_servers_stay_warm_than_allowed(start_raw: StartRaw) -> None:
    raw = start_raw(bounds=PoolLimits(max_idle=1))
    with (
        raw.client.call("pid", {}, raw.workspace, writes=True) as first,
        raw.client.call("pid", {}, raw.workspace, writes=True) as second,
    ):
        pids = [told(first.receive(30)), told(second.receive(30))]

    assert [pid_lives(pid) for pid in pids] == [False, True]


def test_a_warm_server_that_died_meanwhile_is_replaced(raw: Caller) -> None:
    before = raw.value("pid")
    os.kill(before, 9)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)

    assert raw.value("pid") != before


def test_close_ends_warm_servers(raw: Caller) -> None:
    pid = raw.value("pid")
    raw.client.close()

    assert not pid_lives(pid)


def test_close_ends_running_calls(raw: Caller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)
        raw.client.close()

        assert isinstance(running.receive(30), CallFailure)
    assert not any(map(pid_lives, pids))


@pytest.mark.clause("v2.1:timeout:killed")
def test_kill_ends_a_blocking_tool_and_its_daemon(raw: Caller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)
        assert all(map(pid_lives, pids))
        running.kill()

        assert not any(map(pid_lives, pids))
        assert isinstance(running.receive(30), CallFailure)


def test_kill_from_another_thread_wakes_who_waits(raw: Caller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids_of(running)
        killing = threading.Thread(target=running.kill)
        killing.start()
        failed = running.receive(30)
        killing.join()

    assert isinstance(failed, CallFailure)


def test_a_call_that_is_left_before_its_end_ends_its_server(raw: Caller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)

    assert not any(map(pid_lives, pids))


def test_a_daemon_is_gone_after_a_normal_call(raw: Caller) -> None:
    server, daemon = raw.value("detached")

    assert not pid_lives(daemon)
    assert raw.value("pid") != server


def test_a_forgotten_child_is_gone_after_a_normal_call(raw: Caller) -> None:
    _, child = raw.value("child")

    assert not pid_lives(child)


def test_a_tool_that_waits_for_its_children_keeps_its_server_warm(raw: Caller) -> None:
    assert raw.value("briefly") == raw.value("pid")


def test_ending_one_call_leaves_the_others_helpers_alone(raw: Caller) -> None:
    with raw.client.call("blocks", {}, raw.workspace, writes=True) as running:
        pids = pids_of(running)
        raw.value("detached")

        assert all(map(pid_lives, pids))
        running.kill()


def test_the_helpers_of_a_server_that_come_before_its_first_call_are_its_own(loop: EventLoop, tmp_path: Path) -> None:
    command = ["sh", "-c", f"sleep 60 & exec {sys.executable} -S {Path(__file__).parent}/servers/raw.py"]
    client = McpToolClient("raw", ServerEntry(command=command), loop, os.environ)
    try:
        pids = set()
        for _ in range(2):
            with client.call("pid", {}, tmp_path, writes=True) as running:
                pids.add(told(running.receive(30)))
    finally:
        client.close()

    assert len(pids) == 1


def test_a_server_knows_no_secret_of_the_runner(start_raw: StartRaw) -> None:
    environ = {"PATH": os.environ["PATH"], "AWS_SECRET_ACCESS_KEY": "x", "SATCHEL_TABLE": "x", "OTHER": "x"}
    seen = start_raw(environ=environ).value("env")

    assert not {name for name in seen if name.startswith(("AWS_", "SATCHEL_", "OTHER"))}
    assert (seen["FROM_ENTRY"], seen["PATH"]) == ("yes", environ["PATH"])


def test_a_writer_is_at_home_in_the_persons_directory(raw: Caller) -> None:
    seen = raw.value("env")

    assert {Path(seen[name]).parent for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")} == {raw.workspace}
    assert Path(seen["TMPDIR"]).is_dir()


def test_the_folders_of_a_warm_server_are_there_again_after_the_corner_was_cleared(raw: Caller) -> None:
    pid = raw.value("pid")
    empty_directory(raw.workspace)
    seen = raw.value("env")

    assert raw.value("pid") == pid
    assert Path(seen["HOME"]).is_dir()


def test_a_tool_that_does_not_write_is_at_home_somewhere_else_until_the_end(raw: Caller) -> None:
    with raw.client.call("env", {}, None, writes=False) as running:
        seen = told(running.receive(30))
    scratch = Path(seen["HOME"]).parent

    assert scratch != raw.workspace
    assert scratch.is_dir()
    raw.client.close()
    assert not scratch.exists()


@pytest.mark.clause("v4:registry:command", "v4:registry:cwd")
def test_a_server_runs_in_its_directory(raw: Caller) -> None:
    assert Path(raw.value("cwd")).name == "servers"


def test_a_server_that_hangs_up_on_the_current_greeting_is_greeted_in_the_older_way(start_raw: StartRaw) -> None:
    raw = start_raw("--strict")

    assert raw.value("pid") == raw.value("pid")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": ["python", "-S", "-c", "raise SystemExit(4)"]}, "ended with exit code 4 before it answered"),
        ({"command": ["no-such-program"]}, "cannot be started: there is no program 'no-such-program'"),
        ({"command": ["python"], "cwd": "/nowhere"}, "cannot be started: .*/nowhere"),
        ({"command": ["sleep", "60"]}, r"did not answer within 0\.5 seconds"),
        (
            {"url": "http://127.0.0.1:9/mcp", "allow_private": True},
            "connection .* was lost: All connection attempts failed",
        ),
        ({"url": "http://127.0.0.1:9/mcp"}, r"127\.0\.0\.1 is not a public address: .*allow_private"),
        ({"url": "http://localhost:9/sse", "transport": "sse"}, "localhost is not a public address"),
    ],
)
def test_a_server_that_cannot_start_is_a_crash_that_says_why(
    loop: EventLoop, tmp_path: Path, entry: dict[str, Any], said: str
) -> None:
    client = McpToolClient("bad", ServerEntry.model_validate(entry), loop, os.environ, start_seconds=0.5)
    with pytest.raises(ToolCrashed, match=said), client.call("pid", {}, tmp_path, writes=True):
        pass
    with pytest.raises(ToolCrashed, match=said):
        client.list_tools()
    client.close()

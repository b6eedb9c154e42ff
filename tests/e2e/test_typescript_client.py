"""The TypeScript client: packed and installed into an environment of its own, and over connections that break."""

import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import ROOT, SystemProcess
from tests.e2e.typescript_package import NODE_22, compile_strictly, examples, install, pack, run
from tests.e2e.user_client import LOCAL_KEY, Json, UserClient
from tests.e2e.web.dropping_proxy import DroppingProxy

PROGRAMS = ROOT / "tests/e2e/typescript_client"
ENVIRONMENT = ROOT / ".venv/client-node"

INSTALLED = {"@satchel/client", "openapi-fetch", "openapi-typescript-helpers"}
MAX_PACKAGE_BYTES = 80_000
CUTS = 50
CUT_INTERVAL_SECONDS = 0.05  # cuts some connections while they wait for events, others during a request
CALL = '/trial.log_lines {"lines": 200, "seconds": 4, "then_wait": 250}'  # runs until it is stopped

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packed client and its requirements only."""
    folder = tmp_path_factory.mktemp("typescript")
    packed = pack(folder)
    assert packed.stat().st_size < MAX_PACKAGE_BYTES
    environment = folder / "environment"
    shutil.copytree(ENVIRONMENT, environment)
    install(packed, environment)
    dependencies = json.loads(run("npm", "ls", "--all", "--json", cwd=environment))["dependencies"]
    assert _names(dependencies) == INSTALLED
    return environment


def _names(dependencies: Json) -> set[str]:
    installed = {name: each for name, each in dependencies.items() if "version" in each}  # others are optional peers
    nested = [_names(each.get("dependencies", {})) for each in installed.values()]
    return set(installed).union(*nested)


def test_example_of_the_readme_compiles_and_runs_with_the_installed_package(
    environment: Path, system: SystemProcess
) -> None:
    example = examples()[0]
    (environment / "example.mts").write_text(example)
    compile_strictly("example.mts", cwd=environment)
    (environment / "example.mjs").write_text(example)  # it uses no syntax of TypeScript

    output = run("node", "example.mjs", cwd=environment, SATCHEL_URL=system.url, SATCHEL_TOKEN=LOCAL_KEY)

    assert (environment / "sales_report.html").read_text().startswith("<!")
    assert (environment / "sales_chart.png").read_bytes().startswith(b"\x89PNG")
    links = [line for line in output.splitlines() if line.startswith("http")]
    assert [httpx2.get(link, timeout=60).status_code for link in links] == [200, 200]


def test_transfers_resume_and_other_operations_work(
    environment: Path, system: SystemProcess, new_user: NewUser
) -> None:
    shutil.copy(PROGRAMS / "transfer.mjs", environment)
    identity = json.dumps({"url": system.url, "token": LOCAL_KEY, "user": new_user().name})

    result = json.loads(run("node", "transfer.mjs", identity, cwd=environment))

    assert "42" in result.pop("message")
    assert result == {
        "interrupted": "AbortError",
        "unfinished": ["big.bin"],
        "resumed": 18 << 20,
        "isWhole": True,
        "isRest": True,
        "title": "second",
        "turns": 1,
        "links": 1,
        "keyed": ["1 0", "1 0", "1 2", "1 2"],  # the version of each upload, and the first one of the same file
        "deleted": [412, 204],
        "shared": [1, 2],  # one link with two URLs, of which only the second works
        "tokens": [1, 2],
        "missing": "E_FILE_NOT_FOUND",
    }


@pytest.mark.parametrize("polls", [False, True], ids=["WebSocket", "polling"])
def test_no_event_is_lost_or_doubled_over_fifty_broken_connections(
    polls: bool,  # noqa: FBT001  (a parameter of the test)
    environment: Path,
    system: SystemProcess,
    new_user: NewUser,
) -> None:
    if not NODE_22.exists():
        pytest.skip("this machine has no Node 22 for Linux")
    user = new_user()
    shutil.copy(PROGRAMS / "follow.mjs", environment)
    session_id = user.create_session()
    turn_id = user.start_turn(session_id, CALL)["turn_id"]
    path = f"/api/sessions/{session_id}/turns/{turn_id}"
    arguments = {"url": system.url, "token": LOCAL_KEY, "user": user.name, "sessionId": session_id, "turnId": turn_id}

    def follow(proxy: str) -> str:
        variables = {"NODE_USE_ENV_PROXY": "1", "HTTP_PROXY": proxy}
        return run(NODE_22, "follow.mjs", json.dumps({**arguments, "polls": polls}), cwd=environment, **variables)

    proxy, cuts = DroppingProxy(), 0
    with proxy.running() as proxy_url, ThreadPoolExecutor(1) as pool:
        received = pool.submit(follow, proxy_url)
        while cuts < CUTS and not received.done():
            time.sleep(CUT_INTERVAL_SECONDS)
            cuts += proxy.drop_all() > 0
        user.request("DELETE", path)
        events = [json.loads(line) for line in received.result().splitlines()]

    assert cuts == CUTS
    assert events == _all_events(user, path)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "turn_failed"


def _all_events(user: UserClient, path: str) -> list[Json]:
    events: list[Json] = []
    while True:
        after = events[-1]["seq"] if events else 0
        page = user.request("GET", f"{path}/events", params={"after": after}).json()
        events += page["events"]
        if page["done"]:
            return events

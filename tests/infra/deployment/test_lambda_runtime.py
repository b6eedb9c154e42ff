"""Every function runs in AWS's runtime client with its own layers and variables, and nothing else that is installed.

A user's turn, a connection, the rules and the custom resources of the deployment invoke the functions in moto. The
runtime has the oldest boto3 that is supported (requirements/lambda-runtime.in).
"""

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.packing import sizes
from infra.sources import FUNCTIONS
from local.emulator.aws.lambda_host import Function
from local.emulator.aws.moto_patches import execution_events
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.runners.context import Handler, LambdaContext
from tests.infra.conftest import read_stacks
from tests.infra.deployment.assembly import stacks_of
from tests.infra.deployment.scenario import Scenario, wait_until
from tests.infra.deployment.system import DeployedSystem, created
from tests.infra.templates import name_of
from tests.lambda_runtime import layers
from tests.lambda_runtime.environment import Code, Environment
from tests.lambda_runtime.functions import LambdaFunctions
from tests.lambda_runtime.runtime_api import invocation

pytestmark = [pytest.mark.synth, pytest.mark.timeout(900)]
FAILED = "failed: "
MAX_SECONDS = 300.0  # this machine may start functions more slowly than AWS


class OptFolders:
    """The content of ``/opt`` for functions. Functions with the same layers share a folder."""

    def __init__(self, assembly: Path, scratch: Path) -> None:
        self._scratch = scratch
        self._stacks = {key: stack for stack in stacks_of(assembly) for key in stack.template["Resources"]}
        self._contents = {
            f"Layers{name.replace('-', '')}": each for name, each in sizes.layers_of(layers.this_machine()).items()
        }
        self._merged: dict[tuple[Path, ...], Path] = {}

    def of_function(self, logical_id: str) -> Path:
        resource = self._stacks[logical_id].template["Resources"][logical_id]
        used = tuple(self._layer(reference["Ref"]) for reference in resource["Properties"]["Layers"])
        if used not in self._merged:
            self._merged[used] = self._scratch / f"opt{len(self._merged)}"
            layers.merge(used, self._merged[used])
        return self._merged[used]

    def _layer(self, logical_id: str) -> Path:
        """Return the folder of a layer. The assembly has those with files of this checkout, but no packages."""
        contents = self._contents.get(name_of(logical_id))
        if contents is None or contents.quick:
            return self._stacks[logical_id].code_of(logical_id)
        return layers.build(contents)


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A folder that the functions' user can read, on the file system of the built layers."""
    folder = layers.BUILT / f"run-{uuid.uuid4().hex[:8]}"
    folder.mkdir(parents=True)
    yield folder
    layers.remove(folder)


@pytest.fixture(scope="module")
def outcomes(assembly: Path, scratch: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The results of all invocations as JSON text, by function."""
    logs = tmp_path_factory.mktemp("logs")
    results: dict[str, list[str]] = defaultdict(list)
    with created(assembly, tmp_path_factory.mktemp("deployment")) as system:
        opt_folders = OptFolders(assembly, scratch)
        codes = {
            each.name: Code(
                name=each.name,
                folder=each.code,
                opt=opt_folders.of_function(each.logical_id),
                variables={**each.environment, **system.cloud.environ},
            )
            for each in system.functions.values()
        }
        with LambdaFunctions(codes, logs) as functions:
            for label, each in system.functions.items():
                run = recorded(functions.handler(each.name), results[label])
                HOST.register(Function(each.name, run, MAX_SECONDS))
            execution_events.set_listener(system.publish_event)
            run_all(system, results)
            execution_events.set_listener(None)
    return dict(results)


def recorded(handler: Handler, results: list[str]) -> Handler:
    def handle(event: object, context: LambdaContext) -> object:
        try:
            result = handler(event, context)
        except Exception as error:
            results.append(f"{FAILED}{error}")
            raise
        results.append(json.dumps(result))
        return result

    return handle


def run_all(system: DeployedSystem, results: dict[str, list[str]]) -> None:
    """Let each function do its work once."""
    system.invoke("Refresh", {"source": "aws.cloudformation"})
    scenario = Scenario(system)
    scenario.publish_page()
    socket = scenario.connect()
    socket.disconnect()
    turn = scenario.user.ask(scenario.session_id, '/calculator.evaluate {"expression": "6 * 7"}')
    assert turn["status"] == "complete", turn
    assert [call["results"]["result"] for call in turn["tool_calls"]] == [42], turn
    call = turn["tool_calls"][0]["call_id"]
    ids = {"user": scenario.user.name, "session_id": scenario.session_id, "turn_id": turn["turn_id"], "call_id": call}
    system.invoke("Finish", {**ids, "round": 2})  # the state machine calls it only for turns without an answer
    scenario.rotate_keys()
    assert scenario.user.request("DELETE", f"/api/sessions/{scenario.session_id}").is_success
    confirmation = scenario.user.request("DELETE", "/api/me").json()["confirm_token"]
    assert scenario.user.request("DELETE", "/api/me", headers={"X-Satchel-Confirm": confirmation}).is_success
    system.run_schedules()
    scenario.empty_the_page_bucket()
    wait_until(lambda: all(results[label] for label in system.functions))


def test_every_function_answers_with_its_own_layers_alone(outcomes: dict[str, list[str]], assembly: Path) -> None:
    assert outcomes.keys() == read_stacks(assembly).functions().keys()
    assert {label: results for label, results in outcomes.items() if not results} == {}
    assert [each for results in outcomes.values() for each in results if each.startswith(FAILED)] == []


def test_page_function_answers_with_its_own_layers_alone(synthesized: Path, scratch: Path, tmp_path: Path) -> None:
    folder = synthesized / "without_site"
    stacks = read_stacks(folder)
    (logical_id,) = [key for key in stacks.service["Resources"] if name_of(key) == "Page"]
    opt = OptFolders(folder, scratch / "page").of_function(logical_id)
    code = Code("page", FUNCTIONS / "page", opt, stacks.environment("Page"))
    environment = Environment(code, tmp_path / "log")
    try:
        answer = environment.invoke(invocation({"rawPath": "/"}, arn="arn", seconds=60))
    finally:
        environment.close()

    assert answer["statusCode"] == 200
    assert answer["isBase64Encoded"]

"""The deployed system: both stacks in moto, and each function as a process with the environment of its template."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3

from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.lambda_host import Function
from local.emulator.aws.moto_patches import execution_events
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.aws.stream_reader import matches_pattern
from local.emulator.runners.context import Handler, InvocationError, LambdaContext
from local.emulator.runners.fork_server import ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from local.emulator.workspaces import Workspaces
from satchel.domain.ids import UserName
from tests.infra.deployment import function_process, resource_types
from tests.infra.deployment.assembly import Json, Stack, bootstrap, stacks_of
from tests.infra.templates import name_of

_MAX_PROCESSES = 64
_PRELOAD = "tests.infra.deployment.function_preload"  # imported by the fork server only: it loads all functions
_NO_TENANT = "-"  # the tenant of functions without tenant isolation


@dataclass(frozen=True)
class DeployedFunction:
    """A created function. ``label`` is its readable name in the template, ``name`` its real one."""

    label: str
    logical_id: str
    name: str
    code: Path
    per_tenant: bool
    configuration: Mapping[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        """Return the function's variables."""
        variables: dict[str, str] = self.configuration.get("Environment", {}).get("Variables", {})
        return variables

    @property
    def role(self) -> str:
        """Return the name of the function's role."""
        return str(self.configuration["Role"]).rpartition("/")[2]


class DeployedSystem:
    """The running system. For each function, ``call_logs`` has its AWS requests, and ``spans`` their times."""

    def __init__(self, stacks: list[Stack], cloud: LocalCloud, call_logs: Path) -> None:
        self.stacks = stacks
        self.cloud = cloud
        self.call_logs = call_logs
        users = call_logs.with_name("users")
        users.mkdir()
        self.workspaces = Workspaces(users)
        self.spans = call_logs.with_name("spans")
        self.spans.mkdir()
        self.opt = call_logs.with_name("opt")
        self._running: dict[str, Function] = {}
        self._clients: dict[str, Any] = {}
        self._clock_offset = call_logs.with_name("clock_offset")
        self.set_clock_offset(timedelta())
        self._model_seconds = call_logs.with_name("model_seconds")
        self.set_model_time(timedelta())

    def set_clock_offset(self, offset: timedelta) -> None:
        """Set the clocks of all functions forward by this offset from the real time."""
        self._clock_offset.write_text(str(offset.total_seconds()), encoding="utf-8")

    def set_model_time(self, time: timedelta) -> None:
        """Let the model wait before its first text."""
        self._model_seconds.write_text(str(time.total_seconds()), encoding="utf-8")

    def client(self, service: str) -> Any:  # noqa: ANN401  (a boto3 client)
        """Return a cached client for a service, because creating one takes longer than most requests."""
        if service not in self._clients:
            self._clients[service] = boto3.client(service)  # type: ignore[call-overload]  # any service
        return self._clients[service]

    @cached_property
    def functions(self) -> dict[str, DeployedFunction]:
        """Return all functions by their readable names."""
        resources = ((stack, each) for stack in self.stacks for each in self._created[stack.name])
        functions = [self._deployed(stack, each) for stack, each in resources if _is(each, "Lambda::Function")]
        return {each.label: each for each in functions}

    def physical_ids(self, type_: str) -> dict[str, str]:
        """Return the physical ids (``Ref``) of the resources of a type by readable name."""
        resources = (each for created in self._created.values() for each in created if _is(each, type_))
        return {name_of(each["LogicalResourceId"]): each["PhysicalResourceId"] for each in resources}

    @cached_property
    def _created(self) -> dict[str, list[Json]]:
        """Return the resources of each stack."""
        client = self.client("cloudformation")
        return {
            stack.name: client.describe_stack_resources(StackName=stack.name)["StackResources"] for stack in self.stacks
        }

    def outputs(self) -> dict[str, str]:
        """Return the outputs of the stacks."""
        client = self.client("cloudformation")
        outputs = (
            client.describe_stacks(StackName=stack.name)["Stacks"][0].get("Outputs", []) for stack in self.stacks
        )
        return {each["OutputKey"]: each["OutputValue"] for of_stack in outputs for each in of_stack}

    def invoke(self, label: str, event: object) -> Any:  # noqa: ANN401  (any JSON)
        """Invoke a function and return its result."""
        result = HOST.invoke(self.functions[label].name, event)
        assert not result.failed, result.payload
        return json.loads(result.payload)

    def publish_event(self, event: Mapping[str, Any]) -> list[str]:
        """Send an event to the targets of all matching rules, and return the names of their functions."""
        rules = self.client("events").list_rules()["Rules"]
        matching = [
            rule
            for rule in rules
            if "EventPattern" in rule and matches_pattern(json.loads(rule["EventPattern"]), event)
        ]
        names = [name for rule in matching for name in self._targets(rule["Name"])]
        for name in names:
            HOST.invoke_later(name, dict(event))
        return names

    def run_schedules(self) -> None:
        """Invoke the targets of all rules with a schedule, and wait for them."""
        rules = self.client("events").list_rules()["Rules"]
        for name in [name for rule in rules if "ScheduleExpression" in rule for name in self._targets(rule["Name"])]:
            result = HOST.invoke(name, {"source": "aws.events"})
            assert not result.failed, result.payload

    def runner_functions(self) -> list[RunnerFunction]:
        """Return the code, environment and timeout of each function for the environment pool."""
        return [self._runner_function(each) for each in self.functions.values()]

    def register(self, pool: EnvironmentPool) -> None:
        """Register the functions, so that moto can invoke them."""
        for each in self.functions.values():
            run = self._with_workspace(pool.handler(each.name)) if each.per_tenant else _shared(pool, each.name)
            self._running[each.label] = Function(each.name, run, each.configuration["Timeout"])
            HOST.register(self._running[each.label])

    @contextmanager
    def disabled(self, label: str) -> Iterator[None]:
        """Replace a function by one that does nothing, within a ``with`` block."""
        HOST.register(Function(self.functions[label].name, lambda _event, _context: None, 60))
        try:
            yield
        finally:
            HOST.register(self._running[label])

    @contextmanager
    def dying_first_rounds(self) -> Iterator[None]:
        """Let the process of each first round of a turn die at once, within a ``with`` block."""
        think = self._running["Think"]

        def run(event: Any, context: LambdaContext) -> object:  # noqa: ANN401  (a payload)
            if event.get("has_execution") is False:
                raise InvocationError(
                    "Runtime.ExitError", "RequestId: 1 Error: Runtime exited with error: signal: killed"
                )
            return think.handler(event, context)

        HOST.register(replace(think, handler=run))
        try:
            yield
        finally:
            HOST.register(think)

    def _deployed(self, stack: Stack, resource: Json) -> DeployedFunction:
        logical, name = resource["LogicalResourceId"], resource["PhysicalResourceId"]
        return DeployedFunction(
            label=name_of(logical),
            logical_id=logical,
            name=name,
            code=stack.code_of(logical),
            per_tenant="TenancyConfig" in stack.template["Resources"][logical]["Properties"],
            configuration=self.client("lambda").get_function_configuration(FunctionName=name),
        )

    def _runner_function(self, each: DeployedFunction) -> RunnerFunction:
        of_lambda = {"AWS_LAMBDA_FUNCTION_NAME": each.name}
        of_tests = {
            function_process.CODE: str(each.code),
            function_process.CALL_LOG: str(self.call_logs / each.label),
            function_process.SPANS: str(self.spans / each.label),
            function_process.OPT: str(self.opt),
            function_process.CLOCK_OFFSET: str(self._clock_offset),
            function_process.MODEL_SECONDS: str(self._model_seconds),
        }
        return RunnerFunction(
            name=each.name,
            target=f"{function_process.__name__}:handler",
            settings={**each.environment, **self.cloud.environ, **of_lambda, **of_tests},
            timeout=each.configuration["Timeout"],
        )

    def unpack_layers(self) -> None:
        """Copy the layers with servers and page to the folder that replaces ``/opt``. No other layer has data files.

        All functions share this folder, so the layer with the entries of all servers is copied last.
        """
        layers = ((stack, key) for stack in self.stacks for key in stack.template["Resources"])
        data_layers = [(stack, key) for stack, key in layers if name_of(key).startswith(("LayersServer", "LayersPage"))]
        for stack, key in sorted(data_layers, key=lambda each: name_of(each[1]) == "LayersServers"):
            shutil.copytree(stack.code_of(key), self.opt, dirs_exist_ok=True)

    def _targets(self, rule: str) -> list[str]:
        targets = self.client("events").list_targets_by_rule(Rule=rule)["Targets"]
        return [target["Arn"].split(":function:")[1] for target in targets if ":function:" in target["Arn"]]

    def _with_workspace(self, run: Handler) -> Handler:
        def handle(event: object, context: LambdaContext) -> object:
            if context.tenant_id and not context.tenant_id.startswith("_"):
                self.workspaces.add(UserName(context.tenant_id))
            return run(event, context)

        return handle


@contextmanager
def created(folder: Path, scratch: Path) -> Iterator[DeployedSystem]:
    """Create the stacks of the assembly in ``folder``, without processes for their functions."""
    call_logs = scratch / "call_logs"
    call_logs.mkdir()
    with LocalCloud() as cloud:
        resource_types.install()
        bootstrap()
        stacks = stacks_of(folder)
        for each in stacks:
            each.create()
        system = DeployedSystem(stacks, cloud, call_logs)
        try:
            yield system
        finally:
            system.workspaces.remove_all()


@contextmanager
def deploy(folder: Path, scratch: Path) -> Iterator[DeployedSystem]:
    """Deploy the assembly in ``folder`` and run it, with call logs and logs in ``scratch``."""
    logs = scratch / "logs"
    logs.mkdir()
    with ExitStack() as stack:
        system = stack.enter_context(created(folder, scratch))
        system.unpack_layers()
        pool = EnvironmentPool(
            system.runner_functions(),
            log_dir=logs,
            max_environments=_MAX_PROCESSES,
            fork_server=ForkServer([_PRELOAD]),
        )
        system.register(stack.enter_context(pool))
        execution_events.set_listener(system.publish_event)
        stack.callback(execution_events.set_listener, None)
        yield system


def _is(resource: Json, type_: str) -> bool:
    return bool(resource["ResourceType"] == f"AWS::{type_}")


def _shared(pool: EnvironmentPool, name: str) -> Handler:
    def handle(event: object, context: LambdaContext) -> object:
        arn = context.invoked_function_arn
        return pool.invoke(name, _NO_TENANT, event, asynchronous=context.asynchronous, arn=arn)

    return handle

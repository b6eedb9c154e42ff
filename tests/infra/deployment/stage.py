"""Both stacks in moto, and each of their functions as a process with the environment that its template gives it."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3

from local.aws.cloud import LocalCloud
from local.aws.functions import Function
from local.aws.seams import status_changes
from local.aws.seams.lambda_invoke import HOST
from local.aws.stream_reader import matches
from local.corners import Corners
from local.runners.context import Handler, LambdaContext
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from tests.infra.deployment import inside, types
from tests.infra.deployment.assembly import Json, Stack, bootstrap, stacks_of
from tests.infra.templates import name_of

_MOST_PROCESSES = 64
_ANYBODY = "-"  # who the environments of functions without tenants belong to


@dataclass(frozen=True)
class Deployed:
    """A function as it was created. ``who`` is its readable name in the template, ``code`` its folder."""

    who: str
    name: str
    code: Path
    per_tenant: bool
    configuration: Mapping[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        """Return its variables."""
        variables: dict[str, str] = self.configuration.get("Environment", {}).get("Variables", {})
        return variables

    @property
    def role(self) -> str:
        """Return its role's name."""
        return str(self.configuration["Role"]).rpartition("/")[2]


class Stage:
    """What was deployed, running. ``notes`` holds what each function asked of AWS, in a file of its name."""

    def __init__(self, stacks: list[Stack], cloud: LocalCloud, notes: Path) -> None:
        self.stacks = stacks
        self.cloud = cloud
        self.notes = notes
        self.corners = Corners()
        self.opt = notes.with_name("opt")
        self._running: dict[str, Function] = {}
        self._clients: dict[str, Any] = {}
        self._later = notes.with_name("later")
        self.pass_time(timedelta())

    def pass_time(self, span: timedelta) -> None:
        """Have all functions live so much later than it is."""
        self._later.write_text(str(span.total_seconds()), encoding="utf-8")

    def client(self, service: str) -> Any:  # noqa: ANN401  (a boto3 client)
        """Return the client for a service; making one takes longer than most of what is asked of it."""
        if service not in self._clients:
            self._clients[service] = boto3.client(service)  # type: ignore[call-overload]  # any service
        return self._clients[service]

    @cached_property
    def functions(self) -> dict[str, Deployed]:
        """Return all functions by their readable names."""
        found = ((stack, each) for stack in self.stacks for each in self._created[stack.name])
        functions = [self._deployed(stack, each) for stack, each in found if _is(each, "Lambda::Function")]
        return {each.who: each for each in functions}

    def physical(self, kind: str) -> dict[str, str]:
        """Return the resources of a type by readable name: what ``Ref`` gives."""
        found = (each for created in self._created.values() for each in created if _is(each, kind))
        return {name_of(each["LogicalResourceId"]): each["PhysicalResourceId"] for each in found}

    @cached_property
    def _created(self) -> dict[str, list[Json]]:
        """The resources of each stack."""
        client = self.client("cloudformation")
        return {
            stack.name: client.describe_stack_resources(StackName=stack.name)["StackResources"] for stack in self.stacks
        }

    def outputs(self) -> dict[str, str]:
        """Return what the stacks tell at their end."""
        client = self.client("cloudformation")
        told = (client.describe_stacks(StackName=stack.name)["Stacks"][0].get("Outputs", []) for stack in self.stacks)
        return {each["OutputKey"]: each["OutputValue"] for outputs in told for each in outputs}

    def invoke(self, who: str, event: object) -> Any:  # noqa: ANN401  (any JSON)
        """Call a function and return its answer."""
        outcome = HOST.invoke(self.functions[who].name, event)
        assert not outcome.failed, outcome.payload
        return json.loads(outcome.payload)

    def happened(self, event: Mapping[str, Any]) -> list[str]:
        """Send an event to the targets of all rules whose pattern it fits; return their functions, by real name."""
        rules = self.client("events").list_rules()["Rules"]
        fitting = [
            rule for rule in rules if "EventPattern" in rule and matches(json.loads(rule["EventPattern"]), event)
        ]
        names = [name for rule in fitting for name in self._targets(rule["Name"])]
        for name in names:
            HOST.invoke_later(name, dict(event))
        return names

    def tick(self) -> None:
        """Let the time come for every rule that has a schedule, and wait for what it calls."""
        rules = self.client("events").list_rules()["Rules"]
        for name in [name for rule in rules if "ScheduleExpression" in rule for name in self._targets(rule["Name"])]:
            outcome = HOST.invoke(name, {"source": "aws.events"})
            assert not outcome.failed, outcome.payload

    def runner_functions(self) -> list[RunnerFunction]:
        """Return how each function runs: its code, its environment, its time-out."""
        return [self._runner_function(each) for each in self.functions.values()]

    def register(self, pool: EnvironmentPool) -> None:
        """Have the functions run wherever moto calls one."""
        for each in self.functions.values():
            run = self._noting(pool.handler(each.name)) if each.per_tenant else _shared(pool, each.name)
            self._running[each.who] = Function(each.name, run, each.configuration["Timeout"])
            HOST.register(self._running[each.who])

    @contextmanager
    def without(self, who: str) -> Iterator[None]:
        """Have a function do nothing for a while: what it is called for is left for later."""
        HOST.register(Function(self.functions[who].name, lambda _event, _context: None, 60))
        try:
            yield
        finally:
            HOST.register(self._running[who])

    def _deployed(self, stack: Stack, resource: Json) -> Deployed:
        logical, name = resource["LogicalResourceId"], resource["PhysicalResourceId"]
        return Deployed(
            who=name_of(logical),
            name=name,
            code=stack.code_of(logical),
            per_tenant="TenancyConfig" in stack.template["Resources"][logical]["Properties"],
            configuration=self.client("lambda").get_function_configuration(FunctionName=name),
        )

    def _runner_function(self, each: Deployed) -> RunnerFunction:
        of_lambda = {"AWS_LAMBDA_FUNCTION_NAME": each.name}
        of_ours = {
            inside.CODE: str(each.code),
            inside.NOTES: str(self.notes / each.who),
            inside.OPT: str(self.opt),
            inside.LATER: str(self._later),
        }
        return RunnerFunction(
            name=each.name,
            target=f"{inside.__name__}:handler",
            settings={**each.environment, **self.cloud.environ, **of_lambda, **of_ours},
            timeout=each.configuration["Timeout"],
        )

    def unpack_layers(self) -> None:
        """Put servers and page where functions look for them; of all layers these alone are read as files.

        All functions share the place here, so the file with all servers' entries comes last.
        """
        layers = ((stack, key) for stack in self.stacks for key in stack.template["Resources"])
        found = [(stack, key) for stack, key in layers if name_of(key).startswith(("LayersServer", "LayersPage"))]
        for stack, key in sorted(found, key=lambda each: name_of(each[1]) == "LayersServers"):
            shutil.copytree(stack.code_of(key), self.opt, dirs_exist_ok=True)

    def _targets(self, rule: str) -> list[str]:
        targets = self.client("events").list_targets_by_rule(Rule=rule)["Targets"]
        return [target["Arn"].split(":function:")[1] for target in targets if ":function:" in target["Arn"]]

    def _noting(self, run: Handler) -> Handler:
        def handle(event: object, context: LambdaContext) -> object:
            if context.tenant_id and not context.tenant_id.startswith("_"):
                self.corners.note(context.tenant_id)
            return run(event, context)

        return handle


@contextmanager
def on_stage(folder: Path, scratch: Path) -> Iterator[Stage]:
    """Deploy what was synthesised into ``folder`` and run it; ``scratch`` is for notes and logs."""
    notes, logs = scratch / "notes", scratch / "logs"
    for each in (notes, logs):
        each.mkdir()
    with ExitStack() as stack:
        cloud = stack.enter_context(LocalCloud())
        types.install()
        bootstrap()
        stacks = stacks_of(folder)
        for made in stacks:
            made.create()
        stage = Stage(stacks, cloud, notes)
        stage.unpack_layers()
        stack.callback(stage.corners.clear)
        pool = EnvironmentPool(stage.runner_functions(), log_dir=logs, most=_MOST_PROCESSES, preload=[inside.__name__])
        stage.register(stack.enter_context(pool))
        status_changes.listen(stage.happened)
        stack.callback(status_changes.listen, None)
        yield stage


def _is(resource: Json, kind: str) -> bool:
    return bool(resource["ResourceType"] == f"AWS::{kind}")


def _shared(pool: EnvironmentPool, name: str) -> Handler:
    def handle(event: object, context: LambdaContext) -> object:
        arn = context.invoked_function_arn
        return pool.invoke(name, _ANYBODY, event, asynchronous=context.asynchronous, arn=arn)

    return handle

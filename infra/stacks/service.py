"""The code and what it runs on. It keeps nothing, so it may be deleted and made anew."""

from collections.abc import Mapping

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.constructs import grants
from infra.constructs.bundling import Target
from infra.constructs.call_role import CallRole
from infra.constructs.function import PythonFunction
from infra.constructs.grants import may
from infra.constructs.key_rotation import KeyRotation
from infra.constructs.models import may_ask
from infra.constructs.runner import Runners
from infra.constructs.shelf import Shelf, Vendor
from infra.constructs.socket_api import SocketApi
from infra.constructs.sweep import Sweep
from infra.constructs.tool_refresh import ToolRefresh
from infra.constructs.turn_stream import TurnStream
from infra.constructs.turn_workflow import TurnWorkflow, turn_machine_arn
from infra.constructs.web_api import WebApi
from infra.limits import (
    API_SECONDS,
    APPROVAL_SECONDS,
    CLEAR_SECONDS,
    ERASE_SECONDS,
    MAX_BODY_BYTES,
    MAX_INPUT_BYTES,
    MODEL_SECONDS,
    REFRESH_SECONDS,
    STEP_SECONDS,
    SWEEP_MINUTES,
    SWEEP_SECONDS,
    THINK_SECONDS,
    TOOL_TIMES,
    TOOLS_KEPT_SECONDS,
)
from infra.settings import Settings
from infra.stacks.data import DataStack

_MEMORY_MB = 512


class ServiceStack(Stack):
    """Each function with its environment and, right below, what it may do."""

    def __init__(self, scope: Construct, id_: str, *, settings: Settings, data: DataStack) -> None:
        super().__init__(scope, id_, description="Satchel: functions, turn machine and HTTP API")
        self._settings, self._data = settings, data
        self._machine_name = f"{settings.name}-turn"
        self._machine_arn = turn_machine_arn(self, self._machine_name)
        self._stores = {"SATCHEL_TABLE": data.table.table_name, "SATCHEL_BUCKET": data.bucket.bucket_name}
        self._shelf = Shelf(self, "Layers", target=Target(settings.architecture), servers=settings.servers)
        self._servers = {"SATCHEL_MCP_CONFIG": self._shelf.mcp_config}
        sign_in = data.sign_in
        self._web = WebApi(
            self,
            "Web",
            name=settings.name,
            issuer=sign_in.issuer,
            audience=sign_in.audience,
            origins=settings.web_origins,
        )
        self._url = settings.public_url or self._web.url
        self._sockets = SocketApi(self, "Socket", name=settings.name)
        origins = ",".join(settings.canvas_origins)
        self._canvas = {"SATCHEL_CANVAS_ORIGINS": origins} if origins else {}
        self._sessions = {"SATCHEL_PERSIST_FILES_ACROSS_SESSIONS": str(settings.persist_files_across_sessions).lower()}
        self._models = settings.of_models
        self._sizes = {"SATCHEL_MAX_FILE_SIZE_BYTES": str(settings.max_file_size_bytes)}
        walls = {
            "SATCHEL_MIN_ISOLATION": settings.min_isolation,
            "SATCHEL_VIOLATION_POLICY": settings.violation_policy,
        }
        runners = Runners(
            self,
            "Run",
            settings=settings,
            shelf=self._shelf,
            environment=self._stores | self._sizes | walls,
            machine_arn=self._machine_arn,
        )
        workflow = TurnWorkflow(
            self,
            "Turn",
            name=self._machine_name,
            think=self._think(),
            approval=self._approval(),
            dispatch=self._dispatch(runners),
            normalize=self._normalize(),
            finish=self._finish(),
        )
        KeyRotation(self, "KeyRotation", secret=data.capability_secret, shelf=self._shelf)
        erase = self._erase(workflow)
        self._web.serve(self._api(workflow, erase, self._end_session()))
        Sweep(self, "Sweep", function=self._expire(erase), minutes=SWEEP_MINUTES)
        self._sockets.serve(self._socket_function(workflow))
        TurnStream(self, "TurnStream", table=data.table, push=self._push())
        ToolRefresh(self, "ToolRefresh", function=self._refresh(runners))
        CfnOutput(self, "Url", value=self._url, description="Where the API is reached")

    def _api(self, workflow: TurnWorkflow, erase: PythonFunction, end_session: PythonFunction) -> PythonFunction:
        machine = workflow.machine
        api = self._function(
            "api",
            vendor="api",
            seconds=API_SECONDS,
            environment={
                **self._servers,
                **self._canvas,
                "SATCHEL_STATE_MACHINE": machine.state_machine_arn,
                "SATCHEL_CAPABILITY_SECRET": self._data.capability_secret.secret_arn,
                **self._models,
                "SATCHEL_AUTH": "jwt",
                "SATCHEL_PUBLIC_URL": self._url,
                "SATCHEL_SOCKET_URL": self._sockets.url,
                "SATCHEL_MAX_BODY_BYTES": str(MAX_BODY_BYTES),
                "SATCHEL_ERASE_FUNCTION": erase.function_name,
                "SATCHEL_END_SESSION_FUNCTION": end_session.function_name,
                "SATCHEL_BASE64_SIZE_LIMIT_MB": str(self._settings.base64_size_limit_mb),
                **self._sizes,
                **self._sessions,
            },
        )
        self._may_keep_records(api, *grants.DELETE_ITEMS)
        self._may_read_objects(api, grants.TEXTS, *grants.FILES)
        may(api, *grants.UPLOAD_OBJECTS, on=self._objects(grants.UPLOADS))
        may(api, *grants.DELETE_OBJECTS, on=self._objects(*grants.FILES))
        may(api, *grants.LIST_VERSIONS, on=[self._data.bucket.bucket_arn])
        may(api, *grants.START_TURN, on=[machine.state_machine_arn])
        may(api, *grants.END_TASK, on=[self._machine_arn])
        may(api, *grants.FOLLOW_TURN, on=[self._executions])
        may(api, *grants.READ_SECRET, on=[self._data.capability_secret.secret_arn])
        may(api, *grants.INVOKE, on=[erase.function_arn, end_session.function_arn])
        may(api, *grants.UNTAG_OBJECTS, on=self._objects(*grants.FILES))
        may(api, *grants.CHECK_ITEMS, on=[self._data.table.table_arn])
        return api

    def _end_session(self) -> PythonFunction:
        end = self._function("end_session", vendor="functions", seconds=CLEAR_SECONDS, environment=self._sessions)
        self._may_clear(end)
        return end

    def _expire(self, erase: PythonFunction) -> PythonFunction:
        idle = {
            "SATCHEL_SESSION_IDLE_HOURS": str(self._settings.session_idle_hours),
            "SATCHEL_ERASE_FUNCTION": erase.function_name,
        }
        expire = self._function("expire", vendor="functions", seconds=SWEEP_SECONDS, environment=self._sessions | idle)
        self._may_clear(expire)
        may(expire, *grants.QUERY_INDEX, on=[f"{self._data.table.table_arn}/index/expiry"])
        may(expire, *grants.ABORT_UPLOADS, on=self._objects(grants.UPLOADS))
        may(expire, *grants.INVOKE, on=[erase.function_arn])
        return expire

    def _may_clear(self, function: PythonFunction) -> None:
        self._may_keep_records(function, *grants.DELETE_MANY_ITEMS)
        may(function, *grants.DELETE_OBJECTS, on=self._objects(*grants.FILES))
        may(function, *grants.LIST_VERSIONS, on=[self._data.bucket.bucket_arn])

    def _erase(self, workflow: TurnWorkflow) -> PythonFunction:
        machine = {"SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn}
        erase = self._function("erase", vendor="functions", seconds=ERASE_SECONDS, environment=machine)
        self._may_keep_records(erase, *grants.DELETE_ITEMS)
        may(erase, *grants.DELETE_OBJECTS, on=self._objects(grants.TURNS, *grants.FILES))
        may(erase, *grants.ABORT_UPLOADS, on=self._objects(grants.UPLOADS))
        may(erase, *grants.LIST_VERSIONS, on=[self._data.bucket.bucket_arn])
        may(erase, *grants.STOP_TURN, on=[self._executions])
        return erase

    def _socket_function(self, workflow: TurnWorkflow) -> PythonFunction:
        environment = {
            "SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn,
            "SATCHEL_WEB_ORIGINS": ",".join([*self._settings.web_origins, self._url]),
        }
        sockets = self._function("sockets", vendor="functions", seconds=API_SECONDS, environment=environment)
        self._may_keep_records(sockets, *grants.DELETE_ITEMS)
        self._may_read_objects(sockets, grants.TEXTS)
        may(sockets, *grants.LOOK_AT_TURN, on=[self._executions])
        return sockets

    def _push(self) -> PythonFunction:
        endpoint = {"SATCHEL_SOCKET_ENDPOINT": self._sockets.endpoint}
        push = self._function("push", vendor="functions", seconds=STEP_SECONDS, environment=endpoint)
        self._may_keep_records(push, *grants.DELETE_ITEMS)
        may(push, *grants.SPEAK_TO_CONNECTIONS, on=[self._sockets.connections(m) for m in ("POST", "DELETE")])
        return push

    def _think(self) -> PythonFunction:
        model = {
            **self._models,
            "SATCHEL_MAX_ROUNDS": str(self._settings.max_rounds),
            "SATCHEL_CONTEXT_TOKENS": str(self._settings.context_tokens),
            **({"SATCHEL_INSTRUCTIONS": text} if (text := self._settings.instructions) else {}),
            "SATCHEL_MODEL_SECONDS": str(MODEL_SECONDS),
            **self._settings.model_environment,
        }
        think = self._function(
            "think", vendor="think", seconds=THINK_SECONDS, environment=self._servers | model | self._sessions
        )
        self._may_keep_records(think)
        self._may_read_objects(think, grants.TEXTS)
        may(think, *grants.KEEP_OBJECTS, on=self._objects(grants.TEXTS))
        may_ask(think, self._settings.named_models, self._settings.secret_prefix)
        return think

    def _approval(self) -> PythonFunction:
        patience = {"SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS)}
        approval = self._function("approval", vendor="functions", seconds=STEP_SECONDS, environment=patience)
        self._may_keep_records(approval)
        self._may_read_objects(approval, grants.TEXTS)
        may(approval, *grants.END_TASK, on=[self._machine_arn])
        return approval

    def _dispatch(self, runners: Runners) -> PythonFunction:
        dispatch = self._function(
            "dispatch",
            vendor="dispatch",
            seconds=STEP_SECONDS,
            environment={
                **self._servers,
                **TOOL_TIMES,
                **runners.told,
                "SATCHEL_CAPABILITY_SECRET": self._data.capability_secret.secret_arn,
                "SATCHEL_PUBLIC_URL": self._url,
                "SATCHEL_MAX_INPUT_BYTES": str(MAX_INPUT_BYTES),
            },
        )
        role = CallRole(self, "CallRole", dispatch=dispatch, bucket=self._data.bucket, table=self._data.table)
        dispatch.add_environment("SATCHEL_CALL_ROLE", role.role_arn)
        self._may_keep_records(dispatch)
        self._may_read_objects(dispatch, grants.TEXTS, *grants.FILES)
        may(dispatch, *grants.WRITE_OBJECTS, on=self._objects(grants.TURNS))
        runners.grant_invoke(dispatch)
        may(dispatch, *grants.END_TASK, on=[self._machine_arn])
        may(dispatch, *grants.READ_SECRET, on=[self._data.capability_secret.secret_arn])
        return dispatch

    def _refresh(self, runners: Runners) -> PythonFunction:
        told = {**self._servers, **runners.told, "SATCHEL_TOOLS_KEPT_SECONDS": str(TOOLS_KEPT_SECONDS)}
        refresh = self._function("refresh", vendor="functions", seconds=REFRESH_SECONDS, environment=told)
        self._may_keep_records(refresh)
        runners.grant_invoke(refresh)
        return refresh

    def _normalize(self) -> PythonFunction:
        environment = self._servers | self._canvas
        normalize = self._function("normalize", vendor="functions", seconds=STEP_SECONDS, environment=environment)
        self._may_keep_records(normalize)
        self._may_read_objects(normalize, grants.TURNS, *grants.MADE_FILES)
        may(normalize, *grants.TAG_OBJECTS, on=self._objects(*grants.MADE_FILES))
        return normalize

    def _finish(self) -> PythonFunction:
        finish = self._function("finish", vendor="functions", seconds=STEP_SECONDS, environment={})
        self._may_keep_records(finish)
        self._may_read_objects(finish, grants.TEXTS)
        return finish

    def _function(self, folder: str, *, vendor: Vendor, environment: Mapping[str, str], seconds: int) -> PythonFunction:
        needs_servers = "SATCHEL_MCP_CONFIG" in environment
        return PythonFunction(
            self,
            folder.capitalize(),
            folder=folder,
            target=self._shelf.target,
            layers=[*self._shelf.layers(vendor), *([self._shelf.servers] if needs_servers else [])],
            environment={**self._stores, **environment},
            memory_mb=_MEMORY_MB,
            seconds=seconds,
        )

    def _may_keep_records(self, function: PythonFunction, *more: str) -> None:
        may(function, *grants.READ_ITEMS, *grants.WRITE_ITEMS, *more, on=[self._data.table.table_arn])

    def _may_read_objects(self, function: PythonFunction, *patterns: str) -> None:
        """Grant listing, too: without it an absent object (404) looks like one that may not be read (403)."""
        may(function, *grants.READ_OBJECTS, on=self._objects(*patterns))
        may(function, *grants.LIST_OBJECTS, on=[self._data.bucket.bucket_arn])

    def _objects(self, *patterns: str) -> list[str]:
        return [self._data.bucket.arn_for_objects(pattern) for pattern in patterns]

    @property
    def _executions(self) -> str:
        return self._machine_arn.replace(":stateMachine:", ":execution:") + ":*"

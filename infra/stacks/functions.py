"""Each function with its environment and, right below, what it may do."""

from collections.abc import Mapping

from aws_cdk import Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs import grants
from infra.constructs.call_role import CallRole
from infra.constructs.function import PythonFunction
from infra.constructs.grants import may
from infra.constructs.models import may_ask
from infra.constructs.runner import Runners
from infra.constructs.shelf import MCP_CONFIG, PAGE, Shelf
from infra.constructs.site import Site
from infra.constructs.socket_api import SocketApi
from infra.constructs.turn_workflow import TurnWorkflow
from infra.limits import (
    API_SECONDS,
    APPROVAL_SECONDS,
    CLEAR_SECONDS,
    ERASE_SECONDS,
    INPUT_SHARE,
    MAX_BODY_BYTES,
    MODEL_SECONDS,
    REFRESH_SECONDS,
    STEP_SECONDS,
    SWEEP_SECONDS,
    THINK_SECONDS,
    TOOL_TIMES,
    TOOLS_KEPT_SECONDS,
)
from infra.settings import Settings
from infra.stacks.data import DataStack

_MEMORY_MB = 512
_MIB = 1 << 20
_ANY_TURN = "an execution is named by its turn, and there are as many as turns"


class Functions:
    """Makes the functions of a stack. ``url`` is where people reach the API, ``socket_url`` where they connect."""

    def __init__(
        self,
        scope: Construct,
        *,
        settings: Settings,
        data: DataStack,
        shelf: Shelf,
        machine_arn: str,
        url: str,
        socket_url: str,
    ) -> None:
        self._scope, self._settings, self._data, self._shelf = scope, settings, data, shelf
        self._machine_arn, self._url, self._socket_url = machine_arn, url, socket_url
        self._servers = {"SATCHEL_MCP_CONFIG": MCP_CONFIG}
        self._sessions = {"SATCHEL_PERSIST_FILES_ACROSS_SESSIONS": str(settings.persist_files_across_sessions).lower()}
        self._canvas = {"SATCHEL_CANVAS_ORIGINS": ",".join(settings.canvas_origins)} if settings.canvas_origins else {}
        self.stores = {"SATCHEL_TABLE": data.table.table_name, "SATCHEL_BUCKET": data.bucket.bucket_name}
        self.sizes = {"SATCHEL_MAX_FILE_SIZE_BYTES": str(settings.max_file_size_bytes)}
        self.walls = {
            "SATCHEL_MIN_ISOLATION": settings.min_isolation,
            "SATCHEL_VIOLATION_POLICY": settings.violation_policy,
        }

    def api(self, workflow: TurnWorkflow, erase: PythonFunction, end_session: PythonFunction) -> PythonFunction:
        """Make what answers requests."""
        machine = workflow.machine
        api = self._function(
            "api",
            seconds=API_SECONDS,
            environment={
                **self._servers,
                **self._canvas,
                "SATCHEL_STATE_MACHINE": machine.state_machine_arn,
                "SATCHEL_CAPABILITY_SECRET": self._data.capability_secret.secret_arn,
                **self._settings.of_models,
                "SATCHEL_AUTH": "jwt",
                "SATCHEL_PUBLIC_URL": self._url,
                "SATCHEL_SOCKET_URL": self._socket_url,
                "SATCHEL_MAX_BODY_BYTES": str(MAX_BODY_BYTES),
                "SATCHEL_ERASE_FUNCTION": erase.function_name,
                "SATCHEL_END_SESSION_FUNCTION": end_session.function_name,
                "SATCHEL_BASE64_SIZE_LIMIT_MB": str(self._settings.base64_size_limit_mb),
                **self.sizes,
                **self._sessions,
            },
        )
        self._may_keep_records(api, *grants.DELETE_ITEMS)
        self._may_read_objects(api, grants.TEXTS, *grants.FILES)
        may(api, *grants.UPLOAD_OBJECTS, on=self._objects(grants.UPLOADS), because=grants.EVERYBODYS)
        may(api, *grants.DELETE_OBJECTS, on=self._objects(*grants.FILES), because=grants.EVERYBODYS)
        may(api, *grants.LIST_VERSIONS, on=[self._data.bucket.bucket_arn])
        may(api, *grants.START_TURN, on=[machine.state_machine_arn])
        may(api, *grants.END_TASK, on=[self._machine_arn])
        may(api, *grants.FOLLOW_TURN, on=[self._executions], because=_ANY_TURN)
        may(api, *grants.READ_SECRET, on=[self._data.capability_secret.secret_arn])
        may(api, *grants.INVOKE, on=[erase.function_arn, end_session.function_arn])
        may(api, *grants.UNTAG_OBJECTS, on=self._objects(*grants.FILES), because=grants.EVERYBODYS)
        may(api, *grants.CHECK_ITEMS, on=[self._data.table.table_arn])
        return api

    def end_session(self) -> PythonFunction:
        """Make what clears a session that has ended."""
        end = self._function("end_session", seconds=CLEAR_SECONDS, environment=self._sessions)
        self._may_clear(end)
        return end

    def expire(self, erase: PythonFunction) -> PythonFunction:
        """Make the sweep."""
        idle = {
            "SATCHEL_SESSION_IDLE_HOURS": str(self._settings.session_idle_hours),
            "SATCHEL_ERASE_FUNCTION": erase.function_name,
        }
        expire = self._function("expire", seconds=SWEEP_SECONDS, environment=self._sessions | idle)
        self._may_clear(expire)
        may(expire, *grants.QUERY_INDEX, on=[f"{self._data.table.table_arn}/index/expiry"])
        may(expire, *grants.ABORT_UPLOADS, on=self._objects(grants.UPLOADS), because=grants.EVERYBODYS)
        may(expire, *grants.INVOKE, on=[erase.function_arn])
        return expire

    def _may_clear(self, function: PythonFunction) -> None:
        self._may_keep_records(function, *grants.DELETE_MANY_ITEMS)
        may(function, *grants.DELETE_OBJECTS, on=self._objects(*grants.FILES), because=grants.EVERYBODYS)
        may(function, *grants.LIST_VERSIONS, on=[self._data.bucket.bucket_arn])

    def erase(self, workflow: TurnWorkflow) -> PythonFunction:
        """Make what deletes everything of a person."""
        machine = {"SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn}
        erase = self._function("erase", seconds=ERASE_SECONDS, environment=machine)
        self._may_keep_records(erase, *grants.DELETE_ITEMS)
        may(erase, *grants.DELETE_OBJECTS, on=self._objects(grants.TURNS, *grants.FILES), because=grants.EVERYBODYS)
        may(erase, *grants.ABORT_UPLOADS, on=self._objects(grants.UPLOADS), because=grants.EVERYBODYS)
        may(erase, *grants.LIST_VERSIONS, on=[self._data.bucket.bucket_arn])
        may(erase, *grants.STOP_TURN, on=[self._executions], because=_ANY_TURN)
        return erase

    def sockets(self, workflow: TurnWorkflow) -> PythonFunction:
        """Make what answers connections."""
        environment = {
            "SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn,
            "SATCHEL_WEB_ORIGINS": ",".join([*self._settings.web_origins, self._url]),
        }
        sockets = self._function("sockets", seconds=API_SECONDS, environment=environment)
        self._may_keep_records(sockets, *grants.DELETE_ITEMS)
        self._may_read_objects(sockets, grants.TEXTS)
        may(sockets, *grants.LOOK_AT_TURN, on=[self._executions], because=_ANY_TURN)
        return sockets

    def push(self, sockets: SocketApi) -> PythonFunction:
        """Make what sends events to connections."""
        endpoint = {"SATCHEL_SOCKET_ENDPOINT": sockets.endpoint}
        push = self._function("push", seconds=STEP_SECONDS, environment=endpoint)
        self._may_keep_records(push, *grants.DELETE_ITEMS)
        everybody = [sockets.connections(method) for method in ("POST", "DELETE")]
        may(
            push,
            *grants.SPEAK_TO_CONNECTIONS,
            on=everybody,
            because="connections come and go: it speaks to all of them",
        )
        return push

    def think(self) -> PythonFunction:
        """Make the state that asks the model."""
        settings = self._settings
        model = {
            **settings.of_models,
            "SATCHEL_MAX_ROUNDS": str(settings.max_rounds),
            "SATCHEL_CONTEXT_TOKENS": str(settings.context_tokens),
            **({"SATCHEL_INSTRUCTIONS": settings.instructions} if settings.instructions else {}),
            "SATCHEL_MODEL_SECONDS": str(MODEL_SECONDS),
            **settings.model_environment,
        }
        think = self._function("think", seconds=THINK_SECONDS, environment=self._servers | model | self._sessions)
        self._may_keep_records(think)
        self._may_read_objects(think, grants.TEXTS)
        may(think, *grants.KEEP_OBJECTS, on=self._objects(grants.TEXTS), because=grants.EVERYBODYS)
        may_ask(think, settings.named_models, settings.secret_prefix)
        return think

    def approval(self) -> PythonFunction:
        """Make the state that asks the person."""
        patience = {"SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS)}
        approval = self._function("approval", seconds=STEP_SECONDS, environment=patience)
        self._may_keep_records(approval)
        self._may_read_objects(approval, grants.TEXTS)
        may(approval, *grants.END_TASK, on=[self._machine_arn])
        return approval

    def dispatch(self, runners: Runners) -> PythonFunction:
        """Make the state that sends a call on its way, with the role that its credentials are cut from."""
        dispatch = self._function(
            "dispatch",
            seconds=STEP_SECONDS,
            environment={
                **self._servers,
                **TOOL_TIMES,
                **runners.told,
                "SATCHEL_CAPABILITY_SECRET": self._data.capability_secret.secret_arn,
                "SATCHEL_PUBLIC_URL": self._url,
                "SATCHEL_MAX_INPUT_BYTES": str(int(self._settings.runner_disk_mib * _MIB * INPUT_SHARE)),
            },
        )
        role = CallRole(self._scope, "CallRole", dispatch=dispatch, bucket=self._data.bucket, table=self._data.table)
        dispatch.add_environment("SATCHEL_CALL_ROLE", role.role_arn)
        self._may_keep_records(dispatch)
        self._may_read_objects(dispatch, grants.TEXTS, *grants.FILES)
        may(dispatch, *grants.WRITE_OBJECTS, on=self._objects(grants.TURNS), because=grants.EVERYBODYS)
        runners.grant_invoke(dispatch)
        may(dispatch, *grants.END_TASK, on=[self._machine_arn])
        may(dispatch, *grants.READ_SECRET, on=[self._data.capability_secret.secret_arn])
        return dispatch

    def refresh(self, runners: Runners) -> PythonFunction:
        """Make what asks servers for their tools."""
        told = {**self._servers, **runners.told, "SATCHEL_TOOLS_KEPT_SECONDS": str(TOOLS_KEPT_SECONDS)}
        refresh = self._function("refresh", seconds=REFRESH_SECONDS, environment=told)
        self._may_keep_records(refresh)
        runners.grant_invoke(refresh)
        return refresh

    def normalize(self) -> PythonFunction:
        """Make the state that settles a call."""
        environment = self._servers | self._canvas
        normalize = self._function("normalize", seconds=STEP_SECONDS, environment=environment)
        self._may_keep_records(normalize)
        self._may_read_objects(normalize, grants.TURNS, *grants.MADE_FILES)
        may(normalize, *grants.TAG_OBJECTS, on=self._objects(*grants.MADE_FILES), because=grants.EVERYBODYS)
        return normalize

    def publish_page(self, site: Site, page: lambda_.ILayerVersion, told: Mapping[str, str]) -> PythonFunction:
        """Make what copies the page to its bucket; it is of no use for people's records, and knows nothing of them."""
        publish = PythonFunction(
            self._scope,
            "PublishPage",
            folder="publish_page",
            shelf=self._shelf,
            settings=self._settings,
            more_layers=[page],
            environment={
                "SATCHEL_PAGE_BUCKET": site.bucket.bucket_name,
                "SATCHEL_PAGE_FOLDER": f"/opt/{PAGE}",
                "SATCHEL_PAGE_CONFIG": Stack.of(self._scope).to_json_string(dict(told)),
            },
            memory_mb=_MEMORY_MB,
            seconds=STEP_SECONDS,
        )
        may(publish, *grants.PUBLISH, on=[site.bucket.arn_for_objects("*")], because="the bucket is the page's alone")
        return publish

    def finish(self) -> PythonFunction:
        """Make the state that ends a turn."""
        finish = self._function("finish", seconds=STEP_SECONDS, environment={})
        self._may_keep_records(finish)
        self._may_read_objects(finish, grants.TEXTS)
        return finish

    def _function(self, folder: str, *, environment: Mapping[str, str], seconds: int) -> PythonFunction:
        return PythonFunction(
            self._scope,
            folder.capitalize(),
            folder=folder,
            shelf=self._shelf,
            settings=self._settings,
            more_layers=[self._shelf.entries] if "SATCHEL_MCP_CONFIG" in environment else [],
            environment={**self.stores, "SATCHEL_AUDIT_DAYS": str(self._settings.audit_days), **environment},
            memory_mb=_MEMORY_MB,
            seconds=seconds,
        )

    def _may_keep_records(self, function: PythonFunction, *more: str) -> None:
        may(function, *grants.READ_ITEMS, *grants.WRITE_ITEMS, *more, on=[self._data.table.table_arn])

    def _may_read_objects(self, function: PythonFunction, *patterns: str) -> None:
        """Grant listing, too: without it an absent object (404) looks like one that may not be read (403)."""
        may(function, *grants.READ_OBJECTS, on=self._objects(*patterns), because=grants.EVERYBODYS)
        may(function, *grants.LIST_OBJECTS, on=[self._data.bucket.bucket_arn])

    def _objects(self, *patterns: str) -> list[str]:
        return [self._data.bucket.arn_for_objects(pattern) for pattern in patterns]

    @property
    def _executions(self) -> str:
        return self._machine_arn.replace(":stateMachine:", ":execution:") + ":*"

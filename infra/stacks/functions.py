"""Create the Lambda functions of the service stack, each with its environment variables and IAM permissions."""

from collections.abc import Mapping

from aws_cdk import Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs import grants
from infra.constructs.dashboard_keys import DashboardKeys
from infra.constructs.function import PythonFunction
from infra.constructs.grants import allow, allow_models
from infra.constructs.layers import MCP_CONFIG, PAGE, FunctionLayers
from infra.constructs.runners import CallRole, Runners
from infra.constructs.site import Site
from infra.constructs.socket_api import SocketApi
from infra.constructs.stores import Stores
from infra.constructs.turn_workflow import TurnWorkflow
from infra.limits import (
    API_SECONDS,
    APPROVAL_SECONDS,
    CLEAR_SECONDS,
    ERASE_SECONDS,
    INPUT_DISK_SHARE,
    MAX_BODY_BYTES,
    MODEL_SECONDS,
    REFRESH_SECONDS,
    STEP_SECONDS,
    SWEEP_SECONDS,
    THINK_SECONDS,
    TOOL_LIST_TTL_SECONDS,
    TOOL_TIMEOUT_ENVIRONMENT,
)
from infra.settings import Settings

_MIB = 1 << 20
_ANY_EXECUTION = "each turn has its own execution, whose name is the turn's id"


class Functions:
    """Creates the stack's functions. ``url`` is the public URL of page and API, ``socket_url`` the WebSocket URL."""

    def __init__(
        self,
        scope: Construct,
        *,
        settings: Settings,
        stores: Stores,
        layers: FunctionLayers,
        machine_arn: str,
        url: str,
        socket_url: str,
    ) -> None:
        self._scope, self._settings, self._stores, self._layers = scope, settings, stores, layers
        self._machine_arn, self._url, self._socket_url = machine_arn, url, socket_url
        self._server_config = {"SATCHEL_MCP_CONFIG": MCP_CONFIG}
        self._file_lifetime = {
            "SATCHEL_PERSIST_FILES_ACROSS_SESSIONS": str(settings.persist_files_across_sessions).lower()
        }
        self._canvas_origins = (
            {"SATCHEL_CANVAS_ORIGINS": ",".join(settings.canvas_origins)} if settings.canvas_origins else {}
        )
        self.store_names = {"SATCHEL_TABLE": stores.table.table_name, "SATCHEL_BUCKET": stores.bucket.bucket_name}
        self.max_file_size = {"SATCHEL_MAX_FILE_SIZE_BYTES": str(settings.max_file_size_bytes)}
        self._audit = {"SATCHEL_AUDIT_DAYS": str(settings.audit_days)}
        self.isolation = {
            "SATCHEL_MIN_ISOLATION": settings.min_isolation,
            "SATCHEL_VIOLATION_POLICY": settings.violation_policy,
        }

    def api(
        self,
        workflow: TurnWorkflow,
        *,
        think: PythonFunction,
        erase: PythonFunction,
        end_session: PythonFunction,
        refresh: PythonFunction,
        dashboard_keys: DashboardKeys,
    ) -> PythonFunction:
        """Create the function that answers HTTP requests."""
        machine = workflow.machine
        api = self._function(
            "api",
            seconds=API_SECONDS,
            environment={
                **self._server_config,
                **self._canvas_origins,
                "SATCHEL_STATE_MACHINE": machine.state_machine_arn,
                "SATCHEL_THINK_FUNCTION": think.invoke_target.function_arn,
                "SATCHEL_CAPABILITY_SECRET": self._stores.capability_secret.secret_arn,
                "SATCHEL_DASHBOARD_KEYS": ",".join(dashboard_keys.key_ids),
                **self._settings.model_choice_environment,
                "SATCHEL_CONTEXT_TOKENS": str(self._settings.context_tokens),
                "SATCHEL_AUTH": "jwt",
                "SATCHEL_PUBLIC_URL": self._url,
                "SATCHEL_SOCKET_URL": self._socket_url,
                "SATCHEL_MAX_BODY_BYTES": str(MAX_BODY_BYTES),
                "SATCHEL_ERASE_FUNCTION": erase.function_name,
                "SATCHEL_END_SESSION_FUNCTION": end_session.function_name,
                "SATCHEL_REFRESH_FUNCTION": refresh.function_name,
                "SATCHEL_BASE64_SIZE_LIMIT_MB": str(self._settings.base64_size_limit_mb),
                **self.max_file_size,
                **self._file_lifetime,
                **self._audit,
                **self._settings.quota_environment,
            },
        )
        self._allow_items(api, *grants.DELETE_ITEMS)
        self._allow_reading(api, grants.TEXT_KEYS, *grants.FILE_KEYS)
        allow(api, *grants.UPLOAD_OBJECTS, on=self._objects(grants.UPLOAD_KEYS), because=grants.ALL_USERS)
        allow(api, *grants.DELETE_OBJECTS, on=self._objects(*grants.FILE_KEYS), because=grants.ALL_USERS)
        allow(api, *grants.LIST_VERSIONS, on=[self._stores.bucket.bucket_arn])
        allow(api, *grants.SEND_TASK_SUCCESS, *grants.SEND_TASK_FAILURE, on=[self._machine_arn])
        allow(api, *grants.FOLLOW_EXECUTION, on=[self._executions], because=_ANY_EXECUTION)
        allow(api, *grants.READ_SECRET, on=[self._stores.capability_secret.secret_arn])
        allow(api, *grants.SIGN, on=dashboard_keys.arns)
        invoked = [think.invoke_target, erase, end_session, refresh]
        allow(api, *grants.INVOKE_FUNCTION, on=[function.function_arn for function in invoked])
        allow(api, *grants.UNTAG_OBJECTS, on=self._objects(*grants.FILE_KEYS), because=grants.ALL_USERS)
        allow(api, *grants.CHECK_ITEMS, on=[self._stores.table.table_arn])
        return api

    def end_session(self, runners: Runners) -> PythonFunction:
        """Create the function that deletes the data of an ended session."""
        environment = self._file_lifetime | self._server_config | runners.caller_environment
        end = self._function("end_session", seconds=CLEAR_SECONDS, environment=environment)
        self._allow_clearing(end, runners)
        return end

    def expire(self, workflow: TurnWorkflow, erase: PythonFunction, runners: Runners) -> PythonFunction:
        """Create the function of the sweep: it deletes expired data, and ends stuck turns and idle sessions."""
        more = {
            "SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn,
            "SATCHEL_SESSION_IDLE_HOURS": str(self._settings.session_idle_hours),
            "SATCHEL_ERASE_FUNCTION": erase.function_name,
            **self._server_config,
            **runners.caller_environment,
        }
        expire = self._function("expire", seconds=SWEEP_SECONDS, environment=self._file_lifetime | self._audit | more)
        self._allow_clearing(expire, runners)
        self._allow_reading(expire, grants.TEXT_KEYS)
        allow(expire, *grants.DESCRIBE_EXECUTION, on=[self._executions], because=_ANY_EXECUTION)
        allow(expire, *grants.QUERY_INDEX, on=[f"{self._stores.table.table_arn}/index/expiry"])
        allow(expire, *grants.ABORT_UPLOADS, on=self._objects(grants.UPLOAD_KEYS), because=grants.ALL_USERS)
        allow(expire, *grants.INVOKE_FUNCTION, on=[erase.function_arn])
        return expire

    def _allow_clearing(self, function: PythonFunction, runners: Runners) -> None:
        self._allow_items(function, *grants.DELETE_MANY_ITEMS)
        runners.grant_invoke_remote(function)
        objects = self._objects(grants.TURN_KEYS, *grants.FILE_KEYS)
        allow(function, *grants.DELETE_OBJECTS, on=objects, because=grants.ALL_USERS)
        allow(function, *grants.LIST_VERSIONS, on=[self._stores.bucket.bucket_arn])

    def erase(self, workflow: TurnWorkflow) -> PythonFunction:
        """Create the function that deletes all data of a user."""
        machine = {"SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn}
        erase = self._function("erase", seconds=ERASE_SECONDS, environment=machine)
        self._allow_items(erase, *grants.DELETE_ITEMS, *grants.CHECK_ITEMS)
        allow(
            erase,
            *grants.DELETE_OBJECTS,
            on=self._objects(grants.TURN_KEYS, *grants.FILE_KEYS),
            because=grants.ALL_USERS,
        )
        allow(erase, *grants.ABORT_UPLOADS, on=self._objects(grants.UPLOAD_KEYS), because=grants.ALL_USERS)
        allow(erase, *grants.LIST_VERSIONS, on=[self._stores.bucket.bucket_arn])
        allow(erase, *grants.STOP_EXECUTION, on=[self._executions], because=_ANY_EXECUTION)
        return erase

    def sockets(self, workflow: TurnWorkflow) -> PythonFunction:
        """Create the function that handles WebSocket connections and their messages."""
        environment = {
            "SATCHEL_STATE_MACHINE": workflow.machine.state_machine_arn,
            "SATCHEL_WEB_ORIGINS": ",".join([*self._settings.web_origins, self._url]),
            **self._audit,
        }
        sockets = self._function("sockets", seconds=API_SECONDS, environment=environment)
        self._allow_items(sockets, *grants.DELETE_ITEMS)
        self._allow_reading(sockets, grants.TEXT_KEYS)
        allow(sockets, *grants.DESCRIBE_EXECUTION, on=[self._executions], because=_ANY_EXECUTION)
        return sockets

    def push(self, sockets: SocketApi) -> PythonFunction:
        """Create the function that sends a turn's events to the WebSocket connections that follow the turn.

        It also stores the questions of running tools, with the name of the tool from the call, whose text may be large.
        """
        environment = {"SATCHEL_SOCKET_ENDPOINT": sockets.endpoint, **self._settings.input_in_call_environment}
        push = self._function("push", seconds=STEP_SECONDS, environment=environment)
        self._allow_items(push, *grants.DELETE_ITEMS)
        self._allow_reading(push, grants.TEXT_KEYS)
        self._allow_sending(push, sockets)
        return push

    def _allow_sending(self, function: PythonFunction, sockets: SocketApi) -> None:
        connections = [sockets.connections_arn(method) for method in ("POST", "DELETE")]
        reason = "connections change all the time, and the function serves all of them"
        allow(function, *grants.MANAGE_CONNECTIONS, on=connections, because=reason)

    def think(self, sockets: SocketApi) -> PythonFunction:
        """Create the function of a turn's first round and of the workflow state Think.

        It calls the model, sends its text to connections, and starts the execution of a turn that has tool calls.
        """
        settings = self._settings
        model = {
            **settings.model_choice_environment,
            "SATCHEL_MAX_ROUNDS": str(settings.max_rounds),
            "SATCHEL_CHAT_TITLES": str(settings.chat_titles).lower(),
            "SATCHEL_CONTEXT_TOKENS": str(settings.context_tokens),
            **({"SATCHEL_INSTRUCTIONS": settings.instructions} if settings.instructions else {}),
            "SATCHEL_MODEL_SECONDS": str(MODEL_SECONDS),
            **settings.model_request_environment,
            "SATCHEL_SOCKET_ENDPOINT": sockets.endpoint,
            "SATCHEL_PUSHES_TEXT": "true",
            "SATCHEL_STATE_MACHINE": self._machine_arn,
            **self._audit,
        }
        think = self._function("think", seconds=THINK_SECONDS, environment=self._server_config | model)
        self._allow_items(think, *grants.DELETE_ITEMS)
        self._allow_sending(think, sockets)
        self._allow_reading(think, grants.TEXT_KEYS, *grants.PICTURE_KEYS)
        allow(think, *grants.PUT_OBJECTS, on=self._objects(grants.TEXT_KEYS), because=grants.ALL_USERS)
        allow(think, *grants.START_EXECUTION, on=[self._machine_arn])
        allow_models(think, settings.allowed_models, settings.secret_prefix)
        return think

    def dispatch(self, runners: Runners) -> PythonFunction:
        """Create the function of tool calls (start, questions to the user, result) and the IAM role of the calls."""
        dispatch = self._function(
            "dispatch",
            seconds=STEP_SECONDS,
            environment={
                **self._server_config,
                **TOOL_TIMEOUT_ENVIRONMENT,
                **runners.caller_environment,
                **self._file_lifetime,
                **self._canvas_origins,
                **self._audit,
                **self._settings.storage_quota_environment,
                **self._settings.input_in_call_environment,
                "SATCHEL_CAPABILITY_SECRET": self._stores.capability_secret.secret_arn,
                "SATCHEL_PUBLIC_URL": self._url,
                "SATCHEL_USER_RUNNING_CALLS": str(self._settings.user_running_calls),
                "SATCHEL_APPROVAL_SECONDS": str(APPROVAL_SECONDS),
                "SATCHEL_INPUT_SECONDS": str(self._settings.input_seconds),
                "SATCHEL_MAX_INPUT_BYTES": str(int(self._settings.runner_disk_mib * _MIB * INPUT_DISK_SHARE)),
            },
        )
        role = CallRole(
            self._scope, "CallRole", dispatch=dispatch, bucket=self._stores.bucket, table=self._stores.table
        )
        dispatch.add_environment("SATCHEL_CALL_ROLE", role.role_arn)
        self._allow_items(dispatch)
        self._allow_reading(dispatch, grants.TURN_KEYS, *grants.FILE_KEYS)
        allow(dispatch, *grants.PUT_OBJECTS, on=self._objects(grants.TURN_KEYS), because=grants.ALL_USERS)
        allow(dispatch, *grants.TAG_OBJECTS, on=self._objects(*grants.TOOL_FILE_KEYS), because=grants.ALL_USERS)
        runners.grant_invoke(dispatch)
        allow(dispatch, *grants.SEND_TASK_SUCCESS, *grants.SEND_TASK_FAILURE, on=[self._machine_arn])
        allow(dispatch, *grants.READ_SECRET, on=[self._stores.capability_secret.secret_arn])
        return dispatch

    def refresh(self, runners: Runners) -> PythonFunction:
        """Create the function that requests tool lists of MCP servers, and for the API prompts and resources."""
        environment = {
            **self._server_config,
            **runners.caller_environment,
            "SATCHEL_TOOLS_KEPT_SECONDS": str(TOOL_LIST_TTL_SECONDS),
        }
        refresh = self._function("refresh", seconds=REFRESH_SECONDS, environment=environment)
        self._allow_items(refresh)
        runners.grant_invoke(refresh)
        return refresh

    def publish_page(self, site: Site, page: lambda_.ILayerVersion, page_config: Mapping[str, str]) -> PythonFunction:
        """Create the function that copies the web client to the page's bucket. It has no access to user data."""
        publish = PythonFunction(
            self._scope,
            "PublishPage",
            folder="publish_page",
            function_layers=self._layers,
            settings=self._settings,
            more_layers=[page],
            environment={
                "SATCHEL_PAGE_BUCKET": site.bucket.bucket_name,
                "SATCHEL_PAGE_FOLDER": f"/opt/{PAGE}",
                "SATCHEL_PAGE_CONFIG": Stack.of(self._scope).to_json_string(dict(page_config)),
            },
            seconds=STEP_SECONDS,
        )
        allow(
            publish,
            *grants.READ_OBJECTS,
            *grants.PUT_OBJECTS,
            on=[site.bucket.arn_for_objects("*")],
            because="the bucket contains only the page",
        )
        allow(publish, *grants.LIST_OBJECTS, on=[site.bucket.bucket_arn])
        return publish

    def page(
        self, page: lambda_.ILayerVersion, page_config: Mapping[str, str], headers: Mapping[str, str]
    ) -> PythonFunction:
        """Create the function that serves the web client without CloudFront. It has no access to user data."""
        stack = Stack.of(self._scope)
        return PythonFunction(
            self._scope,
            "Page",
            folder="page",
            function_layers=self._layers,
            settings=self._settings,
            more_layers=[page],
            environment={
                "SATCHEL_PAGE_FOLDER": f"/opt/{PAGE}",
                "SATCHEL_PAGE_CONFIG": stack.to_json_string(dict(page_config)),
                "SATCHEL_PAGE_HEADERS": stack.to_json_string(dict(headers)),
            },
            seconds=STEP_SECONDS,
        )

    def finish(self, runners: Runners) -> PythonFunction:
        """Create the function of the workflow state Finish, which ends a turn and cancels its servers' tasks.

        If the function of the first round dies, this one starts the execution that repeats the round.
        """
        machine = {"SATCHEL_STATE_MACHINE": self._machine_arn}
        environment = self._audit | self._server_config | runners.caller_environment | machine
        finish = self._function("finish", seconds=STEP_SECONDS, environment=environment)
        runners.grant_invoke_remote(finish)
        self._allow_items(finish)
        self._allow_reading(finish, grants.TEXT_KEYS)
        allow(finish, *grants.START_EXECUTION, on=[self._machine_arn])
        return finish

    def _function(self, folder: str, *, environment: Mapping[str, str], seconds: int) -> PythonFunction:
        return PythonFunction(
            self._scope,
            "".join(word.capitalize() for word in folder.split("_")),
            folder=folder,
            function_layers=self._layers,
            settings=self._settings,
            more_layers=[self._layers.entries] if "SATCHEL_MCP_CONFIG" in environment else [],
            environment={**self.store_names, **environment},
            seconds=seconds,
        )

    def _allow_items(self, function: PythonFunction, *more_actions: str) -> None:
        allow(function, *grants.READ_ITEMS, *grants.WRITE_ITEMS, *more_actions, on=[self._stores.table.table_arn])

    def _allow_reading(self, function: PythonFunction, *patterns: str) -> None:
        """Allow reading and listing objects. Without listing, S3 answers 403 instead of 404 for a missing object."""
        allow(function, *grants.READ_OBJECTS, on=self._objects(*patterns), because=grants.ALL_USERS)
        allow(function, *grants.LIST_OBJECTS, on=[self._stores.bucket.bucket_arn])

    def _objects(self, *patterns: str) -> list[str]:
        return [self._stores.bucket.arn_for_objects(pattern) for pattern in patterns]

    @property
    def _executions(self) -> str:
        return self._machine_arn.replace(":stateMachine:", ":execution:") + ":*"

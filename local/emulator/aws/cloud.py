"""Start and stop the emulated AWS, and serve it on a loopback port for other processes and presigned URLs."""

import logging
import os
import secrets
import threading
import time
from collections.abc import Collection
from typing import Self

from moto import mock_aws
from moto.core.config import DefaultConfig
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.models import stepfunctions_parser_backends
from moto.sts.models import sts_backends
from werkzeug.serving import ThreadedWSGIServer

from local.emulator.aws.auth_middleware import with_authentication
from local.emulator.aws.moto_patches import (
    dynamodb_streams,
    execution_events,
    install_all,
    lambda_invoke,
    s3_requests,
    step_functions_clients,
    step_functions_executions,
)
from local.emulator.aws.moto_patches.direct_requests import with_direct_items
from local.emulator.aws.signatures import SecretLookup

REGION = "us-east-1"
ACCOUNT = "123456789012"
PARTITION = "aws"
_KEY_ID = "AKIASATCHELLOCAL0000"
_SECRET = secrets.token_hex(20)  # random, so that only processes that received the secret can sign requests
_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": _KEY_ID,
    "AWS_SECRET_ACCESS_KEY": _SECRET,
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
_REAL_CREDENTIALS = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
)
_SERVER_VARIABLES = ("MOTO_PORT", "AWS_ENDPOINT_URL_S3")
_CONFIG: DefaultConfig = {
    "core": {
        "mock_credentials": False,  # moto must not replace the fake credentials from forget_real_aws
        "reset_boto3_session": True,
        # moto emulates no models, so requests to Bedrock go to the real AWS
        "passthrough": {"services": ["bedrockruntime"], "urls": []},
    },
    "stepfunctions": {"execute_state_machine": True},
}
_STOP_SECONDS = 0.4  # how long ``LocalCloud.stop`` waits for running handlers and executions to end
_POLL_SECONDS = 0.1  # interval at which the server checks whether to stop; werkzeug's default is 0.5
_log = logging.getLogger(__name__)
_running = threading.Lock()


class LocalCloud:
    """Context manager that runs the emulated AWS. Stopping it deletes all emulated data.

    A process can run only one ``LocalCloud`` at a time. In this process, boto3 clients call moto's back ends directly.
    Only S3 clients use the loopback server at ``endpoint_url``, so that their presigned URLs work. Other processes use
    the loopback server for all services (see ``environ``).

    ``without`` names moto patches that are not installed. Tests leave out a patch to prove that it is needed. A patch
    that this process has already installed stays installed.
    """

    def __init__(self, *, without: Collection[str] = ()) -> None:
        self._without = without
        self._mock = mock_aws(config=_CONFIG)
        self._server: BackendServer | None = None

    @property
    def endpoint_url(self) -> str:
        """Return the URL of the loopback server. Raise RuntimeError if the emulated AWS is not running."""
        if self._server is None:
            raise RuntimeError("the cloud is not running")
        return self._server.url

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment variables that make another process use the emulated AWS instead of the real AWS."""
        return {**_CREDENTIALS, "AWS_ENDPOINT_URL": self.endpoint_url}

    def __enter__(self) -> Self:
        """Start the emulated AWS."""
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop the emulated AWS and delete all data."""
        self.stop()

    def start(self) -> None:
        """Start moto and the loopback server. Raise RuntimeError if another ``LocalCloud`` runs in this process."""
        if not _running.acquire(blocking=False):
            raise RuntimeError("a process has one local cloud at a time")
        forget_real_aws()
        install_all(self._without)
        lambda_invoke.HOST.reopen()
        self._mock.start()
        self._server = BackendServer(_secret_of)
        os.environ.update(zip(_SERVER_VARIABLES, (str(self._server.port), self._server.url), strict=True))

    def stop(self) -> None:
        """Abort all executions, wait briefly for running handlers, and delete all data. Takes less than a second."""
        if self._server is None:
            return
        deadline = time.monotonic() + _STOP_SECONDS
        execution_events.set_listener(None)
        _stop_executions()
        dynamodb_streams.close(_STOP_SECONDS / 4)
        handlers = lambda_invoke.HOST.close(deadline - time.monotonic())
        threads = step_functions_executions.join_threads(deadline - time.monotonic())
        if handlers or threads:
            _log.warning("Still running after the stop: %d handlers and %d execution threads", handlers, threads)
        for name in _SERVER_VARIABLES:
            del os.environ[name]
        self._server.stop()
        self._server = None
        step_functions_clients.clear()
        self._mock.stop()
        _running.release()


class BackendServer:
    """Serves moto's WSGI application on a free port of 127.0.0.1. The constructor starts the server.

    Unlike moto's ``ThreadedMotoServer``, this server stops fast and requires a signature for every request.
    """

    def __init__(self, secret_of: SecretLookup) -> None:
        logging.getLogger("werkzeug").setLevel(logging.WARNING)  # at INFO, werkzeug logs every request
        application = DomainDispatcherApplication(create_backend_app)
        self._server = ThreadedWSGIServer("127.0.0.1", 0, application, MotoRequestHandler)
        self._server.app = with_authentication(with_direct_items(application), secret_of, self.port)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True, name="moto-server"
        )
        self._thread.start()
        s3_requests.add_server(self._server)

    @property
    def port(self) -> int:
        """Return the port that the server listens on."""
        return self._server.port

    @property
    def url(self) -> str:
        """Return the server's URL. Its host is an IP address, so boto3 puts the bucket name into the URL path."""
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Stop the server and release the port."""
        s3_requests.remove_server(self._server)
        self._server.shutdown()
        self._thread.join()


def forget_real_aws() -> None:
    """Permanently replace this process's AWS credentials with fake ones, so that no thread can reach the real AWS."""
    for name in _REAL_CREDENTIALS:
        os.environ.pop(name, None)
    os.environ.update(_CREDENTIALS)
    no_proxy = {"127.0.0.1", "localhost", *filter(None, os.environ.get("NO_PROXY", "").split(","))}
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(sorted(no_proxy))


def _stop_executions() -> None:
    for machine in stepfunctions_parser_backends[ACCOUNT][REGION].state_machines:
        for execution in machine.executions:
            if execution.status == ExecutionStatus.RUNNING:
                execution.stop(stop_date=None, error=None, cause=None)


def _secret_of(key_id: str) -> str | None:
    """Return the secret for the access key id of the emulator or of an assumed role, or None for any other key id."""
    if key_id == _KEY_ID:
        return _SECRET
    role = sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(key_id)
    return role.secret_access_key if role else None

"""Starts and stops AWS on this machine."""

import logging
import os
import secrets
import threading
import time
from collections.abc import Collection
from typing import Self

from moto import mock_aws
from moto.core.config import DefaultConfig
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.models import stepfunctions_parser_backends
from moto.sts.models import sts_backends

from local.aws.seams import client_cache, install_all, lambda_invoke, live_threads, status_changes, streams
from local.aws.server import BackendServer

REGION = "us-east-1"
ACCOUNT = "123456789012"
_KEY_ID = "AKIASATCHELLOCAL0000"
_SECRET = secrets.token_hex(20)  # nobody can sign a URL who has not been given it
_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": _KEY_ID,
    "AWS_SECRET_ACCESS_KEY": _SECRET,
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
_REAL = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_BEARER_TOKEN_BEDROCK")
_OF_THE_SERVER = ("MOTO_PORT", "AWS_ENDPOINT_URL_S3")
_CONFIG: DefaultConfig = {
    "core": {
        "mock_credentials": False,  # ours stay, even when the mock has stopped
        "reset_boto3_session": True,
        "passthrough": {"services": ["bedrockruntime"], "urls": []},  # models are real, or nobody's
    },
    "stepfunctions": {"execute_state_machine": True},
}
_PATIENCE = 0.4  # seconds for handlers and executions to end when the cloud stops
_log = logging.getLogger(__name__)
_running = threading.Lock()


class LocalCloud:
    """AWS on this machine, as a context manager; at most one at a time in a process, and everything in it dies with it.

    boto3 clients of this process reach moto's back ends directly, S3's by the loopback server at ``endpoint_url``, so
    that the URLs that they presign lead somewhere; other processes reach everything there, see ``environ``.
    ``without`` leaves out seams, for their tests; within a process what is installed stays.
    """

    def __init__(self, *, without: Collection[str] = ()) -> None:
        self._without = without
        self._mock = mock_aws(config=_CONFIG)
        self._server: BackendServer | None = None

    @property
    def endpoint_url(self) -> str:
        """Return the URL of the loopback server. Raises RuntimeError when the cloud is not running."""
        if self._server is None:
            raise RuntimeError("the cloud is not running")
        return self._server.url

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment variables with which another process finds this cloud and nothing of the real one."""
        return {**_CREDENTIALS, "AWS_ENDPOINT_URL": self.endpoint_url}

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop it."""
        self.stop()

    def start(self) -> None:
        """Start the back ends and the server. Raises RuntimeError if another cloud runs in this process."""
        if not _running.acquire(blocking=False):
            raise RuntimeError("a process has one local cloud at a time")
        forget_real_aws()
        install_all(self._without)
        lambda_invoke.HOST.reopen()
        self._mock.start()
        self._server = BackendServer(_secret_of)
        os.environ.update(zip(_OF_THE_SERVER, (str(self._server.port), self._server.url), strict=True))

    def stop(self) -> None:
        """End executions, wait a moment for handlers, and forget everything. It takes less than a second."""
        if self._server is None:
            return
        deadline = time.monotonic() + _PATIENCE
        status_changes.listen(None)
        _stop_executions()
        streams.close(_PATIENCE / 4)
        handlers = lambda_invoke.HOST.close(deadline - time.monotonic())
        threads = live_threads.join(deadline - time.monotonic())
        if handlers or threads:
            _log.warning("left behind: %d handlers and %d threads of executions", handlers, threads)
        for name in _OF_THE_SERVER:
            del os.environ[name]
        self._server.stop()
        self._server = None
        client_cache.forget()
        self._mock.stop()
        _running.release()


def forget_real_aws() -> None:
    """Put made-up credentials into this process's environment for good, so that no thread can ever reach real AWS."""
    for name in _REAL:
        os.environ.pop(name, None)
    os.environ.update(_CREDENTIALS)
    proxied = {"127.0.0.1", "localhost", *filter(None, os.environ.get("NO_PROXY", "").split(","))}
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(sorted(proxied))


def _stop_executions() -> None:
    for machine in stepfunctions_parser_backends[ACCOUNT][REGION].state_machines:
        for execution in machine.executions:
            if execution.status == ExecutionStatus.RUNNING:
                execution.stop(stop_date=None, error=None, cause=None)


def _secret_of(key_id: str) -> str | None:
    """Return the secret of our own key, or of one that AssumeRole has made."""
    if key_id == _KEY_ID:
        return _SECRET
    role = sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(key_id)
    return role.secret_access_key if role else None

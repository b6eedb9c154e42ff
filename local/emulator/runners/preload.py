"""Imports and AWS data that every runner environment needs, loaded once by the fork server.

The AWS data describe each AWS service to boto3. Without this module, each environment would need a tenth of a second of
CPU time to load the data. Loading requires neither a region nor credentials; each environment sets its own.
What the code imports or builds only when a call needs it, ``when_idle`` prepares: another tenth of a second.
"""

import importlib
from collections.abc import Iterator

import boto3
import botocore.session
from pydantic import BaseModel

import satchel.bootstrap.runner  # noqa: F401  (imported so that all forks share the modules)
from satchel.adapters.sandbox.readable_paths import system_paths
from satchel.adapters.tls import tls_context

_SERVICES = ("dynamodb", "s3", "stepfunctions")
_SERVICE_FILES = ("service-2", "endpoint-rule-set-1")
_COMMON_FILES = ("endpoints", "partitions", "sdk-default-configuration", "_retry")
_LATE_MODULES = ("satchel.adapters.json_schema", "httpcore2")

_session = botocore.session.get_session()
_loader = _session.get_component("data_loader")
for _name in _COMMON_FILES:
    _loader.load_data(_name)
for _service in _SERVICES:
    for _file in _SERVICE_FILES:
        _loader.load_service_model(_service, _file)
boto3.setup_default_session(botocore_session=_session)


def when_idle() -> None:
    """Prepare what an environment imports or builds in its first call. The fork server calls this while it waits."""
    for name in _LATE_MODULES:
        importlib.import_module(name)
    tls_context()
    system_paths()
    for model in _models(BaseModel):
        model.model_rebuild()


def _models(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Yield Satchel's data models. Pydantic builds their validators when they are first used."""
    for model in base.__subclasses__():
        if model.__module__.startswith("satchel."):
            yield model
        yield from _models(model)

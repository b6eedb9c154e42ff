"""Imports and AWS data that every runner environment needs, loaded once by the fork server.

The AWS data describe each AWS service to boto3. Without this module, each environment would need a tenth of a second of
CPU time to load the data. Loading requires neither a region nor credentials; each environment sets its own.
"""

import boto3
import botocore.session

import satchel.bootstrap.runner  # noqa: F401  (both are imported so that all forks share the modules)

_SERVICES = ("dynamodb", "s3", "stepfunctions")
_SERVICE_FILES = ("service-2", "endpoint-rule-set-1")
_COMMON_FILES = ("endpoints", "partitions", "sdk-default-configuration", "_retry")

_session = botocore.session.get_session()
_loader = _session.get_component("data_loader")
for _name in _COMMON_FILES:
    _loader.load_data(_name)
for _service in _SERVICES:
    for _file in _SERVICE_FILES:
        _loader.load_service_model(_service, _file)
boto3.setup_default_session(botocore_session=_session)

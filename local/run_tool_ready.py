"""What every environment of a runner begins with, read once by the process that they are forked from.

Beside the function's modules that is what boto3 must know of the services that it calls: a tenth of a second of
processor time for each environment else. It needs no region and no credentials; those are an environment's own.
"""

import boto3
import botocore.session

import satchel.bootstrap.run_tool  # noqa: F401  (to be there)

_SERVICES = ("dynamodb", "s3", "stepfunctions")
_KINDS = ("service-2", "endpoint-rule-set-1")
_COMMON = ("endpoints", "partitions", "sdk-default-configuration", "_retry")

_session = botocore.session.get_session()
_loader = _session.get_component("data_loader")
for _name in _COMMON:
    _loader.load_data(_name)
for _service in _SERVICES:
    for _kind in _KINDS:
        _loader.load_service_model(_service, _kind)
boto3.setup_default_session(botocore_session=_session)

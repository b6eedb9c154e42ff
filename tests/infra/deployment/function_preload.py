"""Importing this module imports and reads what all functions need, so that a fork of this process starts quickly."""

from importlib import import_module

import boto3

from infra.sources import FUNCTIONS
from tests import service_models

for _folder in sorted(path.name for path in FUNCTIONS.iterdir() if (path / "handler.py").exists()):
    import_module(f"functions.{_folder}.handler")
import_module("tests.infra.deployment.function_process")
service_models.cache_service_models()
for _service in ("dynamodb", "kms", "lambda", "s3", "secretsmanager", "stepfunctions", "sts"):
    boto3.Session(region_name="us-east-1").client(
        _service
    )  # fills botocore's caches; each fork creates its own clients

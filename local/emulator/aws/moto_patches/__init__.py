"""Patches that correct moto where it differs from AWS, or speed it up.

Each module's docstring states what the module patches, and what fails or gets slower without the patch. All modules
patch private names of moto 5.2.5. Each module has tests in ``tests/integration/emulator/aws/moto_patches``, and at
least one of those tests fails without the patch. Calling ``install`` again does nothing. An installed patch cannot be
removed from the process.
"""

from collections.abc import Callable, Collection, Mapping
from importlib import import_module

from local.emulator.aws.moto_patches import (
    direct_requests,
    dynamodb_expressions,
    dynamodb_queries,
    dynamodb_streams,
    dynamodb_transactions,
    execution_events,
    lambda_invoke,
    model_instances,
    request_routing,
    s3_multipart,
    s3_objects,
    s3_requests,
    service_models,
    step_functions_callbacks,
    step_functions_clients,
    step_functions_errors,
    step_functions_executions,
    step_functions_parsing,
    websocket_connections,
)

PATCHES: Mapping[str, Callable[[], None]] = {
    module.__name__.rpartition(".")[2]: module.install
    for module in (
        lambda_invoke,
        step_functions_callbacks,
        step_functions_clients,
        step_functions_executions,
        execution_events,
        step_functions_errors,
        dynamodb_transactions,
        request_routing,
        step_functions_parsing,
        dynamodb_expressions,
        dynamodb_queries,
        direct_requests,
        dynamodb_streams,
        websocket_connections,
        s3_multipart,
        s3_objects,
        s3_requests,
        model_instances,
        service_models,
    )
}
"""Maps each patch's module name to its ``install`` function."""


def install_all(without: Collection[str] = ()) -> None:
    """Install all moto patches except those in ``without``. Tests leave a patch out to prove that it is needed."""
    import_module("moto.stepfunctions.parser.models")  # load it first: some patches only change loaded modules
    for name, install in PATCHES.items():
        if name not in without:
            install()

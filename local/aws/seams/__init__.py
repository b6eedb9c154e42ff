"""Where moto differs from AWS: one module for each difference, which says what it patches and what is wrong without it.

All patch privates of moto 5.2.5; each has a contract test in ``tests/integration/local``, which fails without it.
``install`` of each is idempotent and for good: there is no way back within a process.
"""

from collections.abc import Callable, Collection, Mapping
from importlib import import_module

from local.aws.seams import (
    client_cache,
    connections,
    early_callbacks,
    failure_cause,
    invocation_type,
    known_services,
    lambda_invoke,
    large_objects,
    live_threads,
    missed_beats,
    multipart,
    no_signatures,
    object_versions,
    parsed_once,
    partitions,
    plain_values,
    quiet,
    removed_objects,
    spent_tokens,
    status_changes,
    stopping,
    streams,
    terminal_errors,
    transactions,
    whole_executions,
)

SEAMS: Mapping[str, Callable[[], None]] = {
    module.__name__.rpartition(".")[2]: module.install
    for module in (
        lambda_invoke,
        invocation_type,
        early_callbacks,
        failure_cause,
        client_cache,
        whole_executions,
        stopping,
        spent_tokens,
        status_changes,
        terminal_errors,
        missed_beats,
        quiet,
        live_threads,
        transactions,
        known_services,
        no_signatures,
        parsed_once,
        partitions,
        plain_values,
        streams,
        connections,
        multipart,
        large_objects,
        object_versions,
        removed_objects,
    )
}


def install_all(without: Collection[str] = ()) -> None:
    """Install all seams; ``without`` names those to leave out, for the tests that show what they are for."""
    import_module("moto.stepfunctions.parser.models")  # all that imports by name what some seams replace everywhere
    for name, install in SEAMS.items():
        if name not in without:
            install()

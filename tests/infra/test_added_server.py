"""One more server in mcp.json adds one function with its resources and changes nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def _flat(value: Any, path: str) -> Iterator[str]:  # noqa: ANN401  (JSON in)
    """Yield each value with its path."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(each, f"{path}/{key}")
    elif isinstance(value, list):
        for each in value:
            yield from _flat(each, f"{path}/-")
    else:
        yield f"{path}: {value}"


def _changed(stacks: Stacks, added_server: Stacks) -> dict[str, tuple[set[str], set[str]]]:
    """Return the removed and the added values of each changed resource."""
    old, new = stacks.service["Resources"], added_server.service["Resources"]
    changes = {}
    for key in old.keys() & new.keys():
        before, after = (
            set(_flat(stack.with_text_references(side[key]), ""))
            for stack, side in ((stacks, old), (added_server, new))
        )
        if before != after:
            changes[key] = (before - after, after - before)
    return changes


def test_added_server_adds_a_function_with_role_log_and_layer(stacks: Stacks, added_server: Stacks) -> None:
    old, new = stacks.service["Resources"], added_server.service["Resources"]
    added = {key: new[key]["Type"].removeprefix("AWS::") for key in new.keys() - old.keys()}
    assert sorted(added.values()) == [
        "IAM::Policy",
        "IAM::Role",
        "Lambda::EventInvokeConfig",
        "Lambda::Function",
        "Lambda::LayerVersion",
        "Logs::LogGroup",
    ]
    assert all("added" in key for key in added)
    assert old.keys() - new.keys() == set()


def test_added_server_extends_the_permissions_of_callers_and_the_entries(stacks: Stacks, added_server: Stacks) -> None:
    changed = _changed(stacks, added_server)
    permission = "/Properties/PolicyDocument/Statement/-/Resource/-: {Runadded.Arn}"
    entries = changed.pop(next(key for key in changed if key.startswith("LayersServers")))
    assert {each.partition(":")[0].rpartition("/")[2] for side in entries for each in side} <= {
        "S3Key",
        "aws:asset:path",
    }
    assert sorted(changed.values()) == [(set(), {permission})] * 2
    assert {key.partition("RoleDefaultPolicy")[0] for key in changed} == {"Dispatch", "Refresh"}


def test_added_server_leaves_the_data_stack_unchanged(stacks: Stacks, added_server: Stacks) -> None:
    assert added_server.data == stacks.data


def test_added_server_may_read_only_its_own_secret(added_server: Stacks) -> None:
    readers = [each for each in added_server.statements() if each.role == "Runadded" and "secretsmanager" in str(each)]
    assert [each.resources[0].rpartition(":")[2] for each in readers] == ["satchel/ADDED_KEY-??????"]

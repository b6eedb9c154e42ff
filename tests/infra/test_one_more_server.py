"""A server more in mcp.json is a function more, with what belongs to it, and changes nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def _flat(value: Any, path: str) -> Iterator[str]:  # noqa: ANN401  (JSON in)
    """Yield each value with the way to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(each, f"{path}/{key}")
    elif isinstance(value, list):
        for each in value:
            yield from _flat(each, f"{path}/-")
    else:
        yield f"{path}: {value}"


def _changed(stacks: Stacks, one_more: Stacks) -> dict[str, tuple[set[str], set[str]]]:
    """Return of each resource that both have and that differs what only one of them says."""
    old, new = stacks.service["Resources"], one_more.service["Resources"]
    found = {}
    for key in old.keys() & new.keys():
        before, after = (set(_flat(stack.plain(side[key]), "")) for stack, side in ((stacks, old), (one_more, new)))
        if before != after:
            found[key] = (before - after, after - before)
    return found


def test_it_adds_a_function_a_role_and_what_they_need(stacks: Stacks, one_more: Stacks) -> None:
    old, new = stacks.service["Resources"], one_more.service["Resources"]
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


def test_those_who_call_runners_may_call_it_and_the_list_of_servers_names_it(stacks: Stacks, one_more: Stacks) -> None:
    changed = _changed(stacks, one_more)
    permission = "/Properties/PolicyDocument/Statement/-/Resource/-: {Runadded.Arn}"
    listed = changed.pop(next(key for key in changed if key.startswith("LayersServers")))
    assert {each.partition(":")[0].rpartition("/")[2] for side in listed for each in side} <= {
        "S3Key",
        "aws:asset:path",
    }
    assert sorted(changed.values()) == [(set(), {permission})] * 2
    assert {key.partition("RoleDefaultPolicy")[0] for key in changed} == {"Dispatch", "Refresh"}


def test_what_is_kept_is_not_touched(stacks: Stacks, one_more: Stacks) -> None:
    assert one_more.data == stacks.data


def test_it_reads_its_own_secret_and_no_other(one_more: Stacks) -> None:
    readers = [each for each in one_more.statements() if each.who == "Runadded" and "secretsmanager" in str(each)]
    assert [each.resources[0].rpartition(":")[2] for each in readers] == ["satchel/ADDED_KEY-??????"]

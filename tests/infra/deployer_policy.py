"""``python -m tests.infra.deployer_policy``: write docs/deployer-policy.json, the rights that CloudFormation needs.

The rights are those that the schemas of the templates' resource types name for creating, changing and deleting them.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]

from infra.sources import ROOT
from tests.infra.templates import Stacks

DOCUMENT = ROOT / "docs" / "deployer-policy.json"
MAX_POLICY_CHARS = 6144  # without white space: the limit of a managed policy
DEPLOYMENTS = ("default", "custom_settings", "without_site", "bridge")
_ROLES = "arn:*:iam::*:role/satchel-*"
# CloudFormation reads the version of the bootstrap stack, and each asset from its bucket, with the same rights.
_BOOTSTRAP = {"ssm:GetParameters"}


def needed_actions(deployments: Iterable[Stacks]) -> set[str]:
    """Return all actions that CloudFormation performs for the resources of these deployments."""
    kinds = {
        each["Type"]
        for stacks in deployments
        for part in (stacks.data, stacks.service)
        for each in part["Resources"].values()
    }
    handlers = (
        PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema.get("handlers", {})
        for kind in sorted(kinds)
        if kind.startswith("AWS::") and kind != "AWS::CDK::Metadata"
    )
    actions = {action for each in handlers for part in each.values() for action in part["permissions"]}
    return {action for action in actions if action != "*"} | _BOOTSTRAP


def policy(deployments: Iterable[Stacks]) -> dict[str, Any]:
    """Return the policy: all actions of the services that the stacks use, and single actions of IAM on their roles."""
    actions = needed_actions(deployments)
    services = sorted({action.partition(":")[0] for action in actions} - {"iam"})
    roles = sorted({f"iam:{action.partition(':')[2]}" for action in actions if action.startswith("iam:")})
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": [f"{service}:*" for service in services], "Resource": "*"},
            {"Effect": "Allow", "Action": roles, "Resource": _ROLES},
        ],
    }


def document(deployments: Iterable[Stacks]) -> str:
    """Return docs/deployer-policy.json."""
    return json.dumps(policy(deployments), indent=2) + "\n"


if __name__ == "__main__":
    from tests.infra.conftest import read_stacks, synthesize

    with TemporaryDirectory() as scratch:
        given = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        if len(sys.argv) == 1:
            synthesize(given, *DEPLOYMENTS)
        DOCUMENT.write_text(document([read_stacks(given / name) for name in DEPLOYMENTS]), encoding="utf-8")

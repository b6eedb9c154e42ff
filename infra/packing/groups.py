"""Which third-party packages a function has: ``layers/vendor/{group}.txt``, the smallest set that serves."""

from typing import Literal, get_args

Group = Literal["functions", "api", "dispatch", "think", "runner"]
GROUPS: tuple[Group, ...] = get_args(Group)

_OF: dict[str, Group] = {
    "api": "api",
    # Both ask runners, for one person each: Lambda's own boto3 may be too old for that (Invoke's TenantId).
    "dispatch": "dispatch",
    "refresh": "dispatch",
    "think": "think",
    "run_tool": "runner",
}

RUNTIME = frozenset({"boto3", "botocore", "jmespath", "s3transfer"})
"""What Lambda's runtime brings along. No layer holds it but that of those who need a newer one."""

WITH_BOTO3: Group = "dispatch"


def group_of(folder: str) -> Group:
    """Return the group of ``functions/{folder}``."""
    return _OF.get(folder, "functions")

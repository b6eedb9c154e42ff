"""``python -m tests.infra.synthesis FOLDER [NAME…]``: synthesize the deployments for the tests, each into a subfolder.

One process does all of them, because importing aws_cdk and starting its Node process takes longer than a synthesis. It
is not the tests' process, so other tests need not load aws_cdk. Layers are not built.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from infra.sources import ROOT, SERVERS

SINGLE_CONSTRUCTS = "single_constructs.json"
CUSTOM_SERVERS = {
    "search": {"url": "https://${SEARCH_HOST}/mcp", "auth_token": "${SEARCH_TOKEN}", "memory_mb": 512},
    "maps": {"url": "https://maps.example/mcp", "auth_token": "${MAPS_TOKEN}"},
    "off": {"url": "https://off.example/mcp", "auth_token": "${OFF_TOKEN}", "enabled": False},
    "near": {"command": ["python", "main.py"], "env": {"KEY": "a-${NEAR_KEY}"}},
    "plain": {"command": ["python", "main.py"], "memory_mb": 2048},
    "node": {"command": ["npx", "-y", "example-server"], "deploy": False},
}
CUSTOM_SETTINGS: dict[str, object] = {
    "name": "team",
    "architecture": "x86_64",
    "model": "careful",
    "models": [
        {"name": "careful", "model": "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", "groups": ["staff"]},
        {"name": "quick", "model": "openai-chat:small"},
    ],
    "context_tokens": "50000",
    "instructions": "Be brief.",
    "model_temperature": "0.2",
    "model_max_tokens": "4096",
    "removal_policy": "destroy",
    "domain": "chat.example.com",
    "certificate_arn": "arn:aws:acm:us-east-1:123456789012:certificate/one",
    "canvas_origins": ["https://dash.example", "https://metrics.example:8443"],
    "dashboard_keys": "2,1",
    "web_origins": "https://other.example",
    "max_rounds": "12",
    "base64_size_limit_mb": "2",
    "max_file_size_bytes": "1000000",
    "min_isolation": "process",
    "violation_policy": "fail",
    "jwt_issuer": "https://issuer.example",
    "jwt_audience": ["web"],
    "python": "3.13",
    "snap_start": "true",
    "reserved_concurrency": "api=50,run_tool=40",
    "requests_per_second": "7",
    "burst": "9",
    "user_running_calls": "5",
    "user_stored_bytes": "1000",
    "user_requests_per_second": "3",
    "log_retention": "14",
    "audit_days": "30",
    "runner_disk_mib": "10240",
    "alarm_email": "ops@example.com",
    "bucket_access_logs": "true",
}


BRIDGE: dict[str, object] = {
    "bridge": "true",
    "bridge_wait_seconds": "60",
    "web_origins": "https://front-end.example",
    "reserved_concurrency": "bridge=20",
    "site": "none",
}
VPC: dict[str, object] = {
    "runner_subnets": "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
    "runner_security_groups": "sg-0123456789abcdef0",
}
FOREIGN_SERVERS = ROOT / "tests" / "lambda_runtime" / "servers"
"""Published servers for Node and Python, which need no code of their own."""

EXISTING: dict[str, object] = {
    "existing_bucket": "kept-files",
    "existing_table": "arn:aws:dynamodb:eu-central-1:123456789012:table/kept-records/stream/2026-01-01T00:00:00.000",
    "existing_user_pool": "eu-central-1_Kept",
}


def main(folder: Path, names: Sequence[str]) -> None:
    """Synthesize the named deployments, or all of them together with the results of single constructs."""
    from infra.application import synthesize  # noqa: PLC0415  (slow: imports aws_cdk)
    from tests.infra import single_constructs  # noqa: PLC0415  (the same)

    deployments: dict[str, dict[str, object]] = {
        "default": {},
        "custom_servers": {"servers": str(_custom_servers(folder / "custom" / "servers"))},
        "custom_settings": CUSTOM_SETTINGS,
        "without_site": {"site": "none", "termination_protection": "true", **EXISTING},
        "foreign_servers": {"servers": str(FOREIGN_SERVERS), "python": "3.13", "site": "none", **VPC},
        "bridge": BRIDGE,
        "added_server": {"servers": str(_added_server(folder / "added" / "servers"))},
    }
    for name in names or deployments:
        without_layers: dict[str, object] = {"aws:cdk:bundling-stacks": []}
        context = {**without_layers, **deployments[name]}
        synthesize(str(folder / name), context, checks=name not in {"custom_servers", "added_server"})
    if not names:
        results = {
            "model_statements": single_constructs.model_statements(),
            "wildcard_error": single_constructs.wildcard_error(),
            "unknown_model_error": single_constructs.unknown_model_error(),
            "too_many_variables_error": single_constructs.too_many_variables_error(),
        }
        (folder / SINGLE_CONSTRUCTS).write_text(json.dumps(results))


def _custom_servers(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "mcp.json").write_text(json.dumps(CUSTOM_SERVERS))
    return folder


def _added_server(folder: Path) -> Path:
    """Write the example servers and one more to the folder, and return it."""
    shutil.copytree(SERVERS, folder)
    config = folder / "mcp.json"
    added = {"added": {"command": ["python", "main.py"], "cwd": "calculator", "env": {"KEY": "${ADDED_KEY}"}}}
    config.write_text(json.dumps(json.loads(config.read_text()) | added))
    return folder


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

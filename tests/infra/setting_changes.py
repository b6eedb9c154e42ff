"""``python -m tests.infra.setting_changes FILE``: synthesize variants of a deployment and store them as JSON.

Each variant has other settings than the default. The tests compare pairs of them as an update from one to the other.
Assets are not copied and layers are not built, so a variant takes a fraction of a normal synthesis.
"""

import json
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from infra.settings import Settings

CHANGES: dict[str, dict[str, object]] = {
    "alarm_email": {"alarm_email": "ops@example.com"},
    "architecture": {"architecture": "x86_64"},
    "audit_days": {"audit_days": 30},
    "base64_size_limit_mb": {"base64_size_limit_mb": 2},
    "bridge": {"bridge": True},
    "bridge_wait_seconds": {"bridge": True, "bridge_wait_seconds": 60},
    "bucket_access_logs": {"bucket_access_logs": True},
    "burst": {"burst": 9},
    "canvas_origins": {"canvas_origins": ["https://dash.example"]},
    "context_tokens": {"context_tokens": 50_000},
    "dashboard_keys": {"dashboard_keys": [2, 1]},
    "domain": {
        "domain": "chat.example.com",
        "certificate_arn": "arn:aws:acm:us-east-1:123456789012:certificate/one",
    },
    "existing_bucket": {"existing_bucket": "kept-files"},
    "existing_sign_in_page": {
        "existing_user_pool": "eu-central-1_Other",
        "existing_sign_in_page": "https://sign-in.example",
    },
    "existing_table": {
        "existing_table": "arn:aws:dynamodb:eu-central-1:123456789012:table/kept/stream/2026-01-01T00:00:00.000"
    },
    "existing_user_pool": {"existing_user_pool": "eu-central-1_Kept"},
    "groups": {"groups": ["staff"]},
    "input_in_call_seconds": {"input_in_call_seconds": 60},
    "input_seconds": {"input_seconds": 3600},
    "instructions": {"instructions": "Be brief."},
    "jwt_issuer": {"jwt_issuer": "https://issuer.example", "jwt_audience": ["web"]},
    "log_retention": {"log_retention": 14},
    "max_file_size_bytes": {"max_file_size_bytes": 1_000_000},
    "max_rounds": {"max_rounds": 12},
    "chat_titles": {"chat_titles": False},
    "model": {"model": "bedrock:amazon.nova-pro-v1:0"},
    "model_base_url": {"model_base_url": "https://models.example/v1"},
    "model_max_tokens": {"model_max_tokens": 4096},
    "model_silence_seconds": {"model_silence_seconds": 60},
    "model_temperature": {"model_temperature": 0.2},
    "models": {"models": [{"name": "quick", "model": "openai-chat:small"}]},
    "page": {"page": "docs/images"},
    "persist_files_across_sessions": {"persist_files_across_sessions": False},
    "public_url": {"public_url": "https://proxy.example"},
    "python": {"python": "3.13"},
    "removal_policy": {"removal_policy": "destroy"},
    "requests_per_second": {"requests_per_second": 7},
    "reserved_concurrency": {"reserved_concurrency": {"api": 50, "run_tool": 100}},
    "runner_disk_mib": {"runner_disk_mib": 4096},
    "runner_security_groups": {
        "runner_subnets": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        "runner_security_groups": ["sg-0123456789abcdef0"],
    },
    "servers": {"servers": "functions/servers"},
    "session_idle_hours": {"session_idle_hours": 1},
    "site": {"site": "none"},
    "snap_start": {"snap_start": True, "python": "3.13"},
    "termination_protection": {"termination_protection": True},
    "user_quotas": {name: 7 for name in Settings.model_fields if name.startswith("user_")},
    "violation_policy": {"violation_policy": "fail"},
    "web_origins": {"web_origins": ["https://other.example"]},
}
"""For each setting a change from the default, together with the settings that it needs."""

MIXES = 4
_REMOTE_SERVER = {"search": {"url": "https://search.example/mcp"}}


def mixes() -> dict[str, dict[str, object]]:
    """Return combinations of about half of the changes, chosen at random but always the same ones."""
    random = Random(7)  # noqa: S311  (no secret)
    found: dict[str, dict[str, object]] = {}
    while len(found) < MIXES:
        names = random.sample(sorted(CHANGES), k=len(CHANGES) // 2)
        settings: dict[str, object] = {}
        for name in names:
            try:
                Settings.model_validate(settings | CHANGES[name])
            except ValidationError:
                continue  # these changes exclude each other
            settings |= CHANGES[name]
        found[f"mix {len(found) + 1}"] = settings
    return found


def main(file: Path) -> None:
    """Synthesize the default, each single change and the mixes, and write their templates to the file."""
    from aws_cdk import App  # noqa: PLC0415  (slow)

    from infra.application import FLAGS, compose  # noqa: PLC0415  (the same)

    with TemporaryDirectory() as folder:
        servers = Path(folder) / "servers"
        servers.mkdir()
        (servers / "mcp.json").write_text(json.dumps(_REMOTE_SERVER))
        common = {"servers": str(servers), "page": "infra/definitions/no-page"}
        fast = {"aws:cdk:bundling-stacks": [], "aws:cdk:disable-asset-staging": True}
        templates: dict[str, Any] = {}
        default: dict[str, dict[str, object]] = {"default": {}}
        for name, changes in (default | CHANGES | mixes()).items():
            outdir = str(Path(folder) / name)
            app = App(outdir=outdir, analytics_reporting=False, context={**FLAGS, **fast, **common, **changes})
            compose(app)
            app.synth()
            data, service = sorted(Path(outdir).glob("*.template.json"))
            templates[name] = [json.loads(data.read_text()), json.loads(service.read_text())]
    file.write_text(json.dumps(templates))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The deployment to check: its settings and servers, read like the cdk command reads them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from infra.servers import Servers
from infra.settings import PROVIDER_SECRETS, Settings

_CONTEXT_FILES = ("cdk.context.json", "cdk.json")


class ContextError(ValueError):
    """An option ``-c`` or a file with settings is not readable. The message names it."""


@dataclass(frozen=True)
class Plan:
    """A deployment with these settings."""

    settings: Settings

    @cached_property
    def servers(self) -> Servers:
        """Return the servers to deploy. Raise UndeployableError like a synthesis."""
        return Servers(self.settings.servers)

    @property
    def data_stack(self) -> str:
        """Return the name of the stack with the stores."""
        return f"{self.settings.name}-data"

    @property
    def service_stack(self) -> str:
        """Return the name of the stack with the code."""
        return f"{self.settings.name}-service"

    @property
    def runners(self) -> list[str]:
        """Return the names of the functions that run tools."""
        remote = [self.settings.remote_runner] if self.servers.remote else []
        return [*(f"{self.settings.runner_prefix}{server}" for server in self.servers.stdio), *remote]

    @property
    def machine(self) -> str:
        """Return the name of the state machine."""
        return f"{self.settings.name}-turn"

    @property
    def log_group(self) -> str:
        """Return the name of the state machine's log group. The names of other log groups are generated."""
        return f"/aws/vendedlogs/states/{self.machine}"

    @property
    def creates_sign_in_page(self) -> bool:
        """Return True if the deployment creates a sign-in page in a user pool."""
        return self.settings.jwt_issuer is None and self.settings.existing_sign_in_page is None

    @property
    def secrets(self) -> Mapping[str, str]:
        """Return what needs each secret, by the secret's name: servers with placeholders, and model providers."""
        users: dict[str, list[str]] = {}
        for server, entry in self.servers.all.items():
            for variable in entry.required_variables:
                users.setdefault(variable, []).append(f"server {server}")
        for model in self.settings.allowed_models:
            if key := PROVIDER_SECRETS.get(model.partition(":")[0]):
                users.setdefault(key, []).append(f"model {model}")
        prefix = self.settings.secret_prefix
        return {f"{prefix}{name}": ", ".join(users[name]) for name in sorted(users)}


def account_wide_name(plan: Plan, region: str) -> str:
    """Return the name that resources without a region in their names get (``infra.constructs.names``)."""
    return f"{plan.service_stack}-{region}"


def read_plan(options: Iterable[str], folder: Path, home: Path) -> Plan:
    """Read the settings of ``-c`` options and of the cdk command's files, as that command does.

    In ``~/.cdk.json``, ``cdk.context.json``, ``cdk.json`` and the options, later values replace earlier ones.
    Raise ContextError, or the errors of ``Settings.from_context`` and ``Servers``.
    """
    context: dict[str, object] = {}
    for file in (home / ".cdk.json", *(folder / name for name in _CONTEXT_FILES)):
        context |= _read_file(file)
    for option in options:
        key, equals, value = option.partition("=")
        if not equals:
            raise ContextError(f"-c {option}: write it as -c setting=value")
        context[key] = value
    plan = Plan(Settings.from_context(context))
    _ = plan.servers  # read now, so that an invalid mcp.json is an error like an invalid setting
    return plan


def _read_file(file: Path) -> dict[str, object]:
    """Return the context in a file of the cdk command, or nothing if there is no such file."""
    if not file.exists():
        return {}
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ContextError(f"{file}: {error}") from error
    # All of cdk.context.json is context; the other two files also contain options of the command.
    context: dict[str, object] = content if file.name == "cdk.context.json" else content.get("context", {})
    return context

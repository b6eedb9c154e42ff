"""Paths in the checkout and the loading of definition files. Imports no aws_cdk: the emulator and tests use it, too."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ROOT / "functions"
SERVERS = FUNCTIONS / "servers"
CORE = ROOT / "layers" / "core"
VENDOR = ROOT / "layers" / "vendor"
SITE = ROOT / "web" / "dist"
NO_SITE = ROOT / "infra" / "definitions" / "no-page"
TURN_WORKFLOW = ROOT / "infra" / "workflows" / "turn.asl.json"

# Not string.Template, which rejects the "$." and "$$." of JSONPath.
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def load_definition(name: str) -> dict[str, Any]:
    """Return ``definitions/{name}.json``: boto3 parameters by name."""
    text = (ROOT / "infra" / "definitions" / f"{name}.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def fill_placeholders(text: str, values: Mapping[str, object]) -> str:
    """Replace each ``${Name}`` by its value. Raises KeyError for a name without a value."""
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)

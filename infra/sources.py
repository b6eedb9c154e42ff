"""Paths in the checkout, and loaders for definition files. The emulator uses this module, so it imports no aws_cdk."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ROOT / "functions"
SERVERS = FUNCTIONS / "servers"
CORE = ROOT / "layers" / "core"
BRIDGE = ROOT / "local" / "bridge"
CLIENT = ROOT / "clients" / "python" / "src" / "satchel_client"
VENDOR = ROOT / "layers" / "vendor"
SITE = ROOT / "web" / "dist"
NO_SITE = ROOT / "infra" / "definitions" / "no-page"
TURN_WORKFLOW = ROOT / "infra" / "workflows" / "turn.asl.json"

# string.Template cannot be used: it rejects "$." and "$$.", which the state machine definition contains (JSONPath).
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def load_definition(name: str) -> dict[str, Any]:
    """Return the contents of ``definitions/{name}.json``, for example the boto3 parameters of a table."""
    text = (ROOT / "infra" / "definitions" / f"{name}.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def read_definition(path: str) -> str:
    """Return the text of a file below ``definitions``."""
    return (ROOT / "infra" / "definitions" / path).read_text(encoding="utf-8")


def fill_placeholders(text: str, values: Mapping[str, object]) -> str:
    """Replace each ``${Name}`` in the text with its value. Raise KeyError for a name without a value."""
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)

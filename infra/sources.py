"""Where in the checkout the things to deploy lie, and how they are read. No aws_cdk here: tests read them, too."""

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

# Not string.Template: JSONPath's own "$." and "$$." make it stumble.
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def definition(name: str) -> dict[str, Any]:
    """Return ``definitions/{name}.json``: the arguments of boto3's calls, by the name of the parameter."""
    text = (ROOT / "infra" / "definitions" / f"{name}.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def filled(text: str, values: Mapping[str, object]) -> str:
    """Replace every ``${Name}`` by its value. Raises KeyError for a name without one."""
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)

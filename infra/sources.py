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
_ALONE = "Alone"


def load_turn_workflow(values: Mapping[str, object]) -> str:
    """Return the definition of the turns' state machine, with ``values`` in place of the placeholders.

    A call that is alone in its round needs no Map, which is a transition of its own. So the definition also has the
    states of a call outside of the Map, named ``…Alone``.
    """
    definition: dict[str, Any] = json.loads(fill_placeholders(TURN_WORKFLOW.read_text(encoding="utf-8"), values))
    states = definition["States"]
    calls = states["RunTools"]["ItemProcessor"]
    states |= {
        f"{name}{_ALONE}": _outside_of_map(state, states["RunTools"])
        for name, state in calls["States"].items()
        if name != calls["StartAt"]
    }
    return json.dumps(definition, separators=(",", ":"))


def _outside_of_map(state: Mapping[str, Any], map_state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state of a Map that leads to such states, and in the end to the state behind the Map."""
    moved = {key: value for key, value in state.items() if key not in {"End", "ResultSelector"}}
    if "Next" in state:
        moved["Next"] = f"{state['Next']}{_ALONE}"
    else:
        moved |= {"Next": map_state["Next"], "ResultPath": map_state["ResultPath"]}
    if "Resource" in state:
        catchers = state.get("Catch", [])
        moved["Catch"] = [{**each, "Next": f"{each['Next']}{_ALONE}"} for each in catchers] or map_state["Catch"]
    return moved


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
